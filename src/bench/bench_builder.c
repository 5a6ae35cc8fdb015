#include "bench/bench_builder.h"

#include <string.h>

#include "model/schema/condition_types.h"
#include "model/schema/decode.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"

// Appends an item to a list; copies the existing items, since an arena cannot grow them. Lists here
// have a handful of items at most.
#define list_append(arena, list, ...)                                              \
    do {                                                                           \
        __typeof__((list)->items) grown_ =                                         \
            arena_allocate_array(arena, (list)->count + 1, sizeof *(list)->items); \
        if ((list)->count > 0)                                                     \
            memcpy(grown_, (list)->items, (list)->count * sizeof *(list)->items);  \
        grown_[(list)->count] = (__VA_ARGS__);                                     \
        (list)->items = grown_;                                                    \
        (list)->count++;                                                           \
    } while (0)

static struct affinity *affinity_of(struct bench_builder *builder, struct pod *pod)
{
    if (pod->spec.affinity == NULL)
        pod->spec.affinity = arena_allocate(builder->arena, sizeof *pod->spec.affinity);
    return pod->spec.affinity;
}

static struct node_affinity *node_affinity_of(struct bench_builder *builder, struct pod *pod)
{
    struct affinity *affinity = affinity_of(builder, pod);
    if (affinity->node_affinity == NULL)
        affinity->node_affinity = arena_allocate(builder->arena, sizeof *affinity->node_affinity);
    return affinity->node_affinity;
}

static struct pod_affinity *anti_affinity_of(struct bench_builder *builder, struct pod *pod)
{
    struct affinity *affinity = affinity_of(builder, pod);
    if (affinity->pod_anti_affinity == NULL)
        affinity->pod_anti_affinity =
            arena_allocate(builder->arena, sizeof *affinity->pod_anti_affinity);
    return affinity->pod_anti_affinity;
}

const char *bench_uid(struct bench_builder *builder)
{
    char *uid = arena_allocate(builder->arena, 37);
    random_uuid(&builder->random, uid);
    return uid;
}

static void add_owner(struct bench_builder *builder, struct pod *pod, const char *owner)
{
    list_append(
        builder->arena, &pod->meta.owner_references,
        (struct owner_reference){.api_version = "apps/v1",
                                 .kind = "ReplicaSet",
                                 .name = owner,
                                 .uid = arena_format(builder->arena, "replica-set-%s", owner),
                                 .controller = true,
                                 .block_owner_deletion = true});
}

struct pod *bench_pod(struct bench_builder *builder, const char *name, const char *owner,
                      int64_t cpu_millicores, int64_t memory_bytes)
{
    struct pod *pod = arena_allocate(builder->arena, sizeof *pod);
    pod->kind = kind_get(KIND_POD);
    pod->meta.name = arena_copy_string(builder->arena, name);
    pod->meta.namespace = BENCH_NAMESPACE;
    pod->meta.uid = bench_uid(builder);
    pod->meta.creation_timestamp = BENCH_TIME;
    if (owner != NULL)
        add_owner(builder, pod, arena_copy_string(builder->arena, owner));
    struct resource_quantity *requests = arena_allocate_array(builder->arena, 2, sizeof *requests);
    requests[0] = (struct resource_quantity){"cpu", cpu_millicores};
    requests[1] = (struct resource_quantity){"memory", memory_bytes};
    list_append(builder->arena, &pod->spec.containers,
                (struct container){.name = "main",
                                   .image = "pause",
                                   .resources.requests = {.items = requests, .count = 2}});
    pod->status.phase = "Pending";
    list_append(builder->arena, &pod->status.conditions,
                (struct condition){.type = condition_name(CONDITION_POD_SCHEDULED),
                                   .status = "False",
                                   .reason = "Unschedulable",
                                   .last_transition_time = BENCH_TIME});
    return pod;
}

void bench_pod_bind(struct pod *pod, const char *node_name)
{
    pod->spec.node_name = node_name;
    pod->status.phase = "Running";
    pod->status.conditions.items[0] =
        (struct condition){.type = condition_name(CONDITION_POD_SCHEDULED),
                           .status = "True",
                           .last_transition_time = BENCH_TIME};
}

void bench_label(struct bench_builder *builder, struct string_map *map, const char *key,
                 const char *value)
{
    uint32_t at = 0;
    while (at < map->count && strcmp(map->items[at].key, key) < 0)
        at++;
    if (at < map->count && strcmp(map->items[at].key, key) == 0) {
        map->items[at].value = arena_copy_string(builder->arena, value);
        return;
    }
    list_append(builder->arena, map, (struct string_pair){0});
    memmove(&map->items[at + 1], &map->items[at], (map->count - 1 - at) * sizeof *map->items);
    map->items[at] = (struct string_pair){arena_copy_string(builder->arena, key),
                                          arena_copy_string(builder->arena, value)};
}

