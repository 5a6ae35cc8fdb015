#include "cloud/aws/types/ec2_prices.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cloud/aws/types/ec2_prices_internal.h"
#include "cloud/aws/types/region_prices.h"
#include "cloud/aws/types/type_facts.h"

#define SPOT_LIFETIME   (6 * HOUR)  // AWI-915
#define LOG_ONCE        (24 * HOUR) // AWI-205
#define PRICES_MAX      1000000
#define ZONE_TABLES_MAX 32 // of local zones

struct price_update {
    struct ec2_prices *prices;
    ec2_prices_done done;
    void *context;
    uint32_t side; // of updates[]
    struct aws_call *calls[2];
    uint32_t pending;
    struct price_records records[2];
    int64_t asked_at;
    bool cancelled; // its prices are gone, or a newer update runs
    struct error error;
};

static void fill_built_in(struct ec2_prices *prices);

struct ec2_prices *ec2_prices_create(const struct ec2_prices_options *options)
{
    assert(options->loop != NULL && options->region != NULL);
    struct ec2_prices *prices = memory_allocate(sizeof *prices);
    prices->options = *options;
    prices->region = memory_copy_string(options->region);
    prices->on_demand = map_create();
    prices->spot = map_create();
    prices->zones = map_create();
    prices->generation = 1;
    fill_built_in(prices);
    return prices;
}

void ec2_prices_set_on_demand(struct ec2_prices *prices, const char *instance_type, int64_t price,
                              bool answered, bool *any)
{
    if (price <= 0 || map_count(prices->on_demand) >= PRICES_MAX)
        return;
    struct on_demand_price *known = map_ensure(prices->on_demand, instance_type, sizeof *known);
    *any = *any || known->price != price;
    *known = (struct on_demand_price){price, answered};
}

// AWI-201: the table of the region, or us-east-1's.
static void fill_upstream(struct ec2_prices *prices)
{
    struct error error = {0};
    json_t *table = type_prices_load(&error), *price;
    assert(table != NULL); // built in
    const json_t *regions = json_object_get(table, "regions");
    const json_t *region = json_object_get(regions, prices->region);
    prices->listed = region != NULL;
    if (region == NULL)
        region = json_object_get(regions, "us-east-1");
    const char *name;
    bool any = false;
    json_object_foreach ((json_t *)region, name, price)
        ec2_prices_set_on_demand(prices, name, price_from_double(json_number_value(price)), false,
                                 &any);
    json_decref(table);
}

// AWI-916: the region's own list, and estimates of what it lacks.
static void fill_built_in(struct ec2_prices *prices)
{
    if (prices->options.upstream) {
        fill_upstream(prices);
        return;
    }
    struct region_prices *table = region_prices_create(prices->region);
    bool any = false;
    prices->listed = table->listed;
    for (uint32_t i = 0; i < table->count; i++)
        ec2_prices_set_on_demand(prices, table->prices[i].instance_type, table->prices[i].on_demand,
                                 false, &any);
    prices->built_in = table;
}

bool ec2_prices_listed(const struct ec2_prices *prices)
{
    return prices->listed;
}

// --- updates -------------------------------------------------------------------------------------

static void update_destroy(struct price_update *update)
{
    if (update == NULL)
        return;
    for (int i = 0; i < 2; i++) {
        if (update->calls[i] != NULL)
            aws_call_cancel(update->calls[i]);
        price_records_free(&update->records[i]);
    }
    free(update);
}

static void destroy_table(void *value)
{
    region_prices_destroy(value);
}

void ec2_prices_destroy(struct ec2_prices *prices)
{
    if (prices == NULL)
        return;
    for (int i = 0; i < 2; i++) {
        if (prices->updates[i] != NULL && prices->updates[i]->pending == 0) {
            prices->updates[i]->cancelled = true; // its post is still to come and frees it
            prices->updates[i] = NULL;
        }
        update_destroy(prices->updates[i]);
    }
    map_destroy(prices->on_demand, free);
    map_destroy(prices->spot, free);
    region_prices_destroy(prices->built_in);
    map_destroy(prices->zones, destroy_table);
    free(prices->region);
    free(prices);
}

