#include "control/disruption/disruption_replacements.h"

#include <string.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "control/command/commands.h"
#include "control/launch/claim_creation.h"
#include "control/launch/launch_attempts.h"
#include "control/launch/launch_backoff.h"
#include "control/provisioning/claim_limits.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/static/static_capacity.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

// From its creation: a command's timeout, and some time to look at it.
#define ABANDONED_NS (15 * MINUTE)
// Until after the queue's next step, and a moment for kube-scheduler to bind the last pods.
#define HELD_NS    (8 * SECOND)
#define TARGETS_NS (15 * MINUTE) // the longest that a command's targets are held

const char *replacements_lost(const struct control *control,
                              const struct disruption_command *command)
{
    list_for_each (replacement, &command->replacements) {
        const struct object *claim =
            (const struct object *)replacement_claim(control, command, replacement);
        if (replacement->body == NULL && (claim == NULL || object_is_deleting(claim)))
            return replacement->name;
    }
    return NULL;
}

// --- limits --------------------------------------------------------------------------------------
static bool static_limit_reached(const struct disruption_parts *parts,
                                 const struct disruption_command *command,
                                 const struct node_pool *pool)
{
    struct control *control = parts->control;
    int64_t wanted = 0;
    list_for_each (replacement, &command->replacements)
        wanted += replacement->body != NULL && strcmp(replacement->pool, pool->meta.name) == 0 &&
                  replacement_claim(control, command, replacement) == NULL;
    struct static_counts counts = static_counts_of(parts->static_capacity, pool->meta.name);
    return static_room(&counts, pool) < wanted;
}

// DIS-308: what the pool uses already is beyond a limit. Else: with the largest that each
// replacement may become.
static bool limit_exceeded(const struct disruption_parts *parts,
                           const struct disruption_command *command, const struct node_pool *pool)
{
    struct control *control = parts->control;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    bool ahead = control->strategy->checks_limits_ahead;
    const struct resource_map *limits = &pool->spec.limits;
    int64_t *left = pool_limits_left(control, arena, pool, parts->commands, ahead ? command : NULL);
    list_for_each (replacement, &command->replacements) {
        if (!ahead || replacement->body == NULL ||
            strcmp(replacement->pool, pool->meta.name) != 0 ||
            replacement_claim(control, command, replacement) != NULL)
            continue;
        for (uint32_t i = 0; i < limits->count; i++) {
            bool nodes = strcmp(limits->items[i].name, "nodes") == 0;
            left[i] = quantity_subtract(
                left[i],
                nodes ? 1 : resource_map_get(&replacement->largest, limits->items[i].name));
        }
    }
    for (uint32_t i = 0; i < limits->count; i++)
        if (left[i] < 0)
            return true;
    return false;
}

static bool is_admitted(const struct disruption_parts *parts,
                        const struct disruption_command *command,
                        const struct command_replacement *replacement)
{
    struct control *control = parts->control;
    return replacement->body == NULL || replacement_claim(control, command, replacement) != NULL ||
           launch_backoff_admits(parts->sources.launch_backoff, replacement->body,
                                 LAUNCH_REPLACEMENT);
}

// LIF-440: all or none are launched.
static bool held_back(const struct disruption_parts *parts,
                      const struct disruption_command *command)
{
    uint32_t admitted = 0;
    while (admitted < command->replacements.count &&
           is_admitted(parts, command, &command->replacements.items[admitted]))
        admitted++;
    if (admitted == command->replacements.count)
        return false;
    while (admitted-- > 0)
        launch_backoff_withdraw(parts->sources.launch_backoff,
                                command->replacements.items[admitted].pool,
                                command->replacements.items[admitted].name);
    return true;
}

const char *replacements_refused(const struct disruption_parts *parts,
                                 const struct disruption_command *command)
{
    struct control *control = parts->control;
    list_for_each (replacement, &command->replacements) {
        const struct node_pool *pool = find_pool(control, replacement->pool);
        if (replacement->body == NULL)
            continue;
        if (pool == NULL || object_is_deleting((const struct object *)pool))
            return "its NodePool is gone";
        if (replacement->is_static ? static_limit_reached(parts, command, pool)
                                   : limit_exceeded(parts, command, pool))
            return "resource usage exceeds limit";
    }
    return held_back(parts, command) ? "what they could be launched as has just failed" : NULL;
}

// --- creating ------------------------------------------------------------------------------------
struct replacement_creation { // one create call; in the command's arena
    struct claim_creation creation;
    const struct disruption_parts *parts;
    uint32_t index; // of the replacement in the command
};

static void note_there(struct command_replacement *replacement)
{
    json_decref(replacement->body);
    replacement->body = NULL;
    replacement->is_seen = true;
}

