#include "cloud/aws/controllers/zonal_shift.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"

#define ZONE_ID_MAX 64
// An autoshift has no end of its own. It counts as ended if no answer has told of it for so long.
#define AUTOSHIFT_NS (10 * MINUTE)

struct shift_entry {
    int64_t expiry;
    bool applied;
};
struct zonal_shift {
    struct loop *loop;
    bool upstream;
    struct map *zones;  // zone id -> struct shift_entry
    struct text before; // the shifted zones at the last update
};

struct zonal_shift *zonal_shift_create(struct loop *loop)
{
    assert(loop != NULL);
    struct zonal_shift *shift = memory_allocate(sizeof *shift);
    shift->loop = loop;
    shift->zones = map_create();
    return shift;
}

void zonal_shift_destroy(struct zonal_shift *shift)
{
    if (shift == NULL)
        return;
    map_destroy(shift->zones, free);
    text_free(&shift->before);
    free(shift);
}

void zonal_shift_follow_upstream(struct zonal_shift *shift, bool upstream)
{
    shift->upstream = upstream;
}

// Seconds since the epoch, or RFC 3339. 0: neither.
static int64_t instant_of(const json_t *value)
{
    int64_t instant;
    if (json_is_number(value))
        return ns_from_seconds(json_number_value(value));
    const char *text = json_string_value(value);
    return text != NULL && instant_parse(text, &instant, NULL) ? instant : 0;
}

static void note(struct zonal_shift *shift, const json_t *entry, int64_t expiry)
{
    const char *zone = json_string_value(json_object_get(entry, "awayFrom"));
    const char *status = json_string_value(json_object_get(entry, "appliedStatus"));
    if (text_is_empty(zone) || strlen(zone) > ZONE_ID_MAX ||
        (map_get(shift->zones, zone) == NULL && map_count(shift->zones) >= SHIFTED_ZONES_MAX))
        return;
    struct shift_entry *known = map_ensure(shift->zones, zone, sizeof *known);
    bool applied = text_equal(status, "APPLIED");
    // Of several shifts of a zone an applied one counts, and of these the longest.
    if (!shift->upstream && known->applied && (!applied || known->expiry > expiry))
        return;
    *known = (struct shift_entry){expiry, applied};
}

static void clear(struct zonal_shift *shift)
{
    map_destroy(shift->zones, free);
    shift->zones = map_create();
}

bool zonal_shift_update(struct zonal_shift *shift, const json_t *reply)
{
    const json_t *shifts = json_object_get(reply, "zonalShifts"), *entry;
    const json_t *autoshifts = json_object_get(reply, "autoshifts");
    const char *zones[SHIFTED_ZONES_MAX];
    struct text now = {0};
    size_t index;
    if (!shift->upstream || json_array_size(shifts) == 0)
        clear(shift);
    json_array_foreach (shifts, index, entry)
        note(shift, entry, instant_of(json_object_get(entry, "expiryTime")));
    if (!shift->upstream)
        json_array_foreach (autoshifts, index, entry)
            note(shift, entry, ns_add(loop_now_ns(shift->loop), AUTOSHIFT_NS));
    uint32_t count = zonal_shift_zones(shift, zones);
    for (uint32_t i = 0; i < count; i++)
        text_join(&now, " ", zones[i]);
    bool changed = !text_equal(text_or_empty(now.data), text_or_empty(shift->before.data));
    text_free(&shift->before);
    shift->before = now;
    return changed;
}

static bool is_shifted(const struct zonal_shift *shift, const struct shift_entry *entry)
{
    return entry != NULL && entry->applied && entry->expiry > loop_now_ns(shift->loop);
}

bool zonal_shift_has(void *context, const char *zone_id)
{
    const struct zonal_shift *shift = context;
    return shift != NULL && zone_id != NULL && is_shifted(shift, map_get(shift->zones, zone_id));
}

uint32_t zonal_shift_zones(const struct zonal_shift *shift, const char *zones[SHIFTED_ZONES_MAX])
{
    uint32_t count = 0;
    assert(map_count(shift->zones) <= SHIFTED_ZONES_MAX);
    for (struct map_entry *at = map_first(shift->zones); at != NULL; at = map_next(at))
        if (is_shifted(shift, map_value(at)))
            zones[count++] = map_key(at);
    qsort((void *)zones, count, sizeof *zones, text_compare);
    return count;
}
