#include "engine/topology/topology.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/pods/topology_groups.h"
#include "engine/templates/instance_types.h"
#include "engine/topology/topology_combine.h"
#include "engine/topology/topology_counts.h"
#include "engine/topology/topology_decide.h"
#include "engine/topology/topology_hostname.h"
#include "engine/topology/topology_inverse_spread.h"

static bool allows(const struct pass *pass, const struct requirement *requirement, uint32_t value)
{
    return requirement == NULL || requirement_has(pass->problem->vocabulary, requirement, value);
}

static const struct requirement *requirement_or_null(const struct pass *pass, uint32_t identifier)
{
    return identifier == REQUIREMENT_NONE ? NULL : requirement_get(pass->problem->sets, identifier);
}

// SCH-310: the group selects the pod itself, and nothing that it wants is anywhere it may go.
static bool may_bootstrap(const struct pass *pass, const struct group_state *group,
                          const struct requirement *pod_domains, uint32_t identity)
{
    if (!group_selects(pass->problem, group->id, identity))
        return false;
    if (topology_better(pass)) // kube-scheduler: nowhere at all
        return group->nonempty == 0;
    struct domain domain;
    for (uint32_t at = 0; group->nonempty > 0 && group_next_domain(group, &at, &domain);)
        if (domain.count > 0 && allows(pass, pod_domains, domain.value))
            return false;
    return true;
}

static void explain(struct pass *pass, uint32_t class, const struct group_state *group,
                    const struct candidate *candidate)
{
    if (pass->refusal.why != NULL)
        topology_add_error(pass, class, group, candidate);
}

// --- the hostname: the candidate is one domain ---------------------------------------------------

static enum verdict check_hostname(struct pass *pass, const struct pod_class *class,
                                   struct group_state *group, const struct candidate *candidate)
{
    uint32_t hostname = candidate->hostname;
    uint32_t count = group_count(group, hostname);
    switch (group->definition->kind) {
    case GROUP_SPREAD: { // SCH-303, 305: the minimum is 0, but for existing nodes (SCH-513)
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
        if (!allows(pass, pod_domains, hostname))
            return REFUSED_CLASS;
        if (count > 0 || may_bootstrap(pass, group, pod_domains, class->identity))
            return ACCEPTED;
        return REFUSED_NOW;
    }
    case GROUP_ANTI_AFFINITY:
    case GROUP_INVERSE: // SCH-313
        break;
    }
    return count == 0 ? ACCEPTED : REFUSED_CLASS;
}

// --- other keys ----------------------------------------------------------------------------------

struct option {
    uint32_t value;
    uint64_t count; // of the spread groups, first one weighing most
    int64_t price;
    uint64_t load;   // what spreads of others count there
    uint32_t asking; // pods that ask for the value
};

struct key_rules { // the groups of one key, and what they need to know
    const struct group_state **groups;
    bool *bootstraps;
    int64_t *minimum;
    uint32_t count;
    const struct requirement *pod_domains, *node_domains;
    const struct pod_class *class;
    const struct group_list *counting;
};

// SCH-303.
int64_t topology_spread_minimum(const struct pass *pass, const struct group_state *group,
                                const struct requirement *pod_domains)
{
    int64_t minimum = INT32_MAX, allowed = 0;
    for (uint32_t i = 0; i < group->domains.count; i++) {
        // The filter has seen to what the pod asks for, unless it is told not to (Ignore).
        if (!topology_better(pass) && !allows(pass, pod_domains, group->domains.items[i].value))
            continue;
        allowed++;
        if (group->domains.items[i].count < minimum)
            minimum = group->domains.items[i].count;
    }
    if (group->definition->min_domains > 0 && allowed < group->definition->min_domains)
        return 0;
    return minimum;
}

static bool has_wanted_domain(const struct pass *pass, const struct group_state *group,
                              const struct key_rules *rules)
{
    for (uint32_t i = 0; i < group->domains.count; i++)
        if (group->domains.items[i].count > 0 &&
            allows(pass, rules->pod_domains, group->domains.items[i].value) &&
            allows(pass, rules->node_domains, group->domains.items[i].value))
            return true;
    return false;
}

