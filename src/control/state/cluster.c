#include "control/state/cluster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/state/nominations.h"
#include "control/state/planned_pods.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"
#include "model/reading/state_node_rules.h"
#include "model/schema/object.h"

#define UNLAUNCHED_WAIT_NS (30 * SECOND)
#define CHANGED_AGE_NS     (5 * MINUTE)
// kube-scheduler has had its chance to bind a pod where it was planned: the node has been ready for
// a while, and no planned pod was bound anywhere in the last seconds, or that has gone on for long.
#define CHANCE_NS      (10 * SECOND)
#define CHANCE_BUSY_NS (5 * SECOND)
#define CHANCE_MAX_NS  (2 * MINUTE)
// The same for a pod that was nominated: kube-scheduler tries the planned node first.
#define NOMINATED_CHANCE_NS (4 * SECOND)
#define NOMINATED_BUSY_NS   (1500 * MILLISECOND)
// Pods whose planned room others took are planned anew when no planned pod was bound for a while:
// what the others leave is known then. At the latest after:
#define DISPLACED_QUIET_NS (1500 * MILLISECOND)
#define DISPLACED_MAX_NS   (15 * SECOND)

struct pod_record {
    const struct pod *pod;
    struct pod_list *bound; // the list of its node, NULL if unbound
    uint32_t bound_index, provisionable_index, unbound_index;
    uint64_t serial;      // in the order of first sight
    int64_t displaced_ns; // monotonic: when it lost its planned room; 0: it did not
    bool provisionable, is_unbound;
    bool is_put_off; // not to be nominated with the others of its workload on the node
};

struct cluster {
    struct control *control;
    struct map *states;    // state_node by key
    struct map *nodes;     // node_list by provider ID
    struct map *pods;      // pod_record by namespace/name
    struct map *node_pods; // pod_list by node name
    struct planned_pods *planned;
    struct nominations *nominations;
    VECTOR(struct landing_observer {
        landing_handler handler;
        void *context;
    })
    landing_observers;
    struct pod_list provisionable, unbound; // the latter: neither bound nor terminal
    struct map *node_names;                 // that NodeClaims' Nodes will have
    int64_t changed_at, listed_at_ns;
    int64_t unsynced_ns; // monotonic: the first check that failed (LIF-311); 0: none
    int64_t landed_ns;   // monotonic: when a planned pod was bound last
    uint64_t last_serial;
    bool synced;
};

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object);
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object);
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);
static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object);

struct cluster *cluster_create(struct control *control)
{
    struct cluster *cluster = memory_allocate(sizeof *cluster);
    cluster->control = control;
    cluster->states = map_create();
    cluster->nodes = map_create();
    cluster->pods = map_create();
    cluster->node_pods = map_create();
    cluster->planned = planned_pods_create();
    cluster->nominations = nominations_create(control->manager.loop);
    cluster->node_names = map_create();
    cluster->changed_at = manager_now(&control->manager);
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, cluster);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, cluster);
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, cluster);
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, cluster);
    return cluster;
}

static void state_destroy(void *value)
{
    struct state_node *state = value;
    for (uint32_t i = 0; i < state->nodes.count; i++)
        object_release((const struct object *)state->nodes.items[i]);
    for (uint32_t i = 0; i < state->claims.count; i++)
        object_release((const struct object *)state->claims.items[i]);
    vector_free(&state->nodes);
    vector_free(&state->claims);
    free((char *)state->key);
    free(state);
}

static void node_list_destroy(void *value)
{
    struct node_list *list = value;
    for (uint32_t i = 0; i < list->count; i++)
        object_release((const struct object *)list->items[i]);
    free(list->items);
    free(list);
}

static void pod_record_destroy(void *value)
{
    struct pod_record *record = value;
    object_release((const struct object *)record->pod);
    free(record);
}

static void pod_list_destroy(void *value)
{
    struct pod_list *list = value;
    free(list->items);
    free(list);
}

void cluster_destroy(struct cluster *cluster)
{
    if (cluster == NULL)
        return;
    map_destroy(cluster->states, state_destroy);
    map_destroy(cluster->nodes, node_list_destroy);
    map_destroy(cluster->pods, pod_record_destroy);
    map_destroy(cluster->node_pods, pod_list_destroy);
    planned_pods_destroy(cluster->planned);
    nominations_destroy(cluster->nominations);
    vector_free(&cluster->landing_observers);
    map_destroy(cluster->node_names, free);
    free(cluster->provisionable.items);
    free(cluster->unbound.items);
    free(cluster);
}

