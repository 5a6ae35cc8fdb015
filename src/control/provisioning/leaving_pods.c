#include "control/provisioning/leaving_pods.h"

#include <stdlib.h>

#include "base/map.h"
#include "control/command/commands.h"
#include "control/state/cluster.h"
#include "model/reading/pod.h"

struct leaving_pods {
    struct control *control;
    struct map *places; // struct leaving_place by UID
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
        struct leaving_place *entry = map_ensure(leaving->places, move->pod, sizeof *entry);
        *entry = place;
    }
}

struct leaving_pods *leaving_pods_create(struct control *control, const struct commands *commands)
{
    struct leaving_pods *leaving = memory_allocate(sizeof *leaving);
    *leaving = (struct leaving_pods){control, map_create()};
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
    map_destroy(leaving->places, free);
    free(leaving);
}

// Until the replacements are launched, the command's nodes are not marked, and their pods stay.
static bool is_leaving(const struct control *control, const struct pod *pod)
{
    const struct state_node *state = cluster_state_named(control->cluster, pod->spec.node_name);
    return state != NULL && state_marked(state);
}

struct leaving_place leaving_pods_place(const struct leaving_pods *leaving, const struct pod *pod)
{
    const struct leaving_place *place =
        pod->meta.uid != NULL && pod_is_bound(pod) && pod_needs_place(pod)
            ? map_get(leaving->places, pod->meta.uid)
            : NULL;
    return place != NULL && is_leaving(leaving->control, pod) ? *place : (struct leaving_place){0};
}
