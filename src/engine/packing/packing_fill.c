#include "engine/packing/packing_fill.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/packing/packing.h"
#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_filler.h"
#include "engine/packing/packing_machines.h"

#define SLACK 1.03 // estimates beyond the best ratio times this are not tried
#define RULED 1e-3 // factor on the rank of items with rules about one node

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
    assert(filler->tries_count <= TRIES_MAX);
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

// Items of similar value are interchangeable, so one bin uses an evenly spread sample; the next bin
// uses others.
static const struct packing_list *take_sample(struct packing_filler *filler)
{
    if (filler->active.count <= SAMPLE_MAX)
        return &filler->active;
    uint32_t stride = filler->active.count / SAMPLE_MAX + 1;
    filler->sample.count = 0;
    for (uint32_t i = filler->packing->bins.count % stride; i < filler->active.count; i += stride)
        filler->sample.items[filler->sample.count++] = filler->active.items[i];
    assert(filler->sample.count <= SAMPLE_MAX);
    return &filler->sample;
}

// Fills filler->best with the best bin that has the item; false if no machine takes it.
static bool best_bin(struct packing_filler *filler, uint32_t seed, double left)
{
    list_tries(filler, seed, left);
    const struct packing_list *from = take_sample(filler);
    filler->best_ratio = INFINITY;
    for (uint32_t i = 0; i < filler->tries_count; i++) {
        const struct machine_try *try = &filler->tries[i];
        if (try->ratio >= filler->best_ratio * SLACK)
            break;
        packing_filler_fill(filler, try->machines, try->machine, seed, from);
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
    assert(filler->best->contents.count > 0);
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

// The lowest price of a machine for the item under these requirements, on its first template.
static double lowest_price(struct packing *packing, const struct packing_item *item,
                           uint32_t template_choice, uint32_t set)
{
    assert(packing->template_choices.items[template_choice].count > 0);
    const struct node_template *template =
        packing->problem->templates
            .items[packing->template_choices.items[template_choice].templates[0]];
    const struct packing_machines *machines = packing_machines_of(
        packing, template, set_meet(packing->problem->sets, template->set, set));
    uint32_t machine = packing_machines_find(packing, machines, item->need, 0);
    return machine < machines->count ? (double)machines->items[machine].price : 0;
}

// The most valuable items come first. Items with rules about one node come last: a few can join
// each bin of other items. Among equals, items bound to a domain come first, the most expensive
// domain before others: other items can join their bins, but they cannot join others'.
void packing_rank(struct packing *packing)
{
    struct packing_filler *filler = packing_filler_of(packing);
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
    struct packing_filler *filler = packing_filler_of(packing);
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
