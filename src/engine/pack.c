#include "engine/pack.h"

// A pool that asks for the lowest price brings that policy in; it leaves the claims of others alone.
struct pass *pack(struct problem *problem)
{
    bool lowest_price = false;
    for (uint32_t t = 0; t < problem->templates_count; t++)
        lowest_price = lowest_price || problem->templates[t]->lowest_price;
    return lowest_price ? pack_lowest_price(problem) : pack_greedy(problem);
}
