#include "engine/topology/topology.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/pods/domain_universe.h"
#include "engine/pods/topology_groups.h"
#include "engine/templates/instance_types.h"
#include "engine/topology/topology_combine.h"
#include "engine/topology/topology_counts.h"
#include "engine/topology/topology_decide.h"
#include "engine/topology/topology_hostname.h"
#include "engine/topology/topology_inverse_spread.h"
#include "engine/topology/topology_key.h"

// --- the hostname: the candidate is one domain ---------------------------------------------------

static enum verdict check_hostname(struct pass *pass, const struct pod_class *class,
                                   struct group_state *group, const struct candidate *candidate)
{
    uint32_t hostname = candidate->hostname;
    uint32_t count = group_count(group, hostname);
    switch (group->definition->kind) {
    case GROUP_SPREAD: { // SCH-303, 305: the minimum is 0 except among existing nodes (SCH-513)
        bool self = group_selects(pass->problem, group->id, class->identity);
        int64_t skew = (int64_t)count + self;
        if (skew <= group->definition->max_skew)
            return ACCEPTED;
        if (candidate->is_claim || !pass->doubling.active)
            return REFUSED_CLASS;
        skew -= topology_hostname_minimum(pass, group);
        return skew <= group->definition->max_skew ? ACCEPTED : REFUSED_NOW;
    }
    case GROUP_AFFINITY: { // SCH-308
        const struct requirement *pod_domains = requirement_or_null(pass, class->strict_hostname);
        if (!domain_allowed(pass, pod_domains, hostname))
            return REFUSED_CLASS;
        if (count > 0 || topology_may_bootstrap(pass, group, pod_domains, class->identity))
            return ACCEPTED;
        return REFUSED_NOW;
    }
    case GROUP_ANTI_AFFINITY:
    case GROUP_INVERSE: // SCH-313
        break;
    }
    return count == 0 ? ACCEPTED : REFUSED_CLASS;
}

// A candidate that never gets the label is in no domain of the key (SCH-317).
static bool outside_of_domains(const struct pass *pass, const struct candidate *candidate,
                               uint32_t key)
{
    return set_find(pass->problem->sets, candidate->set, key) == REQUIREMENT_NONE &&
           !(candidate->is_claim && vocabulary_is_well_known(pass->problem->vocabulary, key));
}

// Gathers the groups of one key, which are adjacent in the class's list, from `first` on. Returns
// the start of the next key.
static uint32_t gather_key(struct pass *pass, const struct class_state *state, uint32_t first,
                           const struct candidate *candidate, struct topology_key_rules *rules)
{
    assert(first < state->domain_groups.count);
    uint32_t key = pass->work->groups.items[state->domain_groups.items[first]]->definition->key;
    bool outside = outside_of_domains(pass, candidate, key);
    rules->count = 0;
    uint32_t i = first;
    for (; i < state->domain_groups.count; i++) {
        const struct group_state *group = pass->work->groups.items[state->domain_groups.items[i]];
        if (group->definition->key != key)
            break;
        bool apart = group->definition->kind == GROUP_INVERSE ||
                     (group->definition->kind == GROUP_ANTI_AFFINITY &&
                      pass->problem->strategy->counts_as_scheduler);
        if (!outside || !apart)
            rules->groups[rules->count++] = group;
    }
    assert(rules->count <= i - first);
    return i;
}

// True if a failure of these rules is permanent: their counts never go down (those of spreads may),
// and the candidate's domains cannot change.
static bool is_final(const struct topology_key_rules *rules)
{
    for (uint32_t g = 0; g < rules->count; g++)
        if (rules->groups[g]->definition->kind == GROUP_SPREAD ||
            rules->groups[g]->definition->kind == GROUP_AFFINITY)
            return false;
    return rules->node_domains != NULL && !rules->node_domains->complement;
}

static enum verdict solve_keys(struct pass *pass, uint32_t class_id,
                               const struct class_state *state, const struct candidate *candidate,
                               struct topology_key_rules *rules)
{
    struct requirement_sets *sets = pass->problem->sets;
    const struct pod_class *class = rules->class;
    for (uint32_t at = 0; at < state->domain_groups.count;) {
        uint32_t key = pass->work->groups.items[state->domain_groups.items[at]]->definition->key;
        at = gather_key(pass, state, at, candidate, rules);
        if (rules->count == 0)
            continue;
        // Interning may move requirements, so the rules read copies.
        struct requirement pod_copy, node_copy;
        const struct requirement *pod_domains = set_get(sets, class->strict_set, key);
        const struct requirement *node_domains = set_get(sets, candidate->set, key);
        if (pod_domains != NULL)
            pod_copy = *pod_domains;
        if (node_domains != NULL)
            node_copy = *node_domains;
        rules->pod_domains = pod_domains != NULL ? &pod_copy : NULL;
        rules->node_domains = node_domains != NULL ? &node_copy : NULL;
        if (!topology_solve_key(pass, class_id, candidate, rules, key, state->choice))
            return is_final(rules) ? REFUSED_CLASS : REFUSED_NOW;
    }
    return ACCEPTED;
}

