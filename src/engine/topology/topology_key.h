// The rules of one label key: the domains that they leave to a candidate, and their order (SCH-303
// to SCH-313).
#pragma once

#include "engine/topology/topology_choice.h"

static inline const struct requirement *requirement_or_null(const struct pass *pass,
                                                            uint32_t identifier)
{
    return identifier == REQUIREMENT_NONE ? NULL : requirement_get(pass->problem->sets, identifier);
}

struct topology_key_rules { // the groups of one key and their context
    const struct group_state **groups;
    bool *bootstraps;
    int64_t *minimum;
    uint32_t count;
    const struct requirement *pod_domains, *node_domains;
    const struct pod_class *class;
    const struct group_list *counting;
};

// Records the reason of a refusal by a group of this kind.
void topology_note_reason(struct pass *pass, enum group_kind kind);
// Adds the key's alternatives to the choice; false if there are none.
bool topology_solve_key(struct pass *pass, uint32_t class_id, const struct candidate *candidate,
                        struct topology_key_rules *rules, uint32_t key,
                        struct topology_choice *choice);
// SCH-310: the group selects the pod itself, and no matching pod is in any domain open to it.
bool topology_may_bootstrap(const struct pass *pass, const struct group_state *group,
                            const struct requirement *pod_domains, uint32_t identity);
// Writes the text of the refusal, if requested.
void topology_explain(struct pass *pass, uint32_t class, const struct group_state *group,
                      const struct candidate *candidate);

// Adds alternatives of one key, best first; `values` may be unordered.
void topology_add_alternatives(struct pass *pass, const struct class_state *state,
                               const struct candidate *candidate, uint32_t key,
                               const uint32_t *values, uint32_t count);
// The candidate's cheapest launch with the set; INT64_MAX if there is none.
int64_t topology_lowest_price(struct pass *pass, const struct candidate *candidate, uint32_t set);
