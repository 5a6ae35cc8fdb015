#include "control/node/node_repair.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "control/state/disruption_counters.h"
#include "model/schema/condition_types.h"
#include "reconcile/operations.h"

#define BLOCKED_RETRY_NS  (5 * MINUTE)
#define UNHEALTHY_PERCENT 20

struct node_repair {
    struct control *control;
    struct reconcile_queue *queue;
    const struct repair_policy *policies;
    uint32_t policies_count;
    struct map *condemned; // Node name -> struct condemnation
};

struct condemnation {           // of a node whose NodeClaim is deleted, or about to be
    const char *condition_type; // the policy's
    bool carried_out;           // the NodeClaim is deleted
};

struct finding { // an unhealthy condition of a node
    const struct condition *condition;
    const char *condition_type; // the policy's
    int64_t due;                // the end of its toleration
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

// LIF-199: heartbeats, labels and taints are irrelevant.
static bool conditions_differ(const condition_list *before, const condition_list *after)
{
    if (before->count != after->count)
        return true;
    list_for_each (condition, after) {
        const struct condition *old = condition_find_named(before, condition->type);
        if (old == NULL || !text_equal(old->status, condition->status) ||
            old->last_transition_time != condition->last_transition_time)
            return true;
    }
    return false;
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct node_repair *repair = context;
    const struct node *before = (const struct node *)old_object;
    const struct node *node = (const struct node *)new_object;
    if (change == MIRROR_DELETED) {
        reconcile_queue_forget(repair->queue, old_object->meta.name);
        free(map_remove(repair->condemned, old_object->meta.name));
    } else if (before == NULL ||
               conditions_differ(&before->status.conditions, &node->status.conditions)) {
        reconcile_queue_add(repair->queue, new_object->meta.name);
    }
}

struct node_repair *node_repair_create(struct control *control)
{
    uint32_t count = 0;
    const struct repair_policy *policies =
        control->manager.settings->gate_node_repair
            ? control->cloud->operations->repair_policies(control->cloud, &count)
            : NULL;
    if (count == 0)
        return NULL;
    struct node_repair *repair = memory_allocate(sizeof *repair);
    repair->control = control;
    repair->policies = policies;
    repair->policies_count = count;
    repair->condemned = map_create();
    repair->queue = manager_queue(
        &control->manager,
        &(struct reconcile_queue_options){.name = "node.health",
                                          .kind = "Node",
                                          .concurrency = manager_scale(&control->manager, 10, 1000),
                                          .backoff_base_ns = 100 * MILLISECOND,
                                          .backoff_max_ns = MINUTE,
                                          .rate = 10,
                                          .burst = 100,
                                          .reconcile = reconcile,
                                          .context = repair});
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, repair);
    return repair;
}

void node_repair_destroy(struct node_repair *repair)
{
    if (repair == NULL)
        return;
    map_destroy(repair->condemned, free);
    free(repair);
}

// LIF-196: of the conditions that a policy matches, the one that is due first.
static struct finding examine(const struct node_repair *repair, const struct node *node)
{
    struct finding finding = {0};
    for (uint32_t i = 0; i < repair->policies_count; i++) {
        const struct repair_policy *policy = &repair->policies[i];
        const struct condition *condition =
            condition_find_named(&node->status.conditions, policy->condition_type);
        if (condition == NULL || !text_equal(condition->status, policy->bad_status))
            continue;
        int64_t due = ns_add(condition->last_transition_time, policy->toleration_ns);
        if (finding.condition == NULL || due < finding.due)
            finding = (struct finding){condition, policy->condition_type, due};
    }
    return finding;
}

// --- the breaker ---------------------------------------------------------------------------------
// LIF-197 for the nodes of a NodePool, or all (`pool` NULL). LIF-452: conditions within their
// toleration and foreign nodes do not count.
static bool breaker_is_open(const struct node_repair *repair, const char *pool)
{
    const struct control *control = repair->control;
    bool by_cluster = control->strategy->limits_repair_by_cluster;
    int64_t now = manager_now(&control->manager);
    uint32_t nodes = 0, unhealthy = 0;
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE, &iterator)) != NULL;) {
        const struct node *node = (const struct node *)object;
        if (pool != NULL ? !text_equal(object_label(object, LABEL_NODE_POOL), pool)
                         : by_cluster && !managed_node(control, node))
            continue;
        struct finding finding = examine(repair, node);
        nodes++;
        unhealthy += finding.condition != NULL && (!by_cluster || finding.due <= now);
    }
    return unhealthy > (nodes * UNHEALTHY_PERCENT + 99) / 100;
}

// LIF-460: once on each object concerned.
static void publish_blocked(const struct node_repair *repair, const struct node *node,
                            const struct node_claim *claim, bool in_pool)
{
    const struct object *about[] = {(const struct object *)node, (const struct object *)claim,
                                    (const struct object *)pool_of_claim(repair->control, claim)};
    for (size_t i = 0; i < ARRAY_LENGTH(about); i++) {
        if (about[i] == NULL)
            continue;
        publish_keyed(&repair->control->manager, about[i], EVENT_NODE_REPAIR_BLOCKED,
                      about[i]->meta.uid, "more than %d%% nodes are unhealthy in the %s",
                      UNHEALTHY_PERCENT, in_pool ? "nodepool" : "cluster");
    }
}

