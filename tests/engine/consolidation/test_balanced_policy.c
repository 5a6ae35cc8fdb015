// Scores of moves in pools with policy Balanced (DIS-190 to DIS-197).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_fixture.h"

#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/consolidation.h"
#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/revalidate.h"

#define BALANCED "budgets: [{nodes: 100%}], consolidateAfter: 0s, consolidationPolicy: Balanced"

static void scores_DIS_191_DIS_192_DIS_505_DIS_506_DIS_507(void **state)
{
    (void)state;
    static const struct {
        double savings, cost, total_price, total_cost;
        bool approved;
    } cases[] = {
        {20, 5, 100, 100, true},     {10, 10, 100, 100, true},      {5, 50, 100, 100, false},
        {0, 10, 100, 100, false},    {-5, 10, 100, 100, false},     {1, 1, 0, 100, false},
        {1, 1, 100, 0, false},       {7.26, 4, 58.08, 90, true},    {4.84, 5, 58.08, 90, true},
        {2.42, 9, 58.08, 90, false}, {0, 11, 58.08, 90, false},     {2.42, 9, 48.40, 90, true},
        {4.84, 5, 58.08, 117, true}, {4.84, 32, 58.08, 117, false},
    };
    struct node_pool pool = {.spec.disruption.consolidation_policy = "Balanced"};
    for (double scale = 1; scale <= 1e6; scale *= 10) // DIS-701
        for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
            struct disruption_pool balanced = {
                .pool = &pool,
                .balanced_cost = cases[i].total_cost,
                .balanced_price = (int64_t)(cases[i].total_price * 1e9 + 0.5) * (int64_t)scale};
            struct disruption_candidate candidate = {.pool = &balanced, .cost = cases[i].cost};
            struct disruption_candidate *list = &candidate;
            double savings = cases[i].savings * 1e9;
            int64_t exact = (int64_t)(savings + (savings < 0 ? -0.5 : 0.5)) * (int64_t)scale;
            assert_int_equal(balanced_policy_approves(&list, 1, exact), cases[i].approved);
        }
}

static void every_pool_must_agree_DIS_194_DIS_195_DIS_509(void **state)
{
    (void)state;
    struct node_pool spec = {.spec.disruption.consolidation_policy = "Balanced"};
    struct node_pool plain = {.spec.disruption.consolidation_policy = "WhenEmptyOrUnderutilized"};
    struct disruption_pool a = {.pool = &spec, .balanced_cost = 10, .balanced_price = 1000};
    struct disruption_pool b = {.pool = &spec, .balanced_cost = 10, .balanced_price = 1000};
    struct disruption_candidate x = {.pool = &a, .cost = 1, .price = 300};
    struct disruption_candidate y = {.pool = &b, .cost = 9, .price = 100};
    struct disruption_candidate *both[] = {&x, &y};
    assert_false(
        balanced_policy_approves(both, 2, 400)); // b: 100 of 1000 for nine tenths of the disruption
    y.cost = 2;
    assert_true(balanced_policy_approves(both, 2, 400));
    y.cost = 9;
    b.pool = &plain;
    assert_true(balanced_policy_approves(both, 2, 400));
}

// A third of 100 for a third of the disruption, of a total of 200: half, to the last digit.
static void shares_are_exact_DIS_194_DIS_701(void **state)
{
    (void)state;
    struct node_pool spec = {.spec.disruption.consolidation_policy = "Balanced"};
    struct node_pool plain = {.spec.disruption.consolidation_policy = "WhenEmptyOrUnderutilized"};
    struct disruption_pool a = {.pool = &spec, .balanced_cost = 3, .balanced_price = 200};
    struct disruption_pool b = {.pool = &plain};
    struct disruption_candidate x = {.pool = &a, .cost = 1, .price = 1};
    struct disruption_candidate y = {.pool = &b, .cost = 1, .price = 2};
    struct disruption_candidate *both[] = {&x, &y};
    assert_true(balanced_policy_approves(both, 2, 100));
    assert_false(balanced_policy_approves(both, 2, 99));
    // Prices and costs of the largest clusters.
    a.balanced_price = INT64_C(2000000000000000);
    a.balanced_cost = 30000000;
    x.cost = 10000000;
    x.price = INT64_C(1000000000000000);
    y.price = INT64_C(2000000000000000);
    assert_true(balanced_policy_approves(both, 2, INT64_C(1000000000000000)));
    assert_false(balanced_policy_approves(both, 2, INT64_C(999999999999999)));
}

