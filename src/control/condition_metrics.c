// Condition metrics (LIF-355, LIF-356) of NodeClaims, NodePools, Nodes and node classes. What holds
// now is computed when the registry is written; transitions are counted as the mirror tells them.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "control/controllers.h"

#define KINDS  4
#define EXTRAS 3

struct condition_family { // of one kind
    struct condition_metrics *owner;
    enum kind_id kind;
    struct metric *count, *current_seconds, *transitions, *transition_seconds;
    struct metric *terminating_seconds, *termination_seconds;
    const char *extra_keys[EXTRAS]; // object labels that are metric labels; NULL-filled
};

struct condition_metrics {
    struct control *control;
    struct condition_family families[KINDS];
};

static const condition_list *conditions_of(const struct object *object)
{
    switch ((int)object->kind->id) {
    case KIND_NODE_CLAIM:
        return &((const struct node_claim *)object)->status.conditions;
    case KIND_NODE_POOL:
        return &((const struct node_pool *)object)->status.conditions;
    case KIND_NODE:
        return &((const struct node *)object)->status.conditions;
    case KIND_KWOK_NODE_CLASS:
        return &((const struct kwok_node_class *)object)->status.conditions;
    default: {
        static const condition_list none = {0};
        return &none;
    }
    }
}

static double seconds_between(int64_t from, int64_t to) // LIF-473: never negative
{
    return to > from ? (double)(to - from) / SECOND : 0;
}

// The given values, then those of the extra labels; answers how many there are.
static size_t values_of(const struct condition_family *family, const struct object *object,
                        const char *const *given, size_t given_count, const char **out)
{
    if (given_count > 0)
        memcpy(out, given, given_count * sizeof *out);
    for (size_t i = 0; i < EXTRAS && family->extra_keys[i] != NULL; i++)
        out[given_count++] = label_or_empty(object, family->extra_keys[i]);
    return given_count;
}

// --- what holds now ------------------------------------------------------------------------------
static void emit_conditions(const struct condition_family *family, const struct object *object,
                            const struct metric *metric, bool seconds, struct text *out)
{
    int64_t now = control_now(family->owner->control);
    list_for_each (condition, conditions_of(object)) {
        const char *values[5 + EXTRAS];
        const char *const given[] = {object->meta.namespace, object->meta.name, condition->type,
                                     condition->status, condition->reason};
        size_t count = values_of(family, object, given, ARRAY_LENGTH(given), values);
        metric_emit(metric, out,
                    seconds ? seconds_between(condition->last_transition_time, now) : 1, values,
                    count);
    }
}

static void collect(void *context, const struct metric *metric, struct text *out)
{
    const struct condition_family *family = context;
    const struct control *control = family->owner->control;
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->mirror, family->kind, &iterator)) != NULL;) {
        if (metric != family->terminating_seconds) {
            emit_conditions(family, object, metric, metric == family->current_seconds, out);
            continue;
        }
        if (!object_is_deleting(object))
            continue;
        const char *values[2 + EXTRAS];
        const char *const given[] = {object->meta.namespace, object->meta.name};
        size_t count = values_of(family, object, given, ARRAY_LENGTH(given), values);
        metric_emit(metric, out,
                    seconds_between(object->meta.deletion_timestamp, control_now(control)), values,
                    count);
    }
}

// --- transitions ---------------------------------------------------------------------------------
static void note_transition(const struct condition_family *family, const struct object *object,
                            const struct condition *before, const struct condition *condition)
{
    const char *values[3 + EXTRAS];
    const char *const given[] = {condition->type, condition->status, condition->reason};
    size_t count = values_of(family, object, given, ARRAY_LENGTH(given), values);
    metric_add_values(family->transitions, 1, values, count);
    if (before == NULL)
        return;
    const char *const old[] = {before->type, before->status};
    count = values_of(family, object, old, ARRAY_LENGTH(old), values);
    metric_observe_values(
        family->transition_seconds,
        seconds_between(before->last_transition_time, condition->last_transition_time), values,
        count);
}

static void on_object(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object)
{
    const struct condition_family *family = context;
    const struct control *control = family->owner->control;
    (void)change;
    if (new_object == NULL) {
        const char *values[EXTRAS];
        size_t count = values_of(family, old_object, NULL, 0, values);
        if (object_is_deleting(old_object))
            metric_observe_values(
                family->termination_seconds,
                seconds_between(old_object->meta.deletion_timestamp, control_now(control)), values,
                count);
        return;
    }
    list_for_each (condition, conditions_of(new_object)) {
        const struct condition *before =
            old_object != NULL ? condition_find(conditions_of(old_object), condition->type) : NULL;
        bool first = before == NULL && !text_equal(condition->status, "Unknown");
        if (first || (before != NULL && !text_equal(before->status, condition->status)))
            note_transition(family, new_object, before, condition);
    }
}

