#include "engine/packing/pack_choices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/pods/topology_groups.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"

#define SAMPLED_MAX 128 // pods sampled for the cost of avoiding other pods' spreads

// --- estimated prices ----------------------------------------------------------------------------

static int64_t units_on(const struct row *row, const struct shape *shape)
{
    int64_t units = INT64_MAX;
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        uint32_t d = shape->dimensions[i];
        int64_t own = row->allocatable[d] / shape->requests[d];
        units = own < units ? own : units;
    }
    return units;
}

static double estimate_price(struct problem *problem, const struct shape *shape, uint32_t term)
{
    double lowest = 1e300;
    uint32_t asked = set_meet(problem->sets, shape->set, term);
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        struct node_template *template = problem->templates.items[t];
        if (!problem_tolerates(problem, shape->tolerations, template->taints) ||
            !sets_compatible(problem->sets, template->set, asked, true))
            continue;
        uint32_t set = set_meet(problem->sets, template->set, asked);
        const struct row_filter *prices = type_table_prices(problem, template->table, set);
        bitset_for_each (r, prices->both) {
            int64_t units = units_on(&template->table->rows[r], shape);
            int64_t cpu = units > 0 ? quantity_multiply(units, shape->requests[DIMENSION_CPU]) : 0;
            double price = (double)prices->cheapest[r] + (double)row_burst_cost(template, r, cpu);
            price /= (double)(units > 0 ? units : 1);
            if (units > 0 && prices->cheapest[r] != INT64_MAX && price < lowest)
                lowest = price;
        }
    }
    return lowest;
}

// The price share of a pod of the shape on the best machine that meets the term, if filled with
// such pods.
double choices_guess_price(struct chooser *chooser, const struct shape *shape, uint32_t term)
{
    if (chooser->guess.shape != shape || chooser->guess.term != term) {
        chooser->guess.price = estimate_price(chooser->problem, shape, term);
        chooser->guess.shape = shape;
        chooser->guess.term = term;
    }
    return chooser->guess.price;
}

// --- alternatives --------------------------------------------------------------------------------

static bool same_terms(const struct shape *a, const struct shape *b)
{
    if (a->terms_count != b->terms_count)
        return false;
    for (uint32_t i = 0; i < a->terms_count; i++)
        if (a->terms[i].set != b->terms[i].set)
            return false;
    return true;
}

static void add_to_group(struct chooser *chooser, const struct shape *shape, uint32_t origin)
{
    assert(origin < chooser->pods);
    uint32_t g = 0;
    while (g < chooser->groups_count && !same_terms(chooser->groups[g].shape, shape))
        g++;
    if (g == GROUPS_MAX)
        return;
    if (g == chooser->groups_count)
        chooser->groups[chooser->groups_count++] =
            (struct group){shape, bitset_create(chooser->arena, chooser->pods)};
    assert(g < chooser->groups_count);
    assert(chooser->groups_count <= GROUPS_MAX);
    bitset_set(chooser->groups[g].pods, origin);
}

// True if the pod's labels restrict it to machines that are much more expensive than others of that
// size.
static bool is_dear(struct chooser *chooser, const struct shape *shape)
{
    if (chooser->pods >= PODS_FEW || shape->set == SET_EMPTY)
        return false;
    struct shape free_of_labels = *shape;
    free_of_labels.set = SET_EMPTY;
    double price = estimate_price(chooser->problem, shape, SET_EMPTY);
    return price < 1e300 &&
           price >= estimate_price(chooser->problem, &free_of_labels, SET_EMPTY) * DEAR_TIMES;
}

void choices_find(struct chooser *chooser)
{
    struct pass *pass = chooser->best;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct placement *placement = &pass->placements[i];
        if (placement->kind == NOT_PLACED)
            continue;
        const struct pod_class *class = class_at(chooser->problem, placement->class);
        const struct shape *shape = shape_of(chooser->problem, class);
        if (shape->terms_count > 1 && placement->kind == ON_CLAIM)
            add_to_group(chooser, shape, pass_pod(pass, i)->origin);
        if (pass_class(pass, placement->class)->inverse_spreads.count > 0)
            bitset_set(chooser->avoiding, class->original);
        if (placement->kind == ON_CLAIM && is_dear(chooser, shape))
            bitset_set(chooser->dear, class->original);
    }
}

