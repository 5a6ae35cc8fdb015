#include "engine/packing/pack_alternatives.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/packing/pack_choices.h"
#include "engine/packing/pack_greedy.h"
#include "engine/packing/pack_lowest_price.h"
#include "engine/packing/pack_outcome.h"
#include "engine/packing/pack_policy.h"
#include "engine/pass/pass_state.h"
#include "engine/placement/claim_price.h"
#include "engine/placement/pass.h"
#include "engine/pods/topology_groups.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology.h"

#define PODS_TRIED       800    // over all tries of a search for few pods
#define TRIES_MAX        48     // of such a search
#define TRIES_DEAR       4      // of a plan for more pods with an expensive choice
#define ADDED_PRICE_WORK 200000 // pods times claims: above it added prices are not compared
// The most that avoiding other pods' spreads may cost, in percent of the pods' price.
#define INVERSE_PERCENT 10

// --- one attempt ---------------------------------------------------------------------------------

static struct pass_input copy_input(struct chooser *chooser)
{
    struct pass_input input = chooser->input;
    uint32_t *required_sets =
        arena_allocate_array(chooser->arena, chooser->pods + 1, sizeof *required_sets);
    for (uint32_t i = 0; i < chooser->pods; i++)
        required_sets[i] = chooser->input.alternative.required_sets != NULL
                               ? chooser->input.alternative.required_sets[i]
                               : SET_EMPTY;
    input.alternative.required_sets = required_sets;
    return input;
}

// Closes the expensive terms of a group if all its pods must meet one that is much cheaper.
static void close_terms_of_group(struct chooser *chooser, const struct group *group,
                                 struct pass_input *input, uint32_t *closed_terms)
{
    const struct shape *shape = group->shape;
    uint32_t taken = NONE;
    bitset_for_each (pod, group->pods) {
        if (taken != NONE && input->alternative.required_sets[pod] != taken)
            return;
        taken = input->alternative.required_sets[pod];
    }
    if (taken == SET_EMPTY)
        return;
    double price = choices_guess_price(chooser, shape, taken);
    for (uint32_t i = 0; i < shape->terms_count; i++)
        if (shape->terms[i].set != taken &&
            choices_guess_price(chooser, shape, shape->terms[i].set) >= price * DEAR_TIMES)
            closed_terms[input->alternative.closed_terms_count++] = shape->terms[i].set;
}

static void close_dear_terms(struct chooser *chooser, struct pass_input *input)
{
    uint32_t room = 0;
    for (uint32_t g = 0; g < chooser->groups_count; g++)
        room += chooser->groups[g].shape->terms_count;
    uint32_t *closed_terms = arena_allocate_array(chooser->arena, room + 1, sizeof *closed_terms);
    input->alternative.closed_terms = closed_terms;
    input->alternative.closed_terms_count = 0;
    for (uint32_t g = 0; g < chooser->groups_count; g++)
        close_terms_of_group(chooser, &chooser->groups[g], input, closed_terms);
    assert(input->alternative.closed_terms_count <= room);
}

// Makes the turns: owners of spreads before the pods that those spreads count; or pods that need
// certain machines before the pods that may fill these up, the most expensive machines first.
static void make_turns(struct chooser *chooser)
{
    assert(chooser->avoiding.bits <= chooser->problem->interned.classes.count);
    assert(chooser->dear.bits == chooser->avoiding.bits);
    struct problem *problem = chooser->problem;
    uint8_t *owners = arena_allocate(chooser->arena, chooser->avoiding.bits + 1);
    uint8_t *choosy = arena_allocate(chooser->arena, chooser->avoiding.bits + 1);
    for (uint32_t i = 0; i < chooser->avoiding.bits; i++) {
        const struct shape *shape = shape_of(problem, class_at(problem, i));
        owners[i] = bitset_has(chooser->avoiding, i);
        bool is_choosy = shape->set != SET_EMPTY || shape->terms_count > 0;
        choosy[i] = bitset_has(chooser->dear, i) ? 0 : is_choosy ? 1 : 2;
    }
    chooser->owners_first = owners;
    chooser->choosy_first = choosy;
}