void cluster_on_landing(struct cluster *cluster, landing_handler handler, void *context)
{
    assert(handler != NULL);
    vector_push(&cluster->landing_observers, (struct landing_observer){handler, context});
}

struct nominations *cluster_nominations(const struct cluster *cluster)
{
    return cluster->nominations;
}

static void touch(struct cluster *cluster)
{
    cluster->changed_at = manager_now(&cluster->control->manager);
}

int64_t cluster_changed_at(struct cluster *cluster)
{
    if (ns_subtract(manager_now(&cluster->control->manager), cluster->changed_at) >= CHANGED_AGE_NS)
        touch(cluster);
    return cluster->changed_at;
}

// --- state nodes ---------------------------------------------------------------------------------
struct state_node *cluster_state(const struct cluster *cluster, const char *provider_id)
{
    if (provider_id == NULL || *provider_id == '\0')
        return NULL;
    return map_get(cluster->states, provider_id);
}

struct state_node *cluster_state_of_node(const struct cluster *cluster, const struct node *node)
{
    const char *key = state_node_key(node);
    return key != NULL ? map_get(cluster->states, key) : NULL;
}

static struct state_node *state_make(struct cluster *cluster, const char *key)
{
    struct state_node *state = map_get(cluster->states, key);
    if (state != NULL)
        return state;
    state = memory_allocate(sizeof *state);
    state->key = memory_copy_string(key);
    map_set(cluster->states, key, state);
    touch(cluster);
    return state;
}

static void state_drop_if_empty(struct cluster *cluster, struct state_node *state)
{
    touch(cluster);
    if (state->nodes.count > 0 || state->claims.count > 0)
        return;
    map_remove(cluster->states, state->key);
    state_destroy(state);
}

// Pods that were planned for a node come when it is ready, as soon as kube-scheduler has tried them
// again: until then it is nominated for them (LIF-313).
static void keep_for_planned_pods(struct cluster *cluster, struct state_node *state)
{
    for (uint32_t i = 0; i < state->claims.count; i++)
        if (planned_pods_count(cluster->planned, state->claims.items[i]->meta.name) > 0)
            cluster_nominate(cluster, state);
}

static void state_note_changes(struct cluster *cluster, struct state_node *state)
{
    bool initialized = state_initialized(state), marked = state_marked(state);
    if (initialized != state->was_initialized || marked != state->was_marked)
        touch(cluster);
    if (!initialized)
        state->initialized_ns = 0;
    else if (state->initialized_ns == 0)
        state->initialized_ns = loop_monotonic_ns(cluster->control->manager.loop);
    if (initialized && !state->was_initialized &&
        !cluster->control->manager.settings->compatibility_upstream)
        keep_for_planned_pods(cluster, state);
    state->was_initialized = initialized;
    state->was_marked = marked;
}

// Replaces `old_object` by `new_object` (either may be NULL) in the lists of a state's parts. The
// two lists have the same layout: pointers to objects.
struct object_list {
    const struct object **items;
    uint32_t count, capacity;
};

static void list_replace(struct object_list *list, const struct object *old_object,
                         const struct object *new_object)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (!text_equal(list->items[i]->meta.name,
                        (old_object != NULL ? old_object : new_object)->meta.name))
            continue;
        object_release(list->items[i]);
        if (new_object != NULL)
            list->items[i] = object_acquire(new_object);
        else
            memmove(&list->items[i], &list->items[i + 1],
                    (--list->count - i) * sizeof *list->items);
        return;
    }
    if (new_object != NULL)
        vector_push(list, object_acquire(new_object));
}

static struct object_list *state_list(struct state_node *state, bool claims)
{
    return claims ? (struct object_list *)&state->claims : (struct object_list *)&state->nodes;
}

