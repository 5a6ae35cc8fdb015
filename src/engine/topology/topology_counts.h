// Pod counts of a group's domains (SCH-279, 285 to 298, 320 to 323).
#pragma once

#include "engine/topology/topology_choice.h"

// The position of a known domain, or MEMO_NONE. Scanning is faster for a few domains.
#define DOMAINS_SCANNED 8
static inline uint32_t group_position(const struct group_state *group, uint32_t value)
{
    if (group->domains.count > DOMAINS_SCANNED)
        return memo_get(&group->index, value, 0);
    for (uint32_t i = 0; i < group->domains.count; i++)
        if (group->domains.items[i].value == value)
            return i;
    return MEMO_NONE;
}
static inline uint32_t group_count(const struct group_state *group, uint32_t value)
{
    uint32_t position = group_position(group, value);
    if (position != MEMO_NONE)
        return group->domains.items[position].count;
    return group->base != NULL ? domain_counts_get(&group->base->pods, value) : 0;
}
// The number of known domains; hostname groups know only domains with a count.
static inline uint32_t group_domains_count(const struct group_state *group)
{
    return group->base != NULL ? group->nonempty : group->domains.count;
}
// The next known domain after position `*at` (0 at first), unordered. False after the last.
bool group_next_domain(const struct group_state *group, uint32_t *at, struct domain *domain);
// SCH-303.
int64_t topology_spread_minimum(const struct pass *pass, const struct group_state *group,
                                const struct requirement *pod_domains);
// Appends the error of SCH-318 to pass->refusal.why.
void topology_add_error(struct pass *pass, uint32_t class, const struct group_state *group,
                        const struct candidate *candidate);
