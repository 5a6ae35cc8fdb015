#include "sim/workloads/endpoints.h"

#include <string.h>

#include "base/nanoseconds.h"
#include "sim/workloads/workload_pods.h"
#include "sim/world/world_write.h"

#define ENDPOINTS_MAX 1000 // of one slice, as the API has it

static bool selects(const struct world_object *service, const struct world_object *pod)
{
    json_t *selector = store_path(service->json, "spec.selector"), *value;
    const char *key;
    if (json_object_size(selector) == 0 || strcmp(service->namespace, pod->namespace) != 0)
        return false;
    json_object_foreach (selector, key, value)
        if (!text_equal(world_label(pod, key), json_string_value(value)))
            return false;
    return true;
}

void endpoints_pod_changed(struct workloads *workloads, const struct world_object *pod)
{
    if (!workloads->world->options.comforts)
        return;
    world_for_each(service, workloads->world, KIND_SERVICE) if (selects(service, pod))
        work_queue_add(workloads->endpoints, service->key);
}

// --- what both kinds show ------------------------------------------------------------------------

// A number, or the port of that name of the pod's containers.
static int64_t target_port(const json_t *port, const struct world_object *pod)
{
    const json_t *target = json_object_get(port, "targetPort");
    json_t *container, *own;
    size_t i, j;
    if (json_is_integer(target))
        return json_integer_value(target);
    json_array_foreach (store_path(pod->json, "spec.containers"), i, container)
        json_array_foreach (json_object_get(container, "ports"), j, own)
            if (text_equal(world_text(own, "name"), json_string_value(target)))
                return world_int(own, "containerPort", 0);
    return target == NULL ? world_int(port, "port", 0) : 0;
}

static json_t *ports_of(const struct world_object *service, const struct world_object *pod)
{
    json_t *ports = json_array(), *port;
    size_t index;
    json_array_foreach (store_path(service->json, "spec.ports"), index, port) {
        int64_t number = target_port(port, pod);
        const char *name = world_text(port, "name"), *protocol = world_text(port, "protocol");
        if (number > 0)
            json_array_append_new(ports, json_pack("{s:s, s:I, s:s}", "name", text_or_empty(name),
                                                   "port", (json_int_t)number, "protocol",
                                                   protocol != NULL ? protocol : "TCP"));
    }
    return ports;
}

static json_t *reference_to(const struct world_object *pod)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "kind", "Pod", "name", pod->name, "namespace",
                     pod->namespace, "uid", pod->uid);
}

static json_t *slice_endpoint(const struct world_object *pod, bool ready)
{
    bool leaves = world_is_deleting(pod);
    return json_pack("{s:[s], s:{s:b, s:b, s:b}, s:o, s:s}", "addresses",
                     world_text(pod->json, "status.podIP"), "conditions", "ready", ready && !leaves,
                     "serving", ready, "terminating", leaves, "targetRef", reference_to(pod),
                     "nodeName", world_text(pod->json, "spec.nodeName"));
}

static json_t *address_of(const struct world_object *pod)
{
    return json_pack("{s:s, s:s, s:o}", "ip", world_text(pod->json, "status.podIP"), "nodeName",
                     world_text(pod->json, "spec.nodeName"), "targetRef", reference_to(pod));
}

// --- writing -------------------------------------------------------------------------------------

static void put(struct world *world, const struct world_object *service, const char *group,
                const char *plural, const char *name, json_t *value)
{
    char key[WORLD_KEY_MAX];
    struct world_kind *kind = world_kind_other(world, group, plural);
    world_key(service->namespace, name, key);
    struct world_object *known = world_find_other(world, group, plural, key);
    world_add_owner(value, service);
    if (known == NULL) {
        world_add_other(world, kind, service->namespace, value);
        return;
    }
    json_t *next = world_copy(known), *part;
    const char *member;
    json_object_foreach (value, member, part)
        if (strcmp(member, "metadata") != 0)
            json_object_set(next, member, part);
    json_decref(value);
    if (json_equal(next, known->json))
        json_decref(next);
    else
        world_replace(world, known, next);
}

struct endpoint_lists {
    json_t *endpoints, *ready, *not_ready, *ports;
};

static struct endpoint_lists list_endpoints(const struct world *world,
                                            const struct world_object *service)
{
    struct endpoint_lists lists = {json_array(), json_array(), json_array(), NULL};
    world_for_each(pod, world, KIND_POD)
    {
        if (!selects(service, pod) || world_pod_ended(pod) ||
            world_text(pod->json, "status.podIP") == NULL || pod->on_node == NULL ||
            json_array_size(lists.endpoints) == ENDPOINTS_MAX)
            continue;
        bool ready = world_pod_ready(pod);
        json_array_append_new(lists.endpoints, slice_endpoint(pod, ready));
        if (!world_is_deleting(pod))
            json_array_append_new(ready ? lists.ready : lists.not_ready, address_of(pod));
        if (lists.ports == NULL)
            lists.ports = ports_of(service, pod);
    }
    if (lists.ports == NULL)
        lists.ports = json_array();
    return lists;
}

static void put_slice(struct world *world, const struct world_object *service,
                      const struct endpoint_lists *lists)
{
    char hash[12], name[320];
    json_t *uid = json_pack("[s]", service->uid);
    workload_template_hash(uid, NULL, hash);
    json_decref(uid);
    snprintf(name, sizeof name, "%s-%.5s", service->name, hash);
    put(world, service, "discovery.k8s.io", "endpointslices", name,
        json_pack("{s:s, s:s, s:{s:s, s:{s:s, s:s}}, s:s, s:O, s:O}", "apiVersion",
                  "discovery.k8s.io/v1", "kind", "EndpointSlice", "metadata", "name", name,
                  "labels", "kubernetes.io/service-name", service->name,
                  "endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io",
                  "addressType", "IPv4", "endpoints", lists->endpoints, "ports", lists->ports));
}

static void put_endpoints(struct world *world, const struct world_object *service,
                          const struct endpoint_lists *lists)
{
    json_t *subset = json_object(), *subsets = json_array();
    if (json_array_size(lists->ready) > 0)
        json_object_set(subset, "addresses", lists->ready);
    if (json_array_size(lists->not_ready) > 0)
        json_object_set(subset, "notReadyAddresses", lists->not_ready);
    if (json_object_size(subset) > 0) {
        json_object_set(subset, "ports", lists->ports);
        json_array_append(subsets, subset);
    }
    json_decref(subset);
    put(world, service, "", "endpoints", service->name,
        json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "v1", "kind", "Endpoints", "metadata",
                  "name", service->name, "subsets", subsets));
}

void endpoints_sync(void *context, const char *key)
{
    struct workloads *workloads = context;
    struct world *world = workloads->world;
    const struct world_object *service = world_find_key(world, KIND_SERVICE, key);
    if (service == NULL || world_is_deleting(service) || !world->options.comforts ||
        json_object_size(store_path(service->json, "spec.selector")) == 0)
        return;
    struct endpoint_lists lists = list_endpoints(world, service);
    put_slice(world, service, &lists);
    put_endpoints(world, world_find_key(world, KIND_SERVICE, key), &lists);
    json_decref(lists.endpoints);
    json_decref(lists.ready);
    json_decref(lists.not_ready);
    json_decref(lists.ports);
}
