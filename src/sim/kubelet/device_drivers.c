#include "sim/kubelet/device_drivers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/devices/device_template.h"
#include "model/reading/pod.h"
#include "model/schema/devices.h"
#include "model/schema/karpenter.h"
#include "sim/world/world_write.h"

#define ALL_CLAIMS "" // the key of `given_up`

struct device_drivers {
    struct world *world;
    struct work_queue *nodes;    // by name: slices to publish
    struct work_queue *pods;     // by key: claims to make
    struct work_queue *given_up; // claims whose pods may be gone
    bool have_templates;
};

static void publish(void *context, const char *node_name);
static void make_claims(void *context, const char *key);
static void release_claims(void *context, const char *key);

struct device_drivers *device_drivers_create(struct world *world)
{
    struct device_drivers *drivers = memory_allocate(sizeof *drivers);
    const struct world_options *options = &world->options;
    drivers->world = world;
    int64_t start_ns = options->driver_start_ns > 0 ? options->driver_start_ns : 0;
    drivers->nodes = work_queue_create(world->loop, start_ns, publish, drivers);
    drivers->pods =
        work_queue_create(world->loop, options->controller_delay_ns, make_claims, drivers);
    drivers->given_up =
        work_queue_create(world->loop, options->controller_delay_ns, release_claims, drivers);
    return drivers;
}

void device_drivers_destroy(struct device_drivers *drivers)
{
    work_queue_destroy(drivers->nodes);
    work_queue_destroy(drivers->pods);
    work_queue_destroy(drivers->given_up);
    free(drivers);
}

// --- changes -------------------------------------------------------------------------------------

static const char *template_types(const struct world_object *slice)
{
    return world_annotation(slice, ANNOTATION_INSTANCE_TYPES);
}

static bool has_claims(const struct world_object *pod)
{
    return pod->pod != NULL && pod->pod->spec.resource_claims.count > 0;
}

void device_drivers_leave(void *part, struct world_object *object)
{
    struct device_drivers *drivers = part;
    if (world_is(object, KIND_POD) && object->gone && has_claims(object))
        work_queue_add(drivers->given_up, ALL_CLAIMS);
}

void device_drivers_enter(void *part, struct world_object *object)
{
    struct device_drivers *drivers = part;
    if (world_is(object, KIND_NODE)) {
        if (drivers->have_templates)
            work_queue_add(drivers->nodes, object->name);
    } else if (world_is(object, KIND_RESOURCE_SLICE) && template_types(object) != NULL &&
               drivers->world->options.driver_start_ns >= 0) {
        drivers->have_templates = true;
        world_for_each(node, drivers->world, KIND_NODE) work_queue_add(drivers->nodes, node->name);
    } else if (world_is(object, KIND_POD) && has_claims(object)) {
        work_queue_add(pod_is_terminal(object->pod) ? drivers->given_up : drivers->pods,
                       pod_is_terminal(object->pod) ? ALL_CLAIMS : object->key);
    } else if (world_is(object, KIND_RESOURCE_CLAIM_TEMPLATE)) {
        world_for_each(pod, drivers->world, KIND_POD) if (has_claims(pod))
            work_queue_add(drivers->pods, pod->key);
    }
}

// --- slices of nodes -----------------------------------------------------------------------------

static json_t *slice_for(const struct world_object *template, const struct world_object *node,
                         const char *name)
{
    json_t *spec = json_deep_copy(json_object_get(template->json, "spec"));
    char pool[WORLD_KEY_MAX];
    const char *of = world_text(template->json, "spec.pool.name");
    snprintf(pool, sizeof pool, "%s-%s", node->name, of != NULL ? of : "");
    json_object_set_new(spec, "nodeName", json_string(node->name));
    json_object_set_new(json_object_get(spec, "pool"), "name", json_string(pool));
    json_t *slice = json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "resource.k8s.io/v1",
                              "kind", "ResourceSlice", "metadata", "name", name, "spec", spec);
    world_add_owner(slice, node);
    return slice;
}

