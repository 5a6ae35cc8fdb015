#include "engine/forecast/forecast_machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/reading/requirement_match.h"
#include "model/schema/condition_types.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"

// --- labels --------------------------------------------------------------------------------------

static void put(struct string_map *map, const char *key, const char *value)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (strcmp(map->items[i].key, key) == 0) {
            map->items[i].value = value;
            return;
        }
    map->items[map->count++] = (struct string_pair){key, value};
}

static void put_single_values(struct string_map *map, const requirement_list *requirements)
{
    list_for_each (requirement, requirements)
        if (text_equal(requirement->operator, "In") && requirement->values.count == 1)
            put(map, requirement->key, requirement->values.items[0]);
}

// The first value that the machine's requirements leave open.
static void put_open_values(struct string_map *map, const requirement_list *requirements)
{
    list_for_each (requirement, requirements)
        if (text_equal(requirement->operator, "In") && requirement->values.count > 0 &&
            string_map_get(map, requirement->key) == NULL)
            put(map, requirement->key, requirement->values.items[0]);
}

static const struct offering *cheapest_offering(const struct instance_type *type,
                                                const requirement_list *requirements)
{
    const struct offering *best = NULL;
    for (uint32_t i = 0; type != NULL && i < type->offerings.count; i++) {
        const struct offering *offering = &type->offerings.items[i];
        if (offering_compatible(offering, requirements) &&
            (best == NULL || offering->price < best->price))
            best = offering;
    }
    return best;
}

static struct string_map labels_of(struct arena *arena, const struct plan_claim *claim,
                                   const struct instance_type *type,
                                   const struct offering *offering, const char *name)
{
    struct string_map labels = {0};
    uint32_t most = claim->labels.count + 2 * claim->requirements.count + 8;
    most += type != NULL ? type->requirements.count : 0;
    most += offering != NULL ? offering->requirements.count : 0;
    labels.items = arena_allocate_array(arena, most, sizeof *labels.items);
    // What the machine is wins over what was left open for it.
    for (uint32_t i = 0; i < claim->labels.count; i++)
        put(&labels, claim->labels.items[i].key, claim->labels.items[i].value);
    put_open_values(&labels, &claim->requirements);
    put_single_values(&labels, &claim->requirements);
    if (type != NULL) {
        put_single_values(&labels, &type->requirements);
        put(&labels, LABEL_INSTANCE_TYPE, type->name);
    }
    if (offering != NULL)
        put_single_values(&labels, &offering->requirements);
    put(&labels, LABEL_NODE_POOL, claim->node_pool->meta.name);
    put(&labels, LABEL_REGISTERED, "true");
    put(&labels, LABEL_INITIALIZED, "true");
    put(&labels, LABEL_HOSTNAME, name);
    qsort(labels.items, labels.count, sizeof *labels.items, string_pair_compare);
    return labels;
}

// --- objects -------------------------------------------------------------------------------------

static condition_list true_conditions(struct arena *arena, const enum condition_type *types,
                                      uint32_t count, int64_t time)
{
    condition_list list = {arena_allocate_array(arena, count, sizeof *list.items), count};
    for (uint32_t i = 0; i < count; i++)
        list.items[i] = (struct condition){.type = condition_name(types[i]),
                                           .status = "True",
                                           .reason = condition_name(types[i]),
                                           .message = "",
                                           .last_transition_time = time};
    return list;
}

static void add(struct snapshot *snapshot, const void *made)
{
    const struct object *copy = object_copy(made);
    snapshot_add(snapshot, copy);
    object_release(copy);
}

static void add_node(struct snapshot *snapshot, const struct node_claim *claim, const char *name)
{
    static const enum condition_type ready[] = {CONDITION_READY};
    struct node node = {.kind = kind_get(KIND_NODE)};
    node.meta = claim->meta;
    node.meta.name = name;
    node.meta.uid = arena_format(snapshot->arena, "node-of-%s", claim->meta.uid);
    node.meta.creation_timestamp = snapshot->time;
    node.spec.provider_id = claim->status.provider_id;
    node.spec.taints = claim->spec.taints;
    node.status.capacity = claim->status.capacity;
    node.status.allocatable = claim->status.allocatable;
    node.status.conditions = true_conditions(snapshot->arena, ready, 1, snapshot->time);
    add(snapshot, &node);
}

