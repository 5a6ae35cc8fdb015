// NodeOverlays (SCH-400 to SCH-409): adjusted prices and added capacity, evaluated all together.
#pragma once

#include "engine/problem/problem.h"

struct overlay_effect {        // on one type of one pool
    struct instance_type type; // the provider's, with the changed capacity
    int64_t *prices;           // by offering; -1: unchanged
    bool capacity_changed;
};

void overlays_add_dimensions(struct problem *problem);
// Evaluates all overlays over the types of all NodePools; does nothing without the feature gate.
void overlays_evaluate(struct problem *problem);
void overlays_free(struct problem *problem);
// The effect of the overlays on a pool's type; NULL if nothing changes.
const struct overlay_effect *overlays_effect(struct problem *problem, const struct node_pool *pool,
                                             const struct instance_type *type);
