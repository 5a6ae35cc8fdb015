#include "engine/forecast/roll.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "engine/cost/fresh_snapshot.h"
#include "engine/disruption/nodepool_budgets.h"
#include "engine/engine.h"
#include "engine/forecast/forecast.h"
#include "engine/forecast/forecast_result.h"
#include "engine/forecast/forecast_round.h"
#include "engine/pods/pdb.h"
#include "model/reading/pod.h"
#include "model/schema/pack.h"
#include "model/snapshot/snapshot_lookup.h"
#include "model/snapshot/snapshot_overlay.h"

#define GROUP_SHARE 10 // of a node group's nodes that go in one step, at least one

struct rolled_node {
    const char *name;
    const struct pod **pods; // that need another place
    uint32_t pods_count;
    enum { ROLL_WAITS, ROLL_CHOSEN, ROLL_GONE, ROLL_HELD } phase;
};
struct rolling {
    struct arena *arena; // of the forecast
    const struct snapshot *snapshot;
    const struct node_pool *pool; // of the nodes; NULL: a group, or it is unknown
    struct roll *roll;
    LIST(struct rolled_node) nodes; // those with the fewest pods first
    struct forecast_state state;
    struct pdb_index *pdbs;
    struct pdb_matches matches;
    int64_t *used; // by budget: evictions of the step
};

// --- which nodes ---------------------------------------------------------------------------------

static uint32_t count_labelled(const struct snapshot *snapshot, const char *label,
                               const char *value)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++)
        count += text_equal(object_label(snapshot->objects[KIND_NODE].items[i], label), value);
    return count;
}

static bool find_label(struct rolling *rolling, const struct roll_request *request,
                       struct error *error)
{
    struct roll *roll = rolling->roll;
    const char *colon = strchr(request->from, ':');
    roll->value = colon != NULL ? colon + 1 : request->from;
    if (colon != NULL) {
        roll->label =
            arena_format(rolling->arena, "%.*s", (int)(colon - request->from), request->from);
        roll->nodes = count_labelled(rolling->snapshot, roll->label, roll->value);
    }
    for (uint32_t i = 0; colon == NULL && request->labels[i] != NULL && roll->nodes == 0; i++) {
        roll->label = request->labels[i];
        roll->nodes = count_labelled(rolling->snapshot, roll->label, roll->value);
    }
    if (roll->nodes == 0)
        error_set(error, ERROR_INVALID,
                  "no node is of a NodePool, Provisioner or node group %s; LABEL:VALUE names nodes "
                  "by another label",
                  request->from);
    else if (pool_named(rolling->snapshot, request->to) == NULL)
        error_set(error, ERROR_INVALID, "there is no NodePool %s", request->to);
    else if (strcmp(roll->label, LABEL_NODE_POOL) == 0 && text_equal(roll->value, request->to))
        error_set(error, ERROR_INVALID,
                  "%s is both: an edit of one NodePool rolls its nodes by drift (--diff)",
                  request->to);
    else
        return true;
    return false;
}

static int by_pods(const void *a, const void *b)
{
    const struct rolled_node *x = a, *y = b;
    if (x->pods_count != y->pods_count)
        return x->pods_count < y->pods_count ? -1 : 1;
    return strcmp(x->name, y->name);
}

// The nodes of the label that do not go anyway.
static void find_nodes(struct rolling *rolling)
{
    const struct snapshot *snapshot = rolling->snapshot;
    const struct string_list endings = ending_nodes(rolling->arena, snapshot);
    uint32_t most = snapshot->objects[KIND_NODE].count;
    rolling->nodes.items =
        arena_allocate_array(rolling->arena, (size_t)most + 1, sizeof *rolling->nodes.items);
    for (uint32_t i = 0; i < most; i++) {
        const struct object *object = snapshot->objects[KIND_NODE].items[i];
        if (text_equal(object_label(object, rolling->roll->label), rolling->roll->value) &&
            !string_list_has(&endings, object->meta.name))
            rolling->nodes.items[rolling->nodes.count++] =
                (struct rolled_node){.name = object->meta.name};
    }
}

