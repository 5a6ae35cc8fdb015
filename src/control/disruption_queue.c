#include "control/disruption_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "control/cluster.h"
#include "control/conditions.h"
#include "control/disruption.h"
#include "control/drain.h"
#include "control/operations.h"

// How long a command is looked at before it is carried out (DIS-260). Upstream waits 15 s, during
// which anything may be scheduled to the node. With the taint in place what may change is what
// people and budgets say, so less will do.
#define VALIDATION_UPSTREAM_NS (15 * SECOND)
#define VALIDATION_NS          (3 * SECOND)

static const struct event_text terminating = {.reason = "DisruptionTerminating"};

struct disruption_queue {
    struct control *control;
    struct reconcile_queue *queue;
    struct map *commands; // by Node name
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

// A node that vanishes ends its command (DIS-720).
static void on_change(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object)
{
    struct disruption_queue *queue = context;
    (void)change;
    (void)new_object;
    if (old_object != NULL && map_get(queue->commands, old_object->meta.name) != NULL)
        reconcile_queue_add(queue->queue, old_object->meta.name);
}

struct disruption_queue *disruption_queue_create(struct control *control)
{
    struct disruption_queue *queue = memory_allocate(sizeof *queue);
    queue->control = control;
    queue->commands = map_create();
    queue->queue = control_queue(
        control, &(struct reconcile_queue_options){.name = "disruption.queue",
                                                   .kind = "Node",
                                                   .concurrency = control_scale(control, 100, 1000),
                                                   .backoff_base_ns = SECOND,
                                                   .backoff_max_ns = 10 * SECOND,
                                                   .rate = 100,
                                                   .burst = 1000,
                                                   .reconcile = reconcile,
                                                   .context = queue});
    mirror_on_change(control->mirror, KIND_NODE, on_change, queue);
    return queue;
}

static void command_destroy(void *value)
{
    struct disruption_command *command = value;
    free(command->node);
    free(command->claim);
    free(command->claim_uid);
    free(command->pool);
    free(command->instance_type);
    free(command->capacity_type);
    free(command);
}

void disruption_queue_destroy(struct disruption_queue *queue)
{
    if (queue == NULL)
        return;
    map_destroy(queue->commands, command_destroy);
    free(queue);
}

static const char *policy_label(const char *policy)
{
    if (text_equal(policy, "WhenEmpty"))
        return "when_empty";
    return text_equal(policy, "Balanced") ? "balanced" : "when_empty_or_underutilized";
}

void disruption_queue_add(struct disruption_queue *queue,
                          const struct disruption_candidate *candidate, const char *reason,
                          const char *consolidation)
{
    const char *node = candidate->node->meta.name;
    if (map_get(queue->commands, node) != NULL)
        return; // DIS-310
    struct disruption_command *command = memory_allocate(sizeof *command);
    const struct object *claim = (const struct object *)candidate->claim;
    random_uuid(&queue->control->random, command->id);
    command->reason = reason;
    command->consolidation = consolidation;
    command->node = memory_copy_string(node);
    command->claim = memory_copy_string(claim->meta.name);
    command->claim_uid = memory_copy_string(claim->meta.uid);
    command->pool = memory_copy_string(candidate->pool->pool->meta.name);
    command->instance_type = memory_copy_string(object_label(claim, LABEL_INSTANCE_TYPE));
    command->capacity_type = memory_copy_string(object_label(claim, LABEL_CAPACITY_TYPE));
    command->policy = policy_label(candidate->pool->pool->spec.disruption.consolidation_policy);
    command->pods = candidate->reschedulable;
    map_set(queue->commands, node, command);
    reconcile_queue_add(queue->queue, node);
}

bool disruption_queue_has(const struct disruption_queue *queue, const char *node)
{
    return map_get(queue->commands, node) != NULL;
}

uint32_t disruption_queue_count(const struct disruption_queue *queue)
{
    return (uint32_t)map_count(queue->commands);
}

struct disruption_command *disruption_queue_next(const struct disruption_queue *queue,
                                                 struct map_entry **position)
{
    *position = *position == NULL ? map_first(queue->commands) : map_next(*position);
    return *position != NULL ? map_value(*position) : NULL;
}

bool command_is_due(const struct disruption_queue *queue, const struct disruption_command *command)
{
    return command->phase == COMMAND_WAIT &&
           loop_monotonic_ns(queue->control->loop) >= command->due_ns;
}

int64_t disruption_queue_next_due(const struct disruption_queue *queue)
{
    int64_t due = INT64_MAX;
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = disruption_queue_next(queue, &position)) != NULL;)
        if (command->phase == COMMAND_WAIT && command->due_ns < due)
            due = command->due_ns;
    return due;
}

