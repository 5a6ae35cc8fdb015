#include "sim/kubelet/kubelet_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "sim/kubelet/kubelet_internal.h"
#include "sim/world/world_write.h"

#define LEASE_NAMESPACE        "kube-node-lease"
#define LEASE_DURATION_SECONDS 40
#define SECOND_NODE_DELAY_NS   (5 * SECOND)

static struct machine *machine_copy(const struct machine_boot *boot);
static void queue_pods(struct kubelets *kubelets, const char *node_name);

bool kubelets_machine_boots(struct kubelets *kubelets, const struct machine_boot *boot)
{
    if (map_get(kubelets->machines, boot->provider_id) != NULL)
        return false;
    struct machine *machine = machine_copy(boot);
    map_set(kubelets->machines, boot->provider_id, machine);
    int64_t delay_ns = boot->boot_delay_ns;
    if (delay_ns < 0)
        delay_ns =
            world_jitter(kubelets->world, boot->provider_id, kubelets->world->options.node_boot_ns);
    if (!(boot->faults & MACHINE_NEVER_REGISTERS))
        work_queue_add_after(kubelets->boots, boot->provider_id, delay_ns);
    return true;
}

static struct machine *machine_copy(const struct machine_boot *boot)
{
    struct arena *arena = arena_create(1024);
    struct machine *machine = memory_allocate(sizeof *machine);
    machine->arena = arena;
    machine->boot = *boot;
    struct machine_boot *copy = &machine->boot;
    copy->name = arena_copy_string(arena, boot->name);
    copy->provider_id = arena_copy_string(arena, boot->provider_id);
    struct string_map *maps[] = {&copy->labels, &copy->annotations};
    for (size_t m = 0; m < ARRAY_LENGTH(maps); m++) {
        struct string_pair *items = arena_allocate_array(arena, maps[m]->count, sizeof *items);
        for (uint32_t i = 0; i < maps[m]->count; i++)
            items[i] = (struct string_pair){arena_copy_string(arena, maps[m]->items[i].key),
                                            arena_copy_string(arena, maps[m]->items[i].value)};
        maps[m]->items = items;
    }
    struct taint *taints = arena_allocate_array(arena, boot->taints.count, sizeof *taints);
    for (uint32_t i = 0; i < boot->taints.count; i++)
        taints[i] =
            (struct taint){.key = arena_copy_string(arena, boot->taints.items[i].key),
                           .value = arena_copy_string(arena, boot->taints.items[i].value),
                           .effect = arena_copy_string(arena, boot->taints.items[i].effect)};
    copy->taints.items = taints;
    struct resource_map *resources[] = {&copy->capacity, &copy->allocatable};
    for (size_t m = 0; m < ARRAY_LENGTH(resources); m++) {
        struct resource_quantity *items =
            arena_allocate_array(arena, resources[m]->count, sizeof *items);
        for (uint32_t i = 0; i < resources[m]->count; i++)
            items[i] =
                (struct resource_quantity){arena_copy_string(arena, resources[m]->items[i].name),
                                           resources[m]->items[i].value};
        resources[m]->items = items;
    }
    return machine;
}

void kubelet_machine_free(void *value)
{
    struct machine *machine = value;
    arena_destroy(machine->arena);
    free(machine);
}

void kubelet_free(void *value)
{
    struct kubelet *kubelet = value;
    free(kubelet->node_name);
    free(kubelet);
}

// --- registration --------------------------------------------------------------------------------

static json_t *map_value_of(const struct string_map *map)
{
    json_t *value = json_object();
    list_for_each (pair, map)
        json_object_set_new(value, pair->key, json_string(pair->value));
    return value;
}

static json_t *resources_value_of(const struct resource_map *map)
{
    json_t *value = json_object();
    list_for_each (entry, map) {
        char text[QUANTITY_TEXT_MAX];
        quantity_format(entry->name, entry->value, text);
        json_object_set_new(value, entry->name, json_string(text));
    }
    return value;
}