// Whether group number g lets the pod into the domain (SCH-306, 309, 311, 314, 317).
static bool group_allows(const struct pass *pass, const struct key_rules *rules, uint32_t g,
                         uint32_t value)
{
    const struct group_state *group = rules->groups[g];
    uint32_t position = group_position(group, value);
    bool known = position != MEMO_NONE;
    uint32_t count = known ? group->domains.items[position].count : 0;
    switch (group->definition->kind) {
    case GROUP_SPREAD: {
        bool self = group_selects(pass->problem, group->id, rules->class->identity);
        return known && (int64_t)count + self - rules->minimum[g] <= group->definition->max_skew;
    }
    case GROUP_AFFINITY:
        return known && (count > 0 || rules->bootstraps[g]) &&
               allows(pass, rules->pod_domains, value);
    case GROUP_ANTI_AFFINITY:
        return known && count == 0 && allows(pass, rules->pod_domains, value);
    case GROUP_INVERSE:
        break;
    }
    return count == 0;
}

static bool all_allow(const struct pass *pass, const struct key_rules *rules, uint32_t value,
                      uint32_t *refused_by)
{
    for (uint32_t g = 0; g < rules->count; g++)
        if (!group_allows(pass, rules, g, value)) {
            if (g < *refused_by)
                *refused_by = g;
            return false;
        }
    return true;
}

#define DOMAINS_ON_STACK 16 // more are on the heap

// The domains that come into question: those of the first group that knows its domains, or with
// inverse groups only, those that the candidate or the pools can have.
static uint32_t candidate_values(struct pass *pass, const struct key_rules *rules, uint32_t key,
                                 const uint32_t **values, uint32_t *on_stack, uint32_t **owned)
{
    *owned = NULL;
    for (uint32_t g = 0; g < rules->count; g++) {
        const struct group_state *group = rules->groups[g];
        if (group->definition->kind == GROUP_INVERSE)
            continue;
        uint32_t *copy = on_stack;
        if (group->domains.count > DOMAINS_ON_STACK)
            copy = *owned = memory_allocate_array(group->domains.count, sizeof **owned);
        for (uint32_t i = 0; i < group->domains.count; i++)
            copy[i] = group->domains.items[i].value;
        *values = copy;
        return group->domains.count;
    }
    if (rules->node_domains != NULL && !rules->node_domains->complement) {
        *values = rules->node_domains->values;
        return rules->node_domains->count;
    }
    const struct domain_universe *universe = domain_universe(pass->problem, key);
    *values = universe->values;
    return universe->count;
}

static int compare_options(const void *a, const void *b, void *context)
{
    const struct option *x = a, *y = b;
    const struct vocabulary *vocabulary = context;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    if (x->load != y->load)
        return x->load < y->load ? -1 : 1;
    if (x->asking != y->asking)
        return x->asking > y->asking ? -1 : 1;
    return strcmp(vocabulary_value_text(vocabulary, x->value),
                  vocabulary_value_text(vocabulary, y->value));
}

static uint32_t in_value(struct pass *pass, uint32_t key, uint32_t value)
{
    struct requirement requirement = {.key = key, .count = 1, .values = &value};
    return requirement_intern(pass->problem->sets, &requirement);
}

int64_t topology_lowest_price(struct pass *pass, const struct candidate *candidate, uint32_t set)
{
    const struct row_filter *prices = type_table_prices(pass->problem, candidate->table, set);
    if (candidate->rows == NULL || !topology_better(pass))
        return prices->lowest;
    for (uint32_t i = 0; i < candidate->table->count; i++) {
        uint32_t row = prices->by_price[i];
        if (prices->cheapest[row] == INT64_MAX)
            break;
        if (bitset_has(*candidate->rows, row) && bitset_has(*candidate->fitting, row) &&
            bitset_has(prices->both, row)) // prices are of offerings, whatever the type's labels
            return prices->cheapest[row];
    }
    return INT64_MAX;
}

// SCH-306, 311: fewest pods first, ties to the cheapest launch, then, where a rule needs to know
// the label but does not go by it, to what most pods ask for, which can join the claim then; then
// by name.
static void order_options(struct pass *pass, const struct candidate *candidate, uint32_t key,
                          const struct key_rules *rules, struct option *options, uint32_t count)
{
    bool domains = rules->count > 0;
    for (uint32_t i = 0; i < count; i++) {
        options[i].count = 0;
        for (uint32_t g = 0; g < rules->count; g++)
            if (rules->groups[g]->definition->kind == GROUP_SPREAD) {
                uint64_t own = group_count(rules->groups[g], options[i].value);
                options[i].count = options[i].count << 20 | (own > 0xfffff ? 0xfffff : own);
            }
        options[i].price = 0;
        options[i].load = 0;
        options[i].asking = 0;
        for (uint32_t g = 0; g < rules->counting->count; g++) {
            const struct group_state *group = pass->work->groups.items[rules->counting->items[g]];
            if (group->definition->kind != GROUP_SPREAD || group->definition->key != key)
                continue;
            options[i].load += group_count(group, options[i].value);
            domains = true;
        }
    }
    if (count < 2)
        return;
    for (uint32_t i = 0; i < count && candidate->is_claim; i++) {
        if (!domains)
            options[i].asking = topology_asking(pass, key, options[i].value);
        uint32_t set = set_add_known(pass->problem->sets, candidate->set,
                                     in_value(pass, key, options[i].value));
        options[i].price = topology_lowest_price(pass, candidate, set);
        if (pass->input.retry.prefer_expensive_domain)
            options[i].price = -options[i].price;
    }
    qsort_r(options, count, sizeof *options, compare_options, pass->problem->vocabulary);
}

