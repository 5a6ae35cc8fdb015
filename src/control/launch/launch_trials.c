#include "control/launch/launch_trials.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/reading/catalog.h"

#define JITTER 0.1 // of a delay, at most

void pool_backoff_destroy(void *value)
{
    struct pool_backoff *pool = value;
    object_release((const struct object *)pool->provided);
    object_release((const struct object *)pool->reduced);
    map_destroy(pool->attempts, attempt_destroy);
    map_destroy(pool->offerings, free);
    free(pool->uid);
    free(pool->advice);
    free(pool);
}

struct pool_backoff *pool_backoff_of(const struct launch_backoff *backoff,
                                     const struct node_claim *claim)
{
    const char *name = object_label((const struct object *)claim, LABEL_NODE_POOL);
    return name != NULL ? map_get(backoff->pools, name) : NULL;
}

struct pool_backoff *pool_backoff_make(struct launch_backoff *backoff, const struct object *pool)
{
    struct pool_backoff *entry = map_get(backoff->pools, pool->meta.name);
    if (entry != NULL && text_equal(entry->uid, pool->meta.uid))
        return entry;
    if (entry != NULL)
        pool_backoff_destroy(map_remove(backoff->pools, pool->meta.name));
    entry = memory_allocate(sizeof *entry);
    entry->uid = memory_copy_string(pool->meta.uid);
    entry->pace = 1 - JITTER * random_unit(&backoff->control->manager.random);
    entry->offerings = map_create();
    entry->attempts = map_create();
    map_set(backoff->pools, pool->meta.name, entry);
    return entry;
}

void offering_key_of(char out[OFFERING_KEY_MAX], const char *type, const char *zone,
                     const char *capacity_type)
{
    snprintf(out, OFFERING_KEY_MAX, "%s/%s/%s", type != NULL ? type : "", zone != NULL ? zone : "",
             capacity_type != NULL ? capacity_type : "");
}

void offering_key(char out[OFFERING_KEY_MAX], const struct instance_type *type,
                  const struct offering *offering)
{
    offering_key_of(out, type->name, requirement_single_value(&offering->requirements, LABEL_ZONE),
                    requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE));
}

bool trial_runs(const struct trial *trial)
{
    return trial->failures > 0 || (trial->successes > 0 && trial->successes < TRIAL_PASSED);
}

bool trial_admits(const struct trial *trial, int64_t now_ns)
{
    return now_ns >= trial->until_ns &&
           trial->attempts < ATTEMPTS_FIRST + ATTEMPTS_MORE * trial->successes;
}

// If the first failure has no delay, it starts no trial.
bool whole_runs(const struct pool_backoff *pool)
{
    return pool->whole.failures > 0 && pool->whole.delay_ns > 0;
}

// --- attempts ------------------------------------------------------------------------------------
void attempt_destroy(void *value)
{
    struct attempt *attempt = value;
    vector_free(&attempt->trials);
    free(attempt);
}

void attempt_end(struct pool_backoff *pool, const char *claim)
{
    struct attempt *attempt = map_remove(pool->attempts, claim);
    if (attempt == NULL)
        return;
    vector_for_each (trial, &attempt->trials)
        (*trial)->attempts--;
    attempt_destroy(attempt);
    pool->outdated = true;
}

// The launch settles the offerings' trials; registration settles the pool's.
bool attempt_launched(struct pool_backoff *pool, const char *claim)
{
    struct attempt *attempt = map_get(pool->attempts, claim);
    if (attempt == NULL)
        return false;
    bool is_of_whole = false;
    vector_for_each (trial, &attempt->trials) {
        if (*trial == &pool->whole)
            is_of_whole = true;
        else
            (*trial)->attempts--;
    }
    attempt->trials.count = 0;
    if (is_of_whole)
        vector_push(&attempt->trials, &pool->whole);
    else
        attempt_destroy(map_remove(pool->attempts, claim));
    pool->outdated = true;
    return true;
}

void planned_destroy(void *value)
{
    struct planned *planned = value;
    if (planned != NULL)
        object_release((const struct object *)planned->catalog);
    free(planned);
}
