// A snapshot of a live cluster: what the controller would decide on, read once, nothing changed.
#pragma once

#include "cli/input/live_provider.h"
#include "model/snapshot/snapshot.h"

struct live_options {
    const char *kubeconfig, *context; // NULL: as kubectl finds them
    const char *provider;             // NULL: as the cluster says
};

// Lists every kind of FMT-1 (page by page), takes the time of the run and the settings of the
// environment. NodePools and NodeClaims of other providers are left out (LIF-2). The instance types
// are the caller's matter: live_provider_catalog(). `provider` is the caller's to free, whatever
// the outcome.
bool live_snapshot_read(struct snapshot *snapshot, const struct live_options *options,
                        struct live_provider *provider, struct error *error) MUST_USE;
