#include "engine/packing/packing_fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/packing/knapsack.h"
#include "engine/packing/packing.h"
#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_machines.h"

#define TRIES_MAX  12   // machines filled for one bin
#define SAMPLE_MAX 96   // items that one bin is filled with
#define SLACK      1.03 // how far an estimate may be beyond the best ratio to be worth a try
#define EQUAL      1e-9
#define RULED      1e-3 // rank of items with rules about one node, beside others

struct machine_try { // a machine, with an estimate of its price for the value of its contents
    const struct packing_machines *machines;
    uint32_t machine;
    double ratio;
};
struct packing_filler {
    struct packing *packing;
    struct arena *arena;
    uint32_t *order;            // items in the order in which they get bins
    double *ranks;              // by item
    struct packing_list active; // those of which something is left, in the same order
    struct packing_list sample; // some of these, evenly spread
    uint32_t *fitting;          // items that may still come onto the bin
    uint32_t *within;           // by item: units on the bin
    double *weights;            // by dimension: what a unit of it weighs on the machine
    int64_t *room;              // by dimension: what is left of the machine
    const struct packing_machines *
        *narrowed;            // by item group: the list with it, for the bin's present set
    uint32_t *narrowed_known; // by item group: stamp
    uint32_t stamp;
    struct machine_try tries[TRIES_MAX];
    uint32_t tries_count;
    struct packing_bin *bin, *best;
    double best_ratio;
};

// --- preparation ---------------------------------------------------------------------------------

// Highest rank first.
static int compare_ranks(const void *a, const void *b, void *context)
{
    const double *ranks = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double first = ranks[x], second = ranks[y];
    if (first != second)
        return first > second ? -1 : 1;
    return x < y ? -1 : x > y;
}

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

// --- one machine ---------------------------------------------------------------------------------

