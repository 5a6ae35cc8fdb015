#include "engine/requirements/requirement.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static int compare_symbols(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct requirement requirement_in_values(struct arena *arena, uint32_t key, const uint32_t *values,
                                         uint32_t count)
{
    struct requirement requirement = {.key = key};
    if (count == 0)
        return requirement;
    uint32_t *copy = arena_allocate_array(arena, count, sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, compare_symbols);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++)
        if (copy[i] != copy[kept - 1])
            copy[kept++] = copy[i];
    requirement.values = copy;
    requirement.count = kept;
    return requirement;
}

struct requirement requirement_in(struct arena *arena, uint32_t key, uint32_t value)
{
    return requirement_in_values(arena, key, &value, 1);
}

static struct requirement make_finite(struct arena *arena, struct vocabulary *vocabulary,
                                      const struct selector_requirement *source, uint32_t key)
{
    uint32_t *values = arena_allocate_array(arena, source->values.count + 1, sizeof *values);
    for (uint32_t i = 0; i < source->values.count; i++)
        values[i] = vocabulary_value(vocabulary, source->values.items[i]);
    return requirement_in_values(arena, key, values, source->values.count);
}

// Gt, Lt, Gte, Lte: a bound that does not parse counts as 0.
static struct requirement make_bound(const struct selector_requirement *source, uint32_t key)
{
    int64_t bound = 0;
    if (source->values.count == 0 || !text_parse_int64(source->values.items[0], &bound))
        bound = 0;
    bool strict = source->operator[2] == '\0';
    struct requirement requirement = requirement_exists(key);
    if (source->operator[0] == 'G') {
        if (strict && bound == INT64_MAX)
            return requirement_does_not_exist(key);
        requirement.has_gte = true;
        requirement.gte = strict ? bound + 1 : bound;
    } else {
        if (strict && bound == INT64_MIN)
            return requirement_does_not_exist(key);
        requirement.has_lte = true;
        requirement.lte = strict ? bound - 1 : bound;
    }
    return requirement;
}

struct requirement requirement_make(struct arena *arena, struct vocabulary *vocabulary,
                                    const struct selector_requirement *source)
{
    uint32_t key = vocabulary_key(vocabulary, source->key);
    const char *operator= source->operator!= NULL ? source->operator: "";
    struct requirement requirement = requirement_does_not_exist(key);
    bool lost_min_values = false;
    if (strcmp(operator, "In") == 0) {
        requirement = make_finite(arena, vocabulary, source, key);
    } else if (strcmp(operator, "NotIn") == 0) {
        requirement = make_finite(arena, vocabulary, source, key);
        requirement.complement = true;
    } else if (strcmp(operator, "Exists") == 0) {
        requirement.complement = true;
    } else if (strcmp(operator, "Gt") == 0 || strcmp(operator, "Lt") == 0 ||
               strcmp(operator, "Gte") == 0 || strcmp(operator, "Lte") == 0) {
        requirement = make_bound(source, key);
        lost_min_values = !requirement.complement;
    }
    if (source->min_values.present && !lost_min_values)
        requirement.min_values = source->min_values.value;
    return requirement;
}

enum requirement_operator requirement_operator(const struct requirement *requirement)
{
    if (requirement->complement)
        return requirement->count > 0 ? OPERATOR_NOT_IN : OPERATOR_EXISTS;
    return requirement->count > 0 ? OPERATOR_IN : OPERATOR_DOES_NOT_EXIST;
}

static const char *operator_name(enum requirement_operator operator)
{
    static const char *const names[] = {"In", "NotIn", "Exists", "DoesNotExist"};
    return names[operator];
}

static bool bounds_allow(const struct vocabulary *vocabulary, bool has_gte, int64_t gte,
                         bool has_lte, int64_t lte, uint32_t value)
{
    if (!has_gte && !has_lte)
        return true;
    assert(value < vocabulary->facts_count);
    const struct value_facts *facts = &vocabulary->facts[value];
    return facts->is_integer && (!has_gte || facts->integer >= gte) &&
           (!has_lte || facts->integer <= lte);
}

static bool values_have(const struct requirement *requirement, uint32_t value)
{
    if (requirement->count <= 8) {
        for (uint32_t i = 0; i < requirement->count; i++)
            if (requirement->values[i] == value)
                return true;
        return false;
    }
    assert(requirement->values[0] < requirement->values[1]);
    return bsearch(&value, requirement->values, requirement->count, sizeof value,
                   compare_symbols) != NULL;
}

bool requirement_has(const struct vocabulary *vocabulary, const struct requirement *requirement,
                     uint32_t value)
{
    return values_have(requirement, value) != requirement->complement &&
           bounds_allow(vocabulary, requirement->has_gte, requirement->gte, requirement->has_lte,
                        requirement->lte, value);
}

