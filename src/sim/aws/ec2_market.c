// EC2's market: types, offerings, spot prices.
#include <stdio.h>
#include <string.h>

#include "sim/aws/account_actions.h"
#include "sim/aws/account_filters.h"
#include "sim/aws/account_types.h"

// Filters of DescribeInstanceTypes, and the element that has the value.
static const struct {
    const char *filter, *element;
} type_filters[] = {
    {"supported-virtualization-type", "supportedVirtualizationTypes"},
    {"processor-info.supported-architecture", "supportedArchitectures"},
    {"instance-type", "instanceType"},
    {"bare-metal", "bareMetal"},
    {"current-generation", "currentGeneration"},
    {"hypervisor", "hypervisor"},
    {"supported-usage-class", "supportedUsageClasses"},
};

static bool type_passes(const struct account_type *type, const json_t *filter, const char *element)
{
    size_t i;
    json_t *value;
    json_array_foreach (json_object_get(filter, "Value"), i, value) {
        const char *text = text_or_empty(json_string_value(value));
        if (strcmp(element, "instanceType") == 0 ? account_pattern(text, type->name)
                                                 : account_type_has(type, element, text))
            return true;
    }
    return false;
}

static bool type_is_asked(struct account_call *call, const struct account_type *type)
{
    size_t i, k;
    json_t *filter;
    if (!account_asked(call->params, "InstanceType", type->name))
        return false;
    json_array_foreach (json_object_get(call->params, "Filter"), i, filter) {
        const char *name = json_text(filter, "Name");
        for (k = 0; k < ARRAY_LENGTH(type_filters); k++)
            if (strcmp(type_filters[k].filter, name) == 0)
                break;
        if (k == ARRAY_LENGTH(type_filters)) {
            if (call->code == NULL)
                account_refuse(call, 400, "InvalidParameterValue", "The filter '%s' is invalid",
                               name);
            return false;
        }
        if (!type_passes(type, filter, type_filters[k].element))
            return false;
    }
    return true;
}

void ec2_describe_instance_types(struct account_call *call)
{
    VECTOR(const struct account_type *) asked = {0};
    size_t first = 0, end = 0;
    char *next = NULL;
    vector_for_each (type, &call->account->types)
        if (type_is_asked(call, type))
            vector_push(&asked, type);
    if (call->code == NULL && account_page(call, asked.count, &first, &end, &next)) {
        text_add(&call->raw, "<instanceTypeSet>");
        for (size_t i = first; i < end; i++)
            text_add(&call->raw, asked.items[i]->item);
        text_add(&call->raw, "</instanceTypeSet>");
        if (next != NULL)
            text_format(&call->raw, "<nextToken>%s</nextToken>", next);
        call->count = json_pack("{s:I}", "instanceTypeSet", (json_int_t)(end - first));
    }
    free(next);
    vector_free(&asked);
}

void ec2_describe_instance_type_offerings(struct account_call *call)
{
    static const struct account_filter filters[] = {
        {"instance-type", "instanceType"}, {"location", "location"}, {NULL, NULL}};
    json_t *list = json_array();
    if (strcmp(json_text(call->params, "LocationType"), "availability-zone") == 0)
        vector_for_each (offering, &call->account->offerings)
            json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "instanceType", offering->type,
                                                  "locationType", "availability-zone", "location",
                                                  offering->zone));
    else
        vector_for_each (type, &call->account->types)
            json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "instanceType", type->name,
                                                  "locationType", "region", "location",
                                                  account_region(call->account)));
    account_filters_reply(call, "instanceTypeOfferingSet", list, filters);
}

static void price_add(json_t *list, const struct account_type *type, const char *zone, double price,
                      const char *product, const char *timestamp)
{
    char text[40];
    snprintf(text, sizeof text, "%.6f", price);
    json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:s}", "instanceType", type->name,
                                          "productDescription", product, "spotPrice", text,
                                          "timestamp", timestamp, "availabilityZone", zone));
}

void ec2_describe_spot_price_history(struct account_call *call)
{
    static const char *const products[] = {"Linux/UNIX"};
    static const struct account_filter filters[] = {{"instance-type", "instanceType"},
                                                    {"availability-zone", "availabilityZone"},
                                                    {"product-description", "productDescription"},
                                                    {NULL, NULL}};
    char timestamp[INSTANT_TEXT_MAX];
    const char *one_zone = json_text(call->params, "AvailabilityZone"), *zone;
    json_t *list = json_array(), *price;
    // The price in force since before StartTime is part of the history.
    instant_format_milli(ns_subtract(call->account->start, HOUR), timestamp);
    vector_for_each (type, &call->account->types) {
        if (!account_asked(call->params, "InstanceType", type->name))
            continue;
        json_object_foreach (type->prices, zone, price)
            for (size_t i = 0; i < ARRAY_LENGTH(products); i++)
                if ((one_zone[0] == '\0' || strcmp(one_zone, zone) == 0) &&
                    account_asked(call->params, "ProductDescription", products[i]))
                    price_add(list, type, zone, json_number_value(price), products[i], timestamp);
    }
    account_filters_reply(call, "spotPriceHistorySet", list, filters);
}

void ec2_get_spot_placement_scores(struct account_call *call)
{
    const char *zone;
    json_t *list = json_array(), *id;
    int score = 9;
    json_object_foreach (json_object_get(call->account->environment, "zones"), zone, id)
        json_array_append_new(list, json_pack("{s:s,s:O,s:i}", "region",
                                              account_region(call->account), "availabilityZoneId",
                                              id, "score", score > 1 ? score-- : 1));
    static const struct account_filter filters[] = {{NULL, NULL}};
    account_filters_reply(call, "spotPlacementScoreSet", list, filters);
}
