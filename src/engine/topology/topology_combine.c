#include "engine/topology/topology_combine.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/requirements/requirement_sets.h"
#include "engine/topology/topology_key.h"

// Sets every key to its alternative in the combination.
static void select_combination(struct topology_choice *choice, uint32_t index)
{
    for (uint32_t k = choice->keys_count; k > 0; k--) {
        struct topology_alternatives *alternatives = &choice->keys[k - 1];
        alternatives->at = index % alternatives->count;
        index /= alternatives->count;
    }
}

uint32_t topology_answer(struct pass *pass, const struct topology_choice *choice)
{
    uint32_t answer = SET_EMPTY;
    for (uint32_t k = 0; k < choice->keys_count; k++)
        answer = set_add_known(pass->problem->sets, answer,
                               choice->keys[k].requirements[choice->keys[k].at]);
    return answer;
}

static int compare_combinations(const void *a, const void *b)
{
    const struct topology_combination *x = a, *y = b;
    if (x->tiers != y->tiers)
        return x->tiers < y->tiers ? -1 : 1;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// 0: nothing to compare, or too many combinations.
static uint32_t count_combinations(const struct topology_choice *choice)
{
    uint32_t count = 1;
    for (uint32_t k = 0; k < choice->keys_count; k++) {
        count *= choice->keys[k].count;
        if (count > COMBINATIONS_MAX)
            return 0;
    }
    return choice->keys_count > 1 && count > 1 ? count : 0;
}

static struct topology_combination evaluate(struct pass *pass, const struct candidate *candidate,
                                            struct topology_choice *choice, uint32_t index)
{
    struct requirement_sets *sets = pass->problem->sets;
    struct topology_combination combination = {.index = index, .price = INT64_MAX};
    select_combination(choice, index);
    for (uint32_t k = 0; k < choice->keys_count; k++)
        if (choice->keys[k].count > 1)
            combination.tiers =
                combination.tiers * COMBINATIONS_MAX + choice->keys[k].tiers[choice->keys[k].at];
    uint32_t answer = topology_answer(pass, choice);
    if (sets_compatible(sets, choice->base, answer, true))
        combination.price =
            topology_lowest_price(pass, candidate, set_meet(sets, choice->base, answer));
    if (pass->input.retry.prefer_expensive_domain)
        combination.price = -combination.price;
    return combination;
}

void topology_combine(struct pass *pass, const struct candidate *candidate,
                      struct topology_choice *choice)
{
    uint32_t count = count_combinations(choice);
    assert(count <= COMBINATIONS_MAX);
    if (count == 0)
        return;
    if (choice->combinations == NULL)
        choice->combinations =
            arena_allocate_array(pass->arena, COMBINATIONS_MAX, sizeof *choice->combinations);
    for (uint32_t i = 0; i < count; i++)
        choice->combinations[i] = evaluate(pass, candidate, choice, i);
    qsort(choice->combinations, count, sizeof *choice->combinations, compare_combinations);
    assert(choice->combinations[0].index < count);
    choice->combinations_count = count;
    choice->combinations_at = 0;
    select_combination(choice, choice->combinations[0].index);
}

bool topology_advance(struct topology_choice *choice)
{
    assert(choice->started);
    if (choice->combinations_count > 0) {
        assert(choice->combinations_at < choice->combinations_count);
        if (++choice->combinations_at == choice->combinations_count)
            return false;
        select_combination(choice, choice->combinations[choice->combinations_at].index);
        return true;
    }
    uint32_t k = choice->keys_count; // the last key varies fastest
    while (k > 0 && ++choice->keys[k - 1].at == choice->keys[k - 1].count)
        choice->keys[--k].at = 0;
    return k > 0;
}
