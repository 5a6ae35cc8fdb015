#include "cloud/aws/types/ec2_offerings.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/types/type_labels.h"

#define PREFIX            TYPE_LABEL_PREFIX
#define OFFERING_KEYS_MAX 7

struct offering_row { // what an offering requires
    struct offering_place place;
    requirement_list requirements;
};
struct offering_lists {
    struct arena *arena;
    LIST(struct offering_row) on_demand, spot, reserved;
};
struct maker {
    const struct type_terms *terms;
    struct arena *arena;
    bool plain;
};

static void require(const struct maker *maker, requirement_list *list, const char *key,
                    const char *value)
{
    assert(list->count < OFFERING_KEYS_MAX);
    struct selector_requirement *requirement = &list->items[list->count++];
    requirement->key = key;
    requirement->operator= value != NULL ? "In" : "DoesNotExist";
    if (value == NULL)
        return;
    requirement->values.items = arena_allocate(maker->arena, sizeof(char *));
    requirement->values.items[0] = value;
    requirement->values.count = 1;
}

static void reservation_requirements(const struct maker *maker, requirement_list *list,
                                     const struct ec2_capacity_reservation *reservation)
{
    const char *interruptible = reservation == NULL          ? NULL
                                : reservation->interruptible ? "true"
                                                             : "false";
    require(maker, list, PREFIX "capacity-reservation-id",
            reservation != NULL ? reservation->id : NULL);
    require(maker, list, PREFIX "capacity-reservation-type",
            reservation != NULL ? reservation->reservation_type : NULL);
    require(maker, list, PREFIX "capacity-reservation-interruptible", interruptible);
}

static requirement_list requirements_of(const struct maker *maker,
                                        const struct offering_place *place)
{
    requirement_list list = {.items = arena_allocate_array(maker->arena, OFFERING_KEYS_MAX,
                                                           sizeof(struct selector_requirement))};
    require(maker, &list, LABEL_CAPACITY_TYPE, place->capacity_type);
    require(maker, &list, LABEL_ZONE, place->zone_name);
    if (maker->plain)
        return list;
    if (place->zone != UINT32_MAX && (maker->terms->class_zones >> place->zone & 1) != 0 &&
        !text_is_empty(maker->terms->zones[place->zone].id))
        require(maker, &list, "topology.k8s.aws/zone-id", maker->terms->zones[place->zone].id);
    reservation_requirements(maker, &list, place->reservation);
    if (place->partition != NULL)
        require(maker, &list, PREFIX "placement-group-partition", place->partition);
    return list;
}

static uint32_t partitions_of(const struct type_terms *terms)
{
    bool partitioned = terms->group != NULL && text_equal(terms->group->strategy, "partition") &&
                       terms->group->partitions > 0;
    return partitioned ? (uint32_t)terms->group->partitions : 0;
}

// The row, or a copy for each partition (AWI-169).
static uint32_t add_rows(const struct maker *maker, struct offering_row *rows, uint32_t count,
                         struct offering_place place)
{
    uint32_t partitions = partitions_of(maker->terms);
    for (uint32_t i = 0; i < (partitions > 0 ? partitions : 1); i++) {
        place.partition = partitions > 0 ? arena_format(maker->arena, "%u", i + 1) : NULL;
        rows[count++] = (struct offering_row){place, requirements_of(maker, &place)};
    }
    return count;
}

static struct offering_row *rows_for(const struct maker *maker, uint32_t places)
{
    uint32_t partitions = partitions_of(maker->terms);
    return arena_allocate_array(maker->arena, (size_t)places * (partitions + 1) + 1,
                                sizeof(struct offering_row));
}

static uint32_t zone_of(const struct type_terms *terms, const char *name)
{
    for (uint32_t i = 0; i < terms->zones_count; i++)
        if (text_equal(terms->zones[i].name, name))
            return i;
    return UINT32_MAX;
}

static void reserved_rows(const struct maker *maker, struct offering_lists *lists)
{
    const struct ec2_node_class *node_class = maker->terms->node_class;
    lists->reserved.items = rows_for(maker, node_class->status.capacity_reservations.count);
    list_for_each (reservation, &node_class->status.capacity_reservations) {
        if (reservation->id == NULL || reservation->availability_zone == NULL)
            continue;
        struct offering_place place = {
            .zone = zone_of(maker->terms, reservation->availability_zone),
            .zone_name = reservation->availability_zone,
            .capacity_type = CAPACITY_TYPE_RESERVED,
            .reservation = reservation,
        };
        lists->reserved.count =
            add_rows(maker, lists->reserved.items, lists->reserved.count, place);
    }
}

struct offering_lists *offering_lists_create(const struct type_terms *terms, bool reserved,
                                             bool plain, struct arena *arena)
{
    struct maker maker = {terms, arena, plain};
    struct offering_lists *lists = arena_allocate(arena, sizeof *lists);
    lists->arena = arena;
    lists->on_demand.items = rows_for(&maker, terms->zones_count);
    lists->spot.items = rows_for(&maker, terms->zones_count);
    for (uint32_t zone = 0; zone < terms->zones_count; zone++) {
        struct offering_place place = {.zone = zone, .zone_name = terms->zones[zone].name};
        place.capacity_type = CAPACITY_TYPE_ON_DEMAND;
        lists->on_demand.count =
            add_rows(&maker, lists->on_demand.items, lists->on_demand.count, place);
        place.capacity_type = CAPACITY_TYPE_SPOT;
        lists->spot.count = add_rows(&maker, lists->spot.items, lists->spot.count, place);
    }
    if (reserved && terms->node_class != NULL)
        reserved_rows(&maker, lists);
    return lists;
}

struct walk {
    struct instance_type *type;
    uint32_t next;
    offering_visit visit;
    void *context;
};

static void walk_rows(struct walk *walk, const struct offering_row *rows, uint32_t count,
                      const struct instance_info *info)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct offering_row *row = &rows[i];
        if (row->place.reservation != NULL && !reservation_is_of(row->place.reservation, info))
            continue;
        struct offering *offering = &walk->type->offerings.items[walk->next++];
        if (walk->visit != NULL)
            walk->visit(walk->context, offering, &row->place);
        else
            *offering = (struct offering){.requirements = row->requirements};
    }
}

static uint32_t walk_all(const struct offering_lists *lists, const struct instance_info *info,
                         struct walk *walk)
{
    if (info->on_demand)
        walk_rows(walk, lists->on_demand.items, lists->on_demand.count, info);
    if (info->spot)
        walk_rows(walk, lists->spot.items, lists->spot.count, info);
    walk_rows(walk, lists->reserved.items, lists->reserved.count, info);
    return walk->next;
}

void offerings_shape(const struct offering_lists *lists, const struct instance_info *info,
                     struct instance_type *type)
{
    uint32_t most = lists->on_demand.count + lists->spot.count + lists->reserved.count;
    type->offerings.items = arena_allocate_array(lists->arena, most + 1, sizeof(struct offering));
    struct walk walk = {.type = type};
    type->offerings.count = walk_all(lists, info, &walk);
    assert(type->offerings.count <= most);
}

void offerings_visit(const struct offering_lists *lists, const struct instance_info *info,
                     struct instance_type *type, offering_visit visit, void *context)
{
    assert(visit != NULL);
    struct walk walk = {type, 0, visit, context};
    uint32_t visited = walk_all(lists, info, &walk);
    assert(visited == type->offerings.count);
    (void)visited;
}
