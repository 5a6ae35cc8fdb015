#include "bench/bench_nodes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_builder.h"
#include "model/reading/catalog.h"
#include "model/schema/condition_types.h"
#include "model/tables/kinds.h"

#define MEBIBYTE      (INT64_C(1) << 20)
#define GIBIBYTE      (INT64_C(1) << 30)
#define PODS_PER_NODE 10
// The middle of a catalog: typical machines that hold ten pods.
#define CPU_MIN_MILLICORES 4000
#define CPU_MAX_MILLICORES 32000
#define MEMORY_MIN_BYTES   (8 * GIBIBYTE)
// Reserved on each node for the workload's DaemonSets, whose pods are added later.
#define DAEMONS_CPU_MILLICORES 500
#define DAEMONS_MEMORY_BYTES   GIBIBYTE
#define CREATED                (BENCH_TIME - INT64_C(3600000000000))

struct node_maker {
    struct bench_builder *builder;
    const struct node_pool *pool;
    const struct instance_type **types; // suitable ones
    uint32_t types_count;
};

// A node's remaining room for pods.
struct room {
    int64_t cpu_millicores, memory_bytes, pods;
};

static const struct offering *on_demand_offering(const struct instance_type *type, uint64_t nth);

// --- one machine ---------------------------------------------------------------------------------

static struct string_map node_labels(struct bench_builder *builder,
                                     const struct bench_machine *machine, bool registered)
{
    struct string_map labels = {0};
    const requirement_list *sources[] = {&machine->type->requirements,
                                         &machine->offering->requirements};
    for (size_t i = 0; i < ARRAY_LENGTH(sources); i++)
        list_for_each (requirement, sources[i]) {
            const char *value = requirement_single_value(sources[i], requirement->key);
            if (value != NULL)
                bench_label(builder, &labels, requirement->key, value);
        }
    list_for_each (label, &machine->pool->spec.template.metadata.labels)
        bench_label(builder, &labels, label->key, label->value);
    bench_label(builder, &labels, LABEL_INSTANCE_TYPE, machine->type->name);
    bench_label(builder, &labels, LABEL_NODE_POOL, machine->pool->meta.name);
    if (registered) {
        bench_label(builder, &labels, LABEL_HOSTNAME, machine->name);
        bench_label(builder, &labels, LABEL_REGISTERED, "true");
        bench_label(builder, &labels, LABEL_INITIALIZED, "true");
    }
    return labels;
}

static void set_conditions(struct bench_builder *builder, condition_list *list,
                           const enum condition_type *types, uint32_t count)
{
    list->items = arena_allocate_array(builder->arena, count, sizeof *list->items);
    for (; list->count < count; list->count++)
        list->items[list->count] = (struct condition){.type = condition_name(types[list->count]),
                                                      .status = "True",
                                                      .reason = condition_name(types[list->count]),
                                                      .last_transition_time = CREATED};
}

static void add_claim(struct bench_builder *builder, const struct bench_machine *machine)
{
    enum condition_type conditions[6] = {CONDITION_LAUNCHED, CONDITION_REGISTERED,
                                         CONDITION_INITIALIZED, CONDITION_READY};
    uint32_t count = 4;
    static const char *finalizers[] = {FINALIZER_TERMINATION};
    if (machine->consolidatable)
        conditions[count++] = CONDITION_CONSOLIDATABLE;
    if (machine->drifted)
        conditions[count++] = CONDITION_DRIFTED;
    struct node_claim *claim = arena_allocate(builder->arena, sizeof *claim);
    claim->kind = kind_get(KIND_NODE_CLAIM);
    claim->meta.name = arena_format(builder->arena, "claim-of-%s", machine->name);
    claim->meta.uid = bench_uid(builder);
    claim->meta.creation_timestamp = CREATED;
    claim->meta.labels = node_labels(builder, machine, false);
    claim->meta.finalizers = (struct string_list){finalizers, 1};
    claim->spec = machine->pool->spec.template.spec;
    claim->status.node_name = machine->name;
    claim->status.provider_id = machine->provider_id;
    claim->status.capacity = machine->type->capacity;
    claim->status.allocatable = instance_type_allocatable(builder->arena, machine->type, NULL);
    set_conditions(builder, &claim->status.conditions, conditions, count);
    bench_add(builder, (const struct object *)claim);
}

static void add_node(struct bench_builder *builder, const struct bench_machine *machine)
{
    static const enum condition_type conditions[] = {CONDITION_READY};
    static const char *finalizers[] = {FINALIZER_TERMINATION};
    struct node *node = arena_allocate(builder->arena, sizeof *node);
    node->kind = kind_get(KIND_NODE);
    node->meta.name = machine->name;
    node->meta.uid = bench_uid(builder);
    node->meta.creation_timestamp = CREATED;
    node->meta.labels = node_labels(builder, machine, true);
    node->meta.finalizers = (struct string_list){finalizers, 1};
    node->spec.provider_id = machine->provider_id;
    node->spec.taints = machine->pool->spec.template.spec.taints;
    node->status.capacity = machine->type->capacity;
    node->status.allocatable = instance_type_allocatable(builder->arena, machine->type, NULL);
    set_conditions(builder, &node->status.conditions, conditions, ARRAY_LENGTH(conditions));
    bench_add(builder, (const struct object *)node);
}

