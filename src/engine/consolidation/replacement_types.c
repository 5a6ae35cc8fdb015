#include "engine/consolidation/replacement_types.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/quantity.h"
#include "engine/consolidation/cheap_zones.h"
#include "engine/placement/claim_price.h"
#include "engine/problem/state_node.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/overlays.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"

#define SPOT_TYPES_MIN 15 // DIS-175
#define SPOT_SAVING    30 // percent, with fewer types (DIS-751)

// --- capacity types ------------------------------------------------------------------------------

static bool allows(struct problem *problem, uint32_t set, const char *capacity_type)
{
    const struct requirement *requirement =
        set_get(problem->sets, set, problem->keys.capacity_type);
    return requirement == NULL ||
           requirement_has(problem->vocabulary, requirement,
                           vocabulary_value(problem->vocabulary, capacity_type));
}

static uint32_t narrowed(struct disruption *disruption, uint32_t set, const char *capacity_type)
{
    struct problem *problem = disruption->problem;
    struct requirement only = requirement_in(disruption->arena, problem->keys.capacity_type,
                                             vocabulary_value(problem->vocabulary, capacity_type));
    return set_add(problem->sets, set, &only);
}

static bool are_all_spot(struct disruption_candidate *const *candidates, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!text_equal(string_map_get(candidates[i]->state->labels, LABEL_CAPACITY_TYPE),
                        CAPACITY_TYPE_SPOT))
            return false;
    return count > 0;
}

// --- types and prices ----------------------------------------------------------------------------

// The keys with unmet minValues, as DIS-168 names them; NULL if all are met.
static const char *min_values_unmet(struct disruption *disruption, const struct claim *claim)
{
    struct problem *problem = disruption->problem;
    if (bitset_empty(claim->rows))
        return NULL;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    uint32_t *keys =
        arena_allocate_array(scratch, problem->sets->sets[claim->set].count + 1, sizeof *keys);
    uint32_t unmet =
        unmet_min_values(problem, claim->template->table, claim->rows, claim->set, keys);
    if (unmet == 0)
        return NULL;
    struct text text = {0};
    for (uint32_t i = 0; i < unmet; i++)
        text_join(&text, " ", vocabulary_key_text(problem->vocabulary, keys[i]));
    const char *names = arena_copy_string(disruption->arena, text.data);
    text_free(&text);
    return names;
}

// DIS-168, DIS-169; `*rule` is the one that applies. NULL: something is left.
static const char *nothing_left(struct disruption *disruption, const struct claim *claim,
                                const char **rule)
{
    const char *unmet = min_values_unmet(disruption, claim);
    *rule = unmet != NULL ? "DIS-168" : "DIS-169";
    if (unmet != NULL)
        return arena_format(disruption->arena,
                            "Filtering by price: minValues requirement is not met for label(s) "
                            "(label(s)=[%s])",
                            unmet);
    return bitset_empty(claim->rows) ? "Can't replace with a cheaper node" : NULL;
}

// DIS-167 to DIS-170.
static const char *replace_by_worst_price(struct disruption *disruption,
                                          struct consolidation_move *move, int64_t price)
{
    struct problem *problem = disruption->problem;
    struct claim *claim = move->claim;
    keep_cheaper(problem, claim, claim->set, price);
    const char *why = nothing_left(disruption, claim, &move->rule);
    if (why == NULL && allows(problem, claim->set, CAPACITY_TYPE_SPOT) &&
        allows(problem, claim->set, CAPACITY_TYPE_ON_DEMAND))
        claim->set = narrowed(disruption, claim->set, CAPACITY_TYPE_SPOT);
    return why;
}

// True if the claim's requirements leave available types, enough for minValues.
static bool is_launchable(struct disruption *disruption, const struct claim *claim)
{
    struct problem *problem = disruption->problem;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct claim offered = *claim;
    offered.rows = bitset_create(scratch, claim->rows.bits);
    bitset_copy(offered.rows, claim->rows);
    bitset_and(offered.rows,
               type_table_filter(problem, claim->template->table, claim->set)->offered);
    return !bitset_empty(offered.rows) && min_values_unmet(disruption, &offered) == NULL;
}

// The same, but without ruling out a cheaper possible node: by DIS-741 a capacity type stays
// allowed unless nothing is left, by DIS-740 without zones that are too expensive.
static const char *replace_by_price(struct disruption *disruption, struct consolidation_move *move,
                                    int64_t price)
{
    static const char *const capacity_types[] = {CAPACITY_TYPE_SPOT, CAPACITY_TYPE_ON_DEMAND};
    struct problem *problem = disruption->problem;
    struct claim *claim = move->claim;
    uint32_t set = claim->set;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset rows = bitset_create(scratch, claim->rows.bits);
    bitset_copy(rows, claim->rows);
    const char *why = replace_by_worst_price(disruption, move, price);
    if (!disruption->strategy->narrows_to_cheap_zones ||
        (why == NULL && is_launchable(disruption, claim)))
        return why;
    for (size_t i = 0; i < 2 * ARRAY_LENGTH(capacity_types); i++) {
        const char *capacity_type = capacity_types[i % ARRAY_LENGTH(capacity_types)];
        if (!allows(problem, set, capacity_type))
            continue;
        bitset_copy(claim->rows, rows);
        claim->set = narrowed(disruption, set, capacity_type);
        if (i < ARRAY_LENGTH(capacity_types))
            keep_cheaper(problem, claim, claim->set, price);
        else
            cheap_zones_only(problem, claim, price);
        move->priced = claim->set;
        if (nothing_left(disruption, claim, &move->rule) == NULL)
            return NULL;
    }
    return why != NULL ? why : "Can't replace with a cheaper node";
}

