#include "engine/devices/device_nodes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/devices/device_requests.h"
#include "engine/devices/device_search.h"
#include "engine/devices/device_set.h"
#include "engine/devices/device_templates.h"
#include "engine/devices/extended_resources.h"
#include "engine/devices/pod_devices.h"

struct holders {              // of a claim
    LIST(uint32_t) consumers; // bound pods
    bool releasable;          // reserved for pods only, of which there are some
};
struct device_index {
    struct map *devices; // "driver/pool/device" -> index + 1, of node sets with the set's node
    struct map *pods;    // uid -> bound pod + 1
};
struct place { // of a device in a node's set
    uint32_t node, device;
};

static char *name_of(struct arena *arena, const char *driver, const char *pool, const char *device)
{
    return arena_format(arena, "%s\1%s\1%s", text_or_empty(driver), text_or_empty(pool),
                        text_or_empty(device));
}

static struct device_index index_create(struct problem *problem, struct arena *scratch)
{
    struct device_index index = {map_create(), map_create()};
    for (uint32_t n = 0; n < problem->nodes.count; n++) {
        const struct device_set *set = problem->devices->nodes[n];
        for (uint32_t d = 0; set != NULL && d < set->count; d++) {
            struct place *place = arena_allocate(scratch, sizeof *place);
            *place = (struct place){n, d};
            map_set(index.devices,
                    name_of(scratch, set->items[d].facts.driver, set->items[d].pool,
                            set->items[d].facts.name),
                    place);
        }
    }
    for (uint32_t i = 0; i < problem->pods.bound_count; i++)
        map_set(index.pods, problem->pods.bound[i].pod->meta.uid, (void *)(uintptr_t)(i + 1));
    return index;
}

static struct holders holders_of(struct problem *problem, const struct device_index *index,
                                 const struct resource_claim *claim)
{
    struct holders holders = {.releasable = claim->status.reserved_for.count > 0};
    holders.consumers.items = arena_allocate_array(
        problem->arena, claim->status.reserved_for.count + 1, sizeof *holders.consumers.items);
    list_for_each (reserved, &claim->status.reserved_for) {
        bool is_pod = text_is_empty(reserved->api_group) && strcmp(reserved->resource, "pods") == 0;
        uintptr_t pod = is_pod ? (uintptr_t)map_get(index->pods, reserved->uid) : 0;
        holders.releasable = holders.releasable && is_pod;
        if (pod != 0)
            holders.consumers.items[holders.consumers.count++] = (uint32_t)pod - 1;
    }
    return holders;
}

// The node of the claim's pods, if it has a template instead of published devices.
static uint32_t template_node(const struct problem *problem, const struct holders *holders)
{
    for (uint32_t i = 0; i < holders->consumers.count; i++) {
        const struct bound_pod *bound = &problem->pods.bound[holders->consumers.items[i]];
        uint32_t node = problem->node_objects.items[bound->node].state;
        if (node != NONE && problem->devices->nodes[node] != NULL &&
            problem->devices->nodes[node]->in_template)
            return node;
    }
    return NONE;
}

static void take_on_node(struct problem *problem, uint32_t node, uint32_t device,
                         const named_amount_list *consumed)
{
    device_usage_take(problem->devices->nodes[node], problem->devices->in_use[node], device,
                      consumed);
}

static uint32_t find_in_template(const struct device_set *set,
                                 const struct allocated_device *result)
{
    for (uint32_t d = 0; d < set->count; d++)
        if (text_equal(set->items[d].facts.name, result->device) &&
            text_equal(set->items[d].facts.driver, result->driver))
            return d;
    return NONE;
}

static void take_result(struct problem *problem, const struct device_index *index,
                        const struct allocated_device *result, const struct holders *holders)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(512);
    named_amount_list consumed = {0};
    struct error error = {0};
    if (result->admin_access)
        return;
    if (!named_amounts_read(problem->arena, result->consumed_capacity, &consumed, &error))
        consumed.count = 0;
    const struct place *place =
        map_get(index->devices, name_of(scratch, result->driver, result->pool, result->device));
    const struct device_set *network = problem->devices->network;
    uint32_t shared = network != NULL
                          ? device_set_find(network, result->driver, result->pool, result->device)
                          : NONE;
    uint32_t node = place == NULL && shared == NONE ? template_node(problem, holders) : NONE;
    if (place != NULL) {
        if (!holders->releasable || holders->consumers.count > 0)
            take_on_node(problem, place->node, place->device, &consumed);
    } else if (shared != NONE) {
        struct device_allocation held = {.device = shared, .releasable = holders->releasable};
        held.consumed = consumed;
        held.consumers.items = holders->consumers.items;
        held.consumers.count = holders->consumers.count;
        vector_push(&problem->devices->held, held);
    } else if (node != NONE) {
        uint32_t device = find_in_template(problem->devices->nodes[node], result);
        if (device != NONE)
            take_on_node(problem, node, device, &consumed);
    }
}