// The name belongs to another NodeClaim, or to one that cannot be read.
static bool is_of_another(const struct control *control, const struct disruption_command *command,
                          const struct command_replacement *replacement)
{
    return mirror_is_invalid(control->manager.mirror, KIND_NODE_CLAIM, NULL, replacement->name) ||
           (find_claim(control, replacement->name) != NULL &&
            replacement_claim(control, command, replacement) == NULL);
}

// While the mirror does not have the NodeClaim, a second create call under the same name finds out.
static enum operation_outcome note_created(void *context, const char *key, enum claim_answer answer,
                                           const struct kube_result *result)
{
    const struct replacement_creation *call = context;
    struct disruption_command *command = commands_find(call->parts->commands, key);
    (void)result;
    if (command == NULL)
        return OPERATION_PASS;
    struct command_replacement *replacement = &command->replacements.items[call->index];
    switch (answer) {
    case CLAIM_CREATED:
        note_there(replacement);
        return OPERATION_NOTED;
    case CLAIM_EXISTS:
        replacement->is_rejected = is_of_another(call->parts->control, command, replacement);
        return replacement->is_rejected ? OPERATION_NOTED : OPERATION_RETRY;
    case CLAIM_UNANSWERED:
    case CLAIM_DEFERRED:
        return OPERATION_RETRY;
    case CLAIM_REJECTED:
        replacement->is_rejected = true;
        return OPERATION_NOTED;
    }
    return OPERATION_PASS;
}

static struct claim_creation creation_of(struct control *control,
                                         const struct disruption_command *command,
                                         const struct command_replacement *replacement)
{
    const json_t *annotations =
        json_object_get(json_object_get(replacement->body, "metadata"), "annotations");
    const char *relaxed =
        json_string_value(json_object_get(annotations, ANNOTATION_MIN_VALUES_RELAXED));
    return (struct claim_creation){.control = control,
                                   .controller = "disruption",
                                   .command_id = command->id,
                                   .reason = command_reason_label(command),
                                   .pool = replacement->pool,
                                   .name = replacement->name,
                                   .min_values_relaxed = text_equal(relaxed, "true"),
                                   .answered = note_created};
}

uint32_t replacement_create(const struct disruption_parts *parts,
                            const struct operation_about *about, struct disruption_command *command,
                            struct command_replacement *replacement)
{
    struct control *control = parts->control;
    if (replacement->body == NULL)
        return 0;
    if (replacement_claim(control, command, replacement) != NULL) {
        struct claim_creation found = creation_of(control, command, replacement);
        claim_creation_found(&found);
        note_there(replacement);
        return 0;
    }
    struct replacement_creation *call = arena_allocate(command->arena, sizeof *call);
    call->parts = parts;
    call->index = (uint32_t)(replacement - command->replacements.items);
    call->creation = creation_of(control, command, replacement);
    call->creation.context = call;
    json_t *body = json_deep_copy(replacement->body);
    json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_DISRUPTION_COMMAND,
                        json_string(command_mark_text(command->arena, command)));
    if (replacement->is_static && !replacement->is_reserved)
        static_reserve(parts->static_capacity, replacement->pool, replacement->name);
    replacement->is_reserved = replacement->is_static;
    claim_creation_start(&call->creation, about, body);
    return 1;
}

void replacement_release(const struct disruption_parts *parts,
                         const struct command_replacement *replacement)
{
    if (replacement->is_reserved) // on every path (DIS-728)
        static_release(parts->static_capacity, replacement->pool, replacement->name);
}

// --- waiting -------------------------------------------------------------------------------------
static enum replacements_state state_of(struct control *control,
                                        const struct disruption_command *command,
                                        const struct node_claim *claim)
{
    const struct object *about = (const struct object *)claim;
    if (object_is_deleting(about))
        return REPLACEMENTS_LOST;
    publish(&control->manager, about, EVENT_DISRUPTION_LAUNCHING, "Launching NodeClaim: %s",
            disruption_reason_name(command->reason));
    if (!node_claim_is_launched(claim))
        return REPLACEMENTS_LAUNCHING;
    const struct node *node = cluster_node_of(control->cluster, claim, NULL);
    bool initialized = condition_is_true(&claim->status.conditions, CONDITION_INITIALIZED);
    bool ready = !control->strategy->awaits_ready_replacements ||
                 (node != NULL && !object_is_deleting((const struct object *)node) &&
                  condition_is_true(&node->status.conditions, CONDITION_READY));
    if (initialized && ready)
        return REPLACEMENTS_READY;
    publish(&control->manager, about, EVENT_DISRUPTION_WAITING_READINESS,
            "Waiting on readiness to continue disruption");
    return REPLACEMENTS_WAITING;
}

