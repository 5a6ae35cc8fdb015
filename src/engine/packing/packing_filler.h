// Working memory for filling machines (packing_fill.h, packing_columns.h).
#pragma once

#include "engine/packing/packing.h"
#include "engine/packing/packing_machines.h"

#define TRIES_MAX  12 // machines filled for one bin
#define SAMPLE_MAX 96 // items tried for one bin
#define EQUAL      1e-9

struct machine_try { // a machine with its estimated price for the value of its contents
    const struct packing_machines *machines;
    uint32_t machine;
    double ratio;
};

struct packing_filler {
    struct packing *packing;
    struct arena *arena;
    uint32_t *order;            // items in the order in which they get bins
    double *ranks;              // by item
    struct packing_list active; // items with units left, in the same order
    struct packing_list sample; // an evenly spread part of these
    uint32_t *fitting;          // items that still fit the bin
    uint32_t *within;           // by item: units on the bin
    double *weights;            // by dimension: weight of one unit on the machine
    int64_t *room;              // by dimension: free room of the machine
    // By item group: the list with it, for the bin's current set.
    const struct packing_machines **narrowed;
    uint32_t *narrowed_known; // by item group: stamp
    uint32_t stamp;
    struct machine_try tries[TRIES_MAX];
    uint32_t tries_count;
    struct packing_bin *bin, *best;
    double best_ratio;
};

// Made when first needed.
struct packing_filler *packing_filler_of(struct packing *packing);
void packing_filler_destroy(struct packing_filler *filler); // NULL is fine

// Fills the machine into filler->bin from the list, one unit of the seed first (NONE: no seed).
void packing_filler_fill(struct packing_filler *filler, const struct packing_machines *machines,
                         uint32_t machine_index, uint32_t seed, const struct packing_list *from);
// Empties filler->bin for the machine.
void packing_filler_begin(struct packing_filler *filler, const struct packing_machines *machines);
void packing_filler_add(struct packing_filler *filler, uint32_t k, uint32_t units, uint32_t row,
                        int64_t price);
// Picks the machine for the bin.
void packing_filler_end(struct packing_filler *filler);

// Computes the machine's free room into filler->room and filler->weights.
static inline void packing_filler_measure(struct packing_filler *filler,
                                          const struct packing_machine *machine)
{
    const struct packing *packing = filler->packing;
    for (uint32_t d = 0; d < packing->dimensions_count; d++) {
        filler->room[d] = machine->room[d] - filler->bin->used[d];
        filler->weights[d] = filler->room[d] > 0 ? packing->tilt[d] / (double)filler->room[d] : 0;
    }
}

static inline bool packing_filler_fits(const struct packing_filler *filler, const int64_t *need)
{
    for (uint32_t d = 0; d < filler->packing->dimensions_count; d++)
        if (need[d] > filler->room[d])
            return false;
    return true;
}

// The machine list of the bin with the item group added; NULL if the group is not allowed or would
// raise the machine's price.
static inline const struct packing_machines *packing_filler_narrow(struct packing_filler *filler,
                                                                   uint32_t item_group,
                                                                   uint32_t row, int64_t price)
{
    if (filler->narrowed_known[item_group] == filler->stamp)
        return filler->narrowed[item_group];
    const struct packing_machines *machines =
        packing_machines_with(filler->packing, filler->bin->machines, item_group);
    if (machines != NULL && machines->prices[row] != price)
        machines = NULL;
    filler->narrowed_known[item_group] = filler->stamp;
    filler->narrowed[item_group] = machines;
    return machines;
}