static void state_change(struct cluster *cluster, bool claims, const char *old_key,
                         const struct object *old_object, const char *new_key,
                         const struct object *new_object)
{
    struct state_node *old_state = old_key != NULL ? map_get(cluster->states, old_key) : NULL;
    if (old_state != NULL && !text_equal(old_key, new_key)) {
        list_replace(state_list(old_state, claims), old_object, NULL);
        state_drop_if_empty(cluster, old_state);
    }
    if (new_key == NULL)
        return;
    struct state_node *state = state_make(cluster, new_key);
    list_replace(state_list(state, claims), old_object, new_object);
    state_note_changes(cluster, state);
}

// --- Nodes by provider ID ------------------------------------------------------------------------
static const char *provider_of(const struct node *node)
{
    const char *provider_id = node != NULL ? node->spec.provider_id : NULL;
    return provider_id != NULL && *provider_id != '\0' ? provider_id : NULL;
}

static void index_node(struct cluster *cluster, const struct node *old_node,
                       const struct node *new_node)
{
    const char *before = provider_of(old_node), *now = provider_of(new_node);
    struct node_list *list = before != NULL ? map_get(cluster->nodes, before) : NULL;
    if (list != NULL && !text_equal(before, now)) {
        list_replace((struct object_list *)list, (const struct object *)old_node, NULL);
        if (list->count == 0)
            node_list_destroy(map_remove(cluster->nodes, before));
    }
    if (now == NULL)
        return;
    list = map_ensure(cluster->nodes, now, sizeof *list);
    list_replace((struct object_list *)list, (const struct object *)old_node,
                 (const struct object *)new_node);
}

const struct node_list *cluster_nodes_with(const struct cluster *cluster, const char *provider_id)
{
    static const struct node_list none = {0};
    const struct node_list *list =
        provider_id != NULL && *provider_id != '\0' ? map_get(cluster->nodes, provider_id) : NULL;
    return list != NULL ? list : &none;
}

const struct node *cluster_main_node(const struct cluster *cluster, const struct node_claim *claim)
{
    return node_list_main(cluster_nodes_with(cluster, claim->status.provider_id),
                          claim->status.node_name);
}

static void drop_empty_list(struct cluster *cluster, const char *node_name);

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct cluster *cluster = context;
    (void)change;
    if (new_object == NULL)
        drop_empty_list(cluster, old_object->meta.name);
    const struct node *old_node = (const struct node *)old_object;
    const struct node *new_node = (const struct node *)new_object;
    index_node(cluster, old_node, new_node);
    state_change(cluster, false, old_node != NULL ? state_node_key(old_node) : NULL, old_object,
                 new_node != NULL ? state_node_key(new_node) : NULL, new_object);
}

static const char *claim_key(const struct node_claim *claim)
{
    return node_claim_is_launched(claim) ? claim->status.provider_id : NULL;
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct cluster *cluster = context;
    (void)change;
    if (!managed_claim(cluster->control,
                       (const struct node_claim *)(new_object != NULL ? new_object : old_object)))
        return; // another provider's (LIF-2); whose it is never changes
    state_change(context, true, claim_key((const struct node_claim *)old_object), old_object,
                 claim_key((const struct node_claim *)new_object), new_object);
    if (new_object == NULL) {
        planned_pods_forget_claim(cluster->planned, old_object->meta.name);
        free(map_remove(cluster->node_names, old_object->meta.name));
    }
}

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    (void)change;
    if (old_object == NULL || new_object == NULL ||
        old_object->meta.generation != new_object->meta.generation)
        touch(context);
}

struct state_node *cluster_next(const struct cluster *cluster, struct map_entry **position)
{
    *position = *position == NULL ? map_first(cluster->states) : map_next(*position);
    return *position != NULL ? map_value(*position) : NULL;
}

uint32_t cluster_count(const struct cluster *cluster)
{
    return (uint32_t)map_count(cluster->states);
}

const struct node *cluster_node_of(const struct cluster *cluster, const struct node_claim *claim,
                                   uint32_t *count)
{
    const struct node_list *nodes = cluster_nodes_with(cluster, claim->status.provider_id);
    if (count != NULL)
        *count = nodes->count;
    return nodes->count == 1 ? nodes->items[0] : NULL;
}

const struct node_claim *cluster_claim_of(const struct cluster *cluster, const struct node *node,
                                          uint32_t *count)
{
    const struct state_node *state = cluster_state(cluster, node->spec.provider_id);
    if (count != NULL)
        *count = state != NULL ? state->claims.count : 0;
    return state != NULL ? state_only_claim(state) : NULL;
}

