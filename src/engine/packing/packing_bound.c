#include "engine/packing/packing_bound.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "engine/packing/knapsack.h"
#include "engine/packing/packing.h"
#include "engine/packing/packing_machines.h"

#define SEARCH_NODES 2000   // of one machine
#define NODES_MAX    200000 // of all
#define BURST_PARTS  8
#define WORK_MAX     UINT64_C(4000000) // items times machines

struct bounder {
    struct packing *packing;
    uint32_t *items; // those that represent all equal ones
    uint32_t items_count;
    uint32_t *fitting; // scratch
    double *values;    // scratch
    int64_t *room;
    uint64_t nodes; // search nodes so far
};

// Merges items with equal needs and requirements.
static bool choose_items(struct bounder *bounder)
{
    struct packing *packing = bounder->packing;
    for (uint32_t k = 0; k < packing->items.count; k++)
        if (packing->items.items[k].stands_for_all)
            bounder->items[bounder->items_count++] = k;
    assert(bounder->items_count <= packing->items.count);
    uint64_t machines = 0;
    for (uint32_t m = 0; m < packing->base_machines_count; m++)
        machines += packing->machine_lists.items[m]->sold_count;
    return machines * bounder->items_count <= WORK_MAX;
}

static const struct packing_machines *loose_machines(struct packing *packing, uint32_t template,
                                                     uint32_t base_group)
{
    const struct node_template *of = packing->problem->templates.items[template];
    uint32_t set =
        set_meet(packing->problem->sets, of->set, packing->base_groups.items[base_group].loose);
    return packing_machines_of(packing, of, set);
}

// Lists the items that fit the machine, with the lowest price at which any of them can buy it.
static uint32_t list_fitting(struct bounder *bounder,
                             const struct packing_machines *const *machine_lists, uint32_t row,
                             int64_t *price)
{
    const struct packing *packing = bounder->packing;
    uint32_t count = 0;
    *price = INT64_MAX;
    for (uint32_t i = 0; i < bounder->items_count; i++) {
        const struct packing_item *item = &packing->items.items[bounder->items[i]];
        const struct packing_machines *machines =
            machine_lists[packing->item_groups.items[item->item_group].base_group];
        if (machines == NULL || machines->prices[row] == INT64_MAX)
            continue;
        bool fits = true;
        for (uint32_t d = 0; d < packing->dimensions_count; d++)
            fits = fits && item->need[d] <= bounder->room[d];
        if (!fits)
            continue;
        bounder->fitting[count++] = bounder->items[i];
        if (machines->prices[row] < *price)
            *price = machines->prices[row];
    }
    return count;
}

// The value of the best filling of the machine, at most; each unit is worth less by `charge` for
// each millicore that it requests.
static double most_charged(struct bounder *bounder, uint32_t count, double charge, double at_least,
                           bool search)
{
    struct packing *packing = bounder->packing;
    uint32_t cpu = packing_dimension_of(packing, DIMENSION_CPU);
    for (uint32_t i = 0; i < count && cpu != NONE; i++) {
        struct packing_item *item = &packing->items.items[bounder->fitting[i]];
        bounder->values[i] = item->value;
        item->value -= charge * (double)item->need[cpu];
    }
    double upper = search ? knapsack_most(packing, bounder->room, bounder->fitting, count, at_least,
                                          bounder->nodes < NODES_MAX ? SEARCH_NODES : 1)
                          : knapsack_bound(packing, bounder->room, bounder->fitting, count);
    for (uint32_t i = 0; i < count && cpu != NONE; i++)
        packing->items.items[bounder->fitting[i]].value = bounder->values[i];
    return upper;
}

