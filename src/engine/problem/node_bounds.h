// What people let one new node carry at most (SCH-521): the annotations of NodePools
// (model/pool_annotations.h), workloads and their replicas, and the warning where there is no
// bound.
#pragma once

#include "engine/placement/pass.h"

// Reads the annotations of the template's NodePool; those that cannot be read bound nothing.
void node_bounds_read(struct problem *problem, struct node_template *template);

// Drops machines with more cpu than the annotation allows.
void node_bounds_drop_rows(struct node_template *template);
// Whether the claim may carry a pod of this shape too, by number; false with an error.
bool node_bounds_allow(struct pass *pass, const struct claim *claim, const struct shape *shape);
// Whether it may carry one more pod of this pod's workload. Always, if nothing bounds shares.
bool node_bounds_allow_share(struct pass *pass, const struct claim *claim, uint32_t pod);
void node_bounds_take(struct pass *pass, struct claim *claim, uint32_t pod); // it carries the pod

// The pod's workload, of those that own pods of the snapshot; NONE: nobody controls it.
uint32_t node_bounds_workload(struct problem *problem, const struct pod *pod);
// How many pods of the workload one new node of the template carries at most; at least 1.
uint32_t node_bounds_share(const struct problem *problem, const struct node_template *template,
                           uint32_t workload);

// A warning for every new node that carries more than half of a workload of more than 3 replicas.
void node_bounds_warn(struct pass *pass, struct plan *plan);
