#include "engine/problem/problem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/reading/pod.h"
#include "model/tables/kinds.h"

void problem_log(struct problem *problem, enum note_level level, const struct object *object,
                 const char *message)
{
    assert(level != NOTE_EVENT);
    vector_push(&problem->notes,
                (struct plan_note){.level = level,
                                   .message = arena_copy_string(problem->arena, message),
                                   .object = object});
}

void problem_event(struct problem *problem, enum event_reason event, const struct object *about,
                   const char *message)
{
    assert(event_is_of(event, about->kind->id));
    vector_push(&problem->notes,
                (struct plan_note){.level = NOTE_EVENT,
                                   .event = event,
                                   .message = arena_copy_string(problem->arena, message),
                                   .object = about});
}

const char *problem_copy(struct problem *problem, struct text *text)
{
    const char *copy = arena_copy_string(problem->arena, text->data != NULL ? text->data : "");
    text_free(text);
    return copy;
}

void problem_add_dimensions(struct problem *problem, const struct resource_map *map)
{
    assert(problem->dimensions.count == 0);
    list_for_each (entry, map)
        symbols_intern(problem->dimensions.names, entry->name);
}

int64_t *vector_create(const struct problem *problem)
{
    assert(problem->dimensions.count >= DIMENSIONS_FIXED);
    return arena_allocate_array(problem->arena, problem->dimensions.count, sizeof(int64_t));
}

void vector_set_map(const struct problem *problem, int64_t *vector, const struct resource_map *map)
{
    list_for_each (entry, map) {
        uint32_t dimension = symbols_find(problem->dimensions.names, entry->name);
        if (dimension < problem->dimensions.count)
            vector[dimension] = entry->value;
    }
}

void vector_add(const struct problem *problem, int64_t *vector, const int64_t *other)
{
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        vector[d] = quantity_add(vector[d], other[d]);
}

bool vector_fits(const struct problem *problem, const int64_t *request, const int64_t *total)
{
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (total[d] < 0 || request[d] > total[d])
            return false;
    return true;
}

static int compare_quantities(const void *a, const void *b)
{
    return strcmp(((const struct resource_quantity *)a)->name,
                  ((const struct resource_quantity *)b)->name);
}

bool problem_is_device(const struct problem *problem, uint32_t dimension)
{
    return strchr(symbols_text(problem->dimensions.names, dimension), ' ') != NULL;
}

struct resource_map vector_to_map(const struct problem *problem, struct arena *arena,
                                  const int64_t *vector)
{
    struct resource_map map = {0};
    map.items = arena_allocate_array(arena, problem->dimensions.count, sizeof *map.items);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (vector[d] != 0 && !problem_is_device(problem, d))
            map.items[map.count++] =
                (struct resource_quantity){symbols_text(problem->dimensions.names, d), vector[d]};
    qsort(map.items, map.count, sizeof *map.items, compare_quantities);
    return map;
}

uint32_t problem_intern_taints(struct problem *problem, const taint_list *taints)
{
    struct text text = {0};
    list_for_each (taint, taints)
        text_format(&text, "%s=%s:%s\n", text_or_empty(taint->key), text_or_empty(taint->value),
                    text_or_empty(taint->effect));
    const char *key = text.data != NULL ? text.data : "";
    uintptr_t id = (uintptr_t)map_get(problem->interned.taint_list_ids, key);
    if (id == 0) {
        taint_list *copy = arena_allocate(problem->arena, sizeof *copy);
        *copy = *taints;
        vector_push(&problem->interned.taint_lists, copy);
        id = problem->interned.taint_lists.count;
        map_set(problem->interned.taint_list_ids, key, (void *)id);
    }
    text_free(&text);
    return (uint32_t)id - 1;
}

uint32_t problem_intern_tolerations(struct problem *problem, const toleration_list *tolerations)
{
    struct text text = {0};
    list_for_each (toleration, tolerations)
        text_format(&text, "%s %s %s %s\n", text_or_empty(toleration->key),
                    text_or_empty(toleration->operator), text_or_empty(toleration->value),
                    text_or_empty(toleration->effect));
    const char *key = text.data != NULL ? text.data : "";
    uintptr_t id = (uintptr_t)map_get(problem->interned.toleration_list_ids, key);
    if (id == 0) {
        toleration_list *copy = arena_allocate(problem->arena, sizeof *copy);
        *copy = *tolerations;
        vector_push(&problem->interned.toleration_lists, copy);
        id = problem->interned.toleration_lists.count;
        map_set(problem->interned.toleration_list_ids, key, (void *)id);
    }
    text_free(&text);
    return (uint32_t)id - 1;
}

static bool tolerates(struct problem *problem, struct memo *memo, uint32_t tolerations,
                      uint32_t taints, bool hard_only)
{
    const taint_list *list = problem->interned.taint_lists.items[taints];
    if (list->count == 0)
        return true;
    uint32_t known = memo_get(memo, tolerations, taints);
    if (known != MEMO_NONE)
        return known;
    assert(taints < problem->interned.taint_lists.count);
    assert(tolerations < problem->interned.toleration_lists.count);
    bool all = true;
    list_for_each (taint, list)
        if (!hard_only || !text_equal(taint->effect, "PreferNoSchedule"))
            all = all && tolerations_tolerate(problem->interned.toleration_lists.items[tolerations],
                                              taint);
    memo_set(memo, tolerations, taints, all);
    return all;
}

bool problem_tolerates(struct problem *problem, uint32_t tolerations, uint32_t taints)
{
    return tolerates(problem, &problem->interned.tolerated, tolerations, taints, false);
}

bool problem_tolerates_hard(struct problem *problem, uint32_t tolerations, uint32_t taints)
{
    return tolerates(problem, &problem->interned.tolerated_hard, tolerations, taints,
                     problem->strategy->filters_as_scheduler);
}

uint32_t problem_split_hostname(struct problem *problem, uint32_t set, uint32_t *hostname)
{
    *hostname = set_find(problem->sets, set, problem->keys.hostname);
    return set_remove(problem->sets, set, problem->keys.hostname);
}