// --- pods ----------------------------------------------------------------------------------------
static struct pod_record *record_of(const struct cluster *cluster, const struct pod *pod)
{
    char key[600];
    object_namespaced_name((const struct object *)pod, key);
    return map_get(cluster->pods, key);
}

// Takes the pod out of a list by moving the last one into its place.
enum pod_listing { BOUND, PROVISIONABLE, UNBOUND };

static void unlist(struct cluster *cluster, struct pod_list *list, uint32_t index,
                   enum pod_listing listing)
{
    list->items[index] = list->items[--list->count];
    if (index == list->count)
        return;
    struct pod_record *moved = record_of(cluster, list->items[index]);
    switch (listing) {
    case BOUND:
        moved->bound_index = index;
        break;
    case PROVISIONABLE:
        moved->provisionable_index = index;
        break;
    case UNBOUND:
        moved->unbound_index = index;
        break;
    }
}

static void pod_unlist(struct cluster *cluster, struct pod_record *record)
{
    if (record->bound != NULL)
        unlist(cluster, record->bound, record->bound_index, BOUND);
    if (record->provisionable)
        unlist(cluster, &cluster->provisionable, record->provisionable_index, PROVISIONABLE);
    if (record->is_unbound)
        unlist(cluster, &cluster->unbound, record->unbound_index, UNBOUND);
    record->bound = NULL;
    record->provisionable = record->is_unbound = false;
}

static struct pod_list *pods_of_node(struct cluster *cluster, const char *node_name)
{
    return map_ensure(cluster->node_pods, node_name, sizeof(struct pod_list));
}

// Node names never come back in a cluster that scales; an empty list of a gone node is dropped.
static void drop_empty_list(struct cluster *cluster, const char *node_name)
{
    const struct pod_list *list = node_name != NULL ? map_get(cluster->node_pods, node_name) : NULL;
    if (list == NULL || list->count > 0 || find_node(cluster->control, node_name) != NULL)
        return;
    pod_list_destroy(map_remove(cluster->node_pods, node_name));
}

// A nomination by kube-scheduler is for a node that exists and where it makes room: nothing is to
// be done for the pod. One for a planned pod, or for a node that does not exist, is ours.
static bool is_nominated_by_scheduler(const struct cluster *cluster, const struct pod *pod)
{
    return pod_is_nominated(pod) &&
           (cluster->control->manager.settings->compatibility_upstream ||
            (planned_pods_claim(cluster->planned, pod->meta.uid) == NULL &&
             find_node(cluster->control, pod->status.nominated_node_name) != NULL));
}

static bool is_provisionable(const struct cluster *cluster, const struct pod *pod)
{
    if (cluster->control->manager.settings->compatibility_upstream)
        return pod_wants_node(pod);
    const struct condition *scheduled = condition_find(&pod->status.conditions, "PodScheduled");
    bool waits = pod_is_unexamined(pod) || pod_is_nominated(pod) ||
                 (scheduled != NULL && text_equal(scheduled->reason, "Unschedulable"));
    return waits && !is_nominated_by_scheduler(cluster, pod) && !pod_owned_by_daemon_set(pod) &&
           !pod_owned_by_node(pod) && !pod_is_terminal(pod) &&
           pod->spec.scheduling_gates.count == 0;
}

static void pod_enlist(struct cluster *cluster, struct pod_record *record)
{
    const struct pod *pod = record->pod;
    if (pod->spec.node_name != NULL && *pod->spec.node_name != '\0') {
        record->bound = pods_of_node(cluster, pod->spec.node_name);
        record->bound_index = record->bound->count;
        vector_push(record->bound, pod);
        return;
    }
    record->is_unbound = !pod_is_terminal(pod);
    if (record->is_unbound) {
        record->unbound_index = cluster->unbound.count;
        vector_push(&cluster->unbound, pod);
    }
    record->provisionable = is_provisionable(cluster, pod);
    if (record->provisionable) {
        record->provisionable_index = cluster->provisionable.count;
        vector_push(&cluster->provisionable, pod);
    }
}

static void pod_forget(struct cluster *cluster, const struct object *pod)
{
    char key[600];
    object_namespaced_name(pod, key);
    struct pod_record *record = map_get(cluster->pods, key);
    if (record == NULL)
        return;
    pod_unlist(cluster, record);
    drop_empty_list(cluster, record->pod->spec.node_name);
    map_remove(cluster->pods, key);
    pod_record_destroy(record);
    planned_pods_forget(cluster->planned, pod->meta.uid);
}

