#include "control/launch/launch_backoff.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/nanoseconds.h"
#include "cloud/port/offering_choice.h"
#include "control/launch/launch_backoff_report.h"
#include "control/launch/launch_trials.h"
#include "control/runtime/wakes.h"
#include "model/reading/catalog.h"

#define FORGOTTEN_NS (10 * MINUTE) // after a delay: the next failure is a first one
#define DRY_FIRST_NS (5 * SECOND)  // between attempts of a NodePool that is dry, doubling
#define DRY_MAX_NS   (30 * SECOND)

struct spacing { // delays after the first, second, further failures
    const char *reason;
    int64_t first_ns, second_ns, maximum_ns; // doubling from the second
};
static const struct spacing no_capacity = {"no capacity", 10 * SECOND, 20 * SECOND, 3 * MINUTE};
static const struct spacing spacings[] = {
    {"nodeclass_not_ready", 10 * SECOND, 20 * SECOND, 3 * MINUTE},
    {"launch_timeout", 30 * SECOND, MINUTE, HOUR},
    {"registration_timeout", 0, 5 * MINUTE, HOUR},
};

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct launch_backoff *backoff = context;
    (void)new_object;
    struct pool_backoff *pool =
        change == MIRROR_DELETED ? map_remove(backoff->pools, old_object->meta.name) : NULL;
    if (pool != NULL)
        pool_backoff_destroy(pool);
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    (void)new_object;
    struct launch_backoff *backoff = context;
    if (change != MIRROR_DELETED)
        return;
    planned_destroy(map_remove(backoff->planned, old_object->meta.name));
    struct pool_backoff *pool = pool_backoff_of(backoff, (const struct node_claim *)old_object);
    if (pool != NULL)
        attempt_end(pool, old_object->meta.name);
}

struct launch_backoff *launch_backoff_create(struct control *control)
{
    struct launch_backoff *backoff = memory_allocate(sizeof *backoff);
    backoff->control = control;
    backoff->pools = map_create();
    backoff->planned = map_create();
    return backoff;
}

void launch_backoff_observe(struct launch_backoff *backoff)
{
    struct control *control = backoff->control;
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, backoff);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, backoff);
    launch_backoff_begin_report(backoff);
}

void launch_backoff_destroy(struct launch_backoff *backoff)
{
    if (backoff == NULL)
        return;
    map_destroy(backoff->pools, pool_backoff_destroy);
    map_destroy(backoff->planned, planned_destroy);
    free(backoff);
}

// --- outcomes ------------------------------------------------------------------------------------
// API times are whole seconds.
static bool was_created_before_failure(const struct trial *trial, const struct node_claim *claim)
{
    return claim->meta.creation_timestamp < ns_truncate(trial->failed_at, SECOND);
}

// Records a failure; false if the NodeClaim belongs to a wave whose failure already counts.
static bool record_failure(const struct launch_backoff *backoff, struct trial *trial,
                           const struct spacing *spacing, double pace,
                           const struct node_claim *claim)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    if (claim->meta.creation_timestamp >
        ns_add(ns_add(trial->failed_at, trial->delay_ns), FORGOTTEN_NS))
        trial->failures = 0;
    if (trial->failures > 0 &&
        (now_ns < trial->until_ns || was_created_before_failure(trial, claim)))
        return false;
    int64_t delay = trial->failures == 0 ? spacing->first_ns : spacing->second_ns;
    for (uint32_t i = 1; i < trial->failures && delay < spacing->maximum_ns; i++)
        delay = ns_multiply(2, delay);
    delay = delay < spacing->maximum_ns ? delay : spacing->maximum_ns;
    trial->failures++;
    trial->successes = 0;
    trial->delay_ns = (int64_t)((double)delay * pace);
    trial->until_ns = ns_add(now_ns, trial->delay_ns);
    trial->failed_at = manager_now(&backoff->control->manager);
    return true;
}

// No remaining offering has capacity: attempts follow one another.
static void note_dry(const struct launch_backoff *backoff, struct pool_backoff *pool)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop), delay = DRY_FIRST_NS;
    if (!pool->is_dry || now_ns < pool->dry_until_ns)
        return;
    for (uint32_t i = 0; i < pool->dry_failures && delay < DRY_MAX_NS; i++)
        delay = ns_multiply(2, delay);
    pool->dry_failures++;
    delay = delay < DRY_MAX_NS ? delay : DRY_MAX_NS;
    pool->dry_until_ns = ns_add(now_ns, (int64_t)((double)delay * pool->pace));
}

// The last one is shown, as long as an offering fails that it is about.
static void take_advice(struct pool_backoff *pool, const char *advice)
{
    if (text_is_empty(advice) || text_equal(advice, pool->advice))
        return;
    free(pool->advice);
    pool->advice = memory_copy_string(advice);
}

void launch_backoff_on_shortage(struct launch_backoff *backoff, shortage_listener listener,
                                void *context)
{
    assert(listener == NULL || backoff->listener == NULL);
    backoff->listener = listener;
    backoff->listener_context = context;
}

