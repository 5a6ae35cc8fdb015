#include "control/disruption/disruption_recovery.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/disruption/disruption_queue.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"

#define AGE_MAX_NS (9 * MINUTE) // of a resumed command: the timeout is ten minutes or more

struct recovery {
    struct control *control;
    struct disruption_queue *queue;
    struct map *commands; // struct found by identifier
};
struct found {
    struct command_mark mark;
    VECTOR(const struct node *) nodes;
    VECTOR(const struct node_claim *) claims; // of the nodes
    VECTOR(const struct node_claim *) replacements;
};

static struct found *found_of(struct recovery *recovery, const struct command_mark *mark)
{
    struct found *found = map_get(recovery->commands, mark->id);
    if (found != NULL)
        return found;
    found = memory_allocate(sizeof *found);
    found->mark = *mark;
    map_set(recovery->commands, mark->id, found);
    return found;
}

static void find_nodes(struct recovery *recovery)
{
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(recovery->control->cluster, &position)) != NULL;) {
        const struct node_claim *claim = state_only_claim(state);
        struct command_mark mark;
        vector_for_each (node, &state->nodes) { // a machine may have registered twice
            if (claim == NULL || !command_mark_read((const struct object *)*node, &mark) ||
                find_taint(&(*node)->spec.taints, TAINT_DISRUPTED, "NoSchedule") == NULL)
                continue; // a replacement hands its mark down to its Node (LIF-42)
            struct found *found = found_of(recovery, &mark);
            vector_push(&found->nodes, *node);
            vector_push(&found->claims, claim);
        }
    }
}

static void find_replacements(struct recovery *recovery)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *claim; (claim = mirror_next(recovery->control->manager.mirror,
                                                          KIND_NODE_CLAIM, &iterator)) != NULL;) {
        struct command_mark mark;
        struct found *found;
        if (command_mark_read(claim, &mark) &&
            (found = map_get(recovery->commands, mark.id)) != NULL)
            vector_push(&found->replacements, (const struct node_claim *)claim);
    }
}

// DIS-326: a command is as old as its first replacement, whichever process began it; some time is
// left to check its outcome.
static int64_t age_of(const struct control *control, const struct found *found)
{
    int64_t now = manager_now(&control->manager), age = 0;
    for (uint32_t i = 0; i < found->replacements.count; i++) {
        int64_t own = ns_subtract(now, found->replacements.items[i]->meta.creation_timestamp);
        age = own > age ? own : age;
    }
    return age < AGE_MAX_NS ? age : AGE_MAX_NS;
}

static void resume(struct recovery *recovery, const struct found *found)
{
    struct control *control = recovery->control;
    const struct command_mark *mark = &found->mark;
    struct disruption_command *command =
        command_create(control, mark->id, mark->reason, mark->consolidation);
    command_reserve(command, found->nodes.count, found->replacements.count);
    for (uint32_t i = 0; i < found->nodes.count; i++)
        command_add_node(control, command, found->nodes.items[i], found->claims.items[i]);
    for (uint32_t i = 0; i < found->replacements.count; i++) {
        const struct object *claim = (const struct object *)found->replacements.items[i];
        command_add_replacement_name(command, claim->meta.name,
                                     label_or_empty(claim, LABEL_NODE_POOL));
    }
    bool whole = mark->replacements > 0 && found->replacements.count >= mark->replacements;
    command->created_ns = ns_subtract(command->created_ns, age_of(control, found));
    command->is_confirmed = whole;
    command->phase = whole ? COMMAND_AWAIT : COMMAND_ROLLBACK;
    log_info(whole ? "resuming disruption command" : "taking back disruption command",
             "s:controller", "disruption.queue", "s:command-id", command->id, "i:nodes",
             (int64_t)found->nodes.count, "i:replacements", (int64_t)found->replacements.count);
    disruption_queue_add(recovery->queue, command);
}

static void destroy_found(void *value)
{
    struct found *found = value;
    vector_free(&found->nodes);
    vector_free(&found->claims);
    vector_free(&found->replacements);
    free(found);
}

void disruption_queue_recover(struct disruption_queue *queue, struct control *control)
{
    struct recovery recovery = {.control = control, .queue = queue, .commands = map_create()};
    find_nodes(&recovery);
    find_replacements(&recovery);
    for (struct map_entry *entry = map_first(recovery.commands); entry != NULL;
         entry = map_next(entry))
        resume(&recovery, map_value(entry));
    map_destroy(recovery.commands, destroy_found);
}