static bool has_min_values(const struct problem *problem, uint32_t set)
{
    for (uint32_t i = 0; i < problem->sets->sets[set].count; i++)
        if (requirement_get(problem->sets, problem->sets->sets[set].requirements[i])->min_values >
            0)
            return true;
    return false;
}

// DIS-176: keeps the first types that meet minValues, at least 15.
static void cut_for_spot(struct disruption *disruption, struct consolidation_move *move)
{
    struct problem *problem = disruption->problem;
    struct claim *claim = move->claim;
    struct type_table *table = claim->template->table;
    uint32_t most = SPOT_TYPES_MIN, all = count_types(table, claim->rows);
    assert(all >= most);
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset whole = bitset_create(scratch, claim->rows.bits);
    bitset_copy(whole, claim->rows);
    keep_cheapest_types(problem, table, move->priced, most, claim->rows);
    while (has_min_values(problem, claim->set) && most < all &&
           min_values_unmet(disruption, claim) != NULL) {
        bitset_copy(claim->rows, whole);
        keep_cheapest_types(problem, table, move->priced, ++most, claim->rows);
    }
}

// DIS-751: spot machines of the pool are interrupted more often than such types in all pools; then
// the claim keeps its choice of types. Types without history are not known to be safer. NULL: this
// does not apply.
static const char *too_many_interruptions(struct disruption *disruption, const struct claim *claim,
                                          const char *pool)
{
    const struct interruption_list *list = disruption->inputs->interruptions;
    const struct type_table *table = claim->template->table;
    struct interruption_rate own = {0}, target = {0};
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        const struct interruption_rate *rate = &list->items[i];
        if (strcmp(rate->pool, pool) == 0) {
            own.interruptions += rate->interruptions;
            own.seconds += rate->seconds;
        }
        bool is_target = false;
        bitset_for_each (r, claim->rows)
            is_target = is_target || strcmp(table->rows[r].type->name, rate->type) == 0;
        if (is_target) {
            target.interruptions += rate->interruptions;
            target.seconds += rate->seconds;
        }
    }
    if (own.interruptions == 0 || (target.seconds > 0 && own.seconds > 0 &&
                                   (__int128)own.interruptions * target.seconds <=
                                       (__int128)target.interruptions * own.seconds))
        return NULL;
    return arena_format(
        disruption->arena,
        "spot machines of the NodePool were interrupted %" PRId64 " times in %" PRId64
        " machine-hours of the last 7 days, those types %" PRId64 " times in %" PRId64,
        own.interruptions, own.seconds / 3600, target.interruptions, target.seconds / 3600);
}

// DIS-175; by DIS-751 fewer types suffice if much is saved and the pool is rarely interrupted.
static const char *too_few_types(struct disruption *disruption, struct consolidation_move *move,
                                 int64_t price, uint32_t types, const char *pool)
{
    assert(types < SPOT_TYPES_MIN);
    move->rule = "DIS-175";
    const char *why =
        arena_format(disruption->arena,
                     "SpotToSpotConsolidation requires 15 cheaper instance type "
                     "options than the current candidate to consolidate, got %" PRIu32,
                     types);
    if (types < disruption->problem->settings->spot_min_types)
        return why;
    int64_t saving =
        quantity_subtract(price, claim_expected_price(disruption->problem, move->claim));
    if (quantity_multiply(saving, 100) >= quantity_multiply(price, SPOT_SAVING)) {
        const char *interrupted = too_many_interruptions(disruption, move->claim, pool);
        move->rule = "DIS-751";
        return interrupted != NULL ? arena_format(disruption->arena, "%s; %s", why, interrupted)
                                   : NULL;
    }
    move->rule = "DIS-751";
    return arena_format(disruption->arena, "%s; with fewer it must save %d%%, and would save %d%%",
                        why, SPOT_SAVING,
                        saving > 0 && price > 0 ? (int)((__int128)saving * 100 / price) : 0);
}

// DIS-172 to DIS-176.
static const char *replace_spot_by_spot(struct disruption *disruption,
                                        struct consolidation_move *move, int64_t price,
                                        const char *pool, bool single)
{
    struct problem *problem = disruption->problem;
    struct claim *claim = move->claim;
    move->rule = "DIS-172";
    if (!problem->settings->gate_spot_to_spot_consolidation)
        return "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node";
    claim->set = narrowed(disruption, claim->set, CAPACITY_TYPE_SPOT);
    bitset_and(claim->rows,
               type_table_filter(problem, claim->template->table, claim->set)->offered);
    keep_cheaper(problem, claim, claim->set, price);
    const char *why = nothing_left(disruption, claim, &move->rule);
    if (why != NULL || !single)
        return why;
    uint32_t types = count_types(claim->template->table, claim->rows);
    if (types < SPOT_TYPES_MIN)
        return too_few_types(disruption, move, price, types, pool);
    cut_for_spot(disruption, move);
    return NULL;
}

