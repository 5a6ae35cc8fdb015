#include "engine/topology/topology_inverse_spread.h"

#include <assert.h>

#include "engine/pods/topology_groups.h"
#include "engine/templates/templates.h"
#include "engine/topology/topology_counts.h"
#include "engine/topology/topology_hostname.h"

static bool is_strict_spread(const struct group_definition *group)
{
    return group->kind == GROUP_SPREAD && group->hard;
}

void topology_find_inverse(struct pass *pass, const struct pod_class *class,
                           struct class_state *state)
{
    assert(class->identity < pass->work->identities);
    const struct group_list *selecting = &pass->work->selecting[class->identity];
    if (!pass->problem->strategy->heeds_other_spreads)
        return;
    for (uint32_t i = 0; i < selecting->count; i++) {
        uint32_t id = selecting->items[i];
        bool own = false;
        for (uint32_t g = 0; g < class->groups_count && !own; g++)
            own = class->groups[g] == id;
        if (!own && is_strict_spread(pass->problem->topology.groups.items[id]))
            group_list_add(&state->inverse_spreads, id);
    }
}

// The domain of a node or claim; SYMBOL_NONE: still open, or in no domain.
static uint32_t domain_of(const struct pass *pass, const struct group_definition *group,
                          uint32_t set, uint32_t hostname)
{
    if (group->key == pass->problem->keys.hostname)
        return hostname;
    const struct requirement *label = set_get(pass->problem->sets, set, group->key);
    return label != NULL && !label->complement && label->count == 1 ? label->values[0]
                                                                    : SYMBOL_NONE;
}

void topology_note_owner(struct pass *pass, const struct pod_class *class, uint32_t set,
                         uint32_t hostname)
{
    for (uint32_t g = 0; g < class->groups_count; g++) {
        struct group_state *group = pass->work->groups.items[class->groups[g]];
        if (!is_strict_spread(group->definition))
            continue;
        uint32_t value = domain_of(pass, group->definition, set, hostname);
        group->has_owners = true;
        if (value != SYMBOL_NONE && memo_get(&group->owned, value, 0) == MEMO_NONE)
            memo_set(&group->owned, value, 0, 1);
    }
}

bool topology_breaks_inverse(struct pass *pass, const struct group_list *inverse_spreads,
                             const struct candidate *candidate, uint32_t set)
{
    if (!pass->current.avoids_inverse)
        return false;
    for (uint32_t i = 0; i < inverse_spreads->count; i++) {
        struct group_state *group = pass->work->groups.items[inverse_spreads->items[i]];
        const struct group_definition *definition = group->definition;
        uint32_t value = domain_of(pass, definition, set, candidate->hostname);
        if (value == SYMBOL_NONE || memo_get(&group->owned, value, 0) == MEMO_NONE)
            continue;
        int64_t skew = (int64_t)group_count(group, value) + 1;
        if (skew > definition->max_skew)
            skew -= definition->key == pass->problem->keys.hostname
                        ? topology_hostname_minimum(pass, group)
                        : topology_spread_minimum(pass, group, NULL);
        if (skew > definition->max_skew &&
            group_filter_passes(pass->problem, definition, set, candidate->hostname,
                                candidate->taints, candidate->is_claim))
            return true;
    }
    return false;
}

// True if the class's own spreads, of any key, let it into the claim's domains.
static bool own_spreads_allow(struct pass *pass, const struct pod_class *class,
                              const struct claim *claim)
{
    for (uint32_t g = 0; g < class->groups_count; g++) {
        struct group_state *group = pass->work->groups.items[class->groups[g]];
        const struct group_definition *definition = group->definition;
        if (definition->kind != GROUP_SPREAD || definition->key == pass->problem->keys.hostname)
            continue;
        uint32_t value = domain_of(pass, definition, claim->set, claim->hostname);
        if (value == SYMBOL_NONE)
            continue;
        int64_t skew = (int64_t)group_count(group, value) +
                       group_selects(pass->problem, group->id, class->identity);
        if (skew > definition->max_skew &&
            skew - topology_spread_minimum(pass, group, NULL) > definition->max_skew)
            return false;
    }
    return true;
}

bool topology_inverse_allows(struct pass *pass, uint32_t class, const struct claim *claim)
{
    if (!pass->problem->strategy->heeds_other_spreads ||
        claim->branches_count > 0) // branches may be in other domains
        return true;
    const struct candidate candidate = {.set = claim->set,
                                        .hostname = claim->hostname,
                                        .taints = claim->template->taints,
                                        .is_claim = true};
    return own_spreads_allow(pass, class_at(pass->problem, class), claim) &&
           !topology_breaks_inverse(pass, &pass_class(pass, class)->inverse_spreads, &candidate,
                                    claim->set);
}
