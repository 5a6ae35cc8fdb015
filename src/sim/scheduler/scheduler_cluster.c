// The filter library's model of a cluster: nodes with the requests of their pods, updated object by
// object.
#include "sim/scheduler/scheduler_cluster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/reading/pod.h"
#include "sim/scheduler/scheduler_groups.h"
#include "sim/scheduler/scheduler_internal.h"
#include "sim/scheduler/scheduler_nominations.h"
#include "sim/scheduler/scheduler_requests.h"

#define SLOTS_FIRST 16

static void put_pod(struct filter_cluster *cluster, const struct pod *pod, const char *node_name);
static void remove_pod(struct filter_cluster *cluster, const struct pod *pod);
static void put_node(struct filter_cluster *cluster, const struct node *node);
static void remove_node(struct filter_cluster *cluster, const struct node *node);
static struct map *map_of_kind(struct filter_cluster *cluster, enum kind_id kind);
static void release_object(void *object);

static void object_text(const char *namespace, const char *name, char out[600])
{
    if (namespace == NULL || namespace[0] == '\0')
        snprintf(out, 600, "%s", name);
    else
        snprintf(out, 600, "%s/%s", namespace, name);
}

struct filter_cluster *filter_cluster_create(void)
{
    struct filter_cluster *cluster = memory_allocate(sizeof *cluster);
    cluster->resources = symbols_create();
    symbols_intern(cluster->resources, "cpu"); // RESOURCE_CPU
    symbols_intern(cluster->resources, "memory");
    struct map **maps[] = {
        &cluster->pods,           &cluster->nodes,           &cluster->topologies,
        &cluster->groups,         &cluster->carried,         &cluster->namespaces,
        &cluster->claims,         &cluster->volumes,         &cluster->storage_classes,
        &cluster->csi_nodes,      &cluster->claim_uses,      &cluster->nominations,
        &cluster->drawing,        &cluster->resource_claims, &cluster->resource_slices,
        &cluster->device_classes,
    };
    for (size_t i = 0; i < ARRAY_LENGTH(maps); i++)
        *maps[i] = map_create();
    return cluster;
}

static void destroy_node(void *value)
{
    struct filter_node *node = value;
    object_release((const struct object *)node->node);
    free(node->name);
    free(node->allocatable);
    free(node->requested);
    free(node);
}

void filter_cluster_destroy(struct filter_cluster *cluster)
{
    if (cluster == NULL)
        return;
    for (struct map_entry *e = map_first(cluster->pods); e != NULL; e = map_next(e)) {
        struct filter_pod *pod = map_value(e);
        if (pod->node != NULL)
            carried_remove(cluster, pod);
        nominations_remove(cluster, pod);
        filter_pod_destroy(pod);
    }
    map_destroy(cluster->pods, NULL);
    map_destroy(cluster->nodes, destroy_node);
    groups_forget(cluster);
    map_destroy(cluster->groups, NULL);
    map_destroy(cluster->carried, NULL);
    map_destroy(cluster->drawing, NULL);
    topologies_clear(cluster);
    map_destroy(cluster->topologies, NULL);
    struct map *objects[] = {cluster->namespaces,      cluster->claims,
                             cluster->volumes,         cluster->storage_classes,
                             cluster->csi_nodes,       cluster->resource_claims,
                             cluster->resource_slices, cluster->device_classes};
    for (size_t i = 0; i < ARRAY_LENGTH(objects); i++)
        map_destroy(objects[i], release_object);
    map_destroy(cluster->claim_uses, NULL);
    map_destroy(cluster->nominations, NULL);
    symbols_destroy(cluster->resources);
    vector_free(&cluster->slots);
    vector_free(&cluster->free_slots);
    free(cluster);
}

static void release_object(void *object)
{
    object_release(object);
}