#define RULES_ON_STACK 16

// All keys but the hostname's.
static enum verdict solve_all(struct pass *pass, uint32_t class_id, const struct class_state *state,
                              const struct candidate *candidate)
{
    const struct pod_class *class = class_at(pass->problem, class_id);
    uint32_t total = state->domain_groups.count;
    if (total == 0)
        return ACCEPTED;
    const struct group_state *groups[RULES_ON_STACK];
    bool bootstraps[RULES_ON_STACK];
    int64_t minimum[RULES_ON_STACK];
    struct topology_key_rules rules = {.groups = groups,
                                       .bootstraps = bootstraps,
                                       .minimum = minimum,
                                       .class = class,
                                       .counting = &state->counting};
    if (total <= RULES_ON_STACK)
        return solve_keys(pass, class_id, state, candidate, &rules);
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    rules.groups = arena_allocate_array(scratch, total, sizeof *rules.groups);
    rules.bootstraps = arena_allocate_array(scratch, total, sizeof *rules.bootstraps);
    rules.minimum = arena_allocate_array(scratch, total, sizeof *rules.minimum);
    return solve_keys(pass, class_id, state, candidate, &rules);
}

enum verdict topology_begin(struct pass *pass, uint32_t class_id, const struct candidate *candidate,
                            struct topology_choice **choice)
{
    struct class_state *state = pass_class(pass, class_id);
    assert(state->prepared);
    const struct pod_class *class = class_at(pass->problem, class_id);
    *choice = state->choice;
    state->choice->base = candidate->set;
    state->choice->keys_count = 0;
    state->choice->combinations_count = 0;
    state->choice->started = false;
    state->choice->tried = 0;
    for (uint32_t i = 0; i < state->hostname_groups.count; i++) {
        struct group_state *group = pass->work->groups.items[state->hostname_groups.items[i]];
        enum verdict verdict = check_hostname(pass, class, group, candidate);
        if (verdict != ACCEPTED) {
            topology_note_reason(pass, group->definition->kind);
            topology_explain(pass, class_id, group, candidate);
            return verdict;
        }
    }
    const struct group_state *spread;
    if (topology_empties(pass, class, candidate, &spread)) {
        topology_note_reason(pass, GROUP_SPREAD);
        topology_explain(pass, class_id, spread, candidate);
        return REFUSED_NOW;
    }
    topology_find_undecided(pass, class, state, candidate, *choice);
    enum verdict verdict = solve_all(pass, class_id, state, candidate);
    if (verdict == ACCEPTED && state->choice->decided_count > 0)
        topology_decide_rest(pass, state, candidate);
    if (verdict == ACCEPTED && candidate->is_claim && pass->problem->strategy->combines_keys)
        topology_combine(pass, candidate, state->choice);
    return verdict;
}

// With many alternatives a key, a few spreads over node labels would try millions of combinations,
// most of which no machine has. Each check tries some; further ones count against the budgets of
// the pod and of the whole pass.
#define CLASS_COMBINATIONS_MAX 200
#define PASS_COMBINATIONS_MAX  4000

static bool may_try_another(struct pass *pass, struct topology_choice *choice)
{
    if (choice->tried++ < COMBINATIONS_MAX)
        return true;
    if (*choice->spent < CLASS_COMBINATIONS_MAX &&
        pass->combinations_spent < PASS_COMBINATIONS_MAX) {
        ++*choice->spent;
        pass->combinations_spent++;
        return true;
    }
    struct text *why = refusal_begin(pass, REASON_PLANNING_BUDGET);
    if (why != NULL)
        text_format(why,
                    "its topology constraints over %" PRIu32
                    " labels can be combined in too many ways "
                    "to try them all",
                    choice->keys_count);
    return false;
}

bool topology_next(struct pass *pass, const struct candidate *candidate,
                   struct topology_choice *choice, uint32_t *set)
{
    assert(choice->base == candidate->set);
    for (;;) {
        if (choice->started && !(topology_advance(choice) && may_try_another(pass, choice)))
            return false;
        choice->started = true;
        *set = choice->base;
        uint32_t answer = topology_answer(pass, choice);
        if (answer == SET_EMPTY)
            return !topology_breaks_inverse(pass, &choice->inverse_spreads, candidate, *set);
        if (!sets_compatible(pass->problem->sets, choice->base, answer, candidate->is_claim)) {
            if (pass->refusal.why != NULL) {
                pass->refusal.code = REASON_UNKNOWN_LABEL;
                sets_add_conflict(pass->refusal.why, pass->problem->sets, choice->base, answer,
                                  candidate->is_claim);
            }
            continue;
        }
        *set = set_meet(pass->problem->sets, choice->base, answer);
        if (!topology_breaks_inverse(pass, &choice->inverse_spreads, candidate, *set))
            return true;
    }
}
