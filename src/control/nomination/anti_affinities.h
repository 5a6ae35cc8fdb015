// Required anti-affinity of bound and planned pods against pods that are about to be planned for
// another node (SCH-516). kube-scheduler rejects a node for a pod if the anti-affinity of a pod in
// the same domain matches it. One walk over the pods; at most one bit for each term of a workload.
#pragma once

#include "control/runtime/control.h"

struct anti_affinities;
// Reads all pods; NULL: no pod has such a term. Borrows the mirror's objects until the loop runs
// on.
struct anti_affinities *anti_affinities_read(struct control *control);
void anti_affinities_destroy(struct anti_affinities *anti); // NULL is fine
// The terms that match the pod, and the terms with a pod in a domain of the NodeClaim's node. The
// pod may be planned for the node if the two sets are disjoint. 0 if `anti` is NULL.
uint64_t anti_affinities_against(const struct anti_affinities *anti, const struct pod *pod);
uint64_t anti_affinities_around(const struct anti_affinities *anti, const struct node_claim *claim);
