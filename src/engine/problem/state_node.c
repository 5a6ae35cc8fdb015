#include "engine/problem/state_node.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/prefetch.h"
#include "base/text.h"
#include "base/text_sort.h"
#include "base/vector.h"
#include "model/reading/pod.h"
#include "model/reading/state_node_rules.h"
#include "model/tables/well_known.h"

// NodeClaims with a machine, by provider ID; of several, the first by name.
static struct map *claims_by_provider(const struct snapshot *snapshot)
{
    struct map *claims = map_create();
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        const char *provider = claim->status.provider_id;
        if (provider == NULL || provider[0] == '\0')
            continue;
        const struct node_claim *other = map_get(claims, provider);
        if (other == NULL || strcmp(claim->meta.name, other->meta.name) < 0)
            map_set(claims, provider, (void *)(uintptr_t)claim);
    }
    return claims;
}

static bool is_startup_taint(const struct node_claim *claim, const struct taint *taint)
{
    list_for_each (startup, &claim->spec.startup_taints)
        if (text_equal(startup->key, taint->key) && text_equal(startup->effect, taint->effect))
            return true;
    return false;
}

const char *state_node_unreadable(const struct state_node *state)
{
    if (state->node != NULL && state->node->meta.unreadable != NULL)
        return state->node->meta.unreadable;
    return state->claim != NULL ? state->claim->meta.unreadable : NULL;
}

// LIF-305, SCH-358: a cordoned Node has the taint that Kubernetes puts on it.
static taint_list effective_taints(struct arena *arena, const struct state_node *state)
{
    static const struct taint cordon = {.key = "node.kubernetes.io/unschedulable",
                                        .effect = "NoSchedule"};
    taint_list result = {0};
    result.items = arena_allocate_array(arena, state->real_taints.count + 1, sizeof *result.items);
    // A partly unreadable object counts as cordoned: it may have more taints than were read.
    bool cordoned = state->node != NULL && state->node->spec.unschedulable;
    cordoned = cordoned || (state->node != NULL && state->node->meta.unreadable != NULL) ||
               (!state->registered && state_node_unreadable(state) != NULL);
    const taint_list *source = state->registered || state->claim == NULL
                                   ? &state->real_taints
                                   : &state->claim->spec.taints;
    list_for_each (taint, source) {
        if (!state->initialized &&
            (taint_is_ephemeral(taint) || is_startup_taint(state->claim, taint)))
            continue;
        if (text_equal(taint->key, TAINT_AWAITING_PODS) ||
            text_equal(taint->key, TAINT_FILLED_LATER)) // temporary: until the pods are there
            continue;
        if (cordoned && text_equal(taint->key, cordon.key))
            cordoned = false;
        result.items[result.count++] = *taint;
    }
    if (cordoned)
        result.items[result.count++] = cordon;
    return result;
}

static struct map *marked_names(const struct snapshot *snapshot)
{
    struct map *marked = map_create();
    for (uint32_t i = 0; i < snapshot->marked_for_deletion.count; i++)
        map_set(marked, snapshot->marked_for_deletion.items[i], marked);
    return marked;
}

static bool is_marked(const struct map *marked, const struct state_node *state)
{
    if (map_count(marked) > 0 &&
        (map_get(marked, state->name) != NULL ||
         (state->node != NULL && map_get(marked, state->node->meta.name) != NULL) ||
         (state->claim != NULL && map_get(marked, state->claim->meta.name) != NULL)))
        return true;
    return state_node_is_ending(state->node, state->claim);
}

static void fill(struct arena *arena, const struct map *marked, struct state_node *state)
{
    assert(state->node != NULL || state->claim != NULL);
    const struct node *node = state->node;
    state->registered = state_node_registered(node, state->claim);
    state->initialized = state_node_initialized(node, state->claim);
    const struct object_meta *meta = state_node_meta(node, state->claim);
    state->name = meta->name;
    state->labels = &meta->labels;
    state->annotations = &meta->annotations;
    const char *hostname = string_map_get(state->labels, LABEL_HOSTNAME);
    state->hostname = hostname != NULL ? hostname : state->name;
    state->node_pool = string_map_get(state->labels, LABEL_NODE_POOL);
    state->real_taints = node != NULL ? node->spec.taints : state->claim->spec.taints;
    state->taints = effective_taints(arena, state);
    state->capacity = state_node_capacity(arena, node, state->claim);
    state->allocatable = state_node_allocatable(arena, node, state->claim);
    state->marked_for_deletion = is_marked(marked, state);
}

