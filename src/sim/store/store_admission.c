#include "sim/store/store_admission.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "sim/store/store_defaults.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_objects.h"
#include "sim/store/store_resources.h"

#define TOLERATION_SECONDS 300

static const char *const container_lists[] = {"initContainers", "containers"};

// --- LimitRange ----------------------------------------------------------------------------------

struct limit_pass {
    struct store *store;
    const struct store_resource *resource;
    json_t *pod;
    struct failure *failure;
    bool good;
};

static void merge_missing(json_t *container, const char *list, const json_t *defaults)
{
    const char *name;
    json_t *quantity;
    json_object_foreach ((json_t *)defaults, name, quantity) {
        json_t *into = child_object(child_object(container, "resources"), list);
        if (json_object_get(into, name) == NULL)
            json_object_set(into, name, quantity);
    }
}

// The upper and lower bounds of a container, in the words of the LimitRanger plugin.
static bool check_bound(struct limit_pass *pass, const json_t *container, const json_t *bounds,
                        const char *list, bool maximum)
{
    const char *name;
    json_t *bound;
    json_object_foreach ((json_t *)bounds, name, bound) {
        const json_t *resources = json_object_get(container, "resources");
        const char *given = string_at(json_object_get(resources, list), name);
        int64_t given_value, bound_value;
        if (!json_is_string(bound) ||
            !quantity_parse(name, json_string_value(bound), &bound_value, NULL))
            continue;
        const char *word = maximum ? "maximum" : "minimum";
        if (given == NULL)
            return failure_forbidden(pass->failure, pass->resource, store_name(pass->pod),
                                     "%s %s usage per Container is %s.  No %s is specified", word,
                                     name, json_string_value(bound), maximum ? "limit" : "request");
        if (!quantity_parse(name, given, &given_value, NULL))
            continue;
        if (maximum ? given_value > bound_value : given_value < bound_value)
            return failure_forbidden(pass->failure, pass->resource, store_name(pass->pod),
                                     "%s %s usage per Container is %s, but %s is %s", word, name,
                                     json_string_value(bound), maximum ? "limit" : "request",
                                     given);
    }
    return true;
}

static bool apply_limit(struct limit_pass *pass, const json_t *limit)
{
    const char *type = string_at(limit, "type");
    if (type == NULL || strcmp(type, "Container") != 0)
        return true;
    json_t *spec = json_object_get(pass->pod, "spec");
    for (size_t l = 0; l < ARRAY_LENGTH(container_lists); l++) {
        size_t i;
        json_t *container;
        json_array_foreach (json_object_get(spec, container_lists[l]), i, container) {
            if (!json_is_object(container))
                continue;
            merge_missing(container, "limits", json_object_get(limit, "default"));
            merge_missing(container, "requests", json_object_get(limit, "defaultRequest"));
            if (!check_bound(pass, container, json_object_get(limit, "max"), "limits", true) ||
                !check_bound(pass, container, json_object_get(limit, "min"), "requests", false))
                return false;
        }
    }
    return true;
}

static bool apply_limit_range(void *context, json_t *object)
{
    struct limit_pass *pass = context;
    size_t i;
    json_t *limit;
    json_array_foreach (json_object_get(json_object_get(object, "spec"), "limits"), i, limit) {
        pass->good = pass->good && apply_limit(pass, limit);
    }
    return pass->good;
}

// --- priority ------------------------------------------------------------------------------------

static bool find_global_default(void *context, json_t *object)
{
    if (!json_is_true(json_object_get(object, "globalDefault")))
        return true;
    *(json_t **)context = object;
    return false;
}

static bool apply_priority(struct store *store, const struct store_resource *resource, json_t *pod,
                           struct failure *failure)
{
    json_t *spec = child_object(pod, "spec");
    const char *class_name = string_at(spec, "priorityClassName");
    json_t *class = NULL;
    if (class_name != NULL && class_name[0] != '\0') {
        class = store_get(store, store->priority_classes, NULL, class_name);
        if (class == NULL)
            return failure_forbidden(failure, resource, store_name(pod),
                                     "no PriorityClass with name %s was found", class_name);
    } else {
        store_each(store, store->priority_classes, NULL, find_global_default, &class);
    }
    json_int_t computed = json_integer_value(json_object_get(class, "value"));
    json_t *given = json_object_get(spec, "priority");
    if (json_is_integer(given) && json_integer_value(given) != computed)
        return failure_forbidden(failure, resource, store_name(pod),
                                 "the integer value of priority (%lld) must not be provided in pod "
                                 "spec; priority admission controller computed %lld from the given "
                                 "PriorityClass name",
                                 (long long)json_integer_value(given), (long long)computed);
    json_object_set_new(spec, "priority", json_integer(computed));
    const char *policy = string_at(class, "preemptionPolicy");
    default_set(spec, "preemptionPolicy",
                json_string(policy != NULL ? policy : "PreemptLowerPriority"));
    if (class != NULL && class_name == NULL)
        json_object_set_new(spec, "priorityClassName", json_string(store_name(class)));
    return true;
}

// --- tolerations, service account, overhead ------------------------------------------------------

