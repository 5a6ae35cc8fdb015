#include "control/disruption/evaluation_report.h"

#include "base/nanoseconds.h"
#include "control/command/blocked_events.h"
#include "control/state/cluster.h"
#include "control/state/protection_events.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

// The blocker of a node is published when it differs from the last published one (DIS-771).
static void publish_of_looker(const struct disruption_parts *parts, enum node_looker looker,
                              const struct plan_note *note)
{
    struct control *control = parts->control;
    const char *name = note->object->meta.name;
    bool is_of_claim = note->object->kind->id == KIND_NODE_CLAIM;
    const struct node *node = is_of_claim ? NULL : find_node(control, name);
    if (!is_of_claim && node == NULL && note->object->meta.unreadable != NULL)
        node = (const struct node *)note->object; // the mirror has only those that can be read
    const struct node_claim *claim = is_of_claim    ? find_claim(control, name)
                                     : node != NULL ? cluster_claim_of(control->cluster, node, NULL)
                                                    : NULL;
    if (node != NULL || claim != NULL)
        blocked_events_publish(parts->blocked_events, looker, note->event, node, claim,
                               note->message);
}

static void publish_note(const struct disruption_parts *parts, enum node_looker looker,
                         const struct plan_note *note)
{
    struct control *control = parts->control;
    if (note->object->kind->id == KIND_NODE_POOL ||
        note->object->kind->id == KIND_POD_DISRUPTION_BUDGET)
        publish(&control->manager, note->object, note->event, "%s", note->message);
    else if (note->object->kind->id == KIND_NODE || note->object->kind->id == KIND_NODE_CLAIM)
        publish_of_looker(parts, looker, note);
}

// Emptiness finds anew what keeps each node; the other methods stop at the first command.
static void publish_notes(const struct disruption_evaluation *evaluation)
{
    bool was_at_all = evaluation->kind == EVALUATION_EMPTINESS;
    enum node_looker looker = was_at_all ? LOOKER_EMPTINESS : LOOKER_SWEEP;
    list_for_each (note, &evaluation->plan->notes)
        if (note->level == NOTE_EVENT && event_row(note->event)->type == EVENT_NORMAL)
            publish_note(evaluation->parts, looker, note);
    blocked_events_end(evaluation->parts->blocked_events, looker, was_at_all);
}

// DIS-41: of pods whose nodes a method wants.
static void publish_protections(const struct disruption_parts *parts)
{
    struct control *control = parts->control;
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        const struct node *node = state_only_node(state);
        const struct node_claim *claim = state_only_claim(state);
        if (node == NULL || claim == NULL || state_marked(state) ||
            (!condition_is_true(&claim->status.conditions, CONDITION_CONSOLIDATABLE) &&
             !condition_is_true(&claim->status.conditions, CONDITION_DRIFTED)))
            continue;
        const struct pod_list *pods = cluster_pods(control->cluster, node->meta.name);
        for (uint32_t i = 0; i < pods->count; i++)
            if (pod_is_active(pods->items[i]))
                protection_events_publish(parts->protection_events, pods->items[i]);
    }
}

struct duration_labels {
    enum disruption_reason reason;
    enum consolidation_type consolidation;
};

static struct duration_labels labels_of(enum evaluation_kind kind)
{
    switch (kind) {
    case EVALUATION_EMPTINESS:
        return (struct duration_labels){DISRUPTION_EMPTY, CONSOLIDATION_EMPTY};
    case EVALUATION_DUE_NODES:
        return (struct duration_labels){DISRUPTION_DRIFTED, CONSOLIDATION_NONE};
    case EVALUATION_METHODS:
    case EVALUATION_CHECK:
        break;
    }
    return (struct duration_labels){DISRUPTION_UNDERUTILIZED, CONSOLIDATION_SINGLE};
}

void evaluation_report(const struct disruption_evaluation *evaluation,
                       struct disruption_metrics *metrics)
{
    const struct control_metrics *series = &evaluation->control->metrics;
    const struct duration_labels labels = labels_of(evaluation->kind);
    int64_t took_ns =
        ns_subtract(loop_monotonic_ns(evaluation->control->manager.loop), evaluation->started_ns);
    if (evaluation->plan != NULL) {
        publish_notes(evaluation);
        disruption_metrics_record(metrics, evaluation->plan, evaluation->kind);
    }
    if (evaluation->kind == EVALUATION_EMPTINESS)
        publish_protections(evaluation->parts);
    metric_observe(series->disruption_evaluation_seconds, (double)took_ns / SECOND,
                   disruption_reason_label(labels.reason),
                   consolidation_type_label(labels.consolidation));
}
