#include "engine/disruption/blocked_checks.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "engine/pods/pdb.h"
#include "engine/problem/problem.h"
#include "model/reading/pod.h"
#include "model/reading/selector.h"
#include "model/schema/condition_types.h"

#define PODS_SHOWN 3

// --- uninitialized and deleting nodes ------------------------------------------------------------

static struct blocked_reason not_initialized(const struct blocked_finder *finder,
                                             const struct state_node *state)
{
    const struct condition *condition =
        condition_find(&state->claim->status.conditions, CONDITION_INITIALIZED);
    if (condition == NULL || condition->message == NULL || condition->message[0] == '\0')
        return blocked_reason_make(finder, "DIS-32 #4", "the node is not initialized yet");
    return blocked_reason_make(finder, "DIS-32 #4", "the node is not initialized yet: %s",
                               condition->message);
}

static struct blocked_reason marked(const struct blocked_finder *finder,
                                    const struct state_node *state)
{
    char since[INSTANT_TEXT_MAX];
    int64_t deleted = state->claim->meta.deletion_timestamp;
    if (deleted == 0)
        return blocked_reason_make(finder, "DIS-32 #5", "the node is marked for deletion already");
    instant_format(deleted, since);
    return blocked_reason_make(finder, "DIS-32 #5", "the node is being deleted since %s", since);
}

struct blocked_reason blocked_reason_of_unlaunched(const struct blocked_finder *finder,
                                                   const struct node_claim *claim)
{
    char since[INSTANT_TEXT_MAX];
    if (claim->meta.deletion_timestamp != 0) {
        instant_format(claim->meta.deletion_timestamp, since);
        return blocked_reason_make(finder, "DIS-32 #5", "the NodeClaim is being deleted since %s",
                                   since);
    }
    instant_format(claim->meta.creation_timestamp, since);
    return blocked_reason_make(finder, "DIS-32 #3", "the NodeClaim, made at %s, has no machine yet",
                               since);
}

// --- pending pods --------------------------------------------------------------------------------

static void add_wanting_pods(const struct plan *plan, const char *name, struct text *text)
{
    list_for_each (placement, &plan->placements) {
        if (strcmp(placement->name, name) != 0)
            continue;
        for (uint32_t i = 0; i < placement->pods.count && i < PODS_SHOWN; i++)
            text_format(text, "%s%s/%s", i > 0 ? ", " : "",
                        placement->pods.items[i]->meta.namespace,
                        placement->pods.items[i]->meta.name);
        if (placement->pods.count > PODS_SHOWN)
            text_format(text, " and %" PRIu32 " more", placement->pods.count - PODS_SHOWN);
    }
}

static struct blocked_reason nominated(const struct blocked_finder *finder,
                                       const struct state_node *state)
{
    const struct disruption *disruption = finder->disruption;
    const struct snapshot *snapshot = disruption->problem->snapshot;
    list_for_each (nomination, &snapshot->nominated)
        if (strcmp(nomination->node, state->name) == 0 && nomination->until > snapshot->time) {
            char until[INSTANT_TEXT_MAX];
            instant_format(nomination->until, until);
            return blocked_reason_make(finder, "DIS-32 #6",
                                       "the node is nominated for a pending pod until %s", until);
        }
    struct text pods = {0};
    if (disruption->explains)
        add_wanting_pods(disruption->plan, state->name, &pods);
    struct blocked_reason blocked =
        blocked_reason_make(finder, "DIS-765", "pending pods are planned on the node: %s",
                            pods.data != NULL ? pods.data : "");
    text_free(&pods);
    return blocked;
}

// --- pods and their budgets ----------------------------------------------------------------------

// When the pod's protection ends; INT64_MAX: never, or it has not started.
static int64_t protection_end(const struct pod *pod, int64_t now)
{
    int64_t until;
    return pod_protection(pod, now, &until) == PROTECTED_UNTIL ? until : INT64_MAX;
}

// DIS-40: the pod of the node that is protected longest decides.
static const struct pod *longest_protected(const struct state_node *state, int64_t now)
{
    const struct pod *longest = NULL;
    list_for_each (item, &state->pods)
        if (pod_is_active(*item) && pod_is_protected(*item, now) &&
            (longest == NULL || protection_end(*item, now) > protection_end(longest, now)))
            longest = *item;
    return longest;
}

