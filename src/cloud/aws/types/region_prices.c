#include "cloud/aws/types/region_prices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cloud/aws/types/ec2_facts.h"

#define DEPTH_MAX 3 // local zone, region, us-east-1
#define ZONES_MAX 64

// A part of the built-in text.
struct span {
    const char *at, *end;
};
struct reading {
    struct region_prices *prices;
    struct map *types;   // -> struct region_price
    const char *base;    // the region whose prices stand in; NULL: none
    struct map *factors; // family, "*" -> double
    const char *zones[ZONES_MAX];
};

static struct region_prices *create(const char *region, uint32_t depth);

struct region_prices *region_prices_create(const char *region)
{
    assert(region != NULL);
    return create(region, 0);
}

void region_prices_destroy(struct region_prices *prices)
{
    if (prices != NULL)
        arena_destroy(prices->arena);
}

// --- reading the text ----------------------------------------------------------------------------

static bool next_line(struct span *text, struct span *line)
{
    if (text->at == text->end)
        return false;
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    assert(newline != NULL); // built in
    *line = (struct span){text->at, newline};
    text->at = newline + 1;
    return true;
}

// The part before the separator, which is skipped; it may be empty.
static struct span next_part(struct span *line, char separator)
{
    size_t length = (size_t)(line->end - line->at);
    const char *found = memchr(line->at, separator, length);
    struct span part = {line->at, found != NULL ? found : line->end};
    line->at = found != NULL ? found + 1 : line->end;
    return part;
}

static bool span_is(struct span span, const char *text)
{
    size_t length = (size_t)(span.end - span.at);
    return length == strlen(text) && memcmp(span.at, text, length) == 0;
}

static const char *copy(struct arena *arena, struct span span)
{
    return arena_copy_bytes(arena, span.at, (size_t)(span.end - span.at));
}

static int64_t price_of(struct span span)
{
    char text[32];
    int64_t price = 0;
    size_t length = (size_t)(span.end - span.at);
    assert(length < sizeof text); // built in
    memcpy(text, span.at, length);
    text[length] = '\0';
    bool valid = length == 0 || price_parse(text, &price, NULL);
    assert(valid);
    (void)valid;
    return price;
}

static struct span whole_text(void)
{
    return (struct span){ec2_facts_regions, ec2_facts_regions_end};
}

// The lines after the region's head, which is left in `head`.
static bool find_region(const char *region, struct span *head, struct span *lines)
{
    struct span text = whole_text(), line;
    bool found = false;
    while (next_line(&text, &line)) {
        if (!text_starts_with(line.at, "region "))
            continue;
        if (found) {
            lines->end = line.at;
            return true;
        }
        next_part(&line, ' ');
        found = span_is(next_part(&line, ' '), region);
        *head = line;
        *lines = text;
    }
    return found;
}

static void read_head(struct reading *reading, struct span head)
{
    struct region_prices *prices = reading->prices;
    prices->currency = copy(prices->arena, next_part(&head, ' '));
    while (head.at < head.end) {
        assert(prices->zones_count < ZONES_MAX);
        reading->zones[prices->zones_count++] = copy(prices->arena, next_part(&head, ' '));
    }
    prices->zones =
        arena_allocate_array(prices->arena, prices->zones_count + 1, sizeof *prices->zones);
    memcpy((void *)prices->zones, reading->zones, prices->zones_count * sizeof *prices->zones);
}

// "factors us-east-1 *:1.115 c5:1.129".
static void read_factors(struct reading *reading, struct span line)
{
    reading->base = copy(reading->prices->arena, next_part(&line, ' '));
    while (line.at < line.end) {
        struct span factor = next_part(&line, ' '), name = next_part(&factor, ':');
        double *value =
            map_ensure(reading->factors, copy(reading->prices->arena, name), sizeof *value);
        *value = price_to_double(price_of(factor));
    }
}

// The middle of the Spot Advisor's band, of interruptions for each machine in a month.
static int64_t interruptions_of(struct span band)
{
    static const int64_t middles[] = {25000000, 75000000, 125000000, 175000000, 250000000};
    if (band.at == band.end)
        return 0;
    size_t index = (size_t)(*band.at - '1');
    assert(index < ARRAY_LENGTH(middles)); // built in
    return middles[index];
}

// "c5 large:0.096:0.041:7:2 metal:4.608": size, on demand, spot, zones, band of interruptions.
static void read_family(struct reading *reading, struct span line)
{
    struct span family = next_part(&line, ' ');
    struct region_prices *prices = reading->prices;
    while (line.at < line.end) {
        struct span entry = next_part(&line, ' '), size = next_part(&entry, ':');
        const char *type = arena_format(prices->arena, "%.*s.%.*s", (int)(family.end - family.at),
                                        family.at, (int)(size.end - size.at), size.at);
        struct region_price *price = map_ensure(reading->types, type, sizeof *price);
        *price = (struct region_price){.instance_type = type};
        price->on_demand = price_of(next_part(&entry, ':'));
        price->spot = price_of(next_part(&entry, ':'));
        price->zones = strtoull(copy(prices->arena, next_part(&entry, ':')), NULL, 16);
        price->interruptions = interruptions_of(entry);
        assert(price->on_demand > 0);
        prices->listed = true;
    }
}

