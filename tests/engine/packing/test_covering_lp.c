// The covering program of SCH-550 step 6. The duals prove an optimum: they are feasible, and have
// the same value.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "engine/packing/covering_lp.h"

static const double CLOSE = 1e-7;
static const uint32_t ENOUGH = 100000;

#define ENTRIES(...)                              \
    (const struct covering_entry[]){__VA_ARGS__}, \
        sizeof((const struct covering_entry[]){__VA_ARGS__}) / sizeof(struct covering_entry)

static void assert_close(double is, double expected)
{
    double difference = is - expected, scale = expected < 1 ? 1 : expected;
    if (difference > CLOSE * scale || difference < -CLOSE * scale)
        fail_msg("%.12g is not %.12g", is, expected);
}

static void rows_start_covered_by_their_penalties(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const double demand[] = {2, 3};
    struct covering *covering = covering_create(arena, demand, 2, 10);
    assert_true(covering_solve(covering, ENOUGH));
    assert_close(covering_cost(covering), 50);
    assert_close(covering_dual(covering, 0), 10);
    uint32_t column = covering_add(covering, 1, ENTRIES({0, 1}));
    assert_int_equal(column, 0);
    assert_close(covering_value(covering, column), 0);
    assert_true(covering_solve(covering, ENOUGH));
    assert_close(covering_cost(covering), 32);
    assert_close(covering_value(covering, column), 2);
    assert_close(covering_dual(covering, 0), 1);
    assert_close(covering_dual(covering, 1), 10);
}

// Pieces of 3, 5, 6 and 9 from bars of 10: the threes fit beside the sixes.
static void bars_are_cut_at_the_known_optimum(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const double demand[] = {9, 79, 90, 27};
    struct covering *covering = covering_create(arena, demand, 4, 100);
    covering_add(covering, 1, ENTRIES({0, 3}));
    covering_add(covering, 1, ENTRIES({0, 1}, {1, 1}));
    covering_add(covering, 1, ENTRIES({0, 1}, {2, 1}));
    covering_add(covering, 1, ENTRIES({1, 2}));
    covering_add(covering, 1, ENTRIES({3, 1}));
    assert_true(covering_solve(covering, ENOUGH));
    assert_close(covering_cost(covering), 90 + 79 / 2.0 + 27);
    const double worth[] = {0, 0.5, 1, 1};
    for (uint32_t row = 0; row < 4; row++)
        assert_close(covering_dual(covering, row), worth[row]);
}

static void covering_more_than_asked_is_free(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const double demand[] = {1, 4};
    struct covering *covering = covering_create(arena, demand, 2, 100);
    uint32_t both = covering_add(covering, 3, ENTRIES({0, 5}, {1, 1}));
    uint32_t one = covering_add(covering, 4, ENTRIES({1, 1}));
    assert_true(covering_solve(covering, ENOUGH));
    assert_close(covering_value(covering, both), 4);
    assert_close(covering_value(covering, one), 0);
    assert_close(covering_cost(covering), 12);
    assert_close(covering_dual(covering, 0), 0);
    assert_close(covering_dual(covering, 1), 3);
}

struct program {
    uint32_t rows, columns;
    double *demand, *cost;
    struct covering_entry *entries; // columns × rows at most
    uint32_t *count;
};

// Small whole numbers make many ties: degenerate on purpose.
static struct program generate(struct arena *arena, struct random *random, uint32_t rows,
                               uint32_t columns, bool degenerate)
{
    struct program program = {.rows = rows, .columns = columns};
    program.demand = arena_allocate_array(arena, rows, sizeof(double));
    program.cost = arena_allocate_array(arena, columns, sizeof(double));
    program.count = arena_allocate_array(arena, columns, sizeof(uint32_t));
    program.entries =
        arena_allocate_array(arena, (size_t)rows * columns, sizeof(struct covering_entry));
    for (uint32_t row = 0; row < rows; row++)
        program.demand[row] = degenerate ? 1 : (double)(1 + random_below(random, 100));
    for (uint32_t column = 0; column < columns; column++) {
        uint32_t *count = &program.count[column];
        double sum = 0;
        for (uint32_t row = 0; row < rows; row++)
            if (random_below(random, rows) < 6) {
                double amount = (double)(1 + random_below(random, degenerate ? 1 : 9));
                program.entries[(size_t)column * rows + (*count)++] =
                    (struct covering_entry){row, amount};
                sum += amount;
            }
        program.cost[column] = degenerate ? 1 : sum * (0.2 + 0.1 * random_unit(random));
    }
    return program;
}

static void add(struct covering *covering, const struct program *program, uint32_t first,
                uint32_t end)
{
    for (uint32_t column = first; column < end; column++)
        covering_add(covering, program->cost[column],
                     program->entries + (size_t)column * program->rows, program->count[column]);
}

// Feasible on both sides, the same value, and slack only where the other side is zero.
static void assert_optimal(struct arena *arena, const struct covering *covering,
                           const struct program *program, double penalty)
{
    double *covered = arena_allocate_array(arena, program->rows, sizeof(double));
    double worth = 0, cost = 0;
    for (uint32_t column = 0; column < program->columns; column++) {
        double value = covering_value(covering, column), dual = 0;
        assert_true(value >= 0);
        for (uint32_t i = 0; i < program->count[column]; i++) {
            const struct covering_entry *entry =
                &program->entries[(size_t)column * program->rows + i];
            covered[entry->row] += value * entry->amount;
            dual += covering_dual(covering, entry->row) * entry->amount;
        }
        assert_true(dual <= program->cost[column] + CLOSE);
        if (value > CLOSE)
            assert_close(dual, program->cost[column]);
        cost += value * program->cost[column];
    }
    for (uint32_t row = 0; row < program->rows; row++) {
        double dual = covering_dual(covering, row), missing = program->demand[row] - covered[row];
        assert_true(dual >= 0 && dual <= penalty + CLOSE);
        if (missing > CLOSE) { // left to the penalty
            assert_close(dual, penalty);
            cost += missing * penalty;
        } else if (missing < -CLOSE * 100) {
            assert_close(dual, 0);
        }
        worth += dual * program->demand[row];
    }
    assert_close(covering_cost(covering), cost);
    assert_close(covering_cost(covering), worth);
}

