#include "engine/disruption/blocked_candidates.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "engine/disruption/blocked_checks.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption/expiry.h"
#include "engine/disruption/nodepool_budgets.h"
#include "model/schema/condition_types.h"

#define NODES_SHOWN 3

// --- budgets -------------------------------------------------------------------------------------

// Names of the nodes that are charged to the pool's budgets (DIS-126).
static void add_disrupting(const struct blocked_finder *finder, const struct disruption_pool *pool,
                           struct text *text)
{
    const struct disruption *disruption = finder->disruption;
    const struct string_list *busy = disruption->inputs->busy;
    int64_t shown = 0;
    for (uint32_t i = 0; i < disruption->problem->nodes.count && shown < NODES_SHOWN; i++) {
        const struct state_node *state = &disruption->problem->nodes.items[i];
        bool counts =
            state->claim != NULL && state->node != NULL && state->initialized &&
            text_equal(state->node_pool, pool->pool->meta.name) &&
            !condition_is_true(&state->claim->status.conditions, CONDITION_INSTANCE_TERMINATING);
        if (!counts || (!state->marked_for_deletion &&
                        !(busy != NULL && string_list_has(busy, state->node->meta.name)) &&
                        condition_is_true(&state->node->status.conditions, CONDITION_READY)))
            continue;
        text_format(text, "%s%s", shown++ > 0 ? ", " : ": ", state->node->meta.name);
    }
    if (pool->disrupting > shown && shown > 0)
        text_format(text, " and %" PRId64 " more", pool->disrupting - shown);
}

static void describe_limit(const struct blocked_finder *finder, const struct disruption_pool *pool,
                           uint32_t index, int64_t allowed, struct text *text)
{
    const struct node_pool_budget *budget = &pool->pool->spec.disruption.budgets.items[index];
    struct budget_window window;
    text_format(text, "NodePool \"%s\" budgets[%" PRIu32 "] (", pool->pool->meta.name, index);
    budget_describe(budget, text);
    text_format(text, ") allows %" PRId64 " of %" PRId64 " nodes", allowed, pool->total);
    if (budget_next_window(budget, finder->disruption->problem->snapshot->time, &window) &&
        window.end != INT64_MAX) {
        char end[INSTANT_TEXT_MAX];
        instant_format(window.end, end);
        text_format(text, " until %s", end);
    }
    if (pool->disrupting == 0)
        return;
    text_format(text, "; %" PRId64 " %s being disrupted or not ready", pool->disrupting,
                pool->disrupting == 1 ? "is" : "are");
    add_disrupting(finder, pool, text);
}

static struct pool_budget *budget_of(const struct blocked_finder *finder,
                                     const struct disruption_pool *pool,
                                     enum disruption_reason reason)
{
    assert(reason < BUDGET_REASONS_COUNT);
    const struct disruption *disruption = finder->disruption;
    size_t index = (size_t)(pool - disruption->table.pools.items);
    assert(index < disruption->table.pools.count);
    struct pool_budget *budget = &finder->budgets[index * BUDGET_REASONS_COUNT + (size_t)reason];
    int64_t now = disruption->problem->snapshot->time, allowed;
    struct error error = {0};
    if (budget->known)
        return budget;
    budget->known = true;
    bool readable =
        nodepool_budgets_allowed(pool->pool, reason, pool->total, now, &allowed, &error);
    budget->remaining = allowed > pool->disrupting ? allowed - pool->disrupting : 0;
    budget->rule = !readable ? "DIS-121" : allowed == 0 ? "DIS-120" : "DIS-127";
    if (budget->remaining > 0 || !disruption->explains)
        return budget;
    uint32_t decides = nodepool_budgets_deciding(pool->pool, reason, pool->total, now);
    struct text text = {0};
    text_format(&text, "no disruption budget for %s is left: ", disruption_reason_name(reason));
    if (!readable)
        text_format(&text,
                    "NodePool \"%s\" budgets[%" PRIu32 "] cannot be read, which forbids every "
                    "disruption: %s",
                    pool->pool->meta.name, decides, error.message);
    else if (decides != UINT32_MAX)
        describe_limit(finder, pool, decides, allowed, &text);
    budget->message = arena_copy_string(disruption->plan->arena, text.data);
    text_free(&text);
    return budget;
}

