#include "engine/disruption/blocked_reasons.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "engine/disruption/blocked_candidates.h"
#include "engine/disruption/blocked_checks.h"
#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/nodepool_budgets.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/templates.h"

#define RULES_MAX 100 // that blocked reasons name

static uint32_t place_of(const struct disruption *disruption, const struct state_node *state)
{
    return (uint32_t)(state - disruption->problem->nodes.items);
}

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
                const struct node_claim *claim, struct blocked_reason blocked)
{
    assert(blocked.rule != NULL);
    assert(node != NULL || claim != NULL);
    struct plan *plan = disruption->plan;
    count_rule(plan, blocked.rule);
    if (disruption->explains)
        plan->verdicts.items[plan->verdicts.count++] =
            (struct plan_verdict){.name = node != NULL ? node->meta.name : claim->meta.name,
                                  .node = node,
                                  .claim = claim,
                                  .rule = blocked.rule,
                                  .message = blocked.message};
}

// Adds NodeClaims that are not state nodes yet.
static void add_unlaunched(struct disruption *disruption, const struct blocked_finder *finder)
{
    const struct snapshot *snapshot = disruption->problem->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        const char *provider = claim->status.provider_id;
        if (provider == NULL || provider[0] == '\0')
            add(disruption, NULL, claim, blocked_reason_of_unlaunched(finder, claim));
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
    uint32_t index = nodepool_budgets_deciding(pool->pool, DISRUPTION_UNDERUTILIZED, pool->total,
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

void blocked_reasons_finish(struct disruption *disruption, uint32_t methods)
{
    struct plan *plan = disruption->plan;
    struct blocked_finder finder;
    if (disruption->table.pools.items == NULL)
        (void)disruption_candidates(disruption, DISRUPTION_DRIFTED, true);
    blocked_finder_begin(&finder, disruption, methods);
    size_t room = (size_t)disruption->problem->nodes.count +
                  disruption->problem->snapshot->objects[KIND_NODE_CLAIM].count + 1;
    plan->verdict_counts.items =
        arena_allocate_array(plan->arena, RULES_MAX, sizeof *plan->verdict_counts.items);
    if (disruption->explains)
        plan->verdicts.items =
            arena_allocate_array(plan->arena, room, sizeof *plan->verdicts.items);
    list_for_each (refusal, &disruption->table.refusals)
        if (!bitset_has(finder.commanded, place_of(disruption, refusal->state)))
            add(disruption, refusal->state->node, refusal->state->claim,
                blocked_reason_of_refusal(&finder, refusal));
    list_for_each (candidate, &disruption->table.candidates)
        if (!bitset_has(finder.commanded, place_of(disruption, candidate->state)))
            add(disruption, candidate->node, candidate->claim,
                blocked_reason_of_candidate(&finder, candidate));
    add_unlaunched(disruption, &finder);
    for (uint32_t i = 0; disruption->explains && i < disruption->table.pools.count; i++)
        warn_of_rounding(disruption, &disruption->table.pools.items[i]);
    assert(plan->verdicts.count < room);
    if (plan->verdicts.count > 0)
        qsort(plan->verdicts.items, plan->verdicts.count, sizeof *plan->verdicts.items, by_name);
    qsort(plan->verdict_counts.items, plan->verdict_counts.count,
          sizeof *plan->verdict_counts.items, by_rule);
}