// DIS-300, DIS-309, DIS-380, DIS-381.
void disruption_queue_confirm(struct disruption_queue *queue, struct disruption_command *command)
{
    struct control *control = queue->control;
    struct text text = {0};
    text_format(&text, "%s/%s: delete: nodepools=[%s]: [%s] (savings: $0.00)", command->reason,
                command->id, command->pool, command->node);
    json_t *nodes =
        json_pack("[{s:{s:s}, s:{s:s}, s:s, s:s}]", "Node", "name", command->node, "NodeClaim",
                  "name", command->claim, "instance-type",
                  command->instance_type != NULL ? command->instance_type : "", "capacity-type",
                  command->capacity_type != NULL ? command->capacity_type : "");
    char *nodes_text CLEANUP_FREE = json_dumps(nodes, JSON_COMPACT);
    json_decref(nodes);
    log_info("disrupting node(s)", "s:controller", "disruption", "s:command-id", command->id,
             "s:reason", command->reason, "s:command", text.data, "s:decision", "delete",
             "i:disrupted-node-count", INT64_C(1), "i:replacement-node-count", INT64_C(0),
             "i:pod-count", (int64_t)command->pods, "j:disrupted-nodes", nodes_text);
    text_free(&text);
    const char *reason = text_equal(command->reason, "Empty") ? "empty" : command->reason;
    metric_add(control->metrics.disruption_decisions, 1, "delete", reason, command->consolidation);
    metric_add(control->metrics.disruption_decisions_by_pool, 1, command->pool, "delete", reason,
               command->consolidation);
    const struct node *node = find_node(control, command->node);
    struct state_node *state = node != NULL ? cluster_state_of_node(control->cluster, node) : NULL;
    if (state != NULL)
        state->marked = true; // DIS-306
    command->phase = COMMAND_DELETE;
    reconcile_queue_add(queue->queue, command->node);
}

void disruption_queue_cancel(struct disruption_queue *queue, struct disruption_command *command,
                             const char *why)
{
    log_debug("abandoning empty node consolidation attempt, command is no longer valid",
              "s:controller", "disruption", "s:command-id", command->id, "o:Node", command->node,
              "s:reason", why);
    metric_add(queue->control->metrics.disruption_failed_validations, 1, command->consolidation);
    command->phase = COMMAND_ROLLBACK;
    reconcile_queue_add(queue->queue, command->node);
}

// --- writes --------------------------------------------------------------------------------------
static bool balancers_excluded(const struct node *node)
{
    return text_equal(string_map_get(&node->meta.labels, LABEL_EXCLUDE_BALANCERS), "karpenter");
}

// The label of LIF-105 comes along: it is due anyway as soon as the command is confirmed.
static json_t *taint_patch(const struct node *node, const char *id)
{
    static const struct taint disrupted = {.key = TAINT_DISRUPTED, .effect = "NoSchedule"};
    json_t *body = json_locked((const struct object *)node);
    json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_DISRUPTION_COMMAND,
                        json_string(id));
    if (string_map_get(&node->meta.labels, LABEL_EXCLUDE_BALANCERS) == NULL)
        json_object_set_new(json_metadata(body, "labels"), LABEL_EXCLUDE_BALANCERS,
                            json_string("karpenter"));
    json_object_set_new(
        body, "spec",
        json_pack("{s:o}", "taints", json_taints(&node->spec.taints, NULL, &disrupted)));
    return body;
}

json_t *untaint_patch(const struct node *node)
{
    bool marked =
        object_annotation((const struct object *)node, ANNOTATION_DISRUPTION_COMMAND) != NULL;
    const struct taint *taint = find_taint(&node->spec.taints, TAINT_DISRUPTED, "NoSchedule");
    if (!marked) // a taint that is not ours stays (DIS-730)
        return NULL;
    json_t *body = json_locked((const struct object *)node);
    json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_DISRUPTION_COMMAND,
                        json_null());
    if (balancers_excluded(node))
        json_object_set_new(json_metadata(body, "labels"), LABEL_EXCLUDE_BALANCERS, json_null());
    if (taint != NULL)
        json_object_set_new(
            body, "spec",
            json_pack("{s:o}", "taints", json_taints(&node->spec.taints, taint, NULL)));
    return body;
}

json_t *unreason_patch(struct control *control, const struct node_claim *claim)
{
    if (condition_find(&claim->status.conditions, "DisruptionReason") == NULL)
        return NULL;
    struct arena *arena CLEANUP_ARENA = arena_create(2048);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)claim, &claim->status.conditions,
                    control_now(control));
    conditions_clear(&conditions, "DisruptionReason");
    json_t *body = json_locked((const struct object *)claim);
    json_object_set_new(body, "status",
                        json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
    conditions_free(&conditions);
    return body;
}

static json_t *reason_patch(struct control *control, const struct node_claim *claim,
                            const char *reason)
{
    struct arena *arena CLEANUP_ARENA = arena_create(2048);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)claim, &claim->status.conditions,
                    control_now(control));
    conditions_set(&conditions, "DisruptionReason", "True", reason, reason);
    json_t *body = json_locked((const struct object *)claim);
    json_object_set_new(body, "status",
                        json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
    conditions_free(&conditions);
    return body;
}

// --- one command ---------------------------------------------------------------------------------
struct step {
    struct disruption_queue *queue;
    struct disruption_command *command;
    const struct node *node;
    const struct node_claim *claim;
    struct operation_about about;
};