static void random_programs_end_at_an_optimum(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 20);
    for (uint32_t run = 0; run < 200; run++) {
        CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
        uint32_t rows = 1 + (uint32_t)random_below(&random, 40);
        uint32_t columns = (uint32_t)random_below(&random, 150);
        struct program program = generate(arena, &random, rows, columns, run % 2 == 1);
        struct covering *covering = covering_create(arena, program.demand, rows, 50);
        add(covering, &program, 0, columns);
        assert_true(covering_solve(covering, ENOUGH));
        assert_optimal(arena, covering, &program, 50);
    }
}

// Large enough to recompute the inverse on the way.
static void a_large_program_ends_at_an_optimum(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 21);
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 20);
    for (uint32_t degenerate = 0; degenerate < 2; degenerate++) {
        struct program program = generate(arena, &random, 160, 900, degenerate == 1);
        struct covering *covering = covering_create(arena, program.demand, 160, 50);
        add(covering, &program, 0, 900);
        assert_true(covering_solve(covering, ENOUGH));
        assert_optimal(arena, covering, &program, 50);
    }
}

static void columns_that_come_later_lead_to_the_same_optimum(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 22);
    for (uint32_t run = 0; run < 40; run++) {
        CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
        struct program program = generate(arena, &random, 30, 120, run % 2 == 1);
        struct covering *at_once = covering_create(arena, program.demand, 30, 50);
        struct covering *later = covering_create(arena, program.demand, 30, 50);
        add(at_once, &program, 0, 120);
        assert_true(covering_solve(at_once, ENOUGH));
        double before = covering_cost(later);
        for (uint32_t first = 0; first < 120; first += 10) {
            add(later, &program, first, first + 10);
            assert_true(covering_solve(later, ENOUGH));
            assert_true(covering_cost(later) <= before + CLOSE);
            before = covering_cost(later);
        }
        assert_close(covering_cost(later), covering_cost(at_once));
        assert_optimal(arena, later, &program, 50);
    }
}

static void a_limit_of_pivots_leaves_a_feasible_solution(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 23);
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    struct program program = generate(arena, &random, 30, 120, false);
    struct covering *covering = covering_create(arena, program.demand, 30, 50);
    add(covering, &program, 0, 120);
    assert_false(covering_solve(covering, 0));
    double before = covering_cost(covering);
    uint32_t calls = 0;
    while (!covering_solve(covering, 1)) {
        assert_true(covering_cost(covering) <= before + CLOSE);
        before = covering_cost(covering);
        calls++;
    }
    assert_true(calls > 10);
    assert_optimal(arena, covering, &program, 50);
}

// Many bases share every vertex.
static void ties_everywhere_come_to_an_end(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    enum { ROWS = 12 };
    double demand[ROWS];
    for (uint32_t row = 0; row < ROWS; row++)
        demand[row] = 1;
    struct covering *covering = covering_create(arena, demand, ROWS, 2);
    for (uint32_t first = 0; first < ROWS; first++)
        for (uint32_t second = first + 1; second < ROWS; second++)
            covering_add(covering, 1, ENTRIES({first, 1}, {second, 1}));
    assert_true(covering_solve(covering, ENOUGH));
    assert_close(covering_cost(covering), ROWS / 2);
}

static void the_same_calls_give_the_same_bits(void **state)
{
    (void)state;
    double cost[2], dual[2][60];
    for (uint32_t run = 0; run < 2; run++) {
        struct random random;
        random_seed(&random, 24);
        CLEANUP_ARENA struct arena *arena = arena_create(run == 0 ? 1 << 10 : 1 << 18);
        struct program program = generate(arena, &random, 60, 300, false);
        struct covering *covering = covering_create(arena, program.demand, 60, 50);
        add(covering, &program, 0, 300);
        assert_true(covering_solve(covering, ENOUGH));
        cost[run] = covering_cost(covering);
        for (uint32_t row = 0; row < 60; row++)
            dual[run][row] = covering_dual(covering, row);
    }
    assert_memory_equal(&cost[0], &cost[1], sizeof cost[0]);
    assert_memory_equal(dual[0], dual[1], sizeof dual[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_start_covered_by_their_penalties),
        cmocka_unit_test(bars_are_cut_at_the_known_optimum),
        cmocka_unit_test(covering_more_than_asked_is_free),
        cmocka_unit_test(random_programs_end_at_an_optimum),
        cmocka_unit_test(a_large_program_ends_at_an_optimum),
        cmocka_unit_test(columns_that_come_later_lead_to_the_same_optimum),
        cmocka_unit_test(a_limit_of_pivots_leaves_a_feasible_solution),
        cmocka_unit_test(ties_everywhere_come_to_an_end),
        cmocka_unit_test(the_same_calls_give_the_same_bits),
    };
    return cmocka_run_group_tests_name("covering", tests, NULL, NULL);
}
