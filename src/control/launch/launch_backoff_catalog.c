#include "control/launch/launch_backoff_catalog.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "cloud/port/offering_choice.h"
#include "control/launch/launch_trials.h"
#include "model/schema/pack.h"

#define REMEMBERED_NS HOUR          // a failure without a later attempt
#define SHOWN_NS      (10 * MINUTE) // the same, for reports

static void earliest(int64_t *until_ns, int64_t instant_ns, int64_t now_ns)
{
    if (instant_ns > now_ns && instant_ns < *until_ns)
        *until_ns = instant_ns;
}

static void review_attempts(const struct launch_backoff *backoff, struct pool_backoff *pool,
                            int64_t now_ns)
{
    struct map_entry *next;
    for (struct map_entry *at = map_first(pool->attempts); at != NULL; at = next) {
        const struct attempt *attempt = map_value(at);
        next = map_next(at);
        if (ns_subtract(now_ns, attempt->since_ns) < LOST_NS)
            earliest(&pool->reduced_until_ns, ns_add(attempt->since_ns, LOST_NS), now_ns);
        else if (find_claim(backoff->control, map_key(at)) == NULL)
            attempt_end(pool, map_key(at));
    }
}

// Forgets old failures; finds the instant of the next change.
static void review(const struct launch_backoff *backoff, struct pool_backoff *pool, int64_t now_ns)
{
    pool->reduced_until_ns = INT64_MAX;
    review_attempts(backoff, pool, now_ns);
    earliest(&pool->reduced_until_ns, pool->whole.until_ns, now_ns);
    earliest(&pool->reduced_until_ns, pool->dry_until_ns, now_ns);
    struct map_entry *next;
    for (struct map_entry *at = map_first(pool->offerings); at != NULL; at = next) {
        const struct trial *trial = map_value(at);
        next = map_next(at);
        earliest(&pool->reduced_until_ns, trial->until_ns, now_ns);
        earliest(&pool->reduced_until_ns, ns_add(trial->until_ns, SHOWN_NS), now_ns);
        if (trial->attempts == 0 && !trial->is_hidden &&
            (!trial_runs(trial) || ns_subtract(now_ns, trial->until_ns) > REMEMBERED_NS))
            free(map_remove(pool->offerings, map_key(at)));
    }
}

// An offering that the provider hid is on trial when it comes back: mostly it had no capacity,
// which the provider may only have forgotten, or learned from another pool. After a predecessor
// with failures every offering gets a few attempts at a time.
static const struct trial *examine_offering(struct pool_backoff *pool,
                                            const struct instance_type *type,
                                            const struct offering *offering, int64_t now_ns)
{
    char key[OFFERING_KEY_MAX];
    offering_key(key, type, offering);
    struct trial *trial = map_get(pool->offerings, key);
    if (trial == NULL && (!offering->available || pool->inherits)) {
        trial = map_ensure(pool->offerings, key, sizeof *trial);
        trial->successes = 1;
        trial->until_ns = now_ns;
    }
    if (trial == NULL)
        return NULL;
    if (offering->available && trial->is_hidden && trial->failures == 0) {
        trial->failures = 1;
        trial->successes = 0;
        trial->until_ns = now_ns;
    }
    trial->is_hidden = !offering->available;
    return trial;
}

// Counts failures. A pool is dry if its claims have no other offering left.
static void survey(struct pool_backoff *pool, const struct node_claim *any, int64_t now_ns)
{
    bool has_other = false;
    pool->failing = pool->offered = 0;
    list_for_each (type, &pool->provided->spec.instance_types)
        list_for_each (offering, &type->offerings) {
            if (!offering_is_compatible(any, type, offering))
                continue;
            const struct trial *trial = examine_offering(pool, type, offering, now_ns);
            bool failed = trial != NULL && trial->failures > 0;
            has_other = has_other || (!failed && offering->available);
            pool->failing += failed && now_ns < ns_add(trial->until_ns, SHOWN_NS);
            pool->offered += failed || offering->available;
        }
    pool->is_dry = pool->failing > 0 && !has_other;
    pool->inherits = false;
}

