// NodeClaims and Nodes by the id of their instance (AWI-418, 550), kept by the mirror. Ids of
// deleted NodeClaims are remembered for a while: a message about one is no news (AWI-571).
#pragma once

#include "model/schema/karpenter.h"
#include "reconcile/manager.h"

struct instance_index;
struct instance_index *instance_index_create(struct manager *manager);
void instance_index_destroy(struct instance_index *index); // NULL is fine

// In order of their appearance; borrowed until the loop runs on. Returns their number, `max` at
// most.
uint32_t instance_index_claims(const struct instance_index *index, const char *instance_id,
                               const struct node_claim **claims, uint32_t max);
const struct node *instance_index_node(const struct instance_index *index,
                                       const char *instance_id); // the first; NULL: none
// A NodeClaim had this instance and is gone.
bool instance_index_is_gone(const struct instance_index *index, const char *instance_id);
// The ids that NodeClaims have, in byte order, in `arena`.
struct string_list instance_index_ids(const struct instance_index *index, struct arena *arena);