static struct price_update *update_create(struct ec2_prices *prices, uint32_t side,
                                          ec2_prices_done done, void *context)
{
    assert(done != NULL);
    struct price_update *update = memory_allocate(sizeof *update);
    update->prices = prices;
    update->done = done;
    update->context = context;
    update->side = side;
    update->asked_at = loop_now_ns(prices->options.loop);
    return update;
}

static void update_end(struct price_update *update)
{
    struct ec2_prices *prices = update->prices;
    prices->updates[update->side] = NULL;
    ec2_prices_done done = update->done;
    void *context = update->context;
    struct error error = update->error;
    update_destroy(update);
    done(context, &error);
}

void ec2_prices_changed(struct ec2_prices *prices)
{
    prices->generation++;
    if (prices->options.changed != NULL)
        prices->options.changed(prices->options.context);
}

static void end_at_once(void *context)
{
    struct price_update *update = context;
    if (update->cancelled)
        update_destroy(update);
    else
        update_end(update);
}

// For an update that asks nothing: its end is posted, never before the caller has returned.
static void post_end(struct price_update *update)
{
    update->prices->updates[update->side] = update;
    loop_post(update->prices->options.loop, end_at_once, update);
}

static bool start_update(struct ec2_prices *prices, uint32_t side, struct price_update **update,
                         ec2_prices_done done, void *context)
{
    *update = update_create(prices, side, done, context);
    if (prices->updates[side] == NULL)
        return true;
    error_set(&(*update)->error, ERROR_CONFLICT, "updating pricing, an update is under way");
    return false;
}

static void refused(void *context)
{
    struct price_update *update = context;
    update->done(update->context, &update->error);
    update_destroy(update);
}

static bool read_page_0(void *context, const json_t *reply)
{
    struct price_update *update = context;
    price_records_read_products(&update->records[0], reply, update->prices->region);
    return true;
}

static bool read_page_1(void *context, const json_t *reply)
{
    struct price_update *update = context;
    price_records_read_products(&update->records[1], reply, update->prices->region);
    return true;
}

static bool read_page_spot(void *context, const json_t *reply)
{
    struct price_update *update = context;
    price_records_read_spot(&update->records[0], reply);
    return true;
}

// --- on demand (AWI-202 to 205) ------------------------------------------------------------------

static void products_take(struct price_update *update, bool *any)
{
    for (int i = 0; i < 2; i++) // bare metal over the others
        vector_for_each (record, &update->records[i])
            ec2_prices_set_on_demand(update->prices, record->instance_type, record->price, true,
                                     any);
    update->prices->on_demand_answered = true;
}

static void products_end(struct price_update *update)
{
    struct ec2_prices *prices = update->prices;
    bool any = false;
    if (update->error.kind != ERROR_NONE)
        error_prefix(&update->error, "retreiving on-demand pricing data");
    else if (update->records[0].count == 0 || update->records[1].count == 0)
        error_set(&update->error, ERROR_UNAVAILABLE, "no on-demand pricing found");
    else
        products_take(update, &any);
    if (any) {
        log_debug("updated on-demand pricing", "i:instance-type-count",
                  (int64_t)map_count(prices->on_demand));
        ec2_prices_changed(prices);
    }
    update_end(update);
}

static void product_done(struct price_update *update, uint32_t call,
                         const struct aws_result *result)
{
    assert(update->pending > 0);
    update->calls[call] = NULL;
    if (result->error.kind != ERROR_NONE && update->error.kind == ERROR_NONE)
        update->error = result->error;
    if (--update->pending == 0)
        products_end(update);
}

static void product_done_0(void *context, const struct aws_result *result)
{
    product_done(context, 0, result);
}

static void product_done_1(void *context, const struct aws_result *result)
{
    product_done(context, 1, result);
}

