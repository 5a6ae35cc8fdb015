#include "control/nodeclaim/condition_metrics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/metrics_text.h"
#include "base/nanoseconds.h"
#include "control/runtime/control.h"
#include "model/schema/condition_types.h"
#include "model/tables/kinds.h"
#include "reconcile/conditions.h"

#define KINDS_MAX 5
#define EXTRAS    3

struct families {
    struct metric *count, *current_seconds, *transitions, *transition_seconds;
    struct metric *terminating_seconds, *termination_seconds;
};

struct observed_kind {
    struct condition_metrics *owner;
    enum kind_id id;
    struct families own;
    const char *extra_keys[EXTRAS]; // object labels that are metric labels; NULL-filled
};

struct condition_metrics {
    struct control *control;
    struct observed_kind kinds[KINDS_MAX];
    uint32_t kinds_count;
    struct families deprecated;
    struct metric *totals;
};

// The given values, then those of the extra labels; returns their number.
static size_t own_values(const struct observed_kind *kind, const struct object *object,
                         const char *const *given, size_t given_count, const char **out)
{
    if (given_count > 0)
        memcpy(out, given, given_count * sizeof *out);
    for (size_t i = 0; i < EXTRAS && kind->extra_keys[i] != NULL; i++)
        out[given_count++] = label_or_empty(object, kind->extra_keys[i]);
    return given_count;
}

// The given values, then group and kind.
static size_t deprecated_values(const struct object *object, const char *const *given,
                                size_t given_count, const char **out)
{
    if (given_count > 0)
        memcpy(out, given, given_count * sizeof *out);
    out[given_count++] = object->kind->group;
    out[given_count++] = object->kind->name;
    return given_count;
}

// NodeClaims and Nodes: a series of each object and condition is for METRICS_PROFILE=full
// (LIF-468).
static bool are_many(const struct observed_kind *kind)
{
    return kind->id == KIND_NODE_CLAIM || kind->id == KIND_NODE;
}

static bool has_deprecated(const struct observed_kind *kind)
{
    return kind->id != KIND_NODE;
}

// --- current conditions --------------------------------------------------------------------------
static void emit(const struct observed_kind *kind, const struct object *object,
                 const struct metric *metric, double value, const char *const *given,
                 size_t given_count, struct text *out)
{
    const struct families *deprecated = &kind->owner->deprecated;
    bool old = metric == deprecated->count || metric == deprecated->current_seconds ||
               metric == deprecated->terminating_seconds;
    const char *values[5 + EXTRAS];
    size_t count = old ? deprecated_values(object, given, given_count, values)
                       : own_values(kind, object, given, given_count, values);
    metric_emit(metric, out, value, values, count);
}

static void emit_conditions(const struct observed_kind *kind, const struct object *object,
                            const struct metric *metric, bool seconds, struct text *out)
{
    int64_t now = manager_now(&kind->owner->control->manager);
    list_for_each (condition, object_conditions(object)) {
        const char *const given[] = {object->meta.namespace, object->meta.name, condition->type,
                                     condition->status, condition->reason};
        emit(kind, object, metric,
             seconds ? seconds_between(condition->last_transition_time, now) : 1, given,
             ARRAY_LENGTH(given), out);
    }
}

static void collect_kind(const struct observed_kind *kind, const struct families *families,
                         const struct metric *metric, struct text *out)
{
    const struct control *control = kind->owner->control;
    struct mirror_iterator iterator = {0};
    if (!control->manager.started)
        return;
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, kind->id, &iterator)) != NULL;) {
        const char *const given[] = {object->meta.namespace, object->meta.name};
        if (metric != families->terminating_seconds)
            emit_conditions(kind, object, metric, metric == families->current_seconds, out);
        else if (object_is_deleting(object))
            emit(kind, object, metric,
                 seconds_between(object->meta.deletion_timestamp, manager_now(&control->manager)),
                 given, ARRAY_LENGTH(given), out);
    }
}

static void collect_own(void *context, const struct metric *metric, struct text *out)
{
    const struct observed_kind *kind = context;
    collect_kind(kind, &kind->own, metric, out);
}

static void collect_deprecated(void *context, const struct metric *metric, struct text *out)
{
    const struct condition_metrics *metrics = context;
    bool full = metrics->control->manager.settings->metrics_full;
    for (uint32_t i = 0; i < metrics->kinds_count; i++)
        if (has_deprecated(&metrics->kinds[i]) && (full || !are_many(&metrics->kinds[i])))
            collect_kind(&metrics->kinds[i], &metrics->deprecated, metric, out);
}