static void count_landing(const struct cluster *cluster, const struct node_claim *claim,
                          bool as_planned)
{
    metric_add(cluster->control->metrics.planned_pods_bound, 1,
               label_or_empty((const struct object *)claim, LABEL_NODE_POOL),
               as_planned ? "planned" : "elsewhere");
    vector_for_each (observer, &cluster->landing_observers)
        observer->handler(observer->context, as_planned);
}

static bool take_room(struct resource_map *room, const struct resource_map *requests)
{
    list_for_each (request, requests)
        if (request->value > resource_map_get(room, request->name))
            return false;
    list_for_each (left, room)
        left->value -= resource_map_get(requests, left->name);
    return true;
}

// A pod came to a node where others are still to come: those for whom there is no room left need
// another place.
static void release_displaced(struct cluster *cluster, const struct node *node)
{
    const struct node_claim *claim = node != NULL ? cluster_claim_of(cluster, node, NULL) : NULL;
    if (claim == NULL || planned_pods_count(cluster->planned, claim->meta.name) == 0)
        return;
    CLEANUP_ARENA struct arena *arena = arena_create(16 * 1024);
    struct resource_map room = state_allocatable(arena, cluster_state_of_node(cluster, node));
    struct resource_map own = {.items =
                                   arena_allocate_array(arena, room.count + 1, sizeof *own.items)};
    list_for_each (entry, &room)
        own.items[own.count++] = *entry;
    const struct pod_list *pods = cluster_pods(cluster, node->meta.name);
    for (uint32_t i = 0; i < pods->count; i++) {
        struct resource_map requests = pod_requests(arena, pods->items[i]);
        list_for_each (left, &own)
            if (!pod_is_terminal(pods->items[i]))
                left->value -= resource_map_get(&requests, left->name);
    }
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(cluster, claim, i)) != NULL;) {
        struct resource_map requests = pod_requests(arena, pod);
        if (take_room(&own, &requests)) {
            i++;
            continue;
        }
        count_landing(cluster, claim, false);
        record_of(cluster, pod)->displaced_ns = loop_monotonic_ns(cluster->control->manager.loop);
        planned_pods_forget(cluster->planned, pod->meta.uid);
    }
}

// SCH-516: kube-scheduler decides for itself. Whether the pod came to lie where it was planned.
static bool note_landing(struct cluster *cluster, const struct pod *pod,
                         const struct node_claim *claim)
{
    if (claim == NULL)
        return false;
    const struct node *node = find_node(cluster->control, pod->spec.node_name);
    cluster->landed_ns = loop_monotonic_ns(cluster->control->manager.loop);
    bool there = node != NULL && claim_key(claim) != NULL &&
                 text_equal(node->spec.provider_id, claim_key(claim));
    count_landing(cluster, claim, there);
    nominations_note_landing(cluster->nominations, pod, there);
    return there;
}

// A pod that was expected has come.
static void take_expected_place(struct cluster *cluster, const struct pod *pod)
{
    const char *workload = pod_controller_uid(pod);
    if (workload != NULL && pod->meta.uid != NULL && is_provisionable(cluster, pod)) {
        char name[600];
        object_namespaced_name((const struct object *)pod, name);
        planned_pods_arrive(cluster->planned, workload, pod->meta.uid, name);
    }
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct cluster *cluster = context;
    (void)change;
    if (new_object == NULL) {
        pod_forget(cluster, old_object);
        touch(cluster);
        return;
    }
    struct pod_record *record = record_of(cluster, (const struct pod *)new_object);
    if (record == NULL) {
        char key[600];
        object_namespaced_name(new_object, key);
        record = memory_allocate(sizeof *record);
        record->serial = ++cluster->last_serial;
        map_set(cluster->pods, key, record);
    }
    const struct pod_list *was_bound = record->bound;
    take_expected_place(cluster, (const struct pod *)new_object);
    pod_unlist(cluster, record);
    const struct pod *before = record->pod;
    record->pod = (const struct pod *)object_acquire(new_object);
    object_release((const struct object *)before);
    pod_enlist(cluster, record);
    if (record->bound != NULL && record->bound != was_bound) {
        touch(cluster);
        record->displaced_ns = 0;
        const char *name = planned_pods_claim(cluster->planned, new_object->meta.uid);
        const struct node_claim *planned = name != NULL ? find_claim(cluster->control, name) : NULL;
        bool as_planned = note_landing(cluster, record->pod, planned);
        planned_pods_forget(cluster->planned, new_object->meta.uid);
        if (!as_planned && !cluster->control->manager.settings->compatibility_upstream)
            release_displaced(cluster, find_node(cluster->control, record->pod->spec.node_name));
    }
}