static void note_reason(struct pass *pass, enum group_kind kind)
{
    static const enum reason_code codes[] = {REASON_TOPOLOGY_SPREAD, REASON_POD_AFFINITY,
                                             REASON_POD_ANTI_AFFINITY,
                                             REASON_EXISTING_ANTI_AFFINITY};
    pass->refusal.code = codes[kind];
}

static struct topology_alternatives *next_alternatives(struct pass *pass,
                                                       struct topology_choice *choice, uint32_t key,
                                                       uint32_t count)
{
    struct topology_alternatives *alternatives = &choice->keys[choice->keys_count++];
    alternatives->key = key;
    alternatives->at = 0;
    alternatives->count = count;
    if (count > alternatives->capacity) {
        alternatives->capacity = 2 * count;
        alternatives->requirements = arena_allocate_array(pass->arena, alternatives->capacity,
                                                          sizeof *alternatives->requirements);
        alternatives->tiers =
            arena_allocate_array(pass->arena, alternatives->capacity, sizeof *alternatives->tiers);
    }
    return alternatives;
}

static void take_options(struct pass *pass, struct topology_choice *choice, uint32_t key,
                         const struct option *options, uint32_t count)
{
    struct topology_alternatives *alternatives = next_alternatives(pass, choice, key, count);
    uint32_t tier = 0;
    for (uint32_t i = 0; i < count; i++) {
        tier += i > 0 && options[i].count != options[i - 1].count;
        alternatives->requirements[i] = in_value(pass, key, options[i].value);
        alternatives->tiers[i] = tier;
    }
}

void topology_add_alternatives(struct pass *pass, const struct class_state *state,
                               const struct candidate *candidate, uint32_t key,
                               const uint32_t *values, uint32_t count)
{
    const struct key_rules none = {.counting = &state->counting};
    struct option *options = memory_allocate_array(count, sizeof *options);
    for (uint32_t i = 0; i < count; i++)
        options[i].value = values[i];
    order_options(pass, candidate, key, &none, options, count);
    take_options(pass, state->choice, key, options, count);
    free(options);
}

static uint32_t in_options(struct pass *pass, uint32_t key, const struct option *options,
                           uint32_t count)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    uint32_t *values = arena_allocate_array(scratch, count, sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        values[i] = options[i].value;
    struct requirement requirement = requirement_in_values(scratch, key, values, count);
    return requirement_intern(pass->problem->sets, &requirement);
}

// Puts the key's alternatives into the choice; false if there is none.
static bool solve_key(struct pass *pass, uint32_t class_id, const struct candidate *candidate,
                      struct key_rules *rules, uint32_t key, struct topology_choice *choice)
{
    bool pick = topology_decides(choice, key);
    uint32_t refused_by = rules->count;
    for (uint32_t g = 0; g < rules->count; g++) {
        const struct group_state *group = rules->groups[g];
        rules->minimum[g] = 0;
        rules->bootstraps[g] = false;
        if (group->definition->kind == GROUP_SPREAD) {
            rules->minimum[g] = topology_spread_minimum(pass, group, rules->pod_domains);
            pick = true;
        } else if (group->definition->kind == GROUP_AFFINITY &&
                   !has_wanted_domain(pass, group, rules)) {
            rules->bootstraps[g] =
                may_bootstrap(pass, group, rules->pod_domains, rules->class->identity);
            pick = pick || rules->bootstraps[g];
        }
    }
    const uint32_t *values;
    uint32_t values_on_stack[DOMAINS_ON_STACK], *owned, kept = 0;
    uint32_t count = candidate_values(pass, rules, key, &values, values_on_stack, &owned);
    struct option on_stack[DOMAINS_ON_STACK], *many = NULL, *options = on_stack;
    if (count > DOMAINS_ON_STACK)
        options = many = memory_allocate_array(count, sizeof *many);
    for (uint32_t i = 0; i < count; i++)
        if (allows(pass, rules->node_domains, values[i]) &&
            all_allow(pass, rules, values[i], &refused_by))
            options[kept++].value = values[i];
    free(owned);
    if (kept > 0) {
        if (pick) {
            order_options(pass, candidate, key, rules, options, kept);
            take_options(pass, choice, key, options, kept);
        } else {
            struct topology_alternatives *alternatives = next_alternatives(pass, choice, key, 1);
            alternatives->requirements[0] = in_options(pass, key, options, kept);
            alternatives->tiers[0] = 0;
        }
    } else {
        const struct group_state *culprit =
            rules->groups[refused_by < rules->count ? refused_by : 0];
        note_reason(pass, culprit->definition->kind);
        explain(pass, class_id, culprit, candidate);
    }
    free(many);
    return kept > 0;
}

