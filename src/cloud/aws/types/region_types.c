#include "cloud/aws/types/region_types.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/types/built_in_types.h"
#include "cloud/aws/types/catalogue_pack.h"
#include "cloud/aws/types/region_prices.h"
#include "cloud/aws/types/region_zones.h"
#include "cloud/aws/types/volume_prices.h"
#include "model/reading/catalog.h"
#include "model/reading/settings.h"
#include "model/schema/ec2_node_class.h"
#include "model/tables/kinds.h"

#define REGION_DEFAULT "us-east-1"
#define REGION_LARGE   "us-west-2" // with a price list of the same day as spot prices and zones
#define NEAR_MAX       3
#define FLOOR_PERCENT  12 // of the list price; spot prices below it are at EC2's floor

#define LOCAL_MAX 16 // local zones with a price list of their own

struct offers { // of a region
    struct region_prices *own, *base, *large, *local[LOCAL_MAX];
    uint32_t local_count;
};

static struct offers offers_open(const char *region)
{
    return (struct offers){.own = region_prices_create(region),
                           .base = region_prices_create(REGION_DEFAULT),
                           .large = region_prices_create(REGION_LARGE)};
}

static void offers_close(struct offers *offers)
{
    region_prices_destroy(offers->own);
    region_prices_destroy(offers->base);
    region_prices_destroy(offers->large);
    for (uint32_t i = 0; i < offers->local_count; i++)
        region_prices_destroy(offers->local[i]);
}

// Whether the type came after the day of the lists: no spot price, no zone and no list price of
// that day is known.
static bool is_newer(const struct offers *offers, const char *instance_type)
{
    const struct region_price *known = region_prices_find(offers->base, instance_type);
    const struct region_price *then = region_prices_find(offers->large, instance_type);
    return known != NULL && known->spot == 0 && known->zones == 0 && then->estimate;
}

// NULL: the region does not offer the type.
static const struct region_price *offer_of(const struct offers *offers, const char *instance_type)
{
    const struct region_price *price = region_prices_find(offers->own, instance_type);
    bool offered = price != NULL &&
                   (!price->estimate || !offers->own->listed || is_newer(offers, instance_type));
    return offered ? price : NULL;
}

// The list of a local zone ("us-west-2-lax-1" of us-west-2-lax-1a); NULL: a zone of the region.
static const struct region_prices *local_list(struct offers *offers, const char *zone)
{
    size_t length = strlen(offers->own->region);
    char code[REGION_NAME_MAX];
    if (zone == NULL || !text_starts_with(zone, offers->own->region) || zone[length] != '-' ||
        strlen(zone) >= sizeof code)
        return NULL;
    snprintf(code, sizeof code, "%.*s", (int)strlen(zone) - 1, zone);
    for (uint32_t i = 0; i < offers->local_count; i++)
        if (strcmp(offers->local[i]->region, code) == 0)
            return offers->local[i];
    if (offers->local_count == LOCAL_MAX)
        return NULL;
    return offers->local[offers->local_count++] = region_prices_create(code);
}

// Local zones offer what their own list has.
static void set_price(struct offers *offers, const char *instance_type,
                      const struct region_price *price, struct offering *offering)
{
    const char *capacity = requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
    const struct region_prices *local =
        local_list(offers, requirement_single_value(&offering->requirements, LABEL_ZONE));
    if (local != NULL && local->listed) {
        price = region_prices_find(local, instance_type);
        if (price == NULL || price->estimate) {
            offering->available = false;
            return;
        }
    }
    if (text_equal(capacity, CAPACITY_TYPE_ON_DEMAND))
        offering->price = price->on_demand;
    if (!text_equal(capacity, CAPACITY_TYPE_SPOT))
        return;
    offering->price =
        price->spot > 0 ? price->spot : (int64_t)((double)price->on_demand * EC2_SPOT_SHARE);
    offering->interruptions = price->interruptions;
}

const struct instance_type_catalog *region_types_only(const struct instance_type_catalog *whole,
                                                      const char *region)
{
    assert(whole != NULL && region != NULL);
    struct offers offers = offers_open(region);
    struct instance_type_catalog *made = catalogue_clone(whole);
    uint32_t kept = 0;
    list_for_each (type, &made->spec.instance_types) {
        const struct region_price *price = offer_of(&offers, type->name);
        if (price == NULL)
            continue;
        list_for_each (offering, &type->offerings)
            set_price(&offers, type->name, price, offering);
        made->spec.instance_types.items[kept++] = *type;
    }
    made->spec.instance_types.count = kept;
    offers_close(&offers);
    object_release((const struct object *)whole);
    return made;
}