static void set_turns(const struct chooser *chooser, struct pass_input *input, const uint8_t *turns)
{
    input->alternative.turns = turns;
    input->alternative.turns_count = chooser->avoiding.bits;
    input->retry.queue_order = QUEUE_AS_GIVEN; // dependencies do not come first,
    input->retry.strict_max_skew = true; // and pods that could share nodes do not wait for others
}

static uint32_t dear_pod_of(const struct chooser *chooser, const struct claim *claim)
{
    for (uint32_t i = 0; i < claim->pods.count; i++)
        if (bitset_has(chooser->dear, pass_pod(chooser->best, claim->pods.items[i])->class))
            return claim->pods.items[i];
    return NONE;
}

// The pod avoids other pods' spreads, has no required set yet, and shares its new node with no pod
// that needs an expensive one.
static bool may_fill(const struct chooser *chooser, const struct claim *dear, uint32_t asked,
                     uint32_t pod, const uint32_t *required_sets)
{
    struct problem *problem = chooser->problem;
    const struct placement *placement = &chooser->best->placements[pod];
    const struct queued_pod *queued = pass_pod(chooser->best, pod);
    const struct shape *shape = shape_of(problem, class_at(problem, queued->class));
    return placement->kind == ON_CLAIM && bitset_has(chooser->avoiding, queued->class) &&
           shape->terms_count == 0 && required_sets[queued->origin] == SET_EMPTY &&
           dear_pod_of(chooser, chooser->best->claims.items[placement->index]) == NONE &&
           problem_tolerates(problem, shape->tolerations, dear->template->taints) &&
           sets_compatible(problem->sets, asked, shape->set, true);
}

// Steers such pods to the expensive machine, as many as fit.
static void fill_claim(struct chooser *chooser, const struct claim *dear, uint32_t asked,
                       uint32_t *required_sets)
{
    struct problem *problem = chooser->problem;
    struct pass *pass = chooser->best;
    uint32_t row = claim_cheapest_row(pass->problem, dear);
    assert(row == NONE || row < dear->template->table->count);
    struct bitset fitting = bitset_create(chooser->arena, dear->template->table->count);
    int64_t *total = arena_allocate_array(chooser->arena, problem->dimensions.count, sizeof *total);
    int64_t *sum = arena_allocate_array(chooser->arena, problem->dimensions.count, sizeof *sum);
    memcpy(total, dear->requests, problem->dimensions.count * sizeof *total);
    for (uint32_t i = 0; i < chooser->pods && row != NONE; i++) {
        if (!may_fill(chooser, dear, asked, i, required_sets))
            continue;
        const struct queued_pod *pod = pass_pod(pass, i);
        const struct shape *shape = shape_of(problem, class_at(problem, pod->class));
        for (uint32_t d = 0; d < problem->dimensions.count; d++)
            sum[d] = quantity_add(total[d], shape->requests[d]);
        if (!template_fits(problem, dear->template, sum, fitting) || !bitset_has(fitting, row))
            continue;
        memcpy(total, sum, problem->dimensions.count * sizeof *total);
        required_sets[pod->origin] = asked;
    }
}

static void fill_dear(struct chooser *chooser, uint32_t *required_sets)
{
    struct pass *pass = chooser->best;
    vector_for_each (item, &pass->claims) {
        uint32_t pod = dear_pod_of(chooser, *item);
        if (pod == NONE)
            continue;
        const struct shape *shape =
            shape_of(chooser->problem, class_at(chooser->problem, pass_pod(pass, pod)->class));
        fill_claim(chooser, *item, shape->set, required_sets);
    }
}

