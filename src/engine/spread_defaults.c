#include "engine/spread_defaults.h"

void spread_defaults_read_selectors(struct problem *problem, struct symbols *keys)
{
    (void)problem, (void)keys;
}
void spread_defaults_add_key(const struct problem *problem, const struct pod *pod, struct text *key)
{
    (void)problem, (void)pod, (void)key;
}
void spread_defaults_apply(struct problem *problem, struct pod_class *class)
{
    (void)problem, (void)class;
}