static bool tolerates(const json_t *tolerations, const char *taint_key)
{
    size_t i;
    json_t *toleration;
    json_array_foreach (tolerations, i, toleration) {
        const char *key = string_at(toleration, "key");
        const char *effect = string_at(toleration, "effect");
        bool key_fits = key == NULL || key[0] == '\0' || strcmp(key, taint_key) == 0;
        bool effect_fits = effect == NULL || effect[0] == '\0' || strcmp(effect, "NoExecute") == 0;
        if (key_fits && effect_fits)
            return true;
    }
    return false;
}

static void apply_tolerations(json_t *spec)
{
    static const char *const taints[] = {"node.kubernetes.io/not-ready",
                                         "node.kubernetes.io/unreachable"};
    json_t *tolerations = json_object_get(spec, "tolerations");
    if (!json_is_array(tolerations)) {
        tolerations = json_array();
        json_object_set_new(spec, "tolerations", tolerations);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(taints); i++)
        if (!tolerates(tolerations, taints[i]))
            json_array_append_new(tolerations,
                                  json_pack("{s:s, s:s, s:s, s:i}", "key", taints[i], "operator",
                                            "Exists", "effect", "NoExecute", "tolerationSeconds",
                                            TOLERATION_SECONDS));
}

static void apply_service_account(json_t *spec)
{
    const char *old_name = string_at(spec, "serviceAccount");
    default_set(spec, "serviceAccountName", json_string(old_name != NULL ? old_name : "default"));
    json_object_set(spec, "serviceAccount", json_object_get(spec, "serviceAccountName"));
}

static bool apply_overhead(struct store *store, const struct store_resource *resource, json_t *pod,
                           struct failure *failure)
{
    json_t *spec = json_object_get(pod, "spec");
    const char *name = string_at(spec, "runtimeClassName");
    if (name == NULL)
        return true;
    json_t *class = store_get(
        store, store_resource_find(store, "node.k8s.io", "v1", "runtimeclasses"), NULL, name);
    if (class == NULL)
        return failure_forbidden(failure, resource, store_name(pod),
                                 "pod rejected: RuntimeClass \"%s\" not found", name);
    json_t *overhead = store_path(class, "overhead.podFixed");
    if (overhead != NULL && json_object_get(spec, "overhead") == NULL)
        json_object_set(spec, "overhead", overhead);
    return true;
}

// --- quality of service --------------------------------------------------------------------------

static bool has_quantity(const json_t *list, const char *name, int64_t *value)
{
    const char *text = string_at(list, name);
    return text != NULL && quantity_parse(name, text, value, NULL) && *value > 0;
}

static const char *qos_class(const json_t *spec)
{
    static const char *const names[] = {"cpu", "memory"};
    bool any = false, all = true;
    for (size_t l = 0; l < ARRAY_LENGTH(container_lists); l++) {
        size_t i;
        json_t *container;
        json_array_foreach (json_object_get(spec, container_lists[l]), i, container) {
            const json_t *resources = json_object_get(container, "resources");
            for (size_t n = 0; n < ARRAY_LENGTH(names); n++) {
                int64_t limit = 0, request = 0;
                bool limited = has_quantity(json_object_get(resources, "limits"), names[n], &limit);
                bool requested =
                    has_quantity(json_object_get(resources, "requests"), names[n], &request);
                any = any || limited || requested;
                all = all && limited && (!requested || request == limit);
            }
        }
    }
    return !any ? "BestEffort" : all ? "Guaranteed" : "Burstable";
}

static bool admit_pod(struct store *store, const struct store_resource *resource,
                      const char *namespace, json_t *pod, struct failure *failure)
{
    json_t *spec = child_object(pod, "spec");
    struct limit_pass pass = {store, resource, pod, failure, true};
    store_each(store, store->limit_ranges, namespace, apply_limit_range, &pass);
    if (!pass.good)
        return false;
    defaults_apply(store, resource, pod, true); // default limits are requests, too
    if (!apply_priority(store, resource, pod, failure) ||
        !apply_overhead(store, resource, pod, failure))
        return false;
    apply_service_account(spec);
    apply_tolerations(spec);
    json_object_set_new(child_object(pod, "status"), "qosClass", json_string(qos_class(spec)));
    return true;
}

// --- storage -------------------------------------------------------------------------------------

static bool find_default_class(void *context, json_t *class)
{
    const json_t *annotations = json_object_get(json_object_get(class, "metadata"), "annotations");
    const char *mark = string_at(annotations, "storageclass.kubernetes.io/is-default-class");
    if (mark != NULL && strcmp(mark, "true") == 0)
        *(json_t **)context = class;
    return true;
}

static void admit_volume_claim(struct store *store, json_t *claim)
{
    json_t *spec = child_object(claim, "spec");
    if (json_object_get(spec, "storageClassName") != NULL)
        return;
    json_t *class = NULL;
    store_each(store, store_resource_find(store, "storage.k8s.io", "v1", "storageclasses"), NULL,
               find_default_class, &class);
    if (class != NULL)
        json_object_set_new(spec, "storageClassName", json_string(store_name(class)));
}

bool admission_apply(struct store *store, const struct store_resource *resource,
                     const char *namespace, json_t *object, struct failure *failure)
{
    if (resource == store->pods)
        return admit_pod(store, resource, namespace, object, failure);
    if (resource->group[0] == '\0' && strcmp(resource->plural, "persistentvolumeclaims") == 0)
        admit_volume_claim(store, object);
    return true;
}
