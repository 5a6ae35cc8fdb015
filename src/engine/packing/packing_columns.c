#include "engine/packing/packing_columns.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/packing/knapsack.h"
#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_filler.h"
#include "engine/packing/packing_machines.h"

static struct packing_bin *take_bin(struct packing_filler *filler)
{
    struct packing_bin *bin = filler->bin;
    filler->bin = packing_bin_create(filler->packing, NULL);
    return bin;
}

// The sampled items that fit the empty machine.
static const struct packing_list *list_fitting(struct packing_filler *filler,
                                               struct packing_machines *machines,
                                               uint32_t machine_index)
{
    assert(machine_index < machines->count);
    struct packing_list *list = &machines->fitting[machine_index];
    if (list->items != NULL)
        return list;
    const struct packing_machine *machine = &machines->items[machine_index];
    list->items =
        arena_allocate_array(filler->arena, filler->packing->items.count + 1, sizeof *list->items);
    packing_filler_begin(filler, machines);
    packing_filler_measure(filler, machine);
    for (uint32_t i = 0; i < filler->packing->items.count; i++) {
        const struct packing_item *item = &filler->packing->items.items[i];
        if (item->sampled && packing_filler_fits(filler, item->need) &&
            packing_filler_narrow(filler, item->item_group, machine->row,
                                  machines->prices[machine->row]) != NULL)
            list->items[list->count++] = i;
    }
    return list;
}

// Fills the bin with the search result, as far as rules allow.
static void fill_found(struct packing_filler *filler, const struct packing_machines *machines,
                       const struct packing_machine *machine, const uint32_t *items,
                       const uint32_t *units, uint32_t count)
{
    int64_t price = machines->prices[machine->row];
    packing_filler_begin(filler, machines);
    for (uint32_t i = 0; i < count; i++) {
        const struct packing_item *item = &filler->packing->items.items[items[i]];
        uint32_t most = packing_bin_most(filler->bin, item);
        if (units[i] > 0 && most > 0 &&
            packing_filler_narrow(filler, item->item_group, machine->row, price) != NULL)
            packing_filler_add(filler, items[i], units[i] < most ? units[i] : most, machine->row,
                               price);
    }
    packing_filler_end(filler);
}

static bool search_machine(struct packing_filler *filler, struct packing_machines *machines,
                           uint32_t machine_index, double at_least)
{
    const struct packing_machine *machine = &machines->items[machine_index];
    const struct packing_list *list = list_fitting(filler, machines, machine_index);
    uint32_t *units = memory_allocate_array(list->count + 1, sizeof *units);
    double upper;
    bool found = knapsack_solve(filler->packing, machine->room, list->items, list->count, at_least,
                                filler->packing->search_nodes, units, &upper);
    if (found)
        fill_found(filler, machines, machine, list->items, units, list->count);
    free(units);
    return found;
}

static bool is_worth_adding(const struct packing_filler *filler, double factor)
{
    return filler->bin->contents.count > 0 && filler->bin->machine < filler->bin->machines->count &&
           filler->bin->value > factor * (double)packing_bin_price(filler->bin);
}

double packing_fill_bound(struct packing *packing, struct packing_machines *machines,
                          uint32_t machine)
{
    assert(machine < machines->count);
    struct packing_filler *filler = packing_filler_of(packing);
    const struct packing_list *list = list_fitting(filler, machines, machine);
    machines->bounds[machine] =
        knapsack_bound(packing, machines->items[machine].room, list->items, list->count);
    packing->steps += list->count;
    return machines->bounds[machine];
}

struct packing_bin *packing_fill_machine(struct packing *packing, struct packing_machines *machines,
                                         uint32_t machine, double factor)
{
    assert(machine < machines->count);
    struct packing_filler *filler = packing_filler_of(packing);
    packing_filler_fill(filler, machines, machine, NONE, list_fitting(filler, machines, machine));
    machines->worth[machine] = filler->bin->value;
    double at_least = factor * (double)machines->items[machine].price;
    if (!is_worth_adding(filler, factor) && machines->bounds[machine] > at_least &&
        search_machine(filler, machines, machine, at_least))
        machines->worth[machine] = filler->bin->value;
    return is_worth_adding(filler, factor) ? take_bin(filler) : NULL;
}

// The cheapest machine that holds a unit.
static const struct packing_machines *cheapest_machine(struct packing *packing, uint32_t item,
                                                       uint32_t *machine)
{
    const struct packing_item_group *item_group =
        &packing->item_groups.items[packing->items.items[item].item_group];
    const struct packing_template_choice *template_choice =
        &packing->template_choices.items[item_group->template_choice];
    const struct packing_machines *best = NULL;
    for (uint32_t i = 0; i < template_choice->count; i++) {
        const struct node_template *template =
            packing->problem->templates.items[template_choice->templates[i]];
        if (!sets_compatible(packing->problem->sets, template->set, item_group->set, true))
            continue;
        const struct packing_machines *machines = packing_machines_of(
            packing, template, set_meet(packing->problem->sets, template->set, item_group->set));
        uint32_t own = packing_machines_find(packing, machines, packing->items.items[item].need, 0);
        if (own == machines->count ||
            (best != NULL && machines->items[own].price >= best->items[*machine].price))
            continue;
        assert(own < machines->count);
        best = machines;
        *machine = own;
    }
    return best;
}

struct packing_bin *packing_fill_alone(struct packing *packing, uint32_t item)
{
    assert(item < packing->items.count);
    struct packing_filler *filler = packing_filler_of(packing);
    uint32_t machine;
    const struct packing_machines *machines = cheapest_machine(packing, item, &machine);
    if (machines == NULL)
        return NULL;
    filler->active.items[0] = item;
    filler->active.count = 1;
    packing_filler_fill(filler, machines, machine, item, &filler->active);
    return take_bin(filler);
}
