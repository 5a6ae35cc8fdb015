// Which objects of a snapshot belong together. Each call walks a list of the snapshot.
#pragma once

#include "model/snapshot/snapshot.h"

// The NodePool of that name, or NULL.
const struct node_pool *pool_named(const struct snapshot *snapshot, const char *name);
// The NodeClaim's NodePool in the snapshot, or NULL.
const struct node_pool *claim_pool(const struct snapshot *snapshot, const struct node_claim *claim);
// The name of the NodeClaim's Node, by its status or its provider ID; NULL: it has none.
const char *claim_node(const struct snapshot *snapshot, const struct node_claim *claim);
// The names of the Nodes whose NodeClaims are being deleted: these nodes go whatever is decided.
// The list lives in `arena`.
struct string_list ending_nodes(struct arena *arena, const struct snapshot *snapshot);