// AWI-205. Logged once a day.
static bool skips_on_demand(struct ec2_prices *prices)
{
    bool gov = text_starts_with(prices->region, "us-gov");
    if (!prices->options.isolated_vpc && !gov)
        return false;
    int64_t now = loop_now_ns(prices->options.loop);
    if (prices->skip_logged_at == 0 || ns_subtract(now, prices->skip_logged_at) >= LOG_ONCE) {
        prices->skip_logged_at = now;
        log_debug(prices->options.isolated_vpc
                      ? "running in an isolated VPC, on-demand pricing information will not be "
                        "updated"
                      : "pricing APIs aren't available in AWS GovCloud regions, on-demand pricing "
                        "information will not be updated");
    }
    return true;
}

void ec2_prices_update_on_demand(struct ec2_prices *prices, struct aws_client *client,
                                 ec2_prices_done done, void *context)
{
    struct price_update *update;
    if (!start_update(prices, 0, &update, done, context)) {
        loop_post(prices->options.loop, refused, update);
        return;
    }
    if (skips_on_demand(prices)) {
        post_end(update);
        return;
    }
    prices->updates[0] = update;
    update->pending = 2;
    for (uint32_t i = 0; i < 2; i++)
        update->calls[i] = aws_client_start(
            client, &(struct aws_request){
                        .action = PRICING_GET_PRODUCTS,
                        .parameters = price_products_request(prices->region, i == 1),
                        .all_pages = true,
                        .page = i == 0 ? read_page_0 : read_page_1,
                        .done = i == 0 ? product_done_0 : product_done_1,
                        .context = update,
                    });
}

// --- spot (AWI-206, 207, 915) --------------------------------------------------------------------

void ec2_prices_set_spot(struct ec2_prices *prices, const struct price_record *record, int64_t now,
                         bool *any)
{
    char key[PRICE_KEY_MAX];
    snprintf(key, sizeof key, "%s %s", record->instance_type, record->zone);
    if (map_count(prices->spot) >= PRICES_MAX && map_get(prices->spot, key) == NULL)
        return;
    struct spot_price *known = map_ensure(prices->spot, key, sizeof *known);
    bool newer =
        prices->options.upstream || known->price == 0 || record->timestamp >= known->timestamp;
    known->mentioned_at = now;
    if (!newer)
        return;
    *any = *any || known->price != record->price;
    known->price = record->price;
    known->timestamp = record->timestamp;
}

// AWI-915: a pool that EC2 does not mention any more has no price.
static void expire_spot(struct ec2_prices *prices, int64_t now, bool *any)
{
    for (struct map_entry *entry = map_first(prices->spot), *next; entry != NULL; entry = next) {
        next = map_next(entry);
        const struct spot_price *price = map_value(entry);
        if (ns_subtract(now, price->mentioned_at) <= SPOT_LIFETIME)
            continue;
        free(map_remove(prices->spot, map_key(entry)));
        *any = true;
    }
}

static void spot_end(struct price_update *update)
{
    struct ec2_prices *prices = update->prices;
    bool any = !prices->spot_updated;
    vector_for_each (record, &update->records[0])
        ec2_prices_set_spot(prices, record, update->asked_at, &any);
    if (!prices->options.upstream)
        expire_spot(prices, update->asked_at, &any);
    prices->spot_updated = prices->spot_answered = true;
    prices->spot_asked_at = update->asked_at;
    if (!any)
        return;
    log_debug("updated spot pricing with instance types and offerings", "i:offering-count",
              (int64_t)map_count(prices->spot));
    ec2_prices_changed(prices);
}

static void spot_done(void *context, const struct aws_result *result)
{
    struct price_update *update = context;
    update->calls[0] = NULL;
    update->pending = 0;
    if (result->error.kind != ERROR_NONE) {
        update->error = result->error;
        error_prefix(&update->error, "retrieving spot pricing data");
    } else if (update->records[0].count == 0) {
        error_set(&update->error, ERROR_UNAVAILABLE, "no spot pricing found");
    } else {
        spot_end(update);
    }
    update_end(update);
}

