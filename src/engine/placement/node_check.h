// Checks of a pod on an existing node (SCH-190 to SCH-197).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// Why a node refuses the class, for explanations; ACCEPTED if it does not.
enum verdict node_check(struct pass *pass, uint32_t index, uint32_t class);
// Parts of node_check(). SCH-194, steps 1 to 5: checks whose failure is permanent in this pass.
bool node_fits_shape(struct pass *pass, const struct schedulable_node *node,
                     const struct node_slot *slot, const struct shape *shape);
bool node_taints_allow(struct problem *problem, const struct shape *shape,
                       const struct schedulable_node *node);
bool node_terms_hold(struct problem *problem, const struct schedulable_node *node,
                     const struct shape *shape);