// The budgets are used up, or other nodes took the rest; no rule: something is left.
static struct blocked_reason limit(const struct blocked_finder *finder,
                                   const struct disruption_candidate *candidate,
                                   enum disruption_reason reason)
{
    const struct disruption_pool *pool = candidate->pool;
    const struct pool_budget *budget = budget_of(finder, pool, reason);
    if (budget->remaining == 0)
        return (struct blocked_reason){.rule = budget->rule, .message = budget->message};
    uint32_t taken = finder->taken[pool - finder->disruption->table.pools.items];
    if (taken < budget->remaining)
        return (struct blocked_reason){0};
    return blocked_reason_make(finder, "DIS-132",
                               "the disruption budget of NodePool \"%s\" leaves %" PRId64
                               " for %s now, which other nodes come for first",
                               pool->pool->meta.name, budget->remaining,
                               disruption_reason_name(reason));
}

// --- earlier methods and nodes -------------------------------------------------------------------

// DIS-11: methods after the first that adds a command do not run.
static struct blocked_reason others_first(const struct blocked_finder *finder,
                                          enum disruption_method method)
{
    assert(method > METHOD_ANY);
    assert(method < METHODS_COUNT);
    const struct plan *plan = finder->disruption->plan;
    if (plan->disruptions.count == 0 && method == METHOD_MULTI)
        return blocked_reason_make(
            finder, "DIS-201", "no set of nodes with this one in it can go for less than it costs");
    if (plan->disruptions.count == 0)
        return blocked_reason_make(finder, "DIS-746",
                                   "its move pays by itself, but not beside the others");
    const struct plan_disruption *first = &plan->disruptions.items[0];
    bool consolidated = first->consolidation != CONSOLIDATION_NONE;
    bool earlier = finder->disruption->method < method;
    return blocked_reason_make(finder, "DIS-11", "%s: %s%s%s%s has %" PRIu32 " command%s",
                               earlier ? "an earlier method comes first" : "other nodes come first",
                               disruption_reason_name(first->reason), consolidated ? " (" : "",
                               consolidated ? consolidation_type_name(first->consolidation) : "",
                               consolidated ? ")" : "", plan->disruptions.count,
                               plan->disruptions.count == 1 ? "" : "s");
}

// --- Consolidatable (DIS-83 to DIS-86) -----------------------------------------------------------

static struct blocked_reason waiting(const struct blocked_finder *finder,
                                     const struct disruption_candidate *candidate)
{
    const struct node_claim *claim = candidate->claim;
    const struct duration *after = &candidate->pool->pool->spec.disruption.consolidate_after;
    const struct condition *initialized =
        condition_find(&claim->status.conditions, CONDITION_INITIALIZED);
    if (initialized == NULL || !text_equal(initialized->status, "True"))
        return blocked_reason_make(finder, "DIS-84", "its NodeClaim is not initialized");
    bool by_pod = claim->status.last_pod_event_time != 0;
    int64_t since = by_pod ? claim->status.last_pod_event_time : initialized->last_transition_time;
    int64_t now = finder->disruption->problem->snapshot->time;
    int64_t passed = ns_subtract(now, since);
    if (passed >= after->nanoseconds)
        return blocked_reason_make(
            finder, "DIS-86",
            "consolidateAfter %s has passed, but the NodeClaim's condition Consolidatable "
            "is not there yet",
            after->text);
    if (!finder->disruption->explains)
        return (struct blocked_reason){.rule = "DIS-85"};
    char left[DURATION_TEXT_MAX], until[INSTANT_TEXT_MAX], from[INSTANT_TEXT_MAX];
    int64_t left_ns = ns_subtract(after->nanoseconds, passed),
            whole_ns = ns_truncate(left_ns, SECOND);
    duration_format(whole_ns < left_ns ? ns_add(whole_ns, SECOND) : whole_ns, left);
    instant_format(ns_add(since, after->nanoseconds), until);
    instant_format(since, from);
    return blocked_reason_make(
        finder, "DIS-85", "consolidateAfter %s counts from %s at %s: %s left, until %s",
        after->text, by_pod ? "the last pod event" : "initialization", from, left, until);
}

