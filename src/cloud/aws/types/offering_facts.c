#include "cloud/aws/types/offering_facts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define RESERVED_DIVISOR 10000000 // AWI-176

struct reserved_price {
    int64_t on_demand;
    struct offering *offering;
};
struct offering_facts {
    const struct resolving *resolving;
    const struct type_terms *terms;
    uint64_t shifted, without_subnets; // zones
    bool short_on_demand, short_spot;  // the capacity type as a whole
    const struct offering_type *of;
    bool price_missing;
    struct reserved_price *reserved; // in the arena
    uint32_t reserved_count, reserved_most;
};

uint64_t shifted_zones(const struct resolving *resolving, const struct type_terms *terms)
{
    const struct ec2_types_options *options = resolving->options;
    uint64_t mask = 0;
    for (uint32_t i = 0; options->zone_is_shifted != NULL && i < terms->zones_count; i++)
        if (!text_is_empty(terms->zones[i].id) &&
            options->zone_is_shifted(options->context, terms->zones[i].id))
            mask |= UINT64_C(1) << i;
    return mask;
}

// Zones whose subnets are all remembered as unavailable (AWI-180).
static uint64_t exhausted_zones(const struct resolving *resolving, const struct type_terms *terms)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < terms->zones_count; i++) {
        uint32_t subnets = 0, exhausted = 0;
        list_for_each (subnet, &terms->node_class->status.subnets) {
            if (!text_equal(subnet->zone, terms->zones[i].name) || subnet->id == NULL)
                continue;
            subnets++;
            exhausted += unavailable_has_subnet(resolving->options->unavailable, subnet->id);
        }
        if (subnets > 0 && exhausted == subnets)
            mask |= UINT64_C(1) << i;
    }
    return mask;
}

struct offering_facts *offering_facts_create(const struct resolving *resolving,
                                             const struct type_terms *terms, struct arena *arena)
{
    assert(terms->node_class != NULL);
    const struct unavailable_offerings *unavailable = resolving->options->unavailable;
    struct offering_facts *facts = arena_allocate(arena, sizeof *facts);
    facts->resolving = resolving;
    facts->terms = terms;
    facts->shifted = shifted_zones(resolving, terms);
    facts->without_subnets = exhausted_zones(resolving, terms);
    facts->short_on_demand = unavailable_has_capacity_type(unavailable, CAPACITY_TYPE_ON_DEMAND);
    facts->short_spot = unavailable_has_capacity_type(unavailable, CAPACITY_TYPE_SPOT);
    uint32_t partitions = terms->group != NULL ? (uint32_t)terms->group->partitions : 0;
    facts->reserved_most = terms->node_class->status.capacity_reservations.count * (partitions + 1);
    facts->reserved =
        arena_allocate_array(arena, facts->reserved_most + 1, sizeof *facts->reserved);
    return facts;
}

// AWI-164: unscoped, in the group, and (AWI-904) in the partition.
static bool pool_is_short(const struct offering_facts *facts, const struct offering_place *place)
{
    const struct unavailable_offerings *unavailable = facts->resolving->options->unavailable;
    struct unavailable_pool pool = {.instance_type = facts->of->info->name,
                                    .zone = place->zone_name,
                                    .capacity_type = place->capacity_type};
    if (unavailable_has_pool(unavailable, &pool))
        return true;
    if (facts->terms->group == NULL)
        return false;
    pool.group_id = facts->terms->group->id;
    if (unavailable_has_pool(unavailable, &pool))
        return true;
    pool.partition = place->partition;
    return facts->terms->better && pool.partition != NULL &&
           unavailable_has_pool(unavailable, &pool);
}

static bool zone_serves(const struct offering_facts *facts, const struct offering_place *place)
{
    if (place->zone == UINT32_MAX)
        return false;
    return (facts->of->zones & ~facts->shifted) >> place->zone & 1;
}

static void fill_reserved(struct offering_facts *facts, struct offering *offering,
                          const struct offering_place *place)
{
    const struct ec2_types_options *options = facts->resolving->options;
    int64_t free_count = reservation_counts_free(options->reservations, place->reservation->id);
    int64_t on_demand;
    offering->reservation_capacity = (struct optional_int){true, free_count};
    offering->available = facts->of->fits && free_count > 0 && zone_serves(facts, place) &&
                          !text_equal(place->reservation->state, "expiring");
    bool known = ec2_price_on_demand(options->prices, facts->of->info->name, &on_demand);
    offering->price = known ? (on_demand + RESERVED_DIVISOR / 2) / RESERVED_DIVISOR : 0;
    if (!known)
        return;
    assert(facts->reserved_count < facts->reserved_most);
    facts->reserved[facts->reserved_count++] = (struct reserved_price){on_demand, offering};
}

static void fill_one(void *context, struct offering *offering, const struct offering_place *place)
{
    struct offering_facts *facts = context;
    const struct ec2_types_options *options = facts->resolving->options;
    if (place->reservation != NULL) {
        fill_reserved(facts, offering, place);
        return;
    }
    bool spot = strcmp(place->capacity_type, CAPACITY_TYPE_SPOT) == 0;
    const char *name = facts->of->info->name;
    bool priced =
        spot ? ec2_price_spot(options->prices, name, place->zone_name, &offering->price)
             : ec2_price_on_demand_in(options->prices, name, place->zone_name, &offering->price);
    offering->interruptions = spot ? ec2_price_interruptions(options->prices, name) : 0;
    if (!priced) {
        offering->price =
            options->overlay_price != NULL ? options->overlay_price(options->context, name) : 0;
        facts->price_missing = true;
        priced = offering->price > 0;
    }
    offering->available = priced && facts->of->fits && zone_serves(facts, place) &&
                          (facts->without_subnets >> place->zone & 1) == 0 &&
                          !(spot ? facts->short_spot : facts->short_on_demand) &&
                          !pool_is_short(facts, place);
}

bool offering_facts_fill(struct offering_facts *facts, const struct offering_lists *lists,
                         const struct offering_type *of, struct instance_type *type)
{
    facts->of = of;
    facts->price_missing = false;
    offerings_visit(lists, of->info, type, fill_one, facts);
    return facts->price_missing;
}

static int compare_reserved(const void *a, const void *b)
{
    const struct reserved_price *left = a, *right = b;
    if (left->on_demand != right->on_demand)
        return left->on_demand < right->on_demand ? -1 : 1;
    return left->offering < right->offering ? -1 : left->offering > right->offering;
}

void offering_facts_rank(struct offering_facts *facts)
{
    qsort(facts->reserved, facts->reserved_count, sizeof *facts->reserved, compare_reserved);
    for (uint32_t i = 1; i < facts->reserved_count; i++) {
        const struct reserved_price *before = &facts->reserved[i - 1], *this = &facts->reserved[i];
        bool dearer = this->on_demand > before->on_demand;
        if (this->offering->price < before->offering->price + dearer)
            this->offering->price = before->offering->price + dearer;
    }
}
