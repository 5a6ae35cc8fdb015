#include "engine/packing/packing_fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/packing/knapsack.h"
#include "engine/packing/packing.h"
#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_machines.h"

#define TRIES_MAX  12   // machines filled for one bin
#define SAMPLE_MAX 96   // kinds that one bin is filled with
#define SLACK      1.03 // how far an estimate may be beyond the best ratio to be worth a try
#define EQUAL      1e-9
#define RULED      1e-3 // rank of kinds with rules about one node, beside others

struct
try { // a machine, with an estimate of its price for the value of its contents
    const struct packing_machines *market;
    uint32_t offer;
    double ratio;
};
struct packing_filler {
    struct packing *packing;
    struct arena *arena;
    uint32_t *order;            // kinds in the order in which they get bins
    double *ranks;              // by kind
    struct packing_list active; // those of which something is left, in the same order
    struct packing_list sample; // some of these, evenly spread
    uint32_t *fitting;          // kinds that may still come onto the bin
    uint32_t *within;           // by kind: units on the bin
    double *weights;            // by dimension: what a unit of it weighs on the machine
    int64_t *room;              // by dimension: what is left of the machine
    const struct packing_machines *
        *leads;            // by flavour: the market with it, for the bin's present set
    uint32_t *leads_known; // by flavour: stamp
    uint32_t stamp;
    struct try tries[TRIES_MAX];
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
    uint32_t kinds = packing->kinds.count;
    struct arena *arena = packing->arena;
    struct packing_filler *filler = arena_allocate(arena, sizeof *filler);
    *filler = (struct packing_filler){.packing = packing, .arena = arena};
    filler->order = arena_allocate_array(arena, kinds + 1, sizeof *filler->order);
    filler->active.kinds = arena_allocate_array(arena, kinds + 1, sizeof *filler->active.kinds);
    filler->sample.kinds =
        arena_allocate_array(arena, SAMPLE_MAX + 1, sizeof *filler->sample.kinds);
    filler->fitting = arena_allocate_array(arena, kinds + 1, sizeof *filler->fitting);
    filler->within = arena_allocate_array(arena, kinds + 1, sizeof *filler->within);
    filler->weights =
        arena_allocate_array(arena, packing->dimensions_count, sizeof *filler->weights);
    filler->room = arena_allocate_array(arena, packing->dimensions_count, sizeof *filler->room);
    filler->leads =
        arena_allocate_array(arena, packing->flavours.count, sizeof(struct packing_machines *));
    filler->leads_known =
        arena_allocate_array(arena, packing->flavours.count, sizeof *filler->leads_known);
    filler->ranks = arena_allocate_array(arena, kinds + 1, sizeof *filler->ranks);
    for (uint32_t k = 0; k < kinds; k++)
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

// The market that the bin is in once the flavour is there; NULL if it may not be there, or the
// machine would cost more.
static const struct packing_machines *lead(struct packing_filler *filler, uint32_t flavour,
                                           uint32_t row, int64_t price)
{
    if (filler->leads_known[flavour] == filler->stamp)
        return filler->leads[flavour];
    const struct packing_machines *market =
        packing_machines_with(filler->packing, filler->bin->market, flavour);
    if (market != NULL && market->prices[row] != price)
        market = NULL;
    filler->leads_known[flavour] = filler->stamp;
    filler->leads[flavour] = market;
    return market;
}

static bool fits(const struct packing_filler *filler, const int64_t *need)
{
    for (uint32_t d = 0; d < filler->packing->dimensions_count; d++)
        if (need[d] > filler->room[d])
            return false;
    return true;
}

static double score(const struct packing_filler *filler, const struct packing_item *kind)
{
    double weight = 0;
    for (uint32_t d = 0; d < filler->packing->dimensions_count; d++)
        weight += (double)kind->need[d] * filler->weights[d];
    return kind->value / (weight + 1e-12);
}

static void measure_room(struct packing_filler *filler, const struct packing_machine *offer)
{
    const struct packing *packing = filler->packing;
    for (uint32_t d = 0; d < packing->dimensions_count; d++) {
        filler->room[d] = offer->room[d] - filler->bin->used[d];
        filler->weights[d] = filler->room[d] > 0 ? packing->tilt[d] / (double)filler->room[d] : 0;
    }
}

// Drops kinds that can no longer come from the list, and returns the best of the others.
static uint32_t next_kind(struct packing_filler *filler, uint32_t *count, uint32_t row,
                          int64_t price)
{
    struct packing *packing = filler->packing;
    uint32_t best = NONE, kept = 0, best_units = 0;
    double most = -1;
    packing->steps += *count;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t k = filler->fitting[i];
        const struct packing_item *kind = &packing->kinds.items[k];
        if (filler->within[k] >= packing->left[k] || !fits(filler, kind->need) ||
            packing_bin_most(filler->bin, kind) == 0 ||
            lead(filler, kind->flavour, row, price) == NULL)
            continue;
        filler->fitting[kept++] = k;
        double own = score(filler, kind);
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
    const struct packing_item *kind = &packing->kinds.items[k];
    int64_t most = packing_bin_most(filler->bin, kind);
    if (packing->left[k] - filler->within[k] < most)
        most = packing->left[k] - filler->within[k];
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        if (kind->need[d] > 0 && filler->room[d] / kind->need[d] < most)
            most = filler->room[d] / kind->need[d];
    return most > 7 ? (uint32_t)(most / 4) : 1;
}

static void add(struct packing_filler *filler, uint32_t k, uint32_t units, uint32_t row,
                int64_t price)
{
    const struct packing_item *kind = &filler->packing->kinds.items[k];
    const struct packing_machines *market = lead(filler, kind->flavour, row, price);
    if (market != filler->bin->market)
        filler->stamp++;
    packing_bin_add(filler->packing, filler->bin, k, units, market);
    filler->within[k] += units;
}

// Fills the machine into filler->bin from the list, with a unit of the seed first (NONE: whatever
// is best).
static void fill_machine(struct packing_filler *filler, const struct packing_machines *market,
                         uint32_t offer_index, uint32_t seed, const struct packing_list *from)
{
    struct packing *packing = filler->packing;
    const struct packing_machine *offer = &market->offers[offer_index];
    int64_t price = market->prices[offer->row];
    packing_bin_clear(packing, filler->bin, market);
    filler->stamp++;
    uint32_t count = from->count;
    memcpy(filler->fitting, from->kinds, count * sizeof *filler->fitting);
    measure_room(filler, offer);
    if (seed != NONE) {
        add(filler, seed, 1, offer->row, price);
        measure_room(filler, offer);
    }
    for (uint32_t k = next_kind(filler, &count, offer->row, price); k != NONE;
         k = next_kind(filler, &count, offer->row, price)) {
        add(filler, k, units_to_add(filler, k), offer->row, price);
        measure_room(filler, offer);
    }
    vector_for_each (content, &filler->bin->contents)
        filler->within[content->kind] = 0;
    filler->bin->offer = packing_machines_find(packing, filler->bin->market, filler->bin->used, 0);
}

// --- one bin -------------------------------------------------------------------------------------

static int compare_tries(const void *a, const void *b)
{
    const struct try *x = a, *y = b;
    if (x->ratio != y->ratio)
        return x->ratio < y->ratio ? -1 : 1;
    if (x->market != y->market) // of different templates
        return x->market->template->index < y->market->template->index ? -1 : 1;
    return x->offer < y->offer ? -1 : x->offer > y->offer;
}

// Keeps the best tries, in order.
static void keep_try(struct packing_filler *filler, const struct try *try)
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
    const struct packing_item *kind = &packing->kinds.items[seed];
    const struct packing_item_group *flavour = &packing->flavours.items[kind->flavour];
    const struct packing_menu *menu = &packing->menus.items[flavour->menu];
    filler->tries_count = 0;
    for (uint32_t i = 0; i < menu->count; i++) {
        const struct node_template *template =
            packing->problem->templates.items[menu->templates[i]];
        if (!sets_compatible(packing->problem->sets, template->set, flavour->set, true))
            continue;
        const struct packing_machines *market = packing_machines_of(
            packing, template, set_meet(packing->problem->sets, template->set, flavour->set));
        for (uint32_t o = packing_machines_find(packing, market, kind->need, 0); o < market->count;
             o = packing_machines_find(packing, market, kind->need, o + 1)) {
            double most = market->worth[o] > 0    ? market->worth[o]
                          : market->bounds[o] > 0 ? market->bounds[o]
                                                  : (double)market->offers[o].price;
            most = most < left ? most : left;
            double ratio = (double)market->offers[o].price / (most > 1 ? most : 1);
            keep_try(filler, &(struct try){market, o, ratio});
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
        filler->sample.kinds[filler->sample.count++] = filler->active.kinds[i];
    return &filler->sample;
}

// The best bin with the kind into filler->best; false if no machine takes it.
static bool best_bin(struct packing_filler *filler, uint32_t seed, double left)
{
    list_tries(filler, seed, left);
    const struct packing_list *from = take_sample(filler);
    filler->best_ratio = INFINITY;
    for (uint32_t i = 0; i < filler->tries_count; i++) {
        const struct try *try = &filler->tries[i];
        if (try->ratio >= filler->best_ratio * SLACK)
            break;
        fill_machine(filler, try->market, try->offer, seed, from);
        if (filler->bin->offer == filler->bin->market->count)
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
        uint32_t own = packing->left[content->kind] / content->units;
        copies = own < copies ? own : copies;
    }
    packing_commit_copies(filler->packing, filler->best, copies > 3 ? copies / 2 : 1);
}

static double value_left(const struct packing_filler *filler)
{
    const struct packing *packing = filler->packing;
    double sum = 0;
    for (uint32_t i = 0; i < filler->active.count; i++)
        sum += packing->kinds.items[filler->active.kinds[i]].value *
               packing->left[filler->active.kinds[i]];
    return sum;
}

static void find_active(struct packing_filler *filler)
{
    const struct packing *packing = filler->packing;
    filler->active.count = 0;
    for (uint32_t i = 0; i < packing->kinds.count; i++)
        if (packing->left[filler->order[i]] > 0)
            filler->active.kinds[filler->active.count++] = filler->order[i];
}

static void drop_inactive(struct packing_filler *filler)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < filler->active.count; i++)
        if (filler->packing->left[filler->active.kinds[i]] > 0)
            filler->active.kinds[kept++] = filler->active.kinds[i];
    filler->active.count = kept;
}

