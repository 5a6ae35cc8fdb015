#include "control/node/eviction_queue.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/node/drain.h"
#include "control/node/drain_order.h"
#include "control/node/ready_replicas.h"
#include "control/state/cluster.h"
#include "control/state/protection_events.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "reconcile/operations.h"

// After an accepted eviction the mirror has this long to show that the pod is terminating; then it
// is evicted again. A 404 or 409 is retried sooner.
#define ACCEPTED_NS (30 * SECOND)
#define REFUSED_NS  SECOND
// The longest that a workload without another ready pod keeps a node.
#define KEPT_NS (15 * MINUTE)

#define MULTIPLE_BUDGETS                                                                       \
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not " \
    "support."

struct eviction { // of one pod
    char *namespace, *name, *uid, *node_name;
    int64_t deadline;
    int64_t retry_at_ns;   // monotonic: no further attempt before; 0: none was answered
    bool deleted;          // past its budget, with the remaining grace
    bool refused;          // the last attempt, by a budget
    bool counted;          // in pods_drained_total (LIF-450: once a pod)
    int64_t kept_since_ns; // monotonic: as the last ready pod of its workload; 0: no
};

struct eviction_queue {
    struct control *control;
    struct protection_events *protection_events;
    struct reconcile_queue *queue;
    struct map *evictions; // by pod UID
    struct ready_replicas *replicas;
    struct drain_order *order;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

// Drops the entry of a deleted pod (LIF-475).
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct eviction_queue *evictions = context;
    (void)change;
    if (new_object == NULL && old_object->meta.uid != NULL &&
        map_get(evictions->evictions, old_object->meta.uid) != NULL)
        reconcile_queue_add(evictions->queue, old_object->meta.uid);
}

static void on_admitted(void *context, const char *pod_uid)
{
    struct eviction_queue *evictions = context;
    reconcile_queue_add(evictions->queue, pod_uid);
}

struct eviction_queue *eviction_queue_create(struct control *control,
                                             const struct commands *commands,
                                             struct protection_events *protection_events)
{
    struct eviction_queue *evictions = memory_allocate(sizeof *evictions);
    evictions->control = control;
    evictions->protection_events = protection_events;
    evictions->evictions = map_create();
    evictions->replicas = ready_replicas_create(control);
    if (control->strategy->orders_evictions)
        evictions->order = drain_order_create(control, commands, on_admitted, evictions);
    uint32_t concurrency = manager_scale(&control->manager, 100, 5000);
    evictions->queue = manager_queue(
        &control->manager, &(struct reconcile_queue_options){.name = "eviction-queue",
                                                             .kind = "Pod",
                                                             .concurrency = concurrency,
                                                             .backoff_base_ns = 100 * MILLISECOND,
                                                             .backoff_max_ns = 10 * SECOND,
                                                             .rate = concurrency,
                                                             .burst = 10.0 * concurrency,
                                                             .reconcile = reconcile,
                                                             .context = evictions});
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, evictions);
    return evictions;
}

static void eviction_destroy(void *value)
{
    struct eviction *eviction = value;
    free(eviction->namespace);
    free(eviction->name);
    free(eviction->uid);
    free(eviction->node_name);
    free(eviction);
}

void eviction_queue_destroy(struct eviction_queue *evictions)
{
    if (evictions == NULL)
        return;
    map_destroy(evictions->evictions, eviction_destroy);
    ready_replicas_destroy(evictions->replicas);
    drain_order_destroy(evictions->order);
    free(evictions);
}

struct ready_replicas *eviction_queue_replicas(const struct eviction_queue *evictions)
{
    return evictions->replicas;
}

static const struct eviction *eviction_of(const struct eviction_queue *evictions,
                                          const struct pod *pod)
{
    return pod->meta.uid != NULL ? map_get(evictions->evictions, pod->meta.uid) : NULL;
}

bool eviction_queue_refused(const struct eviction_queue *evictions, const struct pod *pod)
{
    const struct eviction *eviction = eviction_of(evictions, pod);
    return eviction != NULL && eviction->refused;
}

bool eviction_queue_is_put_off(const struct eviction_queue *evictions, const struct pod *pod)
{
    const struct eviction *eviction = eviction_of(evictions, pod);
    return eviction != NULL && (eviction->refused || eviction->kept_since_ns != 0);
}

bool eviction_queue_awaits(const struct eviction_queue *evictions, uint64_t command)
{
    return drain_order_awaits(evictions->order, command);
}