// --- totals --------------------------------------------------------------------------------------
#define BLOCKED .annotations = "karpenter.sh/do-not-disrupt: 'true'"

static void totals_count_all_nodes_of_the_pool_DIS_190(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.disruption = BALANCED});
        add_pool(&world, (struct test_pool){.name = "other", .disruption = BALANCED});
        add_node(&world, (struct test_node){.name = "candidate"});
        add_pod(&world, (struct test_pod){.name = "p1", .node = "candidate"});
        add_pod(&world, (struct test_pod){.name = "p2", .node = "candidate"});
        add_pod(&world, (struct test_pod){.name = "d1", .node = "candidate", .owner = "DaemonSet"});
        add_pod(&world, (struct test_pod){.name = "m1", .node = "candidate", .owner = "Node"});
        add_node(&world, (struct test_node){.name = "blocked", .type = "medium", BLOCKED});
        add_pod(&world, (struct test_pod){.name = "p3", .node = "blocked"});
        add_pod(&world, (struct test_pod){.name = "d2", .node = "blocked", .owner = "DaemonSet"});
        add_pod(&world, (struct test_pod){.name = "m2", .node = "blocked", .owner = "Node"});
        // Eventual disruption allows it, consolidation does not: no candidate here.
        add_node(&world, (struct test_node){.name = "kept",
                                            .type = "small",
                                            .claim_spec = "terminationGracePeriod: 1h"});
        add_pod(&world, (struct test_pod){.name = "p4", .node = "kept", BLOCKED});
        add_pod(&world, (struct test_pod){.name = "m4", .node = "kept", .owner = "Node"});
        add_node(&world, (struct test_node){.name = "coming",
                                            .type = "small",
                                            .uninitialized = true,
                                            .no_condition = "Initialized"});
        add_node(&world, (struct test_node){.name = "going", .type = "small", .deleting = true});
        add_pod(&world, (struct test_pod){.name = "p5", .node = "going"});
        add_node(&world, (struct test_node){.name = "elsewhere", .pool = "other"});
        PLAN p = plan_yaml(world.data, upstream ? UPSTREAM : NULL);
        text_free(&world);
        struct plan plan = {.arena = arena_create(4096)};
        struct error error = {0};
        struct disruption disruption;
        assert_true(disruption_begin(&disruption, p.snapshot, NULL, &plan, plan.arena, &error));
        struct candidate_table table =
            disruption_candidates(&disruption, DISRUPTION_UNDERUTILIZED, false);
        assert_int_equal(table.pools.count, 2);
        const struct disruption_pool *pool = &table.pools.items[1];
        assert_string_equal(pool->pool->meta.name, "pool");
        // 3 + 2 + 2 + 1 + 2; of nodes that are no candidates upstream also counts mirror pods.
        assert_true(pool->balanced_cost == (upstream ? 12.0 : 10.0));
        assert_true(pool->balanced_price == INT64_C(1300000000)); // 0.80 + 0.20 + 3 x 0.10
        disruption_end(&disruption);
        arena_destroy(plan.arena);
    }
}

// --- savings -------------------------------------------------------------------------------------
#define OFFER(zone, capacity_type, price)                       \
    "{price: " price ", available: true, requirements: [{key: " \
    "topology.kubernetes.io/zone, operator: In, values: [" zone \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: [" capacity_type "]}]}"
#define TYPE(name, cpu, offerings)                                                               \
    "{name: " name ", requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}, " \
    "{key: kubernetes.io/os, operator: In, values: [linux]}], capacity: {cpu: '" cpu             \
    "', memory: 64Gi, pods: '100'}, offerings: [" offerings "]}"
#define TYPES(types)                                                                    \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, spec: {" \
    "instanceTypes: [" types "]}}\n---\n"

