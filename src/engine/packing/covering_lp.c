#include "engine/packing/covering_lp.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// The rows are A x - surplus + penalties = demand. Kept from pivot to pivot: the basic variables,
// one a row ("position"), their values, the duals, and the dense inverse of the basis. All are
// recomputed from the columns when rounding errors show.
//
// Numbering of variables: the penalty of row i is i, its surplus rows + i, column j is 2 · rows +
// j. The order decides ties, so results do not depend on memory addresses.
//
// Tolerances, for costs and demands that the caller has scaled to about 1 (1e-3 to 1e4 work well):
static const double REDUCED_COST_MIN = 1e-9; // a column enters below minus this · (1 + its cost)
static const double PIVOT_MIN = 1e-8;        // smaller elements are no pivots
static const double TIE = 1e-12;             // ratios this close, relatively, are equal
static const double RESIDUAL_MAX = 1e-9;     // of rows and of basic reduced costs, relatively
static const double NEGATIVE_MAX = 1e-7; // rounding error below zero that is tolerated, relatively

// Pivots between two rebuilds of the inverse: a rebuild costs about `rows` pivots.
static const uint32_t REBUILD_AFTER = 200;

static const uint32_t NONE = UINT32_MAX;

struct covering_column {
    double cost;
    double length;         // Euclidean norm of the column and the 1 that enters with it
    uint32_t first, count; // entries
};

struct covering {
    struct arena *arena;
    uint32_t rows;
    double penalty;
    double *demand;
    double demand_max;

    struct covering_column *columns;
    uint32_t columns_count, columns_room;
    struct covering_entry *entries;
    uint32_t entries_count, entries_room;

    uint32_t *basic;    // by position: the variable
    uint32_t *position; // by variable: its position, or NONE
    uint32_t position_room;
    double *value;     // by position
    double *dual;      // by row
    double *inverse;   // positions × rows
    double *change;    // by position: the entering column in terms of the basis
    uint32_t *support; // scratch: nonzero positions of a row of the inverse

    uint32_t since_rebuild; // pivots
    uint32_t degenerate;    // consecutive pivots without progress
    bool exact;             // values and duals follow from the inverse, which has been checked
};

static void reset_basis(struct covering *covering);
static uint32_t entering(const struct covering *covering);
static bool exchange(struct covering *covering, uint32_t variable);
static void recompute(struct covering *covering);

struct covering *covering_create(struct arena *arena, const double *demand, uint32_t rows,
                                 double penalty)
{
    assert(rows > 0 && penalty > 0);
    struct covering *covering = arena_allocate(arena, sizeof *covering);
    covering->arena = arena;
    covering->rows = rows;
    covering->penalty = penalty;
    covering->demand = arena_allocate_array(arena, rows, sizeof *covering->demand);
    for (uint32_t row = 0; row < rows; row++) {
        assert(demand[row] > 0);
        covering->demand[row] = demand[row];
        if (demand[row] > covering->demand_max)
            covering->demand_max = demand[row];
    }
    covering->basic = arena_allocate_array(arena, rows, sizeof *covering->basic);
    covering->position_room = 4 * rows;
    covering->position =
        arena_allocate_array(arena, covering->position_room, sizeof *covering->position);
    covering->value = arena_allocate_array(arena, rows, sizeof *covering->value);
    covering->dual = arena_allocate_array(arena, rows, sizeof *covering->dual);
    covering->inverse = arena_allocate_array(arena, (size_t)rows * rows, sizeof *covering->inverse);
    covering->change = arena_allocate_array(arena, rows, sizeof *covering->change);
    covering->support = arena_allocate_array(arena, rows, sizeof *covering->support);
    reset_basis(covering);
    return covering;
}

// Arenas do not free, so arrays double: the waste stays below the use.
static void *grown(struct arena *arena, void *items, uint32_t count, uint32_t *room,
                   uint32_t wanted, size_t size)
{
    if (wanted <= *room)
        return items;
    *room = wanted < 32 ? 64 : 2 * wanted;
    void *moved = arena_allocate_array(arena, *room, size);
    if (count > 0)
        memcpy(moved, items, count * size);
    return moved;
}

