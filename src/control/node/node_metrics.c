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
#include "model/schema/condition_types.h"

#define LIFETIME "karpenter_nodes_current_lifetime_seconds"
#define LABELS   (METRIC_LABELS_MAX - 1) // room for resource_type

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

enum total { // of all nodes of a NodePool
    TOTAL_ALLOCATABLE,
    TOTAL_POD_REQUESTS,
    TOTAL_DAEMON_REQUESTS,
    TOTALS,
};
static const struct {
    const char *name, *help;
    enum family family;
} totals[TOTALS] = {
    {"adze_nodes_allocatable", "Allocatable resources of all nodes of a NodePool.", ALLOCATABLE},
    {"adze_nodes_pod_requests",
     "Requests of the pods on all nodes of a NodePool, DaemonSets' aside.", POD_REQUESTS},
    {"adze_nodes_daemon_requests", "Requests of the DaemonSets' pods on all nodes of a NodePool.",
     DAEMON_REQUESTS},
};

struct node_metrics {
    struct control *control;
    struct metric *nodes, *nodes_by_type, *totals[TOTALS], *utilization;
    struct collector collectors[FAMILIES];
    const char *labels[LABELS]; // Node labels; then node_name, phase, managed
    char *names[LABELS];
    uint32_t labels_count;
};

static void collect_family(void *context, const struct metric *metric, struct text *out);
static void collect_lifetime(void *context, const struct metric *metric, struct text *out);
static void refresh_totals(void *context);

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

static void register_totals(struct node_metrics *metrics, struct metrics *registry)
{
    const struct metric_options nodes = {
        .name = "adze_nodes",
        .help = "Nodes.",
        .type = METRIC_GAUGE,
        .labels = {"nodepool", "zone", "capacity_type", "arch", "ready"}};
    metrics->nodes = metrics_register(registry, &nodes);
    const struct metric_options by_type = {.name = "adze_nodes_by_instance_type",
                                           .help = "Nodes of an instance type.",
                                           .type = METRIC_GAUGE,
                                           .labels = {"instance_type", "capacity_type"}};
    metrics->nodes_by_type = metrics_register(registry, &by_type);
    for (int i = 0; i < TOTALS; i++)
        metrics->totals[i] = metrics_register(
            registry, &(struct metric_options){.name = totals[i].name,
                                               .help = totals[i].help,
                                               .type = METRIC_GAUGE,
                                               .labels = {"nodepool", "resource_type"}});
    const struct metric_options utilization = {.name = "karpenter_cluster_utilization_percent",
                                               .help =
                                                   "Requests as a share of allocatable resources.",
                                               .type = METRIC_GAUGE,
                                               .labels = {"resource_type"}};
    metrics->utilization = metrics_register(registry, &utilization);
    metrics_before_write(registry, refresh_totals, metrics);
}

static void register_families(struct node_metrics *metrics)
{
    struct metrics *registry = metrics->control->manager.registry;
    struct metric_options options = {.type = METRIC_GAUGE, .detailed = true};
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
    register_totals(metrics, registry);
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
    metrics_before_write(metrics->control->manager.registry, NULL, metrics);
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

// --- totals --------------------------------------------------------------------------------------
static void clear_totals(const struct node_metrics *metrics)
{
    metric_remove_all(metrics->nodes);
    metric_remove_all(metrics->nodes_by_type);
    metric_remove_all(metrics->utilization);
    for (int i = 0; i < TOTALS; i++)
        metric_remove_all(metrics->totals[i]);
}

static void count_node(const struct node_metrics *metrics, const struct node *node)
{
    const struct object *object = (const struct object *)node;
    const char *capacity_type = label_or_empty(object, LABEL_CAPACITY_TYPE);
    bool ready = condition_is_true(&node->status.conditions, CONDITION_READY);
    metric_add(metrics->nodes, 1, label_or_empty(object, LABEL_NODE_POOL),
               label_or_empty(object, LABEL_ZONE), capacity_type,
               label_or_empty(object, LABEL_ARCH), ready ? "true" : "false");
    metric_add(metrics->nodes_by_type, 1, label_or_empty(object, LABEL_INSTANCE_TYPE),
               capacity_type);
}

static void add_totals(const struct node_metrics *metrics, struct arena *arena,
                       const struct state_node *state, struct sums *all)
{
    const struct object *node = (const struct object *)state->nodes.items[0];
    for (int i = 0; i < TOTALS; i++) {
        struct sums own = {0};
        arena_reset(arena);
        add_family(&own, arena, metrics->control, state, totals[i].family);
        for (uint32_t j = 0; j < own.count; j++) {
            const struct resource_quantity *quantity = &own.items[j];
            char *type CLEANUP_FREE = resource_type(quantity->name);
            metric_add(metrics->totals[i], in_units(quantity->name, quantity->value),
                       label_or_empty(node, LABEL_NODE_POOL), type);
            add_resource(&all[i], quantity->name, quantity->value);
        }
    }
}

static int64_t sum_of(const struct sums *sums, const char *name)
{
    for (uint32_t i = 0; i < sums->count; i++)
        if (strcmp(sums->items[i].name, name) == 0)
            return sums->items[i].value;
    return 0;
}

static void set_utilization(const struct node_metrics *metrics, const struct sums *all)
{
    const struct sums *available = &all[TOTAL_ALLOCATABLE];
    for (uint32_t i = 0; i < available->count; i++) {
        const struct resource_quantity *total = &available->items[i];
        char *type CLEANUP_FREE = resource_type(total->name);
        int64_t requested = quantity_add(sum_of(&all[TOTAL_POD_REQUESTS], total->name),
                                         sum_of(&all[TOTAL_DAEMON_REQUESTS], total->name));
        if (total->value > 0)
            metric_set(metrics->utilization, 100.0 * (double)requested / (double)total->value,
                       type);
    }
}

// One pass over all nodes and their pods.
static void refresh_totals(void *context)
{
    const struct node_metrics *metrics = context;
    struct arena *arena CLEANUP_ARENA = arena_create(16 * 1024);
    struct sums all[TOTALS] = {0};
    struct map_entry *position = NULL;
    clear_totals(metrics);
    if (!metrics->control->manager.started)
        return;
    for (const struct state_node *state;
         (state = cluster_next(metrics->control->cluster, &position)) != NULL;) {
        if (state->nodes.count == 0)
            continue;
        count_node(metrics, state->nodes.items[0]);
        add_totals(metrics, arena, state, all);
    }
    set_utilization(metrics, all);
}
