#include "control/state/pod_metrics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/metrics_text.h"
#include "base/nanoseconds.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "model/schema/object.h"

#define STATE     "karpenter_pods_state"
#define UNSTARTED "karpenter_pods_unstarted_time_seconds"
#define UNBOUND   "karpenter_pods_unbound_time_seconds"

#define PROVISIONING_UNSTARTED "karpenter_pods_provisioning_unstarted_time_seconds"
#define PROVISIONING_UNBOUND   "karpenter_pods_provisioning_unbound_time_seconds"
#define UNDECIDED              "karpenter_pods_provisioning_scheduling_undecided_time_seconds"

struct pod_times { // of a pod that this process saw Pending
    bool unbound, unstarted;
    // LIF-320, wall clock, 0: not yet: the pod became provisionable; the first pass placed it,
    // unless a later pass took the place back.
    int64_t wanted_at, placed_at;
    bool decided;
};

#define WAITING_GAUGES 5
struct gauge { // of waiting pods
    struct pod_metrics *metrics;
    const struct waiting *waiting;
};

struct pod_metrics {
    struct control *control;
    struct gauge gauges[WAITING_GAUGES];
    struct metric *startup, *bound, *provisioning_startup, *provisioning_bound;
    struct metric *pods, *waiting_pods, *oldest_seconds; // totals
    struct map *times;                                   // by namespace/name
};

// --- pods_state ----------------------------------------------------------------------------------
static void write_owner(const struct pod *pod, struct text *out)
{
    if (pod->meta.owner_references.count == 0)
        return;
    const struct owner_reference *owner = &pod->meta.owner_references.items[0];
    text_format(out, "/apis/%s/namespaces/%s/", owner->api_version, pod->meta.namespace);
    for (const char *c = owner->kind; *c != '\0'; c++)
        text_add_char(out, (char)tolower((unsigned char)*c));
    text_format(out, "s/%s", owner->name);
}

static void emit_state(const struct control *control, const struct pod *pod,
                       const struct metric *metric, struct text *out)
{
    const struct node *node =
        pod->spec.node_name != NULL ? find_node(control, pod->spec.node_name) : NULL;
    static const struct string_map none = {0};
    const struct string_map *labels = node != NULL ? &node->meta.labels : &none;
    const char *pool = string_map_get(labels, LABEL_NODE_POOL);
    struct text owner = {0};
    write_owner(pod, &owner);
    const char *const values[] = {
        pod->meta.name,
        pod->meta.namespace,
        owner.data,
        pod->spec.node_name,
        pod->spec.node_name != NULL ? "true" : "false",
        pool,
        string_map_get(labels, LABEL_ZONE),
        string_map_get(labels, LABEL_ARCH),
        string_map_get(labels, LABEL_CAPACITY_TYPE),
        string_map_get(labels, LABEL_INSTANCE_TYPE),
        pod->status.phase,
        condition_is_true(&pod->status.conditions, CONDITION_READY) ? "true" : "false",
        pool != NULL && *pool != '\0' ? "true" : "false"};
    metric_emit(metric, out, 1, values, ARRAY_LENGTH(values));
    text_free(&owner);
}

static void collect_state(void *context, const struct metric *metric, struct text *out)
{
    const struct pod_metrics *metrics = context;
    struct mirror_iterator iterator = {0};
    if (!metrics->control->manager.started)
        return;
    for (const struct object *pod;
         (pod = mirror_next(metrics->control->manager.mirror, KIND_POD, &iterator)) != NULL;)
        emit_state(metrics->control, (const struct pod *)pod, metric, out);
}

// --- times ---------------------------------------------------------------------------------------
static int64_t transition(const struct pod *pod, enum condition_type type)
{
    const struct condition *condition = condition_find(&pod->status.conditions, type);
    return condition != NULL && text_equal(condition->status, "True")
               ? condition->last_transition_time
               : 0;
}

static double since_creation(const struct pod *pod, int64_t at)
{
    return seconds_between(pod->meta.creation_timestamp, at);
}