static int compare_nodes(const void *a, const void *b)
{
    const struct state_node *x = a, *y = b;
    if (x->initialized != y->initialized)
        return x->initialized ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int compare_node_objects(const void *a, const void *b)
{
    return strcmp((*(const struct object *const *)a)->meta.name,
                  (*(const struct object *const *)b)->meta.name);
}

static bool counts_on_node(const struct pod *pod)
{
    return pod->spec.node_name != NULL && pod->spec.node_name[0] != '\0' && !pod_is_terminal(pod);
}

static bool is_returning(const struct pod *pod)
{
    return pod_is_terminal(pod) && pod->meta.deletion_timestamp != 0 &&
           pod->spec.node_name != NULL && pod->spec.node_name[0] != '\0' &&
           object_owner((const struct object *)pod, "apps/v1", "StatefulSet") != NULL &&
           !pod_owned_by_daemon_set(pod) && !pod_owned_by_node(pod);
}

static int compare_pods(const void *a, const void *b)
{
    const struct pod *x = *(const struct pod *const *)a, *y = *(const struct pod *const *)b;
    int order = strcmp(x->meta.namespace, y->meta.namespace);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

// A Node has few returning pods, so the array grows by one.
static void add_returning(struct arena *arena, struct state_nodes *nodes, const struct pod *pod)
{
    struct state_node *state = map_get(nodes->by_node_name, pod->spec.node_name);
    if (state == NULL)
        return;
    const struct pod **larger =
        arena_allocate_array(arena, state->returning.count + 1, sizeof *larger);
    if (state->returning.count > 0)
        memcpy(larger, state->returning.items, state->returning.count * sizeof *larger);
    larger[state->returning.count++] = pod;
    state->returning.items = larger;
    qsort(state->returning.items, state->returning.count, sizeof *larger, compare_pods);
}

// Names of untracked Nodes; usually none.
static struct map *untracked_names(const struct snapshot *snapshot, const struct state_nodes *nodes)
{
    struct map *names = map_create();
    uint32_t count = snapshot->objects[KIND_NODE].count;
    for (uint32_t i = 0; i < count && count > map_count(nodes->by_node_name); i++) {
        const char *name = snapshot->objects[KIND_NODE].items[i]->meta.name;
        if (map_get(nodes->by_node_name, name) == NULL)
            map_set(names, name, names);
    }
    return names;
}

// Prefetches the fields that tell whether a pod runs.
static void prefetch_running(const struct object *object)
{
    const struct pod *pod = (const struct pod *)object;
    __builtin_prefetch(&pod->spec.node_name);
    __builtin_prefetch(&pod->status.phase);
}

// In the snapshot's order.
static void find_running(struct arena *arena, const struct snapshot *snapshot,
                         struct state_nodes *nodes)
{
    struct map *untracked = untracked_names(snapshot, nodes);
    uint32_t count = snapshot->objects[KIND_POD].count;
    VECTOR(const struct pod *) others = {0};
    nodes->running.items =
        arena_allocate_array(arena, (size_t)count + 1, sizeof *nodes->running.items);
    for (uint32_t i = 0; i < count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        if (i + PREFETCH_AHEAD < count)
            prefetch_running(snapshot->objects[KIND_POD].items[i + PREFETCH_AHEAD]);
        bool counts = counts_on_node(pod);
        if (!counts && is_returning(pod))
            add_returning(arena, nodes, pod);
        struct state_node *state =
            counts ? map_get(nodes->by_node_name, pod->spec.node_name) : NULL;
        if (!counts || (state == NULL && map_get(untracked, pod->spec.node_name) == NULL)) {
            vector_push(&others, pod);
            continue;
        }
        if (state != NULL)
            state->pods.count++;
        nodes->running.items[nodes->running.count++] = (struct running_pod){
            pod, state != NULL ? (uint32_t)(state - nodes->items) : UINT32_MAX};
    }
    map_destroy(untracked, NULL);
    nodes->others.items = arena_allocate_array(arena, others.count + 1, sizeof *others.items);
    vector_for_each (pod, &others)
        nodes->others.items[nodes->others.count++] = *pod;
    assert(nodes->running.count + nodes->others.count == count);
    vector_free(&others);
}

static void sort_running(struct state_nodes *nodes)
{
    uint32_t count = nodes->running.count;
    if (count == 0)
        return;
    CLEANUP_FREE struct text_sort_item *order = memory_allocate_array(count, sizeof *order);
    CLEANUP_FREE struct running_pod *before =
        memory_copy(nodes->running.items, count * sizeof *before);
    for (uint32_t i = 0; i < count; i++) {
        if (i + PREFETCH_AHEAD < count)
            __builtin_prefetch(&before[i + PREFETCH_AHEAD].pod->meta);
        order[i] =
            (struct text_sort_item){before[i].pod->meta.namespace, before[i].pod->meta.name, i};
    }
    text_sort(order, count);
    for (uint32_t i = 0; i < count; i++)
        nodes->running.items[i] = before[order[i].item];
}

static void bind_pods(struct arena *arena, const struct snapshot *snapshot,
                      struct state_nodes *nodes)
{
    find_running(arena, snapshot, nodes);
    sort_running(nodes);
    uint32_t *indexes = arena_allocate_array(arena, nodes->running.count + 1, sizeof *indexes);
    const struct pod **pods = arena_allocate_array(arena, nodes->running.count + 1, sizeof *pods);
    uint32_t *filled = memory_allocate_array((size_t)nodes->count + 1, sizeof *filled), room = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        struct state_node *state = &nodes->items[i];
        filled[i] = room;
        state->running = &indexes[room];
        state->pods.items = &pods[room];
        room += state->pods.count;
        assert(room <= nodes->running.count);
    }
    for (uint32_t i = 0; i < nodes->running.count; i++) {
        const struct running_pod *running = &nodes->running.items[i];
        if (running->node == UINT32_MAX)
            continue;
        pods[filled[running->node]] = running->pod;
        indexes[filled[running->node]++] = i;
    }
    free(filled);
}

struct state_nodes state_nodes_build(struct arena *arena, const struct snapshot *snapshot)
{
    struct state_nodes nodes = {.by_node_name = map_create()};
    struct map *claims = claims_by_provider(snapshot), *used = map_create();
    uint32_t objects = snapshot->objects[KIND_NODE].count;
    nodes.items = arena_allocate_array(
        arena, (size_t)objects + snapshot->objects[KIND_NODE_CLAIM].count + 1, sizeof *nodes.items);
    const struct object **sorted = memory_allocate_array((size_t)objects + 1, sizeof *sorted);
    if (objects > 0)
        memcpy(sorted, snapshot->objects[KIND_NODE].items, objects * sizeof *sorted);
    qsort(sorted, objects, sizeof *sorted, compare_node_objects);
    for (uint32_t i = 0; i < objects; i++) {
        const struct node *node = (const struct node *)sorted[i];
        const char *provider = node->spec.provider_id;
        if (state_node_key(node) == NULL)
            continue;
        struct node_claim *claim = NULL;
        if (provider != NULL && provider[0] != '\0') {
            if (map_get(used, provider) != NULL)
                continue; // one state node per provider ID
            map_set(used, provider, (void *)(uintptr_t)node);
            claim = map_get(claims, provider);
        }
        nodes.items[nodes.count++] = (struct state_node){.node = node, .claim = claim};
    }
    free(sorted);
    for (struct map_entry *entry = map_first(claims); entry != NULL; entry = map_next(entry))
        if (map_get(used, map_key(entry)) == NULL)
            nodes.items[nodes.count++] = (struct state_node){.claim = map_value(entry)};
    assert(nodes.count <= objects + snapshot->objects[KIND_NODE_CLAIM].count);
    map_destroy(claims, NULL);
    map_destroy(used, NULL);
    struct map *marked = marked_names(snapshot);
    for (uint32_t i = 0; i < nodes.count; i++)
        fill(arena, marked, &nodes.items[i]);
    map_destroy(marked, NULL);
    qsort(nodes.items, nodes.count, sizeof *nodes.items, compare_nodes);
    for (uint32_t i = 0; i < nodes.count; i++)
        if (nodes.items[i].node != NULL)
            map_set(nodes.by_node_name, nodes.items[i].node->meta.name, &nodes.items[i]);
    bind_pods(arena, snapshot, &nodes);
    return nodes;
}

void state_nodes_free(struct state_nodes *nodes)
{
    map_destroy(nodes->by_node_name, NULL);
    nodes->by_node_name = NULL;
}
