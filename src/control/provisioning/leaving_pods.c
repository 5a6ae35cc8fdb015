#include "control/provisioning/leaving_pods.h"

#include <stdlib.h>

#include "base/map.h"
#include "control/command/commands.h"
#include "control/state/cluster.h"
#include "model/reading/pod.h"
#include "model/schema/resources.h"

struct leaving {
    struct leaving_place place;
    bool is_checked, has_room;
};

struct leaving_pods {
    struct control *control;
    struct arena *arena;
    struct map *pods;  // struct leaving by UID
    struct map *rooms; // struct resource_map in the arena, by Node: what is left
};

// The commands whose pods go: validated, and not taken back.
static bool empties_nodes(const struct disruption_command *command)
{
    switch (command->phase) {
    case COMMAND_LAUNCH:
    case COMMAND_AWAIT:
    case COMMAND_DELETE:
    case COMMAND_DRAIN:
        return true;
    case COMMAND_TAINT:
    case COMMAND_REASON:
    case COMMAND_WAIT:
    case COMMAND_ROLLBACK:
        break;
    }
    return false;
}

// A node that goes, too, is no place.
static struct leaving_place place_on(const struct control *control, const char *name)
{
    struct leaving_place place = {0};
    const struct node *node = find_node(control, name);
    const struct node_claim *claim = node == NULL ? find_claim(control, name) : NULL;
    if (node != NULL) {
        const struct state_node *state = cluster_state_of_node(control->cluster, node);
        place.node = state != NULL && !state_marked(state) ? node : NULL;
    } else if (claim != NULL && !object_is_deleting((const struct object *)claim)) {
        place.node = cluster_main_node(control->cluster, claim);
        place.claim = place.node == NULL ? claim : NULL;
    }
    return place;
}

static struct leaving_place place_of(const struct control *control,
                                     const struct disruption_command *command,
                                     const struct command_move *move)
{
    const char *name = move->replacement != NO_REPLACEMENT
                           ? command->replacements.items[move->replacement].name
                           : move->node;
    return name != NULL ? place_on(control, name) : (struct leaving_place){0};
}

static void add_command(struct leaving_pods *leaving, const struct disruption_command *command)
{
    list_for_each (move, &command->moves) {
        struct leaving_place place = place_of(leaving->control, command, move);
        if (!leaving_place_is_known(place))
            continue;
        struct leaving *entry = map_ensure(leaving->pods, move->pod, sizeof *entry);
        entry->place = place;
    }
}

struct leaving_pods *leaving_pods_create(struct control *control, const struct commands *commands)
{
    struct leaving_pods *leaving = memory_allocate(sizeof *leaving);
    *leaving = (struct leaving_pods){control, arena_create(4096), map_create(), map_create()};
    struct map_entry *position = NULL;
    const struct disruption_command *command;
    while (commands != NULL && (command = commands_next(commands, &position)) != NULL)
        if (empties_nodes(command))
            add_command(leaving, command);
    return leaving;
}

void leaving_pods_destroy(struct leaving_pods *leaving)
{
    if (leaving == NULL)
        return;
    map_destroy(leaving->pods, free);
    map_destroy(leaving->rooms, NULL);
    arena_destroy(leaving->arena);
    free(leaving);
}

// Until the replacements are launched, the command's nodes are not marked, and their pods stay.
static bool is_leaving(const struct control *control, const struct pod *pod)
{
    const struct node *node = find_node(control, pod->spec.node_name);
    const struct state_node *state =
        node != NULL ? cluster_state_of_node(control->cluster, node) : NULL;
    return state != NULL && state_marked(state);
}

static struct resource_map *room_of(struct leaving_pods *leaving, const struct node *node)
{
    struct cluster *cluster = leaving->control->cluster;
    struct resource_map *room = map_get(leaving->rooms, node->meta.name);
    if (room != NULL)
        return room;
    room = arena_allocate(leaving->arena, sizeof *room);
    struct resource_map none = {0}; // a sum is a copy
    struct resource_map all =
        state_allocatable(leaving->arena, cluster_state_of_node(cluster, node));
    *room = resource_map_sum(leaving->arena, &all, &none);
    const struct pod_list *pods = cluster_pods(cluster, node->meta.name);
    for (uint32_t i = 0; i < pods->count; i++) {
        struct resource_map requests = pod_requests(leaving->arena, pods->items[i]);
        if (!pod_is_terminal(pods->items[i]))
            resource_map_take(room, &requests);
    }
    map_set(leaving->rooms, node->meta.name, room);
    return room;
}

// Others may have taken the room meanwhile; then the pod needs another place before it leaves.
static bool has_room(struct leaving_pods *leaving, const struct leaving_place *place,
                     const struct pod *pod)
{
    if (place->node == NULL)
        return true;
    struct resource_map *room = room_of(leaving, place->node);
    struct resource_map requests = pod_requests(leaving->arena, pod);
    bool fits = resource_map_covers(room, &requests);
    if (fits)
        resource_map_take(room, &requests);
    return fits;
}

struct leaving_place leaving_pods_place(struct leaving_pods *leaving, const struct pod *pod)
{
    struct leaving *entry = pod->meta.uid != NULL && pod_is_bound(pod) && pod_needs_place(pod)
                                ? map_get(leaving->pods, pod->meta.uid)
                                : NULL;
    if (entry == NULL || !is_leaving(leaving->control, pod))
        return (struct leaving_place){0};
    if (!entry->is_checked)
        entry->has_room = has_room(leaving, &entry->place, pod);
    entry->is_checked = true;
    return entry->has_room ? entry->place : (struct leaving_place){0};
}