const struct pod_list *cluster_pods(const struct cluster *cluster, const char *node_name)
{
    static const struct pod_list none = {0};
    const struct pod_list *list = node_name != NULL ? map_get(cluster->node_pods, node_name) : NULL;
    return list != NULL ? list : &none;
}

const struct pod_list *cluster_provisionable(const struct cluster *cluster)
{
    return &cluster->provisionable;
}

uint32_t cluster_unbound_pods(const struct cluster *cluster)
{
    return cluster->unbound.count;
}

const struct pod_list *cluster_unbound(const struct cluster *cluster)
{
    return &cluster->unbound;
}

const char *cluster_node_name(const struct cluster *cluster, const struct node_claim *claim)
{
    const struct node *node = cluster_main_node(cluster, claim);
    if (node != NULL)
        return node->meta.name;
    const char *registered = claim->status.node_name;
    return registered != NULL && *registered != '\0'
               ? registered
               : map_get(cluster->node_names, claim->meta.name);
}

void cluster_expect_node(struct cluster *cluster, const struct node_claim *claim,
                         const char *node_name)
{
    if (node_name != NULL && *node_name != '\0')
        free(map_set(cluster->node_names, claim->meta.name, memory_copy_string(node_name)));
}

// --- what decisions leave behind -----------------------------------------------------------------
static int64_t nomination_ns(const struct cluster *cluster)
{
    int64_t window = 2 * cluster->control->manager.settings->batch_max_duration;
    return window > 10 * SECOND ? window : 10 * SECOND;
}

void cluster_nominate(struct cluster *cluster, struct state_node *state)
{
    state->nominated_until =
        ns_add(manager_now(&cluster->control->manager), nomination_ns(cluster));
}

void cluster_hold(struct cluster *cluster, struct state_node *state, int64_t window_ns)
{
    int64_t until = ns_add(manager_now(&cluster->control->manager),
                           window_ns > 0 ? window_ns : nomination_ns(cluster));
    if (state->held_until < until)
        state->held_until = until;
}

int64_t cluster_nominated_until(const struct cluster *cluster, const struct state_node *state)
{
    bool counts =
        cluster->unbound.count > 0 || cluster->control->manager.settings->compatibility_upstream;
    int64_t until = counts ? state->nominated_until : 0;
    return until > state->held_until ? until : state->held_until;
}

void cluster_plan_pod(struct cluster *cluster, const struct pod *pod, const char *claim)
{
    char name[600];
    object_namespaced_name((const struct object *)pod, name);
    struct pod_record *record = record_of(cluster, pod);
    if (record != NULL)
        record->displaced_ns = 0;
    if (pod->meta.uid != NULL)
        planned_pods_set(cluster->planned, pod->meta.uid, name, claim);
}

const struct pod *cluster_planned_on(const struct cluster *cluster, const struct node_claim *claim,
                                     uint32_t number)
{
    const char *name = planned_pods_on(cluster->planned, claim->meta.name, number);
    const struct pod_record *record = name != NULL ? map_get(cluster->pods, name) : NULL;
    return record != NULL ? record->pod : NULL;
}

uint32_t cluster_planned_count(const struct cluster *cluster, const struct node_claim *claim)
{
    return planned_pods_count(cluster->planned, claim->meta.name);
}

const struct node_claim *cluster_next_planned(const struct cluster *cluster,
                                              struct map_entry **position)
{
    const char *name;
    while ((name = planned_pods_next_claim(cluster->planned, position)) != NULL) {
        const struct node_claim *claim = find_claim(cluster->control, name);
        if (claim != NULL && !object_is_deleting((const struct object *)claim))
            return claim;
    }
    return NULL;
}

