#include "engine/pods/pod_selection.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/pods/buffers.h"
#include "engine/pods/pod_class.h"
#include "engine/pods/pod_demand.h"
#include "engine/pods/pod_facts.h"
#include "engine/pods/spread_defaults.h"
#include "engine/problem/asked_keys.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "model/snapshot/strategy.h"

bool pod_is_provisionable(const struct snapshot *snapshot, const struct pod *pod)
{
    if (!text_is_empty(pod->spec.node_name) || !text_is_empty(pod->status.nominated_node_name) ||
        pod->spec.scheduling_gates.count > 0 || pod_is_terminal(pod) ||
        pod_owned_by_daemon_set(pod) || pod_owned_by_node(pod) || pod->meta.unreadable != NULL)
        return false;
    if (!snapshot->require_unschedulable_condition ||
        (snapshot_strategy_of(&snapshot->settings)->plans_unexamined_pods &&
         pod_is_unexamined(pod)))
        return true;
    const struct condition *scheduled =
        condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED);
    return scheduled != NULL && text_equal(scheduled->reason, "Unschedulable");
}

// --- labels that selectors read ------------------------------------------------------------------

static void read_key(struct symbols *keys, const char *key)
{
    if (key != NULL)
        symbols_intern(keys, key);
}

static void read_selector(struct symbols *keys, const struct label_selector *selector)
{
    if (selector == NULL)
        return;
    list_for_each (label, &selector->match_labels)
        read_key(keys, label->key);
    list_for_each (expression, &selector->match_expressions)
        read_key(keys, expression->key);
}

static void read_affinity(struct symbols *keys, const struct pod_affinity *affinity)
{
    if (affinity == NULL)
        return;
    list_for_each (term, &affinity->required)
        read_selector(keys, term->label_selector);
    list_for_each (term, &affinity->preferred)
        read_selector(keys, term->pod_affinity_term.label_selector);
}

static void read_pod(struct symbols *keys, const struct pod_spec *spec)
{
    list_for_each (constraint, &spec->topology_spread_constraints) {
        read_selector(keys, constraint->label_selector);
        for (uint32_t i = 0; i < constraint->match_label_keys.count; i++)
            read_key(keys, constraint->match_label_keys.items[i]);
    }
    if (spec->affinity == NULL)
        return;
    read_affinity(keys, spec->affinity->pod_affinity);
    read_affinity(keys, spec->affinity->pod_anti_affinity);
}

static bool has_required_anti_affinity(const struct pod *pod)
{
    return pod->spec.affinity != NULL && pod->spec.affinity->pod_anti_affinity != NULL &&
           pod->spec.affinity->pod_anti_affinity->required.count > 0;
}

// `returning`: index of the first movable pod that is not bound.
static void collect_selector_keys(struct problem *problem, uint32_t returning)
{
    struct symbols *keys = symbols_create();
    for (uint32_t i = 0; i < problem->pods.queued_count; i++)
        if (problem->pods.queued[i].aside == NULL)
            read_pod(keys, &problem->pods.queued[i].pod->spec);
    for (uint32_t i = 0; i < problem->pods.bound_count; i++) {
        const struct bound_pod *bound = &problem->pods.bound[i];
        if (bound->aside != NULL ||
            (problem->with_movable && (problem->pods.facts[i].flags & POD_HAS_RULES) == 0))
            continue;
        if (bound->movable)
            read_pod(keys, &bound->pod->spec);
        else if (has_required_anti_affinity(bound->pod))
            read_affinity(keys, bound->pod->spec.affinity->pod_anti_affinity);
    }
    for (uint32_t i = returning; i < problem->pods.movable_count; i++)
        if (problem->pods.movable[i].aside == NULL)
            read_pod(keys, &problem->pods.movable[i].pod->spec);
    spread_defaults_read_selectors(problem, keys);
    problem->topology.selector_keys_count = symbols_count(keys);
    problem->topology.selector_keys =
        arena_allocate_array(problem->arena, problem->topology.selector_keys_count + 1,
                             sizeof *problem->topology.selector_keys);
    for (uint32_t i = 0; i < problem->topology.selector_keys_count; i++)
        problem->topology.selector_keys[i] =
            arena_copy_string(problem->arena, symbols_text(keys, i));
    qsort(problem->topology.selector_keys, problem->topology.selector_keys_count,
          sizeof *problem->topology.selector_keys, text_compare);
    symbols_destroy(keys);
}