void eviction_queue_add(struct eviction_queue *evictions, const struct pod *pod, int64_t deadline)
{
    if (pod->meta.uid == NULL)
        return;
    struct eviction *eviction = map_get(evictions->evictions, pod->meta.uid);
    if (eviction != NULL) {
        if (deadline != 0 && (eviction->deadline == 0 || deadline < eviction->deadline)) {
            eviction->deadline = deadline;
            eviction->deleted = false; // with more grace than remains now (LIF-122)
        }
        // A pod that has just become overdue skips its back-off: its grace is running.
        bool overdue =
            pod_is_overdue(pod, eviction->deadline, manager_now(&evictions->control->manager)) &&
            !eviction->deleted;
        if (overdue || !reconcile_queue_has(evictions->queue, pod->meta.uid))
            reconcile_queue_add(evictions->queue, pod->meta.uid);
        return;
    }
    eviction = memory_allocate(sizeof *eviction);
    eviction->namespace = memory_copy_string(pod->meta.namespace);
    eviction->name = memory_copy_string(pod->meta.name);
    eviction->uid = memory_copy_string(pod->meta.uid);
    eviction->node_name = memory_copy_string(pod->spec.node_name);
    eviction->deadline = deadline;
    map_set(evictions->evictions, pod->meta.uid, eviction);
    reconcile_queue_add(evictions->queue, pod->meta.uid);
}

static const struct pod *pod_of(const struct eviction_queue *evictions,
                                const struct eviction *eviction)
{
    const struct object *pod = mirror_get(evictions->control->manager.mirror, KIND_POD,
                                          eviction->namespace, eviction->name);
    return pod != NULL && text_equal(pod->meta.uid, eviction->uid) ? (const struct pod *)pod : NULL;
}

static const struct node_claim *claim_of(const struct eviction_queue *evictions,
                                         const struct eviction *eviction)
{
    const struct node *node =
        eviction->node_name != NULL ? find_node(evictions->control, eviction->node_name) : NULL;
    return node != NULL ? cluster_claim_of(evictions->control->cluster, node, NULL) : NULL;
}

// The eviction belongs to a disruption command, not to a Node that was deleted by others.
static bool is_voluntary(const struct eviction_queue *evictions, const struct eviction *eviction)
{
    const struct node_claim *claim = claim_of(evictions, eviction);
    return claim != NULL &&
           condition_is_true(&claim->status.conditions, CONDITION_DISRUPTION_REASON);
}

// LIF-124.
static const char *reason_of(const struct eviction_queue *evictions,
                             const struct eviction *eviction)
{
    const struct node_claim *claim = claim_of(evictions, eviction);
    if (claim == NULL)
        return "";
    return is_voluntary(evictions, eviction)
               ? condition_find(&claim->status.conditions, CONDITION_DISRUPTION_REASON)->reason
               : "Forceful Termination";
}

static void count_drained(struct eviction_queue *evictions, struct eviction *eviction)
{
    if (!eviction->counted)
        metric_add(evictions->control->metrics.pods_drained, 1, reason_of(evictions, eviction));
    eviction->counted = true;
}

static void publish_on_node(struct eviction_queue *evictions, const struct eviction *eviction,
                            const char *why)
{
    const struct node *node =
        eviction->node_name != NULL ? find_node(evictions->control, eviction->node_name) : NULL;
    if (node != NULL)
        publish(&evictions->control->manager, (const struct object *)node, EVENT_FAILED_DRAINING,
                "Failed to drain node, %s (Pod=%s/%s)", why, eviction->namespace, eviction->name);
}

static void end_until(const struct eviction_queue *evictions, struct eviction *eviction,
                      int64_t pause_ns)
{
    eviction->retry_at_ns = ns_add(loop_monotonic_ns(evictions->control->manager.loop), pause_ns);
}

// --- answers -------------------------------------------------------------------------------------
static enum operation_outcome note_evicted(void *context, const char *key,
                                           const struct kube_result *result)
{
    struct eviction_queue *evictions = context;
    struct eviction *eviction = map_get(evictions->evictions, key);
    if (eviction == NULL)
        return OPERATION_NOTED;
    eviction->refused = false;
    char code[16];
    snprintf(code, sizeof code, "%d", result->error.kind == ERROR_NONE ? 200 : result->status);
    if (result->error.kind == ERROR_NONE || result->status == 404 || result->status == 409) {
        metric_add(evictions->control->metrics.eviction_requests, 1, code);
        end_until(evictions, eviction, result->error.kind == ERROR_NONE ? ACCEPTED_NS : REFUSED_NS);
        const struct pod *pod = pod_of(evictions, eviction);
        if (result->error.kind != ERROR_NONE)
            return OPERATION_NOTED;
        if (pod != NULL)
            drain_order_evicted(evictions->order, pod);
        if (pod != NULL)
            publish(&evictions->control->manager, (const struct object *)pod, EVENT_EVICTED,
                    "Evicted pod: %s", reason_of(evictions, eviction));
        count_drained(evictions, eviction);
        return OPERATION_NOTED;
    }
    if (result->status != 0) { // rejected; without an answer it may be under way
        ready_replicas_give_back(evictions->replicas, eviction->uid);
        drain_order_rejected(evictions->order, eviction->uid);
    }
    if (result->status == 429) {
        eviction->refused = true;
        publish_on_node(evictions, eviction, "evicting pod violates a PDB");
        return OPERATION_RETRY;
    }
    if (result->status == 500 && text_equal(result->error.message, MULTIPLE_BUDGETS)) {
        eviction->refused = true;
        publish_on_node(evictions, eviction, "eviction does not support multiple PDBs");
        return OPERATION_RETRY;
    }
    if (result->status != 0)
        metric_add(evictions->control->metrics.eviction_requests, 1, code);
    return OPERATION_PASS;
}