// --- estimated savings ---------------------------------------------------------------------------

static double cheapest_term(struct chooser *chooser, const struct shape *shape)
{
    double lowest = 1e300;
    for (uint32_t i = 0; i < shape->terms_count; i++) {
        double price = choices_guess_price(chooser, shape, shape->terms[i].set);
        lowest = price < lowest ? price : lowest;
    }
    return lowest;
}

// The saving of cheaper terms for the pods of the group.
static double gain_of_group(struct chooser *chooser, const struct group *group)
{
    struct problem *problem = chooser->problem;
    const struct pass *pass = chooser->best;
    double gain = 0, lowest = cheapest_term(chooser, group->shape);
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        if (pass->placements[i].kind != ON_CLAIM ||
            !bitset_has(group->pods, pass_pod(pass, i)->origin))
            continue;
        uint32_t set = pass->claims.items[pass->placements[i].index]->set, t = 0;
        while (t < group->shape->terms_count &&
               !sets_compatible(problem->sets, set, group->shape->terms[t].set, true))
            t++;
        if (t < group->shape->terms_count)
            gain += choices_guess_price(chooser, group->shape, group->shape->terms[t].set) - lowest;
    }
    return gain;
}

// The price that pods pay for avoiding other pods' spreads, extrapolated from the first ones.
static double gain_of_ignoring_inverse(struct chooser *chooser)
{
    struct problem *problem = chooser->problem;
    const struct pass *pass = chooser->best;
    uint32_t avoiding = 0, sampled = 0;
    double gain = 0;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct placement *placement = &pass->placements[i];
        if (placement->kind != ON_CLAIM || !bitset_has(chooser->avoiding, pass_pod(pass, i)->class))
            continue;
        if (avoiding++ >= SAMPLED_MAX)
            continue;
        const struct shape *shape = shape_of(problem, class_at(problem, placement->class));
        sampled++;
        gain += estimate_price(problem, shape, pass->claims.items[placement->index]->set) -
                estimate_price(problem, shape, SET_EMPTY);
    }
    assert(sampled <= avoiding);
    assert(sampled <= SAMPLED_MAX);
    return sampled > 0 ? gain / sampled * avoiding : 0;
}

bool choices_gain_much(const struct chooser *chooser, double gain)
{
    return gain * 100 > (double)chooser->outcome.sum * GAIN_PERCENT;
}

void choices_find_gains(struct chooser *chooser)
{
    chooser->terms_gain = 0;
    for (uint32_t g = 0; g < chooser->groups_count; g++)
        chooser->terms_gain += gain_of_group(chooser, &chooser->groups[g]);
    chooser->inverse_gain = gain_of_ignoring_inverse(chooser);
}

// --- the choices ---------------------------------------------------------------------------------

static void add_set(struct chooser *chooser, struct bitset pods, uint32_t set, double price)
{
    vector_push(&chooser->alternatives, (struct alternative){TAKE_SET, pods, set, price});
}

void choices_list(struct chooser *chooser)
{
    bool few = chooser->pods < PODS_FEW;
    for (uint32_t g = 0; g < chooser->groups_count; g++) {
        const struct group *group = &chooser->groups[g];
        for (uint32_t i = 0; i < group->shape->terms_count; i++) {
            uint32_t set = group->shape->terms[i].set;
            double price = choices_guess_price(chooser, group->shape, set);
            add_set(chooser, group->pods, set, price);
        }
    }
    if (few)
        vector_push(&chooser->alternatives, (struct alternative){.kind = BY_ADDED_PRICE});
    if (bitset_count(chooser->avoiding) == 0 ||
        !(few || choices_gain_much(chooser, chooser->inverse_gain)))
        return;
    vector_push(&chooser->alternatives, (struct alternative){.kind = IGNORE_INVERSE});
    vector_push(&chooser->alternatives, (struct alternative){.kind = OWNERS_FIRST});
    if (!few)
        return;
    vector_push(&chooser->alternatives, (struct alternative){.kind = CHOOSY_FIRST});
    if (bitset_count(chooser->dear) > 0)
        vector_push(&chooser->alternatives, (struct alternative){.kind = FILL_DEAR});
}