// DIS-743.
static const char *unknown_price(struct disruption *disruption,
                                 struct disruption_candidate *const *candidates, uint32_t count)
{
    for (uint32_t i = 0; disruption->strategy->needs_known_prices && i < count; i++) {
        const struct string_map *labels = candidates[i]->state->labels;
        if (!candidates[i]->price_known)
            return arena_format(disruption->arena, "price of %s in %s unknown",
                                string_map_get(labels, LABEL_INSTANCE_TYPE),
                                string_map_get(labels, LABEL_ZONE));
    }
    return NULL;
}

bool move_is_barred(struct disruption *disruption, const struct claim *claim,
                    struct disruption_candidate *const *candidates, uint32_t count)
{
    return !disruption->problem->settings->gate_spot_to_spot_consolidation &&
           are_all_spot(candidates, count) &&
           allows(disruption->problem, claim->set, CAPACITY_TYPE_SPOT);
}

const char *move_narrow(struct disruption *disruption, struct consolidation_move *move,
                        struct disruption_candidate *const *candidates, uint32_t count,
                        int64_t price)
{
    assert(count > 0);
    assert(move->priced == move->claim->set);
    const char *unknown = unknown_price(disruption, candidates, count);
    if (unknown != NULL) {
        move->rule = "DIS-743";
        return unknown;
    }
    bool spot = are_all_spot(candidates, count) &&
                allows(disruption->problem, move->claim->set, CAPACITY_TYPE_SPOT);
    return spot ? replace_spot_by_spot(disruption, move, price,
                                       candidates[0]->pool->pool->meta.name, count == 1)
                : replace_by_price(disruption, move, price);
}

// --- types of the candidates (DIS-203) -----------------------------------------------------------

// The cheapest offering of the candidate's type, available or not, that matches the candidate;
// INT64_MAX if there is none.
static int64_t own_price(struct disruption *disruption,
                         const struct disruption_candidate *candidate)
{
    struct problem *problem = disruption->problem;
    const struct instance_type *type = candidate->type;
    assert(type != NULL); // else it is no candidate (DIS-150)
    const struct overlay_effect *effect = overlays_effect(problem, candidate->pool->pool, type);
    uint32_t labels = set_from_labels(problem->sets, candidate->state->labels);
    int64_t lowest = INT64_MAX;
    for (uint32_t i = 0; i < type->offerings.count; i++) {
        const struct offering *offering = &type->offerings.items[i];
        int64_t price =
            effect != NULL && effect->prices[i] >= 0 ? effect->prices[i] : offering->price;
        price = quantity_add(price, price_surcharge(&problem->catalog.prices, type, offering));
        if (price < lowest &&
            sets_compatible(problem->sets, labels,
                            set_from_api(problem->sets, &offering->requirements), true))
            lowest = price;
    }
    return lowest;
}

// The price of the cheapest candidate type that is also listed (DIS-203). A type without any
// candidate price counts 0: nothing is cheaper. INT64_MAX: none is listed.
static int64_t lowest_own_price(struct disruption *disruption, const struct map *listed,
                                struct disruption_candidate *const *candidates, uint32_t count)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct map *by_type = map_create();
    int64_t lowest = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const char *type = candidates[i]->type->name;
        if (map_get(listed, type) == NULL)
            continue;
        int64_t price = own_price(disruption, candidates[i]), *of_type = map_get(by_type, type);
        if (of_type == NULL) {
            of_type = arena_allocate(scratch, sizeof *of_type);
            *of_type = INT64_MAX;
            map_set(by_type, type, of_type);
        }
        *of_type = price < *of_type ? price : *of_type;
    }
    for (struct map_entry *entry = map_first(by_type); entry != NULL; entry = map_next(entry)) {
        int64_t price = *(const int64_t *)map_value(entry);
        price = price == INT64_MAX ? 0 : price;
        lowest = price < lowest ? price : lowest;
    }
    map_destroy(by_type, NULL);
    return lowest;
}

bool move_keep_off_own_types(struct disruption *disruption, struct consolidation_move *move,
                             struct disruption_candidate *const *candidates, uint32_t count)
{
    struct claim *claim = move->claim;
    const struct type_table *table = claim->template->table;
    struct map *listed = map_create();
    bitset_for_each (r, claim->rows)
        map_set(listed, table->rows[r].type->name, (void *)(uintptr_t)table->rows[r].type);
    int64_t limit = lowest_own_price(disruption, listed, candidates, count);
    map_destroy(listed, NULL);
    keep_cheaper(disruption->problem, claim, claim->set, limit);
    const char *rule;
    return nothing_left(disruption, claim, &rule) == NULL;
}
