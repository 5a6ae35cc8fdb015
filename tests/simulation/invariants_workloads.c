// Forbidden effects of a command on the pods of its node (invariants.h, 3): DIS-791, DIS-761.
#include <string.h>

#include "simulation/invariants_internal.h"

#define ROLL_NS (5 * SECOND) // a pod that was ready so recently may have been counted on
#define KEPT_NS (5 * MINUTE) // minimum time for which a drain keeps the last ready pod

// --- DIS-791 -------------------------------------------------------------------------------------

static bool is_older(const struct invariants *invariants, int64_t since_ns)
{
    return now_ns(invariants) - since_ns > MOMENT_NS;
}

// DIS-40: "true", or a duration from the pod's creation that is not over.
static bool is_protected(const struct invariants *invariants, const struct pod_record *record,
                         const json_t *pod)
{
    struct error error = {0};
    int64_t nanoseconds = 0, created = 0;
    if (record->protection == NULL || !is_older(invariants, record->protected_ns))
        return false;
    if (strcmp(record->protection, "true") == 0)
        return true;
    const char *from = text_at(pod, "status.startTime");
    return duration_parse(record->protection, &nanoseconds, &error) && nanoseconds > 0 &&
           instant_parse(from != NULL ? from : text_at(pod, "metadata.creationTimestamp"), &created,
                         &error) &&
           loop_now_ns(invariants->options.loop) + MOMENT_NS + invariants->clock_slack_ns <
               created + nanoseconds;
}

static bool tolerates_disruption(const json_t *pod)
{
    size_t i;
    json_t *toleration;
    json_array_foreach (store_path(pod, "spec.tolerations"), i, toleration) {
        const char *key = json_string_value(json_object_get(toleration, "key"));
        const char *effect = json_string_value(json_object_get(toleration, "effect"));
        if ((key == NULL || strcmp(key, TAINT_DISRUPTED) == 0) &&
            (effect == NULL || strcmp(effect, "NoSchedule") == 0))
            return true;
    }
    return false;
}

struct guard { // PodDisruptionBudgets of one pod
    struct invariants *invariants;
    const json_t *pod;
    uint32_t budgets, exhausted;
};

static bool look_at_guard(void *context, json_t *budget)
{
    struct guard *guard = context;
    const struct budget_record *record = map_get(guard->invariants->budgets, store_uid(budget));
    if (!is_selected(guard->pod, store_path(budget, "spec.selector")) || record == NULL)
        return true;
    bool unhealthy =
        text_equal(text_at(budget, "spec.unhealthyPodEvictionPolicy"), "AlwaysAllow") &&
        condition_is(guard->pod, "Ready", "False");
    // The record is from before this request: the budget's current state counts, too.
    bool exhausted = record->exhausted_ns != 0 &&
                     json_integer_value(store_path(budget, "status.disruptionsAllowed")) == 0;
    guard->budgets++;
    guard->exhausted +=
        exhausted && !unhealthy && is_older(guard->invariants, record->exhausted_ns);
    return true;
}

static void check_blocking(struct invariants *invariants, const struct pod_record *record,
                           const json_t *node)
{
    json_t *pod = store_get(invariants->store, resource(invariants, "v1", "Pod"), record->namespace,
                            record->name);
    if (pod == NULL || is_deleting(pod) || has_ended(pod))
        return;
    if (is_protected(invariants, record, pod)) {
        violate(invariants,
                "node %s is disrupted although pod %s says do-not-disrupt: %s (DIS-791)",
                store_name(node), record->name, record->protection);
        return;
    }
    struct guard guard = {.invariants = invariants, .pod = pod};
    if (!tolerates_disruption(pod))
        store_each(invariants->store, resource(invariants, "policy/v1", "PodDisruptionBudget"),
                   record->namespace, look_at_guard, &guard);
    if (guard.exhausted > 0)
        violate(invariants,
                "node %s is disrupted although a PodDisruptionBudget of pod %s allows "
                "nothing (DIS-791)",
                store_name(node), record->name);
}

// --- DIS-761 -------------------------------------------------------------------------------------
// A workload of these worlds is all pods with the same label app.

struct replicas { // ready ones, of one workload
    uint32_t here, leaving, elsewhere;
    uint32_t pods; // that have not ended, ready or not
};

static bool goes_voluntarily(const struct invariants *invariants, const char *node_name)
{
    json_t *node =
        store_get(invariants->store, resource(invariants, "v1", "Node"), NULL, node_name);
    json_t *claim =
        node != NULL ? claim_of_machine(invariants, text_at(node, "spec.providerID")) : NULL;
    const struct claim_record *record =
        claim != NULL ? map_get(invariants->claims, store_uid(claim)) : NULL;
    return record != NULL && record->voluntary &&
           now_ns(invariants) - record->deleting_ns < KEPT_NS;
}

// One ready pod elsewhere suffices.
static struct replicas count_replicas(struct invariants *invariants, const struct pod_record *of)
{
    struct replicas replicas = {0};
    const struct app_record *app = app_record(invariants, of->app);
    for (uint32_t i = 0; i < app->pods.count && replicas.elsewhere == 0; i++) {
        const struct pod_record *record = app->pods.items[i];
        replicas.pods += !record->leaving;
        bool lately = record->ready_ns != 0 && now_ns(invariants) - record->ready_ns < ROLL_NS;
        if (record->node == NULL || record == of || (!record->ready && !lately))
            continue;
        if (strcmp(record->node, of->node) == 0)
            replicas.here += record->ready;
        else if (goes_voluntarily(invariants, record->node))
            replicas.leaving += record->ready;
        else
            replicas.elsewhere++;
    }
    return replicas;
}

// A node with all ready pods may be disrupted alone: the drain keeps the last of them.
static void check_replicas(struct invariants *invariants, const struct pod_record *record,
                           const json_t *node)
{
    struct replicas replicas = count_replicas(invariants, record);
    if (replicas.elsewhere == 0 && replicas.leaving > 0 && is_faithful(invariants))
        violate(
            invariants,
            "node %s is disrupted, and with it the last of the ready pods of %s: %u here, %u on "
            "others that go (DIS-761)",
            store_name(node), record->app, replicas.here + 1, replicas.leaving);
}

void check_last_replica(struct invariants *invariants, const json_t *pod)
{
    struct pod_record *record = map_get(invariants->pods, store_uid(pod));
    if (record == NULL || record->app == NULL || record->node == NULL || !is_faithful(invariants) ||
        !goes_voluntarily(invariants, record->node))
        return;
    struct replicas replicas = count_replicas(invariants, record);
    if (replicas.here + replicas.leaving + replicas.elsewhere == 0 && replicas.pods > 1)
        violate(invariants,
                "pod %s is evicted from node %s, the last of %u pods of %s that was ready "
                "(DIS-761)",
                record->name, record->node, replicas.pods, record->app);
}

void check_pods_of_candidate(struct invariants *invariants, const json_t *claim, const json_t *node,
                             bool eventual)
{
    (void)claim;
    const struct occupants *occupants = occupants_of(invariants, store_name(node));
    for (uint32_t i = 0; occupants != NULL && i < occupants->pods.count; i++) {
        const struct pod_record *record = occupants->pods.items[i];
        if (record->leaving)
            continue;
        if (!eventual && is_faithful(invariants))
            check_blocking(invariants, record, node);
        if (record->app != NULL && record->ready)
            check_replicas(invariants, record, node);
    }
}
