#include "cloud/aws/types/unavailable_offerings.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/types/shortage_cause.h"

#define LIFETIME    (3 * MINUTE) // AWI-181
#define BACKOFF_MAX (30 * MINUTE)
#define SWEEP       (10 * SECOND) // AWI-751
#define KEY_MAX     512
#define ENTRIES_MAX 100000

struct shortage {
    int64_t until, backoff;
    bool lapsed;         // swept; kept for the next back-off
    char *instance_type; // whose sequence number moves; NULL: the global one
};
struct unavailable_offerings {
    struct unavailable_options options;
    struct map *shortages; // by key: a pool's, or with a prefix that no capacity type has
    struct map *sequences; // by instance type: uint64_t
    uint64_t global_sequence, generation;
    uint32_t others; // shortages that are no pools': quotas, types in zones, the stop
    struct timer *timer;
};

static void sweep(void *context);

struct unavailable_offerings *unavailable_offerings_create(
    const struct unavailable_options *options)
{
    assert(options->loop != NULL);
    struct unavailable_offerings *offerings = memory_allocate(sizeof *offerings);
    offerings->options = *options;
    offerings->shortages = map_create();
    offerings->sequences = map_create();
    offerings->generation = 1;
    offerings->timer = timer_create_on(options->loop, sweep, offerings);
    return offerings;
}

static void shortage_destroy(void *value)
{
    struct shortage *shortage = value;
    free(shortage->instance_type);
    free(shortage);
}

void unavailable_offerings_destroy(struct unavailable_offerings *offerings)
{
    if (offerings == NULL)
        return;
    timer_destroy(offerings->timer);
    map_destroy(offerings->shortages, shortage_destroy);
    map_destroy(offerings->sequences, free);
    free(offerings);
}

// --- changes -------------------------------------------------------------------------------------

static int64_t now_of(const struct unavailable_offerings *offerings)
{
    return loop_monotonic_ns(offerings->options.loop);
}

static void count_change(struct unavailable_offerings *offerings, const char *instance_type)
{
    offerings->generation++;
    if (instance_type == NULL)
        offerings->global_sequence++;
    else
        ++*(uint64_t *)map_ensure(offerings->sequences, instance_type, sizeof(uint64_t));
}

static void tell(struct unavailable_offerings *offerings)
{
    if (offerings->options.changed != NULL)
        offerings->options.changed(offerings->options.context);
}

// Returns the time that the shortage is remembered for. One that is tried again after its time and
// fails again is remembered twice as long, where `backs_off` is set (AWI-928).
static int64_t mark(struct unavailable_offerings *offerings, const char *key,
                    const char *instance_type, int64_t lifetime, bool backs_off)
{
    if (map_count(offerings->shortages) >= ENTRIES_MAX)
        return 0;
    struct shortage *shortage = map_ensure(offerings->shortages, key, sizeof *shortage);
    if (shortage->until == 0 && instance_type != NULL)
        shortage->instance_type = memory_copy_string(instance_type);
    int64_t now = now_of(offerings);
    if (!backs_off || shortage->backoff == 0)
        shortage->backoff = lifetime;
    else if (now >= shortage->until)
        shortage->backoff = ns_minimum(ns_multiply(2, shortage->backoff), BACKOFF_MAX);
    shortage->until = ns_add(now, shortage->backoff);
    shortage->lapsed = false;
    count_change(offerings, instance_type);
    if (!timer_is_running(offerings->timer))
        timer_start(offerings->timer, SWEEP);
    return shortage->backoff;
}

static void sweep(void *context)
{
    struct unavailable_offerings *offerings = context;
    int64_t now = now_of(offerings);
    bool changed = false;
    for (struct map_entry *entry = map_first(offerings->shortages), *next; entry != NULL;
         entry = next) {
        next = map_next(entry);
        struct shortage *shortage = map_value(entry);
        if (now < shortage->until)
            continue;
        if (!shortage->lapsed) {
            shortage->lapsed = true;
            changed = true;
            count_change(offerings, shortage->instance_type);
        }
        // A pool that stays good for as long as the longest back-off begins anew.
        if (offerings->options.upstream || now >= ns_add(shortage->until, BACKOFF_MAX)) {
            offerings->others -= strchr("=#!", map_key(entry)[0]) != NULL;
            shortage_destroy(map_remove(offerings->shortages, map_key(entry)));
        }
    }
    if (map_count(offerings->shortages) > 0)
        timer_start(offerings->timer, SWEEP);
    if (changed)
        tell(offerings);
}

// --- keys ----------------------------------------------------------------------------------------
// "spot:m5.large:us-west-2a[:pg-1[:2]]" is a pool (AWI-180). Prefixes of the others: "@" capacity
// type, "/" subnet, "=" quota, "#" type in a zone, "!" all.

static const char *pool_key(const struct unavailable_pool *pool, char out[KEY_MAX])
{
    bool partition = pool->group_id != NULL && pool->partition != NULL;
    snprintf(out, KEY_MAX, "%s:%s:%s%s%s%s%s", pool->capacity_type, pool->instance_type, pool->zone,
             pool->group_id != NULL ? ":" : "", text_or_empty(pool->group_id), partition ? ":" : "",
             partition ? pool->partition : "");
    return out;
}

