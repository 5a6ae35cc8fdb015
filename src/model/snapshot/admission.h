// What an API server does to a new pod before storing it, as far as scheduling can tell: requests
// from limits, LimitRange defaults, priority from its class, matchLabelKeys and mismatchLabelKeys
// of affinity terms.
#pragma once

#include "model/snapshot/snapshot.h"

// Requests from limits, then what the LimitRanges of the namespace say, by their names. What is
// added lives in the arena.
void container_admit(struct arena *arena, const struct snapshot *snapshot, const char *namespace,
                     struct container *container);
// `pod` is a struct of the caller's, changed in place; what is added lives in the snapshot's arena.
void pod_admit(struct snapshot *snapshot, struct pod *pod);
