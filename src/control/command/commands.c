#include "control/command/commands.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct commands {
    struct map *by_id; // struct disruption_command by its identifier
    uint64_t added;    // so far
    bool recovered;
    // The same, borrowed: by Node name, and by name of a NodeClaim or replacement.
    struct map *by_node, *by_claim;
};

struct commands *commands_create(void)
{
    struct commands *commands = memory_allocate(sizeof *commands);
    commands->by_id = map_create();
    commands->by_node = map_create();
    commands->by_claim = map_create();
    return commands;
}

static void destroy_command(void *command)
{
    command_destroy(command);
}

void commands_destroy(struct commands *commands)
{
    if (commands == NULL)
        return;
    map_destroy(commands->by_node, NULL);
    map_destroy(commands->by_claim, NULL);
    map_destroy(commands->by_id, destroy_command);
    free(commands);
}

static bool any_taken(const struct commands *commands, const struct disruption_command *command)
{
    list_for_each (entry, &command->nodes)
        if (map_get(commands->by_node, entry->node) != NULL)
            return true;
    return false;
}

bool commands_add(struct commands *commands, struct disruption_command *command)
{
    assert(map_get(commands->by_id, command->id) == NULL);
    if (command->nodes.count == 0 || any_taken(commands, command)) { // DIS-310
        command_destroy(command);
        return false;
    }
    command->number = ++commands->added;
    map_set(commands->by_id, command->id, command);
    list_for_each (entry, &command->nodes) {
        map_set(commands->by_node, entry->node, command);
        map_set(commands->by_claim, entry->claim, command);
    }
    list_for_each (replacement, &command->replacements)
        map_set(commands->by_claim, replacement->name, command);
    return true;
}

// A former replacement may be another command's candidate by now.
static void remove_entry(struct map *map, const char *name,
                         const struct disruption_command *command)
{
    if (map_get(map, name) == command)
        map_remove(map, name);
}

void commands_remove(struct commands *commands, const struct disruption_command *command)
{
    assert(map_get(commands->by_id, command->id) == command);
    list_for_each (entry, &command->nodes) {
        remove_entry(commands->by_node, entry->node, command);
        remove_entry(commands->by_claim, entry->claim, command);
    }
    list_for_each (replacement, &command->replacements)
        remove_entry(commands->by_claim, replacement->name, command);
    map_remove(commands->by_id, command->id);
}

void commands_move_node(struct commands *commands, struct control *control,
                        struct disruption_command *from, const char *name,
                        struct disruption_command *to)
{
    uint32_t at = 0;
    while (at < from->nodes.count && strcmp(from->nodes.items[at].node, name) != 0)
        at++;
    if (at == from->nodes.count)
        return;
    const struct command_node *entry = &from->nodes.items[at];
    const struct node *node = find_node(control, name);
    const struct node_claim *claim = find_claim(control, entry->claim);
    remove_entry(commands->by_node, entry->node, from);
    remove_entry(commands->by_claim, entry->claim, from);
    if (node != NULL && claim != NULL && !entry->gone)
        command_add_node(control, to, node, claim);
    memmove(&from->nodes.items[at], &from->nodes.items[at + 1],
            (--from->nodes.count - at) * sizeof *from->nodes.items);
}

// --- lookups -------------------------------------------------------------------------------------
void commands_note_recovered(struct commands *commands)
{
    assert(!commands->recovered);
    commands->recovered = true;
}

bool commands_are_recovered(const struct commands *commands)
{
    return commands->recovered;
}

bool commands_has(const struct commands *commands, const char *node)
{
    return map_get(commands->by_node, node) != NULL;
}

const struct disruption_command *commands_of_node(const struct commands *commands, const char *node)
{
    return map_get(commands->by_node, node);
}

const struct disruption_command *commands_of_claim(const struct commands *commands,
                                                   const char *claim)
{
    return map_get(commands->by_claim, claim);
}

const struct disruption_command *commands_of_candidate(const struct commands *commands,
                                                       const char *claim)
{
    const struct disruption_command *command = map_get(commands->by_claim, claim);
    for (uint32_t i = 0; command != NULL && i < command->nodes.count; i++)
        if (strcmp(command->nodes.items[i].claim, claim) == 0)
            return command;
    return NULL;
}

const struct disruption_command *commands_of_replacement(const struct commands *commands,
                                                         const char *claim)
{
    const struct disruption_command *command = map_get(commands->by_claim, claim);
    for (uint32_t i = 0; command != NULL && i < command->replacements.count; i++)
        if (strcmp(command->replacements.items[i].name, claim) == 0)
            return command;
    return NULL;
}

struct disruption_command *commands_find(const struct commands *commands, const char *id)
{
    return map_get(commands->by_id, id);
}

uint32_t commands_count(const struct commands *commands)
{
    return (uint32_t)map_count(commands->by_id);
}

bool commands_are_active(const struct commands *commands)
{
    struct map_entry *position = NULL;
    const struct disruption_command *command;
    while ((command = commands_next(commands, &position)) != NULL)
        if (command->phase != COMMAND_DRAIN || command->replacements.count > 0)
            return true;
    return false;
}

uint32_t commands_nodes(const struct commands *commands)
{
    return (uint32_t)map_count(commands->by_node);
}

struct disruption_command *commands_next(const struct commands *commands,
                                         struct map_entry **position)
{
    *position = *position == NULL ? map_first(commands->by_id) : map_next(*position);
    return *position != NULL ? map_value(*position) : NULL;
}

// --- replacements --------------------------------------------------------------------------------
const struct node_claim *replacement_claim(const struct control *control,
                                           const struct disruption_command *command,
                                           const struct command_replacement *replacement)
{
    const struct node_claim *claim = find_claim(control, replacement->name);
    struct command_mark mark;
    return claim != NULL && command_mark_read((const struct object *)claim, &mark) &&
                   strcmp(mark.id, command->id) == 0
               ? claim
               : NULL;
}

bool replacement_is_needed(const struct control *control, const struct commands *commands,
                           const struct node_claim *claim)
{
    struct command_mark mark;
    const struct disruption_command *command =
        command_mark_read((const struct object *)claim, &mark) ? commands_find(commands, mark.id)
                                                               : NULL;
    if (command == NULL)
        return false;
    list_for_each (entry, &command->nodes) {
        const struct node_claim *candidate = find_claim(control, entry->claim);
        if (entry->gone || candidate == NULL ||
            object_is_deleting((const struct object *)candidate))
            return true;
    }
    return false;
}