static int compare_claims(const void *a, const void *b)
{
    const struct object *x = *(const struct object *const *)a;
    const struct object *y = *(const struct object *const *)b;
    int order = strcmp(x->meta.namespace, y->meta.namespace);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

static void take_claims(struct problem *problem, const struct device_index *index)
{
    const struct snapshot *snapshot = problem->snapshot;
    uint32_t count = snapshot->objects[KIND_RESOURCE_CLAIM].count;
    CLEANUP_FREE const struct object **claims =
        memory_allocate_array((size_t)count + 1, sizeof *claims);
    if (count > 0)
        memcpy(claims, snapshot->objects[KIND_RESOURCE_CLAIM].items, count * sizeof *claims);
    qsort(claims, count, sizeof *claims, compare_claims);
    for (uint32_t i = 0; i < count; i++) {
        const struct resource_claim *claim = (const struct resource_claim *)claims[i];
        char name[600];
        object_namespaced_name(claims[i], name);
        struct holders holders = holders_of(problem, index, claim);
        uintptr_t shared = (uintptr_t)map_get(problem->devices->shared_ids, name);
        if (shared != 0) {
            struct shared_claim *to = &problem->devices->shared.items[shared - 1];
            to->consumers.items = holders.consumers.items;
            to->consumers.count = holders.consumers.count;
            to->releasable =
                holders.releasable && holders.consumers.count == claim->status.reserved_for.count;
        }
        if (claim->status.allocation != NULL)
            list_for_each (result, &claim->status.allocation->devices.results)
                take_result(problem, index, result, &holders);
    }
}

// What is not allocated of the pod's own claims: none of them, all, or those by resources.
static uint32_t first_unallocated(struct problem *problem, const struct pod *pod,
                                  const struct pod_devices *devices)
{
    bool extended = pod->status.extended_resource_claim_status != NULL;
    list_for_each (reference, &pod->spec.resource_claims) {
        const struct resource_claim *claim = resource_claim_of(problem, pod, reference);
        if (claim != NULL && claim->status.allocation != NULL)
            return extended ? devices->own.count : devices->extended_first;
    }
    return extended && devices->extended_first == 0 ? devices->own.count : 0;
}

// Pods whose claims are not allocated yet: planned ones, and those whose driver is still at it.
// Units of device plugins are never allocated.
static void take_unallocated(struct problem *problem, uint32_t node)
{
    const struct state_node *state = &problem->nodes.items[node];
    struct device_site site = {.sets = {NULL, problem->devices->nodes[node]},
                               .usages = {NULL, problem->devices->in_use[node]},
                               .set = SET_EMPTY,
                               .fixed = true};
    for (uint32_t i = 0; i < state->pods.count; i++) {
        const struct pod *pod = state->pods.items[i];
        const struct pod_devices *devices = devices_of_pod(problem, pod, true);
        if (devices == NULL || devices->error != NULL)
            continue;
        uint32_t first = first_unallocated(problem, pod, devices);
        (void)!devices_allocate(problem, &site, devices->own.items + first,
                                devices->own.count - first);
    }
}

// Resources of the node's device plugins that a DeviceClass names.
static void add_plugins(struct problem *problem, uint32_t node)
{
    struct device_set **set = &problem->devices->nodes[node];
    const struct resource_map *allocatable = &problem->nodes.items[node].allocatable;
    bool any = false;
    list_for_each (entry, allocatable)
        any = any || (entry->value > 0 && is_extended_resource(problem, entry->name));
    if (!any)
        return;
    if (*set == NULL)
        *set = device_set_create(problem);
    extended_resources_add(problem, *set, allocatable, false);
    device_set_finish(*set);
}

void device_nodes_compile(struct problem *problem)
{
    struct problem_devices *devices = problem->devices;
    if (devices == NULL)
        return;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    for (uint32_t n = 0; n < problem->nodes.count; n++) {
        const struct state_node *state = &problem->nodes.items[n];
        const char *type = string_map_get(state->labels, LABEL_INSTANCE_TYPE);
        if (!state->initialized && state->claim != NULL && type != NULL)
            devices->nodes[n] = device_template_named(problem, type);
        else if (state->initialized)
            add_plugins(problem, n);
        if (devices->nodes[n] != NULL)
            devices->in_use[n] = device_usage_create(problem->arena, devices->nodes[n]);
    }
    struct device_index index = index_create(problem, scratch);
    take_claims(problem, &index);
    map_destroy(index.devices, NULL);
    map_destroy(index.pods, NULL);
    for (uint32_t n = 0; n < problem->nodes.count; n++)
        if (devices->nodes[n] != NULL)
            take_unallocated(problem, n);
}