static const char *cause_key(const struct unavailable_pool *pool, enum shortage_scope scope,
                             char out[KEY_MAX])
{
    assert(scope != SHORTAGE_NOTHING);
    if (scope == SHORTAGE_QUOTA)
        snprintf(out, KEY_MAX, "=%s:%s", pool->capacity_type,
                 shortage_quota_of(pool->instance_type));
    else if (scope == SHORTAGE_TYPE_ZONE)
        snprintf(out, KEY_MAX, "#%s:%s%s%s", pool->instance_type, pool->zone,
                 pool->group_id != NULL ? ":" : "", text_or_empty(pool->group_id));
    else if (scope == SHORTAGE_ALL)
        snprintf(out, KEY_MAX, "!");
    else
        pool_key(pool, out);
    return out;
}

static const char *prefixed(char prefix, const char *text, char out[KEY_MAX])
{
    snprintf(out, KEY_MAX, "%c%s", prefix, text);
    return out;
}

static bool is_short(const struct unavailable_offerings *offerings, const char *key)
{
    const struct shortage *shortage = map_get(offerings->shortages, key);
    // Until the sweep has passed, so that readers and sequence numbers agree (AWI-751).
    return shortage != NULL && !shortage->lapsed;
}

// --- marking -------------------------------------------------------------------------------------

void unavailable_mark_pool(struct unavailable_offerings *offerings,
                           const struct unavailable_pool *pool, const char *reason,
                           const char *fleet_id)
{
    assert(pool->instance_type != NULL && pool->zone != NULL && pool->capacity_type != NULL);
    struct shortage_cause cause = {SHORTAGE_POOL, LIFETIME};
    if (!offerings->options.upstream)
        cause = shortage_cause_of(reason);
    if (cause.scope == SHORTAGE_NOTHING)
        return;
    char key[KEY_MAX];
    cause_key(pool, cause.scope, key);
    bool known = map_get(offerings->shortages, key) != NULL;
    bool global = cause.scope == SHORTAGE_QUOTA || cause.scope == SHORTAGE_ALL;
    int64_t lifetime = mark(offerings, key, global ? NULL : pool->instance_type, cause.lifetime,
                            cause.scope == SHORTAGE_POOL && !offerings->options.upstream);
    if (lifetime == 0)
        return;
    offerings->others += !known && cause.scope != SHORTAGE_POOL;
    log_debug("removing offering from offerings", "s:reason", reason, "s:instance-type",
              pool->instance_type, "s:zone", pool->zone, "s:capacity-type", pool->capacity_type,
              "d:ttl", lifetime, "s:placement-group-id", pool->group_id,
              "s:placement-group-partition", pool->partition, "s:fleet-id", fleet_id);
    tell(offerings);
}

void unavailable_mark_capacity_type(struct unavailable_offerings *offerings,
                                    const char *capacity_type)
{
    char key[KEY_MAX];
    mark(offerings, prefixed('@', capacity_type, key), NULL, LIFETIME, false);
    tell(offerings);
}

void unavailable_mark_subnet(struct unavailable_offerings *offerings, const char *subnet_id)
{
    char key[KEY_MAX];
    mark(offerings, prefixed('/', subnet_id, key), NULL, LIFETIME, false);
    tell(offerings);
}

void unavailable_succeeded(struct unavailable_offerings *offerings,
                           const struct unavailable_pool *pool)
{
    char key[KEY_MAX];
    struct shortage *shortage = map_get(offerings->shortages, pool_key(pool, key));
    if (shortage == NULL || offerings->options.upstream)
        return;
    shortage->backoff = ns_maximum(shortage->backoff / 2, MINUTE / 2);
}

// --- looking up ----------------------------------------------------------------------------------

bool unavailable_has_pool(const struct unavailable_offerings *offerings,
                          const struct unavailable_pool *pool)
{
    if (offerings == NULL || map_count(offerings->shortages) == 0)
        return false;
    char key[KEY_MAX];
    if (is_short(offerings, pool_key(pool, key)))
        return true;
    return offerings->others > 0 &&
           (is_short(offerings, cause_key(pool, SHORTAGE_QUOTA, key)) ||
            is_short(offerings, cause_key(pool, SHORTAGE_TYPE_ZONE, key)) ||
            is_short(offerings, cause_key(pool, SHORTAGE_ALL, key)));
}

bool unavailable_has_capacity_type(const struct unavailable_offerings *offerings,
                                   const char *capacity_type)
{
    char key[KEY_MAX];
    return offerings != NULL && is_short(offerings, prefixed('@', capacity_type, key));
}

bool unavailable_has_subnet(const struct unavailable_offerings *offerings, const char *subnet_id)
{
    char key[KEY_MAX];
    return offerings != NULL && is_short(offerings, prefixed('/', subnet_id, key));
}

uint64_t unavailable_sequence(const struct unavailable_offerings *offerings,
                              const char *instance_type)
{
    const uint64_t *own = map_get(offerings->sequences, instance_type);
    return offerings->global_sequence + (own != NULL ? *own : 0);
}

uint64_t unavailable_generation(const struct unavailable_offerings *offerings)
{
    return offerings != NULL ? offerings->generation : 0;
}
