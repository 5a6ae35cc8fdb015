// The cluster's default topology spread constraints (SCH-170 to SCH-175; setting SCHEDULER_CONFIG).
#pragma once

#include "base/symbols.h"
#include "engine/problem/problem.h"

// Reads the setting; problem->topology.spread_defaults stays NULL if it has no default constraints.
void spread_defaults_read(struct problem *problem);
// The labels that the deduced selectors read.
void spread_defaults_read_selectors(struct problem *problem, struct symbols *keys);
// Gives the class its default constraints, if it has none of its own.
void spread_defaults_apply(struct problem *problem, struct pod_class *class);