static enum operation_outcome note_deleted(void *context, const char *key,
                                           const struct kube_result *result)
{
    struct eviction_queue *evictions = context;
    struct eviction *eviction = map_get(evictions->evictions, key);
    if (eviction == NULL)
        return OPERATION_NOTED;
    if (result->error.kind != ERROR_NONE && result->error.kind != ERROR_NOT_FOUND &&
        result->error.kind != ERROR_CONFLICT)
        return OPERATION_PASS;
    if (result->error.kind == ERROR_NONE)
        count_drained(evictions, eviction);
    if (result->error.kind == ERROR_CONFLICT) // another pod of the name; the watch will show it
        return OPERATION_RETRY;
    eviction->deleted = true;
    return OPERATION_NOTED;
}

// --- one pod -------------------------------------------------------------------------------------
static void forget(struct eviction_queue *evictions, const char *uid)
{
    struct eviction *eviction = map_remove(evictions->evictions, uid);
    if (eviction != NULL)
        eviction_destroy(eviction);
}

// LIF-122: with the remaining grace, past budgets and annotations.
static struct reconcile_result delete_overdue(const struct operation_about *about,
                                              const struct eviction *eviction,
                                              const struct pod *pod, int64_t now)
{
    int64_t seconds = ns_subtract(eviction->deadline, now) / SECOND;
    if (seconds < 1)
        seconds = 1;
    char deadline[INSTANT_TEXT_MAX];
    instant_format(eviction->deadline, deadline);
    int64_t wanted = pod->spec.termination_grace_period_seconds.value;
    publish(about->manager, (const struct object *)pod, EVENT_DISRUPTED,
            "Deleting the pod to accommodate the terminationTime %s of the node. The pod was "
            "granted %lld seconds of grace-period of its %lld terminationGracePeriodSeconds. This "
            "bypasses the PDB of the pod and the do-not-disrupt annotation.",
            deadline, (long long)seconds, (long long)wanted);
    log_debug("deleting pod", "s:controller", "eviction-queue", "n:Pod", pod->meta.namespace,
              pod->meta.name, "s:node", eviction->node_name);
    return start_delete(about, (const struct object *)pod, seconds);
}

// DIS-761: the last ready pod of a workload with several pods stays until another is ready, unless
// the eviction is forced.
static bool is_kept(struct eviction_queue *evictions, struct eviction *eviction,
                    const struct pod *pod)
{
    int64_t now_ns = loop_monotonic_ns(evictions->control->manager.loop);
    if (!evictions->control->manager.settings->workload_guard ||
        !ready_replicas_is_last(evictions->replicas, pod) || !is_voluntary(evictions, eviction))
        return false;
    ready_replicas_give_back(evictions->replicas, eviction->uid);
    if (eviction->kept_since_ns == 0)
        eviction->kept_since_ns = now_ns;
    if (ns_subtract(now_ns, eviction->kept_since_ns) >= KEPT_NS)
        return false;
    publish_on_node(evictions, eviction, "the last ready pod of a workload waits for another");
    return true;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct eviction_queue *evictions = context;
    const char *uid = work_item_key(item);
    struct eviction *eviction = map_get(evictions->evictions, uid);
    (void)error;
    if (eviction == NULL)
        return reconcile_done();
    const struct pod *pod = pod_of(evictions, eviction);
    int64_t now = manager_now(&evictions->control->manager);
    if (pod == NULL) {
        forget(evictions, uid);
        return reconcile_done();
    }
    struct operation_about about = {.manager = &evictions->control->manager,
                                    .item = item,
                                    .doing = "evicting pod",
                                    .context = evictions};
    // The entry lives as long as the pod: it holds what was done and counted, whatever the drain
    // requests meanwhile (LIF-450).
    bool overdue = pod_is_overdue(pod, eviction->deadline, now);
    if (overdue ? eviction->deleted : !pod_is_active(pod)) {
        drain_order_forget(evictions->order, uid);
        return reconcile_done();
    }
    if (!overdue && loop_monotonic_ns(evictions->control->manager.loop) < eviction->retry_at_ns)
        return reconcile_done(); // the drain adds it again, every second
    if (overdue) {
        about.doing = "deleting pod";
        about.record = note_deleted;
        return delete_overdue(&about, eviction, pod, now);
    }
    protection_events_publish(evictions->protection_events, pod);
    // Checked again: a protection may end, and another pod be ready.
    if (!pod_is_evictable(pod, now) || is_kept(evictions, eviction, pod)) {
        drain_order_rejected(evictions->order, uid);
        return (struct reconcile_result){RECONCILE_BACKOFF, 0};
    }
    if (is_voluntary(evictions, eviction) && !drain_order_admits(evictions->order, pod))
        return reconcile_done();
    ready_replicas_take(evictions->replicas, pod);
    about.record = note_evicted;
    return start_evict(&about, pod);
}
