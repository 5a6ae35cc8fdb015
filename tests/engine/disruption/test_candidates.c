// Candidates, and emptiness (DIS-30 to DIS-61, DIS-110 to DIS-146).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_fixture.h"

// One empty node in question and nothing else.
static void check_empty(struct test_pool pool, struct test_node node, const char *expected,
                        const char *settings)
{
    struct text world = {0};
    add_pool(&world, pool);
    node.name = "x";
    add_node(&world, node);
    PLAN p = disrupt(&world, "emptiness", settings);
    assert_disrupts(p.plan, expected);
}

static void a_node_must_pass_every_check_DIS_32(void **state)
{
    (void)state;
    struct test_pool pool = {0};
    check_empty(pool, (struct test_node){0}, "Empty/empty: x", NULL);
    check_empty(pool, (struct test_node){.unmanaged = true}, "", NULL);
    check_empty(pool, (struct test_node){.uninitialized = true}, "", NULL);
    check_empty(pool, (struct test_node){.no_condition = "Consolidatable"}, "", NULL);
    check_empty(pool, (struct test_node){.claim_status = "nodeName: x"}, "Empty/empty: x", NULL);
    check_empty(pool, (struct test_node){.annotations = "karpenter.sh/do-not-disrupt: 'true'"}, "",
                NULL);
    check_empty(pool, (struct test_node){.annotations = "karpenter.sh/do-not-disrupt: 'false'"},
                "Empty/empty: x", NULL); // DIS-463
    check_empty(pool, (struct test_node){.pool = "other"}, "", NULL);
    check_empty((struct test_pool){.spec = "replicas: 1, "}, (struct test_node){0}, "", NULL);
    check_empty((struct test_pool){.not_ready = true}, (struct test_node){0}, "Empty/empty: x",
                NULL); // DIS-35
    check_empty(
        (struct test_pool){.disruption = "budgets: [{nodes: 100%}], consolidateAfter: Never"},
        (struct test_node){0}, "", NULL);
}

static void a_node_of_an_unknown_type_can_be_empty_DIS_35_DIS_141(void **state)
{
    (void)state;
    check_empty((struct test_pool){0}, (struct test_node){.type = "gone"}, "Empty/empty: x",
                UPSTREAM);
}

static void nodes_that_are_wanted_stay_DIS_32_DIS_765(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "x"});
        add_node(&world, (struct test_node){.name = "o"});
        add_pod(&world, (struct test_pod){.name = "pending"});
        PLAN p = disrupt(&world, "emptiness", upstream ? UPSTREAM : NULL);
        assert_disrupts(p.plan, upstream ? "Empty/empty: o x" : "Empty/empty: x");
    }
}

static void check_pod(struct test_pod pod, const char *more, const char *expected)
{
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x"});
    pod.name = "p";
    pod.node = "x";
    add_pod(&world, pod);
    text_add(&world, more);
    PLAN p = disrupt(&world, "emptiness", NULL);
    assert_disrupts(p.plan, expected);
}

#define DELETING "deletionTimestamp: '2026-01-01T00:00:00Z', "

static void pods_that_need_no_place_leave_a_node_empty_DIS_57_DIS_144(void **state)
{
    (void)state;
    check_pod((struct test_pod){0}, "", "");
    check_pod((struct test_pod){.owner = "DaemonSet"}, "", "Empty/empty: x");
    check_pod((struct test_pod){.owner = "Node"}, "", "Empty/empty: x");
    check_pod((struct test_pod){.status = "phase: Succeeded"}, "", "Empty/empty: x");
    check_pod((struct test_pod){.meta = DELETING}, "", "Empty/empty: x");
    check_pod((struct test_pod){.meta = DELETING, .owner = "StatefulSet"}, "", "");
    check_pod((struct test_pod){.annotations =
                                    "controller.kubernetes.io/pod-deletion-cost: '-134217728'"},
              "", "Empty/empty: x"); // DIS-55
    check_pod((struct test_pod){.spec = "priority: -33554432, "}, "", "Empty/empty: x");
}

static void protected_pods_keep_their_node_DIS_40(void **state)
{
    (void)state;
    const char *protect = "karpenter.sh/do-not-disrupt: 'true'";
    check_pod((struct test_pod){.annotations = protect, .owner = "DaemonSet"}, "", ""); // DIS-487
    check_pod((struct test_pod){.annotations = protect, .owner = "Node"}, "", "");
    check_pod((struct test_pod){.annotations = protect, .status = "phase: Failed"}, "",
              "Empty/empty: x");
    check_pod((struct test_pod){.annotations = "karpenter.sh/do-not-disrupt: 'yes'",
                                .owner = "DaemonSet"},
              "", "Empty/empty: x");
    const char *hour = "karpenter.sh/do-not-disrupt: 1h";
    check_pod((struct test_pod){.annotations = hour,
                                .owner = "DaemonSet",
                                .status = "phase: Running, startTime: '2025-12-31T23:00:01Z'"},
              "", "");
    check_pod((struct test_pod){.annotations = hour,
                                .owner = "DaemonSet",
                                .status = "phase: Running, startTime: '2025-12-31T23:00:00Z'"},
              "", "Empty/empty: x");
}

#define BUDGET(name, namespace, more)                                                  \
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name        \
    ", namespace: " namespace ", uid: " name "}, spec: {" more                         \
                              "}, status: {disruptionsAllowed: 0, currentHealthy: 1, " \
                              "desiredHealthy: 1, expectedPods: 1}}\n---\n"
#define ALL "selector: {}"