static void choose(struct chooser *chooser, struct pass_input *input,
                   const struct alternative *alternative)
{
    uint32_t *required_sets =
        (uint32_t *)(uintptr_t)input->alternative.required_sets; // from copy_input()
    bool may_compare = (uint64_t)chooser->pods * chooser->outcome.claims <= ADDED_PRICE_WORK;
    if (alternative->kind == TAKE_SET) {
        assert(alternative->pods.bits == chooser->pods);
        bitset_for_each (pod, alternative->pods)
            required_sets[pod] = alternative->set;
        close_dear_terms(chooser, input);
        return;
    }
    input->alternative.by_added_price = may_compare;
    if (alternative->kind != BY_ADDED_PRICE)
        input->alternative.ignores_inverse = chooser->avoiding;
    if (alternative->kind == OWNERS_FIRST)
        set_turns(chooser, input, chooser->owners_first);
    else if (alternative->kind == CHOOSY_FIRST)
        set_turns(chooser, input, chooser->choosy_first);
    else if (alternative->kind == FILL_DEAR)
        fill_dear(chooser, required_sets);
}

static bool is_chosen(const struct chooser *chooser, const struct alternative *alternative)
{
    if (alternative->kind == IGNORE_INVERSE)
        return chooser->input.alternative.ignores_inverse.bits > 0;
    if (alternative->kind == OWNERS_FIRST)
        return chooser->input.alternative.turns == chooser->owners_first;
    if (alternative->kind == CHOOSY_FIRST)
        return chooser->input.alternative.turns == chooser->choosy_first;
    if (alternative->kind == FILL_DEAR)
        return false;
    if (alternative->kind == BY_ADDED_PRICE)
        return chooser->input.alternative.by_added_price;
    bool all = chooser->input.alternative.required_sets != NULL;
    bitset_for_each (pod, alternative->pods)
        all = all && chooser->input.alternative.required_sets[pod] == alternative->set;
    return all;
}

// The approximate price of the room that the pods of the classes need.
static double price_of_pods(struct chooser *chooser, struct bitset classes)
{
    const struct pass *pass = chooser->best;
    double price = 0;
    for (uint32_t i = 0; i < chooser->pods; i++) {
        if (pass->placements[i].kind != ON_CLAIM || !bitset_has(classes, pass_pod(pass, i)->class))
            continue;
        const struct claim *claim = pass->claims.items[pass->placements[i].index];
        const struct shape *shape =
            shape_of(chooser->problem, class_at(chooser->problem, pass->placements[i].class));
        price += choices_guess_price(chooser, shape, claim->set);
    }
    return price;
}

// A loss of flexibility at launch must save the margin (SCH-503).
static bool is_less_flexible(const struct pack_outcome *a, const struct pack_outcome *b)
{
    return (uint64_t)a->offerings * b->claims < (uint64_t)b->offerings * a->claims;
}

// Better; and by enough, if nodes have fewer types to choose from or pods no longer avoid other
// pods' spreads (SCH-516).
static bool is_worth_it(struct chooser *chooser, const struct pass_input *input,
                        const struct pack_outcome *outcome)
{
    const struct pack_outcome *was = &chooser->outcome;
    if (!pack_outcome_is_better(outcome, was))
        return false;
    if (outcome->placed > was->placed)
        return true;
    assert(outcome->placed == was->placed);
    assert(outcome->counted <= was->counted);
    double saved = (double)(was->counted - outcome->counted);
    double margin = chooser->problem->settings->flexibility_margin;
    if (is_less_flexible(outcome, was) && saved < margin * (double)was->counted)
        return false;
    if (input->alternative.ignores_inverse.bits == chooser->input.alternative.ignores_inverse.bits)
        return true;
    return saved * 100 >=
           price_of_pods(chooser, input->alternative.ignores_inverse) * INVERSE_PERCENT;
}

