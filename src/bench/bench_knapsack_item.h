// Items of a knapsack with several sizes (cpu, memory, pods).
#pragma once

#include <stdint.h>

#define KNAPSACK_SIZES 3

struct knapsack_item {
    int64_t size[KNAPSACK_SIZES]; // not negative
    uint32_t most;
    double value; // not negative
};
