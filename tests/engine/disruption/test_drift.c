// Drift (DIS-34, DIS-220 to DIS-228).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_fixture.h"

#define OLD "2025-12-10T00:00:00Z"
#define NEW "2025-12-20T00:00:00Z"

static void a_drifted_node_is_replaced_whatever_the_price_DIS_224(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: 100%}], "
                                                      "consolidateAfter: Never"});
    add_node(&world, (struct test_node){.name = "x",
                                        .type = "small",
                                        .capacity_type = "spot",
                                        .drifted = OLD,
                                        .no_condition = "Consolidatable"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x", .cpu = "3"});
    PLAN p = disrupt(&world, "drift", UPSTREAM);
    assert_disrupts(p.plan, "Drifted/none: x -> medium,arm,large,gpu - -");
}

static void one_node_may_become_several_DIS_224_DIS_491(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.template = "requirements: [{key: "
                                                    "node.kubernetes.io/instance-type, operator: "
                                                    "In, values: [small]}], "});
    add_node(&world, (struct test_node){.name = "x", .drifted = OLD});
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        add_pod(&world, (struct test_pod){.name = name, .node = "x", .cpu = "1500m"});
    }
    PLAN p = disrupt(&world, "drift", UPSTREAM);
    assert_disrupts(p.plan, "Drifted/none: x -> small - - -> small - - -> small - -");
}

static void those_without_pods_go_first_then_the_longest_drifted_DIS_222_DIS_493(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "a", .drifted = NEW});
    add_node(&world, (struct test_node){.name = "b", .drifted = OLD});
    add_pod(&world, (struct test_pod){.name = "p", .node = "a"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "b"});
    struct text same = {0};
    text_add(&same, world.data);
    PLAN p = disrupt(&world, "drift", UPSTREAM);
    assert_disrupts(p.plan, "Drifted/none: b");
    add_node(&same, (struct test_node){.name = "c", .drifted = NEW});
    PLAN q = disrupt(&same, "drift", UPSTREAM);
    assert_disrupts(q.plan, "Drifted/none: c");
}

static void a_node_whose_pods_have_no_place_waits_DIS_223_DIS_490(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "a", .drifted = OLD});
    add_node(&world, (struct test_node){.name = "b", .drifted = NEW});
    add_pod(&world, (struct test_pod){.name = "p", .node = "a", .cpu = "150"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "b"});
    PLAN p = disrupt(&world, "drift", UPSTREAM);
    assert_disrupts(p.plan, "Drifted/none: b -> small,medium,arm,large,gpu - -");
    assert_non_null(note_about(p.plan, "a"));
}

static void a_grace_period_lets_protected_pods_go_DIS_34_DIS_226_DIS_488(void **state)
{
    (void)state;
    for (int grace = 0; grace < 2; grace++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){0});
        add_node(&world,
                 (struct test_node){.name = "x",
                                    .drifted = OLD,
                                    .claim_spec = grace ? "terminationGracePeriod: 1h" : NULL});
        add_pod(&world, (struct test_pod){.name = "p",
                                          .node = "x",
                                          .annotations = "karpenter.sh/do-not-disrupt: 'true'"});
        PLAN p = disrupt(&world, NULL, UPSTREAM);
        assert_disrupts(p.plan, grace ? "Drifted/none: x" : ""); // nothing is launched for the pod
    }
}

static void budgets_for_drift_DIS_223(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: '0', reasons: [Drifted]}]"
                                                      ", consolidateAfter: 0s"});
    add_node(&world, (struct test_node){.name = "x", .drifted = OLD});
    PLAN p = disrupt(&world, "drift", UPSTREAM);
    assert_disrupts(p.plan, "");
}

static struct plan_fixture static_nodes(const char *spec, int nodes, const char *settings)
{
    struct text world = {0};
    add_pool(&world, (struct test_pool){.spec = spec});
    for (int i = 0; i < nodes; i++) {
        char name[8], since[40];
        snprintf(name, sizeof name, "n%d", i);
        snprintf(since, sizeof since, "2025-12-%02dT00:00:00Z", 20 - i);
        add_node(&world, (struct test_node){.name = name, .drifted = since});
    }
    return disrupt(&world, "static-drift", settings);
}

static void static_pools_stay_within_their_node_limit_DIS_220_DIS_502_DIS_503(void **state)
{
    (void)state;
    PLAN p = static_nodes("replicas: 3, limits: {nodes: '3'}, ", 3, UPSTREAM);
    assert_disrupts(p.plan, "");
    PLAN q = static_nodes("replicas: 3, limits: {nodes: '5'}, ", 3, UPSTREAM);
    assert_disrupts(q.plan, "Drifted/none: n2 ->  - -; Drifted/none: n1 ->  - -"); // DIS-728
    PLAN r = static_nodes("replicas: 1, ", 2, UPSTREAM);
    assert_disrupts(r.plan, ""); // DIS-504
    PLAN t = static_nodes("replicas: 5, limits: {nodes: '5'}, ", 2, UPSTREAM);
    assert_disrupts(t.plan, "Drifted/none: n1 ->  - -; Drifted/none: n0 ->  - -"); // DIS-512
    const struct plan_claim *claim = &t.plan->disruptions.items[0].replacements.items[0];
    assert_string_equal(claim->node_pool->meta.name, "pool");
    assert_string_equal(claim_values(claim, LABEL_NODE_POOL), "pool");
}

