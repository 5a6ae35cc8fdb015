#include "engine/placement/pass.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/devices/devices.h"
#include "engine/pass/pass_workspace.h"
#include "engine/placement/claim_order.h"
#include "engine/placement/limits.h"
#include "engine/placement/new_claim.h"
#include "engine/placement/place_by_price.h"
#include "engine/placement/place_devices.h"
#include "engine/placement/place_node.h"
#include "engine/placement/place_on_claims.h"
#include "engine/placement/place_volumes.h"
#include "engine/pods/relaxation.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_hostname.h"
#include "engine/topology/topology_order.h"
#include "engine/topology/topology_record.h"

// Placement attempts of a pass (SCH-53): a count, not a time, so that plans are reproducible.
#define ATTEMPTS_MAX UINT64_C(20000000)

static void make_scratch(struct pass *pass)
{
    struct problem *problem = pass->problem;
    uint32_t widest = 1;
    for (uint32_t i = 0; i < problem->templates.pools_count; i++) {
        const struct pool_state *pool = &problem->templates.pools[i];
        // Explanations change NodePools without types, too.
        const struct node_template *template =
            pool->template != NULL ? pool->template : pool->emptied;
        if (template != NULL && template->table->count > widest)
            widest = template->table->count;
    }
    pass->scratch.total =
        arena_allocate_array(pass->arena, problem->dimensions.count, sizeof *pass->scratch.total);
    pass->scratch.zero =
        arena_allocate_array(pass->arena, problem->dimensions.count, sizeof *pass->scratch.zero);
    pass->scratch.fitting = bitset_create(pass->arena, widest);
    pass->scratch.fresh_rows = bitset_create(pass->arena, widest);
    pass->scratch.attempt.rows = bitset_create(pass->arena, widest);
    pass->scratch.attempt.reservations =
        bitset_create(pass->arena, problem->catalog.reservations_count);
    pass->scratch.trial.rows = bitset_create(pass->arena, widest);
    pass->scratch.trial.reservations =
        bitset_create(pass->arena, problem->catalog.reservations_count);
    for (uint32_t i = 0; i < BRANCHES_MAX; i++) {
        pass->choices.items[i].attempt.rows = bitset_create(pass->arena, widest);
        pass->choices.items[i].attempt.reservations =
            bitset_create(pass->arena, problem->catalog.reservations_count);
    }
    pass->reserved_left = arena_allocate_array(pass->arena, problem->catalog.reservations_count + 1,
                                               sizeof *pass->reserved_left);
    for (uint32_t r = 0; r < problem->catalog.reservations_count; r++)
        pass->reserved_left[r] = problem->catalog.reservations[r].capacity;
    assert(pass->scratch.fitting.bits == pass->scratch.attempt.rows.bits);
}

static struct bitset copy_bits(struct arena *arena, struct bitset from)
{
    struct bitset copy = bitset_create(arena, from.bits);
    if (from.bits > 0)
        bitset_copy(copy, from);
    return copy;
}

// Copies inputs that may be freed before the pass.
static void copy_choices(struct pass *pass)
{
    struct pass_input *input = &pass->input;
    input->alternative.ignores_inverse = copy_bits(pass->arena, input->alternative.ignores_inverse);
    uint8_t *turns = arena_allocate(pass->arena, input->alternative.turns_count + 1);
    if (input->alternative.turns_count > 0)
        memcpy(turns, input->alternative.turns, input->alternative.turns_count);
    input->alternative.turns = turns;
    uint32_t *closed_terms = arena_allocate_array(
        pass->arena, input->alternative.closed_terms_count + 1, sizeof *closed_terms);
    if (input->alternative.closed_terms_count > 0)
        memcpy(closed_terms, input->alternative.closed_terms,
               input->alternative.closed_terms_count * sizeof *closed_terms);
    input->alternative.closed_terms = closed_terms;
    if (input->alternative.required_sets == NULL)
        return;
    uint32_t *copy = arena_allocate_array(pass->arena, input->queue_count + 1, sizeof *copy);
    memcpy(copy, input->alternative.required_sets, input->queue_count * sizeof *copy);
    input->alternative.required_sets = copy;
}

