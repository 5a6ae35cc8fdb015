// One requirement on a label: which values it may have (SCH-60 to SCH-70).
//
// A requirement is a value: nothing is changed in place. Functions that make one put its values
// into the given arena.
#pragma once

#include "base/text.h"
#include "engine/requirements/vocabulary.h"
#include "model/schema/core.h"

enum requirement_operator {
    OPERATOR_IN,
    OPERATOR_NOT_IN,
    OPERATOR_EXISTS,
    OPERATOR_DOES_NOT_EXIST
};

struct requirement {
    uint32_t key;
    bool complement;       // everything but `values`, within the bounds
    bool has_gte, has_lte; // bounds, inclusive
    int64_t gte, lte;      // 0 where there is none
    int64_t min_values;    // 0: none
    uint32_t count;
    const uint32_t *values; // ascending identifiers, no duplicates
};

// SCH-61, from the API's form. An unknown operator becomes DoesNotExist; validation has refused it
// before.
struct requirement requirement_make(struct arena *arena, struct vocabulary *vocabulary,
                                    const struct selector_requirement *source);
struct requirement requirement_in(struct arena *arena, uint32_t key, uint32_t value);
static inline struct requirement requirement_exists(uint32_t key)
{
    return (struct requirement){.key = key, .complement = true};
}
static inline struct requirement requirement_does_not_exist(uint32_t key)
{
    return (struct requirement){.key = key};
}
// In of `count` values, which need be neither sorted nor distinct; they are copied.
struct requirement requirement_in_values(struct arena *arena, uint32_t key, const uint32_t *values,
                                         uint32_t count);

enum requirement_operator requirement_operator(const struct requirement *requirement); // SCH-63
bool requirement_has(const struct vocabulary *vocabulary, const struct requirement *requirement,
                     uint32_t value);                              // SCH-64
int64_t requirement_length(const struct requirement *requirement); // SCH-65

// SCH-66; the keys must be equal.
struct requirement requirement_intersect(struct arena *arena, const struct vocabulary *vocabulary,
                                         const struct requirement *a, const struct requirement *b);
bool requirement_has_intersection(const struct vocabulary *vocabulary, const struct requirement *a,
                                  const struct requirement *b); // SCH-67
// NotIn or DoesNotExist: a missing label satisfies it (SCH-77).
static inline bool requirement_accepts_absence(const struct requirement *requirement)
{
    enum requirement_operator operator= requirement_operator(requirement);
    return operator== OPERATOR_NOT_IN || operator== OPERATOR_DOES_NOT_EXIST;
}
bool requirement_equal(const struct requirement *a, const struct requirement *b);
uint64_t requirement_hash(const struct requirement *requirement);

// SCH-68: one value that fits; "" if there is none. In the arena, or static.
const char *requirement_any(struct arena *arena, const struct vocabulary *vocabulary,
                            const struct requirement *requirement);
void requirement_add_text(struct text *text, const struct vocabulary *vocabulary,
                          const struct requirement *requirement); // SCH-69
// SCH-70: appends one to three entries to `out` (room for three needed), returns how many.
uint32_t requirement_to_api(struct arena *arena, const struct vocabulary *vocabulary,
                            const struct requirement *requirement,
                            struct selector_requirement out[3]);
