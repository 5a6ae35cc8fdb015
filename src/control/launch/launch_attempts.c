#include "control/launch/launch_attempts.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "cloud/port/offering_choice.h"
#include "control/launch/launch_backoff_catalog.h"
#include "control/launch/launch_trials.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

#define REPLACED_NS (10 * MINUTE) // after a delay: the longest that a command's replacements wait

static void attempt_begin(struct launch_backoff *backoff, struct pool_backoff *pool,
                          const struct node_claim *claim, struct attempt *attempt)
{
    if (whole_runs(pool))
        vector_push(&attempt->trials, &pool->whole);
    if (attempt->trials.count == 0) {
        attempt_destroy(attempt);
        return;
    }
    vector_for_each (trial, &attempt->trials)
        (*trial)->attempts++;
    attempt->since_ns = loop_monotonic_ns(backoff->control->manager.loop);
    map_set(pool->attempts, claim->meta.name, attempt);
    pool->outdated = true;
}

// --- admission -----------------------------------------------------------------------------------
// A NodeClaim is an attempt only if all of its offerings are on trial: any other one can fall back
// on another offering.
static struct attempt *attempt_of(const struct pool_backoff *pool,
                                  const struct offering_choices *choices, int64_t failed_after_ns)
{
    struct attempt *attempt = memory_allocate(sizeof *attempt);
    for (uint32_t i = 0; i < choices->count; i++) {
        char key[OFFERING_KEY_MAX];
        offering_key(key, choices->items[i].type, choices->items[i].offering);
        struct trial *trial = map_get(pool->offerings, key);
        if (trial == NULL || !trial_runs(trial) || trial->until_ns < failed_after_ns) {
            attempt->trials.count = 0;
            break;
        }
        vector_push(&attempt->trials, trial);
    }
    return attempt;
}

// An offering of the catalog is compatible with the claim, whether or not it is available.
static bool has_offerings(struct arena *arena, const struct instance_type_catalog *catalog,
                          const struct node_claim *claim)
{
    list_for_each (type, &catalog->spec.instance_types)
        list_for_each (offering, &type->offerings)
            if (offering_is_compatible(claim, type, offering) &&
                instance_type_fits(arena, claim, type, offering))
                return true;
    return false;
}

static bool admits(struct launch_backoff *backoff, struct pool_backoff *pool,
                   const struct node_claim *claim, const struct instance_type_catalog *catalog,
                   enum launch_cause cause)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    int64_t failed_after_ns =
        cause == LAUNCH_REPLACEMENT ? ns_subtract(now_ns, REPLACED_NS) : INT64_MIN;
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 14);
    struct offering_choices choices = offering_choices_for(arena, catalog, claim);
    if (choices.count == 0) // the provider's error if nothing is compatible
        return !has_offerings(arena, catalog, claim);
    attempt_begin(backoff, pool, claim, attempt_of(pool, &choices, failed_after_ns));
    return true;
}

static bool pool_admits(struct launch_backoff *backoff, const struct node_pool *pool,
                        const json_t *body, enum launch_cause cause)
{
    struct error error = {0};
    const struct instance_type_catalog *catalog = launch_backoff_catalog(backoff, pool, &error);
    struct object *claim = document_decode(body, DECODE_LENIENT, &error);
    bool admitted = catalog == NULL || claim == NULL ||
                    admits(backoff, map_get(backoff->pools, pool->meta.name),
                           (const struct node_claim *)claim, catalog, cause);
    object_release(claim);
    object_release((const struct object *)catalog);
    return admitted;
}

// --- plans ---------------------------------------------------------------------------------------
// Drops the plans of NodeClaims that were never created: their calls failed or got no answer.
static void drop_lost_plans(struct launch_backoff *backoff, int64_t now_ns)
{
    struct map_entry *next;
    if (ns_subtract(now_ns, backoff->swept_ns) < LOST_NS)
        return;
    backoff->swept_ns = now_ns;
    for (struct map_entry *at = map_first(backoff->planned); at != NULL; at = next) {
        const struct planned *planned = map_value(at);
        next = map_next(at);
        if (ns_subtract(now_ns, planned->since_ns) > LOST_NS &&
            find_claim(backoff->control, map_key(at)) == NULL)
            planned_destroy(map_remove(backoff->planned, map_key(at)));
    }
}

static void note_planned(struct launch_backoff *backoff, const struct node_pool *pool,
                         const char *name)
{
    struct cloud *cloud = backoff->control->cloud;
    struct error error = {0};
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    const struct instance_type_catalog *catalog =
        cloud->operations->instance_types(cloud, pool, &error);
    drop_lost_plans(backoff, now_ns);
    if (catalog == NULL)
        return;
    struct planned *planned = memory_allocate(sizeof *planned);
    *planned = (struct planned){catalog, now_ns};
    planned_destroy(map_set(backoff->planned, name, planned));
}

bool launch_backoff_admits(struct launch_backoff *backoff, const json_t *body,
                           enum launch_cause cause)
{
    const json_t *metadata = json_object_get(body, "metadata");
    const char *pool_name =
        json_string_value(json_object_get(json_object_get(metadata, "labels"), LABEL_NODE_POOL));
    const char *name = json_string_value(json_object_get(metadata, "name"));
    const struct node_pool *pool =
        pool_name != NULL ? find_pool(backoff->control, pool_name) : NULL;
    if (pool == NULL || name == NULL || !backoff->control->strategy->backs_off_launches ||
        map_get(backoff->planned, name) != NULL)
        return true;
    if (map_get(backoff->pools, pool_name) != NULL && !pool_admits(backoff, pool, body, cause))
        return false;
    note_planned(backoff, pool, name);
    return true;
}

void launch_backoff_withdraw(struct launch_backoff *backoff, const char *pool, const char *claim)
{
    struct pool_backoff *entry = map_get(backoff->pools, pool);
    planned_destroy(map_remove(backoff->planned, claim));
    if (entry != NULL)
        attempt_end(entry, claim);
}
