// How kube-scheduler spreads a workload over nodes and zones by default (SCH-516): a preference
// with the weight of two scores, for pods that have no spread of their own.
#pragma once

#include "engine/pass/pass_state.h"

struct spread_counts; // of one workload, at one moment of a pass
// For the queued pod; NULL: it is not spread. In the pass's arena; valid until spread_counts_end(),
// which must follow before the next one.
struct spread_counts *spread_counts_begin(struct pass *pass, uint32_t pod);
void spread_counts_end(struct spread_counts *counts); // NULL is fine
// Sets the score of each of the nodes, from 0 to `most`.
void spread_counts_score(struct spread_counts *counts, const uint32_t *nodes, uint32_t count,
                         int64_t most, int64_t *scores);