void filter_cluster_put(struct filter_cluster *cluster, const struct object *object)
{
    if (object->kind->id == KIND_POD) {
        const struct pod *pod = (const struct pod *)object;
        put_pod(cluster, pod, pod->spec.node_name);
        return;
    }
    if (object->kind->id == KIND_NODE) {
        put_node(cluster, (const struct node *)object);
        return;
    }
    struct map *objects = map_of_kind(cluster, object->kind->id);
    if (objects == NULL)
        return;
    char key[600];
    object_text(object->meta.namespace, object->meta.name, key);
    object_release(map_set(objects, key, object_acquire(object)));
    if (object->kind->id == KIND_NAMESPACE)
        groups_forget(cluster); // namespace selectors may now match others
}

void filter_cluster_remove(struct filter_cluster *cluster, const struct object *object)
{
    if (object->kind->id == KIND_POD) {
        remove_pod(cluster, (const struct pod *)object);
        return;
    }
    if (object->kind->id == KIND_NODE) {
        remove_node(cluster, (const struct node *)object);
        return;
    }
    struct map *objects = map_of_kind(cluster, object->kind->id);
    if (objects == NULL)
        return;
    char key[600];
    object_text(object->meta.namespace, object->meta.name, key);
    object_release(map_remove(objects, key));
}

void filter_cluster_assume(struct filter_cluster *cluster, const struct pod *pod,
                           const char *node_name)
{
    put_pod(cluster, pod, node_name);
}

static struct map *map_of_kind(struct filter_cluster *cluster, enum kind_id kind)
{
    return kind == KIND_NAMESPACE                 ? cluster->namespaces
           : kind == KIND_PERSISTENT_VOLUME_CLAIM ? cluster->claims
           : kind == KIND_PERSISTENT_VOLUME       ? cluster->volumes
           : kind == KIND_STORAGE_CLASS           ? cluster->storage_classes
           : kind == KIND_CSI_NODE                ? cluster->csi_nodes
           : kind == KIND_RESOURCE_CLAIM          ? cluster->resource_claims
           : kind == KIND_RESOURCE_SLICE          ? cluster->resource_slices
           : kind == KIND_DEVICE_CLASS            ? cluster->device_classes
                                                  : NULL;
}

const void *filter_object(const struct map *objects, const char *namespace, const char *name)
{
    char key[600];
    object_text(namespace, name, key);
    return map_get(objects, key);
}

// --- nodes ---------------------------------------------------------------------------------------

static struct filter_node *node_slot(struct filter_cluster *cluster, const char *name);
static void node_widen(struct filter_node *node, uint32_t width);
static void node_free_if_unused(struct filter_cluster *cluster, struct filter_node *node);

static void put_node(struct filter_cluster *cluster, const struct node *object)
{
    struct filter_node *node = node_slot(cluster, object->meta.name);
    cluster->nodes_count += node->node == NULL;
    object_release((const struct object *)node->node);
    node->node = (const struct node *)object_acquire((const struct object *)object);
    node->pods_allowed = resource_map_get(&object->status.allocatable, "pods");
    list_for_each (entry, &object->status.allocatable)
        symbols_intern(cluster->resources, entry->name);
    node_widen(node, symbols_count(cluster->resources));
    if (node->width > 0)
        memset(node->allocatable, 0, node->width * sizeof *node->allocatable);
    list_for_each (entry, &object->status.allocatable)
        node->allocatable[symbols_find(cluster->resources, entry->name)] = entry->value;
    topologies_node_changed(cluster, node);
}

static void remove_node(struct filter_cluster *cluster, const struct node *object)
{
    struct filter_node *node = map_get(cluster->nodes, object->meta.name);
    if (node == NULL || node->node == NULL)
        return;
    cluster->nodes_count--;
    object_release((const struct object *)node->node);
    node->node = NULL;
    topologies_node_changed(cluster, node);
    node_free_if_unused(cluster, node);
}

