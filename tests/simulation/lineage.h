// Counts successive evictions: a workload's next pod after an eviction is the successor of the
// evicted one and inherits its number of evictions.
#pragma once

#include "simulation/scenario.h"

#define LINEAGE_TIMES 4 // the last count includes all higher numbers

struct lineage;
struct lineage *lineage_create(void);
void lineage_destroy(struct lineage *lineage);
// Counts from now on, change by change, until it is destroyed; once.
void lineage_watch(struct lineage *lineage, struct scenario *scenario);
// The load has changed: all counts restart at 0.
void lineage_begin_anew(struct lineage *lineage);
// Evictions since then of pods with `times` evictions before.
uint32_t lineage_count(const struct lineage *lineage, uint32_t times);