// A candidate that has and will have no such label cannot be in a domain with anybody (SCH-317).
static bool outside_of_domains(const struct pass *pass, const struct candidate *candidate,
                               uint32_t key)
{
    return set_find(pass->problem->sets, candidate->set, key) == REQUIREMENT_NONE &&
           !(candidate->is_claim && vocabulary_is_well_known(pass->problem->vocabulary, key));
}

// The groups of one key: they stand together in the class's list, from `first` on. Returns where
// the next key begins.
static uint32_t gather_key(struct pass *pass, const struct class_state *state, uint32_t first,
                           const struct candidate *candidate, struct key_rules *rules)
{
    uint32_t key = pass->work->groups.items[state->domain_groups.items[first]]->definition->key;
    bool outside = outside_of_domains(pass, candidate, key);
    rules->count = 0;
    uint32_t i = first;
    for (; i < state->domain_groups.count; i++) {
        const struct group_state *group = pass->work->groups.items[state->domain_groups.items[i]];
        if (group->definition->key != key)
            break;
        bool apart = group->definition->kind == GROUP_INVERSE ||
                     (group->definition->kind == GROUP_ANTI_AFFINITY && topology_better(pass));
        if (!outside || !apart)
            rules->groups[rules->count++] = group;
    }
    return i;
}

// Whether a failure of these rules is for good: counts never go down, and the candidate's domains
// are settled.
static bool is_final(const struct key_rules *rules)
{
    for (uint32_t g = 0; g < rules->count; g++)
        if (rules->groups[g]->definition->kind == GROUP_SPREAD ||
            rules->groups[g]->definition->kind == GROUP_AFFINITY)
            return false;
    return rules->node_domains != NULL && !rules->node_domains->complement;
}

static enum verdict solve_keys(struct pass *pass, uint32_t class_id,
                               const struct class_state *state, const struct candidate *candidate,
                               struct key_rules *rules)
{
    struct requirement_sets *sets = pass->problem->sets;
    const struct pod_class *class = rules->class;
    for (uint32_t at = 0; at < state->domain_groups.count;) {
        uint32_t key = pass->work->groups.items[state->domain_groups.items[at]]->definition->key;
        at = gather_key(pass, state, at, candidate, rules);
        if (rules->count == 0)
            continue;
        // Interning moves requirements: the rules read copies.
        struct requirement pod_copy, node_copy;
        const struct requirement *pod_domains = set_get(sets, class->strict_set, key);
        const struct requirement *node_domains = set_get(sets, candidate->set, key);
        if (pod_domains != NULL)
            pod_copy = *pod_domains;
        if (node_domains != NULL)
            node_copy = *node_domains;
        rules->pod_domains = pod_domains != NULL ? &pod_copy : NULL;
        rules->node_domains = node_domains != NULL ? &node_copy : NULL;
        if (!solve_key(pass, class_id, candidate, rules, key, state->choice))
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
    struct key_rules rules = {.groups = groups,
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
            note_reason(pass, group->definition->kind);
            explain(pass, class_id, group, candidate);
            return verdict;
        }
    }
    const struct group_state *spread;
    if (topology_empties(pass, class, candidate, &spread)) {
        note_reason(pass, GROUP_SPREAD);
        explain(pass, class_id, spread, candidate);
        return REFUSED_NOW;
    }
    topology_find_undecided(pass, class, state, candidate, *choice);
    enum verdict verdict = solve_all(pass, class_id, state, candidate);
    if (verdict == ACCEPTED && state->choice->decided_count > 0)
        topology_decide_rest(pass, state, candidate);
    if (verdict == ACCEPTED && candidate->is_claim && topology_better(pass))
        topology_combine(pass, candidate, state->choice);
    return verdict;
}

// Each key may have many values, and a machine that has one of each need not exist: a few spreads
// over labels of machines would try millions of combinations. Each check tries some; more are
// counted, for the pod and for the whole pass.
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
