#include "engine/disruption/blocked_reasons.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "engine/disruption/blocked_causes.h"
#include "engine/disruption/blocked_checks.h"
#include "engine/disruption/budgets.h"
#include "engine/problem/instance_types.h"
#include "engine/problem/templates.h"

#define NAMES_SHOWN 3
#define RULES_MAX   100 // that verdicts name

// --- what the methods say ------------------------------------------------------------------------

void verdicts_begin(struct disruption *disruption)
{
    disruption->words = arena_allocate_array(
        disruption->arena, disruption->problem->nodes.count + 1, sizeof *disruption->words);
}

static uint32_t place_of(const struct disruption *disruption, const struct state_node *state)
{
    return (uint32_t)(state - disruption->problem->nodes.items);
}

void disruption_verdict(struct disruption *disruption, const struct disruption_candidate *candidate,
                        const char *rule, const char *message)
{
    struct verdict_word *word = &disruption->words[place_of(disruption, candidate->state)];
    bool of_drift = disruption->asked < 1U << METHOD_MULTI;
    if (word->of_drift && !of_drift)
        return;
    *word = (struct verdict_word){.rule = rule, .of_drift = of_drift};
    if (disruption->tells)
        word->message = arena_copy_string(disruption->plan->arena, message != NULL ? message : "");
}

void verdict_of_trial(struct disruption *disruption, const struct disruption_candidate *candidate,
                      const struct trial *trial)
{
    disruption_verdict(disruption, candidate, trial->no_pool ? "DIS-234" : "DIS-161",
                       disruption->tells ? trial_message(disruption, trial) : NULL);
}

// --- moves that are none -------------------------------------------------------------------------

void verdict_of_score(struct disruption *disruption, const struct disruption_candidate *candidate,
                      const char *rule, int64_t savings)
{
    const struct disruption_pool *pool = candidate->pool;
    const char *message = NULL;
    if (disruption->tells && (pool->balance_price <= 0 || pool->balance_cost <= 0)) {
        message = arena_format(disruption->arena,
                               "score 0 is below 0.50: what NodePool \"%s\" "
                               "costs is not known",
                               pool->pool->meta.name);
    } else if (disruption->tells) {
        double share = (double)savings / (double)pool->balance_price;
        double cost = candidate->cost / pool->balance_cost;
        message =
            arena_format(disruption->arena,
                         "score %.2f is below 0.50: saves %.1f %% of the $%.4f an hour of "
                         "NodePool \"%s\" for %.1f %% of its disruption",
                         share > 0 ? share / cost : 0.0, 100 * share,
                         price_to_double(pool->balance_price), pool->pool->meta.name, 100 * cost);
    }
    disruption_verdict(disruption, candidate, rule, message);
}

void verdict_note_prices(struct disruption *disruption, struct move *move)
{
    const struct type_table *table = move->claim->template->table;
    move->least = INT64_MAX;
    if (!disruption->tells)
        return;
    const int64_t *worst = type_table_worst_prices(disruption->problem,
                                                   move->claim->template->table, move->claim->set);
    bitset_for_each (r, move->claim->rows) {
        const struct instance_type *type = table->rows[r].type;
        bool before = move->least_type == NULL || strcmp(type->name, move->least_type->name) < 0;
        if (worst[r] > move->least || (worst[r] == move->least && !before))
            continue;
        move->least = worst[r];
        move->least_type = type;
    }
}

// "b and c"; the nodes that are quiet and would have taken the candidate's pods.
static uint32_t add_quiet_nodes(const struct disruption *disruption,
                                const struct disruption_candidate *candidate,
                                const struct trial *trial, struct text *names)
{
    const struct problem *problem = disruption->problem;
    struct bitset told = bitset_create(trial->arena, problem->nodes.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < trial->pass->input.queue_count; i++) {
        const struct placement *placement = &trial->pass->placements[i];
        if (pass_pod(trial->pass, i)->on != candidate->state || placement->kind != ON_NODE ||
            !bitset_has(disruption->quiet, placement->index) || bitset_has(told, placement->index))
            continue;
        bitset_set(told, placement->index);
        if (count++ < NAMES_SHOWN)
            text_join(names, ", ", problem->nodes.items[placement->index].name);
    }
    if (count > NAMES_SHOWN)
        text_format(names, " and %" PRIu32 " more", count - NAMES_SHOWN);
    return count;
}

// DIS-238: whether the pods would have gone to nodes that are to be left alone for a while.
static bool only_quiet_nodes_refuse(struct disruption *disruption,
                                    struct disruption_candidate *candidate)
{
    if (!disruption->tells || bitset_empty(disruption->quiet))
        return false;
    struct trial trial = trial_run(disruption, &candidate, 1, false);
    struct text names = {0};
    uint32_t count = 0;
    if (trial_possible(&trial) && trial.needed == 0)
        count = add_quiet_nodes(disruption, candidate, &trial, &names);
    if (count > 0)
        disruption_verdict(disruption, candidate, "DIS-238",
                           arena_format(disruption->arena,
                                        "its pods would fit on %s, which %s no running pods before "
                                        "consolidateAfter has passed without a pod event there",
                                        names.data, count == 1 ? "takes" : "take"));
    text_free(&names);
    trial_free(&trial);
    return count > 0;
}

