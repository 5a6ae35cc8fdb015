// Whole plans compared (pack.h). A pass decides pod by pod, and some of what it decides cannot be
// seen to be dear before everything is placed: which of a pod's node affinity terms it takes
// (SCH-508), whether it joins a claim that must grow for it, and whether it goes where spreads of others want it (SCH-516). Here such choices are made
// otherwise, the pods are packed anew, and what is cheaper in the end is kept.
//
// The number of tries is bounded by the pods, never by time. None is made where the bound says that
// there is little to gain; of many pods only choices are made otherwise that look dear.
#include <stdlib.h>
#include <string.h>

#include "engine/instance_types.h"
#include "engine/pack.h"
#include "engine/place.h"
#include "engine/topology_groups.h"

#define PODS_FEW      100    // plans of fewer pods are searched whatever looks dear
#define PODS_TRIED    800    // over all tries of such a search
#define TRIES_MAX     48     // of it
#define TRIES_DEAR    4      // of a plan in which something looks dear
#define LOOKED_AT_MAX 128    // pods that tell whether heeding others looks dear
#define THRIFTY_WORK  200000 // pods times claims: beyond it nobody compares what each claim costs
#define GAIN_PERCENT  2      // of the price, which must be above the bound for a try
#define HEED_PERCENT  10     // of the nodes' price that going where others want one may cost
#define GROUPS_MAX    32

struct alternative { // one choice, for some pods
    enum { HEED_NOBODY, BE_THRIFTY, TAKE_SET } kind;
    struct bitset pods; // by origin
    uint32_t set;
    double price; // of what a pod needs, about, on the machine that is best for it
};
struct group { // pods with the same terms to choose from
    const struct shape *shape; // of one of them
    struct bitset pods;
};
struct chooser {
    struct problem *problem;
    struct arena *arena;
    struct pass *best;
    struct pack_outcome outcome;
    struct pass_input input; // of the best
    uint32_t pods, tries;
    double terms_gain, heed_gain; // nano-USD an hour that other choices would save, about
    struct group groups[GROUPS_MAX];
    uint32_t groups_count;
    struct bitset heeding; // classes with pods that heed others
    VECTOR(struct alternative) alternatives;
};

// --- what can be chosen --------------------------------------------------------------------------

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
    uint32_t g = 0;
    while (g < chooser->groups_count && !same_terms(chooser->groups[g].shape, shape))
        g++;
    if (g == GROUPS_MAX)
        return;
    if (g == chooser->groups_count)
        chooser->groups[chooser->groups_count++] =
            (struct group){shape, bitset_create(chooser->arena, chooser->pods)};
    bitset_set(chooser->groups[g].pods, origin);
}

static void find_groups(struct chooser *chooser)
{
    struct pass *pass = chooser->best;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct placement *placement = &pass->placements[i];
        if (placement->kind != ON_CLAIM)
            continue;
        const struct pod_class *class = class_at(chooser->problem, placement->class);
        const struct shape *shape = shape_of(chooser->problem, class);
        if (shape->terms_count > 1)
            add_to_group(chooser, shape, pass_pod(pass, i)->origin);
        if (pass_class(pass, placement->class)->heeded.count > 0)
            bitset_set(chooser->heeding, class->original);
    }
}

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

// What a pod of the shape costs on the best machine that meets the term, were it full of them.
static double guess_price(struct problem *problem, const struct shape *shape, uint32_t term)
{
    double lowest = 1e300;
    uint32_t asked = set_meet(problem->sets, shape->set, term);
    for (uint32_t t = 0; t < problem->templates_count; t++) {
        struct node_template *template = problem->templates[t];
        if (!problem_tolerates(problem, shape->tolerations, template->taints) ||
            !sets_compatible(problem->sets, template->set, asked, true))
            continue;
        uint32_t set = set_meet(problem->sets, template->set, asked);
        const struct row_filter *prices = type_table_prices(problem, template->table, set);
        bitset_for_each (r, prices->both) {
            int64_t units = units_on(&template->table->rows[r], shape);
            double price = (double)prices->cheapest[r] / (double)(units > 0 ? units : 1);
            if (units > 0 && prices->cheapest[r] != INT64_MAX && price < lowest)
                lowest = price;
        }
    }
    return lowest;
}

// --- what looks dear -----------------------------------------------------------------------------

static double cheapest_term(struct problem *problem, const struct shape *shape)
{
    double lowest = 1e300;
    for (uint32_t i = 0; i < shape->terms_count; i++) {
        double price = guess_price(problem, shape, shape->terms[i].set);
        lowest = price < lowest ? price : lowest;
    }
    return lowest;
}