uint32_t covering_add(struct covering *covering, double cost, const struct covering_entry *entries,
                      uint32_t count)
{
    assert(cost >= 0);
    struct arena *arena = covering->arena;
    uint32_t index = covering->columns_count, variable = 2 * covering->rows + index;
    covering->columns = grown(arena, covering->columns, index, &covering->columns_room, index + 1,
                              sizeof *covering->columns);
    covering->entries =
        grown(arena, covering->entries, covering->entries_count, &covering->entries_room,
              covering->entries_count + count, sizeof *covering->entries);
    covering->position = grown(arena, covering->position, variable, &covering->position_room,
                               variable + 1, sizeof *covering->position);
    assert(index < covering->columns_room);
    assert(variable < covering->position_room);
    double squares = 1;
    for (uint32_t i = 0; i < count; i++) {
        assert(entries[i].row < covering->rows && entries[i].amount > 0);
        covering->entries[covering->entries_count + i] = entries[i];
        squares += entries[i].amount * entries[i].amount;
    }
    covering->columns[index] =
        (struct covering_column){cost, sqrt(squares), covering->entries_count, count};
    covering->position[variable] = NONE;
    covering->entries_count += count;
    covering->columns_count++;
    return index;
}

bool covering_solve(struct covering *covering, uint32_t pivots_max)
{
    for (uint32_t pivots = 0;;) {
        if (covering->since_rebuild >= REBUILD_AFTER + covering->rows)
            recompute(covering);
        uint32_t variable = entering(covering);
        if (variable == NONE && covering->exact)
            return true;
        if (variable != NONE && pivots == pivots_max)
            return false;
        if (variable != NONE && exchange(covering, variable))
            pivots++;
        else if (!covering->exact)
            recompute(covering);
        else
            return true; // costs are nonnegative: only rounding makes an unbounded column look
                         // cheap
    }
}

double covering_cost(const struct covering *covering)
{
    double cost = 0;
    for (uint32_t at = 0; at < covering->rows; at++) {
        uint32_t variable = covering->basic[at];
        if (variable < covering->rows)
            cost += covering->penalty * covering->value[at];
        else if (variable >= 2 * covering->rows)
            cost += covering->columns[variable - 2 * covering->rows].cost * covering->value[at];
    }
    return cost;
}

double covering_dual(const struct covering *covering, uint32_t row)
{
    assert(row < covering->rows);
    return covering->dual[row] > 0 ? covering->dual[row] : 0;
}

double covering_value(const struct covering *covering, uint32_t column)
{
    assert(column < covering->columns_count);
    uint32_t at = covering->position[2 * covering->rows + column];
    assert(at == NONE || at < covering->rows);
    return at == NONE ? 0 : covering->value[at];
}

// The basis of penalties alone: always feasible.
static void reset_basis(struct covering *covering)
{
    uint32_t rows = covering->rows;
    memset(covering->inverse, 0, (size_t)rows * rows * sizeof *covering->inverse);
    for (uint32_t i = 0; i < 2 * rows + covering->columns_count; i++)
        covering->position[i] = i < rows ? i : NONE;
    for (uint32_t row = 0; row < rows; row++) {
        covering->basic[row] = row;
        covering->value[row] = covering->demand[row];
        covering->dual[row] = covering->penalty;
        covering->inverse[(size_t)row * rows + row] = 1;
    }
    covering->since_rebuild = covering->degenerate = 0;
    covering->exact = true;
}

static double cost_of(const struct covering *covering, uint32_t variable)
{
    uint32_t rows = covering->rows;
    if (variable >= 2 * rows)
        return covering->columns[variable - 2 * rows].cost;
    return variable < rows ? covering->penalty : 0;
}

static double length_of(const struct covering *covering, uint32_t variable)
{
    uint32_t rows = covering->rows;
    return variable < 2 * rows ? M_SQRT2 : covering->columns[variable - 2 * rows].length;
}

static double reduced_cost(const struct covering *covering, uint32_t variable)
{
    uint32_t rows = covering->rows;
    if (variable < rows)
        return covering->penalty - covering->dual[variable];
    if (variable < 2 * rows)
        return covering->dual[variable - rows];
    const struct covering_column *column = &covering->columns[variable - 2 * rows];
    const struct covering_entry *entry = covering->entries + column->first;
    double worth = 0;
    for (uint32_t i = 0; i < column->count; i++)
        worth += covering->dual[entry[i].row] * entry[i].amount;
    return column->cost - worth;
}

