#include "engine/packing/knapsack.h"

#include <math.h>
#include <string.h>

#include "engine/packing/packing.h"

#define KINDS_MAX      96
#define DIMENSIONS_MAX 8 // that a weighing tells apart
#define SHARES         4 // steps from one dimension to another

struct item {
    uint32_t position; // in the list of kinds
    const int64_t *need;
    double value, weight, density;
    uint32_t most;
};
struct search {
    const struct packing *packing;
    struct item items[KINDS_MAX];
    uint32_t count;
    int64_t *room;
    const double *weights; // by dimension, of one unit
    uint32_t units[KINDS_MAX], best_units[KINDS_MAX];
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

// The bound by these weights, whose sum over the machine's room is 1; `limit`: more does not
// matter.
static double bound_by(const struct packing *packing, const uint32_t *kinds, uint32_t count,
                       const double *weights, double limit)
{
    double densest = 0;
    for (uint32_t i = 0; i < count && densest < limit; i++) {
        const struct packing_item *kind = &packing->kinds.items[kinds[i]];
        double weight = weigh(packing, weights, kind->need);
        if (kind->value > densest * weight)
            densest = weight > 0 ? kind->value / weight : INFINITY;
    }
    return densest;
}

static void try_weights(const struct packing *packing, const uint32_t *kinds, uint32_t count,
                        const double *weights, double *best, double *best_weights)
{
    double own = bound_by(packing, kinds, count, weights, *best);
    if (own >= *best)
        return;
    *best = own;
    memcpy(best_weights, weights, DIMENSIONS_MAX * sizeof *weights);
}

// Tries each dimension alone, then steps between the two that bind most.
static double best_weights(const struct packing *packing, const int64_t *room,
                           const uint32_t *kinds, uint32_t count, double *chosen)
{
    double weights[DIMENSIONS_MAX] = {0}, best = INFINITY, second = INFINITY;
    uint32_t first = NONE, other = NONE;
    memset(chosen, 0, sizeof weights);
    for (uint32_t d = 0; d < packing->dimensions_count && d < DIMENSIONS_MAX; d++) {
        if (room[d] <= 0)
            continue;
        weights[d] = 1 / (double)room[d];
        double own = bound_by(packing, kinds, count, weights, INFINITY);
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
    for (uint32_t share = 1; share < SHARES && other != NONE; share++) {
        weights[first] = (double)share / SHARES / (double)room[first];
        weights[other] = (double)(SHARES - share) / SHARES / (double)room[other];
        try_weights(packing, kinds, count, weights, &best, chosen);
    }
    return best;
}

double knapsack_bound(const struct packing *packing, const int64_t *room, const uint32_t *kinds,
                      uint32_t count)
{
    double weights[DIMENSIONS_MAX];
    return best_weights(packing, room, kinds, count, weights);
}

// --- the search ----------------------------------------------------------------------------------

static uint32_t most_units(const struct search *search, const struct item *item)
{
    int64_t most = item->most;
    for (uint32_t d = 0; d < search->packing->dimensions_count; d++)
        if (item->need[d] > 0 && search->room[d] / item->need[d] < most)
            most = search->room[d] / item->need[d];
    return (uint32_t)(most > 0 ? most : 0);
}

static void take(struct search *search, const struct item *item, int64_t units)
{
    for (uint32_t d = 0; d < search->packing->dimensions_count; d++)
        search->room[d] -= units * item->need[d];
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
        const struct item *item = &search->items[i];
        if (value + weight_left * item->density <= search->best)
            return;
        uint32_t most = most_units(search, item);
        for (uint32_t units = most; units > 0 && search->nodes < search->nodes_max; units--) {
            take(search, item, units);
            search->units[i] = units;
            descend(search, i + 1, value + units * item->value, weight_left - units * item->weight);
            search->units[i] = 0;
            take(search, item, -(int64_t)units);
        }
    }
}

static void insert(struct search *search, const struct item *item)
{
    uint32_t at = search->count;
    while (at > 0 && search->items[at - 1].density < item->density)
        at--;
    if (at == KINDS_MAX)
        return;
    uint32_t moved = search->count < KINDS_MAX ? search->count - at : KINDS_MAX - 1 - at;
    memmove(&search->items[at + 1], &search->items[at], moved * sizeof *item);
    search->items[at] = *item;
    search->count += search->count < KINDS_MAX;
}

// The kind's units that a machine may hold, room aside.
static uint32_t most_of_kind(const struct packing_item *kind)
{
    uint32_t most = kind->count;
    for (uint32_t r = 0; r < kind->rules_count; r++)
        if (kind->rules[r].adds > 0 &&
            (uint32_t)(kind->rules[r].limit / kind->rules[r].adds) < most)
            most = (uint32_t)(kind->rules[r].limit / kind->rules[r].adds);
    return kind->ports.count > 0 ? 1 : most;
}

static void list_items(struct search *search, const uint32_t *kinds, uint32_t count, bool alike)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct packing_item *kind = &search->packing->kinds.items[kinds[i]];
        struct item item = {.position = i, .need = kind->need, .value = kind->value};
        item.weight = weigh(search->packing, search->weights, kind->need);
        item.density = item.weight > 0 ? item.value / item.weight : INFINITY;
        item.most = alike ? kind->alike : most_of_kind(kind);
        if (item.value > 0)
            insert(search, &item);
    }
}

bool knapsack_solve(struct packing *packing, const int64_t *room, const uint32_t *kinds,
                    uint32_t count, double at_least, uint64_t nodes_max, uint32_t *units,
                    double *upper)
{
    double weights[DIMENSIONS_MAX];
    *upper = best_weights(packing, room, kinds, count, weights);
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
    list_items(&search, kinds, count, false);
    descend(&search, 0, 0, 1);
    packing->steps += 2 * search.nodes;
    if (search.nodes < search.nodes_max && count <= KINDS_MAX)
        *upper = search.best;
    memset(units, 0, count * sizeof *units);
    for (uint32_t i = 0; i < search.count; i++)
        units[search.items[i].position] = search.best_units[i];
    return search.found;
}

// What fractions of the densest items are worth, as many as there are, that fill the machine.
static double fractions(const struct search *search)
{
    double left = 1, sum = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct item *item = &search->items[i];
        double weight = fmin(item->most * item->weight, left);
        sum += weight * item->density;
        left -= weight;
    }
    return sum;
}

double knapsack_most(struct packing *packing, const int64_t *room, const uint32_t *kinds,
                     uint32_t count, double at_least, uint64_t nodes_max)
{
    double weights[DIMENSIONS_MAX];
    double upper = best_weights(packing, room, kinds, count, weights);
    if (upper <= at_least || isinf(upper) || packing->dimensions_count > DIMENSIONS_MAX ||
        count > KINDS_MAX)
        return fmax(upper, at_least);
    int64_t left[DIMENSIONS_MAX];
    memcpy(left, room, packing->dimensions_count * sizeof *left);
    struct search search = {.packing = packing,
                            .room = left,
                            .weights = weights,
                            .best = at_least,
                            .nodes_max = nodes_max};
    list_items(&search, kinds, count, true);
    upper = fmin(upper, fractions(&search));
    if (upper <= at_least)
        return at_least;
    descend(&search, 0, 0, 1);
    packing->steps += 2 * search.nodes;
    return search.nodes < nodes_max ? search.best : upper;
}
