#include "control/state/cluster_plans.h"

#include "base/nanoseconds.h"
#include "control/state/cluster_contents.h"
#include "control/state/nominations.h"
#include "control/state/planned_pods.h"
#include "model/reading/pod.h"
#include "model/schema/object.h"

// kube-scheduler has had its chance to bind a planned pod when the plan and the ready node are some
// seconds old and no planned pod was bound anywhere, nor waits for a closed node, or after
// CHANCE_MAX_NS.
#define CHANCE_NS      (10 * SECOND)
#define CHANCE_BUSY_NS (5 * SECOND)
#define CHANCE_MAX_NS  (2 * MINUTE)
#define CHANCE_OPEN_NS (20 * SECOND) // instead, if the node was ready before
// The same for a nominated pod: kube-scheduler tries the planned node first.
#define NOMINATED_CHANCE_NS (4 * SECOND)
#define NOMINATED_BUSY_NS   (1500 * MILLISECOND)
// Displaced pods are planned anew when no planned pod was bound for a while, since the remaining
// room is known by then. At the latest after:
#define DISPLACED_QUIET_NS (1500 * MILLISECOND)
#define DISPLACED_MAX_NS   (15 * SECOND)

void cluster_set_plan(struct cluster *cluster, const struct pod *pod, const char *claim,
                      bool is_new)
{
    char name[600];
    object_namespaced_name((const struct object *)pod, name);
    struct pod_record *record = pod_index_find(&cluster->pods, pod);
    if (record != NULL) {
        record->displaced_ns = 0;
        if (is_new)
            record->planned_ns = loop_monotonic_ns(cluster->control->manager.loop);
    }
    if (pod->meta.uid != NULL)
        planned_pods_set(cluster->planned, pod->meta.uid, name, claim);
}

void cluster_plan_pod(struct cluster *cluster, const struct pod *pod, const char *claim)
{
    cluster_set_plan(cluster, pod, claim, true);
}

void cluster_move_plan(struct cluster *cluster, const struct pod *pod, const char *claim)
{
    if (text_equal(planned_pods_claim(cluster->planned, pod->meta.uid), claim))
        return;
    const struct state_node *state = state_of_claim(cluster, find_claim(cluster->control, claim));
    cluster_set_plan(cluster, pod, claim, state != NULL && state->initialized_ns != 0);
}

const struct pod *cluster_planned_on(const struct cluster *cluster, const struct node_claim *claim,
                                     uint32_t number)
{
    const char *name = planned_pods_on(cluster->planned, claim->meta.name, number);
    const struct pod_record *record = name != NULL ? map_get(cluster->pods.records, name) : NULL;
    return record != NULL ? record->pod : NULL;
}

uint32_t cluster_planned_count(const struct cluster *cluster, const struct node_claim *claim)
{
    return planned_pods_count(cluster->planned, claim->meta.name);
}

uint32_t cluster_waiting_count(const struct cluster *cluster, const struct node_claim *claim)
{
    uint32_t waiting = 0;
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(cluster, claim, i)) != NULL; i++)
        waiting += !pod_is_bound(pod);
    return waiting;
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
    struct pod_record *record = pod_index_find(&cluster->pods, pod);
    if (record != NULL)
        record->is_put_off = is_put_off;
}

bool cluster_is_put_off(const struct cluster *cluster, const struct pod *pod)
{
    const struct pod_record *record = pod_index_find(&cluster->pods, pod);
    return record != NULL && record->is_put_off;
}

bool cluster_lost_nomination(const struct cluster *cluster, const struct pod *pod, int64_t since_ns)
{
    const struct pod_record *record = pod_index_find(&cluster->pods, pod);
    return record != NULL && record->lost_ns != 0 && record->lost_ns >= since_ns;
}

int64_t cluster_last_turn(const struct cluster *cluster)
{
    return cluster->pods.turns.seen_ns;
}

int64_t cluster_last_landing(const struct cluster *cluster)
{
    return cluster->landed_ns;
}

int64_t cluster_attempts_ns(const struct cluster *cluster)
{
    return scheduler_turns_left_ns(&cluster->pods.turns, cluster->pods.provisionable.count);
}

int64_t cluster_attempts_since(const struct cluster *cluster)
{
    return scheduler_turns_since(&cluster->pods.turns);
}

void cluster_settle_turns(struct cluster *cluster)
{
    scheduler_turns_settle(&cluster->pods.turns, loop_monotonic_ns(cluster->control->manager.loop));
}

int64_t cluster_pod_turn(const struct cluster *cluster, const struct pod *pod)
{
    return pod_index_turn(&cluster->pods, pod);
}

// A running pod needs its planned place only while its node is being disrupted.
static bool stays_where_it_is(const struct cluster *cluster, const struct pod *pod)
{
    const struct state_node *state = cluster_state_named(cluster, pod->spec.node_name);
    return state != NULL && !state_marked(state);
}

