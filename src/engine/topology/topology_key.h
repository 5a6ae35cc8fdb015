// The rules of one label key: which domains they leave a candidate, in which order (SCH-303 to
// SCH-313).
#pragma once

#include "engine/topology/topology_choice.h"

static inline const struct requirement *requirement_or_null(const struct pass *pass,
                                                            uint32_t identifier)
{
    return identifier == REQUIREMENT_NONE ? NULL : requirement_get(pass->problem->sets, identifier);
}

struct topology_key_rules { // the groups of one key, and what they need to know
    const struct group_state **groups;
    bool *bootstraps;
    int64_t *minimum;
    uint32_t count;
    const struct requirement *pod_domains, *node_domains;
    const struct pod_class *class;
    const struct group_list *counting;
};

// The reason of a refusal by such a group.
void topology_note_reason(struct pass *pass, enum group_kind kind);
// Puts the key's alternatives into the choice; false if there is none.
bool topology_solve_key(struct pass *pass, uint32_t class_id, const struct candidate *candidate,
                        struct topology_key_rules *rules, uint32_t key,
                        struct topology_choice *choice);
// SCH-310: the group selects the pod itself, and nothing that it wants is anywhere it may go.
bool topology_may_bootstrap(const struct pass *pass, const struct group_state *group,
                            const struct requirement *pod_domains, uint32_t identity);
// The text of the refusal, if it is asked for.
void topology_explain(struct pass *pass, uint32_t class, const struct group_state *group,
                      const struct candidate *candidate);

// Adds alternatives of one key, best first; the values need be in no order.
void topology_add_alternatives(struct pass *pass, const struct class_state *state,
                               const struct candidate *candidate, uint32_t key,
                               const uint32_t *values, uint32_t count);
// The cheapest launch of the candidate with the set, INT64_MAX if there is none.
int64_t topology_lowest_price(struct pass *pass, const struct candidate *candidate, uint32_t set);
