#include "engine/packing/packing_filler.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_machines.h"

static struct packing_filler *filler_create(struct packing *packing)
{
    uint32_t items = packing->items.count;
    struct arena *arena = packing->arena;
    struct packing_filler *filler = arena_allocate(arena, sizeof *filler);
    *filler = (struct packing_filler){.packing = packing, .arena = arena};
    filler->order = arena_allocate_array(arena, items + 1, sizeof *filler->order);
    filler->active.items = arena_allocate_array(arena, items + 1, sizeof *filler->active.items);
    filler->sample.items =
        arena_allocate_array(arena, SAMPLE_MAX + 1, sizeof *filler->sample.items);
    filler->fitting = arena_allocate_array(arena, items + 1, sizeof *filler->fitting);
    filler->within = arena_allocate_array(arena, items + 1, sizeof *filler->within);
    filler->weights =
        arena_allocate_array(arena, packing->dimensions_count, sizeof *filler->weights);
    filler->room = arena_allocate_array(arena, packing->dimensions_count, sizeof *filler->room);
    filler->narrowed =
        arena_allocate_array(arena, packing->item_groups.count, sizeof(struct packing_machines *));
    filler->narrowed_known =
        arena_allocate_array(arena, packing->item_groups.count, sizeof *filler->narrowed_known);
    filler->ranks = arena_allocate_array(arena, items + 1, sizeof *filler->ranks);
    for (uint32_t k = 0; k < items; k++)
        filler->order[k] = k;
    filler->bin = packing_bin_create(packing, NULL);
    filler->best = packing_bin_create(packing, NULL);
    return filler;
}

void packing_filler_destroy(struct packing_filler *filler)
{
    if (filler == NULL)
        return;
    packing_bin_destroy(filler->bin);
    packing_bin_destroy(filler->best);
}

// Made when first needed.
struct packing_filler *packing_filler_of(struct packing *packing)
{
    if (packing->filler == NULL)
        packing->filler = filler_create(packing);
    return packing->filler;
}

static double score(const struct packing_filler *filler, const struct packing_item *item)
{
    double weight = 0;
    for (uint32_t d = 0; d < filler->packing->dimensions_count; d++)
        weight += (double)item->need[d] * filler->weights[d];
    return item->value / (weight + 1e-12);
}

// Drops items that no longer fit from the list and returns the best of the others.
static uint32_t next_item(struct packing_filler *filler, uint32_t *count, uint32_t row,
                          int64_t price)
{
    struct packing *packing = filler->packing;
    uint32_t best = NONE, kept = 0, best_units = 0;
    double most = -1;
    packing->steps += *count;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t k = filler->fitting[i];
        const struct packing_item *item = &packing->items.items[k];
        if (filler->within[k] >= packing->left[k] || !packing_filler_fits(filler, item->need) ||
            packing_bin_most(filler->bin, item) == 0 ||
            packing_filler_narrow(filler, item->item_group, row, price) == NULL)
            continue;
        filler->fitting[kept++] = k;
        double own = score(filler, item);
        uint32_t units = packing->left[k] - filler->within[k];
        if (own > most * (1 + EQUAL) || (own > most * (1 - EQUAL) && units > best_units)) {
            most = own > most ? own : most;
            best = k;
            best_units = units;
        }
    }
    *count = kept;
    return best;
}

// A quarter of the units that fit, so that other items get a share.
static uint32_t units_to_add(const struct packing_filler *filler, uint32_t k)
{
    const struct packing *packing = filler->packing;
    const struct packing_item *item = &packing->items.items[k];
    int64_t most = packing_bin_most(filler->bin, item);
    if (packing->left[k] - filler->within[k] < most)
        most = packing->left[k] - filler->within[k];
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        if (item->need[d] > 0 && filler->room[d] / item->need[d] < most)
            most = filler->room[d] / item->need[d];
    return most > 7 ? (uint32_t)(most / 4) : 1;
}

void packing_filler_add(struct packing_filler *filler, uint32_t k, uint32_t units, uint32_t row,
                        int64_t price)
{
    const struct packing_item *item = &filler->packing->items.items[k];
    const struct packing_machines *machines =
        packing_filler_narrow(filler, item->item_group, row, price);
    if (machines != filler->bin->machines)
        filler->stamp++;
    assert(machines != NULL);
    packing_bin_add(filler->packing, filler->bin, k, units, machines);
    filler->within[k] += units;
}

// Fills the machine into filler->bin from the list, one unit of the seed first (NONE: no seed).
void packing_filler_fill(struct packing_filler *filler, const struct packing_machines *machines,
                         uint32_t machine_index, uint32_t seed, const struct packing_list *from)
{
    assert(machine_index < machines->count);
    const struct packing_machine *machine = &machines->items[machine_index];
    int64_t price = machines->prices[machine->row];
    packing_filler_begin(filler, machines);
    uint32_t count = from->count;
    assert(count <= filler->packing->items.count);
    memcpy(filler->fitting, from->items, count * sizeof *filler->fitting);
    packing_filler_measure(filler, machine);
    if (seed != NONE) {
        packing_filler_add(filler, seed, 1, machine->row, price);
        packing_filler_measure(filler, machine);
    }
    for (uint32_t k = next_item(filler, &count, machine->row, price); k != NONE;
         k = next_item(filler, &count, machine->row, price)) {
        packing_filler_add(filler, k, units_to_add(filler, k), machine->row, price);
        packing_filler_measure(filler, machine);
    }
    packing_filler_end(filler);
}

void packing_filler_begin(struct packing_filler *filler, const struct packing_machines *machines)
{
    packing_bin_clear(filler->packing, filler->bin, machines);
    filler->stamp++;
}

void packing_filler_end(struct packing_filler *filler)
{
    vector_for_each (content, &filler->bin->contents)
        filler->within[content->item] = 0;
    filler->bin->machine =
        packing_machines_find(filler->packing, filler->bin->machines, filler->bin->used, 0);
}
