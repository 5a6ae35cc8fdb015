#include "engine/problem/node_terms.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool narrow(struct problem *problem, const struct selector_requirement *expression,
                   const char *key, uint32_t *set)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct selector_requirement source = *expression;
    source.key = key;
    struct requirement requirement = requirement_make(scratch, problem->vocabulary, &source);
    uint32_t single = set_add(problem->sets, SET_EMPTY, &requirement);
    if (!sets_intersect(problem->sets, *set, single))
        return false;
    *set = set_meet(problem->sets, *set, single);
    return true;
}

bool node_term_set(struct problem *problem, const struct node_selector_term *term, uint32_t *set)
{
    *set = SET_EMPTY;
    list_for_each (expression, &term->match_expressions)
        if (!narrow(problem, expression, expression->key, set))
            return false;
    list_for_each (field, &term->match_fields)
        if (!text_equal(field->key, "metadata.name") || !narrow(problem, field, KEY_NODE_NAME, set))
            return false;
    return term->match_expressions.count + term->match_fields.count > 0;
}

static bool is_choice(const struct requirement *requirement)
{
    return !requirement->complement && requirement->count > 0;
}

// The values of both; both are In requirements on one key.
static uint32_t join(struct problem *problem, uint32_t a, uint32_t b)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct requirement x = *requirement_get(problem->sets, a);
    struct requirement y = *requirement_get(problem->sets, b);
    assert(x.key == y.key);
    assert(is_choice(&x));
    assert(is_choice(&y));
    uint32_t *values = arena_allocate_array(scratch, x.count + y.count, sizeof *values);
    memcpy(values, x.values, x.count * sizeof *values);
    memcpy(values + x.count, y.values, y.count * sizeof *values);
    struct requirement joined = requirement_in_values(scratch, x.key, values, x.count + y.count);
    return requirement_intern(problem->sets, &joined);
}

// True if one set can express both: they differ in the values of one key at most.
static bool merge_two(struct problem *problem, uint32_t a, uint32_t b, uint32_t *merged)
{
    struct requirement_set x = problem->sets->sets[a], y = problem->sets->sets[b];
    uint32_t differing = 0, at = 0;
    if (x.count != y.count)
        return false;
    for (uint32_t i = 0; i < x.count; i++) {
        const struct requirement *own = requirement_get(problem->sets, x.requirements[i]);
        const struct requirement *other = requirement_get(problem->sets, y.requirements[i]);
        if (own->key != other->key)
            return false;
        if (x.requirements[i] == y.requirements[i])
            continue;
        if (!is_choice(own) || !is_choice(other))
            return false;
        differing++;
        at = i;
    }
    *merged = a;
    if (differing > 1)
        return false;
    if (differing == 1) {
        struct requirement joined =
            *requirement_get(problem->sets, join(problem, x.requirements[at], y.requirements[at]));
        *merged = set_replace(problem->sets, a, &joined);
    }
    return true;
}

uint32_t node_terms_merge(struct problem *problem, uint32_t *sets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            uint32_t merged;
            if (!merge_two(problem, sets[i], sets[j], &merged))
                continue;
            sets[i] = merged;
            memmove(&sets[j], &sets[j + 1], (count - j - 1) * sizeof *sets);
            count--;
            j = i; // the wider set may now merge with others
        }
    return count;
}

uint32_t node_terms_common(struct problem *problem, const uint32_t *sets, uint32_t count)
{
    assert(count > 0);
    uint32_t common = sets[0];
    for (uint32_t s = 1; s < count; s++) {
        struct requirement_set own = problem->sets->sets[common];
        uint32_t next = SET_EMPTY;
        for (uint32_t i = 0; i < own.count; i++) {
            uint32_t mine = own.requirements[i];
            uint32_t key = requirement_get(problem->sets, mine)->key;
            uint32_t other = set_find(problem->sets, sets[s], key);
            if (other == mine)
                next = set_add_known(problem->sets, next, mine);
            else if (other != REQUIREMENT_NONE && is_choice(requirement_get(problem->sets, mine)) &&
                     is_choice(requirement_get(problem->sets, other)))
                next = set_add_known(problem->sets, next, join(problem, mine, other));
        }
        common = next;
    }
    return common;
}
