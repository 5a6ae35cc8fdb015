#include "control/launch_backoff.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "cloud/offering_choice.h"

#define REMEMBERED_NS (10 * MINUTE) // a failure after which nobody tried anew

struct spacing { // of launches after the first, second, further failures
    const char *reason;
    int64_t first_ns, second_ns, maximum_ns; // doubling from the second
};
static const struct spacing no_capacity = {"no capacity", 10 * SECOND, 20 * SECOND, 3 * MINUTE};
static const struct spacing spacings[] = {
    {"nodeclass_not_ready", 10 * SECOND, 20 * SECOND, 3 * MINUTE},
    {"launch_timeout", 30 * SECOND, MINUTE, HOUR},
    {"registration_timeout", 0, 5 * MINUTE, HOUR},
};

struct failures { // in a row, of an offering or a pool
    uint32_t count;
    int64_t until_ns;  // monotonic: not tried before
    int64_t failed_at; // wall clock, the last one
    int64_t delay_ns;  // from there to until_ns
};

struct pool_backoff {
    char *uid;
    struct failures whole;
    struct map *offerings; // key of an offering -> struct failures
    // What the pool's decisions see; NULL: the provider's own.
    const struct instance_type_catalog *provided, *reduced;
    int64_t reduced_until_ns; // monotonic: something comes back
    bool outdated;
};

struct launch_backoff {
    struct control *control;
    struct map *pools; // by name
};

static void pool_destroy(void *value)
{
    struct pool_backoff *pool = value;
    object_release((const struct object *)pool->provided);
    object_release((const struct object *)pool->reduced);
    map_destroy(pool->offerings, free);
    free(pool->uid);
    free(pool);
}

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct launch_backoff *backoff = context;
    (void)new_object;
    struct pool_backoff *pool = change == MIRROR_DELETED
                                    ? map_remove(backoff->pools, old_object->meta.name)
                                    : NULL;
    if (pool != NULL)
        pool_destroy(pool);
}

struct launch_backoff *launch_backoff_create(struct control *control)
{
    struct launch_backoff *backoff = memory_allocate(sizeof *backoff);
    backoff->control = control;
    backoff->pools = map_create();
    mirror_on_change(control->mirror, KIND_NODE_POOL, on_pool, backoff);
    return backoff;
}

void launch_backoff_destroy(struct launch_backoff *backoff)
{
    if (backoff == NULL)
        return;
    map_destroy(backoff->pools, pool_destroy);
    free(backoff);
}

// --- what happened -------------------------------------------------------------------------------
static struct pool_backoff *pool_make(struct launch_backoff *backoff, const struct object *pool)
{
    struct pool_backoff *entry = map_get(backoff->pools, pool->meta.name);
    if (entry != NULL && text_equal(entry->uid, pool->meta.uid))
        return entry;
    if (entry != NULL)
        pool_destroy(map_remove(backoff->pools, pool->meta.name));
    entry = memory_allocate(sizeof *entry);
    entry->uid = memory_copy_string(pool->meta.uid);
    entry->offerings = map_create();
    map_set(backoff->pools, pool->meta.name, entry);
    return entry;
}

// Answers whether the failure is a further one; it is not if the NodeClaim belongs to a wave that
// has failed already. API times are whole seconds.
static bool note(const struct launch_backoff *backoff, struct failures *failures,
                 const struct spacing *spacing, const struct node_claim *claim)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->loop);
    int64_t created = claim->meta.creation_timestamp;
    if (created > failures->failed_at + failures->delay_ns + REMEMBERED_NS)
        failures->count = 0;
    if (failures->count > 0 && (now_ns < failures->until_ns ||
                                created < failures->failed_at - failures->failed_at % SECOND))
        return false;
    int64_t delay = failures->count == 0 ? spacing->first_ns : spacing->second_ns;
    for (uint32_t i = 1; i < failures->count && delay < spacing->maximum_ns; i++)
        delay *= 2;
    failures->count++;
    failures->delay_ns = delay < spacing->maximum_ns ? delay : spacing->maximum_ns;
    failures->until_ns = now_ns + failures->delay_ns;
    failures->failed_at = control_now(backoff->control);
    return true;
}

