// Scores of moves in pools with policy Balanced (DIS-190 to DIS-197).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disrupt_fixture.h"

#include "engine/consolidation.h"

#define BALANCED \
    "budgets: [{nodes: 100%}], consolidateAfter: 0s, consolidationPolicy: Balanced"

static void scores_DIS_192_DIS_505_to_DIS_507(void **state)
{
    (void)state;
    static const struct {
        double savings, cost, total_price, total_cost;
        bool approved;
    } cases[] = {
        {20, 5, 100, 100, true},         {10, 10, 100, 100, true},
        {5, 50, 100, 100, false},        {0, 10, 100, 100, false},
        {-5, 10, 100, 100, false},       {1, 1, 0, 100, false},
        {1, 1, 100, 0, false},           {7.26, 4, 58.08, 90, true},
        {4.84, 5, 58.08, 90, true},      {2.42, 9, 58.08, 90, false},
        {0, 11, 58.08, 90, false},       {2.42, 9, 48.40, 90, true},
        {4.84, 5, 58.08, 117, true},     {4.84, 32, 58.08, 117, false},
    };
    struct node_pool pool = {.spec.disruption.consolidation_policy = "Balanced"};
    for (double scale = 1; scale <= 1e6; scale *= 10) // DIS-701
        for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
            struct disruption_pool balanced = {
                .pool = &pool,
                .balance_cost = cases[i].total_cost,
                .balance_price = (int64_t)(cases[i].total_price * 1e9 + 0.5) * (int64_t)scale};
            struct disruption_candidate candidate = {.pool = &balanced, .cost = cases[i].cost};
            struct disruption_candidate *list = &candidate;
            double savings = cases[i].savings * 1e9;
            int64_t exact = (int64_t)(savings + (savings < 0 ? -0.5 : 0.5)) * (int64_t)scale;
            assert_int_equal(balance_approves(&list, 1, exact), cases[i].approved);
        }
}

static void every_pool_must_agree_DIS_194_DIS_195_DIS_509(void **state)
{
    (void)state;
    struct node_pool spec = {.spec.disruption.consolidation_policy = "Balanced"};
    struct node_pool plain = {.spec.disruption.consolidation_policy = "WhenEmptyOrUnderutilized"};
    struct disruption_pool a = {.pool = &spec, .balance_cost = 10, .balance_price = 1000};
    struct disruption_pool b = {.pool = &spec, .balance_cost = 10, .balance_price = 1000};
    struct disruption_candidate x = {.pool = &a, .cost = 1, .price = 300};
    struct disruption_candidate y = {.pool = &b, .cost = 9, .price = 100};
    struct disruption_candidate *both[] = {&x, &y};
    assert_false(balance_approves(both, 2, 400)); // b: 100 of 1000 for nine tenths of the trouble
    y.cost = 2;
    assert_true(balance_approves(both, 2, 400));
    y.cost = 9;
    b.pool = &plain;
    assert_true(balance_approves(both, 2, 400));
}

static void the_only_node_of_a_pool_may_be_deleted_DIS_197_DIS_508(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = BALANCED});
    add_node(&world, (struct test_node){.name = "x"});
    add_node(&world, (struct test_node){.name = "other", .unmanaged = true});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
    PLAN p = disrupt(&world, "single", UPSTREAM);
    assert_disrupts(p.plan, "Underutilized/single: x");
}

static void a_replacement_must_save_half_in_a_uniform_pool_DIS_197(void **state)
{
    (void)state;
    static const char *const types[] = {"small", "medium", "large"};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.disruption = BALANCED,
                                            .template = "requirements: [{key: "
                                                        "karpenter.sh/capacity-type, operator: In, "
                                                        "values: [on-demand]}], "});
        add_node(&world, (struct test_node){.name = "x", .type = types[i], .cpu = "3"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x", .cpu = "1"});
        PLAN p = disrupt(&world, "single", UPSTREAM);
        assert_disrupts(p.plan,
                        i == 0   ? ""
                        : i == 1 ? "Underutilized/single: x -> small on-demand -" // exactly half
                                 : "Underutilized/single: x -> small,medium,arm on-demand -");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_DIS_192_DIS_505_to_DIS_507),
        cmocka_unit_test(every_pool_must_agree_DIS_194_DIS_195_DIS_509),
        cmocka_unit_test(the_only_node_of_a_pool_may_be_deleted_DIS_197_DIS_508),
        cmocka_unit_test(a_replacement_must_save_half_in_a_uniform_pool_DIS_197),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
