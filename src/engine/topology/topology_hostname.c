#include "engine/topology/topology_hostname.h"

#include <assert.h>

#include "engine/pods/topology_groups.h"
#include "engine/topology/topology_counts.h"

// True if an existing node that the spread counts has none of its pods.
static bool some_node_is_empty(struct pass *pass, struct group_state *group)
{
    struct problem *problem = pass->problem;
    for (; group->node_at < problem->nodes.count; group->node_at++) {
        const struct schedulable_node *node = &problem->schedulable_nodes[group->node_at];
        if (!pass->slots[group->node_at].usable ||
            !group_filter_passes(problem, group->definition, node->set, node->hostname,
                                 node->taints, false))
            continue;
        if (group_count(group, node->hostname) == 0)
            return true;
        group->node_known = true;
    }
    return false;
}

static bool some_claim_is_empty(struct pass *pass, struct group_state *group)
{
    for (; group->claim_at < pass->claims.count; group->claim_at++) {
        const struct claim *claim = pass->claims.items[group->claim_at];
        if (group_count(group, claim->hostname) == 0 &&
            group_filter_passes(pass->problem, group->definition, claim->set, claim->hostname,
                                claim->template->taints, true))
            return true;
    }
    return false;
}

int64_t topology_hostname_minimum(struct pass *pass, struct group_state *group)
{
    assert(group->base != NULL);
    if (group->minimum_version == pass->version + 1)
        return group->minimum;
    group->minimum_version = pass->version + 1;
    group->minimum = 0;
    if (some_node_is_empty(pass, group) || !group->node_known || some_claim_is_empty(pass, group) ||
        group_domains_count(group) == 0 ||
        group_domains_count(group) < group->definition->min_domains)
        return 0;
    struct domain domain;
    group->minimum = INT64_MAX;
    for (uint32_t at = 0; group_next_domain(group, &at, &domain);)
        if (domain.count < group->minimum)
            group->minimum = domain.count;
    return group->minimum;
}

static bool is_hostname_spread(const struct pass *pass, const struct group_definition *group)
{
    return group->kind == GROUP_SPREAD && group->hard && group->key == pass->problem->keys.hostname;
}

bool topology_postpones(struct pass *pass, const struct pod_class *class)
{
    if (!pass->problem->strategy->doubles_hostname_spreads || pass->doubling.active ||
        pass->input.retry.strict_max_skew || pass->problem->nodes.count == 0)
        return false;
    for (uint32_t g = 0; g < class->groups_count; g++) {
        struct group_state *group = pass->work->groups.items[class->groups[g]];
        if (!is_hostname_spread(pass, group->definition) ||
            topology_hostname_minimum(pass, group) == 0)
            continue;
        pass->doubling.awaited = true;
        return true;
    }
    return false;
}

bool topology_start_doubling(struct pass *pass)
{
    if (pass->doubling.active || !pass->doubling.awaited)
        return false;
    assert(!pass->input.retry.strict_max_skew);
    pass->doubling.active = true;
    pass->version++;
    // Some permanent refusals of nodes assumed that nodes are not shared.
    vector_for_each (used, &pass->work->used_classes) {
        struct class_state *state = pass_class(pass, *used);
        bool spread = false;
        for (uint32_t g = 0; g < state->hostname_groups.count && !spread; g++)
            spread = is_hostname_spread(
                pass, pass->problem->topology.groups.items[state->hostname_groups.items[g]]);
        if (spread && state->refused_nodes.bits > 0)
            bitset_reset(state->refused_nodes);
    }
    return true;
}

// True if the pod has rules that other pods may have to satisfy first, whatever its node.
static bool depends_on_order(const struct pass *pass, const struct pod_class *class)
{
    for (uint32_t g = 0; g < class->groups_count; g++) {
        const struct group_definition *group =
            pass->problem->topology.groups.items[class->groups[g]];
        if (group->hard && !is_hostname_spread(pass, group) &&
            (group->kind == GROUP_SPREAD || group->kind == GROUP_AFFINITY))
            return true;
    }
    return false;
}

// True if a new node with one pod would be more than maxSkew below the fullest node.
static bool falls_behind(const struct group_state *group)
{
    struct domain domain;
    for (uint32_t at = 0; group_next_domain(group, &at, &domain);)
        if (domain.count > group->definition->max_skew + 1)
            return true;
    return false;
}

bool topology_empties(struct pass *pass, const struct pod_class *class,
                      const struct candidate *candidate, const struct group_state **spread)
{
    bool fresh = candidate->is_claim && candidate->hostname == pass->next_hostname &&
                 pass->next_hostname_index == pass->claims.count + 1;
    for (uint32_t i = 0; i < pass->doubling.groups.count && fresh; i++) {
        *spread = pass->work->groups.items[pass->doubling.groups.items[i]];
        bool filled = group_selects(pass->problem, (*spread)->id, class->identity) &&
                      !depends_on_order(pass, class) && !falls_behind(*spread);
        if (!filled && candidate->template != NULL &&
            group_filter_passes(pass->problem, (*spread)->definition, candidate->set,
                                candidate->hostname, candidate->template->taints, true))
            return true;
    }
    return false;
}
