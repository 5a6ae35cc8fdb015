#include "engine/packing/pack.h"

#include "engine/packing/pack_alternatives.h"
#include "engine/packing/pack_greedy.h"
#include "engine/packing/pack_lowest_price.h"
#include "engine/packing/pack_policy.h"

// The cheapest set of claims (SCH-550); never more expensive than pack_greedy().
static struct pass *pack_lowest_price(struct problem *problem)
{
    return pack_alternatives(pack_cheaper(pack_greedy(problem)));
}

// One pool with the policy LowestPrice enables it; claims of other pools stay as they are.
struct pass *pack(struct problem *problem)
{
    return pack_asks_lowest_price(problem) ? pack_lowest_price(problem) : pack_greedy(problem);
}
