#include "cloud/aws/types/price_records.h"

#include <assert.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "base/text.h"

#define RECORDS_MAX 1000000

void price_records_free(struct price_records *records)
{
    vector_free(records);
}

// False: too long, or absent.
static bool copy_name(char out[PRICE_NAME_MAX], const char *text)
{
    if (text_is_empty(text) || strlen(text) >= PRICE_NAME_MAX)
        return false;
    memcpy(out, text, strlen(text) + 1);
    return true;
}

// The currency's figure of any price dimension; the last that is not 0.
static int64_t terms_price(const json_t *on_demand, const char *currency)
{
    int64_t price = 0;
    const char *key, *other;
    json_t *term, *dimension;
    json_object_foreach ((json_t *)on_demand, key, term)
        json_object_foreach (json_object_get(term, "priceDimensions"), other, dimension) {
            const char *text = json_string_value(
                json_object_get(json_object_get(dimension, "pricePerUnit"), currency));
            int64_t figure;
            if (text != NULL && price_parse(text, &figure, NULL) && figure > 0)
                price = figure;
        }
    return price;
}

static void read_product(struct price_records *records, const json_t *item, const char *currency)
{
    const json_t *attributes = json_object_get(json_object_get(item, "product"), "attributes");
    const json_t *terms = json_object_get(json_object_get(item, "terms"), "OnDemand");
    struct price_record record = {.price = terms_price(terms, currency)};
    const char *name = json_string_value(json_object_get(attributes, "instanceType"));
    if (record.price > 0 && copy_name(record.instance_type, name) && records->count < RECORDS_MAX)
        vector_push(records, record);
}

void price_records_read_products(struct price_records *records, const json_t *reply,
                                 const char *region)
{
    assert(region != NULL);
    const char *currency = text_starts_with(region, "cn-") ? "CNY" : "USD";
    size_t index;
    json_t *text;
    json_array_foreach (json_object_get(reply, "PriceList"), index, text) {
        json_error_t problem;
        json_t *item = json_is_string(text) ? json_loads(json_string_value(text), 0, &problem)
                                            : json_incref(text);
        if (item == NULL)
            log_error("failed unmarshaling pricing data", "s:error", problem.text);
        else
            read_product(records, item, currency);
        json_decref(item);
    }
}

static bool read_timestamp(const json_t *value, int64_t *instant)
{
    if (json_is_number(value)) {
        *instant = ns_from_seconds(json_number_value(value));
        return true;
    }
    return json_is_string(value) && instant_parse(json_string_value(value), instant, NULL);
}

void price_records_read_spot(struct price_records *records, const json_t *reply)
{
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(reply, "SpotPriceHistory"), index, item) {
        struct price_record record = {0};
        const char *price = json_string_value(json_object_get(item, "SpotPrice"));
        const char *type = json_string_value(json_object_get(item, "InstanceType"));
        const char *zone = json_string_value(json_object_get(item, "AvailabilityZone"));
        if (price == NULL || !price_parse(price, &record.price, NULL) || record.price <= 0) {
            log_debug("unable to parse price record", "s:instance-type", type, "s:zone", zone);
            continue;
        }
        if (read_timestamp(json_object_get(item, "Timestamp"), &record.timestamp) &&
            copy_name(record.instance_type, type) && copy_name(record.zone, zone) &&
            records->count < RECORDS_MAX)
            vector_push(records, record);
    }
}

json_t *price_products_request(const char *region, bool bare_metal)
{
    const char *fields[][2] = {
        {"regionCode", region},
        {"serviceCode", "AmazonEC2"},
        {"preInstalledSw", "NA"},
        {"operatingSystem", "Linux"},
        {"capacitystatus", "Used"},
        {"marketoption", "OnDemand"},
        {"tenancy", bare_metal ? "Dedicated" : "Shared"},
        {"productFamily", bare_metal ? "Compute Instance (bare metal)" : "Compute Instance"},
    };
    json_t *filters = json_array();
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
        json_array_append_new(filters, json_pack("{s:s, s:s, s:s}", "Type", "TERM_MATCH", "Field",
                                                 fields[i][0], "Value", fields[i][1]));
    return json_pack("{s:s, s:i, s:o}", "ServiceCode", "AmazonEC2", "MaxResults", 100, "Filters",
                     filters);
}
