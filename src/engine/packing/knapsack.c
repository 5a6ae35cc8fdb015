#include "engine/packing/knapsack.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "engine/packing/packing.h"

#define ITEMS_MAX      96
#define DIMENSIONS_MAX 8 // that a weighting tells apart
#define SHARES         4 // steps between two dimensions

struct entry {
    uint32_t position; // in the list of items
    const int64_t *need;
    double value, weight, density;
    uint32_t most;
};
struct search {
    const struct packing *packing;
    struct entry entries[ITEMS_MAX];
    uint32_t count;
    int64_t *room;
    const double *weights; // by dimension, of one unit
    uint32_t units[ITEMS_MAX], best_units[ITEMS_MAX];
    double best;
    uint64_t nodes, nodes_max;
    bool found;
};

// --- weighings -----------------------------------------------------------------------------------

static double weigh(const struct packing *packing, const double *weights, const int64_t *need)
{
    double sum = 0;
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        sum += weights[d] * (double)need[d];
    return sum;
}

// The bound by these weights, whose sum over the machine's room is 1; stops early above `limit`.
static double bound_by(const struct packing *packing, const uint32_t *items, uint32_t count,
                       const double *weights, double limit)
{
    double densest = 0;
    for (uint32_t i = 0; i < count && densest < limit; i++) {
        const struct packing_item *item = &packing->items.items[items[i]];
        double weight = weigh(packing, weights, item->need);
        if (item->value > densest * weight)
            densest = weight > 0 ? item->value / weight : INFINITY;
    }
    return densest;
}

static void try_weights(const struct packing *packing, const uint32_t *items, uint32_t count,
                        const double *weights, double *best, double *best_weights)
{
    double own = bound_by(packing, items, count, weights, *best);
    if (own >= *best)
        return;
    *best = own;
    memcpy(best_weights, weights, DIMENSIONS_MAX * sizeof *weights);
}

// Tries each dimension alone, then steps between the two tightest.
static double best_weights(const struct packing *packing, const int64_t *room,
                           const uint32_t *items, uint32_t count, double *chosen)
{
    double weights[DIMENSIONS_MAX] = {0}, best = INFINITY, second = INFINITY;
    uint32_t first = NONE, other = NONE;
    memset(chosen, 0, sizeof weights);
    for (uint32_t d = 0; d < packing->dimensions_count && d < DIMENSIONS_MAX; d++) {
        if (room[d] <= 0)
            continue;
        weights[d] = 1 / (double)room[d];
        double own = bound_by(packing, items, count, weights, INFINITY);
        if (own < best) {
            second = best;
            other = first;
            best = own;
            first = d;
            memcpy(chosen, weights, sizeof weights);
        } else if (own < second) {
            second = own;
            other = d;
        }
        weights[d] = 0;
    }
    assert(other == NONE || other != first);
    for (uint32_t share = 1; share < SHARES && other != NONE; share++) {
        weights[first] = (double)share / SHARES / (double)room[first];
        weights[other] = (double)(SHARES - share) / SHARES / (double)room[other];
        try_weights(packing, items, count, weights, &best, chosen);
    }
    return best;
}

double knapsack_bound(const struct packing *packing, const int64_t *room, const uint32_t *items,
                      uint32_t count)
{
    double weights[DIMENSIONS_MAX];
    return best_weights(packing, room, items, count, weights);
}

// --- the search ----------------------------------------------------------------------------------

static uint32_t most_units(const struct search *search, const struct entry *entry)
{
    int64_t most = entry->most;
    for (uint32_t d = 0; d < search->packing->dimensions_count; d++)
        if (entry->need[d] > 0 && search->room[d] / entry->need[d] < most)
            most = search->room[d] / entry->need[d];
    return (uint32_t)(most > 0 ? most : 0);
}

static void take(struct search *search, const struct entry *entry, int64_t units)
{
    for (uint32_t d = 0; d < search->packing->dimensions_count; d++)
        search->room[d] -= units * entry->need[d];
}

static void descend(struct search *search, uint32_t i, double value, double weight_left)
{
    search->nodes++;
    if (value > search->best) {
        search->best = value;
        search->found = true;
        memcpy(search->best_units, search->units, sizeof search->units);
    }
    for (; i < search->count && search->nodes < search->nodes_max; i++) {
        const struct entry *entry = &search->entries[i];
        if (value + weight_left * entry->density <= search->best)
            return;
        uint32_t most = most_units(search, entry);
        for (uint32_t units = most; units > 0 && search->nodes < search->nodes_max; units--) {
            take(search, entry, units);
            search->units[i] = units;
            descend(search, i + 1, value + units * entry->value,
                    weight_left - units * entry->weight);
            search->units[i] = 0;
            take(search, entry, -(int64_t)units);
        }
    }
}

