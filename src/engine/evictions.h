// What one command may ask of PodDisruptionBudgets (DIS-760): all its evictions together, where
// upstream looks at each pod by itself and then drains for hours.
#pragma once

#include "engine/candidates.h"

struct evictions {
    const struct snapshot *snapshot;
    int64_t *asked; // by index of the PodDisruptionBudget
};
struct evictions evictions_create(struct arena *arena, const struct snapshot *snapshot);
// Adds the candidate's pods, unless a budget that others were counted on already cannot bear them:
// then nothing is added. The first on a budget always goes, however many pods it has.
bool evictions_take(struct evictions *evictions, const struct disruption_candidate *candidate);
// Takes the candidate's pods out again.
void evictions_give_back(struct evictions *evictions,
                         const struct disruption_candidate *candidate);