static json_t *taint_value(const char *key, const char *value, const char *effect)
{
    json_t *taint = json_pack("{s:s, s:s}", "key", key, "effect", effect);
    if (value != NULL && value[0] != '\0')
        json_object_set_new(taint, "value", json_string(value));
    return taint;
}

// A new Node has the not-ready taint until node lifecycle removes it.
static json_t *taints_value(const struct kubelets *kubelets, const struct machine *machine)
{
    json_t *taints = json_array();
    list_for_each (taint, &machine->boot.taints)
        json_array_append_new(taints, taint_value(taint->key, taint->value, taint->effect));
    if (kubelets->world->options.node_lifecycle)
        json_array_append_new(taints,
                              taint_value("node.kubernetes.io/not-ready", NULL, "NoSchedule"));
    return taints;
}

static json_t *status_value(struct kubelets *kubelets, const struct machine *machine,
                            const char *name)
{
    static const char *const pressures[] = {"MemoryPressure", "DiskPressure", "PIDPressure"};
    json_t *status = json_object();
    json_object_set_new(status, "capacity", resources_value_of(&machine->boot.capacity));
    json_object_set_new(status, "allocatable", resources_value_of(&machine->boot.allocatable));
    for (size_t i = 0; i < ARRAY_LENGTH(pressures); i++)
        world_condition(kubelets->world, status, pressures[i], "False", "KubeletHasSufficient",
                        "kubelet has what it needs");
    world_condition(kubelets->world, status, "Ready", "False", "KubeletNotReady",
                    "the node's network is not ready");
    char address[32];
    uint32_t number = ++kubelets->next_address;
    snprintf(address, sizeof address, "10.%u.%u.%u", number >> 16 & 127, number >> 8 & 255,
             number & 255);
    json_object_set_new(status, "addresses",
                        json_pack("[{s:s, s:s}, {s:s, s:s}]", "type", "InternalIP", "address",
                                  address, "type", "Hostname", "address", name));
    const char *arch = string_map_get(&machine->boot.labels, "kubernetes.io/arch");
    const char *os = string_map_get(&machine->boot.labels, "kubernetes.io/os");
    json_object_set_new(status, "nodeInfo",
                        json_pack("{s:s, s:s, s:s, s:s}", "architecture",
                                  arch == NULL ? "amd64" : arch, "operatingSystem",
                                  os == NULL ? "linux" : os, "kubeletVersion", "v1.33.0",
                                  "containerRuntimeVersion", "simulated://1"));
    return status;
}

static void register_node(struct kubelets *kubelets, struct machine *machine, const char *name)
{
    json_t *labels = map_value_of(&machine->boot.labels);
    if (json_object_get(labels, "kubernetes.io/hostname") == NULL)
        json_object_set_new(labels, "kubernetes.io/hostname", json_string(name));
    json_t *annotations = map_value_of(&machine->boot.annotations);
    json_object_set_new(annotations, ANNOTATION_SIM_KUBELET, json_string("true"));
    json_t *node =
        json_pack("{s:s, s:s, s:{s:s, s:o, s:o}, s:{s:s, s:o}, s:o}", "apiVersion", "v1", "kind",
                  "Node", "metadata", "name", name, "labels", labels, "annotations", annotations,
                  "spec", "providerID", machine->boot.provider_id, "taints",
                  taints_value(kubelets, machine), "status", status_value(kubelets, machine, name));
    world_add(kubelets->world, KIND_NODE, NULL, node, NULL);
}

void kubelet_boot(void *context, const char *provider_id)
{
    struct kubelets *kubelets = context;
    struct machine *machine = map_get(kubelets->machines, provider_id);
    if (machine == NULL || machine->gone)
        return;
    if (machine->state == MACHINE_SILENT) { // cut off before it could register
        work_queue_add_after(kubelets->boots, provider_id, 10 * SECOND);
        return;
    }
    machine->registered = true;
    register_node(kubelets, machine, machine->boot.name);
    if (machine->boot.faults & MACHINE_REGISTERS_TWICE)
        work_queue_add_after(kubelets->again, provider_id, SECOND_NODE_DELAY_NS);
}