static void budgets_of_pods_keep_their_node_DIS_42_DIS_45(void **state)
{
    (void)state;
    struct test_pod daemon = {.owner = "DaemonSet", .labels = "app: a"};
    check_pod(daemon, BUDGET("b", "default", ALL), "");                 // DIS-486
    check_pod(daemon, BUDGET("b", "elsewhere", ALL), "Empty/empty: x"); // DIS-485
    check_pod(daemon, BUDGET("b", "default", "selector: {matchLabels: {app: b}}"),
              "Empty/empty: x");
    check_pod(daemon, BUDGET("b", "default", "maxUnavailable: 1"), "Empty/empty: x"); // DIS-43
    struct test_pod mirror = {.owner = "Node"};
    check_pod(mirror, BUDGET("b", "default", ALL), "Empty/empty: x");
    daemon.spec = "tolerations: [{key: karpenter.sh/disrupted, operator: Exists}], ";
    check_pod(daemon, BUDGET("b", "default", ALL), "Empty/empty: x");
    daemon.spec = NULL;
    daemon.status = "phase: Running, conditions: [{type: Ready, status: 'False'}]";
    const char *lenient = BUDGET("b", "default", ALL ", unhealthyPodEvictionPolicy: AlwaysAllow");
    check_pod(daemon, lenient, "Empty/empty: x");
    daemon.status = NULL;
    check_pod(daemon, lenient, "");
}

static void budgets_of_the_pool_bound_what_goes_at_once_DIS_118_DIS_142(void **state)
{
    (void)state;
    static const struct {
        const char *budgets, *expected;
    } cases[] = {
        {"[{nodes: '3'}]", "Empty/empty: n0 n1 n2"}, // DIS-460
        {"[{nodes: 0%}]", ""},                       // DIS-462
        {"[{nodes: 10%}]", "Empty/empty: n0"},
        {"[{nodes: '3'}, {nodes: '2', reasons: [Empty]}]", "Empty/empty: n0 n1"}, // DIS-122
        {"[{nodes: '2'}, {nodes: '0', reasons: [Drifted]}]", "Empty/empty: n0 n1"},
        {"[{nodes: '2'}, {nodes: '0', schedule: '0 1 * * *', duration: 1h}]",
         "Empty/empty: n0 n1"}, // DIS-111: not active at midnight
        {"[{nodes: '2'}, {nodes: '0', schedule: '0 0 * * *', duration: 1h}]", ""},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text world = {0};
        char disruption[300], name[8];
        snprintf(disruption, sizeof disruption, "budgets: %s, consolidateAfter: 0s",
                 cases[i].budgets);
        add_pool(&world, (struct test_pool){.disruption = disruption});
        for (int n = 0; n < 10; n++) {
            snprintf(name, sizeof name, "n%d", n);
            add_node(&world, (struct test_node){.name = name});
        }
        PLAN p = disrupt(&world, "emptiness", NULL);
        assert_disrupts(p.plan, cases[i].expected);
    }
}

static void nodes_that_are_not_ready_or_go_already_use_the_budget_DIS_126(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: '3'}], "
                                                      "consolidateAfter: 0s"});
    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        add_node(&world,
                 (struct test_node){.name = name,
                                    .not_ready = i == 0,
                                    .taints = i == 1 ? "{key: a, effect: NoSchedule}" : ""});
    }
    add_node(&world, (struct test_node){.name = "new", .uninitialized = true});
    PLAN p = disrupt(&world, "emptiness", NULL);
    assert_disrupts(p.plan, "Empty/empty: n0 n1"); // n0 counts, but may itself be disrupted
}

static void the_dearest_for_the_least_trouble_goes_first_DIS_61_DIS_700(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: '2'}], "
                                                      "consolidateAfter: 0s"});
    add_node(&world, (struct test_node){.name = "a", .type = "small"});
    add_node(&world, (struct test_node){.name = "b", .type = "large"});
    add_node(&world, (struct test_node){.name = "c", .type = "large", .capacity_type = "spot"});
    PLAN p = disrupt(&world, "emptiness", NULL);
    assert_disrupts(p.plan, "Empty/empty: b c");
    assert_int_equal(p.plan->disruptions.items[0].savings, 1120000000);
}

static void the_first_method_that_finds_something_decides_DIS_11_DIS_146(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "a", .drifted = "2025-12-20T00:00:00Z"});
    add_node(&world, (struct test_node){.name = "b"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "b"});
    PLAN p = disrupt(&world, NULL, NULL);
    assert_disrupts(p.plan, "Empty/empty: a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_must_pass_every_check_DIS_32),
        cmocka_unit_test(a_node_of_an_unknown_type_can_be_empty_DIS_35_DIS_141),
        cmocka_unit_test(nodes_that_are_wanted_stay_DIS_32_DIS_765),
        cmocka_unit_test(pods_that_need_no_place_leave_a_node_empty_DIS_57_DIS_144),
        cmocka_unit_test(protected_pods_keep_their_node_DIS_40),
        cmocka_unit_test(budgets_of_pods_keep_their_node_DIS_42_DIS_45),
        cmocka_unit_test(budgets_of_the_pool_bound_what_goes_at_once_DIS_118_DIS_142),
        cmocka_unit_test(nodes_that_are_not_ready_or_go_already_use_the_budget_DIS_126),
        cmocka_unit_test(the_dearest_for_the_least_trouble_goes_first_DIS_61_DIS_700),
        cmocka_unit_test(the_first_method_that_finds_something_decides_DIS_11_DIS_146),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