// Made when first needed.
static struct packing_filler *filler_of(struct packing *packing)
{
    if (packing->filler == NULL)
        packing->filler = filler_create(packing);
    return packing->filler;
}

// What the cheapest machine for the kind costs in nodes of these requirements, on its first
// template.
static double lowest_price(struct packing *packing, const struct packing_item *kind, uint32_t menu,
                           uint32_t set)
{
    const struct node_template *template =
        packing->problem->templates.items[packing->menus.items[menu].templates[0]];
    const struct packing_machines *market = packing_machines_of(
        packing, template, set_meet(packing->problem->sets, template->set, set));
    uint32_t offer = packing_machines_find(packing, market, kind->need, 0);
    return offer < market->count ? (double)market->offers[offer].price : 0;
}

// The most valuable kinds come first, those with rules about one node last: they can join the bins
// of others, a few to each. Among equals those that are bound to a domain, most of all to one that
// is dear: others may then come to their bins, but they not to those of others.
void packing_rank(struct packing *packing)
{
    struct packing_filler *filler = filler_of(packing);
    for (uint32_t k = 0; k < packing->kinds.count; k++) {
        const struct packing_item *kind = &packing->kinds.items[k];
        const struct packing_item_group *flavour = &packing->flavours.items[kind->flavour];
        filler->ranks[k] = kind->value * (kind->rules_count > 0 ? RULED : 1);
        if (flavour->pins == SET_EMPTY)
            continue;
        double own = lowest_price(packing, kind, flavour->menu, flavour->set);
        double open =
            lowest_price(packing, kind, flavour->menu, packing->demands.items[flavour->demand].set);
        filler->ranks[k] *= (open > 0 && own > open ? own / open : 1) * (1 + EQUAL);
    }
    qsort_r(filler->order, packing->kinds.count, sizeof *filler->order, compare_ranks,
            filler->ranks);
}