int64_t requirement_length(const struct requirement *requirement)
{
    return requirement->complement ? INT64_MAX - requirement->count : requirement->count;
}

// Intersects the bounds; false if nothing is left.
static bool combine_bounds(const struct requirement *a, const struct requirement *b,
                           struct requirement *out)
{
    out->has_gte = a->has_gte || b->has_gte;
    out->has_lte = a->has_lte || b->has_lte;
    out->gte = a->has_gte ? a->gte : b->gte;
    if (a->has_gte && b->has_gte && b->gte > out->gte)
        out->gte = b->gte;
    out->lte = a->has_lte ? a->lte : b->lte;
    if (a->has_lte && b->has_lte && b->lte < out->lte)
        out->lte = b->lte;
    return !(out->has_gte && out->has_lte && out->gte > out->lte);
}

// Union of both value lists (for complements: of the excluded values), ascending.
static uint32_t merge_values(const struct requirement *a, const struct requirement *b,
                             uint32_t *values)
{
    uint32_t i = 0, j = 0, count = 0;
    while (i < a->count || j < b->count) {
        if (j == b->count || (i < a->count && a->values[i] < b->values[j])) {
            values[count++] = a->values[i++];
        } else {
            if (i < a->count && a->values[i] == b->values[j])
                i++;
            values[count++] = b->values[j++];
        }
    }
    return count;
}

struct requirement requirement_intersect(struct arena *arena, const struct vocabulary *vocabulary,
                                         const struct requirement *a, const struct requirement *b)
{
    assert(a->key == b->key);
    struct requirement result = {.key = a->key, .complement = a->complement && b->complement};
    int64_t min_values = a->min_values > b->min_values ? a->min_values : b->min_values;
    if (!combine_bounds(a, b, &result)) {
        result = requirement_does_not_exist(a->key);
        result.min_values = min_values;
        return result;
    }
    result.min_values = min_values;
    uint32_t *values = arena_allocate_array(arena, (size_t)a->count + b->count + 1, sizeof *values);
    if (result.complement) {
        result.count = merge_values(a, b, values);
    } else {
        const struct requirement *finite = a->complement ? b : a;
        const struct requirement *other = a->complement ? a : b;
        if (!other->complement && other->count < finite->count) {
            const struct requirement *swap = finite;
            finite = other;
            other = swap;
        }
        for (uint32_t i = 0; i < finite->count; i++)
            if (values_have(other, finite->values[i]) != other->complement)
                values[result.count++] = finite->values[i];
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result.count; i++)
        if (bounds_allow(vocabulary, result.has_gte, result.gte, result.has_lte, result.lte,
                         values[i]))
            values[kept++] = values[i];
    result.count = kept;
    result.values = values;
    assert(kept < 2 || values[kept - 2] < values[kept - 1]);
    if (!result.complement) {
        result.has_gte = result.has_lte = false;
        result.gte = result.lte = 0;
    }
    return result;
}

bool requirement_has_intersection(const struct vocabulary *vocabulary, const struct requirement *a,
                                  const struct requirement *b)
{
    assert(a->key == b->key);
    struct requirement bounds = {0};
    if (!combine_bounds(a, b, &bounds))
        return false;
    if (a->complement && b->complement)
        return true;
    const struct requirement *finite = a->complement ? b : a;
    const struct requirement *other = a->complement ? a : b;
    if (!other->complement && other->count < finite->count) {
        const struct requirement *swap = finite;
        finite = other;
        other = swap;
    }
    for (uint32_t i = 0; i < finite->count; i++)
        if (values_have(other, finite->values[i]) != other->complement &&
            bounds_allow(vocabulary, bounds.has_gte, bounds.gte, bounds.has_lte, bounds.lte,
                         finite->values[i]))
            return true;
    return false;
}

bool requirement_equal(const struct requirement *a, const struct requirement *b)
{
    return a->key == b->key && a->complement == b->complement && a->has_gte == b->has_gte &&
           a->has_lte == b->has_lte && a->gte == b->gte && a->lte == b->lte &&
           a->min_values == b->min_values && a->count == b->count &&
           (a->count == 0 || memcmp(a->values, b->values, a->count * sizeof *a->values) == 0);
}

uint64_t requirement_hash(const struct requirement *requirement)
{
    uint64_t hash = hash_mix(requirement->key, (uint64_t)requirement->complement |
                                                   (uint64_t)requirement->has_gte << 1 |
                                                   (uint64_t)requirement->has_lte << 2);
    hash = hash_mix(hash, (uint64_t)requirement->gte);
    hash = hash_mix(hash, (uint64_t)requirement->lte);
    hash = hash_mix(hash, (uint64_t)requirement->min_values);
    for (uint32_t i = 0; i < requirement->count; i++)
        hash = hash_mix(hash, requirement->values[i]);
    return hash;
}