static void widen_slots(struct filter_cluster *cluster)
{
    uint32_t before = cluster->slots_capacity;
    cluster->slots_capacity = before == 0 ? SLOTS_FIRST : before * 2;
    topologies_resize(cluster, before, cluster->slots_capacity);
    groups_resize(cluster, before, cluster->slots_capacity);
}

static struct filter_node *node_slot(struct filter_cluster *cluster, const char *name)
{
    struct filter_node *node = map_get(cluster->nodes, name);
    if (node != NULL)
        return node;
    node = memory_allocate(sizeof *node);
    node->name = memory_copy_string(name);
    if (cluster->free_slots.count > 0) {
        node->index = cluster->free_slots.items[--cluster->free_slots.count];
        cluster->slots.items[node->index] = node;
    } else {
        node->index = cluster->slots.count;
        vector_push(&cluster->slots, node);
        if (cluster->slots.count > cluster->slots_capacity)
            widen_slots(cluster);
    }
    map_set(cluster->nodes, name, node);
    topologies_node_changed(cluster, node);
    return node;
}

static void node_free_if_unused(struct filter_cluster *cluster, struct filter_node *node)
{
    if (node->node != NULL || node->first != NULL)
        return;
    cluster->slots.items[node->index] = NULL;
    vector_push(&cluster->free_slots, node->index);
    map_remove(cluster->nodes, node->name);
    destroy_node(node);
}

static void node_widen(struct filter_node *node, uint32_t width)
{
    if (width <= node->width)
        return;
    int64_t **arrays[] = {&node->allocatable, &node->requested};
    for (size_t i = 0; i < ARRAY_LENGTH(arrays); i++) {
        *arrays[i] = memory_resize(*arrays[i], width * sizeof **arrays[i]);
        memset(*arrays[i] + node->width, 0, (width - node->width) * sizeof **arrays[i]);
    }
    node->width = width;
}

uint32_t filter_nodes_limit(const struct filter_cluster *cluster)
{
    return cluster->slots.count;
}

uint32_t filter_nodes_count(const struct filter_cluster *cluster)
{
    return cluster->nodes_count;
}

const struct node *filter_node_at(const struct filter_cluster *cluster, uint32_t node)
{
    assert(node < cluster->slots.count);
    return cluster->slots.items[node] == NULL ? NULL : cluster->slots.items[node]->node;
}

uint32_t filter_node_find(const struct filter_cluster *cluster, const char *name)
{
    const struct filter_node *node = map_get(cluster->nodes, name);
    return node == NULL || node->node == NULL ? FILTER_NODE_NONE : node->index;
}

// --- pods ----------------------------------------------------------------------------------------

static void count_claim_uses(struct filter_cluster *cluster, const struct filter_pod *pod,
                             int step);

struct filter_pod *filter_pod_find(const struct filter_cluster *cluster, const struct pod *pod)
{
    char key[600];
    object_text(pod->meta.namespace, pod->meta.name, key);
    return map_get(cluster->pods, key);
}

static void put_pod(struct filter_cluster *cluster, const struct pod *object, const char *node_name)
{
    const struct object *reference = object_acquire((const struct object *)object);
    remove_pod(cluster, object);
    struct filter_pod *pod = filter_pod_create(cluster, object);
    char key[600];
    object_text(object->meta.namespace, object->meta.name, key);
    map_set(cluster->pods, key, pod);
    if (node_name != NULL && node_name[0] != '\0' && !pod_is_terminal(object))
        pod_place(cluster, pod, node_name);
    else
        nominations_add(cluster, pod);
    object_release(reference);
}

static void remove_pod(struct filter_cluster *cluster, const struct pod *object)
{
    char key[600];
    object_text(object->meta.namespace, object->meta.name, key);
    struct filter_pod *pod = map_remove(cluster->pods, key);
    if (pod == NULL)
        return;
    if (pod->node != NULL)
        pod_displace(cluster, pod);
    nominations_remove(cluster, pod);
    filter_pod_destroy(pod);
}

