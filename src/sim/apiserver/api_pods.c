#include "sim/apiserver/api_pods.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/schema/core.h"
#include "sim/apiserver/api_internal.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_meta.h"
#include "sim/store/store_patch.h"
#include "sim/store/store_remove.h"
#include "sim/store/store_resources.h"

#define DISRUPTED_PODS_MAX 2000

#define EVICTION_REFUSED "Cannot evict pod as it would violate the pod's disruption budget."
#define EVICTION_AMBIGUOUS                                                                     \
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not " \
    "support."

// --- which budgets -------------------------------------------------------------------------------

struct budget_search {
    const json_t *labels;
    json_t *found;
    uint32_t count;
};

static bool expression_fits(const json_t *expression, const json_t *labels)
{
    const char *key = string_at(expression, "key"), *operator= string_at(expression, "operator");
    const char *value = key != NULL ? string_at(labels, key) : NULL;
    if (key == NULL || operator== NULL)
        return false;
    if (strcmp(operator, "Exists") == 0)
        return value != NULL;
    if (strcmp(operator, "DoesNotExist") == 0)
        return value == NULL;
    bool found = false;
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(expression, "values"), i, item) {
        found = found || (value != NULL && json_is_string(item) &&
                          strcmp(json_string_value(item), value) == 0);
    }
    if (strcmp(operator, "In") == 0)
        return found;
    return strcmp(operator, "NotIn") == 0 && !found;
}

// policy/v1: an empty selector selects every pod of the namespace, an absent one none.
static bool selector_fits(const json_t *selector, const json_t *labels)
{
    if (!json_is_object(selector))
        return false;
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(selector, "matchLabels"), key, value) {
        if (!json_equal(value, json_object_get(labels, key)))
            return false;
    }
    size_t i;
    json_t *expression;
    json_array_foreach (json_object_get(selector, "matchExpressions"), i, expression) {
        if (!expression_fits(expression, labels))
            return false;
    }
    return true;
}

static bool find_budget(void *context, json_t *budget)
{
    struct budget_search *search = context;
    if (selector_fits(store_path(budget, "spec.selector"), search->labels)) {
        search->found = budget;
        search->count++;
    }
    return true;
}

// --- granting an eviction ------------------------------------------------------------------------

static bool has_condition(const json_t *object, const char *type)
{
    size_t i;
    json_t *condition;
    json_array_foreach (store_path(object, "status.conditions"), i, condition) {
        const char *name = string_at(condition, "type"), *status = string_at(condition, "status");
        if (name != NULL && status != NULL && strcmp(name, type) == 0)
            return strcmp(status, "True") == 0;
    }
    return false;
}

static bool ignores_budgets(const json_t *pod)
{
    static const char *const phases[] = {"Succeeded", "Failed", "Pending"};
    const char *phase = string_at(json_object_get(pod, "status"), "phase");
    for (size_t i = 0; phase != NULL && i < ARRAY_LENGTH(phases); i++)
        if (strcmp(phase, phases[i]) == 0)
            return true;
    return meta_is_deleting(pod);
}

static bool refuse_eviction(struct api_call *call, int retry_after_seconds, const char *format, ...)
    PRINTF_LIKE(3, 4);
static bool refuse_eviction(struct api_call *call, int retry_after_seconds, const char *format, ...)
{
    char why[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    failure_set(&call->failure, 429, "TooManyRequests", "%s", EVICTION_REFUSED);
    call->failure.details =
        json_pack("{s:[{s:s, s:s}]}", "causes", "reason", "DisruptionBudget", "message", why);
    if (retry_after_seconds > 0)
        json_object_set_new(call->failure.details, "retryAfterSeconds",
                            json_integer(retry_after_seconds));
    call->response->retry_after_seconds = retry_after_seconds;
    return false;
}

static json_int_t status_number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(object, "status"), key));
}