bool packing_fill(struct packing *packing)
{
    struct packing_filler *filler = filler_of(packing);
    find_active(filler);
    double left = value_left(filler);
    while (filler->active.count > 0) {
        if (packing->steps >= packing->steps_max ||
            !best_bin(filler, filler->active.kinds[0], left))
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

// The sampled kinds that fit the empty machine.
static const struct packing_list *list_fitting(struct packing_filler *filler,
                                               struct packing_machines *market,
                                               uint32_t offer_index)
{
    struct packing_list *list = &market->fitting[offer_index];
    if (list->kinds != NULL)
        return list;
    const struct packing_machine *offer = &market->offers[offer_index];
    list->kinds =
        arena_allocate_array(filler->arena, filler->packing->kinds.count + 1, sizeof *list->kinds);
    packing_bin_clear(filler->packing, filler->bin, market);
    filler->stamp++;
    measure_room(filler, offer);
    for (uint32_t i = 0; i < filler->packing->kinds.count; i++) {
        const struct packing_item *kind = &filler->packing->kinds.items[i];
        if (kind->sampled && fits(filler, kind->need) &&
            lead(filler, kind->flavour, offer->row, market->prices[offer->row]) != NULL)
            list->kinds[list->count++] = i;
    }
    return list;
}

// The filling that the search found, as far as rules let it be.
static void fill_found(struct packing_filler *filler, const struct packing_machines *market,
                       const struct packing_machine *offer, const uint32_t *kinds,
                       const uint32_t *units, uint32_t count)
{
    int64_t price = market->prices[offer->row];
    packing_bin_clear(filler->packing, filler->bin, market);
    filler->stamp++;
    for (uint32_t i = 0; i < count; i++) {
        const struct packing_item *kind = &filler->packing->kinds.items[kinds[i]];
        uint32_t most = packing_bin_most(filler->bin, kind);
        if (units[i] > 0 && most > 0 && lead(filler, kind->flavour, offer->row, price) != NULL)
            add(filler, kinds[i], units[i] < most ? units[i] : most, offer->row, price);
    }
    vector_for_each (content, &filler->bin->contents)
        filler->within[content->kind] = 0;
    filler->bin->offer =
        packing_machines_find(filler->packing, filler->bin->market, filler->bin->used, 0);
}

static bool search_machine(struct packing_filler *filler, struct packing_machines *market,
                           uint32_t offer_index, double at_least)
{
    const struct packing_machine *offer = &market->offers[offer_index];
    const struct packing_list *list = list_fitting(filler, market, offer_index);
    uint32_t *units = memory_allocate_array(list->count + 1, sizeof *units);
    double upper;
    bool found = knapsack_solve(filler->packing, offer->room, list->kinds, list->count, at_least,
                                filler->packing->search_nodes, units, &upper);
    if (found)
        fill_found(filler, market, offer, list->kinds, units, list->count);
    free(units);
    return found;
}

static bool is_good(const struct packing_filler *filler, double factor)
{
    return filler->bin->contents.count > 0 && filler->bin->offer < filler->bin->market->count &&
           filler->bin->value > factor * (double)packing_bin_price(filler->bin);
}

double packing_fill_bound(struct packing *packing, struct packing_machines *market, uint32_t offer)
{
    struct packing_filler *filler = filler_of(packing);
    const struct packing_list *list = list_fitting(filler, market, offer);
    market->bounds[offer] =
        knapsack_bound(packing, market->offers[offer].room, list->kinds, list->count);
    packing->steps += list->count;
    return market->bounds[offer];
}

struct packing_bin *packing_fill_offer(struct packing *packing, struct packing_machines *market,
                                       uint32_t offer, double factor)
{
    struct packing_filler *filler = filler_of(packing);
    fill_machine(filler, market, offer, NONE, list_fitting(filler, market, offer));
    market->worth[offer] = filler->bin->value;
    double at_least = factor * (double)market->offers[offer].price;
    if (!is_good(filler, factor) && market->bounds[offer] > at_least &&
        search_machine(filler, market, offer, at_least))
        market->worth[offer] = filler->bin->value;
    return is_good(filler, factor) ? take_bin(filler) : NULL;
}

// The cheapest machine that holds a unit.
static const struct packing_machines *cheapest_machine(struct packing *packing, uint32_t kind,
                                                       uint32_t *offer)
{
    const struct packing_item_group *flavour =
        &packing->flavours.items[packing->kinds.items[kind].flavour];
    const struct packing_menu *menu = &packing->menus.items[flavour->menu];
    const struct packing_machines *best = NULL;
    for (uint32_t i = 0; i < menu->count; i++) {
        const struct node_template *template =
            packing->problem->templates.items[menu->templates[i]];
        if (!sets_compatible(packing->problem->sets, template->set, flavour->set, true))
            continue;
        const struct packing_machines *market = packing_machines_of(
            packing, template, set_meet(packing->problem->sets, template->set, flavour->set));
        uint32_t own = packing_machines_find(packing, market, packing->kinds.items[kind].need, 0);
        if (own == market->count ||
            (best != NULL && market->offers[own].price >= best->offers[*offer].price))
            continue;
        best = market;
        *offer = own;
    }
    return best;
}

struct packing_bin *packing_fill_alone(struct packing *packing, uint32_t kind)
{
    struct packing_filler *filler = filler_of(packing);
    uint32_t offer;
    const struct packing_machines *market = cheapest_machine(packing, kind, &offer);
    if (market == NULL)
        return NULL;
    filler->active.kinds[0] = kind;
    filler->active.count = 1;
    fill_machine(filler, market, offer, kind, &filler->active);
    return take_bin(filler);
}