static void savings_are_by_the_cheapest_offering_of_the_first_type_DIS_193(void **state)
{
    (void)state;
    static const struct {
        const char *types, *expected;
        int64_t savings;
    } cases[] = {
        {TYPE("t", "16", OFFER("a", "on-demand", "0.5")) ", " TYPE(
             "u", "16", OFFER("a", "spot", "0.3") ", " OFFER("b", "spot", "0.2")),
         "Underutilized/single: x -> u spot -", 300000000},
        // Narrowed to spot the first type has no offering: as if it were free (DIS-179).
        {TYPE("t", "16", OFFER("a", "on-demand", "0.5")) ", " TYPE(
             "u", "16", OFFER("a", "on-demand", "0.1")) ", " TYPE("v", "16",
                                                                  OFFER("a", "spot", "0.2")),
         "Underutilized/single: x -> u,v spot -", 500000000},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text world = {0};
        text_format(&world, TYPES("%s"), cases[i].types);
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "x", .type = "t"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
        PLAN p = disrupt_bare(&world, "single", UPSTREAM);
        assert_disrupts(p.plan, cases[i].expected);
        assert_true(p.plan->disruptions.items[0].savings == cases[i].savings);
    }
}

// --- reports and checks --------------------------------------------------------------------------
// Two machines of 1.00 that one of 1.20 could replace: 0.80 is too little for the pool's total
// disruption.
#define ON_DEMAND \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "
static void add_scant_saving(struct text *world, const char *second_pool)
{
    text_add(world, TYPES(TYPE("t", "8", OFFER("a", "on-demand", "1")) ", " TYPE(
                        "u", "16", OFFER("a", "on-demand", "1.2"))));
    add_pool(world, (struct test_pool){.disruption = BALANCED, .template = ON_DEMAND});
    add_pool(world, (struct test_pool){.name = "plain", .template = ON_DEMAND});
    add_node(world, (struct test_node){.name = "x", .type = "t", .cpu = "8"});
    add_node(world, (struct test_node){.name = "z", .type = "t", .cpu = "8", .pool = second_pool});
    add_pod(world, (struct test_pod){.name = "p", .node = "x", .cpu = "7", .owner_name = "a"});
    add_pod(world, (struct test_pod){.name = "q", .node = "z", .cpu = "7", .owner_name = "b"});
}

static void a_search_in_vain_tells_its_scores_DIS_206(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_scant_saving(&world, "pool");
        PLAN p = disrupt_bare(&world, "multi", upstream ? UPSTREAM : NULL);
        assert_disrupts(p.plan, "");
        assert_int_equal(p.plan->scores.count, 1);
        const struct plan_score *score = &p.plan->scores.items[0];
        assert_string_equal(score->pool->meta.name, "pool");
        assert_null(score->node);
        assert_false(score->approved || score->move_approved);
        assert_true(score->score > 0.399 && score->score < 0.401);
    }
    // Each pool is scored by itself, but the move is one: rejected for all of them.
    struct text world = {0};
    add_scant_saving(&world, "plain");
    PLAN p = disrupt_bare(&world, "multi", UPSTREAM);
    assert_disrupts(p.plan, "");
    assert_int_equal(p.plan->scores.count, 2);
    list_for_each (score, &p.plan->scores) {
        bool plain = strcmp(score->pool->meta.name, "plain") == 0;
        assert_int_equal(score->approved, plain);
        assert_false(score->move_approved);
    }
}

static void validation_asks_for_no_score_DIS_199(void **state)
{
    (void)state;
    static const char *nodes[] = {"x", "z"}, *types[] = {"u"};
    struct text world = {0};
    add_scant_saving(&world, "pool");
    PLAN p = disrupt_bare(&world, "multi", UPSTREAM);
    struct command_check check = {.reason = DISRUPTION_UNDERUTILIZED,
                                  .nodes = {nodes, 2},
                                  .replacements = 1,
                                  .types = {types, 1}};
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct error error = {0};
    assert_true(disruption_revalidate(p.snapshot, NULL, arena, &check, 1, &error));
    assert_int_equal(check.kind, CANCEL_NONE);
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
        cmocka_unit_test(scores_DIS_191_DIS_192_DIS_505_DIS_506_DIS_507),
        cmocka_unit_test(every_pool_must_agree_DIS_194_DIS_195_DIS_509),
        cmocka_unit_test(shares_are_exact_DIS_194_DIS_701),
        cmocka_unit_test(totals_count_all_nodes_of_the_pool_DIS_190),
        cmocka_unit_test(savings_are_by_the_cheapest_offering_of_the_first_type_DIS_193),
        cmocka_unit_test(a_search_in_vain_tells_its_scores_DIS_206),
        cmocka_unit_test(validation_asks_for_no_score_DIS_199),
        cmocka_unit_test(the_only_node_of_a_pool_may_be_deleted_DIS_197_DIS_508),
        cmocka_unit_test(a_replacement_must_save_half_in_a_uniform_pool_DIS_197),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
