#include "engine/placement/node_check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pass/refusal.h"
#include "engine/placement/messages.h"
#include "engine/placement/place_devices.h"
#include "engine/placement/place_volumes.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/volume_limits.h"

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
    return problem_tolerates_hard(problem, shape->tolerations, node->taints);
}

// SCH-508. The labels of a node are fixed, so terms and volumes can be checked one by one.
bool node_terms_hold(struct problem *problem, const struct schedulable_node *node,
                     const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->terms_count; i++)
        if (sets_compatible(problem->sets, node->set, shape->terms[i].set, false) &&
            problem_hostname_allowed(problem, shape->terms[i].hostname, node->hostname))
            return true;
    return shape->terms_count == 0;
}

// SCH-194, steps 1 to 5: checks whose failure is permanent in this pass.
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

static enum verdict alternatives_fit(struct pass *pass, const struct schedulable_node *node,
                                     uint32_t class, const struct shape *shape)
{
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

enum verdict node_check(struct pass *pass, uint32_t index, uint32_t class)
{
    assert(index < pass->problem->nodes.count);
    const struct schedulable_node *node = &pass->problem->schedulable_nodes[index];
    uint32_t shape_id = class_at(pass->problem, class)->shape;
    const struct shape *shape = &pass->problem->interned.shapes.items[shape_id];
    bool known = pass->refusal.why == NULL && !pass->slots[index].changed &&
                 shape->volumes == NULL && pass->input.shared != NULL &&
                 pass_shape(pass, shape_id)->shared &&
                 !bitset_has(pass_shape(pass, shape_id)->refused_nodes, index);
    if (!known && !node_fits_shape(pass, node, &pass->slots[index], shape))
        return REFUSED_SHAPE;
    enum verdict verdict = alternatives_fit(pass, node, class, shape);
    bool for_good;
    if (verdict == ACCEPTED && shape->devices != NULL &&
        !devices_fit_node(pass, index, shape, &for_good))
        return for_good ? REFUSED_SHAPE : REFUSED_NOW;
    return verdict;
}