void cluster_put_off(struct cluster *cluster, const struct pod *pod, bool is_put_off)
{
    struct pod_record *record = record_of(cluster, pod);
    if (record != NULL)
        record->is_put_off = is_put_off;
}

bool cluster_is_put_off(const struct cluster *cluster, const struct pod *pod)
{
    const struct pod_record *record = record_of(cluster, pod);
    return record != NULL && record->is_put_off;
}

uint64_t cluster_pod_serial(const struct cluster *cluster, const struct pod *pod)
{
    const struct pod_record *record = record_of(cluster, pod);
    return record != NULL ? record->serial : 0;
}

// A pod that runs has another place to come only as long as its node is to go.
static bool stays_where_it_is(const struct cluster *cluster, const struct pod *pod)
{
    if (pod->spec.node_name == NULL)
        return false;
    const struct node *node = find_node(cluster->control, pod->spec.node_name);
    const struct state_node *state = node != NULL ? cluster_state_of_node(cluster, node) : NULL;
    return state != NULL && !state_marked(state);
}

// How long the plan still holds for a pod that is to come to the initialized node; <= 0: no longer.
static int64_t chance_left(const struct cluster *cluster, const struct state_node *state,
                           const struct pod *pod)
{
    bool nominated = nominations_has(cluster->nominations, pod);
    int64_t chance_ns = nominated ? NOMINATED_CHANCE_NS : CHANCE_NS;
    int64_t busy_ns = nominated ? NOMINATED_BUSY_NS : CHANCE_BUSY_NS;
    int64_t until_ns =
        ns_maximum(ns_add(state->initialized_ns, chance_ns), ns_add(cluster->landed_ns, busy_ns));
    until_ns = ns_minimum(until_ns, ns_add(state->initialized_ns, CHANCE_MAX_NS));
    return ns_subtract(until_ns, loop_monotonic_ns(cluster->control->manager.loop));
}

const struct node_claim *cluster_planned_claim(struct cluster *cluster, const struct pod *pod)
{
    const char *name = planned_pods_claim(cluster->planned, pod->meta.uid);
    if (name == NULL || stays_where_it_is(cluster, pod))
        return NULL;
    const struct node_claim *claim = find_claim(cluster->control, name);
    if (claim == NULL || object_is_deleting((const struct object *)claim)) {
        planned_pods_forget(cluster->planned, pod->meta.uid);
        return NULL;
    }
    const char *key = claim_key(claim);
    if (key == NULL)
        return claim;
    const struct state_node *state = map_get(cluster->states, key);
    bool over = cluster->control->manager.settings->compatibility_upstream || state == NULL ||
                state_marked(state) ||
                (state_initialized(state) && !nominations_keep(cluster->nominations, name) &&
                 chance_left(cluster, state, pod) <= 0);
    return over ? NULL : claim;
}

void cluster_expect_pod(struct cluster *cluster, const char *workload_uid, const char *claim)
{
    planned_pods_expect(cluster->planned, workload_uid, claim);
}

void cluster_seat_pods(struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->provisionable.count; i++)
        take_expected_place(cluster, cluster->provisionable.items[i]);
}

uint32_t cluster_expected(const struct cluster *cluster, const char *workload_uid)
{
    return planned_pods_expected(cluster->planned, workload_uid);
}

const struct node_claim *cluster_expected_on(const struct cluster *cluster,
                                             const char *workload_uid, uint32_t number)
{
    return find_claim(cluster->control,
                      planned_pods_expected_on(cluster->planned, workload_uid, number));
}

void cluster_expect_no_more(struct cluster *cluster, const char *workload_uid)
{
    planned_pods_expect_no_more(cluster->planned, workload_uid);
}

void cluster_keep_place(struct cluster *cluster, const char *workload_uid, const char *claim)
{
    planned_pods_keep(cluster->planned, workload_uid, claim);
}

uint32_t cluster_kept_places(const struct cluster *cluster, const char *claim)
{
    return planned_pods_kept(cluster->planned, claim);
}

void cluster_keep_no_more(struct cluster *cluster, const char *claim)
{
    planned_pods_keep_no_more(cluster->planned, claim);
}

