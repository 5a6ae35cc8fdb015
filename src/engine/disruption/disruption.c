#include "engine/disruption/disruption.h"

#include <assert.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/compile/compile.h"
#include "engine/disruption/quiet_nodes.h"
#include "engine/disruption/spot_window.h"
#include "engine/disruption/workload_table.h"

const struct state_node *disruption_node_of(const struct disruption *disruption,
                                            const struct queued_pod *queued)
{
    if (!queued->placeholder || disruption->baseline == NULL)
        return queued->on;
    assert(queued->origin < disruption->problem->pods.queued_count);
    return disruption->baseline->placeholder_nodes[queued->origin];
}

candidate_list candidate_list_create(struct disruption *disruption,
                                     const struct candidate_table *table)
{
    candidate_list list = {0};
    list.items =
        arena_allocate_array(disruption->arena, table->candidates.count + 1, sizeof *list.items);
    return list;
}

int64_t candidates_price(struct disruption_candidate *const *candidates, uint32_t count)
{
    int64_t price = 0;
    for (uint32_t i = 0; i < count; i++)
        price = quantity_add(price, candidates[i]->price);
    return price;
}

int64_t candidates_cost(const struct disruption *disruption,
                        struct disruption_candidate *const *candidates, uint32_t count)
{
    return quantity_add(candidates_price(candidates, count),
                        quantity_multiply(disruption->problem->catalog.node_cost, count));
}

struct plan_disruption *disruption_command(struct disruption *disruption,
                                           enum disruption_reason reason,
                                           enum consolidation_type consolidation,
                                           struct disruption_candidate *const *candidates,
                                           uint32_t count)
{
    struct plan *plan = disruption->plan;
    assert(count > 0 && reason < DISRUPTION_REASONS_COUNT);
    assert((reason == DISRUPTION_EMPTY) == (consolidation == CONSOLIDATION_EMPTY));
    if (plan->disruptions.count == disruption->commands_capacity) {
        disruption->commands_capacity = 2 * disruption->commands_capacity + 4;
        struct plan_disruption *larger =
            arena_allocate_array(plan->arena, disruption->commands_capacity, sizeof *larger);
        if (plan->disruptions.count > 0)
            memcpy(larger, plan->disruptions.items, plan->disruptions.count * sizeof *larger);
        plan->disruptions.items = larger;
    }
    struct plan_disruption *command = &plan->disruptions.items[plan->disruptions.count++];
    *command = (struct plan_disruption){.reason = reason,
                                        .consolidation = consolidation,
                                        .savings = candidates_price(candidates, count)};
    command->candidates.items =
        arena_allocate_array(plan->arena, count + 1, sizeof *command->candidates.items);
    for (uint32_t i = 0; i < count; i++)
        command->candidates.items[command->candidates.count++] = candidates[i]->node->meta.name;
    assert(command->replacements.count == 0);
    return command;
}

void disruption_note(struct disruption *disruption, enum event_reason event,
                     const struct disruption_candidate *candidate, const char *message)
{
    if (message != NULL)
        problem_event(disruption->problem, event, (const struct object *)candidate->node, message);
}

void disruption_note_blocked(struct disruption *disruption,
                             const struct disruption_candidate *candidate, const char *rule,
                             const char *message)
{
    assert(candidate->state >= disruption->problem->nodes.items);
    assert(candidate->state < disruption->problem->nodes.items + disruption->problem->nodes.count);
    struct blocked_reason *blocked =
        &disruption->blocked_reasons[candidate->state - disruption->problem->nodes.items];
    assert(rule != NULL);
    bool of_drift = disruption->method < METHOD_MULTI;
    if (blocked->of_drift && !of_drift)
        return;
    *blocked = (struct blocked_reason){.rule = rule, .of_drift = of_drift};
    if (disruption->explains)
        blocked->message =
            arena_copy_string(disruption->plan->arena, message != NULL ? message : "");
}

static bool names(const struct string_list *list, const char *name)
{
    return list != NULL && string_list_has(list, name);
}

