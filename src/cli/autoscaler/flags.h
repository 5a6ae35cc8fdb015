// Cluster Autoscaler's command line, from a Deployment, Helm values or a text (MIG-70).
#pragma once

#include "cli/convert/conversion.h"

struct flags {
    json_t *values; // owned: name -> list of texts; NULL: no flags were given
};

// `list`: an array of arguments ("--name=value", "--name", "value").
void flags_add_list(struct flags *flags, const json_t *list, struct arena *arena);
void flags_add_map(struct flags *flags, const json_t *map, struct arena *arena); // extraArgs
void flags_add_text(struct flags *flags, const char *text, struct arena *arena);
// The last value; NULL: not given.
const char *flag_text(const struct flags *flags, const char *name);
const json_t *flag_list(const struct flags *flags, const char *name); // NULL: not given
bool flag_is(const struct flags *flags, const char *name, bool otherwise);
int64_t flag_seconds(const struct flags *flags, const char *name, int64_t otherwise);
// "15m", "1h", "90s"; -1: no duration.
int64_t seconds_of(const char *text);
const char *seconds_format(int64_t seconds, struct arena *arena);
void flags_free(struct flags *flags);
