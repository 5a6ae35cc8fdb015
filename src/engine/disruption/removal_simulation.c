#include "engine/disruption/removal_simulation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/disruption/loop_guard.h"
#include "engine/explain/plan_builder.h"
#include "engine/explain/unschedulable.h"
#include "engine/packing/pack.h"
#include "engine/packing/pack_lowest_price.h"
#include "engine/packing/pack_policy.h"
#include "engine/placement/pass.h"
#include "engine/pods/classes.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"

#define FAILURES_TOLD 5

// Fast path if every row is a type of its own: drops the most expensive rows.
static void keep_cheapest_rows(const struct type_table *table, const struct row_filter *prices,
                               uint32_t most, struct bitset rows)
{
    uint32_t left = bitset_count(rows);
    for (uint32_t i = table->count; i-- > 0 && left > most;) {
        uint32_t row = prices->by_price[i];
        left -= bitset_has(rows, row);
        bitset_clear(rows, row);
    }
}

void keep_cheapest_types(struct problem *problem, struct type_table *table, uint32_t set,
                         uint32_t most, struct bitset rows)
{
    assert(rows.bits == table->count);
    assert(most > 0);
    const struct row_filter *prices = type_table_prices(problem, table, set);
    if (table->types_count == table->count) {
        keep_cheapest_rows(table, prices, most, rows);
        return;
    }
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset types = bitset_create(scratch, table->types_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t row = prices->by_price[i], type = table->rows[row].type_index;
        if (!bitset_has(rows, row) || bitset_has(types, type))
            continue;
        if (count < most) {
            bitset_set(types, type);
            count++;
        } else {
            bitset_clear(rows, row);
        }
    }
}

uint32_t count_types(const struct type_table *table, struct bitset rows)
{
    assert(rows.bits == table->count);
    assert(table->types_count <= table->count);
    if (table->types_count == table->count)
        return bitset_count(rows);
    uint32_t count = 0, last = NONE; // rows of a type are adjacent
    bitset_for_each (r, rows) {
        count += table->rows[r].type_index != last;
        last = table->rows[r].type_index;
    }
    return count;
}

// --- claims --------------------------------------------------------------------------------------

// In a simulation the only pods from nodes that stay are those of candidates. Placeholders are in
// all simulations, wherever they are.
static bool is_from_candidate(const struct disruption *disruption, const struct pass *pass,
                              const struct queued_pod *queued)
{
    const struct state_node *home = disruption_node_of(disruption, queued);
    return home != NULL && !home->marked_for_deletion &&
           (home == queued->on ||
            pass_is_without(pass, (uint32_t)(home - pass->problem->nodes.items)));
}

static bool carries_candidate_pods(const struct disruption *disruption, const struct pass *pass,
                                   const struct claim *claim)
{
    for (uint32_t i = 0; i < claim->pods.count; i++)
        if (is_from_candidate(disruption, pass, pass_pod(pass, claim->pods.items[i])))
            return true;
    return false;
}

// Narrows the claim as its launch would: to its reservations and at most 600 types. Returns the
// error if these do not satisfy minValues: the claim is then impossible (DIS-240). Else NULL.
static const char *settle_claim(struct pass *pass, struct arena *arena, struct claim *claim)
{
    struct problem *problem = pass->problem;
    struct type_table *table = claim->template->table;
    claim->set = claim_launch_set(pass, claim);
    if (count_types(table, claim->rows) <= LAUNCH_TYPES_MAX)
        return NULL;
    keep_cheapest_types(problem, table, claim->set, LAUNCH_TYPES_MAX, claim->rows);
    if (!claim->template->has_min_values || problem->settings->min_values_best_effort)
        return NULL;
    uint32_t *keys =
        arena_allocate_array(arena, problem->sets->sets[claim->set].count, sizeof *keys);
    uint32_t unmet = unmet_min_values(problem, table, claim->rows, claim->set, keys);
    if (unmet == 0)
        return NULL;
    struct text text = {0};
    add_cut_off_min_values(&text, problem, claim->template, keys, unmet);
    const char *error = arena_copy_string(arena, text.data);
    text_free(&text);
    return error;
}

