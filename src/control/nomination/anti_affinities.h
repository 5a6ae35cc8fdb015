// Required anti-affinity of pods that are bound, or planned for a node, against pods that are about
// to be planned for another one (SCH-516): kube-scheduler refuses a pod a node in whose domain a
// pod is that wants none like it. One walk over the pods; no more than a bit for each term of a
// workload.
#pragma once

#include "control/runtime/control.h"

struct anti_affinities;
// Of all pods that there are; NULL: no pod has such a term. Borrows the mirror's objects: for use
// until the loop runs on.
struct anti_affinities *anti_affinities_read(struct control *control);
void anti_affinities_destroy(struct anti_affinities *anti); // NULL is fine
// The terms that keep the pod away, and those with a pod in a domain of the NodeClaim's node: the
// pod may be planned for it if none is in both. 0 if `anti` is NULL.
uint64_t anti_affinities_against(const struct anti_affinities *anti, const struct pod *pod);
uint64_t anti_affinities_around(const struct anti_affinities *anti, const struct node_claim *claim);
