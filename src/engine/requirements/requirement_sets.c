#include "engine/requirements/requirement_sets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "model/schema/karpenter.h"

struct requirement_sets *requirement_sets_create(struct vocabulary *vocabulary)
{
    struct requirement_sets *sets = memory_allocate(sizeof *sets);
    sets->vocabulary = vocabulary;
    sets->arena = arena_create(16384);
    sets->scratch = arena_create(4096);
    sets->sets_capacity = 64;
    sets->sets = memory_allocate_array(sets->sets_capacity, sizeof *sets->sets);
    sets->sets_count = 1;
    return sets;
}

void requirement_sets_destroy(struct requirement_sets *sets)
{
    if (sets == NULL)
        return;
    free(sets->requirements);
    free(sets->sets);
    free(sets->requirement_table);
    free(sets->set_table);
    memo_free(&sets->requirement_meets);
    memo_free(&sets->set_meets);
    memo_free(&sets->compatible_strict);
    memo_free(&sets->compatible_well_known);
    memo_free(&sets->intersecting);
    arena_destroy(sets->arena);
    arena_destroy(sets->scratch);
    free(sets);
}

static void table_put(uint32_t *table, uint32_t capacity, uint64_t hash, uint32_t identifier)
{
    uint64_t slot = hash & (capacity - 1);
    while (table[slot] != 0)
        slot = (slot + 1) & (capacity - 1);
    table[slot] = identifier + 1;
}

static uint64_t set_hash(const uint32_t *requirements, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = hash_mix(hash, requirements[i]);
    return hash;
}

static void grow_requirements(struct requirement_sets *sets)
{
    if (sets->requirements_count == sets->requirements_capacity) {
        sets->requirements_capacity =
            sets->requirements_capacity == 0 ? 256 : 2 * sets->requirements_capacity;
        sets->requirements = memory_resize(sets->requirements, sets->requirements_capacity *
                                                                   sizeof *sets->requirements);
    }
    if (2 * (sets->requirements_count + 1) <= sets->requirement_table_capacity)
        return;
    sets->requirement_table_capacity =
        sets->requirement_table_capacity == 0 ? 512 : 2 * sets->requirement_table_capacity;
    free(sets->requirement_table);
    sets->requirement_table =
        memory_allocate_array(sets->requirement_table_capacity, sizeof(uint32_t));
    for (uint32_t i = 0; i < sets->requirements_count; i++)
        table_put(sets->requirement_table, sets->requirement_table_capacity,
                  requirement_hash(&sets->requirements[i]), i);
}