static void what_a_node_limit_holds_back_is_told_DIS_221_DIS_728(void **state)
{
    (void)state;
    PLAN p = static_nodes("replicas: 3, limits: {nodes: '3'}, ", 3, UPSTREAM);
    assert_string_equal(note_about(p.plan, "pool"),
                        "limits.nodes is 3 and the NodePool has 3 NodeClaims: no room to replace 3 "
                        "drifted node(s)");
    PLAN q = static_nodes("replicas: 3, limits: {nodes: '4'}, ", 3, UPSTREAM);
    assert_string_equal(note_about(q.plan, "pool"),
                        "limits.nodes is 4 and the NodePool has 3 NodeClaims: no room to replace 2 "
                        "drifted node(s)");
    PLAN r = static_nodes("replicas: 3, limits: {nodes: '6'}, ", 3, UPSTREAM);
    assert_null(note_about(r.plan, "pool"));
}

static void without_room_one_goes_first_DIS_728(void **state)
{
    (void)state;
    PLAN p = static_nodes("replicas: 3, limits: {nodes: '3'}, ", 3, NULL);
    assert_disrupts(p.plan, "Drifted/none: n2");
    assert_null(note_about(p.plan, "pool"));
    assert_string_equal(verdict_about(p.plan, "n0"),
                        "DIS-728: limits.nodes is 3 and the NodePool has 3 NodeClaims: no room to "
                        "replace 2 drifted node(s); one after the other goes before its "
                        "replacement comes");
    PLAN q = static_nodes("replicas: 3, limits: {nodes: '3'}, ", 3, "STATIC_DRIFT_SURGE: required");
    assert_disrupts(q.plan, "");
    assert_non_null(note_about(q.plan, "pool"));
    PLAN r = static_nodes("replicas: 3, limits: {nodes: '4'}, ", 3, NULL); // room for one
    assert_disrupts(r.plan, "Drifted/none: n2 ->  - -");
}

// A missing or starting node is waited for.
static void the_next_waits_until_the_pool_is_whole_DIS_728(void **state)
{
    (void)state;
    for (int coming = 0; coming < 2; coming++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.spec = "replicas: 2, limits: {nodes: '2'}, "});
        add_node(&world, (struct test_node){.name = "a", .drifted = OLD});
        add_node(&world, (struct test_node){.name = "b",
                                            .drifted = coming ? NULL : OLD,
                                            .deleting = !coming,
                                            .uninitialized = coming,
                                            .no_condition = coming ? "Initialized" : NULL});
        PLAN p = disrupt(&world, "static-drift", NULL);
        assert_disrupts(p.plan, "");
    }
    struct text world = {0};
    add_pool(&world, (struct test_pool){.spec = "replicas: 2, limits: {nodes: '2'}, "});
    add_node(&world, (struct test_node){.name = "a", .drifted = OLD});
    add_node(&world, (struct test_node){.name = "b", .drifted = OLD});
    const char *busy[] = {"b"};
    struct string_list names = {.items = busy, .count = 1};
    PLAN p =
        disrupt_running(&world, "static-drift", NULL, &(struct disruption_inputs){.busy = &names});
    assert_disrupts(p.plan, "");
}

static void drift_of_a_static_pool_is_not_that_of_others_DIS_222(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.spec = "replicas: 1, "});
    add_node(&world, (struct test_node){.name = "x", .drifted = OLD});
    PLAN p = disrupt(&world, "drift", UPSTREAM);
    assert_disrupts(p.plan, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drifted_node_is_replaced_whatever_the_price_DIS_224),
        cmocka_unit_test(one_node_may_become_several_DIS_224_DIS_491),
        cmocka_unit_test(those_without_pods_go_first_then_the_longest_drifted_DIS_222_DIS_493),
        cmocka_unit_test(a_node_whose_pods_have_no_place_waits_DIS_223_DIS_490),
        cmocka_unit_test(a_grace_period_lets_protected_pods_go_DIS_34_DIS_226_DIS_488),
        cmocka_unit_test(budgets_for_drift_DIS_223),
        cmocka_unit_test(static_pools_stay_within_their_node_limit_DIS_220_DIS_502_DIS_503),
        cmocka_unit_test(what_a_node_limit_holds_back_is_told_DIS_221_DIS_728),
        cmocka_unit_test(without_room_one_goes_first_DIS_728),
        cmocka_unit_test(the_next_waits_until_the_pool_is_whole_DIS_728),
        cmocka_unit_test(drift_of_a_static_pool_is_not_that_of_others_DIS_222),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
