// The part of pod admission that matters to scheduling: requests from limits, LimitRange defaults,
// priority from its class, matchLabelKeys and mismatchLabelKeys of affinity terms.
#pragma once

#include "model/snapshot/snapshot.h"

// Requests from limits, then the namespace's LimitRanges in order of their names. Additions live in
// the arena.
void container_admit(struct arena *arena, const struct snapshot *snapshot, const char *namespace,
                     struct container *container);
// `pod` is the caller's struct, changed in place; additions live in the snapshot's arena.
void pod_admit(struct snapshot *snapshot, struct pod *pod);
