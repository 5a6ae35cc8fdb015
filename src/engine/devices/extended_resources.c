#include "engine/devices/extended_resources.h"

#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "engine/devices/device_requests.h"
#include "engine/devices/device_search.h"
#include "engine/devices/device_set.h"
#include "model/reading/pod.h"

#define PREFIX    "deviceclass.resource.kubernetes.io/" // every class has such a name, too
#define UNITS_MAX 1024                                  // that one node's device plugin provides

// --- names ---------------------------------------------------------------------------------------

// Of classes with the same name the newest counts, then the first by name.
static bool is_preferred(const struct device_class *class, const struct device_class *other)
{
    if (other == NULL || class->meta.creation_timestamp != other->meta.creation_timestamp)
        return other == NULL || class->meta.creation_timestamp > other->meta.creation_timestamp;
    return strcmp(class->meta.name, other->meta.name) < 0;
}

void extended_resources_read(struct problem *problem)
{
    const struct snapshot *snapshot = problem->snapshot;
    problem->devices->extended = map_create();
    if (!problem->strategy->plans_extended_resources)
        return;
    for (uint32_t i = 0; i < snapshot->objects[KIND_DEVICE_CLASS].count; i++) {
        struct device_class *class =
            (struct device_class *)snapshot->objects[KIND_DEVICE_CLASS].items[i];
        const char *name = class->spec.extended_resource_name;
        if (!text_is_empty(name) && is_preferred(class, map_get(problem->devices->extended, name)))
            map_set(problem->devices->extended, name, class);
    }
}

static const struct device_class *class_of(const struct problem *problem, const char *resource)
{
    if (!problem->strategy->plans_extended_resources)
        return NULL;
    if (strncmp(resource, PREFIX, strlen(PREFIX)) == 0)
        return map_get(problem->devices->classes, resource + strlen(PREFIX));
    return map_get(problem->devices->extended, resource);
}

bool is_extended_resource(const struct problem *problem, const char *resource)
{
    return devices_known(problem) && class_of(problem, resource) != NULL;
}

static bool container_asks(const struct problem *problem, const struct container *container)
{
    list_for_each (entry, &container->resources.requests)
        if (entry->value > 0 && class_of(problem, entry->name) != NULL)
            return true;
    return false;
}

bool asks_extended_resources(const struct problem *problem, const struct pod *pod)
{
    list_for_each (container, &pod->spec.containers)
        if (container_asks(problem, container))
            return true;
    list_for_each (container, &pod->spec.init_containers)
        if (container_asks(problem, container))
            return true;
    return false;
}

struct resource_map requests_without_extended(const struct problem *problem, struct arena *arena,
                                              const struct pod *pod)
{
    struct resource_map all = pod_requests(arena, pod), kept = {0};
    if (!devices_known(problem) || !asks_extended_resources(problem, pod))
        return all;
    kept.items = arena_allocate_array(arena, all.count + 1, sizeof *kept.items);
    list_for_each (entry, &all)
        if (class_of(problem, entry->name) == NULL)
            kept.items[kept.count++] = *entry;
    return kept;
}

// --- claims --------------------------------------------------------------------------------------

// What init containers that end ask beyond what the containers after them have.
static int64_t beyond(const struct pod *pod, const char *resource)
{
    int64_t later = 0, most = 0;
    list_for_each (container, &pod->spec.containers)
        later += resource_map_get(&container->resources.requests, resource);
    for (uint32_t i = pod->spec.init_containers.count; i-- > 0;) {
        const struct container *container = &pod->spec.init_containers.items[i];
        int64_t amount = resource_map_get(&container->resources.requests, resource);
        if (container_is_sidecar(container))
            later += amount;
        else if (amount - later > most)
            most = amount - later;
    }
    return most;
}

// As kube-scheduler makes it: one request for each container that goes on, and one for the rest.
static void add_request(struct arena *arena, struct resource_claim_spec *spec, const char *class,
                        int64_t count)
{
    struct device_request *request = arena_allocate(arena, sizeof *request);
    if (count <= 0)
        return;
    *request = (struct device_request){.device_class_name = class, .count = {true, count}};
    struct claim_request *to = &spec->devices.requests.items[spec->devices.requests.count];
    *to = (struct claim_request){
        .name = arena_format(arena, "request-%u", spec->devices.requests.count),
        .exactly = request};
    spec->devices.requests.count++;
}

static void add_claim(struct problem *problem, const struct pod *pod, const char *resource,
                      const struct device_class *class, struct pod_devices *devices)
{
    const struct pod_spec *spec = &pod->spec;
    struct resource_claim_spec claim = {0};
    claim.devices.requests.items = arena_allocate_array(
        problem->arena, (size_t)spec->containers.count + spec->init_containers.count + 1,
        sizeof *claim.devices.requests.items);
    add_request(problem->arena, &claim, class->meta.name, beyond(pod, resource));
    list_for_each (container, &spec->init_containers)
        if (container_is_sidecar(container))
            add_request(problem->arena, &claim, class->meta.name,
                        resource_map_get(&container->resources.requests, resource));
    list_for_each (container, &spec->containers)
        add_request(problem->arena, &claim, class->meta.name,
                    resource_map_get(&container->resources.requests, resource));
    const struct claim_devices *made = claim_devices_by_resource(problem, resource, &claim);
    devices->own.items[devices->own.count++] = made;
    if (devices->error == NULL)
        devices->error = made->error;
}

void extended_resources_claim(struct problem *problem, const struct pod *pod,
                              struct pod_devices *devices)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    devices->extended_first = devices->own.count;
    if (!asks_extended_resources(problem, pod))
        return;
    struct resource_map requests = pod_requests(scratch, pod);
    uint32_t count = 0;
    list_for_each (entry, &requests) {
        const struct device_class *class = class_of(problem, entry->name);
        if (class == NULL || entry->value <= 0)
            continue;
        if (count++ < EXTENDED_CLAIMS_MAX)
            add_claim(problem, pod, arena_copy_string(problem->arena, entry->name), class, devices);
        else
            devices->error = "pod asks for too many resources of DeviceClasses";
    }
}

// --- device plugins ------------------------------------------------------------------------------

static bool some_match(const struct device_set *set, const struct device_choice *choice)
{
    for (uint32_t d = 0; d < set->count; d++)
        if (device_matches(&set->items[d], choice))
            return true;
    return false;
}

static bool has_units(const struct device_set *set, const char *resource)
{
    for (uint32_t d = 0; d < set->count; d++)
        if (text_equal(set->items[d].resource, resource))
            return true;
    return false;
}

void extended_resources_add(struct problem *problem, struct device_set *set,
                            const struct resource_map *provided, bool template)
{
    vector_for_each (entry, &problem->devices->choices) {
        const struct device_choice *choice = *entry;
        int64_t units = choice->resource != NULL ? resource_map_get(provided, choice->resource) : 0;
        if (units <= 0 || has_units(set, choice->resource) || (template && some_match(set, choice)))
            continue;
        for (int64_t i = 0; i < units && i < UNITS_MAX; i++) {
            struct known_device *device = device_set_add(problem, set);
            device->facts.driver = "";
            device->facts.name =
                arena_format(problem->arena, "%s-%lld", choice->resource, (long long)i);
            device->pool = "";
            device->resource = choice->resource;
        }
    }
}