// The list that the bin is of once the item group is there; NULL if it may not be there, or the
// machine would cost more.
static const struct packing_machines *narrow(struct packing_filler *filler, uint32_t item_group,
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

static bool fits(const struct packing_filler *filler, const int64_t *need)
{
    for (uint32_t d = 0; d < filler->packing->dimensions_count; d++)
        if (need[d] > filler->room[d])
            return false;
    return true;
}

static double score(const struct packing_filler *filler, const struct packing_item *item)
{
    double weight = 0;
    for (uint32_t d = 0; d < filler->packing->dimensions_count; d++)
        weight += (double)item->need[d] * filler->weights[d];
    return item->value / (weight + 1e-12);
}

static void measure_room(struct packing_filler *filler, const struct packing_machine *machine)
{
    const struct packing *packing = filler->packing;
    for (uint32_t d = 0; d < packing->dimensions_count; d++) {
        filler->room[d] = machine->room[d] - filler->bin->used[d];
        filler->weights[d] = filler->room[d] > 0 ? packing->tilt[d] / (double)filler->room[d] : 0;
    }
}

// Drops items that can no longer come from the list, and returns the best of the others.
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
        if (filler->within[k] >= packing->left[k] || !fits(filler, item->need) ||
            packing_bin_most(filler->bin, item) == 0 ||
            narrow(filler, item->item_group, row, price) == NULL)
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

// A quarter of the units that may come, so that others get their turn.
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

static void add(struct packing_filler *filler, uint32_t k, uint32_t units, uint32_t row,
                int64_t price)
{
    const struct packing_item *item = &filler->packing->items.items[k];
    const struct packing_machines *machines = narrow(filler, item->item_group, row, price);
    if (machines != filler->bin->machines)
        filler->stamp++;
    packing_bin_add(filler->packing, filler->bin, k, units, machines);
    filler->within[k] += units;
}

// Fills the machine into filler->bin from the list, with a unit of the seed first (NONE: whatever
// is best).
static void fill_machine(struct packing_filler *filler, const struct packing_machines *machines,
                         uint32_t machine_index, uint32_t seed, const struct packing_list *from)
{
    struct packing *packing = filler->packing;
    const struct packing_machine *machine = &machines->items[machine_index];
    int64_t price = machines->prices[machine->row];
    packing_bin_clear(packing, filler->bin, machines);
    filler->stamp++;
    uint32_t count = from->count;
    memcpy(filler->fitting, from->items, count * sizeof *filler->fitting);
    measure_room(filler, machine);
    if (seed != NONE) {
        add(filler, seed, 1, machine->row, price);
        measure_room(filler, machine);
    }
    for (uint32_t k = next_item(filler, &count, machine->row, price); k != NONE;
         k = next_item(filler, &count, machine->row, price)) {
        add(filler, k, units_to_add(filler, k), machine->row, price);
        measure_room(filler, machine);
    }
    vector_for_each (content, &filler->bin->contents)
        filler->within[content->item] = 0;
    filler->bin->machine =
        packing_machines_find(packing, filler->bin->machines, filler->bin->used, 0);
}

// --- one bin -------------------------------------------------------------------------------------

static int compare_tries(const void *a, const void *b)
{
    const struct machine_try *x = a, *y = b;
    if (x->ratio != y->ratio)
        return x->ratio < y->ratio ? -1 : 1;
    if (x->machines != y->machines) // of different templates
        return x->machines->template->index < y->machines->template->index ? -1 : 1;
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

// Keeps the best tries, in order.
static void keep_try(struct packing_filler *filler, const struct machine_try *try)
{
    uint32_t at = filler->tries_count;
    if (at == TRIES_MAX) {
        if (compare_tries(try, &filler->tries[at - 1]) >= 0)
            return;
        at--;
    } else {
        filler->tries_count++;
    }
    for (; at > 0 && compare_tries(try, &filler->tries[at - 1]) < 0; at--)
        filler->tries[at] = filler->tries[at - 1];
    filler->tries[at] = *try;
}

static void list_tries(struct packing_filler *filler, uint32_t seed, double left)
{
    struct packing *packing = filler->packing;
    const struct packing_item *item = &packing->items.items[seed];
    const struct packing_item_group *item_group = &packing->item_groups.items[item->item_group];
    const struct packing_template_choice *template_choice =
        &packing->template_choices.items[item_group->template_choice];
    filler->tries_count = 0;
    for (uint32_t i = 0; i < template_choice->count; i++) {
        const struct node_template *template =
            packing->problem->templates.items[template_choice->templates[i]];
        if (!sets_compatible(packing->problem->sets, template->set, item_group->set, true))
            continue;
        const struct packing_machines *machines = packing_machines_of(
            packing, template, set_meet(packing->problem->sets, template->set, item_group->set));
        for (uint32_t o = packing_machines_find(packing, machines, item->need, 0);
             o < machines->count; o = packing_machines_find(packing, machines, item->need, o + 1)) {
            double most = machines->worth[o] > 0    ? machines->worth[o]
                          : machines->bounds[o] > 0 ? machines->bounds[o]
                                                    : (double)machines->items[o].price;
            most = most < left ? most : left;
            double ratio = (double)machines->items[o].price / (most > 1 ? most : 1);
            keep_try(filler, &(struct machine_try){machines, o, ratio});
        }
    }
}

// Kinds that are next to each other in value do much the same for a bin: so some will do, others
// for the next bin.
static const struct packing_list *take_sample(struct packing_filler *filler)
{
    if (filler->active.count <= SAMPLE_MAX)
        return &filler->active;
    uint32_t stride = filler->active.count / SAMPLE_MAX + 1;
    filler->sample.count = 0;
    for (uint32_t i = filler->packing->bins.count % stride; i < filler->active.count; i += stride)
        filler->sample.items[filler->sample.count++] = filler->active.items[i];
    return &filler->sample;
}

// The best bin with the item into filler->best; false if no machine takes it.
static bool best_bin(struct packing_filler *filler, uint32_t seed, double left)
{
    list_tries(filler, seed, left);
    const struct packing_list *from = take_sample(filler);
    filler->best_ratio = INFINITY;
    for (uint32_t i = 0; i < filler->tries_count; i++) {
        const struct machine_try *try = &filler->tries[i];
        if (try->ratio >= filler->best_ratio * SLACK)
            break;
        fill_machine(filler, try->machines, try->machine, seed, from);
        if (filler->bin->machine == filler->bin->machines->count)
            continue;
        double price = (double)packing_bin_price(filler->bin), value = filler->bin->value;
        double ratio = value > 0 ? price / value : price * 1e9;
        if (ratio < filler->best_ratio * (1 - EQUAL) ||
            (ratio < filler->best_ratio * (1 + EQUAL) && value > filler->best->value)) {
            filler->best_ratio = ratio;
            struct packing_bin *better = filler->bin;
            filler->bin = filler->best;
            filler->best = better;
        }
    }
    return filler->best_ratio < INFINITY;
}

// --- all of them ---------------------------------------------------------------------------------

static void commit_best(struct packing_filler *filler)
{
    const struct packing *packing = filler->packing;
    uint32_t copies = UINT32_MAX;
    vector_for_each (content, &filler->best->contents) {
        uint32_t own = packing->left[content->item] / content->units;
        copies = own < copies ? own : copies;
    }
    packing_commit_copies(filler->packing, filler->best, copies > 3 ? copies / 2 : 1);
}

static double value_left(const struct packing_filler *filler)
{
    const struct packing *packing = filler->packing;
    double sum = 0;
    for (uint32_t i = 0; i < filler->active.count; i++)
        sum += packing->items.items[filler->active.items[i]].value *
               packing->left[filler->active.items[i]];
    return sum;
}

static void find_active(struct packing_filler *filler)
{
    const struct packing *packing = filler->packing;
    filler->active.count = 0;
    for (uint32_t i = 0; i < packing->items.count; i++)
        if (packing->left[filler->order[i]] > 0)
            filler->active.items[filler->active.count++] = filler->order[i];
}

static void drop_inactive(struct packing_filler *filler)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < filler->active.count; i++)
        if (filler->packing->left[filler->active.items[i]] > 0)
            filler->active.items[kept++] = filler->active.items[i];
    filler->active.count = kept;
}

