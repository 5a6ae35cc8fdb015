// adze plan --roll FROM=TO: the order in which nodes give way to those of another NodePool.
#pragma once

#include "cli/input/input.h"

// `request`: "FROM=TO". Reads, plans and prints; returns the exit status.
int plan_roll(struct input_options *input, const char *request, int64_t lines);
