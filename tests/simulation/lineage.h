// How often pods are evicted one after the other: a workload's next pod after an eviction counts as
// the successor of the evicted one, and inherits how often its line was evicted before.
#pragma once

#include "simulation/scenario.h"

#define LINEAGE_TIMES 4 // the last count is of those evicted that often or more

struct lineage;
struct lineage *lineage_create(void);
void lineage_destroy(struct lineage *lineage);
// Looks at all pods. To be called so often that no pod comes and goes in between.
void lineage_look(struct lineage *lineage, struct scenario *scenario);
// The load has changed: all lines begin anew.
void lineage_begin_anew(struct lineage *lineage);
// Evictions since then of pods whose line was evicted `times` times before.
uint32_t lineage_count(const struct lineage *lineage, uint32_t times);
