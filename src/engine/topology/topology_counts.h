// How many pods each domain of a group has (SCH-279, 285 to 298, 320 to 323).
#pragma once

#include "engine/topology/topology_choice.h"

// Where the group has a domain that it knows, or MEMO_NONE. A few are found faster by looking.
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
// How many domains the group knows; of hostnames only those with a count are known.
static inline uint32_t group_domains_count(const struct group_state *group)
{
    return group->base != NULL ? group->nonempty : group->domains.count;
}
// The next known domain after the position `*at`, 0 at first; in no order. False: that was all.
bool group_next_domain(const struct group_state *group, uint32_t *at, struct domain *domain);
// SCH-303.
int64_t topology_spread_minimum(const struct pass *pass, const struct group_state *group,
                                const struct requirement *pod_domains);
// The error of SCH-318, appended to pass->refusal.why.
void topology_add_error(struct pass *pass, uint32_t class, const struct group_state *group,
                        const struct candidate *candidate);
