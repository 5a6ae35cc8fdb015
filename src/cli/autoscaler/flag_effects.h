// What Cluster Autoscaler's flags become (MIG-72): fields of every NodePool, settings of the
// controller, and notes.
#pragma once

#include "cli/autoscaler/flags.h"

// Options of one group, from its tags (MIG-83); negative or NULL: as the flags say.
struct group_options {
    int64_t unneeded_seconds;
    const char *threshold;
};

// Writes disruption, and what else the flags say of each pool.
void flags_apply(const struct flags *flags, const struct group_options *options,
                 struct product *pool, uint32_t pools);
// Notes for flags that no pool has a field for, and settings: once a run.
void flags_settings(const struct flags *flags, struct conversion *conversion);
