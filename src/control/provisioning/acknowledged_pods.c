#include "control/provisioning/acknowledged_pods.h"

#include <assert.h>
#include <stdlib.h>

#include "base/nanoseconds.h"

struct acknowledgement { // SCH-12
    int64_t seen_ns;
    uint32_t round; // the last round with the pod
    bool decided, was_hushed;
};

struct acknowledged_pods {
    const struct control *control;
    struct map *by_uid; // struct acknowledgement
    uint32_t round;
    bool has_suppressed; // failures in this round
};

struct acknowledged_pods *acknowledged_pods_create(const struct control *control)
{
    struct acknowledged_pods *pods = memory_allocate(sizeof *pods);
    pods->control = control;
    pods->by_uid = map_create();
    pods->round = 1;
    return pods;
}

void acknowledged_pods_destroy(struct acknowledged_pods *pods)
{
    map_destroy(pods->by_uid, free);
    free(pods);
}

bool acknowledged_pods_add(struct acknowledged_pods *pods, const char *uid)
{
    struct acknowledgement *entry = map_get(pods->by_uid, uid);
    if (entry == NULL) {
        entry = memory_allocate(sizeof *entry);
        entry->seen_ns = loop_monotonic_ns(pods->control->manager.loop);
        map_set(pods->by_uid, uid, entry);
    }
    assert(entry->round <= pods->round);
    return !entry->decided;
}

void acknowledged_pods_remove(struct acknowledged_pods *pods, const char *uid)
{
    free(map_remove(pods->by_uid, uid));
}

static struct acknowledgement *find(const struct acknowledged_pods *pods, const struct pod *pod)
{
    return pod->meta.uid != NULL ? map_get(pods->by_uid, pod->meta.uid) : NULL;
}

bool acknowledged_pods_was_tried(void *context, const struct pod *pod)
{
    const struct acknowledged_pods *pods = context;
    const struct acknowledgement *entry = find(pods, pod);
    return entry != NULL && entry->round == pods->round;
}

void acknowledged_pods_note_tried(const struct acknowledged_pods *pods,
                                  const struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        struct acknowledgement *entry =
            find(pods, (const struct pod *)snapshot->objects[KIND_POD].items[i]);
        if (entry != NULL)
            entry->round = pods->round;
    }
}

// Pods of other passes may free the place that these need.
static void suppress_first_failures(struct acknowledged_pods *pods, struct plan *plan)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < plan->unschedulable.count; i++) {
        struct acknowledgement *entry = find(pods, plan->unschedulable.items[i].pod);
        if (entry == NULL || entry->was_hushed) {
            plan->unschedulable.items[told++] = plan->unschedulable.items[i];
            continue;
        }
        entry->was_hushed = pods->has_suppressed = true;
    }
    assert(told <= plan->unschedulable.count);
    plan->unschedulable.count = told;
}

bool acknowledged_pods_note_planned(struct acknowledged_pods *pods, struct plan *plan,
                                    uint32_t left_out)
{
    if (left_out > 0) {
        suppress_first_failures(pods, plan);
        return true;
    }
    bool goes_on = pods->has_suppressed;
    pods->round++;
    pods->has_suppressed = false;
    return goes_on;
}

static void note_decided(const struct acknowledged_pods *pods, const struct pod *pod,
                         int64_t planned_ns)
{
    struct acknowledgement *entry = find(pods, pod);
    if (entry == NULL || entry->decided)
        return;
    entry->decided = true;
    metric_observe(pods->control->metrics.decision_seconds,
                   (double)ns_subtract(planned_ns, entry->seen_ns) / SECOND);
}

void acknowledged_pods_note_decided(const struct acknowledged_pods *pods, const struct plan *plan,
                                    int64_t planned_ns)
{
    list_for_each (claim, &plan->claims)
        list_for_each (pod, &claim->pods)
            note_decided(pods, *pod, planned_ns);
    list_for_each (placement, &plan->placements)
        list_for_each (pod, &placement->pods)
            note_decided(pods, *pod, planned_ns);
    list_for_each (entry, &plan->unschedulable)
        note_decided(pods, entry->pod, planned_ns);
}