static void insert(struct search *search, const struct entry *entry)
{
    uint32_t at = search->count;
    while (at > 0 && search->entries[at - 1].density < entry->density)
        at--;
    if (at == ITEMS_MAX)
        return;
    uint32_t moved = search->count < ITEMS_MAX ? search->count - at : ITEMS_MAX - 1 - at;
    memmove(&search->entries[at + 1], &search->entries[at], moved * sizeof *entry);
    assert(at + moved < ITEMS_MAX);
    search->entries[at] = *entry;
    search->count += search->count < ITEMS_MAX;
}

// Of so many units left, those that a machine may hold by its rules, room aside.
static uint32_t most_of_item(const struct packing_item *item, uint32_t left)
{
    uint32_t most = left;
    for (uint32_t r = 0; r < item->rules_count; r++)
        if (item->rules[r].adds > 0 &&
            (uint32_t)(item->rules[r].limit / item->rules[r].adds) < most)
            most = (uint32_t)(item->rules[r].limit / item->rules[r].adds);
    return item->ports.count > 0 ? 1 : most;
}

static void list_items(struct search *search, const uint32_t *items, uint32_t count, bool alike)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct packing_item *item = &search->packing->items.items[items[i]];
        struct entry entry = {.position = i, .need = item->need, .value = item->value};
        entry.weight = weigh(search->packing, search->weights, item->need);
        entry.density = entry.weight > 0 ? entry.value / entry.weight : INFINITY;
        entry.most = alike ? item->alike : most_of_item(item, search->packing->left[items[i]]);
        if (entry.value > 0)
            insert(search, &entry);
    }
}

bool knapsack_solve(struct packing *packing, const int64_t *room, const uint32_t *items,
                    uint32_t count, double at_least, uint64_t nodes_max, uint32_t *units,
                    double *upper)
{
    double weights[DIMENSIONS_MAX];
    *upper = best_weights(packing, room, items, count, weights);
    packing->steps += count * SHARES;
    if (*upper <= at_least)
        return false;
    if (packing->dimensions_count > DIMENSIONS_MAX || isinf(*upper))
        return false;
    int64_t left[DIMENSIONS_MAX];
    memcpy(left, room, packing->dimensions_count * sizeof *left);
    struct search search = {.packing = packing,
                            .room = left,
                            .weights = weights,
                            .best = at_least,
                            .nodes_max = nodes_max};
    list_items(&search, items, count, false);
    descend(&search, 0, 0, 1);
    packing->steps += 2 * search.nodes;
    if (search.nodes < search.nodes_max && count <= ITEMS_MAX)
        *upper = search.best;
    assert(search.count <= ITEMS_MAX);
    assert(search.best >= at_least);
    memset(units, 0, count * sizeof *units);
    for (uint32_t i = 0; i < search.count; i++)
        units[search.entries[i].position] = search.best_units[i];
    return search.found;
}

// The value of filling the machine with fractions of the densest remaining entries.
static double fractions(const struct search *search)
{
    double left = 1, sum = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct entry *entry = &search->entries[i];
        double weight = fmin(entry->most * entry->weight, left);
        sum += weight * entry->density;
        left -= weight;
    }
    return sum;
}

double knapsack_most(struct packing *packing, const int64_t *room, const uint32_t *items,
                     uint32_t count, double at_least, uint64_t nodes_max)
{
    double weights[DIMENSIONS_MAX];
    double upper = best_weights(packing, room, items, count, weights);
    if (upper <= at_least || isinf(upper) || packing->dimensions_count > DIMENSIONS_MAX ||
        count > ITEMS_MAX)
        return fmax(upper, at_least);
    int64_t left[DIMENSIONS_MAX];
    memcpy(left, room, packing->dimensions_count * sizeof *left);
    struct search search = {.packing = packing,
                            .room = left,
                            .weights = weights,
                            .best = at_least,
                            .nodes_max = nodes_max};
    list_items(&search, items, count, true);
    assert(search.count <= count);
    upper = fmin(upper, fractions(&search));
    if (upper <= at_least)
        return at_least;
    descend(&search, 0, 0, 1);
    packing->steps += 2 * search.nodes;
    return search.nodes < nodes_max ? search.best : upper;
}
