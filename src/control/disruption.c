#include "control/disruption.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "control/capacity_buffers.h"
#include "control/cluster.h"
#include "control/disruption_queue.h"
#include "control/operations.h"
#include "control/snapshot_builder.h"
#include "engine/emptiness.h"

#define KEY         "disruption"
#define UNSYNCED_NS SECOND
#define SOON_NS     (500 * MILLISECOND) // from a change to the pass that sees it
#define AGAIN_NS    (10 * SECOND)       // DIS-19
#define SETTLED_NS  (5 * MINUTE)        // nothing to wait for: DIS-180, LIF-314
#define NEW_POD_NS  (30 * SECOND)       // how long a pending pod may still find its place by itself
// While a wave of pods leaves its nodes, the API server has the workload's controllers to serve:
// commands wait until it is over, or has lasted as long as the pause between two passes.
#define WAVE_PODS     50
#define WAVE_QUIET_NS SECOND
#define WAVE_MAX_NS   (10 * SECOND)

static const struct event_text blocked = {.reason = "DisruptionBlocked"};
static const struct event_text unconsolidatable = {.reason = "Unconsolidatable",
                                                   .window_ns = 15 * MINUTE};

struct disruption {
    struct control *control;
    struct reconcile_queue *queue;
    bool dirty;
    int64_t evaluated_ns, evaluated_state; // monotonic; cluster_changed_at() of the last pass
    int64_t again_ns;                      // monotonic: evaluate even without a change
    uint32_t wave_pods;                    // that have left their nodes in the present wave
    int64_t wave_first_ns, wave_last_ns;   // monotonic
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

void disruption_wake(struct disruption *disruption)
{
    disruption->dirty = true;
    reconcile_queue_add_after(disruption->queue, KEY, SOON_NS);
}

static bool consolidatable(const struct object *claim)
{
    return claim != NULL &&
           condition_is_true(&((const struct node_claim *)claim)->status.conditions,
                             "Consolidatable");
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    (void)change;
    if (consolidatable(old_object) != consolidatable(new_object))
        disruption_wake(context);
}

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    (void)change;
    if (old_object == NULL || new_object == NULL ||
        old_object->meta.generation != new_object->meta.generation)
        disruption_wake(context);
}

static void note_leaving(struct disruption *disruption)
{
    int64_t now_ns = loop_monotonic_ns(disruption->control->loop);
    bool begins = disruption->wave_pods == 0 ||
                  now_ns - disruption->wave_last_ns >= WAVE_QUIET_NS ||
                  now_ns - disruption->wave_first_ns >= WAVE_MAX_NS;
    if (begins) {
        disruption->wave_pods = 0;
        disruption->wave_first_ns = now_ns;
    }
    disruption->wave_pods++;
    disruption->wave_last_ns = now_ns;
}

// How long to hold back new commands; 0: not at all.
static int64_t wave_left(const struct disruption *disruption)
{
    int64_t now_ns = loop_monotonic_ns(disruption->control->loop);
    if (disruption->wave_pods < WAVE_PODS || disruption->control->settings->compatibility_upstream)
        return 0;
    int64_t quiet_ns = disruption->wave_last_ns + WAVE_QUIET_NS;
    int64_t longest_ns = disruption->wave_first_ns + WAVE_MAX_NS;
    int64_t end_ns = quiet_ns < longest_ns ? quiet_ns : longest_ns;
    return end_ns > now_ns ? end_ns - now_ns : 0;
}

// A pod that left its node may have left it empty; one that waits may want a node that is to go.
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct disruption *disruption = context;
    const struct pod *before = (const struct pod *)old_object;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    bool was_bound = before != NULL && before->spec.node_name != NULL;
    bool over = pod == NULL || pod_is_terminal(pod) || pod->meta.deletion_timestamp != 0;
    if (was_bound && over) {
        note_leaving(disruption);
        disruption_wake(disruption);
    }
    if (pod != NULL && disruption_queue_count(disruption->control->disruption_queue) > 0 &&
        pod_wants_node(pod)) {
        disruption->dirty = true;
        reconcile_queue_add(disruption->queue, KEY); // before the provisioner buys for it
    }
}

struct disruption *disruption_create(struct control *control)
{
    struct disruption *disruption = memory_allocate(sizeof *disruption);
    disruption->control = control;
    disruption->dirty = true;
    control->disruption_controller = disruption;
    control->disruption_queue = disruption_queue_create(control);
    disruption->queue = control_queue(
        control, &(struct reconcile_queue_options){
                     .name = "disruption", .reconcile = reconcile, .context = disruption});
    mirror_on_change(control->mirror, KIND_NODE_CLAIM, on_claim, disruption);
    mirror_on_change(control->mirror, KIND_NODE_POOL, on_pool, disruption);
    mirror_on_change(control->mirror, KIND_POD, on_pod, disruption);
    reconcile_queue_add(disruption->queue, KEY);
    return disruption;
}

