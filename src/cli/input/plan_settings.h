// The settings of a plan: those of the input or of the cluster's controller, else those of the
// environment; over them --settings FILE and --set NAME=VALUE, in the order of the command line.
#pragma once

#include "base/text.h"
#include "model/snapshot/snapshot.h"

struct setting_source { // of the command line
    const char *text;   // NAME=VALUE or a file; borrowed
    bool is_file;
};
struct plan_settings {
    struct setting_source *items;
    uint32_t count, capacity;
};
void plan_settings_add(struct plan_settings *settings, const char *text, bool is_file);
void plan_settings_free(struct plan_settings *settings); // its contents; zeroed is fine

// The variables of the environment that plans depend on. For input that has no settings of its own.
bool plan_settings_take_environment(struct snapshot *snapshot, struct text *remarks,
                                    struct error *error) MUST_USE;
// The command line's. `remarks` gets a line (after a line feed) for each source that set something.
bool plan_settings_take(const struct plan_settings *settings, struct snapshot *snapshot,
                        struct text *remarks, struct error *error) MUST_USE;
