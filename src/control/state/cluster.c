#include "control/state/cluster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/state/cluster_contents.h"
#include "control/state/cluster_landings.h"
#include "control/state/decision_inputs.h"
#include "control/state/nominations.h"
#include "control/state/planned_pods.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"
#include "model/reading/state_node_rules.h"
#include "model/schema/condition_types.h"
#include "model/schema/object.h"
#include "model/schema/resources.h"
#include "model/snapshot/strategy.h"

#define CHANGED_AGE_NS (5 * MINUTE)
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
    node_index_init(&cluster->nodes);
    pod_index_init(&cluster->pods);
    cluster->planned = planned_pods_create();
    cluster->nominations = nominations_create(control->manager.loop);
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

void cluster_destroy(struct cluster *cluster)
{
    if (cluster == NULL)
        return;
    map_destroy(cluster->states, state_destroy);
    node_index_free(&cluster->nodes);
    pod_index_free(&cluster->pods);
    planned_pods_destroy(cluster->planned);
    nominations_destroy(cluster->nominations);
    vector_free(&cluster->landing_observers);
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

struct state_node *cluster_state_named(const struct cluster *cluster, const char *node_name)
{
    const struct node *node = node_name != NULL ? find_node(cluster->control, node_name) : NULL;
    return node != NULL ? cluster_state_of_node(cluster, node) : NULL;
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

// A node that has just become ready stays nominated for its planned pods until kube-scheduler has
// retried them (LIF-313).
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
    if (initialized && !state->was_initialized && cluster->control->strategy->keeps_plans)
        keep_for_planned_pods(cluster, state);
    state->was_initialized = initialized;
    state->was_marked = marked;
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
        object_list_replace(state_list(old_state, claims), old_object, NULL);
        state_drop_if_empty(cluster, old_state);
    }
    if (new_key == NULL)
        return;
    struct state_node *state = state_make(cluster, new_key);
    object_list_replace(state_list(state, claims), old_object, new_object);
    state_note_changes(cluster, state);
}

const struct node_list *cluster_nodes_with(const struct cluster *cluster, const char *provider_id)
{
    return node_index_with(&cluster->nodes, provider_id);
}

const struct node *cluster_main_node(const struct cluster *cluster, const struct node_claim *claim)
{
    return node_list_main(cluster_nodes_with(cluster, claim->status.provider_id),
                          claim->status.node_name);
}

// Drops the empty pod list of a deleted Node.
static void drop_empty_list(struct cluster *cluster, const char *node_name)
{
    if (node_name != NULL && find_node(cluster->control, node_name) == NULL)
        pod_index_drop_node(&cluster->pods, node_name);
}

// kube-scheduler tries pods again. It does not for a taint more.
static void note_move(struct cluster *cluster)
{
    scheduler_turns_note_move(&cluster->pods.turns,
                              loop_monotonic_ns(cluster->control->manager.loop));
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct cluster *cluster = context;
    (void)change;
    if (new_object == NULL)
        drop_empty_list(cluster, old_object->meta.name);
    const struct node *old_node = (const struct node *)old_object;
    const struct node *new_node = (const struct node *)new_object;
    node_index_change(&cluster->nodes, old_node, new_node);
    if (old_node == NULL || new_node == NULL ||
        (node_change_matters(old_node, new_node) &&
         new_node->spec.taints.count <= old_node->spec.taints.count))
        note_move(cluster);
    state_change(cluster, false, old_node != NULL ? state_node_key(old_node) : NULL, old_object,
                 new_node != NULL ? state_node_key(new_node) : NULL, new_object);
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct cluster *cluster = context;
    (void)change;
    if (!managed_claim(cluster->control,
                       (const struct node_claim *)(new_object != NULL ? new_object : old_object)))
        return; // another provider's (LIF-2); whose it is never changes
    state_change(context, true, node_claim_key((const struct node_claim *)old_object), old_object,
                 node_claim_key((const struct node_claim *)new_object), new_object);
    if (new_object == NULL)
        planned_pods_forget_claim(cluster->planned, old_object->meta.name);
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
// kube-scheduler nominates a pod to an existing node on which it preempts others: such a pod needs
// no plan. A nomination of a planned pod, or to a node that does not exist, is adze's own.
static bool is_nominated_by_scheduler(const struct cluster *cluster, const struct pod *pod)
{
    return pod_is_nominated(pod) && planned_pods_claim(cluster->planned, pod->meta.uid) == NULL &&
           find_node(cluster->control, pod->status.nominated_node_name) != NULL;
}

static bool is_provisionable(const struct cluster *cluster, const struct pod *pod)
{
    if (!snapshot_strategy_of(cluster->control->manager.settings)->plans_unexamined_pods)
        return pod_needs_node(pod);
    const struct condition *scheduled =
        condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED);
    bool waits = pod_is_unexamined(pod) || pod_is_nominated(pod) ||
                 (scheduled != NULL && text_equal(scheduled->reason, "Unschedulable"));
    return waits && !is_nominated_by_scheduler(cluster, pod) && !pod_owned_by_daemon_set(pod) &&
           !pod_owned_by_node(pod) && !pod_is_terminal(pod) &&
           pod->spec.scheduling_gates.count == 0;
}

