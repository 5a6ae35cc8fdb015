// Consolidation of one and of several nodes (DIS-150 to DIS-214, DIS-230 to DIS-252).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_fixture.h"

static void pods_that_fit_elsewhere_need_no_node_DIS_162(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "a"});
    add_node(&world, (struct test_node){.name = "b"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "a"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "b"});
    add_pod(&world, (struct test_pod){.name = "r", .node = "b", .cpu = "9"});
    PLAN p = disrupt(&world, "single", UPSTREAM);
    assert_disrupts(p.plan, "Underutilized/single: a"); // DIS-465: less disruption
    assert_int_equal(p.plan->disruptions.items[0].savings, 800000000);
}

// One node with one pod.
static struct plan_fixture one_node(struct test_pool pool, struct test_node node,
                                    struct test_pod pod, const char *settings)
{
    struct text world = {0};
    add_pool(&world, pool);
    node.name = "x";
    add_node(&world, node);
    pod.name = "p";
    pod.node = "x";
    add_pod(&world, pod);
    return disrupt(&world, "single", settings);
}

static void a_cheaper_node_takes_its_place_DIS_167_DIS_170(void **state)
{
    (void)state;
    struct test_pod pod = {.cpu = "1"};
    PLAN p = one_node((struct test_pool){0}, (struct test_node){0}, pod, UPSTREAM);
    assert_disrupts(p.plan, "Underutilized/single: x -> small,medium,arm,large spot -");
    assert_int_equal(p.plan->disruptions.items[0].savings, 760000000);
    PLAN q = one_node((struct test_pool){0}, (struct test_node){.type = "small"}, pod, UPSTREAM);
    assert_disrupts(q.plan, "Underutilized/single: x -> small,medium,arm spot -");
    struct test_pool on_demand = {.template = "requirements: [{key: karpenter.sh/capacity-type, "
                                              "operator: In, values: [on-demand]}], "};
    PLAN r = one_node(on_demand, (struct test_node){.type = "medium"}, pod, UPSTREAM);
    assert_disrupts(r.plan, "Underutilized/single: x -> small on-demand -");
    PLAN t = one_node(on_demand, (struct test_node){.type = "small"}, pod, UPSTREAM);
    assert_disrupts(t.plan, "");
    assert_string_equal(note_about(t.plan, "x"), "Can't replace with a cheaper node");
}

static void spot_is_replaced_by_spot_only_behind_the_gate_DIS_172_DIS_175(void **state)
{
    (void)state;
    struct test_node spot = {.capacity_type = "spot"};
    PLAN p = one_node((struct test_pool){0}, spot, (struct test_pod){0}, UPSTREAM);
    assert_disrupts(p.plan, "");
    assert_string_equal(note_about(p.plan, "x"),
                        "SpotToSpotConsolidation is disabled, can't replace a spot node with a "
                        "spot node");
    PLAN q =
        one_node((struct test_pool){0}, spot, (struct test_pod){0}, UPSTREAM ", " SPOT_TO_SPOT);
    assert_disrupts(q.plan, "");
    assert_string_equal(note_about(q.plan, "x"),
                        "SpotToSpotConsolidation requires 15 cheaper instance type options than "
                        "the current candidate to consolidate, got 3"); // DIS-468
}

static void min_values_hold_after_the_prices_have_decided_DIS_168(void **state)
{
    (void)state;
    struct test_pool pool = {.template = "requirements: [{key: node.kubernetes.io/instance-type, "
                                         "operator: Exists, minValues: 4}], "};
    PLAN p = one_node(pool, (struct test_node){0}, (struct test_pod){0}, UPSTREAM);
    assert_disrupts(p.plan, "Underutilized/single: x -> small,medium,arm,large spot -");
    PLAN q = one_node(pool, (struct test_node){.type = "medium"}, (struct test_pod){0}, UPSTREAM);
    assert_disrupts(q.plan, ""); // DIS-472
    assert_string_equal(note_about(q.plan, "x"),
                        "Filtering by price: minValues requirement is not met for label(s) "
                        "(label(s)=[node.kubernetes.io/instance-type])");
}

