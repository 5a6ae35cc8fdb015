#include "control/disruption/command_budgets.h"

#include <string.h>

#include "control/command/commands.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"
#include "engine/disruption/nodepool_budgets.h"
#include "model/schema/condition_types.h"

struct count {                  // of one NodePool's nodes
    int64_t total, own, others; // others: disrupted already
};

// DIS-125.
static bool counts(const struct state_node *state)
{
    return state->claims.count > 0 && state_initialized(state) &&
           !condition_is_true(&state->claims.items[0]->status.conditions,
                              CONDITION_INSTANCE_TERMINATING);
}

// Two commands that wait for their marks must not block each other.
static bool takes_precedence(const struct disruption_command *other,
                             const struct disruption_command *command, const struct node *node)
{
    struct command_mark mark;
    return other != NULL && (other->number < command->number ||
                             command_mark_read((const struct object *)node, &mark));
}

// DIS-126.
static bool is_disrupted(const struct disruption_command *other,
                         const struct disruption_command *command, const struct state_node *state)
{
    const struct node *node = state_main_node(state);
    return state_marked(state) || !condition_is_true(&node->status.conditions, CONDITION_READY) ||
           takes_precedence(other, command, node);
}

static struct count count_nodes(const struct control *control, const struct commands *commands,
                                const struct disruption_command *command, const char *pool)
{
    struct count count = {0};
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        if (!text_equal(state_pool(state), pool) || !counts(state))
            continue;
        const struct disruption_command *of =
            commands_of_node(commands, state_main_node(state)->meta.name);
        count.total++;
        count.own += of == command;
        count.others += of != command && is_disrupted(of, command, state);
    }
    return count;
}

bool command_within_budgets(const struct control *control, const struct commands *commands,
                            const struct disruption_command *command)
{
    for (uint32_t i = 0; i < command->nodes.count; i++) {
        const struct node_pool *pool = find_pool(control, command->nodes.items[i].pool);
        if (pool == NULL || !command_is_first_of_pool(command, i))
            continue;
        struct count count = count_nodes(control, commands, command, pool->meta.name);
        struct error error = {0};
        int64_t allowed = 0;
        if (!nodepool_budgets_allowed(pool, command->reason, count.total,
                                      manager_now(&control->manager), &allowed, &error) ||
            count.others + count.own > allowed)
            return false;
    }
    return true;
}
