// Pods and their PodDisruptionBudgets: evictions and deletions (invariants.h, 3).
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "simulation/invariants_internal.h"

// --- budgets -------------------------------------------------------------------------------------

// The worlds' budgets select by the label app.
static const char *app_of(const json_t *budget)
{
    const char *app = text_at(budget, "spec.selector.matchLabels.app");
    return app != NULL ? app : "";
}

static bool add_replicas(void *context, json_t *workload)
{
    const char *app = json_string_value(
        json_object_get(store_path(workload, "spec.template.metadata.labels"), "app"));
    if (app != NULL)
        app_record(context, app)->wanted +=
            json_integer_value(store_path(workload, "spec.replicas"));
    return true;
}

static void count_wanted_replicas(struct invariants *invariants)
{
    for (struct map_entry *e = map_first(invariants->apps); e != NULL; e = map_next(e))
        ((struct app_record *)map_value(e))->wanted = 0;
    store_each(invariants->store, resource(invariants, "apps/v1", "Deployment"), "default",
               add_replicas, invariants);
    store_each(invariants->store, resource(invariants, "apps/v1", "StatefulSet"), "default",
               add_replicas, invariants);
}

// By the last counted replicas.
static int64_t desired_by(struct invariants *invariants, const json_t *budget)
{
    int64_t total = app_record(invariants, app_of(budget))->wanted;
    const json_t *least = store_path(budget, "spec.minAvailable");
    const json_t *most = store_path(budget, "spec.maxUnavailable");
    return least != NULL  ? share_of(least, total)
           : most != NULL ? total - share_of(most, total)
                          : 0;
}

static bool sample_budget(void *context, json_t *budget)
{
    struct invariants *invariants = context;
    struct budget_record *record =
        map_ensure(invariants->budgets, store_uid(budget), sizeof *record);
    int64_t since_ns = record->exhausted_ns != 0 ? record->exhausted_ns : now_ns(invariants);
    bool exhausted = json_integer_value(store_path(budget, "status.disruptionsAllowed")) == 0;
    *record = (struct budget_record){.healthy = app_record(invariants, app_of(budget))->healthy,
                                     .desired = desired_by(invariants, budget)};
    record->exhausted_ns = exhausted ? since_ns : 0;
    return true;
}

void sample_budgets(struct invariants *invariants)
{
    count_wanted_replicas(invariants);
    store_each(invariants->store, resource(invariants, "policy/v1", "PodDisruptionBudget"), NULL,
               sample_budget, invariants);
}

// Of the pods that the budget selects; no further than `enough`.
static int64_t count_healthy(struct invariants *invariants, const json_t *budget, int64_t enough)
{
    const struct app_record *app = app_record(invariants, app_of(budget));
    int64_t healthy = 0;
    for (uint32_t i = 0; i < app->pods.count && healthy < enough; i++) {
        const json_t *pod = pod_of(invariants, app->pods.items[i]);
        healthy += pod != NULL && is_healthy(pod);
    }
    return healthy;
}

struct loss { // of a pod to the controller
    struct invariants *invariants;
    const json_t *pod;
};

// The budget may have changed with the world in the moment between its last count and the eviction:
// pods counted then count too.
static bool budget_bears(void *context, json_t *budget)
{
    struct loss *loss = context;
    struct invariants *invariants = loss->invariants;
    if (!is_selected(loss->pod, store_path(budget, "spec.selector")))
        return true;
    int64_t desired = desired_by(invariants, budget);
    int64_t healthy = count_healthy(invariants, budget, desired);
    struct budget_record *before = map_get(invariants->budgets, store_uid(budget));
    if (before != NULL)
        before->evicted++;
    bool bore = before != NULL && before->healthy - before->evicted >= before->desired;
    if (healthy < desired && !bore)
        violate(
            invariants,
            "pod %s was taken away although PodDisruptionBudget %s asks for %lld healthy pods and "
            "only %lld are left",
            store_name(loss->pod), store_name(budget), (long long)desired, (long long)healthy);
    return true;
}

// --- evictions and deletions ---------------------------------------------------------------------

static json_t *find_pod(const struct invariants *invariants, const struct target *target)
{
    return store_get(invariants->store, resource(invariants, "v1", "Pod"), target->namespace,
                     target->name);
}

bool takes_pod(const struct kube_request *request, const struct target *target)
{
    bool evicts = request->verb == KUBE_CREATE && text_equal(target->subresource, "eviction");
    return strcmp(target->plural, "pods") == 0 && (evicts || request->verb == KUBE_DELETE);
}

bool is_due(struct invariants *invariants, const char *provider_id, int64_t grace_seconds)
{
    struct error error = {0};
    int64_t deadline = 0;
    json_t *claim = claim_of_machine(invariants, provider_id);
    const char *text =
        claim != NULL ? annotation_of(claim, ANNOTATION_TERMINATION_TIMESTAMP) : NULL;
    return text != NULL && instant_parse(text, &deadline, &error) &&
           ns_add(loop_now_ns(invariants->options.loop), ns_multiply(grace_seconds, SECOND)) >=
               ns_subtract(deadline, invariants->clock_slack_ns + SECOND);
}

// A pod whose Node is gone runs nowhere: its deletion is harmless.
static void check_deletion_is_due(struct invariants *invariants, const json_t *pod)
{
    const char *node_name = text_at(pod, "spec.nodeName");
    json_t *node =
        node_name != NULL
            ? store_get(invariants->store, resource(invariants, "v1", "Node"), NULL, node_name)
            : NULL;
    int64_t grace_seconds =
        json_integer_value(store_path(pod, "spec.terminationGracePeriodSeconds"));
    if (node != NULL && !is_due(invariants, text_at(node, "spec.providerID"), grace_seconds))
        violate(invariants, "pod %s was deleted, not evicted, and its node %s has no such deadline",
                store_name(pod), node_name);
}

void before_pod(struct invariants *invariants, const struct kube_request *request,
                const struct target *target)
{
    json_t *pod = find_pod(invariants, target);
    invariants->pod_was_there = pod != NULL && !is_deleting(pod);
    invariants->pod_was_healthy = pod != NULL && is_healthy(pod);
    if (request->verb != KUBE_DELETE || !invariants->pod_was_there || has_ended(pod))
        return;
    invariants->counts.deletions++;
    check_deletion_is_due(invariants, pod);
}

void after_pod(struct invariants *invariants, const struct kube_request *request,
               const struct target *target)
{
    json_t *pod = find_pod(invariants, target);
    bool taken = invariants->pod_was_there && (pod == NULL || is_deleting(pod));
    invariants->counts.evictions += taken && request->verb == KUBE_CREATE;
    if (taken && pod != NULL)
        note_moved_pod(invariants, pod);
    if (request->verb == KUBE_DELETE || !taken || !invariants->pod_was_healthy || pod == NULL)
        return;
    check_last_replica(invariants, pod);
    count_wanted_replicas(invariants);
    struct loss loss = {invariants, pod};
    store_each(invariants->store, resource(invariants, "policy/v1", "PodDisruptionBudget"),
               target->namespace, budget_bears, &loss);
}