void bench_pod_label(struct bench_builder *builder, struct pod *pod, const char *key,
                     const char *value)
{
    bench_label(builder, &pod->meta.labels, key, value);
}

void bench_pod_node_selector(struct bench_builder *builder, struct pod *pod, const char *key,
                             const char *value)
{
    bench_label(builder, &pod->spec.node_selector, key, value);
}

struct label_selector *bench_selector(struct bench_builder *builder, const char *key,
                                      const char *value)
{
    struct label_selector *selector = arena_allocate(builder->arena, sizeof *selector);
    bench_label(builder, &selector->match_labels, key, value);
    return selector;
}

void bench_pod_spread(struct bench_builder *builder, struct pod *pod, const char *topology_key,
                      int64_t max_skew, struct label_selector *selector)
{
    list_append(builder->arena, &pod->spec.topology_spread_constraints,
                (struct topology_spread_constraint){.max_skew = max_skew,
                                                    .topology_key = topology_key,
                                                    .when_unsatisfiable = "DoNotSchedule",
                                                    .label_selector = selector});
}

void bench_pod_affinity(struct bench_builder *builder, struct pod *pod, const char *topology_key,
                        struct label_selector *selector)
{
    struct affinity *affinity = affinity_of(builder, pod);
    if (affinity->pod_affinity == NULL)
        affinity->pod_affinity = arena_allocate(builder->arena, sizeof *affinity->pod_affinity);
    list_append(
        builder->arena, &affinity->pod_affinity->required,
        (struct pod_affinity_term){.topology_key = topology_key, .label_selector = selector});
}

void bench_pod_anti_affinity(struct bench_builder *builder, struct pod *pod,
                             const char *topology_key, struct label_selector *selector)
{
    list_append(
        builder->arena, &anti_affinity_of(builder, pod)->required,
        (struct pod_affinity_term){.topology_key = topology_key, .label_selector = selector});
}

void bench_pod_prefer_apart(struct bench_builder *builder, struct pod *pod, int64_t weight,
                            const char *topology_key, struct label_selector *selector)
{
    list_append(
        builder->arena, &anti_affinity_of(builder, pod)->preferred,
        (struct weighted_pod_affinity_term){
            .weight = weight,
            .pod_affinity_term = {.topology_key = topology_key, .label_selector = selector}});
}

static struct node_selector_term node_term(struct bench_builder *builder, const char *key,
                                           const char *operation, const char *const *values)
{
    struct selector_requirement requirement = {.key = key, .operator= operation };
    for (; *values != NULL; values++)
        list_append(builder->arena, &requirement.values, *values);
    struct node_selector_term term = {0};
    list_append(builder->arena, &term.match_expressions, requirement);
    return term;
}

void bench_pod_require_node(struct bench_builder *builder, struct pod *pod, const char *key,
                            const char *operation, const char *const *values)
{
    struct node_affinity *affinity = node_affinity_of(builder, pod);
    struct node_selector_term term = node_term(builder, key, operation, values);
    if (affinity->required == NULL) {
        affinity->required = arena_allocate(builder->arena, sizeof *affinity->required);
        list_append(builder->arena, &affinity->required->node_selector_terms, term);
        return;
    }
    // Terms are alternatives; a further requirement belongs into the existing one.
    list_append(builder->arena, &affinity->required->node_selector_terms.items[0].match_expressions,
                term.match_expressions.items[0]);
}

void bench_pod_prefer_node(struct bench_builder *builder, struct pod *pod, int64_t weight,
                           const char *key, const char *value)
{
    const char *values[] = {value, NULL};
    list_append(builder->arena, &node_affinity_of(builder, pod)->preferred,
                (struct preferred_scheduling_term){
                    .weight = weight, .preference = node_term(builder, key, "In", values)});
}

void bench_pod_tolerate(struct bench_builder *builder, struct pod *pod, const char *key,
                        const char *value)
{
    list_append(builder->arena, &pod->spec.tolerations,
                (struct toleration){
                    .key = key, .operator= "Equal", .value = value, .effect = "NoSchedule"});
}

void bench_add(struct bench_builder *builder, const struct object *object)
{
    struct object *copy = object_copy(object);
    snapshot_add(builder->snapshot, copy);
    object_release(copy);
    arena_reset(builder->arena);
}

bool bench_add_document(struct bench_builder *builder, json_t *document, struct error *error)
{
    if (document == NULL)
        return error_set(error, ERROR_INTERNAL, "a generated object is not valid JSON");
    struct object *object = document_decode(document, DECODE_STRICT, error);
    json_decref(document);
    if (object == NULL)
        return false;
    snapshot_add(builder->snapshot, object);
    object_release(object);
    return true;
}
