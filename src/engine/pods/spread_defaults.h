// The cluster's default topology spread constraints (SCH-170 to SCH-175; setting SCHEDULER_CONFIG).
#pragma once

#include "base/symbols.h"
#include "engine/problem/problem.h"

// Reads the setting. problem->topology.spread_defaults stays NULL if there are no default
// constraints.
void spread_defaults_read(struct problem *problem);
// Adds the labels that the deduced selectors read to `keys`.
void spread_defaults_read_selectors(struct problem *problem, struct symbols *keys);
// Gives the class the default constraints if it has no own ones.
void spread_defaults_apply(struct problem *problem, struct pod_class *class);