// Counts the pods of each node, or lists them where there is room already.
static void visit_pods(struct rolling *rolling, const struct map *by_name)
{
    const struct snapshot *snapshot = rolling->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        struct rolled_node *node =
            pod->spec.node_name != NULL ? map_get(by_name, pod->spec.node_name) : NULL;
        if (node == NULL || !pod_needs_place(pod))
            continue;
        if (node->pods != NULL)
            node->pods[node->pods_count] = pod;
        node->pods_count++;
    }
}

static void list_pods(struct rolling *rolling)
{
    struct map *by_name = map_create();
    list_for_each (node, &rolling->nodes)
        map_set(by_name, node->name, node);
    visit_pods(rolling, by_name);
    list_for_each (node, &rolling->nodes) {
        node->pods =
            arena_allocate_array(rolling->arena, (size_t)node->pods_count + 1, sizeof *node->pods);
        node->pods_count = 0;
    }
    visit_pods(rolling, by_name);
    map_destroy(by_name, NULL);
    list_for_each (node, &rolling->nodes)
        for (uint32_t i = 0; i < node->pods_count; i++)
            rolling->roll->bare_pods += pod_controller_uid(node->pods[i]) == NULL;
}

static void list_nodes(struct rolling *rolling)
{
    find_nodes(rolling);
    list_pods(rolling);
    if (rolling->nodes.count > 1)
        qsort(rolling->nodes.items, rolling->nodes.count, sizeof *rolling->nodes.items, by_pods);
}

// The cluster with the nodes cordoned, and without their NodePool.
static struct snapshot *cordoned(const struct rolling *rolling)
{
    const struct snapshot *snapshot = rolling->snapshot;
    struct snapshot *copy = snapshot_copy_context(snapshot);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; i < snapshot->objects[kind].count; i++) {
            const struct object *object = snapshot->objects[kind].items[i];
            if (object == (const struct object *)rolling->pool)
                continue;
            if (kind != KIND_NODE ||
                !text_equal(object_label(object, rolling->roll->label), rolling->roll->value)) {
                snapshot_add(copy, object);
                continue;
            }
            struct node node = *(const struct node *)object;
            node.spec.unschedulable = true;
            const struct object *made = object_copy((const struct object *)&node);
            snapshot_add(copy, made);
            object_release(made);
        }
    return copy;
}

// --- what holds a node ---------------------------------------------------------------------------

static void hold(struct rolling *rolling, struct rolled_node *node, const char *why)
{
    node->phase = ROLL_HELD;
    rolling->roll->held.items[rolling->roll->held.count++] =
        (struct held_node){node->name, arena_copy_string(rolling->arena, why)};
}

// Why the pod cannot be evicted at all; NULL: it can.
static const char *pod_blocks(struct rolling *rolling, const struct pod *pod)
{
    char name[600];
    object_namespaced_name((const struct object *)pod, name);
    if (pod_is_protected(pod, rolling->snapshot->time))
        return arena_format(rolling->arena, "pod %s has karpenter.sh/do-not-disrupt", name);
    const struct pod_disruption_budget *unreadable =
        pdb_index_unreadable(rolling->pdbs, pod->meta.namespace);
    if (unreadable != NULL)
        return arena_format(rolling->arena, "the selector of PodDisruptionBudget %s/%s is invalid",
                            pod->meta.namespace, unreadable->meta.name);
    pdb_index_find(rolling->pdbs, pod, &rolling->matches);
    if (rolling->matches.items.count > 1)
        return arena_format(rolling->arena,
                            "pod %s has several PodDisruptionBudgets: it cannot be evicted", name);
    if (rolling->matches.items.count == 0)
        return NULL;
    const struct pod_disruption_budget *pdb = rolling->pdbs->items[rolling->matches.items.items[0]];
    if (pdb->status.disruptions_allowed > 0)
        return NULL;
    return arena_format(rolling->arena, "PodDisruptionBudget %s/%s allows no eviction of pod %s",
                        pod->meta.namespace, pdb->meta.name, name);
}

