// Objects behind the volumes of pods, by name.
#pragma once

#include "engine/problem/problem.h"

// Indexes claims, volumes, classes and CSINodes by name.
void volumes_index(struct problem *problem);
// The claim's name (SCH-330). NULL for other kinds of volumes.
const char *volume_claim_name(struct arena *arena, const struct pod *pod,
                              const struct volume *volume);
// NULL: there is no such claim.
const struct persistent_volume_claim *volume_claim_find(const struct problem *problem,
                                                        const char *namespace, const char *name);
