#include "engine/consolidation/cheap_zones.h"

#include <assert.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/placement/claim_price.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/type_table.h"

bool keep_cheaper(struct problem *problem, struct claim *claim, uint32_t set, int64_t price)
{
    assert(claim->rows.bits == claim->template->table->count);
    const int64_t *worst = type_table_worst_prices(problem, claim->template->table, set);
    bool dropped = false;
    int64_t cpu = claim->requests[DIMENSION_CPU];
    for (uint32_t w = 0; w < bitset_words(claim->rows.bits); w++)
        for (uint64_t left = claim->rows.words[w]; left != 0; left &= left - 1) {
            uint32_t row = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (quantity_add(worst[row], row_burst_cost(claim->template, row, cpu)) < price)
                continue;
            claim->rows.words[w] &= ~(left & -left);
            dropped = true;
        }
    return dropped;
}

// True if any row costs less in some zone; usually none does, which saves the check of zones.
static bool some_are_cheaper(struct problem *problem, const struct claim *claim, int64_t price)
{
    return claim_cheapest_price(problem, claim) < price;
}

static uint32_t zone_of(const struct problem *problem, uint32_t set)
{
    const struct requirement *zone = set_get(problem->sets, set, problem->keys.zone);
    return zone != NULL && !zone->complement && zone->count == 1 ? zone->values[0] : NONE;
}

struct zones {
    uint32_t *values; // sorted by text
    uint32_t count;
};

static void add_zone(struct zones *zones, uint32_t zone)
{
    for (uint32_t i = 0; i < zones->count; i++)
        if (zones->values[i] == zone)
            return;
    zones->values[zones->count++] = zone;
}

// By variety of offering: its zone; NONE if the claim cannot have it.
static uint32_t *zones_of_varieties(struct problem *problem, const struct claim *claim,
                                    struct arena *scratch)
{
    const struct type_table *table = claim->template->table;
    uint32_t *zones = arena_allocate_array(scratch, table->varieties_count + 1, sizeof *zones);
    for (uint32_t v = 0; v < table->varieties_count; v++)
        zones[v] = sets_compatible(problem->sets, claim->set, table->varieties[v], true)
                       ? zone_of(problem, table->varieties[v])
                       : NONE;
    return zones;
}

// The zones with offerings, and the zone of the cheapest one; NONE: there are no zones.
static uint32_t find_zones(struct problem *problem, const struct claim *claim,
                           struct arena *scratch, struct zones *zones)
{
    const struct type_table *table = claim->template->table;
    const uint32_t *zone_by_variety = zones_of_varieties(problem, claim, scratch);
    int64_t lowest = INT64_MAX;
    uint32_t best = NONE;
    bitset_for_each (r, claim->rows) {
        int64_t burst = row_burst_cost(claim->template, r, claim->requests[DIMENSION_CPU]);
        list_for_each (offering, &table->rows[r].offerings) {
            uint32_t zone = zone_by_variety[offering->variety];
            int64_t price = quantity_add(offering->price, burst);
            if (zone == NONE || (price > lowest && zone == best))
                continue;
            add_zone(zones, zone);
            if (best == NONE || price < lowest ||
                (price == lowest && strcmp(vocabulary_value_text(problem->vocabulary, zone),
                                           vocabulary_value_text(problem->vocabulary, best)) < 0)) {
                lowest = price;
                best = zone;
            }
        }
    }
    assert((best == NONE) == (zones->count == 0));
    vocabulary_sort_values(problem->vocabulary, zones->values, zones->count);
    return best;
}

static uint32_t with_zones(struct problem *problem, struct arena *scratch, uint32_t set,
                           const struct zones *zones)
{
    struct requirement requirement =
        requirement_in_values(scratch, problem->keys.zone, zones->values, zones->count);
    return set_add(problem->sets, set, &requirement);
}

void cheap_zones_only(struct problem *problem, struct claim *claim, int64_t price)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    bool any = some_are_cheaper(problem, claim, price);
    uint32_t room = any ? problem->sets->vocabulary->facts_count + 1 : 1;
    struct zones all = {.values = arena_allocate_array(scratch, room, sizeof *all.values)};
    struct zones taken = {.values = arena_allocate_array(scratch, room, sizeof *taken.values)};
    uint32_t best = any ? find_zones(problem, claim, scratch, &all) : NONE, set = claim->set;
    if (best == NONE) {
        memset(claim->rows.words, 0, bitset_words(claim->rows.bits) * 8);
        return;
    }
    add_zone(&taken, best);
    assert(taken.count == 1);
    claim->set = with_zones(problem, scratch, set, &taken);
    keep_cheaper(problem, claim, claim->set, price);
    struct claim removal = *claim;
    removal.rows = bitset_create(scratch, claim->rows.bits);
    for (uint32_t i = 0; i < all.count; i++) {
        if (all.values[i] == best)
            continue;
        taken.values[taken.count++] = all.values[i];
        removal.set = with_zones(problem, scratch, set, &taken);
        bitset_copy(removal.rows, claim->rows);
        if (keep_cheaper(problem, &removal, removal.set, price))
            taken.count--;
        else
            claim->set = removal.set;
    }
}
