#include "control/nodeclaim/consistency.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"
#include "reconcile/operations.h"

#define PERIOD_NS     (10 * MINUTE)
#define SHARE_MINIMUM 0.90

struct check { // of one NodeClaim
    char *uid;
    int64_t at_ns; // monotonic
};

struct consistency {
    struct control *control;
    struct reconcile_queue *queue;
    struct map *checks; // by NodeClaim name
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct consistency *consistency = context;
    (void)change;
    const struct node_claim *before = (const struct node_claim *)old_object;
    const struct node_claim *claim = (const struct node_claim *)new_object;
    bool was =
        before != NULL && condition_is_true(&before->status.conditions, CONDITION_INITIALIZED);
    bool is = claim != NULL && condition_is_true(&claim->status.conditions, CONDITION_INITIALIZED);
    if (claim == NULL || was != is || before == NULL)
        reconcile_queue_add(consistency->queue,
                            (claim != NULL ? new_object : old_object)->meta.name);
}

struct consistency *consistency_create(struct control *control)
{
    struct consistency *consistency = memory_allocate(sizeof *consistency);
    consistency->control = control;
    consistency->checks = map_create();
    consistency->queue = manager_queue(
        &control->manager,
        &(struct reconcile_queue_options){.name = "nodeclaim.consistency",
                                          .kind = "NodeClaim",
                                          .concurrency = manager_scale(&control->manager, 10, 1000),
                                          .reconcile = reconcile,
                                          .context = consistency});
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, consistency);
    return consistency;
}

static void check_destroy(void *value)
{
    free(((struct check *)value)->uid);
    free(value);
}

void consistency_destroy(struct consistency *consistency)
{
    if (consistency == NULL)
        return;
    map_destroy(consistency->checks, check_destroy);
    free(consistency);
}

bool node_shape_issue(const struct node_claim *claim, const struct node *node, uint32_t *at,
                      struct text *issue)
{
    const struct resource_map *requests = &claim->spec.resources.requests;
    while (*at < requests->count) {
        const struct resource_quantity *resource = &requests->items[(*at)++];
        int64_t expected = resource_map_get(&claim->status.capacity, resource->name);
        int64_t found = resource_map_get(&node->status.capacity, resource->name);
        if (resource->value == 0 || expected == 0 ||
            (double)found / (double)expected >= SHARE_MINIMUM)
            continue;
        char expected_text[QUANTITY_TEXT_MAX], found_text[QUANTITY_TEXT_MAX];
        quantity_format(resource->name, expected, expected_text);
        quantity_format(resource->name, found, found_text);
        text_format(issue, "expected %s of resource %s, but found %s (%.1f%% of expected)",
                    expected_text, resource->name, found_text,
                    100.0 * (double)found / (double)expected);
        return true;
    }
    return false;
}

// Publishes an event for each issue.
static bool report_issues(struct control *control, const struct node_claim *claim,
                          const struct node *node)
{
    struct text issue = {0};
    uint32_t at = 0;
    bool any = false;
    for (; node_shape_issue(claim, node, &at, &issue); text_clear(&issue)) {
        any = true;
        log_info("failed consistency check", "s:controller", "nodeclaim.consistency", "o:NodeClaim",
                 claim->meta.name, "s:error", issue.data);
        publish(&control->manager, (const struct object *)claim, EVENT_FAILED_CONSISTENCY_CHECK,
                "%s", issue.data);
    }
    text_free(&issue);
    return any;
}

static struct reconcile_result write_condition(struct consistency *consistency,
                                               struct work_item *item,
                                               const struct node_claim *claim, bool fails)
{
    struct control *control = consistency->control;
    struct arena *arena CLEANUP_ARENA = arena_create(2048);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)claim, &claim->status.conditions,
                    manager_now(&control->manager));
    bool changed = fails ? conditions_set(&conditions, CONDITION_CONSISTENT_STATE_FOUND, "False",
                                          CONDITION_REASON_CONSISTENCY_CHECK_FAILED,
                                          "Consistency Check Failed")
                         : conditions_set_true(&conditions, CONDITION_CONSISTENT_STATE_FOUND);
    struct reconcile_result result = reconcile_after(PERIOD_NS);
    if (changed) {
        json_t *body = json_locked((const struct object *)claim);
        json_object_set_new(body, "status",
                            json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
        result = start_patch_status(&(struct operation_about){.manager = &control->manager,
                                                              .item = item,
                                                              .doing = "updating consistency"},
                                    (const struct object *)claim, body);
    }
    conditions_free(&conditions);
    return result;
}

// The last check of this NodeClaim is too recent; `*left` is the remaining time.
static bool checked_lately(struct consistency *consistency, const struct node_claim *claim,
                           int64_t *left)
{
    struct check *check = map_get(consistency->checks, claim->meta.name);
    if (check == NULL || !text_equal(check->uid, claim->meta.uid))
        return false;
    *left = ns_subtract(ns_add(check->at_ns, PERIOD_NS),
                        loop_monotonic_ns(consistency->control->manager.loop));
    const struct condition *condition =
        condition_find(&claim->status.conditions, CONDITION_CONSISTENT_STATE_FOUND);
    return *left > 0 && condition != NULL;
}

static void remember(struct consistency *consistency, const struct node_claim *claim)
{
    struct check *check = memory_allocate(sizeof *check);
    *check = (struct check){memory_copy_string(claim->meta.uid),
                            loop_monotonic_ns(consistency->control->manager.loop)};
    struct check *before = map_set(consistency->checks, claim->meta.name, check);
    if (before != NULL)
        check_destroy(before);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct consistency *consistency = context;
    struct control *control = consistency->control;
    (void)error;
    const struct node_claim *claim = find_claim(control, work_item_key(item));
    if (claim == NULL) {
        struct check *check = map_remove(consistency->checks, work_item_key(item));
        if (check != NULL)
            check_destroy(check);
        return reconcile_done();
    }
    const struct node *node = cluster_node_of(control->cluster, claim, NULL);
    int64_t left;
    if (!managed_claim(control, claim) || object_is_deleting((const struct object *)claim) ||
        node == NULL || !condition_is_true(&claim->status.conditions, CONDITION_INITIALIZED))
        return reconcile_done(); // its initialization wakes the queue
    bool retrying = reconcile_queue_failures(consistency->queue, claim->meta.name) > 0;
    if (!retrying && checked_lately(consistency, claim, &left))
        return reconcile_after(left);
    remember(consistency, claim);
    return write_condition(consistency, item, claim, report_issues(control, claim, node));
}
