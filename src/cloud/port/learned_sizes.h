// Learned capacity of instance types (STO-15). Before the first launch the catalog estimates a
// type's cpu, memory and ephemeral storage, capacity and allocatable, often by a flat overhead;
// Nodes report the real values. For each instance type the least values of the Nodes with the
// newest image (AWI-22) replace the estimate. So pods fit that the estimate would have refused, and
// a machine estimated too large is not launched again for the same pods (STO-14).
//
// For providers, behind cloud_operations.learn. Kept in memory: after a restart the Nodes report
// again.
#pragma once

#include "model/schema/karpenter.h"

struct node;

struct learned_sizes;
struct learned_sizes *learned_sizes_create(void);
void learned_sizes_destroy(struct learned_sizes *sizes); // NULL is fine

// `estimated`: the Node's type in the catalog. Returns whether the results of
// learned_sizes_correct() change.
bool learned_sizes_note(struct learned_sizes *sizes, const struct node_claim *claim,
                        const struct node *node, const struct instance_type *estimated);
// Whether any learned value differs from its estimate.
bool learned_sizes_any(const struct learned_sizes *sizes);
// Changes the type in place to the learned values; additions live in `arena`.
void learned_sizes_correct(const struct learned_sizes *sizes, struct arena *arena,
                           struct instance_type *type);