static void offering_key(char out[400], const char *type, const char *zone,
                         const char *capacity_type)
{
    snprintf(out, 400, "%s/%s/%s", type != NULL ? type : "", zone != NULL ? zone : "",
             capacity_type != NULL ? capacity_type : "");
}

static void offering_key_of(char out[400], const struct instance_type *type,
                            const struct offering *offering)
{
    offering_key(out, type->name, requirement_single_value(&offering->requirements, LABEL_ZONE),
                 requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE));
}

void launch_backoff_no_capacity(struct launch_backoff *backoff, const struct node_claim *claim)
{
    struct control *control = backoff->control;
    const struct node_pool *pool = pool_of_claim(control, claim);
    struct error error = {0};
    if (pool == NULL || control->settings->compatibility_upstream)
        return;
    const struct instance_type_catalog *provided =
        control->cloud->operations->instance_types(control->cloud, pool, &error);
    if (provided == NULL)
        return;
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 14);
    struct offering_choices choices = offering_choices_for(arena, provided, claim);
    struct pool_backoff *entry = pool_make(backoff, (const struct object *)pool);
    for (uint32_t i = 0; i < choices.count; i++) {
        char key[400];
        offering_key_of(key, choices.items[i].type, choices.items[i].offering);
        struct failures *failures = map_ensure(entry->offerings, key, sizeof *failures);
        note(backoff, failures, &no_capacity, claim);
    }
    entry->outdated = true;
    object_release((const struct object *)provided);
    log_debug("leaving out offerings without capacity", "s:controller", "nodeclaim.lifecycle",
              "o:NodeClaim", claim->meta.name, "o:NodePool", pool->meta.name, "i:offerings",
              (int64_t)choices.count);
}

// LIF-440: who looks at the NodePool shall see why nothing is launched.
static void tell(struct control *control, const struct node_pool *pool,
                 const struct failures *failures, int64_t now_ns, const char *reason)
{
    char delay[DURATION_TEXT_MAX];
    duration_format(failures->until_ns - now_ns, delay);
    log_info("backing off from launches", "s:controller", "nodeclaim.lifecycle", "o:NodePool",
             pool->meta.name, "s:reason", reason, "s:duration", delay);
    struct event_text event = {
        .reason = "LaunchBackOff", .dedupe = pool->meta.uid, .window_ns = SECOND, .warning = true};
    publish(control, (const struct object *)pool, &event,
            "Nothing is launched for %s, after %u attempt(s) in a row that failed (%s)", delay,
            failures->count, reason);
}

void launch_backoff_failed(struct launch_backoff *backoff, const struct node_claim *claim,
                           const char *reason)
{
    struct control *control = backoff->control;
    const struct node_pool *pool = pool_of_claim(control, claim);
    if (pool == NULL || control->settings->compatibility_upstream)
        return;
    const struct spacing *spacing = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(spacings); i++)
        if (text_equal(spacings[i].reason, reason))
            spacing = &spacings[i];
    struct pool_backoff *entry = pool_make(backoff, (const struct object *)pool);
    if (spacing == NULL || !note(backoff, &entry->whole, spacing, claim))
        return;
    entry->outdated = true;
    int64_t now_ns = loop_monotonic_ns(control->loop);
    if (entry->whole.until_ns > now_ns)
        tell(control, pool, &entry->whole, now_ns, reason);
}

static struct pool_backoff *entry_of(const struct launch_backoff *backoff,
                                     const struct node_claim *claim)
{
    const char *name = object_label((const struct object *)claim, LABEL_NODE_POOL);
    return name != NULL ? map_get(backoff->pools, name) : NULL;
}