// The values sorted by their text.
static uint32_t *sorted_by_text(struct arena *arena, const struct vocabulary *vocabulary,
                                const struct requirement *requirement)
{
    uint32_t *values = arena_allocate_array(arena, requirement->count + 1, sizeof *values);
    if (requirement->count > 0)
        memcpy(values, requirement->values, requirement->count * sizeof *values);
    vocabulary_sort_values(vocabulary, values, requirement->count);
    return values;
}

// The smallest integer that a complement allows; "" if no label value lies within its bounds.
static const char *any_of_complement(struct arena *arena, const struct vocabulary *vocabulary,
                                     const struct requirement *requirement)
{
    int64_t candidate = requirement->has_gte && requirement->gte > 0 ? requirement->gte : 0;
    for (uint32_t tries = 0; tries <= requirement->count; tries++) {
        if (requirement->has_lte && candidate > requirement->lte)
            return "";
        bool excluded = false;
        for (uint32_t i = 0; i < requirement->count && !excluded; i++) {
            const struct value_facts *facts = &vocabulary->facts[requirement->values[i]];
            excluded = facts->is_integer && facts->integer == candidate;
        }
        if (!excluded)
            return arena_format(arena, "%" PRId64, candidate);
        if (candidate == INT64_MAX)
            return "";
        candidate++;
    }
    return "";
}

const char *requirement_any(struct arena *arena, const struct vocabulary *vocabulary,
                            const struct requirement *requirement)
{
    if (requirement->complement)
        return any_of_complement(arena, vocabulary, requirement);
    if (requirement->count == 0)
        return "";
    return vocabulary_value_text(vocabulary, sorted_by_text(arena, vocabulary, requirement)[0]);
}

void requirement_add_text(struct text *text, const struct vocabulary *vocabulary,
                          const struct requirement *requirement)
{
    enum requirement_operator operator= requirement_operator(requirement);
    text_format(text, "%s %s", vocabulary_key_text(vocabulary, requirement->key),
                operator_name(operator));
    if (requirement->count > 0) {
        CLEANUP_ARENA struct arena *scratch = arena_create(1024);
        const uint32_t *values = sorted_by_text(scratch, vocabulary, requirement);
        text_add(text, " [");
        for (uint32_t i = 0; i < requirement->count && i < 5; i++)
            text_format(text, "%s%s", i > 0 ? " " : "",
                        vocabulary_value_text(vocabulary, values[i]));
        if (requirement->count > 5)
            text_format(text, " and %" PRIu32 " others", requirement->count - 5);
        text_add(text, "]");
    }
    if (requirement->has_gte)
        text_format(text, " >=%" PRId64, requirement->gte);
    if (requirement->has_lte)
        text_format(text, " <=%" PRId64, requirement->lte);
    if (requirement->min_values > 0)
        text_format(text, " minValues %" PRId64, requirement->min_values);
}

static struct selector_requirement api_bound(struct arena *arena, const char *key,
                                             const char *operator, int64_t bound)
{
    struct selector_requirement entry = {.key = key, .operator= operator};
    entry.values.items = arena_allocate_array(arena, 1, sizeof(char *));
    entry.values.items[0] = arena_format(arena, "%" PRId64, bound);
    entry.values.count = 1;
    return entry;
}

uint32_t requirement_to_api(struct arena *arena, const struct vocabulary *vocabulary,
                            const struct requirement *requirement,
                            struct selector_requirement out[3])
{
    const char *key = vocabulary_key_text(vocabulary, requirement->key);
    uint32_t count = 0;
    if (requirement->has_gte)
        out[count++] = api_bound(arena, key, "Gte", requirement->gte);
    if (requirement->has_lte)
        out[count++] = api_bound(arena, key, "Lte", requirement->lte);
    if (count == 0 || requirement->count > 0) {
        struct selector_requirement *entry = &out[count++];
        *entry = (struct selector_requirement){
            .key = key,
            .operator= operator_name(requirement_operator(requirement)),
        };
        if (requirement->count > 0) {
            const uint32_t *values = sorted_by_text(arena, vocabulary, requirement);
            entry->values.items = arena_allocate_array(arena, requirement->count, sizeof(char *));
            for (uint32_t i = 0; i < requirement->count; i++)
                entry->values.items[i] = vocabulary_value_text(vocabulary, values[i]);
            entry->values.count = requirement->count;
        }
    }
    assert(count >= 1);
    assert(count <= 3);
    for (uint32_t i = 0; i < count && requirement->min_values > 0; i++)
        out[i].min_values = (struct optional_int){true, requirement->min_values};
    return count;
}