// LIF-197. LIF-452: the NodePool's breaker is not enough, since many small pools may fail at once.
static bool repair_is_blocked(const struct node_repair *repair, const struct node *node,
                              const struct node_claim *claim)
{
    const char *pool = object_label((const struct object *)claim, LABEL_NODE_POOL);
    bool in_pool = pool != NULL && breaker_is_open(repair, pool);
    bool asks_cluster = pool == NULL || repair->control->strategy->limits_repair_by_cluster;
    if (!in_pool && !(asks_cluster && breaker_is_open(repair, NULL)))
        return false;
    publish_blocked(repair, node, claim, in_pool);
    return true;
}

// --- the repair ----------------------------------------------------------------------------------
static void snake_case(const char *camel, struct text *out)
{
    for (const char *at = camel; *at != '\0'; at++) {
        bool starts_word = isupper((unsigned char)*at) && at != camel &&
                           (!isupper((unsigned char)at[-1]) || islower((unsigned char)at[1]));
        if (starts_word)
            text_add_char(out, '_');
        text_add_char(out, (char)tolower((unsigned char)*at));
    }
}

static enum operation_outcome note_deleted(void *context, const char *key,
                                           const struct kube_result *result)
{
    struct node_repair *repair = context;
    struct control *control = repair->control;
    const struct node *node = find_node(control, key);
    const struct node_claim *claim =
        node != NULL ? cluster_claim_of(control->cluster, node, NULL) : NULL;
    struct condemnation *condemnation = map_get(repair->condemned, key);
    if (result->error.kind != ERROR_NONE || claim == NULL || condemnation == NULL)
        return OPERATION_PASS;
    condemnation->carried_out = true;
    const char *pool = object_label((const struct object *)claim, LABEL_NODE_POOL);
    const char *capacity_type = object_label((const struct object *)claim, LABEL_CAPACITY_TYPE);
    struct text type = {0};
    snake_case(condemnation->condition_type, &type);
    log_info("deleting unhealthy node", "s:controller", "node.health", "o:Node", key, "o:NodeClaim",
             claim->meta.name, "s:condition", condemnation->condition_type);
    count_disrupted_node(control, claim, "unhealthy");
    metric_add(control->metrics.node_claims_unhealthy_disrupted, 1, type.data, pool, capacity_type,
               claim->status.image_id);
    text_free(&type);
    return OPERATION_PASS;
}

// LIF-198: a later deadline, by terminationGracePeriod, is overwritten; so is an unreadable one.
static bool deadline_has_passed(const struct node_claim *claim, int64_t now)
{
    const char *text =
        object_annotation((const struct object *)claim, ANNOTATION_TERMINATION_TIMESTAMP);
    int64_t deadline;
    return text != NULL && instant_parse(text, &deadline, NULL) && deadline <= now;
}

static struct reconcile_result set_deadline(const struct operation_about *about,
                                            const struct node_claim *claim, int64_t now)
{
    char text[INSTANT_TEXT_MAX];
    instant_format(now, text);
    json_t *body = json_locked((const struct object *)claim);
    json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_TERMINATION_TIMESTAMP,
                        json_string(text));
    log_info("annotated nodeclaim", "s:controller", "node.health", "o:NodeClaim", claim->meta.name,
             "s:" ANNOTATION_TERMINATION_TIMESTAMP, text);
    return start_patch(about, (const struct object *)claim, NULL, body);
}

static struct reconcile_result delete_claim(struct node_repair *repair, struct work_item *item,
                                            const struct node_claim *claim,
                                            const char *condition_type)
{
    struct condemnation *condemnation = memory_allocate(sizeof *condemnation);
    condemnation->condition_type = condition_type;
    free(map_set(repair->condemned, work_item_key(item), condemnation));
    return start_delete(&(struct operation_about){.manager = &repair->control->manager,
                                                  .item = item,
                                                  .doing = "deleting unhealthy node",
                                                  .record = note_deleted,
                                                  .context = repair},
                        (const struct object *)claim, -1);
}

static bool is_condemned(const struct node_repair *repair, const struct node *node)
{
    const struct condemnation *condemnation = map_get(repair->condemned, node->meta.name);
    return condemnation != NULL && condemnation->carried_out;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct node_repair *repair = context;
    struct control *control = repair->control;
    const struct node *node = find_node(control, work_item_key(item));
    (void)error;
    if (node == NULL)
        return reconcile_done();
    struct finding finding = examine(repair, node);
    bool condemned = is_condemned(repair, node);
    if (finding.condition == NULL && !condemned)
        return reconcile_done();
    int64_t now = manager_now(&control->manager);
    if (!condemned && now < finding.due)
        return reconcile_after(ns_subtract(finding.due, now));
    const struct node_claim *claim = cluster_claim_of(control->cluster, node, NULL);
    if (claim == NULL || !managed_claim(control, claim))
        return reconcile_done();
    bool deleting = object_is_deleting((const struct object *)claim);
    if (deleting && deadline_has_passed(claim, now))
        return reconcile_done();
    if (!deleting && condemned)
        return reconcile_after(SECOND); // the mirror does not show its deletion yet
    if (!condemned && repair_is_blocked(repair, node, claim))
        return reconcile_after(BLOCKED_RETRY_NS);
    if (!deleting)
        return delete_claim(repair, item, claim, finding.condition_type);
    return set_deadline(&(struct operation_about){.manager = &control->manager,
                                                  .item = item,
                                                  .doing = "annotating nodeclaim"},
                        claim, now);
}
