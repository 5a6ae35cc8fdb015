// The search for the best filling of one machine (SCH-550 step 6) against brute force.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "engine/packing/knapsack.h"
#include "engine/packing/packing.h"

#define KINDS      5
#define DIMENSIONS 3
#define NODES_MAX  1000000

struct knapsack {
    struct packing packing;
    struct packing_item items[KINDS];
    struct packing_rule rules[KINDS];
    uint32_t left[KINDS];
    int64_t needs[KINDS][DIMENSIONS], room[DIMENSIONS];
    uint32_t list[KINDS];
};

static void draw(struct random *random, struct knapsack *knapsack)
{
    *knapsack = (struct knapsack){.packing = {.dimensions_count = DIMENSIONS}};
    for (uint32_t d = 0; d < DIMENSIONS; d++)
        knapsack->room[d] = 20 + (int64_t)random_below(random, 60);
    for (uint32_t k = 0; k < KINDS; k++) {
        struct packing_item *item = &knapsack->items[k];
        for (uint32_t d = 0; d < DIMENSIONS; d++)
            knapsack->needs[k][d] = (int64_t)random_below(random, 20);
        knapsack->needs[k][k % DIMENSIONS]++;
        item->need = knapsack->needs[k];
        item->count = 1 + (uint32_t)random_below(random, 6);
        item->value = (double)random_below(random, 100);
        if (random_chance(random, 0.3)) {
            knapsack->rules[k] = (struct packing_rule){k, 1 + (int32_t)random_below(random, 2),
                                                       1 + (int32_t)random_below(random, 4)};
            item->rules = &knapsack->rules[k];
            item->rules_count = 1;
        }
        knapsack->list[k] = k;
    }
    knapsack->packing.items.items = knapsack->items;
    knapsack->packing.items.count = KINDS;
    for (uint32_t k = 0; k < KINDS; k++)
        knapsack->left[k] = knapsack->items[k].count;
    knapsack->packing.left = knapsack->left;
}

static uint32_t most_of(const struct knapsack *knapsack, uint32_t item)
{
    uint32_t most = knapsack->items[item].count;
    const struct packing_rule *rule = &knapsack->rules[item];
    if (rule->adds > 0 && (uint32_t)(rule->limit / rule->adds) < most)
        most = (uint32_t)(rule->limit / rule->adds);
    return most;
}

static bool fits(const struct knapsack *knapsack, const uint32_t *units)
{
    for (uint32_t d = 0; d < DIMENSIONS; d++) {
        int64_t used = 0;
        for (uint32_t k = 0; k < KINDS; k++)
            used += units[k] * knapsack->needs[k][d];
        if (used > knapsack->room[d])
            return false;
    }
    return true;
}

static double worth(const struct knapsack *knapsack, const uint32_t *units)
{
    double sum = 0;
    for (uint32_t k = 0; k < KINDS; k++)
        sum += units[k] * knapsack->items[k].value;
    return sum;
}

// Every possible filling.
static double by_force(const struct knapsack *knapsack, uint32_t from, uint32_t *units)
{
    if (!fits(knapsack, units))
        return 0;
    double best = worth(knapsack, units);
    for (uint32_t k = from; k < KINDS; k++) {
        if (units[k] == most_of(knapsack, k))
            continue;
        units[k]++;
        double own = by_force(knapsack, k, units);
        units[k]--;
        best = own > best ? own : best;
    }
    return best;
}

static void check_search(struct knapsack *knapsack, double best)
{
    uint32_t units[KINDS];
    double upper;
    bool found = knapsack_solve(&knapsack->packing, knapsack->room, knapsack->list, KINDS, 0,
                                NODES_MAX, units, &upper);
    assert_int_equal(found, best > 0);
    if (!found)
        return;
    assert_true(fits(knapsack, units));
    for (uint32_t k = 0; k < KINDS; k++)
        assert_true(units[k] <= most_of(knapsack, k));
    assert_true(worth(knapsack, units) == best);
    assert_true(upper == best);
}

static void the_best_filling_SCH_550(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random random;
        struct knapsack knapsack;
        uint32_t none[KINDS] = {0};
        random_seed(&random, seed);
        draw(&random, &knapsack);
        check_search(&knapsack, by_force(&knapsack, 0, none));
    }
}

static void what_is_not_better_is_not_found_SCH_550(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random random;
        struct knapsack knapsack;
        uint32_t units[KINDS] = {0};
        double upper;
        random_seed(&random, seed);
        draw(&random, &knapsack);
        double best = by_force(&knapsack, 0, units);
        assert_false(knapsack_solve(&knapsack.packing, knapsack.room, knapsack.list, KINDS, best,
                                    NODES_MAX, units, &upper));
        assert_true(upper >= best);
        if (best > 0)
            assert_true(knapsack_solve(&knapsack.packing, knapsack.room, knapsack.list, KINDS,
                                       best - 1, NODES_MAX, units, &upper));
    }
}

// The bound holds without a search, and when a search ends early.
static void the_bound_of_a_filling_SCH_550(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random random;
        struct knapsack knapsack;
        uint32_t units[KINDS] = {0};
        double upper;
        random_seed(&random, seed);
        draw(&random, &knapsack);
        double best = by_force(&knapsack, 0, units);
        assert_true(knapsack_bound(&knapsack.packing, knapsack.room, knapsack.list, KINDS) >= best);
        for (uint32_t k = 0; k < KINDS; k++)
            knapsack.items[k].alike = most_of(&knapsack, k);
        assert_true(knapsack_most(&knapsack.packing, knapsack.room, knapsack.list, KINDS, 0,
                                  NODES_MAX) == best);
        assert_true(knapsack_most(&knapsack.packing, knapsack.room, knapsack.list, KINDS, 0, 3) >=
                    best - 1e-6);
        knapsack_solve(&knapsack.packing, knapsack.room, knapsack.list, KINDS, 0, 3, units, &upper);
        assert_true(upper >= best);
        assert_true(fits(&knapsack, units));
    }
}

static void a_port_is_there_once_SCH_550(void **state)
{
    (void)state;
    struct random random;
    struct knapsack knapsack;
    uint32_t units[KINDS];
    double upper;
    random_seed(&random, 1);
    draw(&random, &knapsack);
    struct host_port port = {0};
    for (uint32_t k = 0; k < KINDS; k++) {
        knapsack.items[k].ports = (struct host_ports){&port, 1};
        knapsack.items[k].value = 1;
    }
    assert_true(knapsack_solve(&knapsack.packing, knapsack.room, knapsack.list, KINDS, 0, NODES_MAX,
                               units, &upper));
    for (uint32_t k = 0; k < KINDS; k++)
        assert_true(units[k] <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_filling_SCH_550),
        cmocka_unit_test(what_is_not_better_is_not_found_SCH_550),
        cmocka_unit_test(the_bound_of_a_filling_SCH_550),
        cmocka_unit_test(a_port_is_there_once_SCH_550),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