void kubelet_boot_again(void *context, const char *provider_id)
{
    struct kubelets *kubelets = context;
    struct machine *machine = map_get(kubelets->machines, provider_id);
    if (machine == NULL || machine->gone)
        return;
    char name[300];
    snprintf(name, sizeof name, "%s-again", machine->boot.name);
    register_node(kubelets, machine, name);
}

// --- kubelets ------------------------------------------------------------------------------------

static bool is_at_work(const struct kubelet *kubelet)
{
    return kubelet->alive &&
           (kubelet->machine == NULL || kubelet->machine->state != MACHINE_SILENT);
}

static bool is_simulated(const struct world_object *node)
{
    return world_annotation(node, ANNOTATION_SIM_KUBELET) != NULL ||
           world_annotation(node, ANNOTATION_KWOK_NODE) != NULL;
}

void kubelet_node_enters(struct kubelets *kubelets, struct world_object *node)
{
    struct world *world = kubelets->world;
    struct kubelet *kubelet = map_get(kubelets->by_node, node->name);
    if (kubelet != NULL || !is_simulated(node))
        return;
    kubelet = memory_allocate(sizeof *kubelet);
    kubelet->node_name = memory_copy_string(node->name);
    const char *provider_id = world_text(node->json, "spec.providerID");
    kubelet->machine = provider_id == NULL ? NULL : map_get(kubelets->machines, provider_id);
    kubelet->alive = kubelet->machine == NULL || !kubelet->machine->gone;
    kubelet->last_alive = loop_now_ns(world->loop);
    kubelet->at_work = is_at_work(kubelet);
    int64_t delay_ns = kubelet->machine == NULL ? -1 : kubelet->machine->boot.ready_delay_ns;
    if (delay_ns < 0)
        delay_ns = world_jitter(world, node->name, world->options.node_ready_ns);
    kubelet->ready_at = ns_add(loop_monotonic_ns(world->loop), delay_ns);
    map_set(kubelets->by_node, node->name, kubelet);
    work_queue_add_after(kubelets->nodes, node->name, delay_ns);
    if (world->options.heartbeats == HEARTBEATS_LEASES)
        work_queue_add(kubelets->heartbeats, node->name);
    queue_pods(kubelets, node->name);
}

void kubelet_node_leaves(struct kubelets *kubelets, struct world_object *node)
{
    struct kubelet *kubelet = map_remove(kubelets->by_node, node->name);
    if (kubelet == NULL)
        return;
    work_queue_forget(kubelets->nodes, node->name);
    work_queue_forget(kubelets->heartbeats, node->name);
    kubelet_free(kubelet);
}

struct kubelet *kubelet_at_work(const struct kubelets *kubelets, const char *node_name)
{
    struct kubelet *kubelet = map_get(kubelets->by_node, node_name);
    return kubelet != NULL && is_at_work(kubelet) ? kubelet : NULL;
}

void kubelet_sync_node(void *context, const char *node_name)
{
    struct kubelets *kubelets = context;
    struct world_object *node = world_find(kubelets->world, KIND_NODE, NULL, node_name);
    struct kubelet *kubelet = kubelet_at_work(kubelets, node_name);
    if (node == NULL || kubelet == NULL)
        return;
    int64_t wait_ns = ns_subtract(kubelet->ready_at, loop_monotonic_ns(kubelets->world->loop));
    if (wait_ns > 0) {
        work_queue_add_after(kubelets->nodes, node_name, wait_ns);
        return;
    }
    const struct machine *machine = kubelet->machine;
    bool ready = machine == NULL || (machine->state == MACHINE_HEALTHY &&
                                     !(machine->boot.faults & MACHINE_NEVER_READY));
    json_t *status = world_copy_status(node);
    if (ready)
        world_condition(kubelets->world, status, "Ready", "True", "KubeletReady",
                        "kubelet is posting ready status");
    else
        world_condition(kubelets->world, status, "Ready", "False", "KubeletNotReady",
                        "the node's network is not ready");
    world_set_status(kubelets->world, node, status);
}