// How long the plan of a pod for an initialized node still holds; <= 0: it has expired.
static int64_t chance_left(const struct cluster *cluster, const struct state_node *state,
                           const struct pod *pod)
{
    bool nominated = nominations_has(cluster->nominations, pod);
    int64_t chance_ns = nominated ? NOMINATED_CHANCE_NS : CHANCE_NS;
    int64_t busy_ns = nominated ? NOMINATED_BUSY_NS : CHANCE_BUSY_NS;
    const struct pod_record *record = pod_index_find(&cluster->pods, pod);
    int64_t since_ns = ns_maximum(state->initialized_ns, record != NULL ? record->planned_ns : 0);
    int64_t busy_at_ns = ns_maximum(cluster->landed_ns, cluster->closed_ns);
    int64_t until_ns = ns_maximum(ns_add(since_ns, chance_ns), ns_add(busy_at_ns, busy_ns));
    int64_t most_ns = since_ns > state->initialized_ns ? CHANCE_OPEN_NS : CHANCE_MAX_NS;
    until_ns = ns_minimum(until_ns, ns_add(since_ns, most_ns));
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
    if (node_claim_key(claim) == NULL)
        return claim;
    const struct state_node *state = state_of_claim(cluster, claim);
    bool over = !cluster->control->strategy->keeps_plans || state == NULL || state_marked(state) ||
                (state_initialized(state) && !nominations_keep(cluster->nominations, name) &&
                 chance_left(cluster, state, pod) <= 0);
    return over ? NULL : claim;
}

void cluster_expect_pod(struct cluster *cluster, const char *workload_uid, const char *claim)
{
    planned_pods_expect(cluster->planned, workload_uid, claim);
}

bool cluster_next_place(const struct cluster *cluster, const char *workload_uid, uint32_t number,
                        const struct node_claim **claim)
{
    const char *name = planned_pods_next_place(cluster->planned, workload_uid, number);
    *claim = name != NULL ? find_claim(cluster->control, name) : NULL;
    return name != NULL;
}

void cluster_expect_no_more(struct cluster *cluster, const char *workload_uid)
{
    if (planned_pods_expected(cluster->planned, workload_uid) == 0)
        return;
    cluster_seat_pods(cluster); // some came before their places were made
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

void cluster_set_missing(struct cluster *cluster, const char *workload_uid, uint32_t count)
{
    planned_pods_set_missing(cluster->planned, workload_uid, count);
}

void cluster_set_leaving(struct cluster *cluster, const struct map *counts)
{
    planned_pods_set_leaving(cluster->planned, counts);
}

uint32_t cluster_missing_pods(const struct cluster *cluster)
{
    return planned_pods_missing(cluster->planned);
}

uint32_t cluster_awaited_places(const struct cluster *cluster, const char *claim)
{
    return planned_pods_awaited(cluster->planned, claim);
}

void cluster_end_keeping(struct cluster *cluster, const char *claim)
{
    planned_pods_end_keeping(cluster->planned, claim);
}

void cluster_note_opening(struct cluster *cluster, const char *name)
{
    const struct node_claim *claim = find_claim(cluster->control, name);
    struct state_node *state = state_of_claim(cluster, claim);
    if (state != NULL && state->initialized_ns != 0)
        state->initialized_ns = loop_monotonic_ns(cluster->control->manager.loop);
}

void cluster_note_closed(struct cluster *cluster)
{
    cluster->closed_ns = loop_monotonic_ns(cluster->control->manager.loop);
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

// The same for a planned pod whose node is open.
static int64_t plan_left(struct cluster *cluster, const struct pod *pod)
{
    const struct node_claim *claim = cluster_planned_claim(cluster, pod);
    const struct state_node *state = state_of_claim(cluster, claim);
    return state != NULL && state_initialized(state) ? chance_left(cluster, state, pod) : 0;
}

int64_t cluster_unplanned_in(struct cluster *cluster)
{
    int64_t next_ns = INT64_MAX;
    for (uint32_t i = 0; i < cluster->pods.provisionable.count; i++) {
        const struct pod *pod = cluster->pods.provisionable.items[i];
        int64_t left_ns = displaced_left(cluster, pod_index_find(&cluster->pods, pod));
        if (left_ns <= 0)
            left_ns = plan_left(cluster, pod);
        if (left_ns > 0)
            next_ns = ns_minimum(next_ns, left_ns);
    }
    return next_ns;
}

bool cluster_is_displaced(const struct cluster *cluster, const struct pod *pod)
{
    return displaced_left(cluster, pod_index_find(&cluster->pods, pod)) > 0;
}

bool cluster_is_planned(struct cluster *cluster, const struct pod *pod)
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