static void publish(void *context, const char *node_name)
{
    struct device_drivers *drivers = context;
    struct world *world = drivers->world;
    struct world_object *node = world_find(world, KIND_NODE, NULL, node_name);
    const char *type = node != NULL ? world_label(node, LABEL_INSTANCE_TYPE) : NULL;
    if (type == NULL || world_is_deleting(node))
        return;
    world_objects templates = {0};
    world_for_each(slice, world, KIND_RESOURCE_SLICE)
    {
        if (device_template_is_of(template_types(slice), type))
            vector_push(&templates, slice);
    }
    vector_for_each (template, &templates) {
        char name[WORLD_KEY_MAX];
        snprintf(name, sizeof name, "%s-%s", node_name, (*template)->name);
        if (world_find(world, KIND_RESOURCE_SLICE, NULL, name) == NULL)
            world_add(world, KIND_RESOURCE_SLICE, NULL, slice_for(*template, node, name), NULL);
    }
    vector_free(&templates);
}

// --- claims of pods ------------------------------------------------------------------------------

// The claim's name; empty: there is no such template yet.
static void make_claim(struct world *world, const struct world_object *pod,
                       const struct pod_resource_claim *reference, char name[WORLD_KEY_MAX])
{
    const struct world_object *template =
        world_find(world, KIND_RESOURCE_CLAIM_TEMPLATE, pod->namespace,
                   reference->resource_claim_template_name);
    name[0] = '\0';
    if (template == NULL)
        return;
    snprintf(name, WORLD_KEY_MAX, "%s-%s", pod->name, reference->name);
    if (world_find(world, KIND_RESOURCE_CLAIM, pod->namespace, name) != NULL)
        return;
    const json_t *spec = store_path(template->json, "spec.spec");
    json_t *claim = json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "resource.k8s.io/v1",
                              "kind", "ResourceClaim", "metadata", "name", name, "spec",
                              spec != NULL ? json_deep_copy(spec) : json_object());
    world_add_owner(claim, pod);
    world_add(world, KIND_RESOURCE_CLAIM, pod->namespace, claim, NULL);
}

static void make_claims(void *context, const char *key)
{
    struct device_drivers *drivers = context;
    struct world_object *pod = world_find_key(drivers->world, KIND_POD, key);
    if (pod == NULL || !has_claims(pod) || world_is_deleting(pod))
        return;
    json_t *made = json_array();
    list_for_each (reference, &pod->pod->spec.resource_claims) {
        char name[WORLD_KEY_MAX];
        if (reference->resource_claim_template_name == NULL ||
            pod_claim_status(pod->pod, reference->name) != NULL)
            continue;
        make_claim(drivers->world, pod, reference, name);
        if (name[0] != '\0')
            json_array_append_new(
                made, json_pack("{s:s, s:s}", "name", reference->name, "resourceClaimName", name));
    }
    if (json_array_size(made) > 0) {
        json_t *status = world_copy_status(pod);
        json_t *known = json_object_get(status, "resourceClaimStatuses");
        json_t *all = known != NULL ? json_deep_copy(known) : json_array();
        json_array_extend(all, made);
        json_object_set_new(status, "resourceClaimStatuses", all);
        world_set_status(drivers->world, pod, status);
    }
    json_decref(made);
}

static bool is_alive(const struct world *world, const char *uid)
{
    const struct world_object *pod = uid != NULL ? map_get(world->by_uid, uid) : NULL;
    return pod != NULL && !world_pod_ended(pod);
}

// A claim that no pod has any more gives its devices back.
static void release_claim(struct world *world, struct world_object *claim)
{
    json_t *status = world_copy_status(claim), *kept = json_array(), *entry;
    size_t index;
    json_array_foreach (json_object_get(status, "reservedFor"), index, entry)
        if (is_alive(world, world_text(entry, "uid")))
            json_array_append(kept, entry);
    bool changed = json_array_size(kept) < json_array_size(json_object_get(status, "reservedFor"));
    if (changed && json_array_size(kept) == 0)
        json_object_del(status, "allocation");
    json_object_set_new(status, "reservedFor", kept);
    if (changed)
        world_set_status(world, claim, status);
    else
        json_decref(status);
}

static void release_claims(void *context, const char *key)
{
    struct device_drivers *drivers = context;
    world_objects claims = {0};
    (void)key;
    world_for_each(claim, drivers->world, KIND_RESOURCE_CLAIM) vector_push(&claims, claim);
    vector_for_each (claim, &claims)
        release_claim(drivers->world, *claim);
    vector_free(&claims);
}
