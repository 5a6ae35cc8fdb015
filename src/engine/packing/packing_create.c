#include "engine/packing/packing_create.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_filler.h"
#include "engine/packing/packing_items.h"
#include "engine/packing/packing_machines.h"
#include "engine/pods/topology_groups.h"

#define DRIVERS_MAX 4 // whose volume limits count here; the ordinary pass checks all

static bool is_limited(const struct problem *problem, uint32_t driver)
{
    for (uint32_t t = 0; t < problem->templates.count; t++)
        for (uint32_t i = 0; i < problem->templates.items[t]->volume_limits_count; i++)
            if (problem->templates.items[t]->volume_limits[i].driver == driver)
                return true;
    return false;
}

static void note_volumes(struct packing *packing, const struct shape *shape, uint32_t *drivers,
                         uint32_t *count)
{
    for (uint32_t i = 0; shape->volumes != NULL && i < shape->volumes->uses.count; i++) {
        const struct volume_use *use = &shape->volumes->uses.items[i];
        uint32_t known = 0;
        if (!is_limited(packing->problem, use->driver))
            continue;
        bool used = memo_get(&packing->volume_users, use->claim, use->driver) != MEMO_NONE;
        memo_set(&packing->volume_users, use->claim, use->driver, used ? 2 : 1);
        while (known < *count && drivers[known] != use->driver)
            known++;
        if (known == *count && *count < DRIVERS_MAX)
            drivers[(*count)++] = use->driver;
    }
}

static int compare_drivers(const void *a, const void *b, void *words)
{
    return strcmp(symbols_text(words, *(const uint32_t *)a),
                  symbols_text(words, *(const uint32_t *)b));
}

static void find_dimensions(struct packing *packing)
{
    struct problem *problem = packing->problem;
    uint32_t drivers[DRIVERS_MAX], drivers_count = 0;
    const struct pass *pass = packing->greedy;
    bool *asked = memory_allocate_array(problem->dimensions.count + 1, sizeof *asked);
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        if (pass->placements[i].kind != ON_CLAIM)
            continue;
        const struct shape *shape = shape_of(problem, class_at(problem, pass->placements[i].class));
        for (uint32_t d = 0; d < shape->dimensions_count; d++)
            asked[shape->dimensions[d]] = true;
        note_volumes(packing, shape, drivers, &drivers_count);
    }
    packing->dimensions = arena_allocate_array(
        packing->arena, problem->dimensions.count + DRIVERS_MAX, sizeof *packing->dimensions);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (asked[d])
            packing->dimensions[packing->dimensions_count++] = d;
    qsort_r(drivers, drivers_count, sizeof *drivers, compare_drivers, problem->words);
    for (uint32_t i = 0; i < drivers_count; i++)
        packing->dimensions[packing->dimensions_count++] = PACKING_VOLUMES + drivers[i];
    assert(packing->dimensions_count <= problem->dimensions.count + DRIVERS_MAX);
    free(asked);
}

static void copy_limits(struct packing *packing, const struct pass *fresh)
{
    struct problem *problem = packing->problem;
    packing->limits =
        arena_allocate_array(packing->arena, problem->templates.count + 1, sizeof *packing->limits);
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        if (fresh->remaining[t] == NULL)
            continue;
        packing->limits[t] =
            arena_allocate_array(packing->arena, problem->dimensions.count, sizeof(int64_t));
        memcpy(packing->limits[t], fresh->remaining[t],
               problem->dimensions.count * sizeof(int64_t));
    }
}

static int compare_by_order(const void *a, const void *b, void *context)
{
    const struct pass *pass = context;
    uint64_t x = pass->placements[*(const uint32_t *)a].order;
    uint64_t y = pass->placements[*(const uint32_t *)b].order;
    return x < y ? -1 : x > y;
}

static void sum_up(struct packing *packing)
{
    packing->left =
        arena_allocate_array(packing->arena, packing->items.count + 1, sizeof *packing->left);
    for (uint32_t k = 0; k < packing->items.count; k++) {
        struct packing_item *item = &packing->items.items[k];
        packing->left[k] = item->count;
        assert(item->pods.count == item->count * item->unit);
        if (item->unit == 1)
            qsort_r(item->pods.items, item->pods.count, sizeof *item->pods.items, compare_by_order,
                    (void *)(uintptr_t)packing->greedy);
    }
}

static void make_scratch(struct packing *packing)
{
    struct problem *problem = packing->problem;
    uint32_t widest = 1;
    for (uint32_t t = 0; t < problem->templates.count; t++)
        if (problem->templates.items[t]->table->count > widest)
            widest = problem->templates.items[t]->table->count;
    packing->rows = bitset_create(packing->arena, widest);
    packing->asked =
        arena_allocate_array(packing->arena, problem->dimensions.count, sizeof *packing->asked);
    packing->tilt =
        arena_allocate_array(packing->arena, packing->dimensions_count + 1, sizeof(double));
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        packing->tilt[d] = 1;
}

struct packing *packing_create(const struct pass *greedy, const struct pass *fresh, double margin)
{
    assert(greedy->problem == fresh->problem);
    assert(fresh->version == 0);
    struct packing *packing = memory_allocate(sizeof *packing);
    packing->problem = greedy->problem;
    packing->greedy = greedy;
    packing->arena = arena_create(65536);
    find_dimensions(packing);
    packing->margin = margin;
    make_scratch(packing);
    copy_limits(packing, fresh);
    packing_items_sort(packing);
    sum_up(packing);
    packing->price_scale = packing_machines_scale(packing);
    return packing;
}

void packing_destroy(struct packing *packing)
{
    vector_for_each (item, &packing->items)
        vector_free(&item->pods);
    vector_for_each (bin, &packing->bins)
        packing_bin_destroy(*bin);
    packing_filler_destroy(packing->filler);
    vector_free(&packing->template_choices);
    vector_free(&packing->machine_lists);
    memo_free(&packing->machines_index);
    memo_free(&packing->narrowed);
    memo_free(&packing->volume_users);
    vector_free(&packing->item_groups);
    vector_free(&packing->base_groups);
    vector_free(&packing->items);
    vector_free(&packing->bins);
    vector_free(&packing->kept);
    arena_destroy(packing->arena);
    free(packing);
}
