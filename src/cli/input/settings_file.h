// A file of settings: lines NAME=VALUE, or objects of Kubernetes that hold them.
#pragma once

#include "base/text.h"
#include "model/reading/settings.h"

// Objects are a SnapshotContext (spec.settings), a ConfigMap (data) and a workload, of whose
// containers the environment counts as far as it names settings. Others are passed over. `names`
// gets the settings that plans depend on, NAME=VALUE, separated by commas.
bool settings_file_read(struct settings *settings, const char *path, struct text *names,
                        struct error *error) MUST_USE;
// Sets one and adds it to `names`.
bool settings_file_set(struct settings *settings, const char *name, const char *value,
                       struct text *names, struct error *error) MUST_USE;
