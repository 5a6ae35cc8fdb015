// Drifted nodes of dynamic pools (DIS-222 to DIS-227).
#include <stdlib.h>
#include <string.h>

#include "engine/finish.h"
#include "engine/trial.h"

static int64_t drifted_since(const struct disruption_candidate *candidate)
{
    return condition_find(&candidate->claim->status.conditions, "Drifted")->last_transition_time;
}

// Those without pods that would have to move, then the longest drifted.
static int compare_drift(const void *a, const void *b)
{
    const struct disruption_candidate *x = *(struct disruption_candidate *const *)a;
    const struct disruption_candidate *y = *(struct disruption_candidate *const *)b;
    if ((x->reschedulable == 0) != (y->reschedulable == 0))
        return x->reschedulable == 0 ? -1 : 1;
    if (drifted_since(x) != drifted_since(y))
        return drifted_since(x) < drifted_since(y) ? -1 : 1;
    return strcmp(x->node->meta.name, y->node->meta.name);
}

static candidate_list find_drifted(struct disruption *disruption,
                                   const struct candidate_table *table)
{
    candidate_list list = candidate_list_create(disruption, table);
    list_for_each (candidate, &table->candidates)
        if (!candidate->pool->pool->spec.replicas.present &&
            condition_is_true(&candidate->claim->status.conditions, "Drifted"))
            list.items[list.count++] = candidate;
    qsort(list.items, list.count, sizeof *list.items, compare_drift);
    return list;
}

static void add_command(struct disruption *disruption, const struct trial *trial,
                        struct disruption_candidate *const *candidates, uint32_t count)
{
    struct plan *plan = disruption->plan;
    struct plan_disruption *command =
        disruption_command(disruption, "Drifted", NULL, candidates, count);
    command->replacements.items = arena_allocate_array(plan->arena, trial->claims_count + 1,
                                                       sizeof *command->replacements.items);
    for (uint32_t i = 0; i < trial->claims_count; i++) {
        struct plan_claim *out = &command->replacements.items[command->replacements.count++];
        finish_replacement(trial->pass, trial->claims[i], trial->claims[i]->set, plan, out);
        command->savings -= out->price;
    }
}

void drift_decide(struct disruption *disruption)
{
    struct candidate_table table = disruption_candidates(disruption, "Drifted", true);
    candidate_list list = find_drifted(disruption, &table);
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i]->pool->remaining == 0)
            continue;
        struct trial trial = trial_run(disruption, &list.items[i], 1, false);
        bool possible = trial_possible(&trial);
        if (possible)
            add_command(disruption, &trial, &list.items[i], 1);
        else
            disruption_note(disruption, "DisruptionBlocked", list.items[i],
                            trial_message(disruption, &trial));
        bool failed = trial.no_pool; // DIS-227
        trial_free(&trial);
        if (possible || failed)
            return;
    }
}
