// The order in which pods leave disrupted nodes (control/node/drain_order.h) and in which
// simulations place them again (engine/placement/simulation.h): the hardest to place first, a few
// at a time. Pods that leave together may come back in any order.
#pragma once

#include <stdint.h>

#define EVICTED_TOGETHER_MAX 16
#define EVICTED_IN_TURN      200                         // so many pods leave one by one
#define MEMORY_OF_A_MILLICPU ((INT64_C(4) << 30) / 1000) // bytes; the ratio of most machines

// Of so many pods, how many leave at a time: the order is kept as far as time allows.
static inline uint32_t evicted_together(uint32_t count)
{
    uint32_t together = 1 + count / EVICTED_IN_TURN;
    return together < EVICTED_TOGETHER_MAX ? together : EVICTED_TOGETHER_MAX;
}

// The pod's largest request, in bytes of memory: a pod with little cpu and much memory is as hard
// to place as the reverse. `cpu`: in millicores.
static inline int64_t eviction_size(int64_t cpu, int64_t memory)
{
    int64_t most = INT64_MAX / MEMORY_OF_A_MILLICPU;
    int64_t as_memory = cpu < most ? cpu * MEMORY_OF_A_MILLICPU : INT64_MAX;
    return as_memory > memory ? as_memory : memory;
}
