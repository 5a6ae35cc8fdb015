// What a plan leaves out of its input, a line for each kind and cause: kinds that are not read,
// workloads without pods, objects whose feature gate is off.
//
// A gap is relevant if pods or nodes may come of what is left out; --strict refuses those.
#pragma once

#include <jansson.h>

#include "base/text.h"
#include "model/snapshot/snapshot.h"

struct left_out_group { // of one kind, for one cause
    char *kind, *cause;
    struct {
        char **items;
        uint32_t count, capacity;
    } names;
    uint32_t count; // names beyond a limit are counted only
};
struct left_out {
    bool strict;
    struct left_out_group *items;
    uint32_t count, capacity;
};
void left_out_free(struct left_out *left_out); // its contents; zeroed is fine

// Takes note of a document whose kind is not read, for a struct snapshot_examiner. False: --strict
// refuses it.
bool left_out_unread(void *left_out, const json_t *document, struct error *error) MUST_USE;
// Takes note of objects of the snapshot without effect. False: --strict refuses one.
bool left_out_examine(struct left_out *left_out, const struct snapshot *snapshot,
                      struct error *error) MUST_USE;
// "CronJob nightly: the pods of its Jobs are not planned", sorted; each after a line feed and
// `prefix`.
void left_out_tell(const struct left_out *left_out, const char *prefix, struct text *text);
