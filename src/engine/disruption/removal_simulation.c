#include "engine/disruption/removal_simulation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/disruption/loop_guard.h"
#include "engine/explain/plan_builder.h"
#include "engine/explain/unschedulable.h"
#include "engine/packing/pack.h"
#include "engine/packing/pack_lowest_price.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/templates.h"

#define FAILURES_TOLD 5

// Where every row is a type of its own: the dearest ones go.
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
    if (table->types_count == table->count)
        return bitset_count(rows);
    uint32_t count = 0, last = NONE; // rows of a type stand together
    bitset_for_each (r, rows) {
        count += table->rows[r].type_index != last;
        last = table->rows[r].type_index;
    }
    return count;
}

// --- claims --------------------------------------------------------------------------------------

// Of the pods in a trial only those of candidates run on nodes that would stay. Placeholders are in
// all trials, wherever they are now.
static bool is_from_candidate(const struct disruption *disruption, const struct pass *pass,
                              const struct queued_pod *queued)
{
    const struct state_node *home = disruption_home(disruption, queued);
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

// As it would be launched: narrowed to its reservations, at most 600 types. Those may not have the
// minValues: then there is no such claim (DIS-240), and the error is returned; else NULL.
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

static void cut_off(struct trial *trial, const struct claim *claim, const char *error)
{
    struct pass *pass = trial->pass;
    if (trial->cut_off == NULL)
        trial->cut_off =
            arena_allocate_array(trial->arena, pass->input.queue_count + 1, sizeof *trial->cut_off);
    for (uint32_t i = 0; i < claim->pods.count; i++) {
        pass->placements[claim->pods.items[i]].kind = NOT_PLACED;
        trial->cut_off[claim->pods.items[i]] = error;
    }
}

// Those that the move needs; a claim that cannot be made leaves its pods without a place. Returns
// how many there are in all.
static uint32_t settle_claims(struct disruption *disruption, struct trial *trial)
{
    struct pass *pass = trial->pass;
    uint32_t all = 0;
    trial->cut_off = NULL;
    trial->claims =
        arena_allocate_array(trial->arena, pass->claims.count + 1, sizeof *trial->claims);
    vector_for_each (item, &pass->claims) {
        struct claim *claim = *item;
        const char *error = settle_claim(pass, trial->arena, claim);
        if (error != NULL) {
            cut_off(trial, claim, error);
            continue;
        }
        all++;
        if (!disruption->better || carries_candidate_pods(disruption, pass, claim))
            trial->claims[trial->claims_count++] = claim;
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

// DIS-250; by DIS-710 what would have no place anyway is nobody's fault.
static bool may_lack_place(const struct disruption *disruption, const struct queued_pod *queued)
{
    if (queued->on != NULL && !queued->on->marked_for_deletion)
        return false; // a candidate's
    return disruption->better ? !disruption->baseline->placed[queued->origin] : queued->on == NULL;
}

static void find_homeless(const struct disruption *disruption, struct trial *trial)
{
    const struct pass *pass = trial->pass;
    trial->homeless = NULL;
    trial->left = NULL;
    for (uint32_t i = 0; i < pass->input.queue_count && trial->homeless == NULL; i++) {
        const struct queued_pod *queued = pass_pod(pass, i);
        if (has_place(pass, i) || may_lack_place(disruption, queued))
            continue;
        trial->homeless = queued->pod;
        trial->left = disruption_home(disruption, queued);
    }
}

// --- the trial -----------------------------------------------------------------------------------

struct trial_options {
    bool consolidation;
    const struct bitset *beside;
    bool as_scheduled;
    uint32_t mixture;
};

static struct trial run_pass(struct disruption *disruption,
                             struct disruption_candidate *const *candidates, uint32_t count,
                             const struct trial_options *options)
{
    struct trial trial = {.arena = arena_create(4096)};
    const struct problem *problem = disruption->problem;
    uint32_t *gone = arena_allocate_array(trial.arena, count + 1, sizeof *gone);
    for (uint32_t i = 0; i < count; i++)
        gone[i] = (uint32_t)(candidates[i]->state - problem->nodes.items);
    struct simulation simulation = {.gone = gone,
                                    .gone_count = count,
                                    .as_scheduled = options->as_scheduled,
                                    .mixture = options->mixture};
    if (options->beside != NULL)
        simulation.closed = *options->beside;
    if (options->consolidation)
        simulation.quiet = disruption->quiet;
    if (disruption->better)
        simulation.scheduled = disruption->inputs->scheduled;
    trial.pass = simulate(disruption->simulator, trial.arena, &simulation);
    trial.no_pool = problem->templates.pools_count == 0 && !disruption->better;
    return trial;
}

const struct baseline *trial_baseline(struct disruption *disruption)
{
    const struct problem *problem = disruption->problem;
    if (disruption->baseline != NULL)
        return disruption->baseline;
    struct baseline *baseline = arena_allocate(disruption->arena, sizeof *baseline);
    baseline->placed = arena_allocate_array(disruption->arena, problem->pods.queued_count + 1,
                                            sizeof *baseline->placed);
    baseline->homes = arena_allocate_array(disruption->arena, problem->pods.queued_count + 1,
                                           sizeof(struct state_node *));
    struct trial trial = run_pass(disruption, NULL, 0, &(struct trial_options){0});
    baseline->claims = settle_claims(disruption, &trial);
    for (uint32_t i = 0; i < trial.pass->input.queue_count; i++) {
        const struct queued_pod *queued = pass_pod(trial.pass, i);
        const struct placement *placement = &trial.pass->placements[i];
        baseline->placed[queued->origin] = has_place(trial.pass, i);
        if (queued->placeholder && placement->kind == ON_NODE)
            baseline->homes[queued->origin] = &problem->nodes.items[placement->index];
    }
    trial_free(&trial);
    disruption->baseline = baseline;
    return baseline;
}

static void judge(struct disruption *disruption, struct trial *trial)
{
    trial->claims_count = 0;
    uint32_t all = settle_claims(disruption, trial);
    loop_guard_drop(disruption, trial);
    find_homeless(disruption, trial);
    trial->needed = trial->claims_count;
    // DIS-711. A pod that had to make room elsewhere may need one more.
    if (disruption->better && all > disruption->baseline->claims &&
        all - disruption->baseline->claims > trial->needed)
        trial->needed = all - disruption->baseline->claims;
}

static struct trial run(struct disruption *disruption,
                        struct disruption_candidate *const *candidates, uint32_t count,
                        const struct trial_options *options)
{
    if (disruption->better)
        trial_baseline(disruption);
    struct trial trial = run_pass(disruption, candidates, count, options);
    trial.candidates = candidates;
    trial.candidates_count = count;
    trial.consolidation = options->consolidation;
    judge(disruption, &trial);
    return trial;
}

struct trial trial_run_beside(struct disruption *disruption,
                              struct disruption_candidate *const *candidates, uint32_t count,
                              bool consolidation, const struct bitset *beside)
{
    return run(disruption, candidates, count,
               &(struct trial_options){.consolidation = consolidation, .beside = beside});
}

struct trial trial_run_scheduled(struct disruption *disruption,
                                 struct disruption_candidate *const *candidates, uint32_t count,
                                 const struct bitset *beside)
{
    return run(
        disruption, candidates, count,
        &(struct trial_options){.consolidation = true, .beside = beside, .as_scheduled = true});
}

struct trial trial_run_mixed(struct disruption *disruption,
                             struct disruption_candidate *const *candidates, uint32_t count,
                             uint32_t mixture)
{
    return run(
        disruption, candidates, count,
        &(struct trial_options){.consolidation = true, .as_scheduled = true, .mixture = mixture});
}

struct trial trial_run(struct disruption *disruption,
                       struct disruption_candidate *const *candidates, uint32_t count,
                       bool consolidation)
{
    return trial_run_beside(disruption, candidates, count, consolidation, NULL);
}

void trial_pack(struct disruption *disruption, struct trial *trial)
{
    if (!trial_possible(trial) || trial->claims_count == 0 ||
        !pack_asks_lowest_price(disruption->problem))
        return;
    trial->pass = pack_cheaper(trial->pass);
    judge(disruption, trial);
}

void trial_free(struct trial *trial)
{
    pass_destroy(trial->pass);
    arena_destroy(trial->arena);
    *trial = (struct trial){0};
}

// --- why not -------------------------------------------------------------------------------------

// DIS-241.
static const char *uninitialized_message(struct arena *arena, const struct state_node *state)
{
    if (state->node == NULL)
        return arena_format(arena, "would schedule against uninitialized nodeclaim/%s",
                            state->claim->meta.name);
    return arena_format(arena, "would schedule against uninitialized nodeclaim/%s, node/%s",
                        state->claim->meta.name, state->node->meta.name);
}

struct failure {
    const struct pod *pod;
    const char *message;
};

static int compare_failures(const void *a, const void *b)
{
    const struct pod *x = ((const struct failure *)a)->pod, *y = ((const struct failure *)b)->pod;
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

// The pods that fail the trial, by namespace/name.
static struct failure *find_failures(struct disruption *disruption, const struct trial *trial,
                                     uint32_t *count)
{
    struct pass *pass = trial->pass;
    uint32_t room = pass->input.queue_count + 1;
    struct plan unplaced = {.arena = trial->arena};
    unplaced.unschedulable.items =
        arena_allocate_array(trial->arena, room, sizeof *unplaced.unschedulable.items);
    unschedulable_finish(pass, EXPLAIN_NOTHING, &unplaced);
    struct failure *failures = arena_allocate_array(trial->arena, room, sizeof *failures);
    *count = 0;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct queued_pod *queued = pass_pod(pass, i);
        if (has_place(pass, i) || may_lack_place(disruption, queued))
            continue;
        const struct placement *placement = &pass->placements[i];
        const char *error = trial->cut_off != NULL ? trial->cut_off[i] : NULL;
        if (placement->kind == ON_NODE)
            error =
                uninitialized_message(trial->arena, &pass->problem->nodes.items[placement->index]);
        failures[(*count)++] = (struct failure){
            queued->pod, error != NULL ? error : message_of(&unplaced, queued->pod)};
    }
    qsort(failures, *count, sizeof *failures, compare_failures);
    return failures;
}

const char *trial_message(struct disruption *disruption, const struct trial *trial)
{
    if (trial->no_pool)
        return "Creating scheduler, no nodepools found";
    if (trial->homeless == NULL)
        return NULL;
    uint32_t count;
    const struct failure *failures = find_failures(disruption, trial, &count);
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