// Dantzig's rule with columns scaled to equal length, which saves more than half of the pivots: the
// least reduced cost, the first among equals. After many pivots without progress, Bland's rule: the
// first improving column, which cannot cycle.
static uint32_t entering(const struct covering *covering)
{
    bool first_will_do = covering->degenerate > covering->rows;
    uint32_t best = NONE, variables = 2 * covering->rows + covering->columns_count;
    double least = 0;
    for (uint32_t variable = 0; variable < variables; variable++) {
        if (covering->position[variable] != NONE)
            continue;
        double reduced = reduced_cost(covering, variable);
        double scaled = reduced / length_of(covering, variable);
        if (scaled >= least || reduced >= -REDUCED_COST_MIN * (1 + cost_of(covering, variable)))
            continue;
        best = variable;
        least = scaled;
        if (first_will_do)
            break;
    }
    return best;
}

// `change` = inverse · the variable's column.
static void express(struct covering *covering, uint32_t variable)
{
    assert(variable < 2 * covering->rows + covering->columns_count);
    uint32_t rows = covering->rows;
    if (variable < 2 * rows) {
        double sign = variable < rows ? 1 : -1;
        const double *from = covering->inverse + (variable < rows ? variable : variable - rows);
        for (uint32_t at = 0; at < rows; at++)
            covering->change[at] = sign * from[(size_t)at * rows];
        return;
    }
    const struct covering_column *column = &covering->columns[variable - 2 * rows];
    const struct covering_entry *entry = covering->entries + column->first;
    for (uint32_t at = 0; at < rows; at++) {
        const double *from = covering->inverse + (size_t)at * rows;
        double sum = 0;
        for (uint32_t i = 0; i < column->count; i++)
            sum += from[entry[i].row] * entry[i].amount;
        covering->change[at] = sum;
    }
}

// The position that reaches zero first as the entering variable grows. Among equals the largest
// element, for accuracy; under Bland's rule the first variable.
static uint32_t leaving(const struct covering *covering)
{
    bool first_will_do = covering->degenerate > covering->rows;
    uint32_t best = NONE;
    double least = DBL_MAX;
    for (uint32_t at = 0; at < covering->rows; at++) {
        double change = covering->change[at];
        if (change <= PIVOT_MIN)
            continue;
        double ratio = covering->value[at] / change, slack = TIE * (1 + ratio);
        if (best != NONE && ratio > least + slack)
            continue;
        bool tie = best != NONE && ratio >= least - slack;
        if (tie && (first_will_do ? covering->basic[at] > covering->basic[best]
                                  : change <= covering->change[best]))
            continue;
        best = at;
        if (ratio < least)
            least = ratio;
    }
    return best;
}

// Row operations that turn `change` into the unit vector of position `at`.
static void eliminate(struct covering *covering, uint32_t at)
{
    assert(covering->change[at] != 0);
    uint32_t rows = covering->rows, nonzero = 0;
    double *pivot_row = covering->inverse + (size_t)at * rows;
    double pivot = covering->change[at];
    for (uint32_t column = 0; column < rows; column++) {
        if (pivot_row[column] == 0)
            continue;
        pivot_row[column] /= pivot;
        covering->support[nonzero++] = column;
    }
    bool sparse = nonzero < rows / 4;
    for (uint32_t other = 0; other < rows; other++) {
        double factor = covering->change[other];
        if (other == at || factor == 0)
            continue;
        double *row = covering->inverse + (size_t)other * rows;
        if (sparse)
            for (uint32_t i = 0; i < nonzero; i++)
                row[covering->support[i]] -= factor * pivot_row[covering->support[i]];
        else
            for (uint32_t column = 0; column < rows; column++)
                row[column] -= factor * pivot_row[column];
    }
}

// Pivots the variable into the basis. False: it is unbounded.
static bool exchange(struct covering *covering, uint32_t variable)
{
    uint32_t rows = covering->rows;
    double reduced = reduced_cost(covering, variable);
    express(covering, variable);
    uint32_t at = leaving(covering);
    if (at == NONE)
        return false;
    assert(covering->change[at] > PIVOT_MIN);
    double step = covering->value[at] / covering->change[at];
    for (uint32_t other = 0; other < rows; other++) {
        double value = covering->value[other] - step * covering->change[other];
        covering->value[other] = value > 0 ? value : 0; // negative only through rounding
    }
    covering->value[at] = step;
    covering->degenerate = step > TIE * covering->demand_max ? 0 : covering->degenerate + 1;
    eliminate(covering, at);
    const double *pivot_row = covering->inverse + (size_t)at * rows;
    for (uint32_t row = 0; row < rows; row++)
        covering->dual[row] += reduced * pivot_row[row];
    assert(covering->position[variable] == NONE);
    assert(covering->position[covering->basic[at]] == at);
    covering->position[covering->basic[at]] = NONE;
    covering->basic[at] = variable;
    covering->position[variable] = at;
    covering->since_rebuild++;
    covering->exact = false;
    return true;
}

