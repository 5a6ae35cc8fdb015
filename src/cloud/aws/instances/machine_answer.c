#include "cloud/aws/instances/machine_answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/instances/aws_labels.h"
#include "cloud/aws/nodeclass/node_class_tags.h"
#include "model/reading/catalog.h"
#include "model/schema/drift_hash.h"

const char *instance_id_of(const char *provider_id)
{
    // <anything>:///<anything>/<id>, greedy: the id follows the last slash.
    const char *scheme = provider_id != NULL ? strstr(provider_id, ":///") : NULL;
    if (scheme == NULL || scheme == provider_id)
        return NULL;
    const char *slash = strrchr(provider_id, '/');
    return slash > scheme + strlen(":///") && slash[1] != '\0' ? slash + 1 : NULL;
}

// --- labels (AWI-262) ----------------------------------------------------------------------------

struct labels {
    struct string_pair *items;
    uint32_t count;
};

static void label_set(struct labels *labels, const char *key, const char *value)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (strcmp(labels->items[i].key, key) == 0) {
            labels->items[i].value = value;
            return;
        }
    labels->items[labels->count++] = (struct string_pair){key, value};
}

static bool is_of_instance(const char *key)
{
    return strcmp(key, LABEL_RESERVATION_ID) == 0 || strcmp(key, LABEL_RESERVATION_TYPE) == 0 ||
           strcmp(key, LABEL_RESERVATION_INTERRUPTIBLE) == 0;
}

static void add_type_labels(struct labels *labels, const struct instance_type *type)
{
    label_set(labels, LABEL_INSTANCE_TYPE, type->name);
    list_for_each (requirement, &type->requirements) {
        if (text_equal(requirement->operator, "In") && requirement->values.count == 1 &&
            !is_of_instance(requirement->key))
            label_set(labels, requirement->key, requirement->values.items[0]);
    }
}

static const char *zone_id_of(const struct ec2_node_class *node_class, const char *zone)
{
    if (node_class != NULL)
        list_for_each (subnet, &node_class->status.subnets)
            if (text_equal(subnet->zone, zone))
                return text_or_empty(subnet->zone_id);
    return "";
}

static void add_instance_labels(struct labels *labels, const struct machine_sources *sources)
{
    const struct aws_instance_facts *facts = sources->facts;
    label_set(labels, LABEL_ZONE, facts->zone);
    const char *zone_id = zone_id_of(sources->node_class, facts->zone);
    if (zone_id[0] != '\0')
        label_set(labels, LABEL_ZONE_ID, zone_id);
    label_set(labels, LABEL_CAPACITY_TYPE, facts->capacity_type);
    label_set(labels, LABEL_INSTANCE_TENANCY, facts->tenancy);
    if (text_equal(facts->capacity_type, CAPACITY_TYPE_RESERVED)) {
        label_set(labels, LABEL_RESERVATION_ID, text_or_empty(facts->reservation_id));
        label_set(labels, LABEL_RESERVATION_TYPE, text_or_empty(facts->reservation_type));
        label_set(labels, LABEL_RESERVATION_INTERRUPTIBLE,
                  facts->reservation_interruptible ? "true" : "false");
    }
    if (sources->group != NULL) {
        label_set(labels, LABEL_PLACEMENT_GROUP, sources->group->id);
        if (text_equal(sources->group->strategy, "partition"))
            label_set(labels, LABEL_PARTITION, text_or_empty(sources->partition));
    }
    const char *pool = string_map_get(&facts->tags, TAG_NODE_POOL);
    if (pool != NULL)
        label_set(labels, LABEL_NODE_POOL, pool);
}

static struct string_map labels_of(struct arena *arena, const struct machine_sources *sources)
{
    uint32_t most = 12 + (sources->type != NULL ? sources->type->requirements.count : 0);
    struct labels labels = {arena_allocate_array(arena, most, sizeof *labels.items), 0};
    if (sources->type != NULL)
        add_type_labels(&labels, sources->type);
    add_instance_labels(&labels, sources);
    assert(labels.count <= most);
    for (uint32_t i = 0; i < labels.count; i++)
        labels.items[i] =
            (struct string_pair){arena_copy_string(arena, labels.items[i].key),
                                 arena_copy_string(arena, text_or_empty(labels.items[i].value))};
    qsort(labels.items, labels.count, sizeof *labels.items, string_pair_compare);
    return (struct string_map){labels.items, labels.count};
}