// Made when first needed.
static struct packing_filler *filler_of(struct packing *packing)
{
    if (packing->filler == NULL)
        packing->filler = filler_create(packing);
    return packing->filler;
}

// What the cheapest machine for the item costs in nodes of these requirements, on its first
// template.
static double lowest_price(struct packing *packing, const struct packing_item *item,
                           uint32_t template_choice, uint32_t set)
{
    const struct node_template *template =
        packing->problem->templates
            .items[packing->template_choices.items[template_choice].templates[0]];
    const struct packing_machines *machines = packing_machines_of(
        packing, template, set_meet(packing->problem->sets, template->set, set));
    uint32_t machine = packing_machines_find(packing, machines, item->need, 0);
    return machine < machines->count ? (double)machines->items[machine].price : 0;
}

// The most valuable items come first, those with rules about one node last: they can join the bins
// of others, a few to each. Among equals those that are bound to a domain, most of all to one that
// is dear: others may then come to their bins, but they not to those of others.
void packing_rank(struct packing *packing)
{
    struct packing_filler *filler = filler_of(packing);
    for (uint32_t k = 0; k < packing->items.count; k++) {
        const struct packing_item *item = &packing->items.items[k];
        const struct packing_item_group *item_group = &packing->item_groups.items[item->item_group];
        filler->ranks[k] = item->value * (item->rules_count > 0 ? RULED : 1);
        if (item_group->pins == SET_EMPTY)
            continue;
        double own = lowest_price(packing, item, item_group->template_choice, item_group->set);
        double open = lowest_price(packing, item, item_group->template_choice,
                                   packing->base_groups.items[item_group->base_group].set);
        filler->ranks[k] *= (open > 0 && own > open ? own / open : 1) * (1 + EQUAL);
    }
    qsort_r(filler->order, packing->items.count, sizeof *filler->order, compare_ranks,
            filler->ranks);
}

