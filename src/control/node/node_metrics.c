#include "control/node/node_metrics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"

#define LIFETIME    "karpenter_nodes_current_lifetime_seconds"
#define UTILIZATION "karpenter_cluster_utilization_percent"
#define LABELS      (METRIC_LABELS_MAX - 1) // room for resource_type

// Well-known labels in the order of their metric labels; the provider's own follow as far as there
// is room.
static const char *const core_labels[] = {
    LABEL_NODE_POOL, LABEL_ZONE, LABEL_REGION,        LABEL_INSTANCE_TYPE,
    LABEL_ARCH,      LABEL_OS,   LABEL_CAPACITY_TYPE, LABEL_WINDOWS_BUILD,
};

enum family {
    ALLOCATABLE,
    POD_REQUESTS,
    POD_LIMITS,
    DAEMON_REQUESTS,
    DAEMON_LIMITS,
    OVERHEAD,
    FAMILIES,
};
static const struct {
    const char *name, *help;
} families[FAMILIES] = {
    {"karpenter_nodes_allocatable", "Allocatable resources of a node."},
    {"karpenter_nodes_total_pod_requests", "Requests of the pods on a node, DaemonSets' aside."},
    {"karpenter_nodes_total_pod_limits", "Limits of the pods on a node, DaemonSets' aside."},
    {"karpenter_nodes_total_daemon_requests", "Requests of the DaemonSets' pods on a node."},
    {"karpenter_nodes_total_daemon_limits", "Limits of the DaemonSets' pods on a node."},
    {"karpenter_nodes_system_overhead", "Capacity of a node less its allocatable."},
};

struct collector { // of one family
    struct node_metrics *metrics;
    enum family family;
};

struct node_metrics {
    struct control *control;
    struct collector collectors[FAMILIES];
    const char *labels[LABELS]; // Node labels; then node_name, phase, managed
    char *names[LABELS];
    uint32_t labels_count;
};

static void collect_family(void *context, const struct metric *metric, struct text *out);
static void collect_lifetime(void *context, const struct metric *metric, struct text *out);
static void collect_utilization(void *context, const struct metric *metric, struct text *out);

// The part after the slash, lower case, '-' as '_'.
static char *metric_label(const char *label)
{
    const char *slash = strrchr(label, '/');
    char *name = memory_copy_string(slash != NULL ? slash + 1 : label);
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '-' || *c == '.' ? '_' : (char)tolower((unsigned char)*c);
    return name;
}

// LIF-352: the whole name, unlike labels.
static char *resource_type(const char *name)
{
    char *type = memory_copy_string(name);
    for (char *c = type; *c != '\0'; c++)
        *c = *c == '-' ? '_' : (char)tolower((unsigned char)*c);
    return type;
}

static void add_label(struct node_metrics *metrics, const char *label)
{
    char *name = metric_label(label);
    for (uint32_t i = 0; i < metrics->labels_count; i++)
        if (strcmp(metrics->names[i], name) == 0) {
            free(name);
            return;
        }
    metrics->labels[metrics->labels_count] = label;
    metrics->names[metrics->labels_count++] = name;
}

static void register_families(struct node_metrics *metrics)
{
    struct metrics *registry = metrics->control->manager.registry;
    struct metric_options options = {.type = METRIC_GAUGE};
    uint32_t count = 0;
    for (; count < metrics->labels_count; count++)
        options.labels[count] = metrics->names[count];
    options.labels[count++] = "node_name";
    options.labels[count++] = "phase";
    options.labels[count++] = "managed";
    options.name = LIFETIME;
    options.help = "Age of a node.";
    metric_collect(metrics_register(registry, &options), collect_lifetime, metrics);
    options.labels[count] = "resource_type";
    for (int i = 0; i < FAMILIES; i++) {
        options.name = families[i].name;
        options.help = families[i].help;
        metrics->collectors[i] = (struct collector){metrics, (enum family)i};
        metric_collect(metrics_register(registry, &options), collect_family,
                       &metrics->collectors[i]);
    }
    const struct metric_options utilization = {.name = UTILIZATION,
                                               .help =
                                                   "Requests as a share of allocatable resources.",
                                               .type = METRIC_GAUGE,
                                               .labels = {"resource_type"}};
    metric_collect(metrics_register(registry, &utilization), collect_utilization, metrics);
}

struct node_metrics *node_metrics_create(struct control *control)
{
    if (control->manager.settings->disable_cluster_state_observability) // LIF-357
        return NULL;
    struct node_metrics *metrics = memory_allocate(sizeof *metrics);
    metrics->control = control;
    for (size_t i = 0; i < ARRAY_LENGTH(core_labels); i++)
        add_label(metrics, core_labels[i]);
    const struct cloud_operations *cloud = control->cloud->operations;
    const char *const *more =
        cloud->well_known_labels != NULL ? cloud->well_known_labels(control->cloud) : NULL;
    for (; more != NULL && *more != NULL && metrics->labels_count < LABELS - 3; more++)
        add_label(metrics, *more);
    register_families(metrics);
    return metrics;
}

static void stop_collecting(struct metrics *registry, const char *name)
{
    metric_collect(metrics_find(registry, name), NULL, NULL);
}

void node_metrics_destroy(struct node_metrics *metrics)
{
    if (metrics == NULL)
        return;
    for (int i = 0; i < FAMILIES; i++)
        stop_collecting(metrics->control->manager.registry, families[i].name);
    stop_collecting(metrics->control->manager.registry, LIFETIME);
    stop_collecting(metrics->control->manager.registry, UTILIZATION);
    for (uint32_t i = 0; i < metrics->labels_count; i++)
        free(metrics->names[i]);
    free(metrics);
}