static void drop(struct pod_metrics *metrics, const struct object *pod)
{
    char key[600];
    object_namespaced_name(pod, key);
    struct pod_times *times = map_remove(metrics->times, key);
    free(times);
}

static void follow(struct pod_metrics *metrics, const struct pod *pod)
{
    char key[600];
    object_namespaced_name((const struct object *)pod, key);
    struct pod_times *times = map_get(metrics->times, key);
    bool pending = text_equal(pod->status.phase, "Pending");
    if (times == NULL && pending) {
        times = memory_allocate(sizeof *times);
        *times = (struct pod_times){true, true};
        map_set(metrics->times, key, times);
    }
    if (times == NULL)
        return;
    int64_t scheduled = transition(pod, CONDITION_POD_SCHEDULED),
            ready = transition(pod, CONDITION_READY);
    if (times->wanted_at == 0 && pod_needs_node(pod))
        times->wanted_at = manager_now(&metrics->control->manager);
    if (times->unbound && scheduled != 0 && !pending) {
        times->unbound = false;
        metric_observe(metrics->bound, since_creation(pod, scheduled));
        if (times->placed_at != 0)
            metric_observe(metrics->provisioning_bound,
                           seconds_between(times->placed_at, scheduled));
    }
    if (times->unstarted && ready != 0) {
        metric_observe(metrics->startup, since_creation(pod, ready));
        if (times->placed_at != 0)
            metric_observe(metrics->provisioning_startup, seconds_between(times->placed_at, ready));
        drop(metrics, (const struct object *)pod);
    } else if (pod_is_terminal(pod)) {
        drop(metrics, (const struct object *)pod);
    }
}

void pod_metrics_decided(struct pod_metrics *metrics, const struct pod *pod, bool placed)
{
    if (metrics == NULL)
        return;
    char key[600];
    object_namespaced_name((const struct object *)pod, key);
    struct pod_times *times = map_get(metrics->times, key);
    if (times == NULL)
        return;
    times->decided = true;
    if (!placed)
        times->placed_at = 0;
    else if (times->placed_at == 0)
        times->placed_at = manager_now(&metrics->control->manager);
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct pod_metrics *metrics = context;
    (void)change;
    if (new_object != NULL)
        follow(metrics, (const struct pod *)new_object);
    else
        drop(metrics, old_object);
}

// LIF-354: the start of each gauge of a pod; 0: it has no series.
static int64_t unstarted_since(const struct pod *pod, const struct pod_times *times)
{
    return times->unstarted ? pod->meta.creation_timestamp : 0;
}

static bool is_unbound(const struct pod *pod)
{
    return text_equal(pod->status.phase, "Pending") &&
           transition(pod, CONDITION_POD_SCHEDULED) == 0;
}

static int64_t unbound_since(const struct pod *pod, const struct pod_times *times)
{
    return times->unbound && is_unbound(pod) ? pod->meta.creation_timestamp : 0;
}

static int64_t provisioning_unstarted_since(const struct pod *pod, const struct pod_times *times)
{
    (void)pod;
    return times->unstarted ? times->placed_at : 0;
}

static int64_t provisioning_unbound_since(const struct pod *pod, const struct pod_times *times)
{
    return times->unbound && is_unbound(pod) ? times->placed_at : 0;
}

static int64_t undecided_since(const struct pod *pod, const struct pod_times *times)
{
    bool ended = times->decided || pod->spec.node_name != NULL ||
                 transition(pod, CONDITION_POD_SCHEDULED) != 0;
    return ended ? 0 : times->wanted_at;
}

static const struct waiting {
    const char *name, *help;
    int64_t (*since)(const struct pod *pod, const struct pod_times *times);
} waiting[WAITING_GAUGES] = {
    {UNSTARTED, "Time that a pod has been waiting to be ready.", unstarted_since},
    {UNBOUND, "Time that a pod has been waiting for a node.", unbound_since},
    {PROVISIONING_UNSTARTED,
     "Time from the first decision that has a place for a pod, while it is not ready.",
     provisioning_unstarted_since},
    {PROVISIONING_UNBOUND,
     "Time from the first decision that has a place for a pod, while it has no node.",
     provisioning_unbound_since},
    {UNDECIDED, "Time that a pod has been waiting for a first decision.", undecided_since},
};