static const char *with_prices(struct disruption *disruption,
                               const struct disruption_candidate *candidate,
                               const struct move *move)
{
    if (!disruption->tells || move->least_type == NULL ||
        (strcmp(move->rule, "DIS-168") != 0 && strcmp(move->rule, "DIS-169") != 0))
        return move->why;
    const char *type = string_map_get(candidate->state->labels, LABEL_INSTANCE_TYPE);
    if (candidate->price <= 0)
        return arena_format(disruption->arena, "%s: the price of its own %s is not known",
                            move->why, type);
    return arena_format(disruption->arena,
                        "%s: its own %s costs $%.4f an hour; the cheapest that its pods fit on, "
                        "%s, may cost $%.4f",
                        move->why, type, price_to_double(candidate->price), move->least_type->name,
                        price_to_double(move->least));
}

void verdict_of_move(struct disruption *disruption, struct disruption_candidate *candidate,
                     const struct move *move)
{
    if (only_quiet_nodes_refuse(disruption, candidate))
        return;
    if (move->kind != MOVE_NONE)
        verdict_of_score(disruption, candidate, "DIS-192", move->payback.saving);
    else
        disruption_verdict(disruption, candidate, move->rule,
                           with_prices(disruption, candidate, move));
}

// --- all nodes -----------------------------------------------------------------------------------

static void count_rule(struct plan *plan, const char *rule)
{
    list_for_each (count, &plan->verdict_counts)
        if (strcmp(count->rule, rule) == 0) {
            count->nodes++;
            return;
        }
    assert(plan->verdict_counts.count < RULES_MAX);
    plan->verdict_counts.items[plan->verdict_counts.count++] = (struct plan_verdict_count){rule, 1};
}

static void add(struct disruption *disruption, const struct node *node,
                const struct node_claim *claim, struct verdict_word word)
{
    struct plan *plan = disruption->plan;
    count_rule(plan, word.rule);
    if (disruption->tells)
        plan->verdicts.items[plan->verdicts.count++] =
            (struct plan_verdict){.name = node != NULL ? node->meta.name : claim->meta.name,
                                  .node = node,
                                  .claim = claim,
                                  .rule = word.rule,
                                  .message = word.message};
}

// NodeClaims that are no state nodes yet.
static void add_unlaunched(struct disruption *disruption, const struct causes *causes)
{
    const struct snapshot *snapshot = disruption->problem->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        const char *provider = claim->status.provider_id;
        if (provider == NULL || provider[0] == '\0')
            add(disruption, NULL, claim, cause_of_unlaunched(causes, claim));
    }
}

static int by_name(const void *a, const void *b)
{
    const struct plan_verdict *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->node == NULL) - (y->node == NULL);
}

static int by_rule(const void *a, const void *b)
{
    return strcmp(((const struct plan_verdict_count *)a)->rule,
                  ((const struct plan_verdict_count *)b)->rule);
}

// DIS-764: percentages are rounded up.
static void warn_of_rounding(const struct disruption *disruption,
                             const struct disruption_pool *pool)
{
    struct plan *plan = disruption->plan;
    uint32_t index = budgets_deciding(pool->pool, "Underutilized", pool->total,
                                      disruption->problem->snapshot->time);
    if (pool->total != 1 || index == UINT32_MAX)
        return;
    const char *nodes = pool->pool->spec.disruption.budgets.items[index].nodes;
    size_t length = nodes != NULL ? strlen(nodes) : 0;
    if (length == 0 || nodes[length - 1] != '%' || strcmp(nodes, "100%") == 0 ||
        strspn(nodes, "0%") == length)
        return;
    const char **warnings =
        arena_allocate_array(plan->arena, plan->warnings.count + 1, sizeof *warnings);
    if (plan->warnings.count > 0)
        memcpy(warnings, plan->warnings.items, plan->warnings.count * sizeof *warnings);
    warnings[plan->warnings.count++] = arena_format(plan->arena,
                                                    "NodePool %s has one node, and budgets[%" PRIu32
                                                    "] allows %s of it, which is rounded up: "
                                                    "the whole pool may be disrupted at once",
                                                    pool->pool->meta.name, index, nodes);
    plan->warnings.items = warnings;
}

void verdicts_finish(struct disruption *disruption, const char *only)
{
    struct plan *plan = disruption->plan;
    struct causes causes;
    if (disruption->table.pools.items == NULL)
        (void)disruption_candidates(disruption, "Drifted", true);
    causes_begin(&causes, disruption, only);
    size_t room = (size_t)disruption->problem->nodes.count +
                  disruption->problem->snapshot->objects[KIND_NODE_CLAIM].count + 1;
    plan->verdict_counts.items =
        arena_allocate_array(plan->arena, RULES_MAX, sizeof *plan->verdict_counts.items);
    if (disruption->tells)
        plan->verdicts.items =
            arena_allocate_array(plan->arena, room, sizeof *plan->verdicts.items);
    list_for_each (refusal, &disruption->table.refusals)
        if (!bitset_has(causes.commanded, place_of(disruption, refusal->state)))
            add(disruption, refusal->state->node, refusal->state->claim,
                cause_of_refusal(&causes, refusal));
    list_for_each (candidate, &disruption->table.candidates)
        if (!bitset_has(causes.commanded, place_of(disruption, candidate->state)))
            add(disruption, candidate->node, candidate->claim,
                cause_of_candidate(&causes, candidate));
    add_unlaunched(disruption, &causes);
    for (uint32_t i = 0; disruption->tells && i < disruption->table.pools.count; i++)
        warn_of_rounding(disruption, &disruption->table.pools.items[i]);
    if (plan->verdicts.count > 0)
        qsort(plan->verdicts.items, plan->verdicts.count, sizeof *plan->verdicts.items, by_name);
    qsort(plan->verdict_counts.items, plan->verdict_counts.count,
          sizeof *plan->verdict_counts.items, by_rule);
}