static void nodes_that_consolidation_leaves_alone_DIS_150(void **state)
{
    (void)state;
    struct test_pod pod = {0};
    PLAN p = one_node((struct test_pool){.disruption = "budgets: [{nodes: 100%}], "
                                                       "consolidateAfter: 0s, "
                                                       "consolidationPolicy: WhenEmpty"},
                      (struct test_node){0}, pod, UPSTREAM);
    assert_disrupts(p.plan, "");
    assert_string_equal(note_about(p.plan, "x"),
                        "NodePool \"pool\" has consolidation policy WhenEmpty, but node is not "
                        "empty");
    PLAN q = one_node((struct test_pool){0}, (struct test_node){.type = "gone"}, pod, UPSTREAM);
    assert_disrupts(q.plan, "");
    assert_string_equal(note_about(q.plan, "x"), "Instance Type \"gone\" not found");
    PLAN r = one_node((struct test_pool){0}, (struct test_node){.no_condition = "Consolidatable"},
                      pod, UPSTREAM);
    assert_disrupts(r.plan, "");
    PLAN t = one_node((struct test_pool){.disruption = "budgets: [{nodes: '0', reasons: "
                                                       "[Underutilized]}], consolidateAfter: 0s"},
                      (struct test_node){0}, pod, UPSTREAM);
    assert_disrupts(t.plan, "");
}

static void two_nodes_in_place_of_one_are_too_many_DIS_163(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.template = "requirements: [{key: "
                                                    "node.kubernetes.io/instance-type, operator: "
                                                    "In, values: [small]}], "});
    add_node(&world, (struct test_node){.name = "x"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x", .cpu = "1500m"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "x", .cpu = "1500m"});
    PLAN p = disrupt(&world, "single", UPSTREAM);
    assert_disrupts(p.plan, "");
    assert_string_equal(note_about(p.plan, "x"), "Can't remove without creating 2 candidates");
}

static void pods_without_another_place_keep_their_nodes_DIS_250_DIS_483(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "a"});
    add_node(&world, (struct test_node){.name = "b"});
    add_pod(&world, (struct test_pod){.name = "p",
                                      .node = "a",
                                      .spec = "nodeSelector: {kubernetes.io/hostname: a}, "});
    add_pod(&world, (struct test_pod){.name = "q",
                                      .node = "b",
                                      .spec = "nodeSelector: {kubernetes.io/hostname: b}, "});
    PLAN p = disrupt(&world, NULL, UPSTREAM);
    assert_disrupts(p.plan, "");
    const char *note = note_about(p.plan, "a");
    assert_non_null(strstr(note, "Not all pods would schedule, default/p => "));
}

static void a_pending_pod_without_any_place_stops_nobody_DIS_481(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "a"});
        add_node(&world, (struct test_node){.name = "b"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "a"});
        add_pod(&world, (struct test_pod){.name = "q", .node = "b", .cpu = "8"});
        add_pod(&world, (struct test_pod){.name = "r", .spec = "nodeSelector: {no: where}, "});
        PLAN p = disrupt(&world, "single", upstream ? UPSTREAM : NULL);
        assert_disrupts(p.plan, "Underutilized/single: a");
    }
}

static void pods_do_not_move_to_uninitialized_nodes_DIS_241_DIS_477(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world,
             (struct test_pool){.template = "requirements: [{key: karpenter.sh/capacity-type"
                                            ", operator: In, values: [on-demand]}], "});
    add_node(&world, (struct test_node){.name = "x", .type = "small", .cpu = "1900m"});
    add_node(&world, (struct test_node){.name = "up", .uninitialized = true});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
    PLAN p = disrupt(&world, "single", UPSTREAM);
    assert_disrupts(p.plan, "");
    assert_string_equal(note_about(p.plan, "x"),
                        "Not all pods would schedule, default/p => would schedule against "
                        "uninitialized nodeclaim/claim-up, node/up ");
}

