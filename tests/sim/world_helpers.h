// Helpers of the tests of the simulated cluster: a store, a world and machines on virtual time.
#pragma once

#include "base/loop_virtual.h"
#include "base/map.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/schema/object.h"
#include "model/tables/kinds.h"
#include "sim/store/store_patch.h"
#include "sim/store/store_remove.h"
#include "sim/store_helpers.h"
#include "sim/world.h"

struct scene {
    struct loop *loop;
    struct store *store;
    struct world *world;
    struct world_options options;
};

// Short delays and no jitter, so that tests know the times.
static inline struct scene scene_open(void (*adjust)(struct world_options *options))
{
    struct scene scene = {0};
    scene.loop = loop_create_virtual(START_NS);
    scene.store = store_create(scene.loop, 7);
    world_options_defaults(&scene.options);
    scene.options.jitter = 0;
    scene.options.node_boot_ns = 5 * SECOND;
    scene.options.node_ready_ns = 5 * SECOND;
    if (adjust != NULL)
        adjust(&scene.options);
    scene.world = world_create(scene.loop, scene.store, &scene.options);
    return scene;
}

static inline void scene_close(struct scene *scene)
{
    world_destroy(scene->world);
    store_destroy(scene->store);
    loop_destroy(scene->loop);
}

static inline void scene_run(struct scene *scene, int64_t seconds)
{
    loop_run_for(scene->loop, seconds * SECOND);
}

static inline const struct store_resource *scene_resource(struct scene *scene, enum kind_id id)
{
    const struct kind *kind = kind_get(id);
    const struct store_resource *resource =
        store_resource_of_kind(scene->store, kind->api_version, kind->name);
    assert_non_null(resource);
    return resource;
}

// Adds an object; printf's arguments fill in the text, single quotes replace double ones.
PRINTF_LIKE(2, 3)
static inline void scene_add(struct scene *scene, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    assert_true(vasprintf(&text, format, arguments) > 0);
    va_end(arguments);
    json_t *object = json_of(text);
    const struct store_resource *resource = store_resource_of_kind(
        scene->store, json_string_value(json_object_get(object, "apiVersion")),
        json_string_value(json_object_get(object, "kind")));
    assert_non_null(resource);
    const char *namespace = json_string_value(store_path(object, "metadata.namespace"));
    struct error error;
    if (store_add(scene->store, resource,
                  resource->namespaced && namespace == NULL ? "default" : namespace, object,
                  &error) == NULL)
        fail_msg("%s: %s", error.message, text);
    json_decref(object);
    free(text);
}

static inline json_t *scene_get(struct scene *scene, enum kind_id id, const char *namespace,
                                const char *name)
{
    return store_get(scene->store, scene_resource(scene, id), namespace, name);
}

PRINTF_LIKE(4, 5)
static inline void scene_patch(struct scene *scene, enum kind_id id, const char *name,
                               const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    assert_true(vasprintf(&text, format, arguments) > 0);
    va_end(arguments);
    json_t *patch = json_of(text);
    const struct store_resource *resource = scene_resource(scene, id);
    struct error error;
    if (store_patch(scene->store,
                    &(struct store_target){resource, resource->namespaced ? "default" : NULL, name},
                    "merge", patch, &error) == NULL)
        fail_msg("%s", error.message);
    json_decref(patch);
    free(text);
}

static inline void scene_remove(struct scene *scene, enum kind_id id, const char *name,
                                const char *propagation)
{
    const struct store_resource *resource = scene_resource(scene, id);
    struct store_delete_options options = {.grace_period_seconds = -1, .propagation = propagation};
    struct error error;
    if (store_remove(scene->store, resource, resource->namespaced ? "default" : NULL, name,
                     &options, &error) == NULL)
        fail_msg("%s", error.message);
}

