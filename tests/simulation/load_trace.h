// A trace of nodes and pods, in the words of `make bench-live` (LIVE_TRACE): nodes that are closed
// or open, pods that are nominated, tried in vain, bound, or told to leave.
#pragma once

#include <stdio.h>

#include "simulation/scenario.h"

struct load_trace;
// From now on; `out` is borrowed.
struct load_trace *load_trace_create(struct scenario *scenario, FILE *out);
void load_trace_destroy(struct load_trace *trace);