static void collect_waiting(void *context, const struct metric *metric, struct text *out)
{
    const struct gauge *gauge = context;
    int64_t now = manager_now(&gauge->metrics->control->manager);
    struct mirror_iterator iterator = {0};
    for (const struct object *object; (object = mirror_next(gauge->metrics->control->manager.mirror,
                                                            KIND_POD, &iterator)) != NULL;) {
        char key[600];
        object_namespaced_name(object, key);
        const struct pod_times *times = map_get(gauge->metrics->times, key);
        int64_t since =
            times != NULL ? gauge->waiting->since((const struct pod *)object, times) : 0;
        const char *const values[] = {object->meta.name, object->meta.namespace};
        if (since != 0)
            metric_emit(metric, out, seconds_between(since, now), values, 2);
    }
}

// --- totals --------------------------------------------------------------------------------------
// Where a pod stands that this process saw Pending and that is not ready yet; each pod is at one.
enum stage { STAGE_SCHEDULER, STAGE_DECISION, STAGE_NO_PLACE, STAGE_NODE, STAGE_START, STAGES };
static const char *const stage_names[STAGES] = {
    "scheduler", // kube-scheduler has not said yet that there is no room for it
    "decision",  // the first pass that looks at it is still to come
    "no_place",  // the last pass found no place for it
    "node",      // it has a place, mostly on a node that is coming up
    "start",     // it has its node
};

static enum stage stage_of(const struct pod *pod, const struct pod_times *times, int64_t *since)
{
    *since = pod->meta.creation_timestamp;
    if (!is_unbound(pod) || pod->spec.node_name != NULL) {
        int64_t scheduled = transition(pod, CONDITION_POD_SCHEDULED);
        *since = scheduled != 0 ? scheduled : *since;
        return STAGE_START;
    }
    if (times->placed_at != 0) {
        *since = times->placed_at;
        return STAGE_NODE;
    }
    if (times->wanted_at == 0)
        return STAGE_SCHEDULER;
    *since = times->wanted_at;
    return times->decided ? STAGE_NO_PLACE : STAGE_DECISION;
}

static void count_pod(const struct pod_metrics *metrics, const struct pod *pod)
{
    const struct node *node =
        pod->spec.node_name != NULL ? find_node(metrics->control, pod->spec.node_name) : NULL;
    metric_add(metrics->pods, 1,
               node != NULL ? string_map_get(&node->meta.labels, LABEL_NODE_POOL) : NULL,
               pod->status.phase, pod->spec.node_name != NULL ? "true" : "false",
               condition_is_true(&pod->status.conditions, CONDITION_READY) ? "true" : "false");
}

static void refresh_totals(void *context)
{
    const struct pod_metrics *metrics = context;
    int64_t now = manager_now(&metrics->control->manager);
    uint32_t counts[STAGES] = {0};
    double oldest[STAGES] = {0};
    struct mirror_iterator iterator = {0};
    metric_remove_all(metrics->pods);
    if (!metrics->control->manager.started)
        return;
    for (const struct object *object;
         (object = mirror_next(metrics->control->manager.mirror, KIND_POD, &iterator)) != NULL;) {
        const struct pod *pod = (const struct pod *)object;
        char key[600];
        object_namespaced_name(object, key);
        const struct pod_times *times = map_get(metrics->times, key);
        int64_t since;
        count_pod(metrics, pod);
        if (times == NULL)
            continue;
        enum stage stage = stage_of(pod, times, &since);
        double age = seconds_between(since, now);
        counts[stage]++;
        oldest[stage] = age > oldest[stage] ? age : oldest[stage];
    }
    for (int i = 0; i < STAGES; i++) {
        metric_set(metrics->waiting_pods, counts[i], stage_names[i]);
        metric_set(metrics->oldest_seconds, oldest[i], stage_names[i]);
    }
}

