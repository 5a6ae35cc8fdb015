// NodeOverlays (SCH-400 to SCH-409): other prices, more capacity, evaluated all together.
#pragma once

#include "engine/problem.h"

struct overlay_effect {
    int64_t *prices; // by offering; -1: unchanged
    bool capacity_changed;
};

void overlays_add_dimensions(struct problem *problem);
// What the overlays make of a pool's type. Returns false if nothing changes; otherwise *type is a
// copy with the changed capacity and *effect tells the prices.
bool overlays_apply(struct problem *problem, const struct node_pool *pool,
                    const struct instance_type **type, struct overlay_effect *effect);