// --- totals --------------------------------------------------------------------------------------
// Reasons on Nodes are anybody's texts.
static void count_conditions(const struct condition_metrics *metrics,
                             const struct observed_kind *kind)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(metrics->control->manager.mirror, kind->id, &iterator)) != NULL;)
        list_for_each (condition, object_conditions(object))
            metric_add(metrics->totals, 1, object->kind->name, condition->type, condition->status,
                       kind->id == KIND_NODE ? "" : condition->reason);
}

static void refresh_totals(void *context)
{
    const struct condition_metrics *metrics = context;
    metric_remove_all(metrics->totals);
    if (!metrics->control->manager.started)
        return;
    for (uint32_t i = 0; i < metrics->kinds_count; i++)
        count_conditions(metrics, &metrics->kinds[i]);
}

// --- transitions ---------------------------------------------------------------------------------
enum sample { TRANSITION, TRANSITION_SECONDS, TERMINATION_SECONDS };

static void write_sample(const struct families *families, enum sample sample, double value,
                         const char *const *values, size_t count)
{
    if (sample == TRANSITION)
        metric_add_values(families->transitions, value, values, count);
    else
        metric_observe_values(sample == TRANSITION_SECONDS ? families->transition_seconds
                                                           : families->termination_seconds,
                              value, values, count);
}

static void note(const struct observed_kind *kind, const struct object *object, enum sample sample,
                 double value, const char *const *given, size_t given_count)
{
    const char *values[3 + EXTRAS];
    size_t count = own_values(kind, object, given, given_count, values);
    write_sample(&kind->own, sample, value, values, count);
    if (!has_deprecated(kind))
        return;
    count = deprecated_values(object, given, given_count, values);
    write_sample(&kind->owner->deprecated, sample, value, values, count);
}

static void note_transition(const struct observed_kind *kind, const struct object *object,
                            const struct condition *before, const struct condition *condition)
{
    const char *const now[] = {condition->type, condition->status, condition->reason};
    note(kind, object, TRANSITION, 1, now, ARRAY_LENGTH(now));
    if (before == NULL)
        return;
    const char *const old[] = {before->type, before->status};
    note(kind, object, TRANSITION_SECONDS,
         seconds_between(before->last_transition_time, condition->last_transition_time), old,
         ARRAY_LENGTH(old));
}

static void on_object(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object)
{
    const struct observed_kind *kind = context;
    (void)change;
    if (new_object == NULL) {
        if (object_is_deleting(old_object))
            note(kind, old_object, TERMINATION_SECONDS,
                 seconds_between(old_object->meta.deletion_timestamp,
                                 manager_now(&kind->owner->control->manager)),
                 NULL, 0);
        return;
    }
    list_for_each (condition, object_conditions(new_object)) {
        const struct condition *before =
            old_object != NULL
                ? condition_find_named(object_conditions(old_object), condition->type)
                : NULL;
        bool first = before == NULL && !text_equal(condition->status, "Unknown");
        if (first || (before != NULL && !text_equal(before->status, condition->status)))
            note_transition(kind, new_object, before, condition);
    }
}

// --- registration --------------------------------------------------------------------------------
struct naming { // the common part of a set of families
    struct metrics *registry;
    char prefix[80]; // "operator_nodeclaim"
    char extra[EXTRAS][300];
    size_t extra_count;
    const double *buckets;
    uint32_t buckets_count;
    bool detailed; // its objects are many
};

static struct metric *family(const struct naming *naming, const char *suffix, const char *help,
                             enum metric_type type, const char *const *labels, size_t labels_count)
{
    bool of_object = labels_count > 0 && strcmp(labels[0], "namespace") == 0;
    char name[160];
    snprintf(name, sizeof name, "%s_%s", naming->prefix, suffix);
    struct metric_options options = {
        .name = name, .help = help, .type = type, .detailed = naming->detailed && of_object};
    for (size_t i = 0; i < labels_count; i++)
        options.labels[i] = labels[i];
    for (size_t i = 0; i < naming->extra_count; i++)
        options.labels[labels_count + i] = naming->extra[i];
    if (type == METRIC_HISTOGRAM) {
        options.buckets = naming->buckets;
        options.buckets_count = naming->buckets_count;
    }
    return metrics_register(naming->registry, &options);
}

