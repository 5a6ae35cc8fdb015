#include "engine/packing/pack.h"

#include "engine/packing/pack_greedy.h"
#include "engine/packing/pack_lowest_price.h"

bool pack_asks_lowest_price(const struct problem *problem)
{
    for (uint32_t t = 0; t < problem->templates.count; t++)
        if (problem->templates.items[t]->lowest_price)
            return true;
    return false;
}

bool pack_is_lowest_price(const struct problem *problem)
{
    for (uint32_t t = 0; t < problem->templates.count; t++)
        if (!problem->templates.items[t]->lowest_price)
            return false;
    return true;
}

// A pool that asks for the lowest price brings that policy in; it leaves the claims of others
// alone.
struct pass *pack(struct problem *problem)
{
    return pack_asks_lowest_price(problem) ? pack_lowest_price(problem) : pack_greedy(problem);
}