static void find_positions(struct pass *pass)
{
    uint32_t count = pass->problem->pods.movable_count;
    pass->left = bitset_create(pass->arena, count);
    pass->positions = arena_allocate_array(pass->arena, count + 1, sizeof *pass->positions);
    for (uint32_t i = 0; i < count; i++)
        pass->positions[i] = NONE;
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        if (pass_pod(pass, i)->running)
            pass->positions[pass_pod(pass, i)->origin] = i;
}

struct pass *pass_create(struct problem *problem, const struct pass_input *input)
{
    struct pass *pass = memory_allocate(sizeof *pass);
    pass->problem = problem;
    pass->input = *input;
    pass_workspace_take(pass);
    assert(input->queue_count == 0 || input->queue != NULL);
    pass->placements =
        arena_allocate_array(pass->arena, input->queue_count + 1, sizeof *pass->placements);
    pass->identities = bitset_create(pass->arena, problem->interned.identities.count);
    pass->input.retry.nodes_last = copy_bits(pass->arena, input->retry.nodes_last);
    copy_choices(pass);
    if (input->view != NULL)
        find_positions(pass);
    make_scratch(pass);
    limits_start(pass);
    volumes_start(pass);
    devices_start(pass);
    topology_start(pass);
    return pass;
}

void pass_destroy(struct pass *pass)
{
    if (pass == NULL)
        return;
    vector_for_each (claim, &pass->claims) {
        free((*claim)->pods.items);
        vector_free(&(*claim)->ports);
        vector_free(&(*claim)->shares);
        vector_free(&(*claim)->volumes);
    }
    memo_free(&pass->asked.launchable);
    memo_free(&pass->asked.pods);
    free(pass->doubling.groups.items);
    growing_bits_free(&pass->exclusive);
    vector_free(&pass->refusal.templates);
    vector_free(&pass->claims);
    vector_free(&pass->claim_order.first_with);
    vector_free(&pass->claim_order.last_with);
    pass_workspace_return(pass);
    free(pass);
}

// --- one pod -------------------------------------------------------------------------------------

static bool place_on_open(struct pass *pass, uint32_t pod, uint32_t class)
{
    pass->current.inverse_tries = 0;
    if (place_on_nodes(pass, pod, class))
        return true;
    pass->current.inverse_tries = 0;
    return place_on_claims(pass, pod, class);
}

// Tries existing nodes for pods that use them as a last resort.
static bool place_on_nodes_last(struct pass *pass, uint32_t pod, uint32_t class)
{
    if (!bitset_has(pass->input.retry.nodes_last, pass_pod(pass, pod)->class))
        return false;
    pass->current.last_resort = true;
    bool placed = place_on_nodes(pass, pod, class);
    pass->current.last_resort = false;
    return placed;
}

// Places the pod in a pass by added price.
static bool place_once_by_price(struct pass *pass, uint32_t pod, uint32_t class, bool avoids)
{
    for (int tries_left = avoids; tries_left >= 0; tries_left--) {
        pass->current.avoids_inverse = tries_left;
        pass->current.inverse_tries = 0;
        bool placed = place_on_nodes(pass, pod, class);
        pass->current.inverse_tries = 0;
        placed = placed || place_by_price(pass, pod, class);
        pass->current.avoids_inverse = false;
        if (placed)
            return true;
    }
    return place_on_nodes_last(pass, pod, class);
}

static bool place_once(struct pass *pass, uint32_t pod, uint32_t class)
{
    if (!pass_class(pass, class)->prepared)
        topology_prepare(pass, class);
    // SCH-516: avoids breaking other pods' spreads where that needs no additional node.
    uint32_t own = class_at(pass->problem, class)->original;
    bool avoids = pass_class(pass, class)->inverse_spreads.count > 0 &&
                  !bitset_has(pass->input.alternative.ignores_inverse, own);
    if (pass->input.alternative.by_added_price)
        return place_once_by_price(pass, pod, class, avoids);
    pass->current.avoids_inverse = avoids;
    bool placed = avoids && place_on_open(pass, pod, class);
    pass->current.avoids_inverse = false;
    if (placed || place_on_open(pass, pod, class))
        return true;
    pass->current.avoids_inverse = avoids;
    placed = avoids && place_on_new_claim(pass, pod, class);
    pass->current.avoids_inverse = false;
    return placed || place_on_new_claim(pass, pod, class) || place_on_nodes_last(pass, pod, class);
}