void disruption_destroy(struct disruption *disruption)
{
    if (disruption == NULL)
        return;
    disruption_queue_destroy(disruption->control->disruption_queue);
    free(disruption);
}

// --- left-overs (DIS-12, DIS-13) -----------------------------------------------------------------
static uint32_t clear_leftovers(struct disruption *disruption, struct work_item *item)
{
    struct control *control = disruption->control;
    struct operation_about about = {
        .control = control, .item = item, .doing = "removing taint from nodes"};
    uint32_t started = 0;
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        const struct node *node = state_only_node(state);
        const struct node_claim *claim = state_only_claim(state);
        if (node == NULL || claim == NULL || state_marked(state) ||
            object_is_deleting((const struct object *)node) ||
            disruption_queue_has(control->disruption_queue, node->meta.name))
            continue;
        json_t *body = untaint_patch(node);
        if (body != NULL) {
            start_patch(&about, (const struct object *)node, NULL, body);
            started++;
        }
        body = state_initialized(state) ? unreason_patch(control, claim) : NULL;
        if (body != NULL) {
            start_patch_status(&about, (const struct object *)claim, body);
            started++;
        }
    }
    return started;
}

// --- pending pods that may want a node (DIS-725, DIS-765) ----------------------------------------
static bool taints_tolerated(const struct pod *pod, const struct node *node)
{
    list_for_each (taint, &node->spec.taints)
        if (!text_equal(taint->key, TAINT_DISRUPTED) &&
            !tolerations_tolerate(&pod->spec.tolerations, taint))
            return false;
    return true;
}

static bool may_run_on(struct arena *arena, const struct pod *pod, const struct node *node)
{
    list_for_each (selector, &pod->spec.node_selector)
        if (!text_equal(string_map_get(&node->meta.labels, selector->key), selector->value))
            return false;
    struct resource_map requests = pod_requests(arena, pod);
    list_for_each (request, &requests)
        if (request->value > resource_map_get(&node->status.allocatable, request->name))
            return false;
    return taints_tolerated(pod, node);
}

// Only pods that have not been waiting for long: one that waits in vain must not keep empty nodes
// alive.
static bool is_wanted(struct arena *arena, const struct control *control, const struct node *node)
{
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    int64_t now = control_now(control);
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        const struct condition *condition = condition_find(&pod->status.conditions, "PodScheduled");
        int64_t since =
            condition != NULL ? condition->last_transition_time : pod->meta.creation_timestamp;
        if (now - since < NEW_POD_NS && may_run_on(arena, pod, node))
            return true;
    }
    return false;
}

// --- one turn of emptiness -----------------------------------------------------------------------
struct turn {
    struct disruption *disruption;
    struct arena *arena;
    struct string_list busy, due; // Node names
};

static void gather_commands(struct turn *turn)
{
    struct disruption_queue *queue = turn->disruption->control->disruption_queue;
    uint32_t count = disruption_queue_count(queue);
    turn->busy.items = arena_allocate_array(turn->arena, count + 1, sizeof *turn->busy.items);
    turn->due.items = arena_allocate_array(turn->arena, count + 1, sizeof *turn->due.items);
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = disruption_queue_next(queue, &position)) != NULL;) {
        if (command_is_due(queue, command))
            turn->due.items[turn->due.count++] = command->node;
        else
            turn->busy.items[turn->busy.count++] = command->node;
    }
}

static const struct disruption_candidate *taken(const struct emptiness *emptiness, const char *node)
{
    list_for_each (candidate, &emptiness->taken)
        if (strcmp((*candidate)->node->meta.name, node) == 0)
            return *candidate;
    return NULL;
}

// DIS-262, DIS-725.
static void validate(struct turn *turn, const struct emptiness *emptiness)
{
    struct control *control = turn->disruption->control;
    struct disruption_queue *queue = control->disruption_queue;
    struct map_entry *position = NULL;
    for (struct disruption_command *command;
         (command = disruption_queue_next(queue, &position)) != NULL;) {
        const struct node *node = find_node(control, command->node);
        if (command->phase == COMMAND_WAIT && node != NULL && is_wanted(turn->arena, control, node))
            disruption_queue_cancel(queue, command, "a pending pod may run on the node");
        else if (command_is_due(queue, command) && taken(emptiness, command->node) != NULL)
            disruption_queue_confirm(queue, command);
        else if (command_is_due(queue, command))
            disruption_queue_cancel(queue, command,
                                    "the candidate is no longer valid or would violate a budget");
    }
}

