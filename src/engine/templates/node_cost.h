// The cost of a node beside its machine (SCH-507): root volume, kubelet and daemons, addresses,
// licences. NODE_COST sets it. The default fits EC2's prices and follows the catalogs in powers of
// ten, so that it does not drown much lower prices.
//
// The weight of a set of new nodes, for comparing two sets, has three parts: the machines' prices;
// NODE_COST for each node; and, where there is a NODE_COST, which favors few large nodes, the
// concentration: the loss if one node fails. Nano-USD an hour throughout.
#pragma once

#include <stdint.h>

struct problem;
struct snapshot;

// Of one node. An explicit setting is used as it is.
int64_t node_cost_of(const struct snapshot *snapshot);

struct node_costs { // of a set of nodes
    int64_t price;
    uint32_t nodes;
    __int128 squares; // of prices
};
void node_costs_add(struct node_costs *costs, int64_t price);
// Prices and node costs; a plan's lower bound bounds this sum.
int64_t node_costs_sum(const struct node_costs *costs, int64_t node_cost);
// The cost of concentration: a tenth of the price if one node has everything, a hundredth if ten
// equal nodes share it. 0 without a node cost: only prices count then.
int64_t node_costs_concentration(const struct node_costs *costs, int64_t node_cost);
// The whole weight: prices, node costs and concentration.
int64_t node_costs_count(const struct node_costs *costs, int64_t node_cost);
// The weight of one node beyond its price, among nodes that cost `total` together.
int64_t node_costs_beside(int64_t price, double total, int64_t node_cost);
