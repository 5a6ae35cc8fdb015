// A snapshot of a live cluster: the controller's input, read once, nothing changed.
#pragma once

#include "cli/input/live_provider.h"
#include "kube/transport/kube_choice.h"
#include "model/snapshot/snapshot.h"

struct live_options {
    struct kube_choice cluster;
    const char *provider; // NULL: the cluster's
    const char *region;   // of --region; NULL: not given
};

// Lists every kind of FMT-1 (page by page), takes the time of the run and the settings of the
// environment. NodePools and NodeClaims of other providers are left out (LIF-2). The caller adds
// the instance types with live_provider_catalog(), and frees `provider` whether this succeeds or
// not.
bool live_snapshot_read(struct snapshot *snapshot, const struct live_options *options,
                        struct live_provider *provider, struct error *error) MUST_USE;
