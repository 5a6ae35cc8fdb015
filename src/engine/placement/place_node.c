#include "engine/placement/place_node.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/placement/messages.h"
#include "engine/placement/place_claim.h"
#include "engine/placement/place_volumes.h"
#include "engine/placement/scheduler_choice.h"
#include "engine/placement/shared_refusals.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/volume_limits.h"
#include "engine/topology/topology.h"

static bool ports_fit(struct pass *pass, const struct schedulable_node *node,
                      const struct node_slot *slot, const struct shape *shape)
{
    const struct host_port *existing, *wanted;
    struct host_ports planned = {slot->ports.items, slot->ports.count};
    if (shape->ports.count == 0 ||
        (!host_ports_conflict(&node->ports, &shape->ports, &existing, &wanted) &&
         !host_ports_conflict(&planned, &shape->ports, &existing, &wanted)))
        return true;
    struct text *why = refusal_begin(pass, REASON_HOST_PORT_CONFLICT);
    if (why != NULL) {
        text_add(why, "checking host port usage, ");
        host_ports_add_conflict(why, existing, wanted);
    }
    return false;
}

static bool volume_limits_allow(struct pass *pass, const struct schedulable_node *node,
                                const struct node_slot *slot, const struct shape *shape)
{
    if (node->volume_limits.count == 0)
        return true;
    uint32_t count = node->volumes.count + slot->volumes.count;
    struct volume_use *used = memory_allocate_array(count + 1, sizeof *used);
    if (node->volumes.count > 0)
        memcpy(used, node->volumes.items, node->volumes.count * sizeof *used);
    if (slot->volumes.count > 0)
        memcpy(used + node->volumes.count, slot->volumes.items, slot->volumes.count * sizeof *used);
    struct text *why = refusal_begin(pass, REASON_VOLUME_LIMIT);
    if (why != NULL)
        text_add(why, "checking volume usage, ");
    bool fits = volumes_fit(pass->problem, node, used, count, shape->volumes, why);
    free(used);
    return fits;
}

// SCH-194 step 1; SCH-515: PreferNoSchedule keeps no pod away.
bool node_taints_allow(struct problem *problem, const struct shape *shape,
                       const struct schedulable_node *node)
{
    return problem->settings->compatibility_upstream
               ? problem_tolerates(problem, shape->tolerations, node->taints)
               : problem_tolerates_hard(problem, shape->tolerations, node->taints);
}

// SCH-508. What a node is like is settled: terms and volumes can be looked at one after the other.
bool node_terms_hold(struct problem *problem, const struct schedulable_node *node,
                     const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->terms_count; i++)
        if (sets_compatible(problem->sets, node->set, shape->terms[i].set, false) &&
            problem_hostname_allowed(problem, shape->terms[i].hostname, node->hostname))
            return true;
    return shape->terms_count == 0;
}

// SCH-194, steps 1 to 5: what nothing in this pass can make good again.
bool node_fits_shape(struct pass *pass, const struct schedulable_node *node,
                     const struct node_slot *slot, const struct shape *shape)
{
    struct problem *problem = pass->problem;
    if (!node_taints_allow(problem, shape, node)) {
        if (refusal_begin(pass, REASON_TAINT_NOT_TOLERATED) != NULL)
            refusal_add_taints(pass, shape->tolerations, node->taints);
        return false;
    }
    if (shape->volumes != NULL && shape->volumes->limits_error != NULL) {
        if (refusal_begin(pass, REASON_VOLUME_INVALID) != NULL)
            text_add(pass->refusal.why, shape->volumes->limits_error);
        return false;
    }
    if (!volumes_free(pass, shape) || !volume_limits_allow(pass, node, slot, shape) ||
        !ports_fit(pass, node, slot, shape))
        return false;
    if (!vector_fits(problem, shape->requests, slot->free)) {
        if (refusal_begin(pass, REASON_INSUFFICIENT_RESOURCES) != NULL)
            text_add(pass->refusal.why, "exceeds node resources");
        return false;
    }
    if (shape->impossible || !sets_compatible(problem->sets, node->set, shape->set, false) ||
        !problem_hostname_allowed(problem, shape->hostname, node->hostname)) {
        if (refusal_begin(pass, REASON_REQUIREMENT_MISMATCH) != NULL) {
            sets_add_conflict(pass->refusal.why, problem->sets, node->set, shape->set, false);
            refusal_add_hostname(pass, shape->hostname, node->hostname);
        }
        return false;
    }
    if (!node_terms_hold(problem, node, shape)) {
        if (refusal_begin(pass, REASON_REQUIREMENT_MISMATCH) != NULL)
            sets_add_conflict(pass->refusal.why, problem->sets, node->set,
                              shape->terms[shape->terms_count - 1].set, false);
        return false;
    }
    return true;
}