static void pod_forget(struct cluster *cluster, const struct pod *pod)
{
    struct pod_record *record = pod_index_find(&cluster->pods, pod);
    if (record == NULL)
        return;
    const struct object *last = object_acquire((const struct object *)record->pod);
    if (pod_is_bound(record->pod) && !pod_is_terminal(record->pod))
        note_move(cluster);
    pod_index_remove(&cluster->pods, record);
    drop_empty_list(cluster, ((const struct pod *)last)->spec.node_name);
    object_release(last);
    planned_pods_forget(cluster->planned, pod->meta.uid);
}

// A new pod takes a place that was planned for its workload.
static void take_expected_place(struct cluster *cluster, const struct pod *pod)
{
    const char *workload = pod_controller_uid(pod);
    if (workload != NULL && pod->meta.uid != NULL && is_provisionable(cluster, pod)) {
        char name[600];
        object_namespaced_name((const struct object *)pod, name);
        struct pod_record *record = map_get(cluster->pods.records, name);
        if (record == NULL || record->is_in_pass)
            return;
        if (planned_pods_arrive(cluster->planned, workload, pod->meta.uid, name))
            record->planned_ns = loop_monotonic_ns(cluster->control->manager.loop);
    }
}

static void note_binding(struct cluster *cluster, struct pod_record *record)
{
    struct landing landing = {.node = find_node(cluster->control, record->pod->spec.node_name)};
    if (landing.node != NULL) {
        landing.claim = cluster_claim_of(cluster, landing.node, NULL);
        landing.state = cluster_state_of_node(cluster, landing.node);
    }
    touch(cluster);
    cluster_note_binding(cluster, record, &landing);
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct cluster *cluster = context;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    if (pod == NULL) {
        pod_forget(cluster, (const struct pod *)old_object);
        touch(cluster);
        return;
    }
    int64_t now_ns = loop_monotonic_ns(cluster->control->manager.loop);
    struct pod_record *record = pod_index_ensure(&cluster->pods, pod, now_ns);
    const struct pod_list *was_bound = record->bound;
    take_expected_place(cluster, pod);
    bool provisionable = !pod_is_bound(pod) && is_provisionable(cluster, pod);
    if (pod_is_bound(pod) && pod_is_terminal(pod) && record->pod != NULL &&
        !pod_is_terminal(record->pod))
        note_move(cluster);
    pod_index_replace(&cluster->pods, record, pod, provisionable, now_ns);
    if (record->bound != NULL && record->bound != was_bound)
        note_binding(cluster, record);
}

const struct pod_list *cluster_pods(const struct cluster *cluster, const char *node_name)
{
    return pod_index_on(&cluster->pods, node_name);
}

bool cluster_has_pods(const struct cluster *cluster, const char *node_name)
{
    const struct pod_list *pods = cluster_pods(cluster, node_name);
    for (uint32_t i = 0; i < pods->count; i++)
        if (pod_needs_place(pods->items[i]))
            return true;
    return false;
}

const struct pod_list *cluster_provisionable(const struct cluster *cluster)
{
    return &cluster->pods.provisionable;
}

uint32_t cluster_unbound_pods(const struct cluster *cluster)
{
    return cluster->pods.unbound.count;
}

const struct pod_list *cluster_unbound(const struct cluster *cluster)
{
    return &cluster->pods.unbound;
}

// --- marks of decisions -----------------------------------------------------------------
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
        cluster->pods.unbound.count > 0 || !cluster->control->strategy->ends_idle_nominations;
    int64_t until = counts ? state->nominated_until : 0;
    return until > state->held_until ? until : state->held_until;
}

void cluster_seat_pods(struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pods.provisionable.count; i++)
        take_expected_place(cluster, cluster->pods.provisionable.items[i]);
}

void cluster_note_in_pass(struct cluster *cluster, const struct pod *pod)
{
    struct pod_record *record = pod_index_find(&cluster->pods, pod);
    if (record != NULL && text_equal(record->pod->meta.uid, pod->meta.uid))
        record->is_in_pass = true;
}

void cluster_end_pass(struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pods.unbound.count; i++)
        pod_index_find(&cluster->pods, cluster->pods.unbound.items[i])->is_in_pass = false;
    cluster_seat_pods(cluster);
}
