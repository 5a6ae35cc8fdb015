#include "engine/overlays.h"

void overlays_add_dimensions(struct problem *problem)
{
    (void)problem;
}
bool overlays_apply(struct problem *problem, const struct node_pool *pool,
                    const struct instance_type **type, struct overlay_effect *effect)
{
    (void)problem, (void)pool, (void)type, (void)effect;
    return false;
}
