#include "cloud/aws/types/kept_prices.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cloud/aws/types/ec2_prices_internal.h"

#define PRICE_MAX_USD 100000

json_t *kept_prices_encode(const struct ec2_prices *prices, bool answered)
{
    json_t *on_demand = json_object(), *spot = json_object();
    for (struct map_entry *entry = map_first(prices->on_demand); entry != NULL;
         entry = map_next(entry)) {
        const struct on_demand_price *price = map_value(entry);
        if (price->answered || !answered)
            json_object_set_new(on_demand, map_key(entry),
                                json_real(price_to_double(price->price)));
    }
    for (struct map_entry *entry = map_first(prices->spot); entry != NULL;
         entry = map_next(entry)) {
        char type[PRICE_KEY_MAX];
        snprintf(type, sizeof type, "%s", map_key(entry));
        char *zone = strchr(type, ' ');
        assert(zone != NULL);
        *zone++ = '\0';
        json_t *zones = json_object_get(spot, type);
        if (zones == NULL)
            json_object_set_new(spot, type, zones = json_object());
        const struct spot_price *price = map_value(entry);
        json_object_set_new(zones, zone, json_real(price_to_double(price->price)));
    }
    return json_pack("{s:s, s:o, s:o}", "region", prices->region, "onDemand", on_demand, "spot",
                     spot);
}

static int64_t price_of(const char *name, const json_t *value)
{
    double price = json_number_value(value);
    return strlen(name) < PRICE_NAME_MAX && price > 0 && price <= PRICE_MAX_USD
               ? price_from_double(price)
               : 0;
}

static uint32_t decode_zones(struct ec2_prices *prices, const char *type, json_t *zones, bool *any)
{
    uint32_t skipped = 0;
    int64_t now = loop_now_ns(prices->options.loop);
    const char *zone;
    json_t *price;
    json_object_foreach (zones, zone, price) {
        struct price_record record = {.price = price_of(zone, price)};
        if (record.price <= 0) {
            skipped++;
            continue;
        }
        snprintf(record.instance_type, sizeof record.instance_type, "%s", type);
        snprintf(record.zone, sizeof record.zone, "%s", zone);
        ec2_prices_set_spot(prices, &record, now, any);
        prices->spot_updated = true;
    }
    return skipped;
}

static uint32_t decode_on_demand(struct ec2_prices *prices, const json_t *value, bool *any)
{
    uint32_t skipped = 0;
    const char *type;
    json_t *item;
    json_object_foreach (json_object_get(value, "onDemand"), type, item) {
        int64_t price = price_of(type, item);
        skipped += price <= 0;
        ec2_prices_set_on_demand(prices, type, price, true, any);
    }
    return skipped;
}

static uint32_t decode_spot(struct ec2_prices *prices, const json_t *value, bool *any)
{
    uint32_t skipped = 0;
    const char *type;
    json_t *item;
    json_object_foreach (json_object_get(value, "spot"), type, item)
        if (strlen(type) < PRICE_NAME_MAX)
            skipped += decode_zones(prices, type, item, any);
        else
            skipped++;
    return skipped;
}

static uint32_t decode(struct ec2_prices *prices, const json_t *value, bool on_demand, bool spot)
{
    bool any = false;
    uint32_t skipped = on_demand ? decode_on_demand(prices, value, &any) : 0;
    skipped += spot ? decode_spot(prices, value, &any) : 0;
    if (any)
        ec2_prices_changed(prices);
    return skipped;
}

uint32_t kept_prices_decode(struct ec2_prices *prices, const json_t *value)
{
    return decode(prices, value, true, true);
}

uint32_t kept_prices_recall(struct ec2_prices *prices, const json_t *value)
{
    if (!text_equal(json_string_value(json_object_get(value, "region")), prices->region))
        return 0;
    return decode(prices, value, !prices->on_demand_answered, !prices->spot_answered);
}
