// The settings of Bottlerocket that are known to adze: settings.kubernetes and
// settings.bootstrap-commands (AWN-295, 296).
#pragma once

#include "base/error.h"
#include "cloud/aws/families/toml_write.h"

// Reduces the tables to known keys and checks their types. Keys that are dropped are reported as
// "settings.kubernetes.NAME" to `dropped`, if it is not NULL.
struct bottlerocket_dropped {
    void (*report)(void *context, const char *path);
    void *context;
};
bool bottlerocket_settings_filter(struct toml_value *settings,
                                  const struct bottlerocket_dropped *dropped,
                                  struct error *error) MUST_USE;
extern const struct toml_order bottlerocket_order; // of the written text
