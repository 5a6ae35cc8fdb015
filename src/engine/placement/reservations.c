#include "engine/placement/reservations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology.h"

static bool refuse(struct pass *pass, const char *error)
{
    pass->last.reserved_error = true;
    if (refusal_begin(pass, REASON_RESERVED_EXHAUSTED) != NULL)
        text_add(pass->refusal.why, error);
    return false;
}

static const char none_left[] =
    "one or more instance types with compatible reserved offerings are available, but could not be "
    "reserved";
static const char would_lose[] =
    "satisfying updated nodeclaim constraints would remove all compatible reserved offering "
    "options";

static bool is_before(const struct problem *problem, bool held, int64_t price, uint32_t id,
                      bool best_held, int64_t best_price, uint32_t best)
{
    if (held != best_held)
        return held;
    if (price != best_price)
        return price < best_price;
    return strcmp(problem->catalog.reservations[id].id, problem->catalog.reservations[best].id) < 0;
}

// The cheapest free reservation that the attempt does not have yet, ties by name; those that the
// claim holds come first. NONE: there is none. Sets *compatible if a compatible reservation has
// instances.
static uint32_t choose(struct pass *pass, const struct claim *claim,
                       const struct claim_attempt *attempt, bool *compatible)
{
    struct problem *problem = pass->problem;
    const struct type_table *table = claim->template->table;
    uint32_t best = NONE;
    bool best_held = false;
    int64_t best_price = 0;
    *compatible = false;
    bitset_for_each (r, attempt->rows) {
        assert(r < table->count);
        list_for_each (offering, &table->rows[r].offerings) {
            uint32_t id = offering->reservation;
            if (id == NONE || !sets_compatible(problem->sets, attempt->set, offering->set, true))
                continue;
            *compatible = true;
            bool held = bitset_has(claim->reservations, id);
            if (bitset_has(attempt->reservations, id) || (!held && pass->reserved_left[id] <= 0))
                continue;
            if (best == NONE ||
                is_before(problem, held, offering->price, id, best_held, best_price, best)) {
                best = id;
                best_held = held;
                best_price = offering->price;
            }
        }
    }
    return best;
}

static bool min_values_hold(struct problem *problem, const struct claim *claim,
                            const struct claim_attempt *attempt, struct bitset rows)
{
    if (!claim->template->has_min_values)
        return true;
    uint32_t *keys = memory_allocate_array(problem->sets->sets[attempt->set].count, sizeof *keys);
    bool met = unmet_min_values(problem, claim->template->table, rows, attempt->set, keys) == 0;
    free(keys);
    return met;
}

// True if the machines of the attempt's reservations satisfy minValues.
static bool reserved_suffice(struct pass *pass, const struct claim *claim,
                             const struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    if (!claim->template->has_min_values)
        return true;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset rows = bitset_create(scratch, attempt->rows.bits);
    bitset_for_each (r, attempt->rows)
        list_for_each (offering, &claim->template->table->rows[r].offerings)
            if (offering->reservation != NONE &&
                bitset_has(attempt->reservations, offering->reservation) &&
                sets_compatible(problem->sets, attempt->set, offering->set, true))
                bitset_set(rows, r);
    return min_values_hold(problem, claim, attempt, rows);
}

// Restricts the claim to other capacity types; false if the pool or the pods allow no other.
static bool use_other_capacity(struct pass *pass, const struct claim *claim,
                               struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    uint32_t values[] = {vocabulary_value(problem->vocabulary, CAPACITY_TYPE_ON_DEMAND),
                         vocabulary_value(problem->vocabulary, CAPACITY_TYPE_SPOT)};
    struct requirement others =
        requirement_in_values(scratch, problem->keys.capacity_type, values, ARRAY_LENGTH(values));
    uint32_t only = set_add(problem->sets, SET_EMPTY, &others);
    if (!sets_intersect(problem->sets, attempt->set, only))
        return false;
    uint32_t set = set_meet(problem->sets, attempt->set, only);
    const struct row_filter *filter = type_table_filter(problem, claim->template->table, set);
    uint64_t any = 0;
    for (uint32_t w = 0; w < bitset_words(attempt->rows.bits); w++)
        any |= attempt->rows.words[w] & filter->both.words[w];
    if (any == 0)
        return false;
    bitset_and(attempt->rows, filter->both);
    attempt->set = set;
    return min_values_hold(problem, claim, attempt, attempt->rows);
}