// --- estimates -----------------------------------------------------------------------------------

static double factor_of(const struct reading *reading, const char *instance_type)
{
    const double *factor =
        map_get_bytes(reading->factors, instance_type, strcspn(instance_type, "."));
    if (factor == NULL)
        factor = map_get(reading->factors, "*");
    return factor != NULL ? *factor : 1;
}

static void estimate(struct reading *reading, uint32_t depth)
{
    struct region_prices *base = create(reading->base, depth + 1);
    for (uint32_t i = 0; i < base->count; i++) {
        const struct region_price *known = &base->prices[i];
        if (map_get(reading->types, known->instance_type) != NULL)
            continue;
        struct region_price *price =
            map_ensure(reading->types, known->instance_type, sizeof *price);
        double factor = factor_of(reading, known->instance_type);
        *price = (struct region_price){
            .instance_type = arena_copy_string(reading->prices->arena, known->instance_type),
            .on_demand = price_from_double(price_to_double(known->on_demand) * factor),
            .estimate = true,
        };
    }
    if (reading->prices->currency == NULL)
        reading->prices->currency = arena_copy_string(reading->prices->arena, base->currency);
    region_prices_destroy(base);
}

// For a region that the table lacks: one of the same kind of account.
static const char *stand_in(const char *region)
{
    return text_starts_with(region, "cn-")       ? "cn-north-1"
           : text_starts_with(region, "us-gov-") ? "us-gov-west-1"
                                                 : "us-east-1";
}

// --- tables --------------------------------------------------------------------------------------

static int compare_prices(const void *a, const void *b)
{
    const struct region_price *left = a, *right = b;
    return strcmp(left->instance_type, right->instance_type);
}

static void finish(struct reading *reading)
{
    struct region_prices *made = reading->prices;
    struct region_price *prices =
        arena_allocate_array(made->arena, map_count(reading->types) + 1, sizeof *prices);
    for (struct map_entry *entry = map_first(reading->types); entry != NULL;
         entry = map_next(entry))
        prices[made->count++] = *(const struct region_price *)map_value(entry);
    qsort(prices, made->count, sizeof *prices, compare_prices);
    made->prices = prices;
    map_destroy(reading->types, free);
    map_destroy(reading->factors, free);
}

static struct region_prices *create(const char *region, uint32_t depth)
{
    assert(depth < DEPTH_MAX);
    struct arena *arena = arena_create(1 << 16);
    struct reading reading = {.types = map_create(), .factors = map_create()};
    struct span head, lines, line;
    reading.prices = arena_allocate(arena, sizeof *reading.prices);
    reading.prices->arena = arena;
    reading.prices->region = arena_copy_string(arena, region);
    if (find_region(region, &head, &lines)) {
        read_head(&reading, head);
        while (next_line(&lines, &line))
            if (text_starts_with(line.at, "factors ")) {
                next_part(&line, ' ');
                read_factors(&reading, line);
            } else {
                read_family(&reading, line);
            }
    } else {
        reading.base = stand_in(region);
    }
    if (reading.base != NULL)
        estimate(&reading, depth);
    finish(&reading);
    assert(reading.prices->currency != NULL && reading.prices->count > 0);
    return reading.prices;
}

const struct region_price *region_prices_find(const struct region_prices *prices,
                                              const char *instance_type)
{
    const struct region_price key = {.instance_type = instance_type};
    assert(instance_type != NULL);
    return bsearch(&key, prices->prices, prices->count, sizeof key, compare_prices);
}

// A local or wavelength zone: "us-west-2-lax-1", "us-east-1-wl1".
static bool is_zone(const char *region)
{
    return region[strcspn(region, "0123456789")] != '\0' &&
           strchr(region + strcspn(region, "0123456789"), '-') != NULL;
}

const char *const *region_prices_regions(struct arena *arena, bool all)
{
    struct span text = whole_text(), line;
    uint32_t count = 0, most = 0;
    while (next_line(&text, &line))
        most += text_starts_with(line.at, "region ");
    const char **regions = arena_allocate_array(arena, most + 1, sizeof *regions);
    text = whole_text();
    while (next_line(&text, &line)) {
        if (text_starts_with(line.at, "region ")) {
            next_part(&line, ' ');
            regions[count] = copy(arena, next_part(&line, ' '));
        } else if (regions[count] != NULL && !text_starts_with(line.at, "factors ") &&
                   (all || !is_zone(regions[count]))) {
            count++; // it has prices
        }
    }
    regions[count] = NULL;
    qsort(regions, count, sizeof *regions, text_compare);
    return regions;
}