// --- the queue's pods ----------------------------------------------------------------------------

static struct queued_pod *queue_pod(struct queued_pod *list, uint32_t *count, const struct pod *pod,
                                    const struct state_node *on)
{
    struct queued_pod *queued = &list[(*count)++];
    *queued = (struct queued_pod){.pod = pod, .on = on, .from_deleting_node = on != NULL};
    queued->running =
        on != NULL && !on->marked_for_deletion && !text_equal(pod->status.phase, "Pending");
    return queued;
}

// Builds the queue (pending pods, then pods of nodes marked for deletion, then placeholders) and
// the list of movable pods.
static void make_lists(struct problem *problem, uint32_t placeholders)
{
    const struct state_nodes *nodes = &problem->nodes;
    uint32_t leaving = 0, staying = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct state_node *state = &nodes->items[i];
        uint32_t *count = state->marked_for_deletion ? &leaving : &staying;
        *count += state->pods.count + state->returning.count;
    }
    problem->pods.queued = arena_allocate_array(
        problem->arena, (size_t)nodes->others.count + leaving + placeholders + 1,
        sizeof *problem->pods.queued);
    problem->pods.movable = arena_allocate_array(
        problem->arena, problem->with_movable ? staying + 1 : 1, sizeof *problem->pods.movable);
}

static void queue_waiting(struct problem *problem)
{
    list_for_each (pod, &problem->nodes.others)
        if (pod_is_provisionable(problem->snapshot, *pod))
            queue_pod(problem->pods.queued, &problem->pods.queued_count, *pod, NULL);
}

static void collect_nodes(struct problem *problem)
{
    const struct snapshot *snapshot = problem->snapshot;
    problem->node_objects.count = snapshot->objects[KIND_NODE].count;
    problem->node_objects.items = arena_allocate_array(
        problem->arena, problem->node_objects.count + 1, sizeof *problem->node_objects.items);
    problem->node_objects.by_name = map_create();
    for (uint32_t i = 0; i < problem->node_objects.count; i++) {
        const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[i];
        problem->node_objects.items[i] =
            (struct node_object){.node = node, .labels = &node->meta.labels, .state = NONE};
        map_set(problem->node_objects.by_name, node->meta.name, (void *)(uintptr_t)(i + 1));
    }
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        if (problem->nodes.items[i].node != NULL)
            problem->node_objects.items[problem_node_object(problem, problem->nodes.items[i].node)]
                .state = i;
}

// SCH-23: the pod needs another place if its node is removed.
static bool is_reschedulable(const struct problem *problem, const struct pod *pod)
{
    struct pdb_matches matches = {0};
    struct pod_facts facts =
        pod_facts_of(problem->pods.budgets, pod, problem->snapshot->time, &matches);
    vector_free(&matches.items);
    return (facts.flags & POD_RESCHEDULABLE) != 0;
}

// Queues the running pod if it is rescheduled when its node is removed.
static void queue_running(struct problem *problem, uint32_t index, struct bound_pod *bound)
{
    assert(problem->nodes.running.items[index].node < problem->nodes.count);
    const struct running_pod *running = &problem->nodes.running.items[index];
    const struct state_node *on = &problem->nodes.items[running->node];
    bound->movable = problem->with_movable
                         ? (problem->pods.facts[index].flags & POD_RESCHEDULABLE) != 0
                         : on->marked_for_deletion && is_reschedulable(problem, running->pod);
    bound->scheduled = bound->movable && on->marked_for_deletion;
    if (bound->scheduled)
        queue_pod(problem->pods.queued, &problem->pods.queued_count, running->pod, on);
    else if (bound->movable)
        queue_pod(problem->pods.movable, &problem->pods.movable_count, running->pod, on);
}