void cluster_note_opening(struct cluster *cluster, const char *name)
{
    const struct node_claim *claim = find_claim(cluster->control, name);
    const char *key = claim != NULL ? claim_key(claim) : NULL;
    struct state_node *state = key != NULL ? map_get(cluster->states, key) : NULL;
    if (state != NULL && state->initialized_ns != 0)
        state->initialized_ns = loop_monotonic_ns(cluster->control->manager.loop);
}

// How long the displaced pod still waits to be planned anew.
static int64_t displaced_left(const struct cluster *cluster, const struct pod_record *record)
{
    if (record == NULL || record->displaced_ns == 0)
        return 0;
    int64_t until_ns = ns_minimum(ns_add(cluster->landed_ns, DISPLACED_QUIET_NS),
                                  ns_add(record->displaced_ns, DISPLACED_MAX_NS));
    return ns_subtract(until_ns, loop_monotonic_ns(cluster->control->manager.loop));
}

// The same for a pod with a plan: its node is open.
static int64_t plan_left(struct cluster *cluster, const struct pod *pod)
{
    const struct node_claim *claim = cluster_planned_claim(cluster, pod);
    const char *key = claim != NULL ? claim_key(claim) : NULL;
    const struct state_node *state = key != NULL ? map_get(cluster->states, key) : NULL;
    return state != NULL && state_initialized(state) ? chance_left(cluster, state, pod) : 0;
}

int64_t cluster_unplanned_in(struct cluster *cluster)
{
    int64_t next_ns = INT64_MAX;
    for (uint32_t i = 0; i < cluster->provisionable.count; i++) {
        const struct pod *pod = cluster->provisionable.items[i];
        int64_t left_ns = displaced_left(cluster, record_of(cluster, pod));
        if (left_ns <= 0)
            left_ns = plan_left(cluster, pod);
        if (left_ns > 0)
            next_ns = ns_minimum(next_ns, left_ns);
    }
    return next_ns;
}

bool cluster_is_displaced(const struct cluster *cluster, const struct pod *pod)
{
    return displaced_left(cluster, record_of(cluster, pod)) > 0;
}

bool cluster_is_spoken_for(struct cluster *cluster, const struct pod *pod)
{
    return cluster_planned_claim(cluster, pod) != NULL || cluster_is_displaced(cluster, pod);
}

bool cluster_is_awaited(struct cluster *cluster, const struct node_claim *claim)
{
    const struct pod_list *pods = cluster_provisionable(cluster);
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct node_claim *planned = cluster_planned_claim(cluster, pods->items[i]);
        if (planned != NULL && text_equal(planned->meta.name, claim->meta.name))
            return true;
    }
    return false;
}

// --- sync ----------------------------------------------------------------------------------------
static bool everything_tracked(const struct cluster *cluster)
{
    const struct mirror *mirror = cluster->control->manager.mirror;
    struct mirror_iterator iterator = {0};
    for (const struct object *object; (object = mirror_next(mirror, KIND_NODE_CLAIM, &iterator));) {
        const struct node_claim *claim = (const struct node_claim *)object;
        if (managed_claim(cluster->control, claim) && claim_key(claim) == NULL &&
            !object_is_deleting(object))
            return false;
    }
    iterator = (struct mirror_iterator){0};
    for (const struct object *object; (object = mirror_next(mirror, KIND_NODE, &iterator));)
        if (state_node_key((const struct node *)object) == NULL)
            return false;
    return true;
}

bool cluster_synced(struct cluster *cluster)
{
    struct control_metrics *metrics = &cluster->control->metrics;
    int64_t now = loop_monotonic_ns(cluster->control->manager.loop);
    if (!cluster->synced && mirror_synced(cluster->control->manager.mirror)) {
        if (cluster->listed_at_ns == 0)
            cluster->listed_at_ns = ns_add(now, 1);
        cluster->synced = everything_tracked(cluster) ||
                          ns_subtract(now, cluster->listed_at_ns) >= UNLAUNCHED_WAIT_NS;
    }
    metric_set(metrics->cluster_synced, cluster->synced);
    metric_set(metrics->cluster_nodes, cluster_count(cluster));
    if (!cluster->synced && cluster->unsynced_ns == 0)
        cluster->unsynced_ns = now;
    metric_set(metrics->cluster_unsynced_seconds,
               cluster->synced ? 0 : (double)ns_subtract(now, cluster->unsynced_ns) / SECOND);
    return cluster->synced;
}
