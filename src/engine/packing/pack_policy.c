#include "engine/packing/pack_policy.h"

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