// What the pods of the group pay for the terms that they took.
static double gain_of_group(struct chooser *chooser, const struct group *group)
{
    struct problem *problem = chooser->problem;
    const struct pass *pass = chooser->best;
    double gain = 0, lowest = cheapest_term(problem, group->shape);
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        if (pass->placements[i].kind != ON_CLAIM ||
            !bitset_has(group->pods, pass_pod(pass, i)->origin))
            continue;
        uint32_t set = pass->claims.items[pass->placements[i].index]->set, t = 0;
        while (t < group->shape->terms_count &&
               !sets_compatible(problem->sets, set, group->shape->terms[t].set, true))
            t++;
        if (t < group->shape->terms_count)
            gain += guess_price(problem, group->shape, group->shape->terms[t].set) - lowest;
    }
    return gain;
}

// What pods that heed others pay for where they are, judged by the first ones.
static double gain_of_heeding(struct chooser *chooser)
{
    struct problem *problem = chooser->problem;
    const struct pass *pass = chooser->best;
    uint32_t heeding = 0, looked_at = 0;
    double gain = 0;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct placement *placement = &pass->placements[i];
        if (placement->kind != ON_CLAIM || !bitset_has(chooser->heeding, pass_pod(pass, i)->class))
            continue;
        if (heeding++ >= LOOKED_AT_MAX)
            continue;
        const struct shape *shape = shape_of(problem, class_at(problem, placement->class));
        looked_at++;
        gain += guess_price(problem, shape, pass->claims.items[placement->index]->set) -
                guess_price(problem, shape, SET_EMPTY);
    }
    return looked_at > 0 ? gain / looked_at * heeding : 0;
}

static bool is_much(const struct chooser *chooser, double gain)
{
    return gain * 100 > (double)chooser->outcome.sum * GAIN_PERCENT;
}

static void find_gains(struct chooser *chooser)
{
    for (uint32_t g = 0; g < chooser->groups_count; g++)
        chooser->terms_gain += gain_of_group(chooser, &chooser->groups[g]);
    chooser->heed_gain = gain_of_heeding(chooser);
}

// --- the choices ---------------------------------------------------------------------------------

static void add_set(struct chooser *chooser, struct bitset pods, uint32_t set, double price)
{
    vector_push(&chooser->alternatives, (struct alternative){TAKE_SET, pods, set, price});
}

static void list_alternatives(struct chooser *chooser)
{
    bool few = chooser->pods < PODS_FEW;
    for (uint32_t g = 0; g < chooser->groups_count; g++) {
        const struct group *group = &chooser->groups[g];
        for (uint32_t i = 0; i < group->shape->terms_count; i++) {
            uint32_t set = group->shape->terms[i].set;
            double price = guess_price(chooser->problem, group->shape, set);
            add_set(chooser, group->pods, set, price);
        }
    }
    if (few)
        vector_push(&chooser->alternatives, (struct alternative){.kind = BE_THRIFTY});
    if (bitset_count(chooser->heeding) > 0 && (few || is_much(chooser, chooser->heed_gain)))
        vector_push(&chooser->alternatives, (struct alternative){.kind = HEED_NOBODY});
}

// --- one try -------------------------------------------------------------------------------------

static struct pass_input copy_input(struct chooser *chooser)
{
    struct pass_input input = chooser->input;
    uint32_t *steered = arena_allocate_array(chooser->arena, chooser->pods + 1, sizeof *steered);
    for (uint32_t i = 0; i < chooser->pods; i++)
        steered[i] = chooser->input.steered != NULL ? chooser->input.steered[i] : SET_EMPTY;
    input.steered = steered;
    return input;
}

static void choose(struct chooser *chooser, struct pass_input *input,
                   const struct alternative *alternative)
{
    uint32_t *steered = (uint32_t *)(uintptr_t)input->steered; // copy_input()'s
    bool may_compare = (uint64_t)chooser->pods * chooser->outcome.claims <= THRIFTY_WORK;
    if (alternative->kind == HEED_NOBODY)
        input->heedless = chooser->heeding;
    if (alternative->kind != TAKE_SET)
        input->thrifty = may_compare;
    else
        bitset_for_each (pod, alternative->pods)
            steered[pod] = alternative->set;
}

