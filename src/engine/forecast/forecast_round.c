#include "engine/forecast/forecast_round.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "engine/forecast/forecast_machine.h"
#include "model/reading/pod.h"
#include "model/reading/state_node_rules.h"
#include "model/snapshot/snapshot_lookup.h"
#include "model/snapshot/snapshot_overlay.h"

struct carrying {
    struct forecast_state *state;
    struct forecast_round *round;
    struct snapshot *next;
    struct map *places; // "namespace/name" of a pod -> name of its new node
    struct map *going;  // names of Nodes
    bool any;           // something happens
};

// --- what the decision says ----------------------------------------------------------------------

static void place(struct carrying *carrying, const struct pod *pod, const char *node)
{
    char name[600];
    object_namespaced_name((const struct object *)pod, name);
    map_set(carrying->places, name, (char *)(uintptr_t)node);
}

static const char *new_name(struct carrying *carrying, const struct plan_claim *claim)
{
    struct forecast_state *state = carrying->state;
    const char *name;
    bool taken = true;
    do {
        name = arena_format(state->arena, "%s-new-%u", claim->node_pool->meta.name, ++state->named);
        taken = false;
        for (uint32_t i = 0; i < state->current->objects[KIND_NODE].count; i++)
            taken =
                taken || text_equal(state->current->objects[KIND_NODE].items[i]->meta.name, name);
    } while (taken);
    return name;
}

static const char *launch(struct carrying *carrying, const struct plan_claim *claim,
                          const char *why)
{
    struct forecast_state *state = carrying->state;
    const char *name = new_name(carrying, claim);
    struct forecast_node *node = arena_allocate(state->arena, sizeof *node);
    *node = (struct forecast_node){
        .name = name, .fate = NODE_COMES, .why = why, .round = state->rounds};
    map_set(state->born, name, node);
    forecast_machine_add(carrying->next, claim, name);
    list_for_each (pod, &claim->pods)
        place(carrying, *pod, name);
    carrying->any = true;
    return name;
}

static void let_go(struct carrying *carrying, const char *name, const char *why)
{
    struct forecast_state *state = carrying->state;
    const char *copy = arena_copy_string(state->arena, name);
    struct forecast_node *node = arena_allocate(state->arena, sizeof *node);
    *node =
        (struct forecast_node){.name = copy, .fate = NODE_GOES, .why = why, .round = state->rounds};
    map_set(carrying->going, copy, carrying);
    map_set(state->gone, copy, node);
    carrying->any = true;
}

static void take_placements(struct carrying *carrying, const struct plan *plan)
{
    list_for_each (placement, &plan->placements) {
        if (placement->node == NULL)
            continue; // a machine of which nothing is known
        list_for_each (pod, &placement->pods) {
            place(carrying, *pod, arena_copy_string(carrying->state->arena, placement->name));
            carrying->round->placed++;
            carrying->any = true;
        }
    }
}

static void take_launches(struct carrying *carrying, const struct plan *plan)
{
    struct string_list *names = &carrying->round->launched;
    names->items =
        arena_allocate_array(carrying->state->arena, plan->claims.count + 1, sizeof *names->items);
    list_for_each (claim, &plan->claims)
        names->items[names->count++] = launch(carrying, claim, "pending pods");
}

// Pods that the decision sends nowhere in particular wait for the next round.
static void take_moves(struct carrying *carrying, const struct plan_disruption *disruption,
                       const struct string_list *replacements)
{
    list_for_each (move, &disruption->moves) {
        if (move->where == MOVE_TO_NODE)
            place(carrying, move->pod, arena_copy_string(carrying->state->arena, move->name));
        else if (move->where == MOVE_TO_REPLACEMENT)
            place(carrying, move->pod, replacements->items[move->replacement]);
    }
}

static void take_command(struct carrying *carrying, const struct plan_disruption *disruption,
                         struct forecast_command *command)
{
    struct arena *arena = carrying->state->arena;
    const char *why = disruption_reason_name(disruption->reason);
    *command = (struct forecast_command){.reason = disruption->reason,
                                         .consolidation = disruption->consolidation,
                                         .savings = disruption->savings};
    command->nodes.items =
        arena_allocate_array(arena, disruption->candidates.count + 1, sizeof *command->nodes.items);
    command->replacements.items = arena_allocate_array(arena, disruption->replacements.count + 1,
                                                       sizeof *command->replacements.items);
    for (uint32_t i = 0; i < disruption->candidates.count; i++) {
        command->nodes.items[command->nodes.count++] =
            arena_copy_string(arena, disruption->candidates.items[i]);
        let_go(carrying, disruption->candidates.items[i], why);
    }
    list_for_each (claim, &disruption->replacements)
        command->replacements.items[command->replacements.count++] =
            launch(carrying, claim, "replacement");
    take_moves(carrying, disruption, &command->replacements);
}