static void queue_pods(struct kubelets *kubelets, const char *node_name)
{
    const struct world_node_pods *pods = world_pods_on(kubelets->world, node_name);
    for (struct world_object *pod = pods->first; pod != NULL; pod = pod->node_next)
        work_queue_add(kubelets->pod_work, pod->key);
}

// --- heartbeats ----------------------------------------------------------------------------------

void kubelet_heartbeat(void *context, const char *node_name)
{
    struct kubelets *kubelets = context;
    struct world *world = kubelets->world;
    struct kubelet *kubelet = map_get(kubelets->by_node, node_name);
    struct world_object *node = world_find(world, KIND_NODE, NULL, node_name);
    if (kubelet == NULL || node == NULL || !kubelet->alive)
        return;
    work_queue_add_after(kubelets->heartbeats, node_name, world->options.heartbeat_ns);
    if (!is_at_work(kubelet))
        return;
    char now[INSTANT_TEXT_MAX];
    instant_format_micro(loop_now_ns(world->loop), now);
    struct world_object *lease = world_find(world, KIND_LEASE, LEASE_NAMESPACE, node_name);
    if (lease != NULL) {
        json_t *value = world_copy(lease);
        json_object_set_new(json_object_get(value, "spec"), "renewTime", json_string(now));
        world_replace(world, lease, value);
        return;
    }
    json_t *value =
        json_pack("{s:s, s:s, s:{s:s, s:[{s:s, s:s, s:s, s:s}]}, s:{s:s, s:i, s:s}}", "apiVersion",
                  "coordination.k8s.io/v1", "kind", "Lease", "metadata", "name", node_name,
                  "ownerReferences", "apiVersion", "v1", "kind", "Node", "name", node_name, "uid",
                  node->uid, "spec", "holderIdentity", node_name, "leaseDurationSeconds",
                  LEASE_DURATION_SECONDS, "renewTime", now);
    world_add(world, KIND_LEASE, LEASE_NAMESPACE, value, NULL);
}

int64_t kubelets_last_heartbeat(const struct kubelets *kubelets, const char *node_name)
{
    const struct kubelet *kubelet = map_get(kubelets->by_node, node_name);
    if (kubelet == NULL)
        return 0;
    return is_at_work(kubelet) ? loop_now_ns(kubelets->world->loop) : kubelet->last_alive;
}

// --- faults of machines --------------------------------------------------------------------------

static void tell_kubelets(struct kubelets *kubelets, const struct machine *machine)
{
    for (struct map_entry *e = map_first(kubelets->by_node); e != NULL; e = map_next(e)) {
        struct kubelet *kubelet = map_value(e);
        if (kubelet->machine != machine)
            continue;
        kubelet->alive = !machine->gone;
        if (kubelet->at_work)
            kubelet->last_alive = loop_now_ns(kubelets->world->loop);
        kubelet->at_work = is_at_work(kubelet);
        work_queue_add(kubelets->nodes, kubelet->node_name);
        queue_pods(kubelets, kubelet->node_name);
    }
}

void kubelets_machine_gone(struct kubelets *kubelets, const char *provider_id)
{
    struct machine *machine = map_get(kubelets->machines, provider_id);
    if (machine == NULL || machine->gone)
        return;
    machine->gone = true;
    work_queue_forget(kubelets->boots, provider_id);
    work_queue_forget(kubelets->again, provider_id);
    tell_kubelets(kubelets, machine);
}

void kubelets_machine_state(struct kubelets *kubelets, const char *provider_id,
                            enum machine_state state)
{
    struct machine *machine = map_get(kubelets->machines, provider_id);
    if (machine == NULL || machine->gone)
        return;
    machine->state = state;
    tell_kubelets(kubelets, machine);
}

bool kubelets_machine_is_gone(const struct kubelets *kubelets, const struct world_object *node)
{
    const char *provider_id = world_text(node->json, "spec.providerID");
    const struct machine *machine =
        provider_id == NULL ? NULL : map_get(kubelets->machines, provider_id);
    return machine != NULL && machine->gone;
}
