#include "engine/pack.h"

// The greedy plan is a valid plan of this policy, and the one to beat.
struct pass *pack_lowest_price(struct problem *problem)
{
    return pack_greedy(problem);
}