static void reject_claim(struct removal_simulation *removal, const struct claim *claim,
                         const char *error)
{
    struct pass *pass = removal->pass;
    if (removal->claim_errors == NULL)
        removal->claim_errors = arena_allocate_array(removal->arena, pass->input.queue_count + 1,
                                                     sizeof *removal->claim_errors);
    for (uint32_t i = 0; i < claim->pods.count; i++) {
        pass->placements[claim->pods.items[i]].kind = NOT_PLACED;
        removal->claim_errors[claim->pods.items[i]] = error;
    }
}

// Collects the claims that the move needs; pods of an impossible claim lose their places. Returns
// the number of all claims.
static uint32_t settle_claims(struct disruption *disruption, struct removal_simulation *removal)
{
    assert(removal->claims_count == 0);
    struct pass *pass = removal->pass;
    uint32_t all = 0;
    removal->claim_errors = NULL;
    removal->claims =
        arena_allocate_array(removal->arena, pass->claims.count + 1, sizeof *removal->claims);
    vector_for_each (item, &pass->claims) {
        struct claim *claim = *item;
        const char *error = settle_claim(pass, removal->arena, claim);
        if (error != NULL) {
            reject_claim(removal, claim, error);
            continue;
        }
        all++;
        if (!disruption->strategy->minds_unschedulable_anyway ||
            carries_candidate_pods(disruption, pass, claim))
            removal->claims[removal->claims_count++] = claim;
    }
    return all;
}

// --- pods ----------------------------------------------------------------------------------------

static bool has_place(const struct pass *pass, uint32_t index)
{
    const struct placement *placement = &pass->placements[index];
    if (placement->kind != ON_NODE)
        return placement->kind == ON_CLAIM;
    const struct queued_pod *queued = pass_pod(pass, index);
    return pass->problem->nodes.items[placement->index].initialized ||
           (queued->on != NULL && queued->on->marked_for_deletion); // DIS-241
}

// DIS-250; by DIS-710 a pod that is unschedulable anyway does not count.
static bool may_lack_place(const struct disruption *disruption, const struct queued_pod *queued)
{
    if (queued_pod_is_displaced(queued))
        return false;
    return disruption->strategy->minds_unschedulable_anyway
               ? !disruption->baseline->placed[queued->origin]
               : queued->on == NULL;
}

static void find_unschedulable(const struct disruption *disruption,
                               struct removal_simulation *removal)
{
    const struct pass *pass = removal->pass;
    removal->unschedulable = NULL;
    removal->unschedulable_on = NULL;
    for (uint32_t i = 0; i < pass->input.queue_count && removal->unschedulable == NULL; i++) {
        const struct queued_pod *queued = pass_pod(pass, i);
        if (has_place(pass, i) || may_lack_place(disruption, queued))
            continue;
        removal->unschedulable = queued->pod;
        removal->unschedulable_on = disruption_node_of(disruption, queued);
    }
}

// --- the simulation -----------------------------------------------------------------------------

struct removal_options {
    bool consolidation;
    const struct bitset *beside;
    bool as_scheduled, guided, fits_or_stops;
    uint32_t mixture;
};

static struct removal_simulation run_pass(struct disruption *disruption,
                                          struct disruption_candidate *const *candidates,
                                          uint32_t count, const struct removal_options *options)
{
    struct removal_simulation removal = {.arena = arena_create(4096)};
    const struct problem *problem = disruption->problem;
    uint32_t *gone = arena_allocate_array(removal.arena, count + 1, sizeof *gone);
    for (uint32_t i = 0; i < count; i++) {
        gone[i] = (uint32_t)(candidates[i]->state - problem->nodes.items);
        assert(gone[i] < problem->nodes.count);
    }
    struct simulation simulation = {.gone = gone,
                                    .gone_count = count,
                                    .as_scheduled = options->as_scheduled,
                                    .guided = options->guided,
                                    .fits_or_stops = options->fits_or_stops,
                                    .mixture = options->mixture};
    if (options->beside != NULL)
        simulation.closed = *options->beside;
    if (options->consolidation)
        simulation.quiet = disruption->quiet;
    if (disruption->strategy->follows_scheduler)
        simulation.scheduled = disruption->inputs->scheduled;
    removal.pass = simulate(disruption->simulator, removal.arena, &simulation);
    removal.no_pool =
        problem->templates.pools_count == 0 && !problem->strategy->places_without_pools;
    return removal;
}