// --- registration --------------------------------------------------------------------------------
static struct metric *family_metric(const struct condition_family *family, const char *suffix,
                                    const char *help, enum metric_type type,
                                    const char *const *labels, size_t labels_count)
{
    static const double start = 0.5;
    double buckets[15];
    char name[160], kind[64], extra[EXTRAS][300];
    metric_exponential_buckets(start, ARRAY_LENGTH(buckets), buckets);
    const char *kind_name = kind_get(family->kind)->name;
    size_t length = 0;
    for (; kind_name[length] != '\0' && length + 1 < sizeof kind; length++)
        kind[length] = (char)tolower((unsigned char)kind_name[length]);
    kind[length] = '\0';
    snprintf(name, sizeof name, "operator_%s_%s", kind, suffix);
    struct metric_options options = {.name = name, .help = help, .type = type};
    for (size_t i = 0; i < labels_count; i++)
        options.labels[i] = labels[i];
    for (size_t i = 0; i < EXTRAS && family->extra_keys[i] != NULL; i++) {
        snprintf(extra[i], sizeof extra[i], "%s", family->extra_keys[i]);
        for (char *at = extra[i]; *at != '\0'; at++)
            if (*at == '/' || *at == '.' || *at == '-')
                *at = '_';
        options.labels[labels_count++] = extra[i];
    }
    if (type == METRIC_HISTOGRAM) {
        options.buckets = buckets;
        options.buckets_count = ARRAY_LENGTH(buckets);
    }
    return metrics_register(family->owner->control->registry, &options);
}

static void family_register(struct condition_family *family)
{
    static const char *const now[] = {"namespace", "name", "type", "status", "reason"};
    family->count = family_metric(family, "status_condition_count", "Conditions that objects have.",
                                  METRIC_GAUGE, now, 5);
    family->current_seconds =
        family_metric(family, "status_condition_current_status_seconds",
                      "Time since the condition's last transition.", METRIC_GAUGE, now, 5);
    family->transitions = family_metric(family, "status_condition_transitions_total",
                                        "Transitions of conditions.", METRIC_COUNTER, now + 2, 3);
    family->transition_seconds =
        family_metric(family, "status_condition_transition_seconds",
                      "Time that a condition had its old status.", METRIC_HISTOGRAM, now + 2, 2);
    family->terminating_seconds = family_metric(
        family, "termination_current_time_seconds",
        "Time since the deletion of objects that are still there.", METRIC_GAUGE, now, 2);
    family->termination_seconds = family_metric(family, "termination_duration_seconds",
                                                "Time from an object's deletion until it was gone.",
                                                METRIC_HISTOGRAM, now, 0);
    metric_collect(family->count, collect, family);
    metric_collect(family->current_seconds, collect, family);
    metric_collect(family->terminating_seconds, collect, family);
    mirror_on_change(family->owner->control->mirror, family->kind, on_object, family);
}

struct condition_metrics *condition_metrics_create(struct control *control)
{
    if (control->settings->disable_cluster_state_observability) // LIF-357
        return NULL;
    struct condition_metrics *metrics = memory_allocate(sizeof *metrics);
    metrics->control = control;
    const char *class_label = control->node_class_label;
    const struct condition_family families[KINDS] = {
        {.kind = KIND_NODE_CLAIM, .extra_keys = {class_label, LABEL_NODE_POOL}},
        {.kind = KIND_NODE_POOL},
        {.kind = KIND_NODE, .extra_keys = {class_label, LABEL_NODE_POOL, LABEL_INITIALIZED}},
        {.kind = control->node_class_kind},
    };
    for (size_t i = 0; i < KINDS; i++) {
        metrics->families[i] = families[i];
        metrics->families[i].owner = metrics;
        family_register(&metrics->families[i]);
    }
    return metrics;
}

void condition_metrics_destroy(struct condition_metrics *metrics)
{
    if (metrics == NULL)
        return;
    for (size_t i = 0; i < KINDS; i++) { // the registry outlives us
        metric_collect(metrics->families[i].count, NULL, NULL);
        metric_collect(metrics->families[i].current_seconds, NULL, NULL);
        metric_collect(metrics->families[i].terminating_seconds, NULL, NULL);
    }
    free(metrics);
}