static const enum condition_type initialized[] = {CONDITION_LAUNCHED, CONDITION_REGISTERED,
                                                  CONDITION_INITIALIZED};

void forecast_machine_add(struct snapshot *snapshot, const struct plan_claim *planned,
                          const char *name)
{
    struct arena *arena = snapshot->arena;
    const struct node_claim_spec *spec = &planned->node_pool->spec.template.spec;
    const struct instance_type *type =
        planned->types.count > 0 ? planned->types.items[0].instance_type : NULL;
    const struct offering *offering = cheapest_offering(type, &planned->requirements);
    struct node_claim claim = {.kind = kind_get(KIND_NODE_CLAIM)};
    claim.meta.name = name;
    claim.meta.uid = arena_format(arena, "new-%s", name);
    claim.meta.creation_timestamp = snapshot->time;
    claim.meta.labels = labels_of(arena, planned, type, offering, name);
    claim.meta.annotations = planned->annotations;
    claim.spec.node_class_ref = spec->node_class_ref;
    claim.spec.requirements = planned->requirements;
    claim.spec.taints = spec->taints;
    claim.spec.expire_after = spec->expire_after;
    claim.spec.termination_grace_period = spec->termination_grace_period;
    claim.status.node_name = name;
    claim.status.provider_id = arena_format(arena, "forecast:///%s", name);
    if (type != NULL) {
        claim.status.capacity = type->capacity;
        claim.status.allocatable = instance_type_allocatable(arena, type, offering);
    }
    claim.status.conditions = true_conditions(arena, initialized, 3, snapshot->time);
    const struct duration *after = &planned->node_pool->spec.disruption.consolidate_after;
    if (after->text != NULL && after->nanoseconds != DURATION_NEVER)
        claim.status.last_pod_event_time = ns_subtract(snapshot->time, after->nanoseconds);
    add(snapshot, &claim);
    add_node(snapshot, &claim, name);
}

bool forecast_machine_finish(struct snapshot *snapshot, uint32_t claim_index)
{
    struct arena *arena = snapshot->arena;
    const struct object **slot = &snapshot->objects[KIND_NODE_CLAIM].items[claim_index];
    struct node_claim claim = *(const struct node_claim *)*slot;
    const char *name = claim.meta.name;
    if (claim.status.allocatable.count == 0)
        return false;
    const struct string_map *own = &claim.meta.labels;
    struct string_map labels = {arena_allocate_array(arena, own->count + 3, sizeof *labels.items),
                                own->count};
    if (own->count > 0)
        memcpy(labels.items, own->items, own->count * sizeof *labels.items);
    put(&labels, LABEL_REGISTERED, "true");
    put(&labels, LABEL_INITIALIZED, "true");
    put(&labels, LABEL_HOSTNAME, name);
    qsort(labels.items, labels.count, sizeof *labels.items, string_pair_compare);
    claim.meta.labels = labels;
    claim.status.node_name = name;
    if (text_is_empty(claim.status.provider_id))
        claim.status.provider_id = arena_format(arena, "forecast:///%s", name);
    claim.status.conditions = true_conditions(arena, initialized, 3, snapshot->time);
    const struct object *copy = object_copy((const struct object *)&claim);
    snapshot_keep(snapshot, *slot);
    object_release(*slot);
    *slot = copy;
    add_node(snapshot, (const struct node_claim *)copy, name);
    return true;
}

void forecast_pod_add(struct snapshot *snapshot, const struct pod *pod, const char *to)
{
    struct condition conditions[] = {
        {.type = condition_name(CONDITION_READY), .status = "True"},
        {.type = condition_name(CONDITION_POD_SCHEDULED), .status = "True"}};
    struct pod moved = *pod;
    moved.spec.node_name = to;
    moved.status = (struct pod_status){.phase = to != NULL ? "Running" : "Pending"};
    moved.status.start_time = pod->status.start_time;
    if (to != NULL) {
        moved.status.conditions.items = conditions;
        moved.status.conditions.count = ARRAY_LENGTH(conditions);
    }
    add(snapshot, &moved);
}
