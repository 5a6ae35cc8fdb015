#include "control/command/spot_price_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/reading/catalog.h"

#define PARTS    12 // of the window; one more is begun
#define INTERVAL MINUTE

struct part {
    int64_t number; // of the interval since the epoch, + 1; 0: none
    int64_t lowest, highest;
};
struct history {
    char *type, *zone;
    struct part parts[PARTS + 1]; // by number modulo their count
};
struct spot_price_history {
    struct map *histories; // by "type/zone"
    int64_t observed_ns;   // the last observation; 0: never
};

static void free_history(void *value)
{
    struct history *history = value;
    free(history->type);
    free(history->zone);
    free(history);
}

struct spot_price_history *spot_price_history_create(void)
{
    struct spot_price_history *prices = memory_allocate(sizeof *prices);
    prices->histories = map_create();
    return prices;
}

void spot_price_history_destroy(struct spot_price_history *prices)
{
    if (prices == NULL)
        return;
    map_destroy(prices->histories, free_history);
    free(prices);
}

static int64_t part_number(const struct snapshot *snapshot)
{
    int64_t length_ns = snapshot->settings.spot_price_window / PARTS;
    return snapshot->time / ns_maximum(length_ns, 1) + 1;
}

// --- observations --------------------------------------------------------------------------------

static void remember(struct spot_price_history *prices, const char *type, const char *zone,
                     int64_t price, int64_t number)
{
    struct text key = {0};
    text_format(&key, "%s/%s", type, zone);
    struct history *history = map_get(prices->histories, key.data);
    if (history == NULL) {
        history = memory_allocate(sizeof *history);
        history->type = memory_copy_string(type);
        history->zone = memory_copy_string(zone);
        map_set(prices->histories, key.data, history);
    }
    text_free(&key);
    struct part *part = &history->parts[number % (PARTS + 1)];
    if (part->number != number)
        *part = (struct part){number, price, price};
    part->lowest = price < part->lowest ? price : part->lowest;
    part->highest = price > part->highest ? price : part->highest;
}

static void read_type(struct spot_price_history *prices, const struct instance_type *type,
                      int64_t number)
{
    list_for_each (offering, &type->offerings) {
        const char *zone = requirement_single_value(&offering->requirements, LABEL_ZONE);
        if (zone != NULL &&
            text_equal(requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE),
                       CAPACITY_TYPE_SPOT))
            remember(prices, type->name, zone, offering->price, number);
    }
}

void spot_price_history_observe(struct spot_price_history *prices, const struct snapshot *snapshot)
{
    bool is_recent = prices->observed_ns != 0 && snapshot->time >= prices->observed_ns &&
                     ns_subtract(snapshot->time, prices->observed_ns) < INTERVAL;
    if (snapshot->settings.spot_price_window == 0 || is_recent)
        return;
    prices->observed_ns = snapshot->time;
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        list_for_each (type, &catalog->spec.instance_types)
            read_type(prices, type, part_number(snapshot));
    }
}

void spot_price_history_note_change(struct spot_price_history *prices)
{
    prices->observed_ns = 0;
}

// --- known prices --------------------------------------------------------------------------------

// False: no observation within the window.
static bool sum_up(const struct history *history, int64_t number, struct spot_price *out)
{
    bool found = false;
    for (size_t i = 0; i < ARRAY_LENGTH(history->parts); i++) {
        const struct part *part = &history->parts[i];
        if (part->number == 0 || part->number > number || part->number < number - PARTS)
            continue;
        out->lowest = !found || part->lowest < out->lowest ? part->lowest : out->lowest;
        out->highest = !found || part->highest > out->highest ? part->highest : out->highest;
        found = true;
    }
    return found;
}

static int by_type_and_zone(const void *a, const void *b)
{
    const struct spot_price *x = a, *y = b;
    int order = strcmp(x->type, y->type);
    return order != 0 ? order : strcmp(x->zone, y->zone);
}

struct spot_price_list spot_price_history_list(const struct spot_price_history *prices,
                                               const struct snapshot *snapshot, struct arena *arena)
{
    struct spot_price_list list = {0};
    if (snapshot->settings.spot_price_window == 0)
        return list;
    list.items = arena_allocate_array(arena, map_count(prices->histories) + 1, sizeof *list.items);
    for (struct map_entry *e = map_first(prices->histories); e != NULL; e = map_next(e)) {
        const struct history *history = map_value(e);
        struct spot_price price = {.type = arena_copy_string(arena, history->type),
                                   .zone = arena_copy_string(arena, history->zone)};
        if (sum_up(history, part_number(snapshot), &price))
            list.items[list.count++] = price;
    }
    qsort(list.items, list.count, sizeof *list.items, by_type_and_zone);
    return list;
}