static bool is_consolidatable(const struct disruption_candidate *candidate)
{
    return condition_is_true(&candidate->claim->status.conditions, CONDITION_CONSOLIDATABLE);
}

// --- by method -----------------------------------------------------------------------------------

static bool is_only(const struct blocked_finder *finder, enum disruption_method method)
{
    return finder->methods == METHOD_BIT(method);
}

static bool is_asked(const struct blocked_finder *finder, enum disruption_method method)
{
    return (finder->methods & METHOD_BIT(method)) != 0;
}

static struct blocked_reason noted(const struct blocked_finder *finder,
                                   const struct disruption_candidate *candidate)
{
    assert(candidate->state >= finder->disruption->problem->nodes.items);
    const struct disruption *disruption = finder->disruption;
    return disruption->blocked_reasons[candidate->state - disruption->problem->nodes.items];
}

static struct blocked_reason stays_drifted(const struct blocked_finder *finder,
                                           const struct disruption_candidate *candidate)
{
    bool is_static = candidate->pool->pool->spec.replicas.present;
    enum disruption_method method = is_static ? METHOD_STATIC_DRIFT : METHOD_DRIFT;
    struct blocked_reason blocked = noted(finder, candidate);
    if (blocked.rule == NULL || !blocked.of_drift)
        blocked = limit(finder, candidate, DISRUPTION_DRIFTED);
    return blocked.rule != NULL ? blocked : others_first(finder, method);
}

// DIS-762, if drift and expiry alone ran.
static struct blocked_reason stays_unexpired(const struct blocked_finder *finder,
                                             const struct disruption_candidate *candidate)
{
    int64_t deadline = expiry_deadline(candidate->claim);
    if (candidate->pool->pool->spec.replicas.present)
        return blocked_reason_make(finder, "DIS-762",
                                   "nodes of static NodePools are not replaced before they "
                                   "expire");
    if (candidate->blocked != NULL)
        return blocked_reason_of_pods(finder, candidate->state, candidate->blocked_by,
                                      candidate->blocked);
    if (deadline == INT64_MAX)
        return blocked_reason_make(finder, "DIS-762", "the node never expires");
    struct blocked_reason blocked = {0};
    if (expiry_is_near(candidate->claim, finder->disruption->problem->snapshot->time))
        blocked = limit(finder, candidate, DISRUPTION_DRIFTED);
    if (blocked.rule != NULL)
        return blocked;
    char at[INSTANT_TEXT_MAX];
    instant_format(deadline, at);
    return blocked_reason_make(finder, "DIS-762", "the node expires at %s and need not go yet", at);
}

static struct blocked_reason stays_empty(const struct blocked_finder *finder,
                                         const struct disruption_candidate *candidate)
{
    const struct disruption *disruption = finder->disruption;
    const char *name = candidate->node->meta.name;
    if (candidate->buffered || string_list_has(&disruption->problem->snapshot->buffer_nodes, name))
        return blocked_reason_make(finder, "LIF-245",
                                   "the node is kept for CapacityBuffers: placeholder pods "
                                   "are planned on it");
    if (!is_consolidatable(candidate))
        return waiting(finder, candidate);
    if (is_only(finder, METHOD_MULTI) || is_only(finder, METHOD_SINGLE))
        return blocked_reason_make(finder, "DIS-151",
                                   "the node is empty, which is left to emptiness");
    struct blocked_reason blocked = limit(finder, candidate, DISRUPTION_EMPTY);
    if (blocked.rule != NULL)
        return blocked;
    if (!is_asked(finder, METHOD_EMPTINESS))
        return blocked_reason_make(finder, "DIS-142",
                                   "the node is empty and goes by emptiness, which is asked "
                                   "by itself");
    return others_first(finder, METHOD_EMPTINESS);
}