void ec2_prices_update_spot(struct ec2_prices *prices, struct aws_client *client,
                            ec2_prices_done done, void *context)
{
    struct price_update *update;
    if (!start_update(prices, 1, &update, done, context)) {
        loop_post(prices->options.loop, refused, update);
        return;
    }
    // The answer begins with the price in force at that time.
    bool since_last = !prices->options.upstream && prices->spot_asked_at > 0;
    char start[INSTANT_TEXT_MAX];
    instant_format(since_last ? prices->spot_asked_at : update->asked_at, start);
    prices->updates[1] = update;
    update->pending = 1;
    update->calls[0] = aws_client_start(
        client, &(struct aws_request){
                    .action = EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                    .parameters = json_pack("{s:[s, s], s:s, s:i}", "ProductDescriptions",
                                            "Linux/UNIX", "Linux/UNIX (Amazon VPC)", "StartTime",
                                            start, "MaxResults", 2000),
                    .all_pages = true,
                    .page = read_page_spot,
                    .done = spot_done,
                    .context = update,
                });
}

// --- reading -------------------------------------------------------------------------------------

bool ec2_price_on_demand(const struct ec2_prices *prices, const char *instance_type, int64_t *price)
{
    const struct on_demand_price *known = map_get(prices->on_demand, instance_type);
    *price = own_price_of(prices->options.own, instance_type, known != NULL ? known->price : 0);
    return *price > 0;
}

// The price list's code of a local zone ("us-west-2-lax-1" of us-west-2-lax-1a) or wavelength zone
// ("us-east-1-wl1-atl1" of us-east-1-wl1-atl-wlz-1). False: it is a zone of the region itself.
static bool zone_code(const struct ec2_prices *prices, const char *zone, char code[PRICE_NAME_MAX])
{
    size_t length = strlen(prices->region);
    if (strncmp(zone, prices->region, length) != 0 || zone[length] != '-' ||
        strlen(zone) >= PRICE_NAME_MAX)
        return false;
    const char *wavelength = strstr(zone, "-wlz-");
    if (wavelength != NULL)
        snprintf(code, PRICE_NAME_MAX, "%.*s%s", (int)(wavelength - zone), zone, wavelength + 5);
    else
        snprintf(code, PRICE_NAME_MAX, "%.*s", (int)strlen(zone) - 1, zone);
    return true;
}

static const struct region_prices *zone_table(const struct ec2_prices *prices, const char *code)
{
    struct region_prices *table = map_get(prices->zones, code);
    if (table != NULL || map_count(prices->zones) >= ZONE_TABLES_MAX)
        return table;
    table = region_prices_create(code);
    map_set(prices->zones, code, table);
    return table;
}

bool ec2_price_on_demand_in(const struct ec2_prices *prices, const char *instance_type,
                            const char *zone, int64_t *price)
{
    char code[PRICE_NAME_MAX];
    if (prices->options.upstream || !zone_code(prices, zone, code))
        return ec2_price_on_demand(prices, instance_type, price);
    const struct region_prices *table = zone_table(prices, code);
    const struct region_price *known =
        table != NULL && table->listed ? region_prices_find(table, instance_type) : NULL;
    if (known == NULL)
        return ec2_price_on_demand(prices, instance_type, price);
    *price = own_price_of(prices->options.own, instance_type, known->on_demand);
    return true;
}

bool ec2_price_spot(const struct ec2_prices *prices, const char *instance_type, const char *zone,
                    int64_t *price)
{
    if (!prices->spot_updated)
        return ec2_price_on_demand_in(prices, instance_type, zone, price);
    char key[PRICE_KEY_MAX];
    snprintf(key, sizeof key, "%s %s", instance_type, zone);
    const struct spot_price *known = map_get(prices->spot, key);
    *price = known != NULL ? known->price : 0;
    return known != NULL;
}

int64_t ec2_price_interruptions(const struct ec2_prices *prices, const char *instance_type)
{
    const struct region_price *known =
        prices->built_in != NULL ? region_prices_find(prices->built_in, instance_type) : NULL;
    return known != NULL ? known->interruptions : 0;
}

uint64_t ec2_prices_generation(const struct ec2_prices *prices)
{
    return prices->generation;
}