static struct families families_register(const struct naming *naming)
{
    static const char *const labels[] = {"namespace", "name", "type", "status", "reason"};
    return (struct families){
        .count = family(naming, "status_condition_count", "Conditions that objects have.",
                        METRIC_GAUGE, labels, 5),
        .current_seconds =
            family(naming, "status_condition_current_status_seconds",
                   "Time since the condition's last transition.", METRIC_GAUGE, labels, 5),
        .transitions = family(naming, "status_condition_transitions_total",
                              "Transitions of conditions.", METRIC_COUNTER, labels + 2, 3),
        .transition_seconds =
            family(naming, "status_condition_transition_seconds",
                   "Time that a condition had its old status.", METRIC_HISTOGRAM, labels + 2, 2),
        .terminating_seconds = family(naming, "termination_current_time_seconds",
                                      "Time since the deletion of objects that are still there.",
                                      METRIC_GAUGE, labels, 2),
        .termination_seconds = family(naming, "termination_duration_seconds",
                                      "Time from an object's deletion until it was gone.",
                                      METRIC_HISTOGRAM, labels, 0),
    };
}

static void families_collect(const struct families *families, metric_collector collect,
                             void *context)
{
    metric_collect(families->count, collect, context);
    metric_collect(families->current_seconds, collect, context);
    metric_collect(families->terminating_seconds, collect, context);
}

static void kind_register(struct observed_kind *kind)
{
    struct control *control = kind->owner->control;
    double buckets[15];
    metric_exponential_buckets(0.5, ARRAY_LENGTH(buckets), buckets);
    struct naming naming = {.registry = control->manager.registry,
                            .detailed = are_many(kind),
                            .buckets = buckets,
                            .buckets_count = ARRAY_LENGTH(buckets)};
    if (kind->id == control->node_class_kind && control->cloud->provider->plain_condition_buckets) {
        naming.buckets = metric_plain_buckets;
        naming.buckets_count = metric_plain_buckets_count;
    }
    snprintf(naming.prefix, sizeof naming.prefix, "operator_%s", kind_get(kind->id)->name);
    for (char *at = naming.prefix; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    for (size_t i = 0; i < EXTRAS && kind->extra_keys[i] != NULL; i++) {
        snprintf(naming.extra[i], sizeof naming.extra[i], "%s", kind->extra_keys[i]);
        for (char *at = naming.extra[i]; *at != '\0'; at++)
            if (*at == '/' || *at == '.' || *at == '-')
                *at = '_';
        naming.extra_count++;
    }
    kind->own = families_register(&naming);
    families_collect(&kind->own, collect_own, kind);
    manager_observe(&control->manager, kind->id, on_object, kind);
}

struct condition_metrics *condition_metrics_create(struct control *control)
{
    if (control->manager.settings->disable_cluster_state_observability) // LIF-357
        return NULL;
    struct condition_metrics *metrics = memory_allocate(sizeof *metrics);
    metrics->control = control;
    const char *class_label = control->node_class_label;
    const struct observed_kind kinds[KINDS_MAX] = {
        {.id = KIND_NODE_CLAIM, .extra_keys = {class_label, LABEL_NODE_POOL}},
        {.id = KIND_NODE_POOL},
        {.id = KIND_NODE, .extra_keys = {class_label, LABEL_NODE_POOL, LABEL_INITIALIZED}},
        {.id = control->node_class_kind},
        {.id = KIND_CAPACITY_BUFFER},
    };
    metrics->kinds_count =
        control->manager.settings->gate_capacity_buffer ? KINDS_MAX : KINDS_MAX - 1;
    for (uint32_t i = 0; i < metrics->kinds_count; i++) {
        metrics->kinds[i] = kinds[i];
        metrics->kinds[i].owner = metrics;
        kind_register(&metrics->kinds[i]);
    }
    metrics->deprecated =
        families_register(&(struct naming){.registry = control->manager.registry,
                                           .prefix = "operator",
                                           .extra = {"group", "kind"},
                                           .extra_count = 2,
                                           .buckets = metric_plain_buckets,
                                           .buckets_count = metric_plain_buckets_count});
    families_collect(&metrics->deprecated, collect_deprecated, metrics);
    static const struct metric_options totals = {.name = "adze_conditions",
                                                 .help = "Objects with a condition.",
                                                 .type = METRIC_GAUGE,
                                                 .labels = {"kind", "type", "status", "reason"}};
    metrics->totals = metrics_register(control->manager.registry, &totals);
    metrics_before_write(control->manager.registry, refresh_totals, metrics);
    return metrics;
}

void condition_metrics_destroy(struct condition_metrics *metrics)
{
    if (metrics == NULL)
        return;
    for (uint32_t i = 0; i < metrics->kinds_count; i++) // the registry outlives this object
        families_collect(&metrics->kinds[i].own, NULL, NULL);
    families_collect(&metrics->deprecated, NULL, NULL);
    metrics_before_write(metrics->control->manager.registry, NULL, metrics);
    free(metrics);
}