// Step 6 for one alternative (SCH-197: only labels count).
static enum verdict alternative_fits(struct pass *pass, const struct schedulable_node *node,
                                     uint32_t class, const struct node_term *alternative)
{
    struct problem *problem = pass->problem;
    uint32_t set = node->set;
    if (alternative != NULL &&
        (!sets_compatible(problem->sets, node->set, alternative->set, false) ||
         !problem_hostname_allowed(problem, alternative->hostname, node->hostname))) {
        if (refusal_begin(pass, REASON_VOLUME_ZONE) != NULL) {
            text_add(pass->refusal.why, "incompatible volume requirements, ");
            sets_add_conflict(pass->refusal.why, problem->sets, node->set, alternative->set, false);
            refusal_add_hostname(pass, alternative->hostname, node->hostname);
        }
        return REFUSED_SHAPE;
    }
    if (pass_class(pass, class)->hostname_groups.count == 0 &&
        pass_class(pass, class)->domain_groups.count == 0 && !pass->current.avoids_inverse)
        return ACCEPTED;
    struct candidate candidate = {.set = set, .hostname = node->hostname, .taints = node->taints};
    struct topology_choice *choice;
    refusal_begin(pass, REASON_TOPOLOGY_SPREAD);
    enum verdict verdict = topology_begin(pass, class, &candidate, &choice);
    if (verdict == ACCEPTED && !topology_next(pass, &candidate, choice, &set))
        verdict = REFUSED_NOW;
    return verdict;
}

enum verdict node_check(struct pass *pass, uint32_t index, uint32_t class)
{
    const struct schedulable_node *node = &pass->problem->schedulable_nodes[index];
    uint32_t shape_id = class_at(pass->problem, class)->shape;
    const struct shape *shape = &pass->problem->interned.shapes.items[shape_id];
    bool known = pass->refusal.why == NULL && !pass->slots[index].changed &&
                 shape->volumes == NULL && pass->input.shared != NULL &&
                 pass_shape(pass, shape_id)->shared &&
                 !bitset_has(pass_shape(pass, shape_id)->refused_nodes, index);
    if (!known && !node_fits_shape(pass, node, &pass->slots[index], shape))
        return REFUSED_SHAPE;
    uint32_t alternatives = shape->volumes != NULL ? shape->volumes->alternatives_count : 0;
    if (alternatives == 0)
        return alternative_fits(pass, node, class, NULL);
    enum verdict verdict = REFUSED_SHAPE;
    for (uint32_t i = 0; i < alternatives; i++) {
        enum verdict next = alternative_fits(pass, node, class, &shape->volumes->alternatives[i]);
        if (next == ACCEPTED)
            return ACCEPTED;
        if (next < verdict)
            verdict = next;
    }
    return verdict;
}

void node_accept(struct pass *pass, uint32_t index, uint32_t pod, uint32_t class)
{
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
    pod_list_add(&slot->pods, pod);
    pass->placements[pod].kind = ON_NODE;
    pass->placements[pod].index = index;
    pass->placements[pod].class = class;
    topology_record(pass, pod, class, node->set, node->hostname, node->taints, false);
    pass->placements[pod].order = pass->version++;
}

// Nodes that the pod would rather not be on: they come after all others (SCH-515).
static bool is_disliked(struct pass *pass, const struct shape *shape, uint32_t index)
{
    return !problem_tolerates(pass->problem, shape->tolerations,
                              pass->problem->schedulable_nodes[index].taints);
}

static bool take_choice(struct pass *pass, uint32_t pod, uint32_t class,
                        const struct scheduler_choice *choice)
{
    if (choice->node == NONE)
        return false;
    if (pass->current.mode != PLACE_PROBE)
        node_accept(pass, choice->node, pod, class);
    return true;
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
                is_disliked(pass, &pass->problem->interned.shapes.items[shape_id], index) !=
                    disliked)
                continue;
            bool left_alone =
                class_at(pass->problem, class)->running && bitset_has(pass->input.quiet, index);
            enum verdict verdict = !pass->slots[index].usable ? REFUSED_SHAPE
                                   : left_alone               ? REFUSED_CLASS
                                                              : node_check(pass, index, class);
            if (verdict == ACCEPTED && choice.workload != NULL) {
                scheduler_choice_consider(&choice, pass, index, class);
                if (choice.considered >= CONSIDERED_MAX)
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
    shared_refusals_take(pass, class);
    return place_on_some(pass, pod, class, false) ||
           (pass->soft_taints && place_on_some(pass, pod, class, true));
}
