#include "sim/scheduler/scheduler_nominees.h"

#include "sim/scheduler/scheduler_filters.h"
#include "sim/scheduler/scheduler_nominations.h"

static bool leaves_room_to(const struct filter_state *state, const struct filter_pod *nominee)
{
    return nominee != state->self &&
           nominee->pod->spec.priority.value >= state->pod->spec.priority.value;
}

// Whether the pod's filter state depends on the pods on nodes.
static bool depends_on_pods(const struct filter_state *state)
{
    return state->spreads_count > 0 || state->affinity.count > 0 ||
           state->anti_affinity.count > 0 || map_count(state->cluster->carried) > 0;
}

static bool fits_beside(struct filter_state *state, uint32_t node, struct filter_tally *tally)
{
    if (!depends_on_pods(state))
        return filter_node(state, node, tally);
    struct filter_state *anew = state_create(state->cluster, state->pod);
    bool fits = filter_node(anew, node, tally);
    filter_release(anew);
    return fits;
}

bool filter_node_with_nominees(struct filter_state *state, uint32_t index,
                               struct filter_tally *tally)
{
    if (!filter_node(state, index, tally))
        return false;
    struct filter_cluster *cluster = state->cluster;
    const struct filter_node *node = cluster->slots.items[index];
    const struct nominees *nominees = map_get(cluster->nominations, node->name);
    if (nominees == NULL)
        return true;
    uint32_t placed = 0;
    vector_for_each (nominee, &nominees->pods) {
        if (leaves_room_to(state, *nominee)) {
            pod_place(cluster, *nominee, node->name);
            placed++;
        }
    }
    bool fits = placed == 0 || fits_beside(state, index, tally);
    vector_for_each (nominee, &nominees->pods) {
        if ((*nominee)->node != NULL)
            pod_displace(cluster, *nominee);
    }
    return fits;
}