static void release_all(const struct pass *pass, struct claim_attempt *attempt)
{
    memset(attempt->reservations.words, 0,
           bitset_words(pass->problem->catalog.reservations_count) * sizeof(uint64_t));
}

// Drops taken reservations that are not needed, the most expensive first.
static void drop_needless(struct pass *pass, const struct claim *claim,
                          struct claim_attempt *attempt, const uint32_t *taken, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        bitset_clear(attempt->reservations, taken[i]);
        if (!reserved_suffice(pass, claim, attempt))
            bitset_set(attempt->reservations, taken[i]);
    }
}

// SCH-522: one reservation a claim; with minValues, the fewest that have enough machines. Without a
// free reservation the claim uses other capacity types, in the same pass. A claim keeps its
// reservation and refuses pods that do not fit it.
static bool reserve_few(struct pass *pass, const struct claim *claim, struct claim_attempt *attempt)
{
    bool compatible;
    uint32_t id, count = 0;
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    uint32_t *taken =
        arena_allocate_array(scratch, pass->problem->catalog.reservations_count + 1, sizeof *taken);
    while ((id = choose(pass, claim, attempt, &compatible)) != NONE) {
        assert(count < pass->problem->catalog.reservations_count);
        bitset_set(attempt->reservations, id);
        taken[count++] = id;
        if (!reserved_suffice(pass, claim, attempt))
            continue;
        drop_needless(pass, claim, attempt, taken, count - 1);
        return true;
    }
    release_all(pass, attempt);
    if (!bitset_empty(claim->reservations) && pass->input.reserved_strict)
        return refuse(pass, would_lose);
    if (!compatible || use_other_capacity(pass, claim, attempt))
        return true;
    if (!pass->input.reserved_strict && !claim->template->has_min_values)
        return true;
    return refuse(pass, none_left);
}

// SCH-257: one instance of every reservation that the claim may be launched into. If these have too
// few machines for minValues, the claim uses none of them.
static bool reserve_all(struct pass *pass, const struct claim *claim, struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    const struct type_table *table = claim->template->table;
    bool compatible = false, any = false;
    bitset_for_each (r, attempt->rows) {
        list_for_each (offering, &table->rows[r].offerings) {
            if (offering->reservation == NONE ||
                !sets_compatible(problem->sets, attempt->set, offering->set, true))
                continue;
            compatible = true;
            if (pass->reserved_left[offering->reservation] > 0 ||
                bitset_has(claim->reservations, offering->reservation)) {
                bitset_set(attempt->reservations, offering->reservation);
                any = true;
            }
        }
    }
    if (any && !reserved_suffice(pass, claim, attempt)) {
        release_all(pass, attempt);
        if (bitset_empty(claim->reservations) && use_other_capacity(pass, claim, attempt))
            return true;
        any = false;
    }
    if (!pass->input.reserved_strict)
        return true;
    if (compatible && !any)
        return refuse(pass, none_left);
    if (!any && !bitset_empty(claim->reservations))
        return refuse(pass, would_lose);
    return true;
}

bool reservations_check(struct pass *pass, const struct claim *claim, struct claim_attempt *attempt)
{
    assert(claim->template->table->has_reservations);
    release_all(pass, attempt);
    return pass->problem->strategy->assigns_one_reservation ? reserve_few(pass, claim, attempt)
                                                            : reserve_all(pass, claim, attempt);
}

void reservations_take(struct pass *pass, struct claim *claim, const struct claim_attempt *attempt)
{
    for (uint32_t r = 0; r < pass->problem->catalog.reservations_count; r++) {
        bool had = bitset_has(claim->reservations, r), has = bitset_has(attempt->reservations, r);
        if (has && !had)
            pass->reserved_left[r]--;
        else if (had && !has)
            pass->reserved_left[r]++;
    }
    bitset_copy(claim->reservations, attempt->reservations);
}