uint32_t requirement_intern(struct requirement_sets *sets, const struct requirement *requirement)
{
    grow_requirements(sets);
    uint64_t hash = requirement_hash(requirement);
    uint32_t mask = sets->requirement_table_capacity - 1;
    uint64_t slot = hash & mask;
    for (; sets->requirement_table[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t identifier = sets->requirement_table[slot] - 1;
        if (requirement_equal(&sets->requirements[identifier], requirement))
            return identifier;
    }
    assert(sets->requirements_count < sets->requirements_capacity);
    uint32_t identifier = sets->requirements_count++;
    struct requirement *own = &sets->requirements[identifier];
    *own = *requirement;
    if (own->count > 0) {
        uint32_t *values = arena_allocate_array(sets->arena, own->count, sizeof *values);
        memcpy(values, requirement->values, own->count * sizeof *values);
        own->values = values;
    } else {
        own->values = NULL;
    }
    sets->requirement_table[slot] = identifier + 1;
    return identifier;
}

static uint32_t intern_set(struct requirement_sets *sets, const uint32_t *requirements,
                           uint32_t count)
{
    if (count == 0)
        return SET_EMPTY;
    if (2 * (sets->sets_count + 1) > sets->set_table_capacity) {
        sets->set_table_capacity =
            sets->set_table_capacity == 0 ? 256 : 2 * sets->set_table_capacity;
        free(sets->set_table);
        sets->set_table = memory_allocate_array(sets->set_table_capacity, sizeof(uint32_t));
        for (uint32_t i = 1; i < sets->sets_count; i++)
            table_put(sets->set_table, sets->set_table_capacity,
                      set_hash(sets->sets[i].requirements, sets->sets[i].count), i);
    }
    uint32_t mask = sets->set_table_capacity - 1;
    uint64_t slot = set_hash(requirements, count) & mask;
    for (; sets->set_table[slot] != 0; slot = (slot + 1) & mask) {
        const struct requirement_set *other = &sets->sets[sets->set_table[slot] - 1];
        if (other->count == count &&
            memcmp(other->requirements, requirements, count * sizeof *requirements) == 0)
            return sets->set_table[slot] - 1;
    }
    assert(sets->sets[SET_EMPTY].count == 0);
    assert(requirements[count - 1] < sets->requirements_count);
    if (sets->sets_count == sets->sets_capacity) {
        sets->sets_capacity *= 2;
        sets->sets = memory_resize(sets->sets, sets->sets_capacity * sizeof *sets->sets);
    }
    uint32_t *copy = arena_allocate_array(sets->arena, count, sizeof *copy);
    memcpy(copy, requirements, count * sizeof *copy);
    sets->sets[sets->sets_count] = (struct requirement_set){copy, count};
    sets->set_table[slot] = sets->sets_count + 1;
    return sets->sets_count++;
}

static uint32_t meet_requirements(struct requirement_sets *sets, uint32_t a, uint32_t b)
{
    if (a == b)
        return a;
    if (a > b) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    uint32_t result = memo_get(&sets->requirement_meets, a, b);
    if (result != MEMO_NONE)
        return result;
    assert(b < sets->requirements_count);
    struct requirement met = requirement_intersect(sets->scratch, sets->vocabulary,
                                                   &sets->requirements[a], &sets->requirements[b]);
    result = requirement_intern(sets, &met);
    arena_reset(sets->scratch);
    memo_set(&sets->requirement_meets, a, b, result);
    return result;
}

static uint32_t key_of(const struct requirement_sets *sets, uint32_t requirement)
{
    return sets->requirements[requirement].key;
}

uint32_t set_find(const struct requirement_sets *sets, uint32_t set, uint32_t key)
{
    const struct requirement_set *own = &sets->sets[set];
    for (uint32_t i = 0; i < own->count; i++)
        if (key_of(sets, own->requirements[i]) == key)
            return own->requirements[i];
    return REQUIREMENT_NONE;
}

const struct requirement *set_get(const struct requirement_sets *sets, uint32_t set, uint32_t key)
{
    uint32_t identifier = set_find(sets, set, key);
    return identifier == REQUIREMENT_NONE ? NULL : &sets->requirements[identifier];
}

// The set without `key`; adds `requirement` unless it is REQUIREMENT_NONE.
static uint32_t exchange(struct requirement_sets *sets, uint32_t set, uint32_t key,
                         uint32_t requirement)
{
    assert(set < sets->sets_count);
    struct requirement_set old = sets->sets[set];
    uint32_t *items = memory_allocate_array(old.count + 1, sizeof *items);
    uint32_t count = 0, i = 0;
    for (; i < old.count && key_of(sets, old.requirements[i]) < key; i++)
        items[count++] = old.requirements[i];
    if (requirement != REQUIREMENT_NONE)
        items[count++] = requirement;
    for (; i < old.count; i++)
        if (key_of(sets, old.requirements[i]) != key)
            items[count++] = old.requirements[i];
    uint32_t result = intern_set(sets, items, count);
    free(items);
    return result;
}

uint32_t set_replace(struct requirement_sets *sets, uint32_t set,
                     const struct requirement *requirement)
{
    uint32_t key = requirement->key, replacement = requirement_intern(sets, requirement);
    return set_find(sets, set, key) == replacement ? set : exchange(sets, set, key, replacement);
}

uint32_t set_remove(struct requirement_sets *sets, uint32_t set, uint32_t key)
{
    return set_find(sets, set, key) == REQUIREMENT_NONE
               ? set
               : exchange(sets, set, key, REQUIREMENT_NONE);
}

uint32_t set_add(struct requirement_sets *sets, uint32_t set, const struct requirement *requirement)
{
    return set_add_known(sets, set, requirement_intern(sets, requirement));
}

uint32_t set_add_known(struct requirement_sets *sets, uint32_t set, uint32_t requirement)
{
    uint32_t key = key_of(sets, requirement), present = set_find(sets, set, key);
    if (present != REQUIREMENT_NONE)
        requirement = meet_requirements(sets, present, requirement);
    return requirement == present ? set : exchange(sets, set, key, requirement);
}

uint32_t set_meet(struct requirement_sets *sets, uint32_t a, uint32_t b)
{
    if (a == b || b == SET_EMPTY)
        return a;
    if (a == SET_EMPTY)
        return b;
    uint32_t result = memo_get(&sets->set_meets, a, b);
    if (result != MEMO_NONE)
        return result;
    assert(a < sets->sets_count);
    assert(b < sets->sets_count);
    uint32_t *items =
        memory_allocate_array((size_t)sets->sets[a].count + sets->sets[b].count, sizeof *items);
    uint32_t count = 0, i = 0, j = 0;
    struct requirement_set x = sets->sets[a], y = sets->sets[b];
    while (i < x.count || j < y.count) {
        uint32_t left = i < x.count ? key_of(sets, x.requirements[i]) : UINT32_MAX;
        uint32_t right = j < y.count ? key_of(sets, y.requirements[j]) : UINT32_MAX;
        if (left < right)
            items[count++] = x.requirements[i++];
        else if (right < left)
            items[count++] = y.requirements[j++];
        else
            items[count++] = meet_requirements(sets, x.requirements[i++], y.requirements[j++]);
    }
    result = intern_set(sets, items, count);
    free(items);
    memo_set(&sets->set_meets, a, b, result);
    return result;
}

#define LIST_ON_STACK 64

// The set of `count` requirements in any order; keys may repeat.
static uint32_t intern_list(struct requirement_sets *sets, uint32_t *list, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t added = list[i], key = key_of(sets, added), at = kept;
        while (at > 0 && key_of(sets, list[at - 1]) > key)
            at--;
        if (at > 0 && key_of(sets, list[at - 1]) == key) {
            list[at - 1] = meet_requirements(sets, list[at - 1], added);
            continue;
        }
        memmove(list + at + 1, list + at, (kept - at) * sizeof *list);
        list[at] = added;
        kept++;
    }
    return intern_set(sets, list, kept);
}

