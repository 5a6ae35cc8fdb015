#include "sim/scheduler/scheduler_events.h"

#include <string.h>

#include "sim/scheduler/scheduler_node_affinity.h"
#include "sim/scheduler/scheduler_queue.h"
#include "sim/scheduler/scheduler_taints.h"

#define BIT(reason) (UINT32_C(1) << FILTER_##reason)

static const uint32_t of_room = BIT(RESOURCES) | BIT(TOO_MANY_PODS);
static const uint32_t of_taints = BIT(TAINT) | BIT(NODE_UNSCHEDULABLE);
static const uint32_t of_spread = BIT(SPREAD) | BIT(SPREAD_LABEL);
static const uint32_t of_affinity =
    BIT(POD_AFFINITY) | BIT(POD_ANTI_AFFINITY) | BIT(EXISTING_ANTI_AFFINITY);
static const uint32_t of_volumes = BIT(CLAIM_IN_USE) | BIT(VOLUME_COUNT) | BIT(VOLUME_MISSING) |
                                   BIT(VOLUME_AFFINITY) | BIT(VOLUME_BINDING) | BIT(VOLUME_ZONE);
static const uint32_t of_devices = BIT(DEVICES) | BIT(DEVICES_ELSEWHERE);

void scheduler_node_event(struct scheduler *scheduler, uint32_t node, uint32_t events)
{
    if (events == 0)
        return;
    // The same node often changes several times in a row.
    uint32_t count = scheduler->node_events.count;
    if (count > 0 && scheduler->node_events.items[count - 1].node == node) {
        scheduler->node_events.items[count - 1].events |= events;
    } else {
        struct node_event event = {node, events};
        vector_push(&scheduler->node_events, event);
    }
    work_queue_add(scheduler->hints, "");
}

void scheduler_event(struct scheduler *scheduler, enum scheduler_event event)
{
    scheduler->events |= event;
    work_queue_add(scheduler->hints, "");
}

struct kin_answer { // for the pods of one ReplicaSet
    const char *kin;
    int64_t generation;
    uint32_t reasons;
    bool helps;
};
static bool helps_like(const struct scheduler *scheduler, const struct scheduled_pod *entry,
                       struct kin_answer *last);

void scheduler_use_hints(void *context, const char *key)
{
    (void)key;
    struct scheduler *scheduler = context;
    struct kin_answer last = {0};
    for (struct map_entry *e = map_first(scheduler->entries); e != NULL; e = map_next(e)) {
        struct scheduled_pod *entry = map_value(e);
        if (entry->state == POD_UNSCHEDULABLE && helps_like(scheduler, entry, &last))
            scheduler_requeue(scheduler, entry);
    }
    scheduler->node_events.count = 0;
    scheduler->events = 0;
}

const char *scheduler_kin(const struct pod *pod)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    if (owner == NULL || !text_equal(owner->kind, "ReplicaSet") ||
        pod->spec.resource_claims.count > 0)
        return NULL;
    list_for_each (volume, &pod->spec.volumes)
        if (volume->persistent_volume_claim != NULL || volume->ephemeral != NULL)
            return NULL;
    return owner->uid;
}

static bool events_help(uint32_t events, uint32_t reasons)
{
    if (events & EVENT_POD_LEFT &&
        reasons & (of_room | of_spread | of_affinity | of_volumes | BIT(PORTS)))
        return true;
    if (events & EVENT_POD_CAME && reasons & (of_spread | of_affinity))
        return true;
    if (events & EVENT_NODE_GONE && reasons & of_spread)
        return true;
    return events & EVENT_OTHER_CHANGED && reasons & (of_volumes | of_affinity | of_devices);
}

static bool node_helps(const struct scheduler *scheduler, const struct pod *pod,
                       const struct node_event *event, uint32_t reasons)
{
    if (event->node >= filter_nodes_limit(scheduler->cluster))
        return false;
    const struct node *node = filter_node_at(scheduler->cluster, event->node);
    if (node == NULL)
        return false;
    bool added = event->events & EVENT_NODE_ADDED;
    if (reasons & of_room && (added || event->events & EVENT_NODE_ALLOCATABLE) &&
        filter_fits_empty(scheduler->cluster, pod, event->node))
        return true;
    if (reasons & of_taints && (added || event->events & EVENT_NODE_TAINTS) &&
        filter_untolerated_taint(&pod->spec, node, false) == NULL && !node->spec.unschedulable)
        return true;
    if (!added && !(event->events & EVENT_NODE_LABELS))
        return false;
    if (reasons & BIT(NODE_AFFINITY) && filter_node_affinity_matches(&pod->spec, node))
        return true;
    return reasons & (of_spread | of_affinity | of_volumes | of_devices) ||
           (added && reasons & (BIT(PORTS) | BIT(NODE_NAME)));
}

static bool hint_helps(const struct scheduler *scheduler, const struct scheduled_pod *entry)
{
    if (events_help(scheduler->events, entry->reasons))
        return true;
    vector_for_each (event, &scheduler->node_events) {
        if (node_helps(scheduler, entry->object->pod, event, entry->reasons))
            return true;
    }
    return false;
}

static bool helps_like(const struct scheduler *scheduler, const struct scheduled_pod *entry,
                       struct kin_answer *last)
{
    const struct pod *pod = entry->object->pod;
    const char *kin = scheduler_kin(pod);
    if (kin == NULL)
        return hint_helps(scheduler, entry);
    if (last->kin == NULL || last->generation != pod->meta.generation ||
        last->reasons != entry->reasons || strcmp(last->kin, kin) != 0)
        *last = (struct kin_answer){kin, pod->meta.generation, entry->reasons,
                                    hint_helps(scheduler, entry)};
    return last->helps;
}