static void collect_bound(struct problem *problem)
{
    const struct state_nodes *nodes = &problem->nodes;
    CLEANUP_FREE uint32_t *objects =
        memory_allocate_array((size_t)nodes->count + 1, sizeof *objects);
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->items[i].node != NULL)
            objects[i] = problem_node_object(problem, nodes->items[i].node);
    problem->pods.bound_count = nodes->running.count;
    problem->pods.bound = arena_allocate_array(problem->arena, problem->pods.bound_count + 1,
                                               sizeof *problem->pods.bound);
    for (uint32_t i = 0; i < problem->pods.bound_count; i++) {
        const struct running_pod *running = &nodes->running.items[i];
        const struct pod *pod = running->pod;
        struct bound_pod *bound = &problem->pods.bound[i];
        *bound = (struct bound_pod){
            .pod = pod, .class = NONE, .counted = pod->meta.deletion_timestamp == 0};
        if (running->node != NONE) {
            bound->node = objects[running->node];
            queue_running(problem, i, bound);
        } else {
            bound->node =
                (uint32_t)(uintptr_t)map_get(problem->node_objects.by_name, pod->spec.node_name) -
                1;
        }
    }
}

// Queues terminated pods that will need a place again, after the bound ones.
static void queue_returning(struct problem *problem)
{
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct state_node *on = &problem->nodes.items[i];
        list_for_each (pod, &on->returning) {
            if (!(on->marked_for_deletion || problem->with_movable) ||
                !is_reschedulable(problem, *pod))
                continue;
            if (on->marked_for_deletion)
                queue_pod(problem->pods.queued, &problem->pods.queued_count, *pod, on);
            else
                queue_pod(problem->pods.movable, &problem->pods.movable_count, *pod, on);
        }
    }
}

// Gives queued bound pods their class and its identity.
static void identify_bound(struct problem *problem, uint32_t first_queued)
{
    uint32_t queued = first_queued, movable = 0;
    problem->pods.scheduled = bitset_create(problem->arena, problem->pods.bound_count);
    for (uint32_t i = 0; i < problem->pods.bound_count; i++) {
        struct bound_pod *bound = &problem->pods.bound[i];
        if (bound->movable) {
            const struct queued_pod *own = bound->scheduled ? &problem->pods.queued[queued++]
                                                            : &problem->pods.movable[movable++];
            assert(own->pod == bound->pod);
            bound->class = own->class;
            assert(bound->class < problem->interned.classes.count);
            bound->identity = class_at(problem, own->class)->identity;
        } else {
            bound->identity = problem_identity(problem, bound->pod);
            if (bound->aside == NULL && has_required_anti_affinity(bound->pod))
                pod_spec_ask_keys(problem, &bound->pod->spec);
        }
        assert(bound->identity < problem->interned.identities.count);
        if (bound->scheduled)
            bitset_set(problem->pods.scheduled, i);
    }
}

void pods_collect(struct problem *problem)
{
    const struct pod **placeholders;
    uint32_t placeholders_count = buffers_placeholders(problem, &placeholders);
    problem->pods.budgets = pdb_index_create(problem->arena, problem->snapshot);
    if (problem->with_movable)
        problem->pods.facts = pod_facts_create(problem->arena, &problem->nodes,
                                               problem->pods.budgets, problem->snapshot->time);
    make_lists(problem, placeholders_count);
    queue_waiting(problem);
    uint32_t waiting = problem->pods.queued_count;
    collect_nodes(problem);
    collect_bound(problem);
    uint32_t returning = problem->pods.movable_count;
    queue_returning(problem);
    for (uint32_t i = 0; i < placeholders_count; i++)
        queue_pod(problem->pods.queued, &problem->pods.queued_count, placeholders[i], NULL)
            ->placeholder = true;
    assert(returning <= problem->pods.movable_count);
    assert(waiting + placeholders_count <= problem->pods.queued_count);
    pods_set_aside(problem, waiting);
    collect_selector_keys(problem, returning);
    pods_begin_classes(problem);
    identify_bound(problem, waiting);
}