// Permanent refusals of a pass: SCH-36, SCH-181, SCH-423.
static bool is_barred(const struct pass *pass, const struct pod_class *class)
{
    bool devices_refused =
        class->devices != NULL
            ? class->devices->error != NULL
            : class->resource_claims && pass->problem->settings->ignore_dra_requests;
    return (class->volumes != NULL && class->volumes->error != NULL) || devices_refused ||
           class->group_error != NULL;
}

static bool depends_on_others(struct pass *pass, uint32_t class)
{
    return pass->problem->catalog.reservations_count > 0 ||
           pass_class(pass, class)->depends_on_others;
}

bool pass_could_place(struct pass *pass, uint32_t pod, uint32_t class)
{
    assert(pass->current.mode == PLACE);
    if (is_barred(pass, class_at(pass->problem, class)))
        return false;
    pass->current.mode = PLACE_PROBE;
    pass->current.required_set = pass_required_set(pass, pod);
    bool could = place_once(pass, pod, class);
    pass->current.mode = PLACE;
    return could || depends_on_others(pass, class);
}

// SCH-155: tries the pod as it is, then after each step of relaxation.
static bool try_steps(struct pass *pass, uint32_t pod, uint32_t own)
{
    struct class_state *state = pass_class(pass, own);
    if (state->hopeless || state->failed_version == pass->version + 1)
        return false;
    bool depends = false;
    for (uint32_t class = own; class != NONE; class = class_relax(pass->problem, class)) {
        if (place_once(pass, pod, class))
            return true;
        depends = depends || depends_on_others(pass, class);
        if (pass->last.reserved_error)
            break;
    }
    state = pass_class(pass, own);
    state->failed_version = pass->version + 1;
    state->hopeless = !depends;
    return false;
}

// Tries one class, unless it is known to fail. `probe`: places nothing.
static bool attempt(struct pass *pass, uint32_t pod, uint32_t own, uint32_t class, bool probe)
{
    struct class_state *state = pass_class(pass, class);
    if (state->hopeless || state->failed_version == pass->version + 1)
        return false;
    pass->current.mode = probe ? PLACE_PROBE : PLACE;
    bool placed = place_once(pass, pod, class);
    pass->current.mode = PLACE;
    bool depends = depends_on_others(pass, class);
    pass_class(pass, own)->changing = pass_class(pass, own)->changing || depends;
    if (placed)
        return true;
    if (pass->current.required_set != SET_EMPTY) // which other pods of the class do not have
        return false;
    state = pass_class(pass, class);
    state->failed_version = pass->version + 1;
    state->hopeless = !depends;
    return false;
}

static bool settle(struct pass *pass, uint32_t pod, uint32_t own, uint32_t class)
{
    if (!attempt(pass, pod, own, class, false))
        return false;
    if (pass->current.required_set == SET_EMPTY)
        pass_class(pass, own)->settled = class + 1;
    return true;
}

// SCH-509: keeps each preference, from the heaviest on, that can be kept with those before it. If
// only free capacity shrinks, the result for one pod of the class is the best that the next one can
// get; that is tried first.
static bool try_by_weight(struct pass *pass, uint32_t pod, uint32_t own)
{
    struct problem *problem = pass->problem;
    uint32_t count = class_at(problem, own)->preferences_count;
    assert(count <= PREFERENCES_MAX);
    const struct class_state *state = pass_class(pass, own);
    if (state->settled != 0 && !state->changing && settle(pass, pod, own, state->settled - 1))
        return true;
    if (settle(pass, pod, own, own))
        return true;
    uint64_t given_up = 0;
    for (uint32_t i = 0; i < count; i++)
        if (class_can_give_up(problem, class_at(problem, own), i))
            given_up |= UINT64_C(1) << i;
    if (given_up == 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t kept = given_up & ~(UINT64_C(1) << i);
        if (kept == given_up || kept == 0)
            continue;
        uint32_t class = class_without(problem, own, kept);
        if (attempt(pass, pod, own, class, true))
            given_up = kept;
    }
    return settle(pass, pod, own, class_without(problem, own, given_up));
}