void launch_backoff_launched(struct launch_backoff *backoff, const struct node_claim *claim)
{
    struct pool_backoff *entry = entry_of(backoff, claim);
    const struct object *object = (const struct object *)claim;
    char key[400];
    if (entry == NULL)
        return;
    offering_key(key, object_label(object, LABEL_INSTANCE_TYPE), object_label(object, LABEL_ZONE),
                 object_label(object, LABEL_CAPACITY_TYPE));
    struct failures *failures = map_remove(entry->offerings, key);
    entry->outdated = entry->outdated || failures != NULL;
    free(failures);
}

void launch_backoff_registered(struct launch_backoff *backoff, const struct node_claim *claim)
{
    struct pool_backoff *entry = entry_of(backoff, claim);
    if (entry == NULL || entry->whole.count == 0)
        return;
    entry->whole = (struct failures){0};
    entry->outdated = true;
}

// --- what decisions see --------------------------------------------------------------------------
// Forgets what was long ago; answers whether something is left out, and until when all stays so.
static bool review(struct pool_backoff *pool, int64_t now_ns)
{
    bool active = now_ns < pool->whole.until_ns;
    pool->reduced_until_ns = active ? pool->whole.until_ns : INT64_MAX;
    struct map_entry *next;
    for (struct map_entry *at = map_first(pool->offerings); at != NULL; at = next) {
        const struct failures *failures = map_value(at);
        next = map_next(at);
        if (now_ns < failures->until_ns) {
            active = true;
            if (failures->until_ns < pool->reduced_until_ns)
                pool->reduced_until_ns = failures->until_ns;
        } else if (now_ns - failures->until_ns > REMEMBERED_NS) {
            free(map_remove(pool->offerings, map_key(at)));
        }
    }
    return active;
}

static bool is_left_out(const struct pool_backoff *pool, const struct instance_type *type,
                        const struct offering *offering, int64_t now_ns)
{
    char key[400];
    offering_key_of(key, type, offering);
    const struct failures *failures = map_get(pool->offerings, key);
    return now_ns < pool->whole.until_ns || (failures != NULL && now_ns < failures->until_ns);
}

// A catalogue of the pool's own.
static const struct instance_type_catalog *reduce(const struct pool_backoff *pool, const char *name,
                                                  int64_t now_ns)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    struct instance_type_catalog reduced = *pool->provided;
    uint32_t count = reduced.spec.instance_types.count;
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
            offerings[j].available =
                offerings[j].available && !is_left_out(pool, type, &offerings[j], now_ns);
        }
        type->offerings.items = offerings;
    }
    return (const struct instance_type_catalog *)object_copy((const struct object *)&reduced);
}

// Takes over the reference to `provided`.
static const struct instance_type_catalog *
catalogue_of(const struct launch_backoff *backoff, struct pool_backoff *pool, const char *name,
             const struct instance_type_catalog *provided)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->loop);
    if (pool->outdated || provided != pool->provided || now_ns >= pool->reduced_until_ns) {
        object_release((const struct object *)pool->provided);
        object_release((const struct object *)pool->reduced);
        pool->provided =
            (const struct instance_type_catalog *)object_acquire((const struct object *)provided);
        // One that names its pools would serve this one beside its own: each needs its own then.
        bool active = review(pool, now_ns) || provided->spec.node_pools.count > 0;
        pool->reduced = active ? reduce(pool, name, now_ns) : NULL;
        pool->outdated = false;
    }
    if (pool->reduced == NULL)
        return provided;
    object_release((const struct object *)provided);
    return (const struct instance_type_catalog *)object_acquire(
        (const struct object *)pool->reduced);
}

const struct instance_type_catalog *launch_backoff_catalogue(struct launch_backoff *backoff,
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
    return catalogue_of(backoff, pool_make(backoff, (const struct object *)pool), pool->meta.name,
                        provided);
}
