#include "cloud/aws/types/volume_prices.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cloud/aws/families/ami_family.h"
#include "cloud/aws/types/region_prices.h"

#define GIB           (INT64_C(1) << 30)
#define HOURS_A_MONTH 730.0
#define BASE_REGION   "us-east-1"
#define BASE_GP3      0.08 // USD per GB and month in us-east-1
#define SAMPLE_TYPE   "m5.large"
#define VOLUME_MAX    (INT64_C(1) << 46) // bytes; EBS ends at 64 TiB

// --- regions -------------------------------------------------------------------------------------

static const struct region_rate {
    const char *region;
    double gp3; // USD per GB and month
} rates[] = {
    {"us-east-1", 0.08},       {"us-east-2", 0.08},        {"us-west-2", 0.08},
    {"us-west-1", 0.096},      {"ca-central-1", 0.088},    {"sa-east-1", 0.152},
    {"eu-west-1", 0.088},      {"eu-west-2", 0.0928},      {"eu-west-3", 0.0928},
    {"eu-central-1", 0.0952},  {"eu-north-1", 0.0836},     {"eu-south-1", 0.0924},
    {"ap-south-1", 0.0912},    {"ap-southeast-1", 0.096},  {"ap-southeast-2", 0.096},
    {"ap-northeast-1", 0.096}, {"ap-northeast-2", 0.0912}, {"ap-northeast-3", 0.096},
    {"ap-east-1", 0.1056},     {"me-south-1", 0.0968},     {"af-south-1", 0.1047},
};

static double sample_price(const char *region)
{
    struct region_prices *prices = region_prices_create(region);
    const struct region_price *known = region_prices_find(prices, SAMPLE_TYPE);
    double price = known != NULL ? price_to_double(known->on_demand) : 0;
    region_prices_destroy(prices);
    return price;
}

// Of the region's prices to those of us-east-1.
static const struct region_rate *rate_of(const char *region)
{
    for (size_t i = 0; i < ARRAY_LENGTH(rates); i++)
        if (text_equal(region, rates[i].region))
            return &rates[i];
    return NULL;
}

bool volume_prices_are_listed(const char *region)
{
    return rate_of(region) != NULL;
}

static double region_factor(const char *region)
{
    const struct region_rate *rate = rate_of(region);
    if (rate != NULL)
        return rate->gp3 / BASE_GP3;
    double here = sample_price(region), base = sample_price(BASE_REGION);
    return here > 0 && base > 0 ? here / base : 1;
}

// --- volumes -------------------------------------------------------------------------------------

// In us-east-1, USD a month: per GB, per IOPS and per MB/s beyond what is free.
static const struct volume_rate {
    const char *type;
    double gigabyte, iops, throughput;
    int64_t free_iops, free_throughput;
} kinds[] = {
    {"gp3", BASE_GP3, 0.005, 0.04, 3000, 125},
    {"gp2", 0.1, 0, 0, 0, 0},
    {"io1", 0.125, 0.065, 0, 0, 0},
    {"io2", 0.125, 0.065, 0, 0, 0},
    {"st1", 0.045, 0, 0, 0, 0},
    {"sc1", 0.015, 0, 0, 0, 0},
    {"standard", 0.05, 0, 0, 0, 0},
};

// EC2's default kind is gp2; Karpenter's families ask for gp3.
static const struct volume_rate *kind_of(const char *type)
{
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (text_equal(type, kinds[i].type))
            return &kinds[i];
    return text_is_empty(type) ? &kinds[1] : &kinds[0];
}

static double beyond(struct optional_int given, int64_t free_amount)
{
    return given.present && given.value > free_amount ? (double)(given.value - free_amount) : 0;
}

static double monthly(const struct volume_rate *rate, int64_t bytes, struct optional_int iops,
                      struct optional_int throughput)
{
    if (bytes > VOLUME_MAX)
        bytes = VOLUME_MAX;
    double gigabytes = (double)((bytes + GIB - 1) / GIB);
    return gigabytes * rate->gigabyte + beyond(iops, rate->free_iops) * rate->iops +
           beyond(throughput, rate->free_throughput) * rate->throughput;
}

static int64_t default_bytes(const struct ami_family_facts *family)
{
    int64_t most = 20 * GIB;
    for (size_t i = 0; i < ARRAY_LENGTH(family->devices); i++)
        if (family->devices[i].name != NULL && family->devices[i].size_bytes > most)
            most = family->devices[i].size_bytes;
    return most;
}

static int64_t volume_bytes(const struct ec2_block_device *ebs,
                            const struct ami_family_facts *family)
{
    int64_t bytes;
    bool sized = ebs->volume_size != NULL &&
                 quantity_parse_scaled(ebs->volume_size, 0, &bytes, NULL) && bytes > 0;
    return sized ? bytes : default_bytes(family);
}

// Of the family's default devices, USD a month in us-east-1.
static double default_devices(const struct ami_family_facts *family)
{
    const struct optional_int none = {0};
    double month = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(family->devices); i++)
        if (family->devices[i].name != NULL)
            month += monthly(&kinds[0], family->devices[i].size_bytes, none, none);
    return month;
}

int64_t volume_prices_usual(const char *region)
{
    double month = default_devices(ami_family_facts(AMI_FAMILY_AL2023));
    return price_from_double(month * region_factor(region) / HOURS_A_MONTH);
}

int64_t volume_prices_of(const struct ec2_node_class *node_class, const char *region)
{
    assert(node_class != NULL && region != NULL);
    const struct ami_family_facts *family = ami_family_facts(ami_family_of(node_class));
    double month = node_class->spec.block_device_mappings.count == 0 ? default_devices(family) : 0;
    list_for_each (mapping, &node_class->spec.block_device_mappings)
        if (mapping->ebs != NULL)
            month += monthly(kind_of(mapping->ebs->volume_type), volume_bytes(mapping->ebs, family),
                             mapping->ebs->iops, mapping->ebs->throughput);
    return price_from_double(month * region_factor(region) / HOURS_A_MONTH);
}
