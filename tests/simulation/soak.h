// Seeded random worlds: pools, workloads and budgets drawn from a seed, then a list of actions
// (users who scale, roll out, delete and edit; machines that fail; stock-outs; API faults; a
// controller that is killed; clocks that jump). Then all faults stop, and the world must settle.
// The invariants are checked at every step.
//
// The options determine everything. Each action has its own random numbers, so that leaving one out
// (to shrink a failing run) does not change the others.
#pragma once

#include "simulation/invariants.h"

#define SOAK_ACTIONS_MAX 128

enum soak_without { // kinds of faults to leave out
    SOAK_WITHOUT_API = 1 << 0,
    SOAK_WITHOUT_CLOUD = 1 << 1,
    SOAK_WITHOUT_MACHINE = 1 << 2,
    SOAK_WITHOUT_WATCH = 1 << 3,
};

struct soak_options {
    uint64_t seed;
    uint32_t size;        // 1: worlds of up to 10 nodes; each step up adds as much; 0: tiny ones
    uint32_t without;     // enum soak_without
    const bool *left_out; // of SOAK_ACTIONS_MAX actions; NULL: none
    bool rests;           // a day passes before the world is emptied
    bool verbose;         // actions to standard output, the controller's log to standard error
};

struct soak_result {
    bool failed;
    char why[1500];
    uint32_t actions;    // of the world's list
    uint32_t nodes_most; // largest number of machines at once
    double simulated_hours, settled_after_seconds;
    struct invariants_counts checked;
};

// The size of the world that `make soak` uses for a seed: of a thousand, about 980 have up to 50
// nodes, 19 up to 200, and one 2,000.
uint32_t soak_size_of(uint64_t seed);
void soak_run(const struct soak_options *options, struct soak_result *result);