// A machine "NAME" with provider id "sim:///NAME"; cpu in cores, memory in GiB, 110 pods.
static inline struct machine_boot scene_machine(const char *name, const char *zone, int64_t cpu,
                                                int64_t memory_gib)
{
    static struct string_pair labels[4];
    static struct resource_quantity resources[3];
    static char provider_id[300];
    snprintf(provider_id, sizeof provider_id, "sim:///%s", name);
    labels[0] = (struct string_pair){"kubernetes.io/arch", "amd64"};
    labels[1] = (struct string_pair){"kubernetes.io/hostname", name};
    labels[2] = (struct string_pair){"kubernetes.io/os", "linux"};
    labels[3] = (struct string_pair){"topology.kubernetes.io/zone", zone};
    resources[0] = (struct resource_quantity){"cpu", cpu * 1000};
    resources[1] = (struct resource_quantity){"memory", memory_gib << 30};
    resources[2] = (struct resource_quantity){"pods", 110};
    struct machine_boot boot = {
        .name = name, .provider_id = provider_id, .boot_delay_ns = -1, .ready_delay_ns = -1};
    boot.labels.items = labels;
    boot.labels.count = 4;
    boot.capacity.items = boot.allocatable.items = resources;
    boot.capacity.count = boot.allocatable.count = 3;
    return boot;
}

static inline void scene_boot(struct scene *scene, const char *name, const char *zone, int64_t cpu,
                              int64_t memory_gib)
{
    struct machine_boot boot = scene_machine(name, zone, cpu, memory_gib);
    assert_true(world_machine_boots(scene->world, &boot));
}

static inline void scene_deployment(struct scene *scene, const char *name, int replicas,
                                    const char *cpu, const char *extra_spec)
{
    scene_add(scene,
              "{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': '%s'},"
              " 'spec': {'replicas': %d, 'selector': {'matchLabels': {'app': '%s'}}%s,"
              " 'template': {'metadata': {'labels': {'app': '%s'}}, 'spec': {'containers': ["
              " {'name': 'main', 'image': 'app:1', 'resources': {'requests': {'cpu': '%s'}}}]}}}}",
              name, replicas, name, extra_spec, name, cpu);
}

static inline int64_t scene_int(struct scene *scene, enum kind_id id, const char *name,
                                const char *path)
{
    json_t *object =
        scene_get(scene, id, scene_resource(scene, id)->namespaced ? "default" : NULL, name);
    assert_non_null(object);
    return json_integer_value(store_path(object, path));
}

static inline const char *scene_text(struct scene *scene, enum kind_id id, const char *name,
                                     const char *path)
{
    json_t *object =
        scene_get(scene, id, scene_resource(scene, id)->namespaced ? "default" : NULL, name);
    return object == NULL ? NULL : json_string_value(store_path(object, path));
}

static inline const json_t *condition_of(const json_t *object, const char *type)
{
    size_t index;
    json_t *condition;
    json_array_foreach (store_path(object, "status.conditions"), index, condition) {
        if (text_equal(json_string_value(json_object_get(condition, "type")), type))
            return condition;
    }
    return NULL;
}

static inline const char *condition_status_of(const json_t *object, const char *type)
{
    return json_string_value(json_object_get(condition_of(object, type), "status"));
}

struct pod_count {
    const char *label_key, *label_value, *node;
    uint32_t total, ready, deleting, assigned, ended;
};

static inline bool count_one(void *context, json_t *pod)
{
    struct pod_count *count = context;
    const char *node = json_string_value(store_path(pod, "spec.nodeName"));
    if (count->label_key != NULL &&
        !text_equal(json_string_value(
                        json_object_get(store_path(pod, "metadata.labels"), count->label_key)),
                    count->label_value))
        return true;
    if (count->node != NULL && !text_equal(node, count->node))
        return true;
    const char *phase = json_string_value(store_path(pod, "status.phase"));
    bool deleting = store_path(pod, "metadata.deletionTimestamp") != NULL;
    count->total++;
    count->deleting += deleting;
    count->assigned += node != NULL;
    count->ended += text_equal(phase, "Succeeded") || text_equal(phase, "Failed");
    count->ready += !deleting && text_equal(condition_status_of(pod, "Ready"), "True");
    return true;
}

// Pods with a label (key NULL: all), on a node (NULL: any).
static inline struct pod_count scene_pods(struct scene *scene, const char *label_key,
                                          const char *label_value, const char *node)
{
    struct pod_count count = {.label_key = label_key, .label_value = label_value, .node = node};
    store_each(scene->store, scene_resource(scene, KIND_POD), NULL, count_one, &count);
    return count;
}

static inline bool first_pod(void *context, json_t *pod)
{
    *(json_t **)context = pod;
    return false;
}

static inline json_t *scene_any_pod(struct scene *scene)
{
    json_t *pod = NULL;
    store_each(scene->store, scene_resource(scene, KIND_POD), NULL, first_pod, &pod);
    return pod;
}
