// adze plan --diff: what an edit of manifests would do to a cluster.
#pragma once

#include "cli/input/edits.h"

#define FORECAST_ROUNDS_MAX 100
#define LINES_SHOWN         20
#define LINES_MAX           1000000

// Reads, forecasts and prints; returns the exit status.
int plan_diff(struct input_options *input, const struct edit_options *edits, int64_t lines);