static void forget(struct disruption_queue *queue, const char *node)
{
    struct disruption_command *command = map_remove(queue->commands, node);
    if (command != NULL)
        command_destroy(command);
}

static struct reconcile_result step_taint(struct step *step)
{
    if (find_taint(&step->node->spec.taints, TAINT_DISRUPTED, "NoSchedule") != NULL) {
        step->command->phase = COMMAND_REASON;
        return reconcile_after(0);
    }
    step->about.doing = "tainting node";
    return start_patch(&step->about, (const struct object *)step->node, NULL,
                       taint_patch(step->node, step->command->id));
}

// The reason is there for those whose pods are evicted (LIF-124). A node without any gets along
// without the write: its events and the log tell.
static bool reason_matters(const struct step *step)
{
    const struct control *control = step->queue->control;
    struct drain drain;
    drain_plan(&drain, cluster_pods(control->cluster, step->command->node), 0,
               control_now(control));
    bool matters = drain.waiting > 0 || control->settings->compatibility_upstream;
    drain_free(&drain);
    return matters;
}

static struct reconcile_result step_reason(struct step *step)
{
    struct control *control = step->queue->control;
    const struct condition *condition =
        condition_find(&step->claim->status.conditions, "DisruptionReason");
    bool matters = condition != NULL || reason_matters(step);
    if (matters && (condition == NULL || !text_equal(condition->reason, step->command->reason))) {
        step->about.doing = "updating disruption reason";
        return start_patch_status(&step->about, (const struct object *)step->claim,
                                  reason_patch(control, step->claim, step->command->reason));
    }
    step->command->phase = COMMAND_WAIT;
    step->command->due_ns =
        loop_monotonic_ns(control->loop) +
        (control->settings->compatibility_upstream ? VALIDATION_UPSTREAM_NS : VALIDATION_NS);
    disruption_wake(control->disruption_controller);
    return reconcile_done();
}

static enum operation_outcome note_deleted(void *context, const char *key,
                                           const struct kube_result *result)
{
    struct disruption_queue *queue = context;
    struct control *control = queue->control;
    const struct disruption_command *command = map_get(queue->commands, key);
    if (result->error.kind != ERROR_NONE || command == NULL)
        return OPERATION_PASS;
    const struct node *node = find_node(control, command->node);
    const struct node_claim *claim = find_claim(control, command->claim);
    if (node != NULL)
        publish(control, (const struct object *)node, &terminating, "Disrupting Node: %s",
                command->reason);
    if (claim != NULL)
        publish(control, (const struct object *)claim, &terminating, "Disrupting NodeClaim: %s",
                command->reason);
    const char *reason = text_equal(command->reason, "Empty") ? "empty" : command->reason;
    const char *mode = claim != NULL ? termination_mode(claim) : "graceful";
    metric_add(control->metrics.node_claims_disrupted, 1, reason, command->pool,
               command->capacity_type, command->policy, mode);
    metric_add(control->metrics.pods_disruption_initiated, command->pods, reason, command->pool,
               command->capacity_type, command->policy, mode);
    return OPERATION_PASS;
}

static struct reconcile_result step_delete(struct step *step)
{
    step->about.doing = "deleting nodeclaim";
    step->about.record = note_deleted;
    step->about.context = step->queue;
    return start_delete(&step->about, (const struct object *)step->claim, -1);
}

static struct reconcile_result step_rollback(struct step *step)
{
    json_t *body = untaint_patch(step->node);
    if (body != NULL) {
        step->about.doing = "removing taint from node";
        return start_patch(&step->about, (const struct object *)step->node, NULL, body);
    }
    body = unreason_patch(step->queue->control, step->claim);
    if (body != NULL) {
        step->about.doing = "removing condition from nodeclaim";
        return start_patch_status(&step->about, (const struct object *)step->claim, body);
    }
    forget(step->queue, step->command->node);
    return reconcile_done();
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct disruption_queue *queue = context;
    struct control *control = queue->control;
    struct disruption_command *command = map_get(queue->commands, work_item_key(item));
    (void)error;
    if (command == NULL)
        return reconcile_done();
    struct step step = {.queue = queue,
                        .command = command,
                        .node = find_node(control, command->node),
                        .claim = find_claim(control, command->claim),
                        .about = {.control = control, .item = item}};
    // Gone, replaced by another of the name, or on its way out already: nothing left to do.
    if (step.node == NULL || step.claim == NULL ||
        !text_equal(step.claim->meta.uid, command->claim_uid) ||
        object_is_deleting((const struct object *)step.claim) ||
        object_is_deleting((const struct object *)step.node)) {
        forget(queue, work_item_key(item));
        return reconcile_done();
    }
    switch (command->phase) {
    case COMMAND_TAINT:
        return step_taint(&step);
    case COMMAND_REASON:
        return step_reason(&step);
    case COMMAND_WAIT:
        return reconcile_done();
    case COMMAND_DELETE:
        return step_delete(&step);
    case COMMAND_ROLLBACK:
        return step_rollback(&step);
    }
    return reconcile_done();
}
