// Sets of requirements, one per key (SCH-75 to SCH-82). Requirements and sets are interned: equal
// ones have one identifier, and operations on two sets are computed once.
//
// Set 0 is the empty set. Lifetime: the computation's.
#pragma once

#include "engine/requirements/memo.h"
#include "engine/requirements/requirement.h"

#define REQUIREMENT_NONE UINT32_MAX // no entry: any value, or none at all (SCH-76)
#define SET_EMPTY        0u

struct requirement_set {
    const uint32_t *requirements; // identifiers, ascending by key
    uint32_t count;
};

struct requirement_sets {
    struct vocabulary *vocabulary;
    struct arena *arena, *scratch;
    struct requirement *requirements; // by identifier
    struct requirement_set *sets;     // by identifier
    uint32_t requirements_count, requirements_capacity, sets_count, sets_capacity;
    uint32_t *requirement_table, *set_table; // hash tables of identifier + 1
    uint32_t requirement_table_capacity, set_table_capacity;
    struct memo requirement_meets, set_meets, compatible_strict, compatible_well_known,
        intersecting;
};

struct requirement_sets *requirement_sets_create(struct vocabulary *vocabulary);
void requirement_sets_destroy(struct requirement_sets *sets);

uint32_t requirement_intern(struct requirement_sets *sets, const struct requirement *requirement);
static inline const struct requirement *requirement_get(const struct requirement_sets *sets,
                                                        uint32_t identifier)
{
    return &sets->requirements[identifier];
}

// The set with `requirement` added (SCH-75).
uint32_t set_add(struct requirement_sets *sets, uint32_t set,
                 const struct requirement *requirement);
uint32_t set_add_known(struct requirement_sets *sets, uint32_t set, uint32_t requirement);
// The set with the key's entry replaced or removed.
uint32_t set_replace(struct requirement_sets *sets, uint32_t set,
                     const struct requirement *requirement);
uint32_t set_remove(struct requirement_sets *sets, uint32_t set, uint32_t key);
uint32_t set_meet(struct requirement_sets *sets, uint32_t a, uint32_t b);
// The requirement's identifier, or REQUIREMENT_NONE.
uint32_t set_find(const struct requirement_sets *sets, uint32_t set, uint32_t key);
// The same as a pointer, or NULL. Not valid once anything new is interned.
const struct requirement *set_get(const struct requirement_sets *sets, uint32_t set, uint32_t key);

// The set of the API's entries; of labels as In [value].
uint32_t set_from_api(struct requirement_sets *sets, const requirement_list *list);
uint32_t set_from_labels(struct requirement_sets *sets, const struct string_map *labels);

bool sets_intersect(struct requirement_sets *sets, uint32_t a, uint32_t b); // SCH-77
// SCH-78: a is the node's side. allow_well_known: SCH-81.
bool sets_compatible(struct requirement_sets *sets, uint32_t a, uint32_t b, bool allow_well_known);

// Appends why sets_compatible() fails (SCH-77, 78, 80); nothing if it succeeds.
void sets_add_conflict(struct text *text, struct requirement_sets *sets, uint32_t a, uint32_t b,
                       bool allow_well_known);
// SCH-82, without the hostname.
void set_add_text(struct text *text, struct requirement_sets *sets, uint32_t set);