void launch_backoff_no_capacity(struct launch_backoff *backoff, const struct node_claim *claim,
                                const char *answer, const char *advice)
{
    struct control *control = backoff->control;
    if (backoff->listener != NULL)
        backoff->listener(backoff->listener_context, claim, answer);
    const struct node_pool *pool = pool_of_claim(control, claim);
    struct planned *planned = map_remove(backoff->planned, claim->meta.name);
    if (pool == NULL || planned == NULL || !control->strategy->backs_off_launches) {
        planned_destroy(planned);
        return;
    }
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 14);
    struct offering_choices choices = offering_choices_for(arena, planned->catalog, claim);
    struct pool_backoff *entry = pool_backoff_make(backoff, (const struct object *)pool);
    attempt_end(entry, claim->meta.name);
    for (uint32_t i = 0; i < choices.count; i++) {
        char key[OFFERING_KEY_MAX];
        offering_key(key, choices.items[i].type, choices.items[i].offering);
        struct trial *trial = map_ensure(entry->offerings, key, sizeof *trial);
        record_failure(backoff, trial, &no_capacity, entry->pace, claim);
        trial->is_advised = !text_is_empty(advice);
    }
    take_advice(entry, advice);
    if (choices.count > 0)
        note_dry(backoff, entry);
    entry->outdated = true;
    planned_destroy(planned);
    log_debug("leaving out offerings without capacity", "s:controller", "nodeclaim.lifecycle",
              "o:NodeClaim", claim->meta.name, "o:NodePool", pool->meta.name, "i:offerings",
              (int64_t)choices.count);
}

// LIF-440: an event of the NodePool names the reason why nothing is launched.
static void publish_delay(struct control *control, const struct node_pool *pool,
                          const struct trial *trial, int64_t now_ns, const char *reason)
{
    char delay[DURATION_TEXT_MAX];
    duration_format(ns_subtract(trial->until_ns, now_ns), delay);
    log_info("backing off from launches", "s:controller", "nodeclaim.lifecycle", "o:NodePool",
             pool->meta.name, "s:reason", reason, "s:duration", delay);
    publish_keyed(&control->manager, (const struct object *)pool, EVENT_LAUNCH_BACK_OFF,
                  pool->meta.uid,
                  "Nothing is launched for %s, after %u attempt(s) in a row that failed (%s)",
                  delay, trial->failures, reason);
}

void launch_backoff_failed(struct launch_backoff *backoff, const struct node_claim *claim,
                           const char *reason)
{
    struct control *control = backoff->control;
    const struct node_pool *pool = pool_of_claim(control, claim);
    if (pool == NULL || !control->strategy->backs_off_launches)
        return;
    const struct spacing *spacing = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(spacings); i++)
        if (text_equal(spacings[i].reason, reason))
            spacing = &spacings[i];
    struct pool_backoff *entry = pool_backoff_make(backoff, (const struct object *)pool);
    attempt_end(entry, claim->meta.name);
    if (spacing == NULL || !record_failure(backoff, &entry->whole, spacing, 1, claim))
        return;
    entry->whole_reason = spacing->reason;
    entry->outdated = true;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    if (entry->whole.until_ns > now_ns)
        publish_delay(control, pool, &entry->whole, now_ns, reason);
}

static void end_whole(struct pool_backoff *pool)
{
    pool->whole = (struct trial){.attempts = pool->whole.attempts};
    pool->outdated = true;
}

// More offerings are available than the last plan had: pending pods need not wait for the next
// periodic pass.
static void trigger_pass(const struct launch_backoff *backoff, const struct node_claim *claim)
{
    wake(&backoff->control->manager, WAKE_PROVISIONER, claim->meta.uid);
}

static void note_launched(const struct launch_backoff *backoff, struct pool_backoff *pool,
                          const struct node_claim *claim, bool was_attempt)
{
    const struct object *object = (const struct object *)claim;
    char key[OFFERING_KEY_MAX];
    offering_key_of(key, object_label(object, LABEL_INSTANCE_TYPE),
                    object_label(object, LABEL_ZONE), object_label(object, LABEL_CAPACITY_TYPE));
    struct trial *trial = map_get(pool->offerings, key);
    if (trial == NULL || !trial_runs(trial) ||
        (!was_attempt && claim->meta.creation_timestamp <= trial->failed_at))
        return;
    trial->failures = 0;
    trial->successes++;
    trial->until_ns = loop_monotonic_ns(backoff->control->manager.loop);
    pool->outdated = true;
}

void launch_backoff_launched(struct launch_backoff *backoff, const struct node_claim *claim)
{
    struct pool_backoff *entry = pool_backoff_of(backoff, claim);
    planned_destroy(map_remove(backoff->planned, claim->meta.name));
    if (entry == NULL)
        return;
    bool was_attempt = attempt_launched(entry, claim->meta.name);
    note_launched(backoff, entry, claim, was_attempt);
    entry->dry_failures = 0;
    entry->dry_until_ns = 0;
    if (whole_runs(entry) && !text_equal(entry->whole_reason, "registration_timeout"))
        end_whole(entry);
    if (was_attempt || entry->outdated)
        trigger_pass(backoff, claim);
}

void launch_backoff_registered(struct launch_backoff *backoff, const struct node_claim *claim)
{
    struct pool_backoff *entry = pool_backoff_of(backoff, claim);
    if (entry == NULL)
        return;
    attempt_end(entry, claim->meta.name);
    if (entry->whole.failures == 0)
        return;
    end_whole(entry);
    trigger_pass(backoff, claim);
}
