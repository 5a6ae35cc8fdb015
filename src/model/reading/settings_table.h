// The settings as a table: environment-variable name, flag, kind, default, allowed values, help.
// The command line, the environment and a SnapshotContext are parsed by it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SETTINGS_MAX 128 // bits of settings.set_explicitly

enum setting_kind {
    SETTING_STRING,
    SETTING_BOOL,
    SETTING_INT,
    SETTING_FLOAT,
    SETTING_DURATION,
    SETTING_CHOICE,
    SETTING_GATES
};
struct setting {
    const char *environment, *flag;
    enum setting_kind kind;
    uint32_t offset, size; // of the member; a choice is kept as its index (bool, enum) or text
    const char *default_text;
    const char *upstream_text;  // the default under COMPATIBILITY=upstream; NULL: the same
    const char *const *choices; // NULL-terminated, for SETTING_CHOICE
    double minimum, maximum;    // of numbers; of durations in nanoseconds
    bool operational;           // about the running controller: no plan depends on it
    bool learned;               // unless it is set, by the controller (settings_learn())
    const char *help;
};
const struct setting *settings_table(uint32_t *count);
