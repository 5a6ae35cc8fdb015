// Prices as AWS's answers tell them: products of the price list (AWI-203), spot price history
// (AWI-206).
#pragma once

#include <jansson.h>

#include "base/vector.h"

#define PRICE_NAME_MAX 64

struct price_record {
    char instance_type[PRICE_NAME_MAX], zone[PRICE_NAME_MAX]; // zone: spot only
    int64_t price;                                            // nano-USD an hour, > 0
    int64_t timestamp;                                        // instant; spot only
};
struct price_records {
    struct price_record *items;
    uint32_t count, capacity;
};
void price_records_free(struct price_records *records);
// A page of pricing:GetProducts; its items are JSON texts. Items that cannot be read are skipped.
void price_records_read_products(struct price_records *records, const json_t *reply,
                                 const char *region);
// The request for these products (AWI-202).
json_t *price_products_request(const char *region, bool bare_metal);
// A page of ec2:DescribeSpotPriceHistory.
void price_records_read_spot(struct price_records *records, const json_t *reply);