uint32_t set_from_api(struct requirement_sets *sets, const requirement_list *list)
{
    uint32_t on_stack[LIST_ON_STACK], *items = on_stack;
    if (list->count > LIST_ON_STACK)
        items = memory_allocate_array(list->count, sizeof *items);
    for (uint32_t i = 0; i < list->count; i++) {
        struct requirement requirement =
            requirement_make(sets->scratch, sets->vocabulary, &list->items[i]);
        items[i] = requirement_intern(sets, &requirement);
        arena_reset(sets->scratch);
    }
    uint32_t set = intern_list(sets, items, list->count);
    if (items != on_stack)
        free(items);
    return set;
}

uint32_t set_from_labels(struct requirement_sets *sets, const struct string_map *labels)
{
    uint32_t on_stack[LIST_ON_STACK], *items = on_stack;
    if (labels->count > LIST_ON_STACK)
        items = memory_allocate_array(labels->count, sizeof *items);
    for (uint32_t i = 0; i < labels->count; i++) {
        uint32_t value = vocabulary_value(sets->vocabulary, labels->items[i].value);
        struct requirement requirement = {
            .key = vocabulary_key(sets->vocabulary, labels->items[i].key),
            .count = 1,
            .values = &value,
        };
        items[i] = requirement_intern(sets, &requirement);
    }
    uint32_t set = intern_list(sets, items, labels->count);
    if (items != on_stack)
        free(items);
    return set;
}

static bool requirements_agree(const struct requirement_sets *sets, uint32_t a, uint32_t b)
{
    if (a == b && requirement_length(&sets->requirements[a]) > 0)
        return true;
    const struct requirement *x = &sets->requirements[a], *y = &sets->requirements[b];
    return requirement_has_intersection(sets->vocabulary, x, y) ||
           (requirement_accepts_absence(x) && requirement_accepts_absence(y));
}

static bool compute_intersect(const struct requirement_sets *sets, uint32_t a, uint32_t b)
{
    struct requirement_set x = sets->sets[a], y = sets->sets[b];
    for (uint32_t i = 0, j = 0; i < x.count && j < y.count;) {
        uint32_t left = key_of(sets, x.requirements[i]), right = key_of(sets, y.requirements[j]);
        if (left < right) {
            i++;
        } else if (right < left) {
            j++;
        } else if (!requirements_agree(sets, x.requirements[i++], y.requirements[j++])) {
            return false;
        }
    }
    return true;
}

bool sets_intersect(struct requirement_sets *sets, uint32_t a, uint32_t b)
{
    if (a == SET_EMPTY || b == SET_EMPTY)
        return true;
    uint32_t result = memo_get(&sets->intersecting, a, b);
    if (result == MEMO_NONE) {
        result = compute_intersect(sets, a, b);
        memo_set(&sets->intersecting, a, b, result);
    }
    return result;
}

// True if b has a key that a lacks and that a may not lack.
static bool unknown_refused(const struct requirement_sets *sets, uint32_t a, uint32_t requirement,
                            bool allow_well_known)
{
    const struct requirement *asked = &sets->requirements[requirement];
    return !(allow_well_known && vocabulary_is_well_known(sets->vocabulary, asked->key)) &&
           set_find(sets, a, asked->key) == REQUIREMENT_NONE && !requirement_accepts_absence(asked);
}