static void take_commands(struct carrying *carrying, const struct plan *plan)
{
    struct forecast_round *round = carrying->round;
    round->commands.items = arena_allocate_array(
        carrying->state->arena, plan->disruptions.count + 1, sizeof *round->commands.items);
    list_for_each (disruption, &plan->disruptions)
        take_command(carrying, disruption, &round->commands.items[round->commands.count++]);
}

// Nodes whose NodeClaims are being deleted drain, whatever the decision is.
static void take_endings(struct carrying *carrying)
{
    const struct snapshot *current = carrying->state->current;
    for (uint32_t i = 0; i < current->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)current->objects[KIND_NODE_CLAIM].items[i];
        const char *node = node_claim_is_ending(claim) ? claim_node(current, claim) : NULL;
        if (node != NULL)
            let_go(carrying, node,
                   claim_pool(current, claim) != NULL ? "deleted" : "NodePoolDeleted");
    }
}

// --- the next snapshot ---------------------------------------------------------------------------

static bool is_going(const struct carrying *carrying, const char *node)
{
    return !text_is_empty(node) && map_get(carrying->going, node) != NULL;
}

static void carry_pod(struct carrying *carrying, const struct pod *pod)
{
    char name[600];
    object_namespaced_name((const struct object *)pod, name);
    const char *to = map_get(carrying->places, name);
    bool leaves = is_going(carrying, pod->spec.node_name);
    if (leaves && (pod_owned_by_daemon_set(pod) || pod_owned_by_node(pod) || pod_is_terminal(pod) ||
                   object_is_deleting((const struct object *)pod)))
        return;
    if (leaves || (to != NULL && text_is_empty(pod->spec.node_name)))
        forecast_pod_add(carrying->next, pod, to);
    else
        snapshot_add(carrying->next, (const struct object *)pod);
}

static void carry(struct carrying *carrying, const struct object *object)
{
    enum kind_id kind = object->kind->id;
    if (kind == KIND_POD)
        carry_pod(carrying, (const struct pod *)object);
    else if (kind == KIND_NODE && is_going(carrying, object->meta.name))
        return;
    else if (kind == KIND_NODE_CLAIM &&
             (is_going(carrying,
                       claim_node(carrying->state->current, (const struct node_claim *)object)) ||
              node_claim_is_ending((const struct node_claim *)object)))
        return;
    else
        snapshot_add(carrying->next, object);
}

static void make_next(struct carrying *carrying)
{
    const struct snapshot *current = carrying->state->current;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; i < current->objects[kind].count; i++)
            carry(carrying, current->objects[kind].items[i]);
    carrying->next->nominated.count = 0; // past by then
    carrying->next->marked_for_deletion.count = 0;
}

static struct carrying begin(struct forecast_state *state, struct forecast_round *round)
{
    state->rounds++;
    return (struct carrying){.state = state,
                             .round = round,
                             .next = snapshot_copy_context(state->current),
                             .places = map_create(),
                             .going = map_create()};
}

// True: something happens.
static bool finish(struct carrying *carrying)
{
    struct forecast_state *state = carrying->state;
    if (carrying->any) {
        make_next(carrying);
        snapshot_destroy(state->current);
        state->current = carrying->next;
    } else {
        state->rounds--;
        snapshot_destroy(carrying->next);
    }
    map_destroy(carrying->places, NULL);
    map_destroy(carrying->going, NULL);
    return carrying->any;
}

bool forecast_round_apply(struct forecast_state *state, const struct plan *plan,
                          struct forecast_round *round)
{
    struct carrying carrying = begin(state, round);
    take_endings(&carrying);
    take_placements(&carrying, plan);
    take_launches(&carrying, plan);
    take_commands(&carrying, plan);
    return finish(&carrying);
}

void forecast_round_remove(struct forecast_state *state, const struct plan *plan,
                           const struct string_list *nodes, const char *why,
                           struct forecast_round *round)
{
    struct carrying carrying = begin(state, round);
    for (uint32_t i = 0; i < nodes->count; i++)
        let_go(&carrying, nodes->items[i], why);
    take_endings(&carrying);
    take_placements(&carrying, plan);
    take_launches(&carrying, plan);
    (void)finish(&carrying);
}
