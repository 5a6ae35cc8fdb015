#include "control/command/consolidation_target.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "control/command/pod_lines.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"

#define STANDS_NS      (25 * HOUR) // a settled state lasts for a day (DIS-794)
#define CHANGE_DIVISOR 20 // a change of more than that part of all requests is one of the load

struct amounts {
    int64_t cpu, memory;
};

struct consolidation_target {
    struct control *control;
    struct amounts all,
        changed; // requests of all pods; of arrivals and departures since the last change of load
    struct pod_lines *lines; // of pods that consolidation has evicted
    struct map *launched;    // int64_t by NodeClaim: the launch, wall clock
    // Names of Nodes that consolidation removes; no values. A command may end before its last pod
    // leaves.
    struct map *going;
};

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);
static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object);

struct consolidation_target *consolidation_target_create(struct control *control)
{
    struct consolidation_target *target = memory_allocate(sizeof *target);
    target->control = control;
    target->lines = pod_lines_create();
    target->launched = map_create();
    target->going = map_create();
    if (!control->strategy->remembers_consolidation)
        return target;
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, target);
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, target);
    return target;
}

void consolidation_target_destroy(struct consolidation_target *target)
{
    if (target == NULL)
        return;
    pod_lines_destroy(target->lines);
    map_destroy(target->launched, free);
    map_destroy(target->going, NULL);
    free(target);
}

// --- the load ------------------------------------------------------------------------------------

static struct amounts amounts_of(const struct pod *pod)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct resource_map requests = pod_requests(scratch, pod);
    return (struct amounts){resource_map_get(&requests, "cpu"),
                            resource_map_get(&requests, "memory")};
}

static void add(struct amounts *sum, const struct amounts *amounts)
{
    sum->cpu = quantity_add(sum->cpu, amounts->cpu);
    sum->memory = quantity_add(sum->memory, amounts->memory);
}

static void subtract(struct amounts *sum, const struct amounts *amounts)
{
    sum->cpu = quantity_subtract(sum->cpu, amounts->cpu);
    sum->memory = quantity_subtract(sum->memory, amounts->memory);
}

void consolidation_target_note_change(struct consolidation_target *target)
{
    target->changed = (struct amounts){0};
    pod_lines_reset(target->lines);
    map_destroy(target->launched, free);
    target->launched = map_create();
}

static void note_change_by(struct consolidation_target *target, const struct amounts *amounts)
{
    add(&target->changed, amounts);
    if (target->changed.cpu > target->all.cpu / CHANGE_DIVISOR ||
        target->changed.memory > target->all.memory / CHANGE_DIVISOR)
        consolidation_target_note_change(target);
}

// --- pods ----------------------------------------------------------------------------------------

static bool node_is_going(const struct consolidation_target *target, const char *name)
{
    const struct state_node *state = cluster_state_named(target->control->cluster, name);
    return state == NULL || state_marked(state);
}

static void note_arrival(struct consolidation_target *target, const struct pod *pod)
{
    struct amounts amounts = amounts_of(pod);
    const char *workload = pod_controller_uid(pod);
    add(&target->all, &amounts);
    if (workload == NULL || !pod_lines_arrive(target->lines, workload, pod->meta.uid,
                                              manager_now(&target->control->manager)))
        note_change_by(target, &amounts);
}

static void note_departure(struct consolidation_target *target, const struct pod *pod)
{
    struct amounts amounts = amounts_of(pod);
    const char *node = pod->spec.node_name, *workload = pod_controller_uid(pod);
    bool is_evicted = pod_is_bound(pod) && node_is_going(target, node);
    bool by_consolidation = is_evicted && map_get(target->going, node) != NULL;
    subtract(&target->all, &amounts);
    if (is_evicted && workload != NULL)
        pod_lines_evict(target->lines, workload, pod->meta.uid,
                        manager_now(&target->control->manager), by_consolidation);
    if (!by_consolidation)
        note_change_by(target, &amounts);
    pod_lines_forget(target->lines, pod->meta.uid);
}

static bool counts(const struct pod *pod)
{
    return pod != NULL && pod->meta.uid != NULL && pod_needs_place(pod);
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct consolidation_target *target = context;
    (void)change;
    bool was_there = counts((const struct pod *)old_object);
    bool is_there = counts((const struct pod *)new_object);
    if (is_there && !was_there)
        note_arrival(target, (const struct pod *)new_object);
    else if (was_there && !is_there)
        note_departure(target, (const struct pod *)old_object);
}

// --- nodes ---------------------------------------------------------------------------------------

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct consolidation_target *target = context;
    (void)change;
    if (new_object == NULL)
        map_remove(target->going, old_object->meta.name);
}

void consolidation_target_begin(struct consolidation_target *target,
                                const struct disruption_command *command)
{
    if (command->reason != DISRUPTION_UNDERUTILIZED)
        return;
    list_for_each (entry, &command->nodes)
        map_set(target->going, entry->node, target);
    list_for_each (replacement, &command->replacements) {
        int64_t *launched = map_ensure(target->launched, replacement->name, sizeof *launched);
        *launched = manager_now(&target->control->manager);
    }
}

static bool was_launched(const struct consolidation_target *target, const struct node_claim *claim,
                         int64_t since)
{
    const int64_t *launched = map_get(target->launched, claim->meta.name);
    return launched != NULL && *launched >= since;
}

static bool has_moved_enough(const struct consolidation_target *target, const char *node,
                             int64_t since)
{
    const struct pod_list *pods = cluster_pods(target->control->cluster, node);
    for (uint32_t i = 0; i < pods->count; i++)
        if (pods->items[i]->meta.uid != NULL &&
            pod_lines_evicted_twice(target->lines, pods->items[i]->meta.uid, since))
            return true;
    return false;
}

struct string_list consolidation_target_nodes(const struct consolidation_target *target,
                                              struct arena *arena)
{
    struct cluster *cluster = target->control->cluster;
    struct string_list names = {0};
    if (map_count(target->launched) == 0 && !pod_lines_any(target->lines))
        return names;
    names.items = arena_allocate_array(arena, cluster_count(cluster) + 1, sizeof *names.items);
    int64_t since = ns_subtract(manager_now(&target->control->manager), STANDS_NS);
    struct map_entry *position = NULL;
    for (const struct state_node *state; (state = cluster_next(cluster, &position)) != NULL;) {
        const struct node *node = state_main_node(state);
        const struct node_claim *claim = state_only_claim(state);
        if (node != NULL && claim != NULL &&
            (was_launched(target, claim, since) ||
             has_moved_enough(target, node->meta.name, since)))
            names.items[names.count++] = arena_copy_string(arena, node->meta.name);
    }
    return names;
}
