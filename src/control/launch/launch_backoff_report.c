#include "control/launch/launch_backoff_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "control/launch/launch_backoff_catalog.h"
#include "control/launch/launch_trials.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"
#include "reconcile/operations.h"

#define NAMED_MAX 3
#define LOOK_NS   MINUTE // the condition ends without an event

// --- the NodePool --------------------------------------------------------------------------------
static void name_offerings(const struct pool_backoff *pool, struct text *out)
{
    uint32_t named = 0, failed = 0;
    for (struct map_entry *at = map_first(pool->offerings); at != NULL; at = map_next(at)) {
        const struct trial *trial = map_value(at);
        if (trial->failures == 0)
            continue;
        if (named < NAMED_MAX) {
            text_format(out, "%s%s", named == 0 ? ": " : ", ", map_key(at));
            named++;
        }
        failed++;
    }
    if (failed > named)
        text_format(out, " and %u other(s)", failed - named);
}

static void add_advice(const struct pool_backoff *pool, struct text *out)
{
    bool applies = false;
    for (struct map_entry *at = map_first(pool->offerings); at != NULL; at = map_next(at)) {
        const struct trial *trial = map_value(at);
        applies = applies || (trial->failures > 0 && trial->is_advised);
    }
    if (applies && pool->advice != NULL)
        text_format(out, "; %s", pool->advice);
}

// False: nothing fails. The text has no times: they would change it at each evaluation.
static bool describe(const struct pool_backoff *pool, struct text *out)
{
    if (whole_runs(pool)) {
        text_format(out, "launches fail (%s); one NodeClaim at a time is tried, ever more seldom",
                    pool->whole_reason);
        return true;
    }
    if (pool->failing == 0)
        return false;
    text_format(out, "there was no capacity in %u of %u offerings", pool->failing, pool->offered);
    name_offerings(pool, out);
    text_add(out, "; they are tried by one NodeClaim at a time, ever more seldom");
    add_advice(pool, out);
    return true;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct launch_backoff *backoff = context;
    struct control *control = backoff->control;
    const char *name = work_item_key(item);
    const struct node_pool *pool = find_pool(control, name);
    struct error unread = {0};
    (void)error;
    if (pool == NULL || !managed_pool(control, pool))
        return reconcile_done();
    object_release((const struct object *)launch_backoff_catalog(backoff, pool, &unread));
    const struct pool_backoff *entry = map_get(backoff->pools, name);
    struct text message = {0};
    bool backs_off = entry != NULL && describe(entry, &message);
    struct arena *arena CLEANUP_ARENA = arena_create(2048);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)pool, &pool->status.conditions,
                    manager_now(&control->manager));
    if (backs_off)
        conditions_set(&conditions, CONDITION_LAUNCH_BACK_OFF, "True",
                       whole_runs(entry) ? CONDITION_REASON_LAUNCHES_FAIL
                                         : CONDITION_REASON_INSUFFICIENT_CAPACITY,
                       message.data);
    else
        conditions_clear(&conditions, CONDITION_LAUNCH_BACK_OFF);
    struct reconcile_result result = backs_off ? reconcile_after(LOOK_NS) : reconcile_done();
    if (conditions.changed) {
        json_t *body = json_locked((const struct object *)pool);
        json_object_set_new(body, "status",
                            json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
        result = start_patch_status(&(struct operation_about){.manager = &control->manager,
                                                              .item = item,
                                                              .doing = "telling of launches"},
                                    (const struct object *)pool, body);
    }
    conditions_free(&conditions);
    text_free(&message);
    return result;
}

// A restart must not cause a wave of launches: the condition tells whether a pool without other
// records has failures.
static void read_predecessor(struct launch_backoff *backoff, const struct node_pool *pool)
{
    const struct condition *condition =
        condition_find(&pool->status.conditions, CONDITION_LAUNCH_BACK_OFF);
    bool failed = condition != NULL && text_equal(condition->status, "True");
    struct pool_backoff *entry = map_get(backoff->pools, pool->meta.name);
    if (entry == NULL && failed)
        entry = pool_backoff_make(backoff, (const struct object *)pool);
    else if (entry == NULL || !entry->inherits)
        return;
    entry->inherits = failed;
    entry->outdated = true;
}

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct launch_backoff *backoff = context;
    (void)change;
    if (new_object != NULL)
        read_predecessor(backoff, (const struct node_pool *)new_object);
    if (old_object == NULL || new_object == NULL ||
        condition_find(&((const struct node_pool *)new_object)->status.conditions,
                       CONDITION_LAUNCH_BACK_OFF))
        reconcile_queue_add(backoff->queue,
                            (new_object != NULL ? new_object : old_object)->meta.name);
}

void launch_backoff_begin_report(struct launch_backoff *backoff)
{
    struct control *control = backoff->control;
    if (!control->strategy->backs_off_launches)
        return;
    backoff->queue = manager_queue(
        &control->manager,
        &(struct reconcile_queue_options){.name = "nodepool.launchbackoff",
                                          .kind = "NodePool",
                                          .concurrency = manager_scale(&control->manager, 10, 1000),
                                          .reconcile = reconcile,
                                          .context = backoff});
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, backoff);
}

// --- pods ----------------------------------------------------------------------------------------
// The reason is unrelated to offerings.
static bool is_other_reason(enum reason_code code)
{
    return code != REASON_NO_OFFERING && code != REASON_INSUFFICIENT_RESOURCES &&
           code != REASON_RESERVED_EXHAUSTED && code != REASON_MIN_VALUES;
}

// For a NodePool without any type there is no reason: this checks the pod's own constraints.
static bool suits(const struct pod *pod, const struct node_pool *pool)
{
    list_for_each (taint, &pool->spec.template.spec.taints)
        if (!text_equal(taint->effect, "PreferNoSchedule") &&
            !tolerations_tolerate(&pod->spec.tolerations, taint))
            return false;
    list_for_each (wanted, &pod->spec.node_selector) {
        const char *label = text_equal(wanted->key, LABEL_NODE_POOL)
                                ? pool->meta.name
                                : string_map_get(&pool->spec.template.metadata.labels, wanted->key);
        if (label != NULL && !text_equal(label, wanted->value))
            return false;
    }
    return true;
}

static bool concerns(const struct plan_unschedulable *entry, const struct node_pool *pool)
{
    list_for_each (reason, &entry->reasons)
        if (text_equal(reason->node_pool, pool->meta.name))
            return !is_other_reason(reason->code);
    return suits(entry->pod, pool);
}

bool launch_backoff_any(const struct launch_backoff *backoff)
{
    if (backoff == NULL)
        return false;
    for (struct map_entry *at = map_first(backoff->pools); at != NULL; at = map_next(at)) {
        const struct pool_backoff *pool = map_value(at);
        if (pool->failing > 0 || whole_runs(pool))
            return true;
    }
    return false;
}

void launch_backoff_explain(const struct launch_backoff *backoff,
                            const struct plan_unschedulable *entry, struct text *out)
{
    for (struct map_entry *at = map_first(backoff->pools); at != NULL; at = map_next(at)) {
        const struct pool_backoff *backed_off = map_value(at);
        const struct node_pool *pool = find_pool(backoff->control, map_key(at));
        struct text text = {0};
        if (pool != NULL && !pool->spec.replicas.present && concerns(entry, pool) &&
            describe(backed_off, &text))
            text_format(out, "; NodePool %s waits: %s", pool->meta.name, text.data);
        text_free(&text);
    }
}