// Takes one disruption from the budget before the pod goes, so that concurrent evictions cannot
// overdraw it; the budget's controller confirms through disruptedPods.
static bool take_from_budget(struct api_call *call, json_t *budget, const char *pod_name)
{
    json_int_t allowed = status_number(budget, "disruptionsAllowed");
    json_int_t generation =
        json_integer_value(json_object_get(json_object_get(budget, "metadata"), "generation"));
    const json_t *disrupted = store_path(budget, "status.disruptedPods");
    if (status_number(budget, "observedGeneration") < generation)
        return refuse_eviction(call, 10,
                               "The disruption budget %s is still being processed by the server.",
                               store_name(budget));
    if (allowed < 0)
        return failure_forbidden(&call->failure, call->view, pod_name,
                                 "pdb disruptions allowed is negative");
    if (json_object_size(disrupted) > DISRUPTED_PODS_MAX)
        return failure_forbidden(&call->failure, call->view, pod_name,
                                 "DisruptedPods map too big - too many evictions not confirmed by "
                                 "PDB controller");
    if (allowed == 0)
        return refuse_eviction(call, 0,
                               "The disruption budget %s needs %lld healthy pods and has %lld "
                               "currently",
                               store_name(budget),
                               (long long)status_number(budget, "desiredHealthy"),
                               (long long)status_number(budget, "currentHealthy"));
    if (call->write.dry_run)
        return true;
    json_t *copy = json_deep_copy(budget);
    json_t *status = child_object(copy, "status");
    char now[40];
    json_object_set_new(status, "disruptionsAllowed", json_integer(allowed - 1));
    json_object_set_new(child_object(status, "disruptedPods"), pod_name,
                        json_string(now_text(call->store, now)));
    const struct store_resource *resource =
        store_resource_find(call->store, "policy", "v1", "poddisruptionbudgets");
    const struct write_options options = {0};
    json_t *written = store_write_replace(
        call->store,
        &(struct store_target){resource, store_namespace(budget), store_name(budget), "status"},
        copy, &options, &call->failure);
    json_decref(copy);
    return written != NULL;
}

static bool check_budget(struct api_call *call, json_t *pod)
{
    if (ignores_budgets(pod))
        return true;
    struct budget_search search = {.labels =
                                       json_object_get(json_object_get(pod, "metadata"), "labels")};
    store_each(call->store,
               store_resource_find(call->store, "policy", "v1", "poddisruptionbudgets"),
               store_namespace(pod), find_budget, &search);
    if (search.count > 1)
        return failure_set(&call->failure, 500, "", "%s", EVICTION_AMBIGUOUS);
    if (search.count == 0)
        return true;
    if (!has_condition(pod, "Ready")) {
        const char *policy =
            string_at(json_object_get(search.found, "spec"), "unhealthyPodEvictionPolicy");
        json_int_t desired = status_number(search.found, "desiredHealthy");
        if (policy != NULL && strcmp(policy, "AlwaysAllow") == 0)
            return true;
        if (desired > 0 && status_number(search.found, "currentHealthy") >= desired)
            return true;
    }
    return take_from_budget(call, search.found, store_name(pod));
}

// The condition with the reason of the pod's disruption, for its owner.
static void mark_disrupted(struct api_call *call, json_t *pod)
{
    if (call->write.dry_run || meta_is_deleting(pod))
        return;
    char now[40];
    json_t *condition =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "DisruptionTarget", "status", "True",
                  "reason", "EvictionByEvictionAPI", "message", "Eviction API: evicting",
                  "lastTransitionTime", now_text(call->store, now));
    json_t *patch = json_pack("{s:{s:[o]}}", "status", "conditions", condition);
    const struct write_options options = {0};
    store_write_patch(
        call->store,
        &(struct store_target){call->resource, store_namespace(pod), store_name(pod), "status"},
        "strategic", patch, &options, NULL);
    json_decref(patch);
}

bool call_evict(struct api_call *call)
{
    const json_t *body = call->request->body;
    json_t *pod = store_get(call->store, call->resource, call->path.namespace, call->path.name);
    const char *name = string_at(json_object_get(body, "metadata"), "name");
    if (name != NULL && name[0] != '\0' && strcmp(name, call->path.name) != 0)
        return failure_bad_request(&call->failure, "name in URL does not match name in Eviction "
                                                   "object");
    if (pod == NULL)
        return failure_not_found(&call->failure, call->view, call->path.name);
    const json_t *delete_options = json_object_get(body, "deleteOptions");
    const json_t *preconditions = json_object_get(delete_options, "preconditions");
    const json_t *grace = json_object_get(delete_options, "gracePeriodSeconds");
    struct store_delete_options options = {
        .uid = string_at(preconditions, "uid"),
        .resource_version = string_at(preconditions, "resourceVersion"),
        .grace_period_seconds = json_is_integer(grace) ? json_integer_value(grace) : -1,
    };
    if (json_array_size(json_object_get(delete_options, "dryRun")) > 0)
        call->write.dry_run = true;
    // A failed precondition must not cost the budget anything.
    const struct write_options trial = {.dry_run = true};
    bool removed;
    if (store_write_remove(
            call->store,
            &(struct store_target){call->resource, call->path.namespace, call->path.name}, &options,
            &trial, &removed, &call->failure) == NULL ||
        !check_budget(call, pod))
        return false;
    mark_disrupted(call, pod);
    options.resource_version = NULL; // checked above; the condition's write has raised it
    if (store_write_remove(
            call->store,
            &(struct store_target){call->resource, call->path.namespace, call->path.name}, &options,
            &call->write, &removed, &call->failure) == NULL)
        return false;
    json_t *status = status_success();
    json_object_set_new(status, "code", json_integer(201));
    return answer_value(call, 201, status);
}