static void nodes_that_are_not_quiet_take_no_running_pods_DIS_238_DIS_478(void **state)
{
    (void)state;
    static const struct {
        const char *after, *event, *expected;
    } cases[] = {
        {"1m", "2025-12-31T23:59:01Z", ""},
        {"1m", "2025-12-31T23:59:00Z", "Underutilized/single: a"},
        {"0s", "2025-12-31T23:59:59Z", "Underutilized/single: a"},
        {"Never", "2025-12-31T23:59:59Z", "Underutilized/single: a"}, // DIS-479
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text world = {0};
        char disruption[100], status[100];
        snprintf(disruption, sizeof disruption, "budgets: [{nodes: 100%%}], consolidateAfter: %s",
                 cases[i].after);
        snprintf(status, sizeof status, "lastPodEventTime: '%s'", cases[i].event);
        add_pool(&world, (struct test_pool){.template = "requirements: [{key: "
                                                        "karpenter.sh/capacity-type, operator: In, "
                                                        "values: [on-demand]}], "});
        add_pool(&world, (struct test_pool){.name = "busy", .disruption = disruption});
        add_node(&world, (struct test_node){.name = "a", .type = "small", .cpu = "1900m"});
        add_node(&world, (struct test_node){.name = "b",
                                            .pool = "busy",
                                            .claim_status = status,
                                            .no_condition = "Consolidatable"});
        add_pod(&world, (struct test_pod){.name = "p",
                                          .node = "a",
                                          .spec = "nodeSelector: {karpenter.sh/capacity-type: "
                                                  "on-demand}, "});
        PLAN p = disrupt(&world, "single", UPSTREAM);
        assert_disrupts(p.plan, cases[i].expected);
    }
}

// A destination where pods start and stop all the time.
static void a_restless_node_takes_pods_when_its_own_are_settled_DIS_719(void **state)
{
    (void)state;
#define SINCE(text) "phase: Running, startTime: '" text "'"
    static const struct {
        const char *consolidatable, *pod, *settings, *expected;
    } cases[] = {
        {"", SINCE("2025-12-31T23:59:00Z"), NULL, "Underutilized/single: a"},
        {"", SINCE("2025-12-31T23:59:00Z"), "CONSOLIDATION_QUIET: node", ""},
        {"", SINCE("2025-12-31T23:59:00Z"), UPSTREAM, ""},
        {"", SINCE("2025-12-31T23:59:01Z"), NULL, ""}, // started too recently
        {"", "phase: Running", NULL, ""},              // unknown
        {"", NULL, NULL, ""},                          // nothing would move
        {"Consolidatable", SINCE("2025-12-31T23:00:00Z"), NULL, ""},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.template = "requirements: [{key: "
                                                        "karpenter.sh/capacity-type, operator: In, "
                                                        "values: [on-demand]}], "});
        add_pool(&world, (struct test_pool){.name = "busy",
                                            .disruption = "budgets: [{nodes: '0'}], "
                                                          "consolidateAfter: 1m"});
        add_node(&world, (struct test_node){.name = "a", .type = "small", .cpu = "1900m"});
        add_node(&world,
                 (struct test_node){.name = "b",
                                    .pool = "busy",
                                    .claim_status = "lastPodEventTime: '2025-12-31T23:59:50Z'",
                                    .no_condition = cases[i].consolidatable});
        add_pod(&world, (struct test_pod){.name = "p", .node = "a"});
        if (cases[i].pod != NULL)
            add_pod(&world, (struct test_pod){.name = "q", .node = "b", .status = cases[i].pod});
        PLAN p = disrupt(&world, "single", cases[i].settings);
        assert_disrupts(p.plan, cases[i].expected);
    }
}

static void several_nodes_become_one_DIS_201_DIS_466(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    for (int i = 0; i < 3; i++) {
        char name[8], pod[8];
        snprintf(name, sizeof name, "n%d", i);
        snprintf(pod, sizeof pod, "p%d", i);
        add_node(&world, (struct test_node){.name = name, .cpu = "1"});
        add_pod(&world, (struct test_pod){.name = pod, .node = name});
    }
    PLAN p = disrupt(&world, "multi", UPSTREAM);
    assert_disrupts(p.plan, "Underutilized/multi: n0 n1 n2 -> medium,arm,large spot -");
}