// --- resources (AWI-263, 265) --------------------------------------------------------------------

static struct resource_map resources_of(struct arena *arena, const struct resource_map *from,
                                        int64_t efa_count)
{
    struct resource_map map = {arena_allocate_array(arena, from->count + 1, sizeof *map.items), 0};
    list_for_each (entry, from) {
        if (entry->value == 0 || (efa_count == 0 && strcmp(entry->name, RESOURCE_EFA) == 0))
            continue;
        map.items[map.count++] =
            (struct resource_quantity){arena_copy_string(arena, entry->name), entry->value};
    }
    return map;
}

void machine_answer_build(struct arena *arena, const struct machine_sources *sources,
                          struct machine *machine)
{
    const struct aws_instance_facts *facts = sources->facts;
    const char *claim = string_map_get(&facts->tags, TAG_NODE_CLAIM);
    *machine = (struct machine){
        .provider_id = arena_format(arena, "aws:///%s/%s", facts->zone, facts->id),
        .image_id = arena_copy_string(arena, facts->image_id),
        .labels = labels_of(arena, sources),
        .created = facts->launched,
        .node_claim_name = arena_copy_string(arena, claim),
        .terminating = instance_is_ending(facts),
    };
    if (sources->type == NULL)
        return;
    struct resource_map allocatable = instance_type_allocatable(arena, sources->type, NULL);
    machine->capacity = resources_of(arena, &sources->type->capacity, facts->efa_count);
    machine->allocatable = resources_of(arena, &allocatable, facts->efa_count);
}

void machine_answer_annotate(struct arena *arena, const struct ec2_node_class *node_class,
                             const char *ca_bundle, struct machine *machine)
{
    char hash[24];
    ec2_node_class_hash(node_class, ca_bundle, hash);
    struct string_pair *items = arena_allocate_array(arena, 3, sizeof *items);
    items[0] = (struct string_pair){ANNOTATION_EC2_HASH, arena_copy_string(arena, hash)};
    items[1] = (struct string_pair){ANNOTATION_EC2_HASH_VERSION, EC2_NODE_CLASS_HASH_VERSION};
    items[2] = (struct string_pair){
        ANNOTATION_EC2_PROFILE,
        arena_copy_string(arena, text_or_empty(node_class->status.instance_profile))};
    qsort(items, 3, sizeof *items, string_pair_compare);
    machine->annotations = (struct string_map){items, 3};
}

// --- copies --------------------------------------------------------------------------------------

static struct string_map copy_pairs(struct arena *arena, const struct string_map *map)
{
    struct string_map copy = {arena_allocate_array(arena, map->count + 1, sizeof *copy.items),
                              map->count};
    for (uint32_t i = 0; i < map->count; i++)
        copy.items[i] = (struct string_pair){arena_copy_string(arena, map->items[i].key),
                                             arena_copy_string(arena, map->items[i].value)};
    return copy;
}

static struct resource_map copy_resources(struct arena *arena, const struct resource_map *map)
{
    struct resource_map copy = {arena_allocate_array(arena, map->count + 1, sizeof *copy.items),
                                map->count};
    for (uint32_t i = 0; i < map->count; i++)
        copy.items[i] = (struct resource_quantity){arena_copy_string(arena, map->items[i].name),
                                                   map->items[i].value};
    return copy;
}

void machine_copy(struct arena *arena, const struct machine *from, struct machine *to)
{
    *to = *from;
    to->provider_id = arena_copy_string(arena, from->provider_id);
    to->image_id = arena_copy_string(arena, from->image_id);
    to->node_name = arena_copy_string(arena, from->node_name);
    to->node_claim_name = arena_copy_string(arena, from->node_claim_name);
    to->node_claim_uid = arena_copy_string(arena, from->node_claim_uid);
    to->labels = copy_pairs(arena, &from->labels);
    to->annotations = copy_pairs(arena, &from->annotations);
    to->capacity = copy_resources(arena, &from->capacity);
    to->allocatable = copy_resources(arena, &from->allocatable);
}
