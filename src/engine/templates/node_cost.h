// What nodes cost beside their machines (SCH-507): root volumes, kubelets and daemons, addresses,
// licences. NODE_COST says how much; its default is for the usual prices (EC2's) and follows the
// catalogs in powers of ten, so that where an hour costs a hundredth it does not drown the
// prices.
//
// What a set of new nodes counts for, when two are compared, has three parts: the machines' prices,
// NODE_COST for each, and - where there is a NODE_COST, which makes for few large nodes - how much
// would be lost with one of them. Nano-USD an hour throughout.
#pragma once

#include <stdint.h>

struct problem;
struct snapshot;

// Of one node. Given explicitly: as it is given.
int64_t node_cost_of(const struct snapshot *snapshot);

struct node_costs { // of a set of nodes
    int64_t price;
    uint32_t nodes;
    __int128 squares; // of prices
};
void node_costs_add(struct node_costs *costs, int64_t price);
// Prices and node costs: what a plan's lower bound is a bound of.
int64_t node_costs_sum(const struct node_costs *costs, int64_t node_cost);
// What counts for having much on one node: a tenth of the price if all is on one, a hundredth if it
// is on ten equal ones. 0 without node cost: then prices alone count.
int64_t node_costs_concentration(const struct node_costs *costs, int64_t node_cost);
// All of it.
int64_t node_costs_count(const struct node_costs *costs, int64_t node_cost);
// What one node among others that cost `total` in all counts for beyond its price.
int64_t node_costs_beside(int64_t price, double total, int64_t node_cost);