static bool is_left_out(const struct pool_backoff *pool, const struct instance_type *type,
                        const struct offering *offering, int64_t now_ns)
{
    if (now_ns < pool->whole.until_ns || (whole_runs(pool) && pool->whole.attempts > 0))
        return true;
    char key[OFFERING_KEY_MAX];
    offering_key(key, type, offering);
    const struct trial *trial = map_get(pool->offerings, key);
    if (trial == NULL || !trial_runs(trial))
        return false;
    return !trial_admits(trial, now_ns) ||
           (pool->is_dry &&
            (now_ns < pool->dry_until_ns || map_count(pool->attempts) >= DRY_ATTEMPTS));
}

static void examine_pool(const struct launch_backoff *backoff, struct pool_backoff *pool,
                         const struct node_pool *node_pool, int64_t now_ns)
{
    // The requirements that all NodeClaims of the pool share.
    const struct node_claim any = {.spec.requirements = node_pool->spec.template.spec.requirements};
    review(backoff, pool, now_ns);
    survey(pool, &any, now_ns);
}

// A catalog of the pool's own; NULL: it would equal the provider's.
static const struct instance_type_catalog *reduce(const struct pool_backoff *pool, const char *name,
                                                  int64_t now_ns)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    struct instance_type_catalog reduced = *pool->provided;
    uint32_t count = reduced.spec.instance_types.count, left_out = 0;
    reduced.spec.node_pools.items = &name;
    reduced.spec.node_pools.count = 1;
    reduced.spec.instance_types.items =
        arena_allocate_array(arena, count + 1, sizeof(struct instance_type));
    for (uint32_t i = 0; i < count; i++) {
        struct instance_type *type = &reduced.spec.instance_types.items[i];
        *type = pool->provided->spec.instance_types.items[i];
        struct offering *offerings =
            arena_allocate_array(arena, type->offerings.count + 1, sizeof *offerings);
        for (uint32_t j = 0; j < type->offerings.count; j++) {
            offerings[j] = type->offerings.items[j];
            if (!offerings[j].available || !is_left_out(pool, type, &offerings[j], now_ns))
                continue;
            offerings[j].available = false;
            left_out++;
        }
        type->offerings.items = offerings;
    }
    // A catalog that names its pools would serve this pool beside its own: then each needs its own.
    if (left_out == 0 && pool->provided->spec.node_pools.count == 0)
        return NULL;
    return (const struct instance_type_catalog *)object_copy((const struct object *)&reduced);
}

// Takes over the reference to `provided`.
static const struct instance_type_catalog *catalog_of(const struct launch_backoff *backoff,
                                                      struct pool_backoff *pool,
                                                      const struct node_pool *node_pool,
                                                      const struct instance_type_catalog *provided)
{
    const char *name = node_pool->meta.name;
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    if (pool->outdated || provided != pool->provided || now_ns >= pool->reduced_until_ns) {
        object_release((const struct object *)pool->provided);
        object_release((const struct object *)pool->reduced);
        pool->provided =
            (const struct instance_type_catalog *)object_acquire((const struct object *)provided);
        examine_pool(backoff, pool, node_pool, now_ns);
        pool->reduced = reduce(pool, name, now_ns);
        pool->outdated = false;
        if (backoff->queue != NULL)
            reconcile_queue_add(backoff->queue, name);
    }
    if (pool->reduced == NULL)
        return provided;
    object_release((const struct object *)provided);
    return (const struct instance_type_catalog *)object_acquire(
        (const struct object *)pool->reduced);
}

const struct instance_type_catalog *launch_backoff_catalog(struct launch_backoff *backoff,
                                                           const struct node_pool *pool,
                                                           struct error *error)
{
    struct cloud *cloud = backoff->control->cloud;
    const struct instance_type_catalog *provided =
        cloud->operations->instance_types(cloud, pool, error);
    if (provided == NULL || map_count(backoff->pools) == 0)
        return provided;
    struct pool_backoff *entry = map_get(backoff->pools, pool->meta.name);
    if (entry == NULL && provided->spec.node_pools.count == 0)
        return provided;
    return catalog_of(backoff, pool_backoff_make(backoff, (const struct object *)pool), pool,
                      provided);
}