// Packs the pods with the input; true if the result is better.
static bool try_input(struct chooser *chooser, const struct pass_input *input)
{
    assert(chooser->tries > 0);
    struct pass *pass = pack_cheaper(pack_greedy_as(chooser->problem, input));
    struct pack_outcome outcome = pack_outcome_of(pass);
    assert(outcome.placed <= chooser->pods);
    bool better = is_worth_it(chooser, input, &outcome);
    chooser->tries--;
    if (better) {
        struct pass *before = chooser->best;
        if (pass->lower_bound > before->lower_bound)
            pass->lower_bound = before->lower_bound; // the bound with fewer decisions
        chooser->best = pass;
        chooser->outcome = outcome;
        chooser->input = *input;
        pass = before;
        choices_find_gains(chooser);
    }
    pass_destroy(pass);
    return better;
}

// The bound holds for the decisions made: other terms and domains may cost less. It does not
// include the room of existing nodes either.
static bool may_gain(const struct chooser *chooser)
{
    int64_t bound = chooser->best->lower_bound;
    if (chooser->pods < PODS_FEW && chooser->problem->nodes.count > 0 &&
        bitset_count(chooser->avoiding) > 0)
        return true;
    return bound <= 0 || choices_gain_much(chooser, chooser->terms_gain + chooser->inverse_gain) ||
           chooser->outcome.sum - bound > bound / 100 * GAIN_PERCENT;
}

// --- all of them ---------------------------------------------------------------------------------

// Every group takes its apparently cheapest term.
static void try_cheapest_terms(struct chooser *chooser)
{
    struct pass_input input = copy_input(chooser);
    for (uint32_t g = 0, a = 0; g < chooser->groups_count; g++) {
        uint32_t count = chooser->groups[g].shape->terms_count, best = a;
        assert(a + count <= chooser->alternatives.count);
        for (uint32_t i = a; i < a + count; i++)
            if (chooser->alternatives.items[i].price < chooser->alternatives.items[best].price)
                best = i;
        choose(chooser, &input, &chooser->alternatives.items[best]);
        a += count;
    }
    try_input(chooser, &input);
}

static void try_each(struct chooser *chooser)
{
    uint32_t vain = 0, count = chooser->alternatives.count;
    for (uint32_t i = 0; vain < count && chooser->tries > 0 && may_gain(chooser);
         i = (i + 1) % count, vain++) {
        const struct alternative *alternative = &chooser->alternatives.items[i];
        if (is_chosen(chooser, alternative))
            continue;
        struct pass_input input = copy_input(chooser);
        choose(chooser, &input, alternative);
        if (try_input(chooser, &input))
            vain = 0;
    }
}

struct pass *pack_alternatives(struct pass *pass)
{
    struct problem *problem = pass->problem;
    uint32_t pods = pass->input.queue_count;
    if (pass->claims.count == 0 || !problem->strategy->packs_alternatives ||
        !pack_is_lowest_price(problem))
        return pass;
    assert(pods > 0);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct chooser chooser = {.problem = problem,
                              .arena = arena,
                              .best = pass,
                              .outcome = pack_outcome_of(pass),
                              .pods = pods,
                              .avoiding = bitset_create(arena, problem->interned.classes.count),
                              .dear = bitset_create(arena, problem->interned.classes.count)};
    chooser.input = (struct pass_input){
        .queue = problem->pods.queued, .queue_count = pods, .reserved_strict = true};
    choices_find(&chooser);
    choices_find_gains(&chooser);
    make_turns(&chooser);
    if (!may_gain(&chooser))
        return pass;
    if (pods < PODS_FEW)
        chooser.tries = PODS_TRIED / pods < TRIES_MAX ? PODS_TRIED / pods : TRIES_MAX;
    else if (choices_gain_much(&chooser, chooser.terms_gain + chooser.inverse_gain))
        chooser.tries = TRIES_DEAR;
    if (chooser.tries == 0)
        return pass;
    choices_list(&chooser);
    if (choices_gain_much(&chooser, chooser.terms_gain))
        try_cheapest_terms(&chooser);
    if (chooser.alternatives.count > 0)
        try_each(&chooser);
    vector_free(&chooser.alternatives);
    return chooser.best;
}