static bool try_pod(struct pass *pass, uint32_t pod)
{
    assert(pass->placements[pod].kind == NOT_PLACED);
    assert(pass->current.mode == PLACE);
    assert(!pass->current.last_resort);
    assert(!pass->current.avoids_inverse);
    uint32_t own = pass_pod(pass, pod)->class;
    const struct pod_class *class = class_at(pass->problem, own);
    pass->placements[pod].tried = true;
    topology_leave(pass, pod);
    pass->current.required_set = pass_required_set(pass, pod);
    if (is_barred(pass, class) || topology_postpones(pass, class))
        return false;
    pass->last.limited = false;
    if (class->by_weight ? try_by_weight(pass, pod, own) : try_steps(pass, pod, own))
        return true;
    struct class_state *state = pass_class(pass, own);
    state->limited = state->limited || pass->last.limited;
    return false;
}

// --- the queue (SCH-151 to SCH-154) --------------------------------------------------------------

// True if a pod on the claim charges limits or reservations.
static bool is_counted(const struct pass *pass, const struct claim *claim)
{
    return pass->remaining[claim->template->index] != NULL ||
           claim->template->table->has_reservations;
}

bool pass_priorities_matter(struct pass *pass)
{
    int64_t least = INT64_MAX, wanting = INT64_MIN;
    if (!pass->problem->strategy->heeds_priorities)
        return false;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct queued_pod *pod = pass_pod(pass, i);
        int64_t priority = queued_pod_priority(pod);
        if (pass->placements[i].kind == ON_CLAIM && priority < least &&
            is_counted(pass, pass->claims.items[pass->placements[i].index]))
            least = priority;
        if (pass->placements[i].kind == NOT_PLACED && pass_class(pass, pod->class)->limited &&
            priority > wanting)
            wanting = priority;
    }
    return least < wanting;
}

// Sorts the pods by turn; pods of one turn keep their order.
static void take_turns(const struct pass *pass, uint32_t *order)
{
    uint32_t count = pass->input.queue_count, sorted = 0;
    if (pass->input.alternative.turns_count == 0)
        return;
    uint32_t *before = memory_allocate_array((size_t)count + 1, sizeof *before);
    memcpy(before, order, count * sizeof *before);
    for (uint32_t turn = 0; turn < TURNS; turn++)
        for (uint32_t i = 0; i < count; i++)
            if (pass->input.alternative.turns[pass_pod(pass, before[i])->class] == turn)
                order[sorted++] = before[i];
    assert(sorted == count);
    free(before);
}

// True if the pass was only asked whether existing nodes will do, and they do not.
static bool is_answered(const struct pass *pass, uint32_t pod)
{
    return pass->input.fits_or_stops && pass->placements[pod].kind == ON_CLAIM &&
           queued_pod_is_displaced(pass_pod(pass, pod));
}

void pass_run_queue(struct pass *pass)
{
    uint32_t count = 0;
    struct waiting {
        uint32_t pod, length; // length of the queue when the pod was pushed back; 0: never
    } *ring = memory_allocate_array((size_t)pass->input.queue_count + 1, sizeof *ring);
    uint32_t capacity = pass->input.queue_count + 1;
    uint32_t *order = memory_allocate_array(capacity, sizeof *order);
    topology_order(pass, order);
    assert(pass->current.mode == PLACE);
    take_turns(pass, order);
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        if (pass->placements[order[i]].kind == NOT_PLACED &&
            class_at(pass->problem, pass_pod(pass, order[i])->class)->refusal == NULL)
            ring[count++] = (struct waiting){order[i], 0};
    free(order);
    uint32_t head = 0, tail = count % capacity;
    assert(count < capacity);
    uint64_t attempts = pass->input.attempts_max > 0 ? pass->input.attempts_max : ATTEMPTS_MAX;
    for (; count > 0 && attempts > 0; attempts--) {
        if (ring[head].length == count) { // a round without progress
            if (!topology_start_doubling(pass))
                break;
            for (uint32_t i = 0; i < capacity; i++)
                ring[i].length = 0;
        }
        uint32_t pod = ring[head].pod;
        head = (head + 1) % capacity;
        if (try_pod(pass, pod)) {
            if (is_answered(pass, pod))
                break;
            count--;
            continue;
        }
        ring[tail] = (struct waiting){pod, count};
        tail = (tail + 1) % capacity;
    }
    free(ring);
}
