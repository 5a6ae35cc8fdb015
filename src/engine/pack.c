#include "engine/pack.h"

struct pass *pack(struct problem *problem)
{
    return problem->settings->packing_policy == PACKING_GREEDY ? pack_greedy(problem)
                                                               : pack_lowest_price(problem);
}
