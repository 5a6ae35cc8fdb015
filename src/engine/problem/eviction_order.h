// In which order pods leave nodes that disruption takes (control/node/drain_order.h), and decisions
// reckon that they come back (engine/placement/simulation.h): the hardest to place first, a few at
// a time, which may come back in any order.
#pragma once

#include <stdint.h>

#define EVICTED_TOGETHER     16
#define MEMORY_OF_A_MILLICPU ((INT64_C(4) << 30) / 1000) // bytes; what most machines have

// What the pod asks for most, in bytes of memory: one with little cpu and much memory is as hard to
// place as the other way round. `cpu`: in millicores.
static inline int64_t eviction_size(int64_t cpu, int64_t memory)
{
    int64_t most = INT64_MAX / MEMORY_OF_A_MILLICPU;
    int64_t as_memory = cpu < most ? cpu * MEMORY_OF_A_MILLICPU : INT64_MAX;
    return as_memory > memory ? as_memory : memory;
}