// The same for a burstable machine. It costs `paid` and `rate` for each requested millicore beyond
// `free_cpu`; that is at least the line paid + part * rate * (requested - free_cpu), whatever part
// of 1 is taken. So a filling that is worth more than `most` times its cost is worth, less the
// line's slope, more than `most` times the line's value at 0. The part that bounds best counts.
static double most_of_burstable(struct bounder *bounder, struct row_burst burst, uint32_t count,
                                double paid, double most)
{
    double lowest = INFINITY, best = 0;
    for (int step = 0; step <= BURST_PARTS; step++) {
        double slope = (double)burst.rate * step / BURST_PARTS;
        double base = paid - slope * (double)burst.free_cpu;
        if (base <= 0)
            break;
        double ratio = most_charged(bounder, count, most * slope, 0, false) / base;
        if (ratio >= lowest)
            continue;
        lowest = ratio;
        best = slope;
    }
    double base = paid - best * (double)burst.free_cpu;
    double upper = most_charged(bounder, count, most * best, most * base, true);
    return upper / base > most ? upper / base : most;
}

static double most_of_machine(struct bounder *bounder,
                              const struct packing_machines *const *machine_lists,
                              const struct node_template *template, uint32_t row, double most)
{
    int64_t price;
    packing_machines_room(bounder->packing, template, row, bounder->room);
    uint32_t count = list_fitting(bounder, machine_lists, row, &price);
    assert(count <= bounder->items_count);
    if (count == 0)
        return most;
    double paid =
        (double)quantity_add(price > 0 ? price : 1, bounder->packing->problem->catalog.node_cost);
    uint64_t before = bounder->packing->steps;
    if (template->bursts != NULL && template->bursts[row].rate > 0) {
        most = most_of_burstable(bounder, template->bursts[row], count, paid, most);
        bounder->nodes += bounder->packing->steps - before;
        return most;
    }
    double upper = knapsack_most(bounder->packing, bounder->room, bounder->fitting, count,
                                 most * paid, bounder->nodes < NODES_MAX ? SEARCH_NODES : 1);
    bounder->nodes += bounder->packing->steps - before;
    return upper / paid > most ? upper / paid : most;
}

static double most_of_template(struct bounder *bounder, uint32_t t, double most)
{
    struct packing *packing = bounder->packing;
    const struct node_template *template = packing->problem->templates.items[t];
    const struct packing_machines **machine_lists =
        memory_allocate_array(packing->base_groups.count + 1, sizeof(struct packing_machines *));
    bool any = false;
    for (uint32_t g = 0; g < packing->base_groups.count; g++) {
        const struct packing_template_choice *template_choice =
            &packing->template_choices.items[packing->base_groups.items[g].template_choice];
        for (uint32_t i = 0; i < template_choice->count; i++)
            if (template_choice->templates[i] == t)
                machine_lists[g] = loose_machines(packing, t, g);
        any = any || machine_lists[g] != NULL;
    }
    for (uint32_t r = 0; r < template->table->count && any; r++)
        most = most_of_machine(bounder, machine_lists, template, r, most);
    free(machine_lists);
    return most;
}

void packing_bound(struct packing *packing)
{
    CLEANUP_ARENA struct arena *arena = arena_create(16384);
    struct bounder bounder = {.packing = packing};
    uint32_t items = packing->items.count;
    bounder.items = arena_allocate_array(arena, items + 1, sizeof *bounder.items);
    bounder.fitting = arena_allocate_array(arena, items + 1, sizeof *bounder.fitting);
    bounder.values = arena_allocate_array(arena, items + 1, sizeof *bounder.values);
    bounder.room = arena_allocate_array(arena, packing->dimensions_count, sizeof *bounder.room);
    packing->lower_bound = 0;
    if (packing->kept.count > 0 || !choose_items(&bounder))
        return;
    double most = 1, worth = 0;
    for (uint32_t t = 0; t < packing->problem->templates.count; t++)
        most = most_of_template(&bounder, t, most);
    for (uint32_t k = 0; k < items; k++)
        worth += packing->items.items[k].value * packing->items.items[k].count;
    // Reduced by a millionth for rounding errors.
    assert(most >= 1);
    if (!isinf(most))
        packing->lower_bound = (int64_t)(worth / most * (1 - 1e-6));
}