bool sets_compatible(struct requirement_sets *sets, uint32_t a, uint32_t b, bool allow_well_known)
{
    if (b == SET_EMPTY)
        return true;
    struct memo *memo = allow_well_known ? &sets->compatible_well_known : &sets->compatible_strict;
    uint32_t result = memo_get(memo, a, b);
    if (result != MEMO_NONE)
        return result;
    assert(a < sets->sets_count);
    assert(b < sets->sets_count);
    result = sets_intersect(sets, a, b);
    for (uint32_t i = 0; i < sets->sets[b].count && result; i++)
        result = !unknown_refused(sets, a, sets->sets[b].requirements[i], allow_well_known);
    memo_set(memo, a, b, result);
    return result;
}

// SCH-80: `asked` may be a misspelling of `label`.
static bool resembles(const char *label, const char *asked)
{
    const char *slash = strrchr(asked, '/');
    return strstr(label, asked) != NULL || text_ends_with(label, slash != NULL ? slash + 1 : asked);
}

static const char *smaller(const char *a, const char *b)
{
    return a == NULL || strcmp(b, a) < 0 ? b : a;
}

static void add_hint(struct text *text, const struct requirement_sets *sets, uint32_t a,
                     const char *asked, bool allow_well_known)
{
    const struct vocabulary *vocabulary = sets->vocabulary;
    const char *best = NULL;
    for (uint32_t key = 0; key < vocabulary->well_known_count && allow_well_known; key++)
        if (vocabulary->well_known[key] && resembles(vocabulary_key_text(vocabulary, key), asked))
            best = smaller(best, vocabulary_key_text(vocabulary, key));
    for (uint32_t i = 0; i < sets->sets[a].count && best == NULL; i++) {
        const char *label =
            vocabulary_key_text(vocabulary, key_of(sets, sets->sets[a].requirements[i]));
        const char *found = NULL;
        if (resembles(label, asked))
            found = smaller(found, label);
        for (uint32_t j = i + 1; j < sets->sets[a].count && found != NULL; j++) {
            label = vocabulary_key_text(vocabulary, key_of(sets, sets->sets[a].requirements[j]));
            if (resembles(label, asked))
                found = smaller(found, label);
        }
        best = found;
    }
    if (best != NULL)
        text_format(text, " (typo of \"%s\"?)", best);
}

static void add_conflicting_keys(struct text *text, struct requirement_sets *sets, uint32_t a,
                                 uint32_t b)
{
    const struct vocabulary *vocabulary = sets->vocabulary;
    const struct requirement_set *asked = &sets->sets[b];
    const char **keys = memory_allocate_array(asked->count + 1, sizeof *keys);
    uint32_t count = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        uint32_t present = set_find(sets, a, key_of(sets, asked->requirements[i]));
        if (present != REQUIREMENT_NONE &&
            !requirements_agree(sets, present, asked->requirements[i]))
            keys[count++] = vocabulary_key_text(vocabulary, key_of(sets, asked->requirements[i]));
    }
    qsort(keys, count, sizeof *keys, text_compare);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = vocabulary_find_key(vocabulary, keys[i]);
        text_format(text, "%skey %s, ", i > 0 ? "; " : "", keys[i]);
        requirement_add_text(text, vocabulary, set_get(sets, b, key));
        text_add(text, " not in ");
        requirement_add_text(text, vocabulary, set_get(sets, a, key));
    }
    free(keys);
}

void sets_add_conflict(struct text *text, struct requirement_sets *sets, uint32_t a, uint32_t b,
                       bool allow_well_known)
{
    const char *unknown = NULL;
    for (uint32_t i = 0; i < sets->sets[b].count; i++)
        if (unknown_refused(sets, a, sets->sets[b].requirements[i], allow_well_known))
            unknown =
                smaller(unknown, vocabulary_key_text(sets->vocabulary,
                                                     key_of(sets, sets->sets[b].requirements[i])));
    if (unknown == NULL) {
        add_conflicting_keys(text, sets, a, b);
        return;
    }
    text_format(text, "label \"%s\" does not have known values", unknown);
    add_hint(text, sets, a, unknown, allow_well_known);
}

void set_add_text(struct text *text, struct requirement_sets *sets, uint32_t set)
{
    const struct requirement_set *own = &sets->sets[set];
    char **parts = memory_allocate_array(own->count + 1, sizeof *parts);
    uint32_t count = 0, hostname = vocabulary_find_key(sets->vocabulary, LABEL_HOSTNAME);
    for (uint32_t i = 0; i < own->count; i++) {
        if (key_of(sets, own->requirements[i]) == hostname)
            continue;
        struct text part = {0};
        requirement_add_text(&part, sets->vocabulary, &sets->requirements[own->requirements[i]]);
        parts[count++] = text_take(&part);
    }
    qsort(parts, count, sizeof *parts, text_compare);
    for (uint32_t i = 0; i < count; i++) {
        text_format(text, "%s%s", i > 0 ? ", " : "", parts[i]);
        free(parts[i]);
    }
    free(parts);
}
