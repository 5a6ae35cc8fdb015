// adze plan --rebalance: what the whole cluster could cost, and the moves that lead there.
#pragma once

#include "cli/input/input.h"

// Reads, plans and prints; returns the exit status.
int plan_rebalance(struct input_options *input, int64_t lines);
