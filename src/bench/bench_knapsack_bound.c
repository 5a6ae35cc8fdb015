#include "bench/bench_knapsack_bound.h"

#include <assert.h>
#include <float.h>
#include <math.h>

static const double EPSILON = 1e-11; // of relative sizes and values

static void column_of(const struct relaxation *relaxation, uint32_t variable,
                      double column[KNAPSACK_SIZES])
{
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        column[k] = variable < relaxation->count ? relaxation->size[variable][k]
                                                 : variable - relaxation->count == k;
}

static bool invert(struct relaxation *relaxation)
{
    double m[KNAPSACK_SIZES][KNAPSACK_SIZES]; // columns of the basis
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        column_of(relaxation, relaxation->basis[k], m[k]);
    double determinant = 0;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (uint32_t row = 0; row < 3; row++) {
            uint32_t r1 = (row + 1) % 3, r2 = (row + 2) % 3;
            relaxation->inverse[k][row] = m[k1][r1] * m[k2][r2] - m[k1][r2] * m[k2][r1];
        }
        if (k == 0)
            for (uint32_t row = 0; row < 3; row++)
                determinant += m[0][row] * relaxation->inverse[0][row];
    }
    if (fabs(determinant) < EPSILON * EPSILON)
        return false;
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t row = 0; row < 3; row++)
            relaxation->inverse[k][row] /= determinant;
    return true;
}

static void price_sizes(struct relaxation *relaxation)
{
    for (uint32_t row = 0; row < KNAPSACK_SIZES; row++) {
        relaxation->price[row] = 0;
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            if (relaxation->basis[k] < relaxation->count)
                relaxation->price[row] +=
                    relaxation->value[relaxation->basis[k]] * relaxation->inverse[k][row];
    }
}

static double worth(const struct relaxation *relaxation, uint32_t item)
{
    double value = relaxation->value[item];
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        value -= relaxation->price[k] * relaxation->size[item][k];
    return value;
}

static bool is_basic(const struct relaxation *relaxation, uint32_t variable)
{
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        if (relaxation->basis[k] == variable)
            return true;
    return false;
}

// The variable with the most profitable move; UINT32_MAX: none. *direction: up or down.
static uint32_t choose(const struct relaxation *relaxation, double *direction)
{
    uint32_t best = UINT32_MAX;
    double most = EPSILON;
    for (uint32_t i = 0; i < relaxation->count + KNAPSACK_SIZES; i++) {
        bool item = i < relaxation->count, down = item && relaxation->at_most[i];
        double gain = item ? worth(relaxation, i) : -relaxation->price[i - relaxation->count];
        gain = down ? -gain : gain;
        if (gain <= most || is_basic(relaxation, i))
            continue;
        most = gain;
        best = i;
        *direction = down ? -1 : 1;
    }
    return best;
}

// Moves the variable as far as its own bounds and those of the basis allow.
static bool move(struct relaxation *relaxation, uint32_t variable, double direction)
{
    double column[KNAPSACK_SIZES], change[KNAPSACK_SIZES];
    column_of(relaxation, variable, column);
    double step = variable < relaxation->count ? relaxation->most[variable] : DBL_MAX;
    uint32_t leaves = UINT32_MAX;
    bool at_most = false;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++) {
        change[k] = 0;
        for (uint32_t row = 0; row < KNAPSACK_SIZES; row++)
            change[k] += relaxation->inverse[k][row] * column[row] * direction;
        uint32_t basic = relaxation->basis[k];
        double limit = DBL_MAX;
        if (change[k] > EPSILON)
            limit = relaxation->basic[k] / change[k];
        else if (change[k] < -EPSILON && basic < relaxation->count)
            limit = (relaxation->most[basic] - relaxation->basic[k]) / -change[k];
        if (limit < step) {
            step = limit > 0 ? limit : 0;
            leaves = k;
            at_most = change[k] < 0;
        }
    }
    if (step == DBL_MAX)
        return false;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        relaxation->basic[k] -= step * change[k];
    if (leaves == UINT32_MAX) {
        relaxation->at_most[variable] = !relaxation->at_most[variable];
        return true;
    }
    uint32_t left = relaxation->basis[leaves];
    if (left < relaxation->count)
        relaxation->at_most[left] = at_most;
    double from = variable < relaxation->count && relaxation->at_most[variable]
                      ? relaxation->most[variable]
                      : 0;
    relaxation->basis[leaves] = variable;
    relaxation->basic[leaves] = from + direction * step;
    return invert(relaxation);
}

// The bounded simplex method with three rows. Whatever its result, nonnegative prices make a valid
// bound; the best ones make a good one.
static void relax(struct relaxation *relaxation)
{
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++) {
        relaxation->basis[k] = relaxation->count + k;
        relaxation->basic[k] = 1;
    }
    bool going = invert(relaxation);
    for (uint32_t moves = 0; going && moves < 10 * relaxation->count + 50; moves++) {
        double direction;
        price_sizes(relaxation);
        uint32_t variable = choose(relaxation, &direction);
        going = variable != UINT32_MAX && move(relaxation, variable, direction);
    }
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        if (!(relaxation->price[k] > 0) || !isfinite(relaxation->price[k]))
            relaxation->price[k] = 0;
}

struct relaxation relaxation_create(struct arena *arena, uint32_t count)
{
    struct relaxation relaxation = {0};
    relaxation.size = arena_allocate_array(arena, count, sizeof *relaxation.size);
    relaxation.value = arena_allocate_array(arena, count, sizeof(double));
    relaxation.most = arena_allocate_array(arena, count, sizeof(double));
    relaxation.at_most = arena_allocate_array(arena, count, sizeof(bool));
    return relaxation;
}

uint32_t knapsack_item_fits(const struct knapsack_item *item, const int64_t room[KNAPSACK_SIZES])
{
    uint32_t most = item->most;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        if (item->size[k] > 0 && room[k] / item->size[k] < most)
            most = (uint32_t)(room[k] / item->size[k]);
    return most;
}

struct room_bound relaxation_bound(struct relaxation *relaxation, const struct knapsack_item *items,
                                   uint32_t count, const int64_t room[KNAPSACK_SIZES])
{
    struct room_bound bound = {.known = true};
    double scale = 0;
    relaxation->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t most = knapsack_item_fits(&items[i], room), at = relaxation->count;
        if (most == 0)
            continue;
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            relaxation->size[at][k] =
                items[i].size[k] > 0 ? (double)items[i].size[k] / (double)room[k] : 0;
        relaxation->value[at] = items[i].value;
        relaxation->most[at] = most;
        relaxation->at_most[at] = false;
        relaxation->count++;
        scale = items[i].value > scale ? items[i].value : scale;
    }
    for (uint32_t i = 0; i < relaxation->count; i++)
        relaxation->value[i] /= scale;
    relax(relaxation);
    for (uint32_t i = 0; i < relaxation->count; i++)
        bound.rest += relaxation->most[i] * fmax(worth(relaxation, i), 0) * scale;
    bound.rest *= 1 + BOUND_SLACK;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        bound.price[k] = room[k] > 0 ? relaxation->price[k] * scale / (double)room[k] : 0;
    return bound;
}