static void hold_blocked(struct rolling *rolling)
{
    list_for_each (node, &rolling->nodes) {
        const char *why = NULL;
        for (uint32_t i = 0; i < node->pods_count && why == NULL; i++)
            why = pod_blocks(rolling, node->pods[i]);
        if (why != NULL)
            hold(rolling, node, why);
    }
}

// --- a step --------------------------------------------------------------------------------------

static uint32_t count_in(const struct rolling *rolling, int phase)
{
    uint32_t count = 0;
    list_for_each (node, &rolling->nodes)
        count += (int)node->phase == phase;
    return count;
}

static bool pace_of(const struct rolling *rolling, int64_t *pace, struct error *error)
{
    uint32_t left = rolling->nodes.count - count_in(rolling, ROLL_GONE);
    if (rolling->pool != NULL)
        return nodepool_budgets_allowed(rolling->pool, DISRUPTION_DRIFTED, left,
                                        rolling->snapshot->time, pace, error);
    *pace = (rolling->nodes.count + GROUP_SHARE - 1) / GROUP_SHARE;
    return true;
}

// The evictions of the step stay within each budget; a node that has more pods of one than it
// allows at a time drains one after the other, and goes without others of that budget.
static bool budgets_allow(struct rolling *rolling, const struct rolled_node *node)
{
    for (uint32_t i = 0; i < node->pods_count; i++) {
        pdb_index_find(rolling->pdbs, node->pods[i], &rolling->matches);
        vector_for_each (index, &rolling->matches.items) {
            int64_t allowed = rolling->pdbs->items[*index]->status.disruptions_allowed, own = 0;
            struct pdb_matches others = {0};
            for (uint32_t j = 0; j < node->pods_count; j++) {
                pdb_index_find(rolling->pdbs, node->pods[j], &others);
                vector_for_each (other, &others.items)
                    own += *other == *index;
            }
            vector_free(&others.items);
            if (rolling->used[*index] > 0 && rolling->used[*index] + own > allowed)
                return false;
        }
    }
    return true;
}

static void use_budgets(struct rolling *rolling, const struct rolled_node *node)
{
    for (uint32_t i = 0; i < node->pods_count; i++) {
        pdb_index_find(rolling->pdbs, node->pods[i], &rolling->matches);
        vector_for_each (index, &rolling->matches.items)
            rolling->used[*index]++;
    }
}

static void choose(struct rolling *rolling, int64_t pace)
{
    memset(rolling->used, 0, rolling->pdbs->count * sizeof *rolling->used);
    list_for_each (node, &rolling->nodes)
        if (node->phase == ROLL_WAITS && pace > 0 && budgets_allow(rolling, node)) {
            node->phase = ROLL_CHOSEN;
            use_budgets(rolling, node);
            pace--;
        }
}

static struct plan *plan_step(struct rolling *rolling, struct snapshot **freed, struct error *error)
{
    const struct snapshot *current = rolling->state.current;
    const struct plan_options options = {0};
    struct map *gone = map_create();
    list_for_each (node, &rolling->nodes)
        if (node->phase == ROLL_CHOSEN)
            map_set(gone, node->name, node);
    for (uint32_t i = 0; i < current->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)current->objects[KIND_NODE_CLAIM].items[i];
        const char *node = claim_node(current, claim);
        if (node != NULL && map_get(gone, node) != NULL)
            map_set(gone, claim->meta.name, rolling);
    }
    *freed = fresh_snapshot_without(current, gone);
    map_destroy(gone, NULL);
    return engine_plan(*freed, &options, error);
}

static bool has_pod(const struct rolled_node *node, const struct pod *pod)
{
    for (uint32_t i = 0; i < node->pods_count; i++)
        if (text_equal(node->pods[i]->meta.name, pod->meta.name) &&
            text_equal(node->pods[i]->meta.namespace, pod->meta.namespace))
            return true;
    return false;
}

// True: some of the chosen nodes have pods without another place; they are held.
static bool hold_unplaced(struct rolling *rolling, const struct plan *plan)
{
    bool any = false;
    list_for_each (entry, &plan->unschedulable)
        list_for_each (node, &rolling->nodes)
            if (node->phase == ROLL_CHOSEN && has_pod(node, entry->pod)) {
                char name[600];
                object_namespaced_name((const struct object *)entry->pod, name);
                hold(rolling, node,
                     arena_format(rolling->arena, "pod %s would have no place: %s", name,
                                  text_or_empty(entry->message)));
                any = true;
            }
    return any;
}