static void a_single_candidate_is_not_several_DIS_201(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
    PLAN p = disrupt(&world, "multi", UPSTREAM);
    assert_disrupts(p.plan, "");
}

static void several_nodes_do_not_become_one_of_their_own_DIS_203(void **state)
{
    (void)state;
    // Three nodes, two of them of the cheapest type that holds all: one of those is not new.
    struct text world = {0};
    add_pool(&world,
             (struct test_pool){.template = "requirements: [{key: karpenter.sh/capacity-type"
                                            ", operator: In, values: [on-demand]}], "});
    add_node(&world, (struct test_node){.name = "a", .type = "medium", .cpu = "1"});
    add_node(&world, (struct test_node){.name = "b", .type = "medium", .cpu = "1"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "a"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "b"});
    PLAN p = disrupt(&world, "multi", UPSTREAM);
    assert_disrupts(p.plan, ""); // one medium would suffice, at half the cost of both
}

static void budgets_bound_how_many_go_together_DIS_132(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: '2'}], "
                                                      "consolidateAfter: 0s"});
    for (int i = 0; i < 4; i++) {
        char name[8], pod[8];
        snprintf(name, sizeof name, "n%d", i);
        snprintf(pod, sizeof pod, "p%d", i);
        add_node(&world, (struct test_node){.name = name});
        add_pod(&world, (struct test_pod){.name = pod, .node = name});
    }
    PLAN p = disrupt(&world, "multi", UPSTREAM);
    assert_disrupts(p.plan, "Underutilized/multi: n0 n1");
}

static void pools_take_turns_DIS_214(void **state)
{
    (void)state;
    // The best two of pool b cannot move; the first of pool c comes before the second of b.
    struct text world = {0};
    add_pool(&world, (struct test_pool){.name = "b"});
    add_pool(&world, (struct test_pool){.name = "c"});
    static const char *const names[] = {"b1", "b2", "c1"};
    for (int i = 0; i < 3; i++) {
        char pod[8], spec[80];
        snprintf(pod, sizeof pod, "p%d", i);
        snprintf(spec, sizeof spec, "nodeSelector: {kubernetes.io/hostname: %s}, ", names[i]);
        add_node(&world, (struct test_node){.name = names[i],
                                            .pool = i < 2 ? "b" : "c",
                                            .type = i < 2 ? "large" : "small"});
        add_pod(&world,
                (struct test_pod){.name = pod, .node = names[i], .spec = i == 0 ? spec : NULL});
    }
    PLAN p = disrupt(&world, "single", UPSTREAM);
    assert_disrupts(p.plan, "Underutilized/single: c1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_that_fit_elsewhere_need_no_node_DIS_162),
        cmocka_unit_test(a_cheaper_node_takes_its_place_DIS_167_DIS_170),
        cmocka_unit_test(spot_is_replaced_by_spot_only_behind_the_gate_DIS_172_DIS_175),
        cmocka_unit_test(min_values_hold_after_the_prices_have_decided_DIS_168),
        cmocka_unit_test(nodes_that_consolidation_leaves_alone_DIS_150),
        cmocka_unit_test(two_nodes_in_place_of_one_are_too_many_DIS_163),
        cmocka_unit_test(pods_without_another_place_keep_their_nodes_DIS_250_DIS_483),
        cmocka_unit_test(a_pending_pod_without_any_place_stops_nobody_DIS_481),
        cmocka_unit_test(pods_do_not_move_to_uninitialized_nodes_DIS_241_DIS_477),
        cmocka_unit_test(nodes_that_are_not_quiet_take_no_running_pods_DIS_238_DIS_478),
        cmocka_unit_test(a_restless_node_takes_pods_when_its_own_are_settled_DIS_719),
        cmocka_unit_test(several_nodes_become_one_DIS_201_DIS_466),
        cmocka_unit_test(a_single_candidate_is_not_several_DIS_201),
        cmocka_unit_test(several_nodes_do_not_become_one_of_their_own_DIS_203),
        cmocka_unit_test(budgets_bound_how_many_go_together_DIS_132),
        cmocka_unit_test(pools_take_turns_DIS_214),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