bool disruption_is_paused(struct disruption *disruption,
                          const struct disruption_candidate *candidate, bool drift)
{
    const struct disruption_inputs *inputs = disruption->inputs;
    const char *node = candidate->node->meta.name, *rule = "DIS-714", *why = NULL;
    if (drift && names(inputs->paused_pools, candidate->pool->pool->meta.name)) {
        rule = "DIS-716";
        why = "drift pauses: the NodePool's nodes have just drifted, or replacements failed";
    } else if (drift && names(inputs->refused_nodes, node)) {
        why = "drift is backing off: the node's pods would have gone elsewhere than planned";
    } else if (!drift && names(inputs->paused_nodes, node)) {
        why = "consolidation is backing off: it failed for this node";
    } else if (!drift && names(inputs->moved_nodes, node)) {
        rule = "DIS-794";
        why = "consolidation has launched the node, or evicted its pods twice, within the last "
              "day, and the "
              "load has not changed since";
    }
    if (why != NULL)
        disruption_note_blocked(disruption, candidate, rule, why);
    return why != NULL;
}

bool disruption_is_going(const struct disruption *disruption, const struct state_node *state)
{
    assert(state >= disruption->problem->nodes.items);
    assert(state < disruption->problem->nodes.items + disruption->problem->nodes.count);
    return bitset_has(disruption->going, (uint32_t)(state - disruption->problem->nodes.items));
}

static void find_going_nodes(struct disruption *disruption)
{
    const struct state_nodes *nodes = &disruption->problem->nodes;
    const struct string_list *busy = disruption->inputs->busy;
    disruption->going = bitset_create(disruption->arena, nodes->count);
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->items[i].marked_for_deletion)
            bitset_set(disruption->going, i);
    for (uint32_t i = 0; busy != NULL && i < busy->count; i++) {
        const struct state_node *state = map_get(nodes->by_node_name, busy->items[i]);
        if (state != NULL)
            bitset_set(disruption->going, (uint32_t)(state - nodes->items));
    }
}

static struct disruption start(const struct snapshot *snapshot,
                               const struct disruption_inputs *inputs, struct plan *plan,
                               struct arena *arena)
{
    static const struct disruption_inputs nothing = {0};
    return (struct disruption){.snapshot = snapshot,
                               .inputs = inputs != NULL ? inputs : &nothing,
                               .arena = arena,
                               .plan = plan,
                               .strategy = disruption_strategy_of(&snapshot->settings)};
}

static void use_problem(struct disruption *disruption, struct problem *problem)
{
    assert(disruption->simulator == NULL);
    disruption->problem = problem;
    spot_window_raise(problem, disruption->inputs->spot_prices);
    disruption->simulator = simulator_create(problem, disruption->arena);
    disruption->quiet = quiet_nodes_find(problem, disruption->arena);
    find_going_nodes(disruption);
    disruption->blocked_reasons = arena_allocate_array(disruption->arena, problem->nodes.count + 1,
                                                       sizeof *disruption->blocked_reasons);
}

void disruption_begin_with(struct disruption *disruption, struct problem *problem,
                           const struct disruption_inputs *inputs, struct plan *plan,
                           struct arena *arena)
{
    assert(problem->error.kind == ERROR_NONE);
    assert(problem->with_movable);
    *disruption = start(problem->snapshot, inputs, plan, arena);
    disruption->problem_lent = true;
    use_problem(disruption, problem);
}

bool disruption_begin(struct disruption *disruption, const struct snapshot *snapshot,
                      const struct disruption_inputs *inputs, struct plan *plan,
                      struct arena *arena, struct error *error)
{
    *disruption = start(snapshot, inputs, plan, arena);
    disruption->problem = problem_create(snapshot, plan->arena, true);
    if (disruption->problem->error.kind != ERROR_NONE) {
        *error = disruption->problem->error;
        return false;
    }
    use_problem(disruption, disruption->problem);
    return true;
}

void disruption_end(struct disruption *disruption)
{
    workload_table_destroy(disruption->workloads);
    if (!disruption->problem_lent)
        problem_destroy(disruption->problem);
}