// --- binding -------------------------------------------------------------------------------------

static void set_scheduled(struct api_call *call, json_t *pod)
{
    json_t *status = child_object(pod, "status");
    json_t *conditions = json_array();
    size_t i;
    json_t *condition;
    json_array_foreach (json_object_get(status, "conditions"), i, condition) {
        const char *type = string_at(condition, "type");
        if (type == NULL || strcmp(type, "PodScheduled") != 0)
            json_array_append(conditions, condition);
    }
    char now[40];
    json_array_append_new(conditions,
                          json_pack("{s:s, s:s, s:s}", "type", "PodScheduled", "status", "True",
                                    "lastTransitionTime", now_text(call->store, now)));
    json_object_set_new(status, "conditions", conditions);
    json_object_del(status, "nominatedNodeName");
}

bool call_bind(struct api_call *call)
{
    const json_t *body = call->request->body;
    const char *name = call->path.name;
    if (name == NULL)
        name = string_at(json_object_get(body, "metadata"), "name");
    const char *node = string_at(json_object_get(body, "target"), "name");
    const char *uid = string_at(json_object_get(body, "metadata"), "uid");
    if (name == NULL || node == NULL || node[0] == '\0')
        return failure_bad_request(&call->failure, "a binding needs metadata.name and target.name");
    json_t *pod = store_get(call->store, call->store->pods, call->path.namespace, name);
    if (pod == NULL)
        return failure_not_found(&call->failure, call->store->pods, name);
    if (uid != NULL && uid[0] != '\0' && strcmp(uid, store_uid(pod)) != 0)
        return failure_conflict(&call->failure, call->store->pods, name,
                                "Precondition failed: UID in precondition: %s, UID in object meta: "
                                "%s",
                                uid, store_uid(pod));
    if (meta_is_deleting(pod))
        return failure_conflict(&call->failure, call->store->pods, name,
                                "pod %s is being deleted, cannot be assigned to a host", name);
    const char *present = string_at(json_object_get(pod, "spec"), "nodeName");
    if (present != NULL && present[0] != '\0')
        return failure_conflict(&call->failure, call->store->pods, name,
                                "pod %s is already assigned to node \"%s\"", name, present);
    if (json_array_size(store_path(pod, "spec.schedulingGates")) > 0)
        return failure_conflict(&call->failure, call->store->pods, name,
                                "pod %s has non-empty .spec.schedulingGates", name);
    json_t *copy = json_deep_copy(pod);
    json_object_set_new(json_object_get(copy, "spec"), "nodeName", json_string(node));
    set_scheduled(call, copy);
    json_t *written = store_write_replace(
        call->store,
        &(struct store_target){call->store->pods, call->path.namespace, name, "binding"}, copy,
        &call->write, &call->failure);
    json_decref(copy);
    if (written == NULL)
        return false;
    json_t *status = status_success();
    json_object_set_new(status, "code", json_integer(201));
    return answer_value(call, 201, status);
}

// No container runs, so there is nothing to read from one or to talk to.
bool call_container(struct api_call *call)
{
    static const struct {
        const char *subresource, *message;
    } answers[] = {
        {"log", "there are no logs: the embedded cluster runs no containers"},
        {"exec", "no command can be executed: the embedded cluster runs no containers"},
        {"attach", "there is nothing to attach to: the embedded cluster runs no containers"},
        {"portforward", "no port can be forwarded: the embedded cluster runs no containers"},
        {"proxy", "there is nothing to connect to: the embedded cluster runs no containers"},
    };
    if (store_get(call->store, call->resource, call->path.namespace, call->path.name) == NULL)
        return failure_not_found(&call->failure, call->view, call->path.name);
    for (size_t i = 0; i < ARRAY_LENGTH(answers); i++)
        if (strcmp(call->path.subresource, answers[i].subresource) == 0)
            return failure_set(&call->failure, 501, "NotImplemented", "%s", answers[i].message);
    return failure_not_found(&call->failure, call->view, call->path.name);
}
