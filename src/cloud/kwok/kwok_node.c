#include "cloud/kwok/kwok_node.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/schema/object.h"

void kwok_node_name(const struct node_claim *claim, char out[300])
{
    assert(claim->meta.name != NULL);
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    uint64_t hash = hash_string(claim->meta.uid != NULL ? claim->meta.uid : claim->meta.name);
    char suffix[6] = {0};
    for (int i = 0; i < 5; i++, hash /= sizeof letters - 1)
        suffix[i] = letters[hash % (sizeof letters - 1)];
    // Object names have at most 253 characters.
    snprintf(out, 300, "kwok-%.242s-%s", claim->meta.name, suffix);
}

struct pairs {
    struct arena *arena;
    struct string_map map;
    uint32_t capacity;
};

static void put(struct pairs *pairs, const char *key, const char *value)
{
    assert(key != NULL);
    assert(pairs->map.count <= pairs->capacity);
    for (uint32_t i = 0; i < pairs->map.count; i++)
        if (strcmp(pairs->map.items[i].key, key) == 0) {
            pairs->map.items[i].value = arena_copy_string(pairs->arena, value);
            return;
        }
    if (pairs->map.count == pairs->capacity) {
        uint32_t capacity = pairs->capacity == 0 ? 32 : 2 * pairs->capacity;
        struct string_pair *items = arena_allocate_array(pairs->arena, capacity, sizeof *items);
        if (pairs->map.count > 0)
            memcpy(items, pairs->map.items, pairs->map.count * sizeof *items);
        pairs->map.items = items;
        pairs->capacity = capacity;
    }
    pairs->map.items[pairs->map.count++] = (struct string_pair){
        arena_copy_string(pairs->arena, key), arena_copy_string(pairs->arena, value)};
}

static void put_single_values(struct pairs *pairs, const requirement_list *requirements)
{
    list_for_each (requirement, requirements) {
        if (text_equal(requirement->operator, "In") && requirement->values.count == 1)
            put(pairs, requirement->key, requirement->values.items[0]);
    }
}

static struct string_map labels_of(struct arena *arena, const struct node_claim *claim,
                                   const struct offering_choice *choice)
{
    struct pairs pairs = {.arena = arena};
    char price[40];
    list_for_each (label, &claim->meta.labels)
        put(&pairs, label->key, label->value);
    put_single_values(&pairs, &claim->spec.requirements);
    put_single_values(&pairs, &choice->type->requirements);
    put_single_values(&pairs, &choice->offering->requirements);
    put(&pairs, LABEL_INSTANCE_TYPE, choice->type->name);
    snprintf(price, sizeof price, "%.6f", price_to_double(choice->offering->price));
    put(&pairs, "eks-node-viewer/instance-price", price);
    put(&pairs, "kwok-partition", "a");
    put(&pairs, LABEL_HOSTNAME, claim->meta.name);
    put(&pairs, "kwok.x-k8s.io/node", "fake");
    qsort(pairs.map.items, pairs.map.count, sizeof pairs.map.items[0], string_pair_compare);
    return pairs.map;
}

static struct string_map annotations_of(struct arena *arena, const struct node_claim *claim,
                                        int64_t due)
{
    struct pairs pairs = {.arena = arena};
    char text[INSTANT_TEXT_MAX];
    list_for_each (annotation, &claim->meta.annotations)
        put(&pairs, annotation->key, annotation->value);
    instant_format_milli(due, text);
    put(&pairs, KWOK_ANNOTATION_NODE_DUE, text);
    put(&pairs, "kwok.x-k8s.io/node", "fake");
    qsort(pairs.map.items, pairs.map.count, sizeof pairs.map.items[0], string_pair_compare);
    return pairs.map;
}

static int compare_resources(const void *a, const void *b)
{
    return strcmp(((const struct resource_quantity *)a)->name,
                  ((const struct resource_quantity *)b)->name);
}

// `over` on top of `under`, sorted by name.
static struct resource_map overlay(struct arena *arena, const struct resource_map *under,
                                   const struct resource_map *over)
{
    struct resource_map map = {
        arena_allocate_array(arena, under->count + over->count + 1, sizeof *map.items), 0};
    list_for_each (entry, over)
        map.items[map.count++] =
            (struct resource_quantity){arena_copy_string(arena, entry->name), entry->value};
    list_for_each (entry, under) {
        if (!resource_map_has(over, entry->name))
            map.items[map.count++] =
                (struct resource_quantity){arena_copy_string(arena, entry->name), entry->value};
    }
    assert(map.count <= under->count + over->count);
    qsort(map.items, map.count, sizeof map.items[0], compare_resources);
    return map;
}