static struct blocked_reason protected_pod(const struct blocked_finder *finder,
                                           const struct state_node *state)
{
    int64_t now = finder->disruption->problem->snapshot->time;
    const struct pod *pod = longest_protected(state, now);
    if (pod == NULL || !finder->disruption->explains)
        return blocked_reason_make(finder, "DIS-40",
                                   "a pod has the annotation " ANNOTATION_DO_NOT_DISRUPT);
    const char *value = string_map_get(&pod->meta.annotations, ANNOTATION_DO_NOT_DISRUPT);
    struct text until = {0};
    char end[INSTANT_TEXT_MAX];
    if (protection_end(pod, now) != INT64_MAX) {
        instant_format(protection_end(pod, now), end);
        text_format(&until, ", which protects it until %s", end);
    } else if (strcmp(value, "true") != 0) {
        text_add(&until, " from its start, and its status has no startTime yet");
    }
    struct blocked_reason blocked = blocked_reason_make(
        finder, "DIS-40", "pod %s/%s has the annotation " ANNOTATION_DO_NOT_DISRUPT ": %s%s",
        pod->meta.namespace, pod->meta.name, value, until.data != NULL ? until.data : "");
    text_free(&until);
    return blocked;
}

static const struct pod_disruption_budget *exhausted_budget(const struct snapshot *snapshot,
                                                            const struct pod *pod)
{
    if (!pod_is_evictable(pod, snapshot->time))
        return NULL;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD_DISRUPTION_BUDGET].count; i++) {
        const struct pod_disruption_budget *budget =
            (const struct pod_disruption_budget *)snapshot->objects[KIND_POD_DISRUPTION_BUDGET]
                .items[i];
        bool lenient = text_equal(budget->spec.unhealthy_pod_eviction_policy, "AlwaysAllow") &&
                       pod_is_unready(pod);
        if (budget_covers(budget, &pod->meta) &&
            (budget_is_unreadable(budget) || (budget_is_exhausted(budget) && !lenient)))
            return budget;
    }
    return NULL;
}

// DIS-45.
static struct blocked_reason exhausted(const struct blocked_finder *finder,
                                       const struct state_node *state, const char *message)
{
    const struct snapshot *snapshot = finder->disruption->problem->snapshot;
    list_for_each (pod, &state->pods) {
        const struct pod_disruption_budget *budget =
            finder->disruption->explains ? exhausted_budget(snapshot, *pod) : NULL;
        if (budget != NULL && budget_is_unreadable(budget))
            return blocked_reason_make(
                finder, "DIS-708",
                "the selector of PodDisruptionBudget %s/%s cannot be read, so that it may be of "
                "any pod of its namespace",
                budget->meta.namespace, budget->meta.name);
        if (budget != NULL && budget->status.expected_pods == 0)
            return blocked_reason_make(
                finder, "DIS-45",
                "PodDisruptionBudget %s/%s allows no eviction of pod %s/%s: its status "
                "counts no pods yet",
                budget->meta.namespace, budget->meta.name, (*pod)->meta.namespace,
                (*pod)->meta.name);
        if (budget != NULL)
            return blocked_reason_make(
                finder, "DIS-45",
                "PodDisruptionBudget %s/%s allows no eviction of pod %s/%s: %" PRId64
                " of its %" PRId64 " pods are healthy, %" PRId64 " must be",
                budget->meta.namespace, budget->meta.name, (*pod)->meta.namespace,
                (*pod)->meta.name, budget->status.current_healthy, budget->status.expected_pods,
                budget->status.desired_healthy);
    }
    return blocked_reason_make(finder, "DIS-45", "%s", message);
}

// DIS-708.
static struct blocked_reason unreadable(const struct blocked_finder *finder,
                                        const struct state_node *state)
{
    const struct problem *problem = finder->disruption->problem;
    list_for_each (pod, &state->pods) {
        const struct pod_disruption_budget *budget =
            pod_is_evictable(*pod, problem->snapshot->time)
                ? pdb_index_unreadable(problem->pods.budgets, (*pod)->meta.namespace)
                : NULL;
        if (budget != NULL && budget->meta.unreadable != NULL)
            return blocked_reason_make(
                finder, "API-603",
                "PodDisruptionBudget %s/%s cannot be read, so that it may protect any pod of its "
                "namespace, such as %s: %s",
                budget->meta.namespace, budget->meta.name, (*pod)->meta.name,
                budget->meta.unreadable);
        if (budget != NULL)
            return blocked_reason_make(
                finder, "DIS-708",
                "the selector of PodDisruptionBudget %s/%s is invalid, so that it may "
                "protect any pod of its namespace, such as %s",
                budget->meta.namespace, budget->meta.name, (*pod)->meta.name);
    }
    return blocked_reason_make(finder, "DIS-708",
                               "the selector of a PodDisruptionBudget is invalid");
}