// Consolidation needs the labels that determine the node's price.
static bool has_price_labels(const struct disruption_candidate *candidate)
{
    return candidate->type != NULL &&
           string_map_get(candidate->state->labels, LABEL_CAPACITY_TYPE) != NULL &&
           string_map_get(candidate->state->labels, LABEL_ZONE) != NULL;
}

// DIS-150.
static struct blocked_reason stays_used(const struct blocked_finder *finder,
                                        const struct disruption_candidate *candidate)
{
    const char *message, *policy = candidate->pool->pool->spec.disruption.consolidation_policy;
    bool when_empty = has_price_labels(candidate) && text_equal(policy, "WhenEmpty");
    if (!consolidation_is_eligible(finder->disruption->arena, candidate, &message) &&
        message != NULL)
        return blocked_reason_make(finder, when_empty ? "DIS-97" : "DIS-150", "%s", message);
    if (!is_consolidatable(candidate))
        return waiting(finder, candidate);
    struct blocked_reason blocked = noted(finder, candidate);
    if (blocked.rule == NULL)
        blocked = limit(finder, candidate, DISRUPTION_UNDERUTILIZED);
    return blocked.rule != NULL
               ? blocked
               : others_first(finder, is_only(finder, METHOD_MULTI) ? METHOD_MULTI : METHOD_SINGLE);
}

struct blocked_reason blocked_reason_of_candidate(const struct blocked_finder *finder,
                                                  const struct disruption_candidate *candidate)
{
    bool is_static = candidate->pool->pool->spec.replicas.present;
    bool drifted = candidate_is_drifted(candidate);
    enum disruption_method own = is_static ? METHOD_STATIC_DRIFT : METHOD_DRIFT;
    if (drifted && is_asked(finder, own))
        return stays_drifted(finder, candidate);
    if (noted(finder, candidate).of_drift) // it is about to expire (DIS-762)
        return noted(finder, candidate);
    if (is_only(finder, METHOD_EXPIRY))
        return stays_unexpired(finder, candidate);
    if (is_static)
        return blocked_reason_make(
            finder, "DIS-220",
            "NodePool \"%s\" is static: its nodes go only when they have drifted%s",
            candidate->pool->pool->meta.name, drifted ? ", by static-drift" : "");
    if (is_only(finder, METHOD_DRIFT) || is_only(finder, METHOD_STATIC_DRIFT))
        return drifted ? blocked_reason_make(
                             finder, "DIS-220",
                             "NodePool \"%s\" is not static: its drifted nodes go by drift",
                             candidate->pool->pool->meta.name)
                       : blocked_reason_make(finder, "DIS-222", "the node has not drifted");
    if (candidate->blocked != NULL)
        return blocked_reason_of_pods(finder, candidate->state, candidate->blocked_by,
                                      candidate->blocked);
    if (consolidation_is_disabled(candidate->pool->pool))
        return blocked_reason_make(
            finder, "DIS-98", "NodePool \"%s\" has consolidateAfter: Never%s",
            candidate->pool->pool->meta.name, drifted ? "" : ", and it has not drifted");
    const char *policy = candidate->pool->pool->spec.disruption.consolidation_policy;
    bool consolidated = candidate->holds_placeholders && !text_equal(policy, "WhenEmpty") &&
                        !is_only(finder, METHOD_EMPTINESS); // DIS-753
    if (candidate->empty && !consolidated)
        return stays_empty(finder, candidate);
    if (is_only(finder, METHOD_EMPTINESS))
        return blocked_reason_make(
            finder, "DIS-144", "the node is not empty: %" PRIu32 " of its pods would have to move",
            candidate->reschedulable);
    return stays_used(finder, candidate);
}