enum replacements_state replacements_state(struct control *control,
                                           struct disruption_command *command, const char **gone)
{
    enum replacements_state worst = REPLACEMENTS_READY;
    list_for_each (replacement, &command->replacements) {
        const struct node_claim *claim = replacement_claim(control, command, replacement);
        enum replacements_state state =
            claim != NULL ? state_of(control, command, claim) : REPLACEMENTS_LOST;
        if (state == REPLACEMENTS_LOST)
            *gone = replacement->name;
        worst = state < worst ? state : worst;
    }
    if (worst != REPLACEMENTS_LOST)
        replacements_nominate(control, command);
    return worst;
}

uint32_t replacements_not_initialized(const struct control *control,
                                      const struct disruption_command *command)
{
    uint32_t count = 0;
    list_for_each (replacement, &command->replacements) {
        const struct node_claim *claim = replacement_claim(control, command, replacement);
        count +=
            claim == NULL || !condition_is_true(&claim->status.conditions, CONDITION_INITIALIZED);
    }
    return count;
}

void replacements_nominate(struct control *control, const struct disruption_command *command)
{
    list_for_each (replacement, &command->replacements) {
        const struct node_claim *claim = replacement_claim(control, command, replacement);
        struct state_node *state =
            claim != NULL ? cluster_state(control->cluster, claim->status.provider_id) : NULL;
        if (state == NULL)
            continue;
        cluster_hold(control->cluster, state, control->strategy->holds_replacements ? HELD_NS : 0);
    }
}

// An empty Node, or a NodeClaim whose Node is not there yet. For the others the pods that are to
// come count as theirs (leaving_pods.h); held, they could not drift in turn.
static void hold(struct control *control, const char *name)
{
    const struct node *node = find_node(control, name);
    const struct node_claim *claim = node == NULL ? find_claim(control, name) : NULL;
    struct state_node *state = node != NULL ? cluster_state_of_node(control->cluster, node)
                               : claim != NULL
                                   ? cluster_state(control->cluster, claim->status.provider_id)
                                   : NULL;
    if (state != NULL && !cluster_has_pods(control->cluster, name))
        cluster_hold(control->cluster, state, 0);
}

void targets_hold(struct control *control, const struct disruption_command *command)
{
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    if (ns_subtract(now_ns, command->created_ns) >= TARGETS_NS)
        return;
    struct map *targets = map_create(); // by pod
    list_for_each (move, &command->moves)
        if (move->node != NULL)
            map_set(targets, move->pod, move->node);
    list_for_each (entry, &command->nodes) {
        const struct pod_list *pods = cluster_pods(control->cluster, entry->node);
        for (uint32_t i = 0; i < pods->count; i++) {
            const char *uid = pods->items[i]->meta.uid;
            const char *target = uid != NULL ? map_get(targets, uid) : NULL;
            if (target != NULL)
                hold(control, target);
        }
    }
    map_destroy(targets, NULL);
}

// --- rollback ------------------------------------------------------------------------------------
static bool is_used(struct control *control, const struct node_claim *claim)
{
    const struct node *node = cluster_node_of(control->cluster, claim, NULL);
    if (node_is_unreadable(control, claim) || cluster_is_awaited(control->cluster, claim))
        return true;
    return node != NULL && cluster_has_pods(control->cluster, node->meta.name);
}

bool replacement_has_joined(const struct node_claim *claim)
{
    return condition_is_true(&claim->status.conditions, CONDITION_REGISTERED) &&
           !condition_is_true(&claim->status.conditions, CONDITION_INITIALIZED);
}

bool replacement_is_abandoned(struct control *control, const struct commands *commands,
                              const struct node_claim *claim)
{
    struct command_mark mark;
    return replacement_has_joined(claim) && !object_is_deleting((const struct object *)claim) &&
           ns_subtract(manager_now(&control->manager), claim->meta.creation_timestamp) >
               ABANDONED_NS &&
           command_mark_read((const struct object *)claim, &mark) &&
           commands_find(commands, mark.id) == NULL && !is_used(control, claim);
}

uint32_t replacements_give_up(struct control *control, struct operation_about *about,
                              const struct disruption_command *command)
{
    uint32_t started = 0;
    if (!control->strategy->removes_replacements)
        return 0;
    list_for_each (replacement, &command->replacements) {
        const struct node_claim *claim = replacement_claim(control, command, replacement);
        if (claim == NULL || object_is_deleting((const struct object *)claim))
            continue;
        if (replacement_has_joined(claim))
            continue;
        if (is_used(control, claim)) {
            log_info("keeping the replacement of a failed command, it is in use", "s:controller",
                     "disruption.queue", "s:command-id", command->id, "o:NodeClaim",
                     claim->meta.name);
            continue;
        }
        about->doing = "deleting the replacement of a failed command";
        start_delete(about, (const struct object *)claim, -1);
        started++;
    }
    return started;
}