static struct blocked_reason unreadable_pod(const struct blocked_finder *finder,
                                            const struct state_node *state)
{
    list_for_each (pod, &state->pods)
        if ((*pod)->meta.unreadable != NULL)
            return blocked_reason_make(
                finder, "API-603",
                "pod %s/%s cannot be read, so that nobody knows what it needs: %s",
                (*pod)->meta.namespace, (*pod)->meta.name, (*pod)->meta.unreadable);
    return blocked_reason_make(finder, "API-603", "a pod cannot be read");
}

struct blocked_reason blocked_reason_of_pods(const struct blocked_finder *finder,
                                             const struct state_node *state,
                                             enum candidate_check check, const char *message)
{
    assert(check != CHECK_PASSED);
    if (check == CHECK_UNREADABLE_POD)
        return unreadable_pod(finder, state);
    if (check == CHECK_POD)
        return protected_pod(finder, state);
    if (check == CHECK_UNREADABLE_BUDGET)
        return unreadable(finder, state);
    if (check == CHECK_SEVERAL_BUDGETS)
        return blocked_reason_make(finder, "DIS-44", "%s", message);
    return exhausted(finder, state, message);
}

static struct blocked_reason unknown_pool(const struct blocked_finder *finder, const char *name)
{
    list_for_each (pool, &finder->disruption->table.pools)
        if (strcmp(pool->pool->meta.name, name) == 0)
            return blocked_reason_make(finder, "DIS-32 #9",
                                       "no instance types are known of NodePool \"%s\"", name);
    return blocked_reason_make(finder, "DIS-32 #9", "there is no NodePool \"%s\"", name);
}

// --- all checks ----------------------------------------------------------------------------------

struct blocked_reason blocked_reason_of_refusal(const struct blocked_finder *finder,
                                                const struct disruption_refusal *refusal)
{
    assert(refusal->check != CHECK_PASSED);
    assert(refusal->state != NULL);
    const struct state_node *state = refusal->state;
    const char *pool = state->node_pool != NULL ? state->node_pool : "";
    switch (refusal->check) {
    case CHECK_BUSY:
        return blocked_reason_make(finder, "DIS-32 #1",
                                   "the node is in a command that is being carried out");
    case CHECK_UNMANAGED:
        return blocked_reason_make(finder, "DIS-32 #2",
                                   "no NodeClaim belongs to the node: it is not managed");
    case CHECK_NO_NODE:
        return blocked_reason_make(finder, "DIS-32 #3", "the machine's Node has not joined yet");
    case CHECK_UNREADABLE:
        return blocked_reason_make(finder, "API-603", "the %s cannot be read: %s",
                                   state->node->meta.unreadable != NULL ? "Node" : "NodeClaim",
                                   state_node_unreadable(state));
    case CHECK_UNINITIALIZED:
        return not_initialized(finder, state);
    case CHECK_MARKED:
        return marked(finder, state);
    case CHECK_NOMINATED:
        return nominated(finder, state);
    case CHECK_ANNOTATION:
        return blocked_reason_make(
            finder, "DIS-32 #7", "the Node has the annotation " ANNOTATION_DO_NOT_DISRUPT ": true");
    case CHECK_NO_POOL_LABEL:
        return blocked_reason_make(finder, "DIS-32 #8",
                                   "the Node has no label " LABEL_NODE_POOL
                                   ": it belongs to no NodePool");
    case CHECK_UNKNOWN_POOL:
        return unknown_pool(finder, pool);
    case CHECK_UNREADABLE_POD:
    case CHECK_POD:
    case CHECK_UNREADABLE_BUDGET:
    case CHECK_SEVERAL_BUDGETS:
    case CHECK_BUDGET:
    case CHECK_NO_PODS:
    case CHECK_PASSED:
        break;
    }
    return blocked_reason_of_pods(finder, state, refusal->check, refusal->message);
}
