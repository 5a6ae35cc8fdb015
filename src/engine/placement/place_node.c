#include "engine/placement/place_node.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/placement/messages.h"
#include "engine/placement/node_check.h"
#include "engine/placement/place_claim.h"
#include "engine/placement/place_devices.h"
#include "engine/placement/place_volumes.h"
#include "engine/placement/scheduler_choice.h"
#include "engine/placement/shared_refusals.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/volume_limits.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_record.h"

void node_accept(struct pass *pass, uint32_t index, uint32_t pod, uint32_t class)
{
    assert(pass->placements[pod].kind == NOT_PLACED);
    assert(pass->slots[index].usable);
    assert(pass->current.mode == PLACE);
    struct problem *problem = pass->problem;
    const struct schedulable_node *node = &problem->schedulable_nodes[index];
    const struct shape *shape = shape_of(problem, class_at(problem, class));
    struct node_slot *slot = &pass->slots[index];
    if (!slot->changed) {
        int64_t *copy = arena_allocate_array(pass->arena, problem->dimensions.count, sizeof *copy);
        memcpy(copy, slot->free, problem->dimensions.count * sizeof *copy);
        slot->free = copy;
        slot->changed = true;
        vector_push(&pass->touched, index);
    }
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        uint32_t d = shape->dimensions[i];
        slot->free[d] = quantity_subtract(slot->free[d], shape->requests[d]);
    }
    list_for_each (port, &shape->ports)
        vector_push(&slot->ports, *port);
    for (uint32_t i = 0; shape->volumes != NULL && i < shape->volumes->uses.count; i++)
        vector_push(&slot->volumes, shape->volumes->uses.items[i]);
    volumes_take(pass, shape);
    if (shape->devices != NULL)
        devices_take_node(pass, index, shape);
    pod_list_add(&slot->pods, pod);
    pass->placements[pod].kind = ON_NODE;
    pass->placements[pod].index = index;
    pass->placements[pod].class = class;
    topology_record(pass, pod, class, node->set, node->hostname, node->taints, false);
    pass->placements[pod].order = pass->version++;
}

// True if the node has PreferNoSchedule taints that the pod does not tolerate; such nodes come last
// (SCH-515).
static bool has_soft_taints(struct pass *pass, const struct shape *shape, uint32_t index)
{
    return !problem_tolerates(pass->problem, shape->tolerations,
                              pass->problem->schedulable_nodes[index].taints);
}

static bool take_choice(struct pass *pass, uint32_t pod, uint32_t class,
                        const struct scheduler_choice *choice)
{
    uint32_t node = scheduler_choice_best(choice, pass);
    if (node != NONE && pass->current.mode != PLACE_PROBE)
        node_accept(pass, node, pod, class);
    return node != NONE;
}

static bool place_on_some(struct pass *pass, uint32_t pod, uint32_t class, bool disliked)
{
    struct scheduler_choice choice = scheduler_choice_of(pass, pod);
    uint32_t count = pass->problem->nodes.count, words = bitset_words(count);
    uint32_t shape_id = class_at(pass->problem, class)->shape;
    struct shape_state *shape = pass_shape(pass, shape_id);
    struct class_state *state = pass_class(pass, class);
    for (uint32_t w = shape->first_node; w < words; w++) {
        if (w == shape->first_node && shape->refused_nodes.words[w] == UINT64_MAX)
            shape->first_node++;
        uint64_t open = ~(shape->refused_nodes.words[w] | state->refused_nodes.words[w]);
        for (; open != 0; open &= open - 1) {
            uint32_t index = w * 64 + (uint32_t)__builtin_ctzll(open);
            if (index >= count)
                break;
            if (pass->soft_taints &&
                has_soft_taints(pass, &pass->problem->interned.shapes.items[shape_id], index) !=
                    disliked)
                continue;
            bool left_alone =
                class_at(pass->problem, class)->running && bitset_has(pass->input.quiet, index);
            enum verdict verdict = !pass->slots[index].usable ? REFUSED_SHAPE
                                   : left_alone               ? REFUSED_CLASS
                                                              : node_check(pass, index, class);
            if (verdict == ACCEPTED && choice.workload != NULL) {
                if (scheduler_choice_consider(&choice, pass, index, class))
                    return take_choice(pass, pod, class, &choice);
                continue;
            }
            if (verdict == ACCEPTED) {
                if (pass->current.mode != PLACE_PROBE)
                    node_accept(pass, index, pod, class);
                return true;
            }
            if (verdict == REFUSED_SHAPE)
                bitset_set(shape->refused_nodes, index);
            else if (verdict == REFUSED_CLASS)
                bitset_set(state->refused_nodes, index);
            else if (topology_inverse_tries_end(pass))
                return take_choice(pass, pod, class, &choice);
        }
    }
    return take_choice(pass, pod, class, &choice);
}

bool place_on_nodes(struct pass *pass, uint32_t pod, uint32_t class)
{
    uint32_t count = pass->problem->nodes.count;
    bool apart = bitset_has(pass->input.retry.nodes_last, pass_pod(pass, pod)->class);
    if (count == 0 || (apart && !pass->current.last_resort))
        return false;
    struct shape_state *shape = pass_shape(pass, class_at(pass->problem, class)->shape);
    struct class_state *state = pass_class(pass, class);
    if (shape->refused_nodes.bits == 0)
        shape->refused_nodes = bitset_create(pass->arena, count);
    if (state->refused_nodes.bits == 0)
        state->refused_nodes = bitset_create(pass->arena, count);
    assert(shape->refused_nodes.bits == count);
    assert(state->refused_nodes.bits == count);
    shared_refusals_take(pass, class);
    return place_on_some(pass, pod, class, false) ||
           (pass->soft_taints && place_on_some(pass, pod, class, true));
}