// --- sums ----------------------------------------------------------------------------------------
struct sums {
    struct resource_quantity items[64]; // further kinds of resources are left out
    uint32_t count;
};

static void add_resource(struct sums *sums, const char *name, int64_t value)
{
    for (uint32_t i = 0; i < sums->count; i++)
        if (strcmp(sums->items[i].name, name) == 0) {
            sums->items[i].value = quantity_add(sums->items[i].value, value);
            return;
        }
    if (sums->count < ARRAY_LENGTH(sums->items))
        sums->items[sums->count++] = (struct resource_quantity){name, value};
}

static void add_map(struct sums *sums, const struct resource_map *map, int sign)
{
    list_for_each (resource, map)
        add_resource(sums, resource->name, sign * resource->value);
}

static double in_units(const char *resource, int64_t value)
{
    return strcmp(resource, "cpu") == 0 ? (double)value / 1000 : (double)value;
}

// --- collecting ----------------------------------------------------------------------------------
static uint32_t label_values(const struct node_metrics *metrics, const struct state_node *state,
                             const char **values)
{
    const struct node *node = state->nodes.items[0];
    uint32_t count = 0;
    for (; count < metrics->labels_count; count++)
        values[count] = string_map_get(&node->meta.labels, metrics->labels[count]);
    values[count++] = node->meta.name;
    values[count++] = node->status.phase;
    values[count++] = state->claims.count > 0 ? "true" : "false";
    return count;
}

static void add_pods(struct sums *sums, struct arena *arena, const struct control *control,
                     const struct node *node, enum family family)
{
    const struct pod_list *pods = cluster_pods(control->cluster, node->meta.name);
    bool daemons = family == DAEMON_REQUESTS || family == DAEMON_LIMITS;
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (pod_is_terminal(pod) || pod_owned_by_daemon_set(pod) != daemons)
            continue;
        if (family == POD_LIMITS || family == DAEMON_LIMITS) {
            struct resource_map limits = pod_limits(arena, pod);
            add_map(sums, &limits, 1);
            continue;
        }
        struct resource_map requests = pod_requests(arena, pod);
        add_map(sums, &requests, 1);
    }
}

static void add_family(struct sums *sums, struct arena *arena, const struct control *control,
                       const struct state_node *state, enum family family)
{
    struct resource_map allocatable = state_allocatable(arena, state);
    struct resource_map capacity = state_capacity(arena, state);
    switch (family) {
    case ALLOCATABLE:
        add_map(sums, &allocatable, 1);
        break;
    case OVERHEAD:
        add_map(sums, &capacity, 1);
        add_map(sums, &allocatable, -1);
        break;
    case POD_REQUESTS:
    case POD_LIMITS:
    case DAEMON_REQUESTS:
    case DAEMON_LIMITS:
        add_pods(sums, arena, control, state->nodes.items[0], family);
        break;
    case FAMILIES:
        break;
    }
}

static void collect_family(void *context, const struct metric *metric, struct text *out)
{
    const struct collector *collector = context;
    const struct control *control = collector->metrics->control;
    struct arena *arena CLEANUP_ARENA = arena_create(16 * 1024);
    struct map_entry *position = NULL;
    if (!control->manager.started)
        return;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        if (state->nodes.count == 0)
            continue;
        const char *values[METRIC_LABELS_MAX];
        uint32_t count = label_values(collector->metrics, state, values);
        struct sums sums = {0};
        arena_reset(arena);
        add_family(&sums, arena, control, state, collector->family);
        for (uint32_t i = 0; i < sums.count; i++) {
            char *type CLEANUP_FREE = resource_type(sums.items[i].name);
            values[count] = type;
            metric_emit(metric, out, in_units(sums.items[i].name, sums.items[i].value), values,
                        count + 1);
        }
    }
}

static void collect_lifetime(void *context, const struct metric *metric, struct text *out)
{
    const struct node_metrics *metrics = context;
    struct map_entry *position = NULL;
    if (!metrics->control->manager.started)
        return;
    for (const struct state_node *state;
         (state = cluster_next(metrics->control->cluster, &position)) != NULL;) {
        if (state->nodes.count == 0)
            continue;
        const char *values[METRIC_LABELS_MAX];
        uint32_t count = label_values(metrics, state, values);
        int64_t age = ns_subtract(manager_now(&metrics->control->manager),
                                  state->nodes.items[0]->meta.creation_timestamp);
        metric_emit(metric, out, age > 0 ? (double)age / SECOND : 0, values, count);
    }
}

static void collect_utilization(void *context, const struct metric *metric, struct text *out)
{
    const struct control *control = ((const struct node_metrics *)context)->control;
    struct arena *arena CLEANUP_ARENA = arena_create(16 * 1024);
    struct sums used = {0}, available = {0};
    struct map_entry *position = NULL;
    if (!control->manager.started)
        return;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        if (state->nodes.count == 0)
            continue;
        arena_reset(arena);
        add_family(&available, arena, control, state, ALLOCATABLE);
        add_family(&used, arena, control, state, POD_REQUESTS);
        add_family(&used, arena, control, state, DAEMON_REQUESTS);
    }
    for (uint32_t i = 0; i < available.count; i++) {
        const struct resource_quantity *total = &available.items[i];
        char *type CLEANUP_FREE = resource_type(total->name);
        const char *values[] = {type};
        int64_t requested = 0;
        for (uint32_t j = 0; j < used.count; j++)
            if (strcmp(used.items[j].name, total->name) == 0)
                requested = used.items[j].value;
        if (total->value > 0)
            metric_emit(metric, out, 100.0 * (double)requested / (double)total->value, values, 1);
    }
}