// Rebuilds the inverse from the columns of the basis. Those of penalties and surpluses are known;
// the others are added one by one, each at its largest element. False: they are linearly dependent.
static bool rebuild(struct covering *covering)
{
    uint32_t rows = covering->rows;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < rows; i++)
        covering->basic[i] = NONE; // only `position` tells what is in the basis, in order
    memset(covering->inverse, 0, (size_t)rows * rows * sizeof *covering->inverse);
    for (uint32_t row = 0; row < rows; row++)
        covering->inverse[(size_t)row * rows + row] = 1;
    for (uint32_t variable = 0; variable < 2 * rows; variable++) {
        if (covering->position[variable] == NONE)
            continue;
        uint32_t row = variable < rows ? variable : variable - rows;
        if (covering->basic[row] != NONE)
            return false;
        covering->inverse[(size_t)row * rows + row] = variable < rows ? 1 : -1;
        covering->position[variable] = row;
        covering->basic[row] = variable;
        taken++;
    }
    for (uint32_t i = 0; i < covering->columns_count && taken < rows; i++) {
        uint32_t variable = 2 * rows + i, best = NONE;
        if (covering->position[variable] == NONE)
            continue;
        express(covering, variable);
        for (uint32_t at = 0; at < rows; at++) {
            double size = fabs(covering->change[at]);
            if (covering->basic[at] == NONE && size > PIVOT_MIN &&
                (best == NONE || size > fabs(covering->change[best])))
                best = at;
        }
        if (best == NONE)
            return false;
        eliminate(covering, best);
        covering->position[variable] = best;
        covering->basic[best] = variable;
        taken++;
    }
    assert(taken <= rows);
    return taken == rows;
}

// Computes values and duals from the inverse. False: the solution is infeasible.
static bool read_off(struct covering *covering)
{
    uint32_t rows = covering->rows;
    bool feasible = true;
    memset(covering->dual, 0, rows * sizeof *covering->dual);
    for (uint32_t at = 0; at < rows; at++) {
        const double *from = covering->inverse + (size_t)at * rows;
        double value = 0, cost = cost_of(covering, covering->basic[at]);
        for (uint32_t row = 0; row < rows; row++)
            value += from[row] * covering->demand[row];
        if (value < -NEGATIVE_MAX * (1 + covering->demand_max))
            feasible = false;
        covering->value[at] = value > 0 ? value : 0;
        if (cost == 0)
            continue;
        for (uint32_t row = 0; row < rows; row++)
            covering->dual[row] += cost * from[row];
    }
    return feasible;
}

// True if the values satisfy the rows, and the duals the costs of the basis.
static bool accurate(struct covering *covering)
{
    uint32_t rows = covering->rows;
    double *missing = covering->change;
    memcpy(missing, covering->demand, rows * sizeof *missing);
    for (uint32_t at = 0; at < rows; at++) {
        uint32_t variable = covering->basic[at];
        double reduced = reduced_cost(covering, variable);
        if (fabs(reduced) > RESIDUAL_MAX * (1 + cost_of(covering, variable)))
            return false;
        if (variable < 2 * rows) {
            missing[variable < rows ? variable : variable - rows] +=
                variable < rows ? -covering->value[at] : covering->value[at];
            continue;
        }
        const struct covering_column *column = &covering->columns[variable - 2 * rows];
        const struct covering_entry *entry = covering->entries + column->first;
        for (uint32_t i = 0; i < column->count; i++)
            missing[entry[i].row] -= covering->value[at] * entry[i].amount;
    }
    for (uint32_t row = 0; row < rows; row++)
        if (fabs(missing[row]) > RESIDUAL_MAX * (1 + covering->demand_max))
            return false;
    return true;
}

// Removes accumulated rounding errors; an unusable basis is replaced with the first one.
static void recompute(struct covering *covering)
{
    bool overdue = covering->since_rebuild >= REBUILD_AFTER + covering->rows;
    if (overdue || !read_off(covering) || !accurate(covering)) {
        if (!rebuild(covering) || !read_off(covering)) {
            reset_basis(covering);
            return;
        }
        covering->since_rebuild = 0;
    }
    covering->exact = true;
}
