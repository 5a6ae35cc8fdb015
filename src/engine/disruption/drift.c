#include "engine/disruption/drift.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption/evictions.h"
#include "engine/disruption/remove_nodes.h"
#include "model/schema/condition_types.h"

static int64_t drifted_since(const struct disruption_candidate *candidate)
{
    return condition_find(&candidate->claim->status.conditions, CONDITION_DRIFTED)
        ->last_transition_time;
}

int compare_drift_times(const void *a, const void *b)
{
    const struct disruption_candidate *x = *(struct disruption_candidate *const *)a;
    const struct disruption_candidate *y = *(struct disruption_candidate *const *)b;
    if (drifted_since(x) != drifted_since(y))
        return drifted_since(x) < drifted_since(y) ? -1 : 1;
    return strcmp(x->node->meta.name, y->node->meta.name);
}

// Nodes without reschedulable pods first, then the longest drifted.
static int compare_drift(const void *a, const void *b)
{
    const struct disruption_candidate *x = *(struct disruption_candidate *const *)a;
    const struct disruption_candidate *y = *(struct disruption_candidate *const *)b;
    if ((x->reschedulable == 0) != (y->reschedulable == 0))
        return x->reschedulable == 0 ? -1 : 1;
    return compare_drift_times(a, b);
}

candidate_list drift_candidates(struct disruption *disruption, const struct candidate_table *table)
{
    candidate_list list = candidate_list_create(disruption, table);
    list_for_each (candidate, &table->candidates)
        if (!candidate->pool->pool->spec.replicas.present && candidate_is_drifted(candidate) &&
            !disruption_is_paused(disruption, candidate, true))
            list.items[list.count++] = candidate;
    qsort(list.items, list.count, sizeof *list.items, compare_drift);
    disruption_turn(disruption, METHOD_DRIFT, DISRUPTION_DRIFTED, list.count);
    return list;
}

void drift_decide(struct disruption *disruption)
{
    struct candidate_table table = disruption_candidates(disruption, DISRUPTION_DRIFTED, true);
    candidate_list list = drift_candidates(disruption, &table);
    evictions_order(disruption, &list, true);
    remove_nodes(disruption, &(struct node_removal){.reason = DISRUPTION_DRIFTED, .eventual = true},
                 &table, &list);
}