// --- the provider's row --------------------------------------------------------------------------

static const struct instance_type_catalog *catalog(const char *region, const char *const *zones,
                                                   const struct settings *settings,
                                                   struct error *error)
{
    struct region_prices *prices = region_prices_create(region);
    const struct ec2_catalog_options options = {
        .region = region,
        .zones = zones,
        .memory_overhead_fraction = settings != NULL ? settings->vm_memory_overhead_percent : -1,
        .reserved_enis = settings != NULL ? settings->reserved_enis : 0,
        .prices = prices,
    };
    const struct instance_type_catalog *made = ec2_catalog_create(&options, error);
    region_prices_destroy(prices);
    return made != NULL && zones != NULL ? region_types_only(made, region) : made;
}

static bool of_zone(const char *zone, char region[PROVIDER_REGION_MAX])
{
    static_assert(PROVIDER_REGION_MAX == REGION_NAME_MAX, "both name regions");
    return zone_region(zone, region) && region_is_known(region);
}

static const char *const *zones_of_class(struct arena *arena, const struct object *node_class)
{
    const struct ec2_node_class *own = (const struct ec2_node_class *)node_class;
    uint32_t most = node_class->kind->id == KIND_EC2_NODE_CLASS ? own->status.subnets.count : 0;
    const char **zones = arena_allocate_array(arena, most + 1, sizeof *zones);
    for (uint32_t i = 0, count = 0; i < most; i++)
        if (own->status.subnets.items[i].zone != NULL)
            zones[count++] = arena_copy_string(arena, own->status.subnets.items[i].zone);
    return zones;
}

static void add_near(const char *region, struct text *text)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const char *const *names = region_names(arena);
    const char *near[NEAR_MAX];
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    size_t found = text_nearest(region, names, count, near, NEAR_MAX);
    for (size_t i = 0; i < found; i++)
        text_format(text, "%s%s%s", i == 0 ? "did you mean " : " or ", near[i],
                    i + 1 == found ? "?" : "");
}

// At EC2's floor, a tenth of the list price, are new families in their first weeks and machines
// that nobody wants: such a figure of the past says little about the price today.
static bool spot_price_counts(const struct region_price *price)
{
    return price->spot / FLOOR_PERCENT > price->on_demand / 100;
}

static const char *const *estimated(struct arena *arena, const char *region, bool spot)
{
    struct region_prices *own = region_prices_create(region);
    uint32_t count = 0;
    const char **names = arena_allocate_array(arena, own->count + 1, sizeof *names);
    for (uint32_t i = 0; i < own->count; i++)
        if (own->prices[i].estimate || (spot && !spot_price_counts(&own->prices[i])))
            names[count++] = arena_copy_string(arena, own->prices[i].instance_type);
    region_prices_destroy(own);
    return names;
}

static void describe(const char *region, uint32_t estimates, struct text *text)
{
    struct region_prices *prices = region_prices_create(region);
    const char *in = strcmp(prices->currency, "USD") == 0 ? "" : " in CNY";
    if (!prices->listed)
        text_format(text, "of EC2, built in (no prices of %s are known%s)", region, in);
    else
        text_format(text, "of EC2, built in (list prices of %s%s; spot prices %s)", region, in,
                    prices->zones_count > 0 ? "of 2025-05-28, 40 % of the list price where unknown"
                                            : "are estimates: 40 % of the list price");
    if (estimates > 0)
        text_format(text, "\n%" PRIu32 " of them are not in the list of %s: their prices are %s",
                    estimates, region, "estimates by those of their families elsewhere");
    if (prices->listed && !volume_prices_are_listed(region))
        text_format(text, "\nvolumes: EBS prices are estimates by %s's prices of instance types",
                    region);
    // Tables write every price so; what settings and built-in facts add is in USD.
    if (strcmp(prices->currency, "USD") != 0)
        text_format(text,
                    "\n$ stands for %s; ADDRESS_COST, INTERRUPTION_COST and burst credits are "
                    "added as they are set, and are USD by default",
                    prices->currency);
    region_prices_destroy(prices);
}

static const char *const environment[] = {"AWS_REGION", "AWS_DEFAULT_REGION", NULL};

const struct provider_regions ec2_regions = {
    .fallback = REGION_DEFAULT,
    .environment = environment,
    .of_zone = of_zone,
    .is_known = region_is_known,
    .add_near = add_near,
    .zones = region_zone_names,
    .zones_of_class = zones_of_class,
    .catalog = catalog,
    .estimated = estimated,
    .describe = describe,
};