static void start_commands(struct turn *turn, const struct emptiness *emptiness)
{
    struct control *control = turn->disruption->control;
    if (wave_left(turn->disruption) > 0) {
        turn->disruption->dirty = true;
        return;
    }
    if (!capacity_buffers_settled(control->capacity_buffers)) {
        turn->disruption->dirty = true;
        return;
    }
    // A pod that cannot be read runs somewhere: no node is known to be empty.
    uint32_t unreadable = mirror_invalid_count(control->mirror, KIND_POD);
    if (unreadable > 0 && emptiness->taken.count > 0) {
        log_error("no node is taken for empty while there are pods that cannot be read",
                  "s:controller", "disruption", "i:pods", (int64_t)unreadable);
        return;
    }
    list_for_each (candidate, &emptiness->taken) {
        const struct node *node = find_node(control, (*candidate)->node->meta.name);
        if (node != NULL && !disruption_queue_has(control->disruption_queue, node->meta.name) &&
            !is_wanted(turn->arena, control, node))
            disruption_queue_add(control->disruption_queue, *candidate, "Empty", "empty");
    }
}

static void tell_block(struct control *control, const struct event_text *event,
                       const struct disruption_block *block)
{
    const struct object *const about[] = {(const struct object *)block->node,
                                          (const struct object *)block->claim};
    for (size_t i = 0; i < ARRAY_LENGTH(about); i++)
        if (about[i] != NULL)
            publish(control, about[i], event, "%s", block->message);
}

static void tell(struct turn *turn, const struct emptiness *emptiness)
{
    struct control *control = turn->disruption->control;
    metric_set(control->metrics.disruption_eligible, emptiness->eligible.count, "empty");
    list_for_each (pool, &emptiness->table.pools) {
        const char *name = pool->pool->meta.name;
        metric_set(control->metrics.pool_allowed_disruptions, (double)pool->allowed, name, "Empty");
        metric_set(control->metrics.pool_consuming_budgets, (double)pool->disrupting, name,
                   "Empty");
        if (pool->budget_error != NULL)
            log_error("detected disruption budget errors", "s:controller", "disruption", "s:error",
                      pool->budget_error);
        if (emptiness->eligible.count > 0 && pool->total != 0 && pool->allowed == 0) {
            struct event_text event = blocked;
            event.window_ns = MINUTE;
            publish(control, (const struct object *)pool->pool, &event,
                    "No allowed disruptions for disruption reason Empty due to blocking budget");
        }
    }
    list_for_each (block, &emptiness->table.blocks)
        if (consolidatable((const struct object *)block->claim)) // DIS-772: a method wants it
            tell_block(control, &blocked, block);
    list_for_each (block, &emptiness->unconsolidatable)
        tell_block(control, &unconsolidatable, block);
}

static void evaluate(struct disruption *disruption)
{
    struct control *control = disruption->control;
    int64_t started_ns = loop_monotonic_ns(control->loop);
    struct text errors = {0};
    struct turn turn = {.disruption = disruption, .arena = arena_create(64 * 1024)};
    disruption->dirty = false;
    disruption->evaluated_state = cluster_changed_at(control->cluster);
    disruption->evaluated_ns = started_ns;
    struct snapshot *snapshot = snapshot_build(control, &errors);
    gather_commands(&turn);
    struct emptiness emptiness = emptiness_find(turn.arena, snapshot, &turn.busy, &turn.due);
    validate(&turn, &emptiness);
    start_commands(&turn, &emptiness);
    tell(&turn, &emptiness);
    // What holds a node back now may end by the clock alone (DIS-705).
    bool waiting =
        emptiness.refused || emptiness.table.blocks.count > 0 || emptiness.eligible.count > 0;
    disruption->again_ns = started_ns + (waiting ? AGAIN_NS : SETTLED_NS);
    metric_observe(control->metrics.disruption_evaluation_seconds,
                   (double)(loop_monotonic_ns(control->loop) - started_ns) / SECOND, "empty",
                   "empty");
    snapshot_destroy(snapshot);
    arena_destroy(turn.arena);
    text_free(&errors);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct disruption *disruption = context;
    struct control *control = disruption->control;
    (void)error;
    if (!cluster_synced(control->cluster))
        return reconcile_after(UNSYNCED_NS);
    if (clear_leftovers(disruption, item) > 0)
        return reconcile_running();
    int64_t now_ns = loop_monotonic_ns(control->loop);
    int64_t wave_ns = wave_left(disruption);
    if (wave_ns > 0 && disruption_queue_count(control->disruption_queue) == 0)
        return reconcile_after(wave_ns);
    int64_t due_ns = disruption_queue_next_due(control->disruption_queue);
    bool changed = cluster_changed_at(control->cluster) != disruption->evaluated_state;
    if (disruption->dirty || changed || now_ns >= due_ns || now_ns >= disruption->again_ns)
        evaluate(disruption);
    due_ns = disruption_queue_next_due(control->disruption_queue);
    int64_t after = wave_ns > 0 ? wave_ns : AGAIN_NS;
    if (due_ns - now_ns < after)
        after = due_ns > now_ns ? due_ns - now_ns : 0;
    return reconcile_after(after);
}