static void register_totals(struct pod_metrics *metrics, struct metrics *registry)
{
    const struct metric_options pods = {.name = "adze_pods",
                                        .help = "Pods.",
                                        .type = METRIC_GAUGE,
                                        .labels = {"nodepool", "phase", "scheduled", "ready"}};
    const struct metric_options waiting_pods = {
        .name = "adze_waiting_pods",
        .help = "Pods that are not ready yet, by what they are waiting for.",
        .type = METRIC_GAUGE,
        .labels = {"stage"}};
    const struct metric_options oldest = {
        .name = "adze_waiting_pods_oldest_seconds",
        .help = "The longest time that a pod has been waiting at a stage.",
        .type = METRIC_GAUGE,
        .labels = {"stage"}};
    metrics->pods = metrics_register(registry, &pods);
    metrics->waiting_pods = metrics_register(registry, &waiting_pods);
    metrics->oldest_seconds = metrics_register(registry, &oldest);
    metrics_before_write(registry, refresh_totals, metrics);
}

static struct metric *register_histogram(struct pod_metrics *metrics, const char *name,
                                         const char *help)
{
    return metrics_register(
        metrics->control->manager.registry,
        &(struct metric_options){.name = name,
                                 .help = help,
                                 .type = METRIC_HISTOGRAM,
                                 .buckets = metric_duration_buckets,
                                 .buckets_count = metric_duration_buckets_count});
}

static void register_families(struct pod_metrics *metrics)
{
    struct metrics *registry = metrics->control->manager.registry;
    const struct metric_options state = {
        .name = STATE,
        .help = "One for each pod.",
        .type = METRIC_GAUGE,
        .detailed = true,
        .labels = {"name", "namespace", "owner", "node", "scheduled", "nodepool", "zone", "arch",
                   "capacity_type", "instance_type", "phase", "ready", "managed"}};
    metric_collect(metrics_register(registry, &state), collect_state, metrics);
    for (size_t i = 0; i < WAITING_GAUGES; i++) {
        metrics->gauges[i] = (struct gauge){metrics, &waiting[i]};
        const struct metric_options gauge = {.name = waiting[i].name,
                                             .help = waiting[i].help,
                                             .type = METRIC_GAUGE,
                                             .detailed = true,
                                             .labels = {"name", "namespace"}};
        metric_collect(metrics_register(registry, &gauge), collect_waiting, &metrics->gauges[i]);
    }
    register_totals(metrics, registry);
    const struct metric_options startup = {.name = "karpenter_pods_startup_duration_seconds",
                                           .help = "Time from a pod's creation to its readiness.",
                                           .type = METRIC_SUMMARY};
    metrics->startup = metrics_register(registry, &startup);
    metrics->bound = register_histogram(metrics, "karpenter_pods_bound_duration_seconds",
                                        "Time from a pod's creation to its binding.");
    metrics->provisioning_bound = register_histogram(
        metrics, "karpenter_pods_provisioning_bound_duration_seconds",
        "Time from the first decision that has a place for a pod to its binding.");
    metrics->provisioning_startup = register_histogram(
        metrics, "karpenter_pods_provisioning_startup_duration_seconds",
        "Time from the first decision that has a place for a pod to its readiness.");
}

struct pod_metrics *pod_metrics_create(struct control *control)
{
    if (control->manager.settings->disable_cluster_state_observability) // LIF-357
        return NULL;
    struct pod_metrics *metrics = memory_allocate(sizeof *metrics);
    metrics->control = control;
    metrics->times = map_create();
    register_families(metrics);
    manager_observe(&control->manager, KIND_POD, on_pod, metrics);
    return metrics;
}

void pod_metrics_destroy(struct pod_metrics *metrics)
{
    if (metrics == NULL)
        return;
    struct metrics *registry = metrics->control->manager.registry;
    metrics_before_write(registry, NULL, metrics);
    metric_collect(metrics_find(registry, STATE), NULL, NULL);
    for (size_t i = 0; i < WAITING_GAUGES; i++)
        metric_collect(metrics_find(registry, waiting[i].name), NULL, NULL);
    map_destroy(metrics->times, free);
    free(metrics);
}
