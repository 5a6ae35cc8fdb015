#include "control/node/drain_room.h"

#include "base/quantity.h"
#include "control/state/cluster.h"
#include "engine/problem/eviction_order.h"

bool drain_room_is_open(const struct control *control, const struct node *node)
{
    if (object_is_deleting((const struct object *)node) || node_is_closed(node))
        return false;
    const struct state_node *state = cluster_state_of_node(control->cluster, node);
    return state != NULL && state->claims.count > 0 && state_initialized(state) &&
           !state_marked(state);
}

static bool takes_pods(const struct control *control, const struct state_node *state)
{
    const struct node *node = state != NULL ? state_main_node(state) : NULL;
    return node != NULL && !node->spec.unschedulable && drain_room_is_open(control, node);
}

// What the pod leaves on the node, as the size of a pod; negative: it does not fit.
static int64_t room_after(const struct control *control, const struct state_node *state,
                          int64_t cpu, int64_t memory)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct resource_map room = state_room(
        scratch, state, cluster_pods(control->cluster, state_main_node(state)->meta.name));
    int64_t cpu_left = quantity_subtract(resource_map_get(&room, "cpu"), cpu);
    int64_t memory_left = quantity_subtract(resource_map_get(&room, "memory"), memory);
    return cpu_left < 0 || memory_left < 0 ? -1 : eviction_size(cpu_left, memory_left);
}

const char *drain_room_for(const struct control *control, const char *planned, int64_t cpu,
                           int64_t memory)
{
    const struct state_node *state = cluster_state_named(control->cluster, planned);
    if (takes_pods(control, state) && room_after(control, state, cpu, memory) >= 0)
        return planned;
    const char *best = NULL;
    int64_t least = INT64_MAX;
    struct map_entry *position = NULL;
    while ((state = cluster_next(control->cluster, &position)) != NULL) {
        int64_t room = takes_pods(control, state) ? room_after(control, state, cpu, memory) : -1;
        if (room < 0 || room >= least)
            continue;
        least = room;
        best = state_main_node(state)->meta.name;
    }
    return best;
}