const struct removal_baseline *removal_baseline_of(struct disruption *disruption)
{
    const struct problem *problem = disruption->problem;
    if (disruption->baseline != NULL)
        return disruption->baseline;
    struct removal_baseline *baseline = arena_allocate(disruption->arena, sizeof *baseline);
    baseline->placed = arena_allocate_array(disruption->arena, problem->pods.queued_count + 1,
                                            sizeof *baseline->placed);
    baseline->placeholder_nodes = arena_allocate_array(
        disruption->arena, problem->pods.queued_count + 1, sizeof(struct state_node *));
    struct removal_simulation removal = run_pass(disruption, NULL, 0, &(struct removal_options){0});
    assert(removal.pass->input.queue_count <= problem->pods.queued_count);
    baseline->claims = settle_claims(disruption, &removal);
    for (uint32_t i = 0; i < removal.pass->input.queue_count; i++) {
        const struct queued_pod *queued = pass_pod(removal.pass, i);
        const struct placement *placement = &removal.pass->placements[i];
        assert(queued->origin < problem->pods.queued_count);
        baseline->placed[queued->origin] = has_place(removal.pass, i);
        if (queued->placeholder && placement->kind == ON_NODE)
            baseline->placeholder_nodes[queued->origin] = &problem->nodes.items[placement->index];
    }
    removal_free(&removal);
    disruption->baseline = baseline;
    return baseline;
}

static void judge(struct disruption *disruption, struct removal_simulation *removal)
{
    removal->claims_count = 0;
    uint32_t all = settle_claims(disruption, removal);
    if (removal->consolidation)
        loop_guard_apply(disruption, removal->candidates, removal->candidates_count,
                         removal->claims, removal->claims_count);
    find_unschedulable(disruption, removal);
    assert(all >= removal->claims_count);
    removal->nodes_needed = removal->claims_count;
    // DIS-711. A pod displaced by the move may need another node.
    if (disruption->strategy->minds_unschedulable_anyway && all > disruption->baseline->claims &&
        all - disruption->baseline->claims > removal->nodes_needed)
        removal->nodes_needed = all - disruption->baseline->claims;
}

static struct removal_simulation run(struct disruption *disruption,
                                     struct disruption_candidate *const *candidates, uint32_t count,
                                     const struct removal_options *options)
{
    if (disruption->strategy->minds_unschedulable_anyway)
        removal_baseline_of(disruption);
    struct removal_simulation removal = run_pass(disruption, candidates, count, options);
    removal.candidates = candidates;
    removal.candidates_count = count;
    removal.consolidation = options->consolidation;
    judge(disruption, &removal);
    assert(removal.nodes_needed >= removal.claims_count);
    return removal;
}

struct removal_simulation removal_simulate_beside(struct disruption *disruption,
                                                  struct disruption_candidate *const *candidates,
                                                  uint32_t count, bool consolidation,
                                                  const struct bitset *beside)
{
    return run(disruption, candidates, count,
               &(struct removal_options){.consolidation = consolidation, .beside = beside});
}

struct removal_simulation removal_simulate_scheduled(struct disruption *disruption,
                                                     struct disruption_candidate *const *candidates,
                                                     uint32_t count, const struct bitset *beside)
{
    return run(
        disruption, candidates, count,
        &(struct removal_options){.consolidation = true, .beside = beside, .as_scheduled = true});
}

struct removal_simulation removal_simulate_mixed(struct disruption *disruption,
                                                 struct disruption_candidate *const *candidates,
                                                 uint32_t count, uint32_t mixture, bool guided)
{
    assert(mixture <= MIXTURES);
    return run(
        disruption, candidates, count,
        &(struct removal_options){
            .consolidation = true, .as_scheduled = true, .guided = guided, .mixture = mixture});
}

bool removal_fits(struct disruption *disruption, struct disruption_candidate *const *candidates,
                  uint32_t count, bool guided)
{
    struct removal_simulation removal = run(
        disruption, candidates, count,
        &(struct removal_options){
            .consolidation = true, .as_scheduled = true, .guided = guided, .fits_or_stops = true});
    bool fits = removal_needs_no_node(&removal);
    removal_free(&removal);
    return fits;
}

