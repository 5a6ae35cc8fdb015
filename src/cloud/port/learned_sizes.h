// What machines turn out to have (STO-15). A catalog tells before the first launch how much cpu,
// memory and ephemeral storage a machine of a type will have, and how much of that pods may use,
// often by a flat estimate; its Nodes tell the truth. For each instance type what Nodes have takes
// the estimate's place: the least of them, of those with the newest image (AWI-22). So pods fit
// that the estimate would have refused, and a machine that was estimated too large is not launched
// again for the same pods (STO-14).
//
// For providers, behind cloud_operations.learn. Kept in memory: after a restart the Nodes tell it
// again.
#pragma once

#include "model/schema/karpenter.h"

struct node;

struct learned_sizes;
struct learned_sizes *learned_sizes_create(void);
void learned_sizes_destroy(struct learned_sizes *sizes); // NULL is fine

// `estimated`: the Node's type as the catalog has it. Answers whether learned_sizes_correct() has
// other answers from now on.
bool learned_sizes_note(struct learned_sizes *sizes, const struct node_claim *claim,
                        const struct node *node, const struct instance_type *estimated);
// Whether anything has been learned that differs from its estimate.
bool learned_sizes_any(const struct learned_sizes *sizes);
// Changes the type in place where it differs from what was learned; what is added lives in `arena`.
void learned_sizes_correct(const struct learned_sizes *sizes, struct arena *arena,
                           struct instance_type *type);