static void finish_step(struct rolling *rolling, const struct plan *plan)
{
    struct forecast *forecast = rolling->roll->forecast;
    struct string_list names = {
        arena_allocate_array(rolling->arena, rolling->nodes.count + 1, sizeof *names.items), 0};
    list_for_each (node, &rolling->nodes)
        if (node->phase == ROLL_CHOSEN) {
            names.items[names.count++] = node->name;
            node->phase = ROLL_GONE;
        }
    forecast_round_remove(&rolling->state, plan, &names, "rolled",
                          &forecast->rounds.items[forecast->rounds.count++]);
}

// False at the end, or with an error.
static bool step(struct rolling *rolling, struct error *error)
{
    int64_t pace = 0;
    if (!pace_of(rolling, &pace, error))
        return false;
    if (pace == 0)
        list_for_each (node, &rolling->nodes)
            if (node->phase == ROLL_WAITS)
                hold(rolling, node, "the NodePool's budgets allow no drifted node to go now");
    choose(rolling, pace);
    bool again = true;
    while (again && count_in(rolling, ROLL_CHOSEN) > 0) {
        struct snapshot *freed;
        struct plan *plan = plan_step(rolling, &freed, error);
        again = plan != NULL && hold_unplaced(rolling, plan);
        if (plan != NULL && !again)
            finish_step(rolling, plan);
        if (plan != NULL)
            plan_destroy(plan);
        snapshot_destroy(freed);
        if (plan == NULL)
            return false;
    }
    return count_in(rolling, ROLL_WAITS) > 0;
}

// --- the whole -----------------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct held_node *)a)->node, ((const struct held_node *)b)->node);
}

static bool run(struct rolling *rolling, struct error *error)
{
    struct roll *roll = rolling->roll;
    struct forecast *forecast = roll->forecast;
    list_nodes(rolling);
    rolling->pdbs = pdb_index_create(rolling->arena, rolling->snapshot);
    rolling->used =
        arena_allocate_array(rolling->arena, rolling->pdbs->count + 1, sizeof *rolling->used);
    roll->held.items =
        arena_allocate_array(rolling->arena, rolling->nodes.count + 1, sizeof *roll->held.items);
    forecast->rounds.items = arena_allocate_array(rolling->arena, rolling->nodes.count + 1,
                                                  sizeof *forecast->rounds.items);
    roll->nodes = rolling->nodes.count;
    hold_blocked(rolling);
    error->kind = ERROR_NONE;
    while (step(rolling, error))
        ;
    qsort(roll->held.items, roll->held.count, sizeof *roll->held.items, by_name);
    forecast->complete = roll->held.count == 0;
    forecast->end = rolling->state.current;
    return error->kind == ERROR_NONE &&
           forecast_result_find(forecast, rolling->snapshot, rolling->state.born,
                                rolling->state.gone, error);
}

bool roll_find(const struct snapshot *snapshot, const struct roll_request *request,
               struct roll *roll, struct error *error)
{
    struct arena *arena = arena_create(65536);
    *roll = (struct roll){.forecast = arena_allocate(arena, sizeof *roll->forecast)};
    roll->forecast->arena = arena;
    struct rolling rolling = {.arena = arena, .snapshot = snapshot, .roll = roll};
    if (!find_label(&rolling, request, error))
        return false;
    if (strcmp(roll->label, LABEL_NODE_POOL) == 0)
        rolling.pool = pool_named(snapshot, roll->value);
    rolling.state = (struct forecast_state){
        .arena = arena, .current = cordoned(&rolling), .born = map_create(), .gone = map_create()};
    bool done = run(&rolling, error);
    map_destroy(rolling.state.born, NULL);
    map_destroy(rolling.state.gone, NULL);
    vector_free(&rolling.matches.items);
    return done;
}

void roll_free(struct roll *roll)
{
    forecast_destroy(roll->forecast);
}