static bool is_chosen(const struct chooser *chooser, const struct alternative *alternative)
{
    if (alternative->kind == HEED_NOBODY)
        return chooser->input.heedless.bits > 0;
    if (alternative->kind == BE_THRIFTY)
        return chooser->input.thrifty;
    bool all = chooser->input.steered != NULL;
    bitset_for_each (pod, alternative->pods)
        all = all && chooser->input.steered[pod] == alternative->set;
    return all;
}

// What the nodes cost that carry pods of the classes.
static int64_t price_of_nodes(const struct pass *pass, struct bitset classes)
{
    int64_t price = 0;
    vector_for_each (item, &pass->claims) {
        const struct claim *claim = *item;
        bool any = false;
        for (uint32_t i = 0; i < claim->pods.count && !any; i++)
            any = bitset_has(classes, pass_pod(pass, claim->pods.items[i])->class);
        price += any ? pack_claim_price(pass, claim) : 0;
    }
    return price;
}

// Less to choose from at the launch is worth the margin (SCH-503).
static bool is_less_flexible(const struct pack_outcome *a, const struct pack_outcome *b)
{
    return (uint64_t)a->offerings * b->claims < (uint64_t)b->offerings * a->claims;
}

// Better, by enough where nodes have fewer types to choose from or pods no longer heed others
// (SCH-516).
static bool is_worth_it(const struct chooser *chooser, const struct pass_input *input,
                        const struct pack_outcome *outcome)
{
    const struct pack_outcome *was = &chooser->outcome;
    if (!pack_outcome_is_better(outcome, was))
        return false;
    if (outcome->placed > was->placed)
        return true;
    double saved = (double)(was->counted - outcome->counted);
    double margin = chooser->problem->settings->flexibility_margin;
    if (is_less_flexible(outcome, was) && saved < margin * (double)was->counted)
        return false;
    if (input->heedless.bits == chooser->input.heedless.bits)
        return true;
    int64_t nodes = price_of_nodes(chooser->best, input->heedless);
    return saved * 100 >= (double)nodes * HEED_PERCENT;
}

// Packs the pods anew by the input; true if that is better.
static bool try_input(struct chooser *chooser, const struct pass_input *input)
{
    struct pass *pass = pack_cheaper(pack_greedy_as(chooser->problem, input));
    struct pack_outcome outcome = pack_outcome_of(pass);
    bool better = is_worth_it(chooser, input, &outcome);
    chooser->tries--;
    if (better) {
        struct pass *before = chooser->best;
        if (pass->lower_bound > before->lower_bound)
            pass->lower_bound = before->lower_bound; // of fewer decisions
        chooser->best = pass;
        chooser->outcome = outcome;
        chooser->input = *input;
        pass = before;
    }
    pass_destroy(pass);
    return better;
}

static bool may_gain(const struct chooser *chooser)
{
    int64_t bound = chooser->best->lower_bound;
    return bound <= 0 || chooser->outcome.sum - bound > bound / 100 * GAIN_PERCENT;
}

// --- all of them ---------------------------------------------------------------------------------

// Every group takes the term that looks cheapest.
static void try_cheapest_terms(struct chooser *chooser)
{
    struct pass_input input = copy_input(chooser);
    for (uint32_t g = 0, a = 0; g < chooser->groups_count; g++) {
        uint32_t count = chooser->groups[g].shape->terms_count, best = a;
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
    if (pass->claims.count == 0 || problem->settings->compatibility_upstream ||
        !pack_is_lowest_price(problem))
        return pass;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct chooser chooser = {.problem = problem,
                              .arena = arena,
                              .best = pass,
                              .outcome = pack_outcome_of(pass),
                              .pods = pods,
                              .heeding = bitset_create(arena, problem->classes.count)};
    chooser.input = (struct pass_input){.queue = problem->queued,
                                        .queue_count = pods,
                                        .reserved_strict = true};
    if (!may_gain(&chooser))
        return pass;
    find_groups(&chooser);
    find_gains(&chooser);
    if (pods < PODS_FEW)
        chooser.tries = PODS_TRIED / pods < TRIES_MAX ? PODS_TRIED / pods : TRIES_MAX;
    else if (is_much(&chooser, chooser.terms_gain + chooser.heed_gain))
        chooser.tries = TRIES_DEAR;
    if (chooser.tries == 0)
        return pass;
    list_alternatives(&chooser);
    if (is_much(&chooser, chooser.terms_gain))
        try_cheapest_terms(&chooser);
    if (chooser.alternatives.count > 0)
        try_each(&chooser);
    vector_free(&chooser.alternatives);
    return chooser.best;
}