bool packing_fill(struct packing *packing)
{
    struct packing_filler *filler = filler_of(packing);
    find_active(filler);
    double left = value_left(filler);
    while (filler->active.count > 0) {
        if (packing->steps >= packing->steps_max ||
            !best_bin(filler, filler->active.items[0], left))
            return false;
        uint32_t before = packing->bins.count;
        commit_best(filler);
        for (uint32_t b = before; b < packing->bins.count; b++)
            left -= packing->bins.items[b]->value;
        drop_inactive(filler);
    }
    return true;
}

// --- columns of the linear program ---------------------------------------------------------------

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
    struct packing_list *list = &machines->fitting[machine_index];
    if (list->items != NULL)
        return list;
    const struct packing_machine *machine = &machines->items[machine_index];
    list->items =
        arena_allocate_array(filler->arena, filler->packing->items.count + 1, sizeof *list->items);
    packing_bin_clear(filler->packing, filler->bin, machines);
    filler->stamp++;
    measure_room(filler, machine);
    for (uint32_t i = 0; i < filler->packing->items.count; i++) {
        const struct packing_item *item = &filler->packing->items.items[i];
        if (item->sampled && fits(filler, item->need) &&
            narrow(filler, item->item_group, machine->row, machines->prices[machine->row]) != NULL)
            list->items[list->count++] = i;
    }
    return list;
}

// The filling that the search found, as far as rules let it be.
static void fill_found(struct packing_filler *filler, const struct packing_machines *machines,
                       const struct packing_machine *machine, const uint32_t *items,
                       const uint32_t *units, uint32_t count)
{
    int64_t price = machines->prices[machine->row];
    packing_bin_clear(filler->packing, filler->bin, machines);
    filler->stamp++;
    for (uint32_t i = 0; i < count; i++) {
        const struct packing_item *item = &filler->packing->items.items[items[i]];
        uint32_t most = packing_bin_most(filler->bin, item);
        if (units[i] > 0 && most > 0 &&
            narrow(filler, item->item_group, machine->row, price) != NULL)
            add(filler, items[i], units[i] < most ? units[i] : most, machine->row, price);
    }
    vector_for_each (content, &filler->bin->contents)
        filler->within[content->item] = 0;
    filler->bin->machine =
        packing_machines_find(filler->packing, filler->bin->machines, filler->bin->used, 0);
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

static bool is_good(const struct packing_filler *filler, double factor)
{
    return filler->bin->contents.count > 0 && filler->bin->machine < filler->bin->machines->count &&
           filler->bin->value > factor * (double)packing_bin_price(filler->bin);
}

double packing_fill_bound(struct packing *packing, struct packing_machines *machines,
                          uint32_t machine)
{
    struct packing_filler *filler = filler_of(packing);
    const struct packing_list *list = list_fitting(filler, machines, machine);
    machines->bounds[machine] =
        knapsack_bound(packing, machines->items[machine].room, list->items, list->count);
    packing->steps += list->count;
    return machines->bounds[machine];
}

struct packing_bin *packing_fill_machine(struct packing *packing, struct packing_machines *machines,
                                         uint32_t machine, double factor)
{
    struct packing_filler *filler = filler_of(packing);
    fill_machine(filler, machines, machine, NONE, list_fitting(filler, machines, machine));
    machines->worth[machine] = filler->bin->value;
    double at_least = factor * (double)machines->items[machine].price;
    if (!is_good(filler, factor) && machines->bounds[machine] > at_least &&
        search_machine(filler, machines, machine, at_least))
        machines->worth[machine] = filler->bin->value;
    return is_good(filler, factor) ? take_bin(filler) : NULL;
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
        best = machines;
        *machine = own;
    }
    return best;
}

struct packing_bin *packing_fill_alone(struct packing *packing, uint32_t item)
{
    struct packing_filler *filler = filler_of(packing);
    uint32_t machine;
    const struct packing_machines *machines = cheapest_machine(packing, item, &machine);
    if (machines == NULL)
        return NULL;
    filler->active.items[0] = item;
    filler->active.count = 1;
    fill_machine(filler, machines, machine, item, &filler->active);
    return take_bin(filler);
}
