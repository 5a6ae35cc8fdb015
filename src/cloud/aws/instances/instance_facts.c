#include "cloud/aws/instances/instance_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/text.h"
#include "cloud/aws/instances/aws_labels.h"
#include "model/schema/karpenter.h"

#define LIST_MAX 1000

static const char *copied(struct arena *arena, const json_t *object, const char *key)
{
    return arena_copy_string(arena, text_or_empty(json_string_value(json_object_get(object, key))));
}

static bool has_text(const json_t *object, const char *key)
{
    return !text_is_empty(json_string_value(json_object_get(object, key)));
}

static bool text_is(const json_t *object, const char *key, const char *text)
{
    return text_equal(json_string_value(json_object_get(object, key)), text);
}

static uint32_t size_of(const json_t *list)
{
    size_t size = json_array_size(list);
    return (uint32_t)(size < LIST_MAX ? size : LIST_MAX);
}

static struct string_list read_groups(struct arena *arena, const json_t *groups)
{
    struct string_list list = {arena_allocate_array(arena, size_of(groups) + 1, sizeof(char *)), 0};
    for (uint32_t i = 0; i < size_of(groups); i++) {
        const json_t *group = json_array_get(groups, i);
        if (has_text(group, "GroupId"))
            list.items[list.count++] = copied(arena, group, "GroupId");
    }
    qsort(list.items, list.count, sizeof *list.items, text_compare);
    return list;
}

static struct string_map read_tags(struct arena *arena, const json_t *tags)
{
    struct string_map map = {
        arena_allocate_array(arena, size_of(tags) + 1, sizeof(struct string_pair)), 0};
    for (uint32_t i = 0; i < size_of(tags); i++) {
        const json_t *tag = json_array_get(tags, i);
        if (has_text(tag, "Key"))
            map.items[map.count++] =
                (struct string_pair){copied(arena, tag, "Key"), copied(arena, tag, "Value")};
    }
    qsort(map.items, map.count, sizeof *map.items, string_pair_compare);
    return map;
}

// AWI-265.
static int64_t count_efa(const json_t *interfaces)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < size_of(interfaces); i++) {
        const json_t *interface = json_array_get(interfaces, i);
        count += text_is(interface, "InterfaceType", "efa") ||
                 text_is(interface, "InterfaceType", "efa-only");
    }
    return count;
}

// AWI-401, 402.
static void read_capacity(struct arena *arena, const json_t *instance, bool reserved_capacity,
                          struct aws_instance_facts *facts)
{
    const json_t *specification = json_object_get(instance, "CapacityReservationSpecification");
    facts->capacity_type = CAPACITY_TYPE_ON_DEMAND;
    if (has_text(instance, "SpotInstanceRequestId")) {
        facts->capacity_type = CAPACITY_TYPE_SPOT;
    } else if (reserved_capacity && has_text(instance, "CapacityReservationId") &&
               text_is(specification, "CapacityReservationPreference",
                       "capacity-reservations-only")) {
        facts->capacity_type = CAPACITY_TYPE_RESERVED;
        facts->reservation_id = copied(arena, instance, "CapacityReservationId");
        facts->reservation_type = text_is(instance, "InstanceLifecycle", "capacity-block")
                                      ? RESERVATION_BLOCK
                                      : RESERVATION_DEFAULT;
        facts->reservation_interruptible =
            text_is(instance, "InstanceLifecycle", "interruptible-capacity-reservation");
    }
}

static int64_t read_integer(const json_t *value)
{
    int64_t number = 0;
    if (json_is_integer(value))
        return json_integer_value(value);
    return json_is_string(value) && text_parse_int64(json_string_value(value), &number) ? number
                                                                                        : 0;
}

bool instance_facts_read(struct arena *arena, const json_t *instance, bool reserved_capacity,
                         struct aws_instance_facts *facts)
{
    const json_t *placement = json_object_get(instance, "Placement");
    if (!has_text(instance, "InstanceId"))
        return false;
    *facts = (struct aws_instance_facts){
        .id = copied(arena, instance, "InstanceId"),
        .state = copied(arena, json_object_get(instance, "State"), "Name"),
        .image_id = copied(arena, instance, "ImageId"),
        .instance_type = copied(arena, instance, "InstanceType"),
        .zone = copied(arena, placement, "AvailabilityZone"),
        .zone_id = copied(arena, placement, "AvailabilityZoneId"),
        .group_id = copied(arena, placement, "GroupId"),
        .subnet_id = copied(arena, instance, "SubnetId"),
        .tenancy = has_text(placement, "Tenancy") ? copied(arena, placement, "Tenancy") : "default",
        .security_groups = read_groups(arena, json_object_get(instance, "SecurityGroups")),
        .tags = read_tags(arena, json_object_get(instance, "Tags")),
        .efa_count = count_efa(json_object_get(instance, "NetworkInterfaces")),
        .partition = read_integer(json_object_get(placement, "PartitionNumber")),
    };
    const char *launched = json_string_value(json_object_get(instance, "LaunchTime"));
    if (launched == NULL || !instant_parse(launched, &facts->launched, NULL))
        facts->launched = 0;
    read_capacity(arena, instance, reserved_capacity, facts);
    return true;
}

void instance_facts_copy(struct arena *arena, const struct aws_instance_facts *from,
                         struct aws_instance_facts *to)
{
    *to = *from;
    const char **texts[] = {
        &to->id,      &to->state,     &to->image_id, &to->instance_type,  &to->zone,
        &to->zone_id, &to->subnet_id, &to->tenancy,  &to->reservation_id, &to->group_id};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        *texts[i] = arena_copy_string(arena, *texts[i]);
    to->security_groups.items =
        arena_allocate_array(arena, from->security_groups.count + 1, sizeof(char *));
    for (uint32_t i = 0; i < from->security_groups.count; i++)
        to->security_groups.items[i] = arena_copy_string(arena, from->security_groups.items[i]);
    to->tags.items = arena_allocate_array(arena, from->tags.count + 1, sizeof(struct string_pair));
    for (uint32_t i = 0; i < from->tags.count; i++)
        to->tags.items[i] =
            (struct string_pair){arena_copy_string(arena, from->tags.items[i].key),
                                 arena_copy_string(arena, from->tags.items[i].value)};
}

bool instance_is_ending(const struct aws_instance_facts *facts)
{
    return text_equal(facts->state, "shutting-down") || text_equal(facts->state, "terminated");
}