struct machine *kwok_machine(struct arena *arena, const struct node_claim *claim,
                             const struct offering_choice *choice, int64_t now, int64_t due)
{
    assert(choice->type != NULL);
    assert(choice->offering != NULL);
    char name[300];
    kwok_node_name(claim, name);
    struct machine *machine = arena_allocate(arena, sizeof *machine);
    machine->provider_id = arena_format(arena, KWOK_PROVIDER_PREFIX "%s", name);
    machine->node_name = machine->provider_id + strlen(KWOK_PROVIDER_PREFIX);
    machine->labels = labels_of(arena, claim, choice);
    machine->annotations = annotations_of(arena, claim, due);
    struct resource_map allocatable =
        instance_type_allocatable(arena, choice->type, choice->offering);
    machine->capacity = overlay(arena, &claim->spec.resources.requests, &choice->type->capacity);
    machine->allocatable = overlay(arena, &claim->spec.resources.requests, &allocatable);
    machine->created = now;
    machine->node_claim_name = arena_copy_string(arena, claim->meta.name);
    machine->node_claim_uid = arena_copy_string(arena, claim->meta.uid);
    return machine;
}

static json_t *pairs_json(const struct string_map *map)
{
    json_t *object = json_object();
    list_for_each (pair, map)
        json_object_set_new(object, pair->key, json_string(pair->value));
    return object;
}

static json_t *resources_json(const struct resource_map *map)
{
    json_t *object = json_object();
    char text[QUANTITY_TEXT_MAX];
    list_for_each (entry, map) {
        quantity_format(entry->name, entry->value, text);
        json_object_set_new(object, entry->name, json_string(text));
    }
    return object;
}

json_t *kwok_node_body(const struct node_claim *claim, const struct machine *machine)
{
    assert(machine->node_name != NULL);
    assert(machine->provider_id != NULL);
    json_t *taints = json_pack("[{s:s, s:s}]", "key", TAINT_UNREGISTERED, "effect", "NoExecute");
    (void)claim;
    return json_pack("{s:s, s:s, s:{s:s, s:o, s:o}, s:{s:s, s:o}, s:{s:o, s:o, s:s}}", "apiVersion",
                     "v1", "kind", "Node", "metadata", "name", machine->node_name, "labels",
                     pairs_json(&machine->labels), "annotations", pairs_json(&machine->annotations),
                     "spec", "providerID", machine->provider_id, "taints", taints, "status",
                     "capacity", resources_json(&machine->capacity), "allocatable",
                     resources_json(&machine->allocatable), "phase", "Pending");
}

struct machine *kwok_machine_on_record(struct arena *arena, const struct node_claim *claim)
{
    const char *provider_id = claim->status.provider_id;
    if (provider_id == NULL || !text_starts_with(provider_id, KWOK_PROVIDER_PREFIX))
        return NULL;
    struct pairs labels = {.arena = arena};
    list_for_each (label, &claim->meta.labels)
        put(&labels, label->key, label->value);
    put(&labels, LABEL_HOSTNAME, claim->meta.name);
    put(&labels, "kwok.x-k8s.io/node", "fake");
    qsort(labels.map.items, labels.map.count, sizeof labels.map.items[0], string_pair_compare);
    struct pairs annotations = {.arena = arena};
    list_for_each (annotation, &claim->meta.annotations)
        put(&annotations, annotation->key, annotation->value);
    put(&annotations, "kwok.x-k8s.io/node", "fake");
    qsort(annotations.map.items, annotations.map.count, sizeof annotations.map.items[0],
          string_pair_compare);
    struct machine *machine = arena_allocate(arena, sizeof *machine);
    *machine = (struct machine){
        .provider_id = provider_id,
        .node_name = provider_id + strlen(KWOK_PROVIDER_PREFIX),
        .labels = labels.map,
        .annotations = annotations.map,
        .capacity = claim->status.capacity,
        .allocatable = claim->status.allocatable,
        .created = claim->meta.creation_timestamp,
        .node_claim_name = claim->meta.name,
        .node_claim_uid = claim->meta.uid,
    };
    return machine;
}

int64_t kwok_node_due(const struct node_claim *claim)
{
    const char *text = string_map_get(&claim->meta.annotations, KWOK_ANNOTATION_NODE_DUE);
    int64_t due;
    return text != NULL && instant_parse(text, &due, NULL) ? due : 0;
}

void kwok_machine_of_node(const struct node *node, struct machine *machine)
{
    const struct owner_reference *owner =
        object_owner((const struct object *)node, "karpenter.sh/v1", "NodeClaim");
    *machine = (struct machine){
        .provider_id = node->spec.provider_id,
        .node_name = node->meta.name,
        .labels = node->meta.labels,
        .annotations = node->meta.annotations,
        .capacity = node->status.capacity,
        .allocatable = node->status.allocatable,
        .created = node->meta.creation_timestamp,
        .node_claim_name = string_map_get(&node->meta.labels, LABEL_HOSTNAME),
        .node_claim_uid = owner != NULL ? owner->uid : NULL,
        .terminating = object_is_deleting((const struct object *)node),
    };
}
