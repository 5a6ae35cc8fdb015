// Machines that are likely to end, or will, and have time: they are replaced like drifted ones,
// under the NodePool's budgets and with the replacement first (AWI-954, 955).
#pragma once

#include "cloud/aws/interruption/instance_index.h"
#include "cloud/port/cloud.h"
#include "model/schema/karpenter.h"
#include "reconcile/manager.h"

enum planned_end {
    PLANNED_END_RISK,  // a rebalance recommendation, where the NodePool asks for it
    PLANNED_END_EVENT, // maintenance or retirement, more than a day ahead
};
struct planned_ends;
// `cloud` is told of NodeClaims that drift now; NULL: nobody is. All is borrowed.
struct planned_ends *planned_ends_create(struct manager *manager,
                                         const struct instance_index *index, struct cloud *cloud);
void planned_ends_destroy(struct planned_ends *ends); // NULL is fine
// Counts until the instant; again: until the later one. Returns whether it is news.
bool planned_ends_note(struct planned_ends *ends, const char *instance_id, enum planned_end why,
                       int64_t until);
// The reason of drift, or NULL.
const char *planned_ends_reason(const struct planned_ends *ends, const struct node_claim *claim);
