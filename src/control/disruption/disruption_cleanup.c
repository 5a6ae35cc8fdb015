#include "control/disruption/disruption_cleanup.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "control/command/commands.h"
#include "control/disruption/disruption_replacements.h"
#include "control/disruption/disruption_taints.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"
#include "model/schema/condition_types.h"
#include "reconcile/operations.h"

#define AGAIN_NS       (10 * SECOND) // what cannot be cleared yet: DIS-19
#define BACKOFF_NS     (100 * MILLISECOND)
#define BACKOFF_MAX_NS (5 * SECOND)

struct disruption_cleanup {
    struct control *control;
    const struct commands *commands;
    struct reconcile_queue *queue; // keys: "node/NAME", "claim/NAME"
    bool begun;
};

static const char node_prefix[] = "node/", claim_prefix[] = "claim/";

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

// --- marked objects ------------------------------------------------------------------------------
static bool is_marked(const struct object *object)
{
    return object_annotation(object, ANNOTATION_DISRUPTION_COMMAND) != NULL;
}

static bool has_reason(const struct node_claim *claim)
{
    return condition_find(&claim->status.conditions, CONDITION_DISRUPTION_REASON) != NULL;
}

static void enqueue(struct disruption_cleanup *leftovers, const char *prefix, const char *name)
{
    struct text key = {0};
    text_format(&key, "%s%s", prefix, name);
    reconcile_queue_add(leftovers->queue, key.data);
    text_free(&key);
}

static void enqueue_node(struct disruption_cleanup *leftovers, const struct object *node)
{
    if (is_marked(node))
        enqueue(leftovers, node_prefix, node->meta.name);
}

static void enqueue_claim(struct disruption_cleanup *leftovers, const struct object *claim)
{
    if (is_marked(claim) || has_reason((const struct node_claim *)claim))
        enqueue(leftovers, claim_prefix, claim->meta.name);
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    (void)change;
    (void)old_object;
    if (new_object != NULL)
        enqueue_node(context, new_object);
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    (void)change;
    (void)old_object;
    if (new_object != NULL)
        enqueue_claim(context, new_object);
}

// --- creation and destruction --------------------------------------------------------------------
struct disruption_cleanup *disruption_cleanup_create(struct control *control,
                                                     const struct commands *commands)
{
    struct disruption_cleanup *leftovers = memory_allocate(sizeof *leftovers);
    leftovers->control = control;
    leftovers->commands = commands;
    leftovers->queue = manager_queue(&control->manager,
                                     &(struct reconcile_queue_options){
                                         .name = "disruption.leftovers",
                                         .concurrency = manager_scale(&control->manager, 100, 1000),
                                         .backoff_base_ns = BACKOFF_NS,
                                         .backoff_max_ns = BACKOFF_MAX_NS,
                                         .rate = 100,
                                         .burst = 1000,
                                         .reconcile = reconcile,
                                         .context = leftovers});
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, leftovers);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, leftovers);
    return leftovers;
}

void disruption_cleanup_destroy(struct disruption_cleanup *leftovers)
{
    free(leftovers);
}

void disruption_cleanup_begin(struct disruption_cleanup *leftovers)
{
    const struct mirror *mirror = leftovers->control->manager.mirror;
    struct mirror_iterator iterator = {0};
    leftovers->begun = true;
    for (const struct object *node; (node = mirror_next(mirror, KIND_NODE, &iterator)) != NULL;)
        enqueue_node(leftovers, node);
    iterator = (struct mirror_iterator){0};
    for (const struct object *claim;
         (claim = mirror_next(mirror, KIND_NODE_CLAIM, &iterator)) != NULL;)
        enqueue_claim(leftovers, claim);
}

// --- rollbacks -----------------------------------------------------------------------------------
bool disruption_cleanup_take_back(struct disruption_cleanup *leftovers,
                                  const struct disruption_command *command)
{
    const struct control *control = leftovers->control;
    bool any = false;
    list_for_each (entry, &command->nodes) {
        const struct object *node = (const struct object *)find_node(control, entry->node);
        const struct node_claim *claim = find_claim(control, entry->claim);
        if (entry->gone || (!is_marked(node) && !has_reason(claim)))
            continue;
        any = true;
        enqueue(leftovers, node_prefix, entry->node);
        enqueue(leftovers, claim_prefix, entry->claim);
    }
    return any;
}

void disruption_cleanup_release(struct disruption_cleanup *leftovers, const char *claim)
{
    enqueue(leftovers, claim_prefix, claim);
}

// --- one object ----------------------------------------------------------------------------------
static bool is_taken_back(const struct disruption_command *command)
{
    return command != NULL && command->phase == COMMAND_ROLLBACK;
}

static struct reconcile_result clear_node(struct disruption_cleanup *leftovers,
                                          struct operation_about *about, const char *name)
{
    struct control *control = leftovers->control;
    const struct node *node = find_node(control, name);
    const struct disruption_command *command = commands_of_node(leftovers->commands, name);
    if (node == NULL || object_is_deleting((const struct object *)node) ||
        !is_marked((const struct object *)node) || (command != NULL && !is_taken_back(command)))
        return reconcile_done();
    const struct state_node *state = cluster_state_of_node(control->cluster, node);
    if (command == NULL && (state == NULL || state->claims.count == 0 || state_marked(state)))
        return reconcile_after(AGAIN_NS);
    about->doing = "removing taint from node";
    return start_patch(about, (const struct object *)node, NULL, untaint_patch(node));
}

static struct reconcile_result clear_claim(struct disruption_cleanup *leftovers,
                                           struct operation_about *about, const char *name)
{
    struct control *control = leftovers->control;
    const struct node_claim *claim = find_claim(control, name);
    if (claim == NULL || object_is_deleting((const struct object *)claim))
        return reconcile_done();
    if (control->strategy->removes_replacements &&
        replacement_is_abandoned(control, leftovers->commands, claim)) {
        about->doing = "deleting an abandoned replacement";
        return start_delete(about, (const struct object *)claim, -1);
    }
    const struct disruption_command *command = commands_of_candidate(leftovers->commands, name);
    if (command != NULL && !is_taken_back(command))
        return reconcile_done();
    if (!has_reason(claim))
        return replacement_has_joined(claim) && is_marked((const struct object *)claim)
                   ? reconcile_after(AGAIN_NS)
                   : reconcile_done();
    const struct state_node *state = cluster_state(control->cluster, claim->status.provider_id);
    if (command == NULL && (state == NULL || state_marked(state) || !state_initialized(state)))
        return reconcile_after(AGAIN_NS);
    about->doing = "removing condition from nodeclaim";
    return start_patch_status(about, (const struct object *)claim, unreason_patch(control, claim));
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct disruption_cleanup *leftovers = context;
    struct operation_about about = {.manager = &leftovers->control->manager, .item = item};
    const char *key = work_item_key(item);
    (void)error;
    if (!leftovers->begun)
        return reconcile_done();
    if (strncmp(key, node_prefix, strlen(node_prefix)) == 0)
        return clear_node(leftovers, &about, key + strlen(node_prefix));
    return clear_claim(leftovers, &about, key + strlen(claim_prefix));
}
