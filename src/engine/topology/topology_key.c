#include "engine/topology/topology_key.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pass/refusal.h"
#include "engine/pods/domain_universe.h"
#include "engine/pods/topology_groups.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology_asking.h"
#include "engine/topology/topology_counts.h"

// SCH-310: the group selects the pod itself, and no matching pod is in any domain open to it.
bool topology_may_bootstrap(const struct pass *pass, const struct group_state *group,
                            const struct requirement *pod_domains, uint32_t identity)
{
    if (!group_selects(pass->problem, group->id, identity))
        return false;
    if (pass->problem->strategy->counts_as_scheduler) // kube-scheduler: in no domain at all
        return group->nonempty == 0;
    struct domain domain;
    for (uint32_t at = 0; group->nonempty > 0 && group_next_domain(group, &at, &domain);)
        if (domain.count > 0 && domain_allowed(pass, pod_domains, domain.value))
            return false;
    return true;
}

void topology_explain(struct pass *pass, uint32_t class, const struct group_state *group,
                      const struct candidate *candidate)
{
    if (pass->refusal.why != NULL)
        topology_add_error(pass, class, group, candidate);
}

struct option {
    uint32_t value;
    uint64_t count; // of the spread groups, the first one most significant
    int64_t price;
    uint64_t load;   // counts of other pods' spreads there
    uint32_t asking; // pods that require the value
};

static bool has_wanted_domain(const struct pass *pass, const struct group_state *group,
                              const struct topology_key_rules *rules)
{
    for (uint32_t i = 0; i < group->domains.count; i++)
        if (group->domains.items[i].count > 0 &&
            domain_allowed(pass, rules->pod_domains, group->domains.items[i].value) &&
            domain_allowed(pass, rules->node_domains, group->domains.items[i].value))
            return true;
    return false;
}

// True if group number g lets the pod into the domain (SCH-306, 309, 311, 314, 317).
static bool group_allows(const struct pass *pass, const struct topology_key_rules *rules,
                         uint32_t g, uint32_t value)
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
               domain_allowed(pass, rules->pod_domains, value);
    case GROUP_ANTI_AFFINITY:
        return known && count == 0 && domain_allowed(pass, rules->pod_domains, value);
    case GROUP_INVERSE:
        break;
    }
    return count == 0;
}

static bool all_allow(const struct pass *pass, const struct topology_key_rules *rules,
                      uint32_t value, uint32_t *refused_by)
{
    for (uint32_t g = 0; g < rules->count; g++)
        if (!group_allows(pass, rules, g, value)) {
            if (g < *refused_by)
                *refused_by = g;
            return false;
        }
    return true;
}

#define DOMAINS_ON_STACK 16 // more go to the heap

// The candidate domains: those of the first group that knows its domains. With inverse groups only:
// those that the candidate or the NodePools can have.
static uint32_t candidate_values(struct pass *pass, const struct topology_key_rules *rules,
                                 uint32_t key, const uint32_t **values, uint32_t *on_stack,
                                 uint32_t **owned)
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
    if (candidate->rows == NULL || !pass->problem->strategy->combines_keys)
        return prices->lowest;
    for (uint32_t i = 0; i < candidate->table->count; i++) {
        uint32_t row = prices->by_price[i];
        if (prices->cheapest[row] == INT64_MAX)
            break;
        if (bitset_has(*candidate->rows, row) && bitset_has(*candidate->fitting, row) &&
            bitset_has(prices->both,
                       row)) // prices are of offerings, whatever the type's labels are
            return prices->cheapest[row];
    }
    return INT64_MAX;
}

// SCH-306, 311: fewest pods first, then the cheapest launch. Then, if a rule only needs the label
// to be decided, the value that most pods require, so that these can join the claim. Then by name.
static void order_options(struct pass *pass, const struct candidate *candidate, uint32_t key,
                          const struct topology_key_rules *rules, struct option *options,
                          uint32_t count)
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

void topology_note_reason(struct pass *pass, enum group_kind kind)
{
    static const enum reason_code codes[] = {REASON_TOPOLOGY_SPREAD, REASON_POD_AFFINITY,
                                             REASON_POD_ANTI_AFFINITY,
                                             REASON_EXISTING_ANTI_AFFINITY};
    assert(kind < ARRAY_LENGTH(codes));
    pass->refusal.code = codes[kind];
}

static struct topology_alternatives *next_alternatives(struct pass *pass,
                                                       struct topology_choice *choice, uint32_t key,
                                                       uint32_t count)
{
    assert(count > 0);
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
    const struct topology_key_rules none = {.counting = &state->counting};
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

// Adds the key's alternatives to the choice; false if there are none.
bool topology_solve_key(struct pass *pass, uint32_t class_id, const struct candidate *candidate,
                        struct topology_key_rules *rules, uint32_t key,
                        struct topology_choice *choice)
{
    assert(rules->count > 0);
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
                topology_may_bootstrap(pass, group, rules->pod_domains, rules->class->identity);
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
        if (domain_allowed(pass, rules->node_domains, values[i]) &&
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
        topology_note_reason(pass, culprit->definition->kind);
        topology_explain(pass, class_id, culprit, candidate);
    }
    free(many);
    return kept > 0;
}