struct removal_simulation removal_simulate(struct disruption *disruption,
                                           struct disruption_candidate *const *candidates,
                                           uint32_t count, bool consolidation)
{
    return removal_simulate_beside(disruption, candidates, count, consolidation, NULL);
}

void removal_pack(struct disruption *disruption, struct removal_simulation *removal)
{
    if (!removal_is_possible(removal) || removal->claims_count == 0 ||
        !pack_asks_lowest_price(disruption->problem))
        return;
    removal->pass = pack_cheaper(removal->pass);
    judge(disruption, removal);
}

void removal_free(struct removal_simulation *removal)
{
    pass_destroy(removal->pass);
    arena_destroy(removal->arena);
    *removal = (struct removal_simulation){0};
}

// --- reasons of refusal --------------------------------------------------------------------------

// DIS-241.
static const char *uninitialized_message(struct arena *arena, const struct state_node *state)
{
    if (state->node == NULL)
        return arena_format(arena, "would schedule against uninitialized nodeclaim/%s",
                            state->claim->meta.name);
    return arena_format(arena, "would schedule against uninitialized nodeclaim/%s, node/%s",
                        state->claim->meta.name, state->node->meta.name);
}

struct scheduling_failure {
    const struct pod *pod;
    const char *message;
};

static int compare_failures(const void *a, const void *b)
{
    const struct pod *x = ((const struct scheduling_failure *)a)->pod,
                     *y = ((const struct scheduling_failure *)b)->pod;
    int order = strcmp(x->meta.namespace, y->meta.namespace);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

static const char *message_of(const struct plan *unplaced, const struct pod *pod)
{
    list_for_each (entry, &unplaced->unschedulable)
        if (entry->pod == pod)
            return entry->message;
    return "no place";
}

// The pods that make the simulation fail, by namespace/name.
static struct scheduling_failure *find_failures(struct disruption *disruption,
                                                const struct removal_simulation *removal,
                                                uint32_t *count)
{
    struct pass *pass = removal->pass;
    uint32_t room = pass->input.queue_count + 1;
    struct plan unplaced = {.arena = removal->arena};
    unplaced.unschedulable.items =
        arena_allocate_array(removal->arena, room, sizeof *unplaced.unschedulable.items);
    unschedulable_finish(pass, EXPLAIN_NOTHING, &unplaced);
    struct scheduling_failure *failures =
        arena_allocate_array(removal->arena, room, sizeof *failures);
    *count = 0;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct queued_pod *queued = pass_pod(pass, i);
        if (has_place(pass, i) || may_lack_place(disruption, queued))
            continue;
        const struct placement *placement = &pass->placements[i];
        const char *error = removal->claim_errors != NULL ? removal->claim_errors[i] : NULL;
        if (placement->kind == ON_NODE)
            error = uninitialized_message(removal->arena,
                                          &pass->problem->nodes.items[placement->index]);
        failures[(*count)++] = (struct scheduling_failure){
            queued->pod, error != NULL ? error : message_of(&unplaced, queued->pod)};
    }
    assert(*count > 0);
    qsort(failures, *count, sizeof *failures, compare_failures);
    return failures;
}

const char *removal_refusal(struct disruption *disruption, const struct removal_simulation *removal)
{
    if (removal->no_pool)
        return "Creating scheduler, no nodepools found";
    if (removal->unschedulable == NULL)
        return NULL;
    uint32_t count;
    const struct scheduling_failure *failures = find_failures(disruption, removal, &count);
    struct text text = {0};
    text_add(&text, "Not all pods would schedule, ");
    for (uint32_t i = 0; i < count && i < FAILURES_TOLD; i++)
        text_format(&text, "%s/%s => %s ", failures[i].pod->meta.namespace,
                    failures[i].pod->meta.name, failures[i].message);
    if (count > FAILURES_TOLD)
        text_format(&text, " and %" PRIu32 " other(s)", count - FAILURES_TOLD);
    const char *message = arena_copy_string(disruption->arena, text.data);
    text_free(&text);
    return message;
}
