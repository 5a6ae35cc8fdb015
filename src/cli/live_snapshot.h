// A snapshot of a live cluster: what the controller would decide on, read once, nothing changed.
#pragma once

#include "model/snapshot.h"

struct live_options {
    const char *kubeconfig, *context; // NULL: as kubectl finds them
    const char *provider;             // "kwok", "sim" or NULL: by the NodePools' node classes
    bool catalog;                     // put the provider's instance types into the snapshot
};

// Lists every kind of FMT-1 (page by page), takes the time of the run and the settings of the environment.
// The catalogue is the one of INSTANCE_TYPES_FILE_PATH, or the built-in one of the provider.
bool live_snapshot_read(struct snapshot *snapshot, const struct live_options *options,
                        struct error *error) MUST_USE;