static void gather_ports(struct filter_pod *pod)
{
    const struct pod_spec *spec = &pod->pod->spec;
    VECTOR(const struct container_port *) ports = {0};
    list_for_each (container, &spec->containers)
        list_for_each (port, &container->ports) {
            if (port->host_port > 0)
                vector_push(&ports, port);
        }
    list_for_each (container, &spec->init_containers)
        list_for_each (port, &container->ports) {
            if (port->host_port > 0 && text_equal(container->restart_policy, "Always"))
                vector_push(&ports, port);
        }
    pod->ports = ports.items;
    pod->ports_count = ports.count;
}

struct filter_pod *filter_pod_create(struct filter_cluster *cluster, const struct pod *object)
{
    struct filter_pod *pod = memory_allocate(sizeof *pod);
    pod->pod = (const struct pod *)object_acquire((const struct object *)object);
    pod->requests = filter_pod_requests(cluster, object, &pod->requests_count);
    filter_pod_scored(cluster, pod, pod->scored);
    gather_ports(pod);
    list_for_each (volume, &object->spec.volumes)
        pod->has_claims |= volume->persistent_volume_claim != NULL || volume->ephemeral != NULL;
    return pod;
}

void filter_pod_destroy(struct filter_pod *pod)
{
    object_release((const struct object *)pod->pod);
    free(pod->requests);
    free(pod->ports);
    free(pod);
}

void pod_place(struct filter_cluster *cluster, struct filter_pod *pod, const char *node_name)
{
    struct filter_node *node = node_slot(cluster, node_name);
    pod->node = node;
    pod->previous = NULL;
    pod->next = node->first;
    if (node->first != NULL)
        node->first->previous = pod;
    node->first = pod;
    node->pods_count++;
    node->ports_count += pod->ports_count > 0;
    node->claims_count += pod->has_claims;
    node_widen(node, symbols_count(cluster->resources));
    for (uint32_t i = 0; i < pod->requests_count; i++)
        node->requested[pod->requests[i].resource] += pod->requests[i].value;
    for (uint32_t i = 0; i < SCORED_RESOURCES; i++)
        node->scored[i] += pod->scored[i];
    groups_count_pod(cluster, pod, +1);
    carried_add(cluster, pod);
    count_claim_uses(cluster, pod, +1);
}

void pod_displace(struct filter_cluster *cluster, struct filter_pod *pod)
{
    struct filter_node *node = pod->node;
    count_claim_uses(cluster, pod, -1);
    carried_remove(cluster, pod);
    groups_count_pod(cluster, pod, -1);
    for (uint32_t i = 0; i < pod->requests_count; i++)
        node->requested[pod->requests[i].resource] -= pod->requests[i].value;
    for (uint32_t i = 0; i < SCORED_RESOURCES; i++)
        node->scored[i] -= pod->scored[i];
    node->pods_count--;
    node->ports_count -= pod->ports_count > 0;
    node->claims_count -= pod->has_claims;
    *(pod->previous == NULL ? &node->first : &pod->previous->next) = pod->next;
    if (pod->next != NULL)
        pod->next->previous = pod->previous;
    pod->node = NULL;
    node_free_if_unused(cluster, node);
}

// Counts uses of claims by pods on nodes, of any access mode; the filter looks up ReadWriteOncePod
// when it matters.
static void count_claim_uses(struct filter_cluster *cluster, const struct filter_pod *pod, int step)
{
    list_for_each (volume, &pod->pod->spec.volumes) {
        if (volume->persistent_volume_claim == NULL ||
            volume->persistent_volume_claim->claim_name == NULL)
            continue;
        char key[600];
        object_text(pod->pod->meta.namespace, volume->persistent_volume_claim->claim_name, key);
        uintptr_t uses = (uintptr_t)map_get(cluster->claim_uses, key) + (uintptr_t)step;
        if (uses == 0)
            map_remove(cluster->claim_uses, key);
        else
            map_set(cluster->claim_uses, key, (void *)uses);
    }
}