void bench_add_machine(struct bench_builder *builder, const struct bench_machine *machine)
{
    add_claim(builder, machine);
    add_node(builder, machine);
}

// --- nodes of a workload -------------------------------------------------------------------------

static bool is_plain_category(const struct instance_type *type)
{
    const char *category =
        requirement_single_value(&type->requirements, "karpenter.k8s.aws/instance-category");
    return category == NULL || (strlen(category) == 1 && strchr("cmr", category[0]) != NULL);
}

static bool is_suitable(const struct instance_type *type)
{
    int64_t cpu = resource_map_get(&type->capacity, "cpu");
    return cpu >= CPU_MIN_MILLICORES && cpu <= CPU_MAX_MILLICORES &&
           resource_map_get(&type->capacity, "memory") >= MEMORY_MIN_BYTES &&
           is_plain_category(type) && on_demand_offering(type, 0) != NULL;
}

static const struct offering *on_demand_offering(const struct instance_type *type, uint64_t nth)
{
    const struct offering *found[16];
    uint32_t count = 0;
    list_for_each (offering, &type->offerings) {
        const char *capacity_type =
            requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
        if (offering->available && text_equal(capacity_type, CAPACITY_TYPE_ON_DEMAND) &&
            count < ARRAY_LENGTH(found))
            found[count++] = offering;
    }
    return count == 0 ? NULL : found[nth % count];
}

// A catalog of small types only: the largest.
static void choose_types(struct node_maker *maker)
{
    const struct instance_type_catalog *catalog =
        (const struct instance_type_catalog *)maker->builder->snapshot
            ->objects[KIND_INSTANCE_TYPE_CATALOG]
            .items[0];
    const struct instance_type *largest = NULL;
    maker->types =
        memory_allocate_array(catalog->spec.instance_types.count + 1, sizeof *maker->types);
    list_for_each (type, &catalog->spec.instance_types) {
        if (is_suitable(type))
            maker->types[maker->types_count++] = type;
        if (largest == NULL ||
            resource_map_get(&type->capacity, "cpu") > resource_map_get(&largest->capacity, "cpu"))
            largest = type;
    }
    if (maker->types_count == 0)
        maker->types[maker->types_count++] = largest;
}

static struct room room_on(const struct node_maker *maker, const struct instance_type *type)
{
    struct bench_builder *builder = maker->builder;
    struct resource_map allocatable = instance_type_allocatable(builder->arena, type, NULL);
    struct room room = {resource_map_get(&allocatable, "cpu") - DAEMONS_CPU_MILLICORES,
                        resource_map_get(&allocatable, "memory") - DAEMONS_MEMORY_BYTES,
                        resource_map_get(&allocatable, "pods") - PODS_PER_NODE / 2};
    arena_reset(builder->arena);
    return room;
}

// Draws ten pods and binds those that fit.
static void fill_node(struct node_maker *maker, const char *node_name, struct room room)
{
    static const int64_t cpus[] = {100, 250, 500, 1000, 1500};
    static const int64_t mebibytes[] = {100, 256, 512, 1024, 2048, 4096};
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g"};
    struct bench_builder *builder = maker->builder;
    for (uint32_t i = 0; i < PODS_PER_NODE; i++) {
        char name[80];
        int64_t cpu = cpus[random_below(&builder->random, ARRAY_LENGTH(cpus))];
        int64_t memory =
            mebibytes[random_below(&builder->random, ARRAY_LENGTH(mebibytes))] * MEBIBYTE;
        const char *letter = letters[random_below(&builder->random, ARRAY_LENGTH(letters))];
        if (cpu > room.cpu_millicores || memory > room.memory_bytes || room.pods <= 0)
            continue;
        room.cpu_millicores -= cpu;
        room.memory_bytes -= memory;
        room.pods--;
        snprintf(name, sizeof name, "running-%s-%u", node_name, i);
        struct pod *pod = bench_pod(builder, name, "running", cpu, memory);
        bench_pod_label(builder, pod, "my-label", letter);
        bench_pod_bind(pod, node_name);
        bench_add(builder, (const struct object *)pod);
    }
}

void bench_add_nodes(struct bench_builder *builder, uint32_t nodes)
{
    if (nodes == 0)
        return;
    struct snapshot *snapshot = builder->snapshot;
    assert(snapshot->objects[KIND_NODE_POOL].count > 0);
    struct node_maker maker = {
        .builder = builder,
        .pool = (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[0]};
    choose_types(&maker);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[32], provider_id[64];
        const struct instance_type *type =
            maker.types[random_below(&builder->random, maker.types_count)];
        const struct offering *offering =
            on_demand_offering(type, random_next(&builder->random) >> 8);
        snprintf(name, sizeof name, "node-%u", i);
        snprintf(provider_id, sizeof provider_id, "bench:///%s", name);
        bench_add_machine(builder, &(struct bench_machine){.pool = maker.pool,
                                                           .type = type,
                                                           .offering = offering,
                                                           .name = name,
                                                           .provider_id = provider_id});
        fill_node(&maker, name, room_on(&maker, type));
    }
    cleanup_free(&maker.types);
}
