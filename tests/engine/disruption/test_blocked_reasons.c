// Why nodes stay (DIS-770): one verdict about each, with the rule, the blocker and its numbers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_fixture.h"

// The clock of the fixture is at 2026-01-01T00:00:00Z.

static void check_node(struct test_pool pool, struct test_node node, const char *settings,
                       const char *rule, const char *part)
{
    struct text world = {0};
    add_pool(&world, pool);
    node.name = "x";
    add_node(&world, node);
    PLAN p = disrupt(&world, NULL, settings);
    assert_disrupts(p.plan, "");
    assert_verdict(p.plan, "x", rule, part);
}

static void nodes_that_are_no_candidates_DIS_32(void **state)
{
    (void)state;
    struct test_pool pool = {0};
    check_node(pool, (struct test_node){.unmanaged = true}, NULL, "DIS-32 #2", "not managed");
    check_node(pool, (struct test_node){.uninitialized = true}, NULL, "DIS-32 #4",
               "not initialized");
    check_node(pool, (struct test_node){.deleting = true}, NULL, "DIS-32 #5",
               "since 2025-12-31T00:00:00Z");
    check_node(pool, (struct test_node){.annotations = "karpenter.sh/do-not-disrupt: 'true'"}, NULL,
               "DIS-32 #7", "annotation karpenter.sh/do-not-disrupt: true");
    check_node(pool, (struct test_node){.pool = "other"}, NULL, "DIS-32 #9", "\"other\"");
}

static void machines_without_a_node_DIS_32(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    text_add(&world,
             "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: flying, uid: f, "
             "labels: {karpenter.sh/nodepool: pool, node.kubernetes.io/instance-type: small}}, "
             "spec: {nodeClassRef: {group: g, kind: Class, name: c}}, status: {providerID: 'p:f', "
             "allocatable: {cpu: 2}}}\n---\n"
             "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: new, uid: new, "
             "creationTimestamp: '2025-12-31T23:59:00Z', labels: {karpenter.sh/nodepool: pool}}, "
             "spec: {nodeClassRef: {group: g, kind: Class, name: c}}}\n---\n");
    PLAN p = disrupt(&world, NULL, NULL);
    assert_verdict(p.plan, "flying", "DIS-32 #3", "has not joined");
    assert_verdict(p.plan, "new", "DIS-32 #3", "made at 2025-12-31T23:59:00Z, has no machine");
}

static void nodes_that_pending_pods_want_DIS_765(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x"});
    add_pod(&world, (struct test_pod){.name = "pending"});
    PLAN p = disrupt(&world, NULL, NULL);
    assert_verdict(p.plan, "x", "DIS-765", "default/pending");
}

static void check_pod(struct test_pod pod, const char *more, const char *rule, const char *part)
{
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x"});
    pod.name = "p";
    pod.node = "x";
    add_pod(&world, pod);
    text_add(&world, more);
    PLAN p = disrupt(&world, NULL, NULL);
    assert_verdict(p.plan, "x", rule, part);
}

#define BUDGET(name, allowed)                                                                     \
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name ", namespace: "   \
    "default}, spec: {minAvailable: 1, selector: {}}, status: {disruptionsAllowed: " allowed ", " \
    "currentHealthy: 1, desiredHealthy: 1, expectedPods: 1}}\n---\n"

static void pods_that_block_DIS_40_DIS_44_DIS_45(void **state)
{
    (void)state;
    check_pod((struct test_pod){.annotations = "karpenter.sh/do-not-disrupt: 'true'"}, "", "DIS-40",
              "pod default/p has");
    check_pod((struct test_pod){.annotations = "karpenter.sh/do-not-disrupt: 1h",
                                .status = "phase: Running, startTime: '2025-12-31T23:30:00Z'"},
              "", "DIS-40", "until 2026-01-01T00:30:00Z");
    check_pod((struct test_pod){0}, BUDGET("a", "0"), "DIS-45",
              "PodDisruptionBudget default/a allows no eviction of pod default/p: 1 of its 1 pods "
              "are healthy, 1 must be");
    check_pod((struct test_pod){0}, BUDGET("a", "1") BUDGET("b", "1"), "DIS-44",
              "default/a default/b");
}

// Unreadable parts may be anything; other pods and nodes are unaffected.
static void what_cannot_be_read_blocks_API_603(void **state)
{
    (void)state;
    check_pod(
        (struct test_pod){.meta = "adze.dev/unreadable: 'spec: not an object', "}, "", "API-603",
        "pod default/p cannot be read, so that nobody knows what it needs: spec: not an object");
    check_pod((struct test_pod){0},
              "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a, namespace: "
              "default, adze.dev/unreadable: bad}, status: {disruptionsAllowed: 9}}\n---\n",
              "API-603", "PodDisruptionBudget default/a cannot be read");
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "empty"});
    add_node(&world, (struct test_node){.name = "x"});
    add_pod(&world, (struct test_pod){.name = "p",
                                      .node = "x",
                                      .meta = "adze.dev/unreadable: bad, ",
                                      .status = "phase: Running"});
    PLAN p = disrupt(&world, NULL, NULL);
    assert_disrupts(p.plan, "Empty/empty: empty");
    assert_verdict(p.plan, "x", "API-603", "pod default/p");
}

#define STARTED "phase: Running, startTime: '2025-12-31T23:50:00Z'"

// The node may be disrupted when the last of its pods may.
static void the_longest_protection_is_told_DIS_40(void **state)
{
    (void)state;
    static const struct {
        const char *second, *status, *expected;
    } rows[] = {
        {"30m", STARTED,
         "pod default/p0 has the annotation karpenter.sh/do-not-disrupt: 1h, which "
         "protects it until 2026-01-01T00:50:00Z"},
        {"2h", STARTED,
         "pod default/p1 has the annotation karpenter.sh/do-not-disrupt: 2h, which "
         "protects it until 2026-01-01T01:50:00Z"},
        {"'true'", STARTED, "pod default/p1 has the annotation karpenter.sh/do-not-disrupt: true"},
        {"1s", "phase: Pending",
         "do-not-disrupt: 1s from its start, and its status has no startTime yet"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        char second[64];
        struct text world = {0};
        snprintf(second, sizeof second, "karpenter.sh/do-not-disrupt: %s", rows[i].second);
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "x"});
        add_pod(&world, (struct test_pod){.name = "p0",
                                          .node = "x",
                                          .status = STARTED,
                                          .annotations = "karpenter.sh/do-not-disrupt: 1h"});
        add_pod(&world,
                (struct test_pod){
                    .name = "p1", .node = "x", .status = rows[i].status, .annotations = second});
        PLAN p = disrupt(&world, NULL, NULL);
        assert_verdict(p.plan, "x", "DIS-40", rows[i].expected);
    }
}

static void budgets_without_status_allow_nothing_DIS_45(void **state)
{
    (void)state;
    check_pod((struct test_pod){0},
              "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a, namespace: "
              "default}, spec: {minAvailable: 1, selector: {}}}\n---\n",
              "DIS-45",
              "default/a allows no eviction of pod default/p: its status counts no pods yet");
}

static void budgets_nobody_can_read_DIS_708(void **state)
{
    (void)state;
    check_pod(
        (struct test_pod){0},
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a, namespace: "
        "default}, spec: {selector: {matchExpressions: [{key: app, operator: Like}]}}}\n---\n",
        "DIS-708",
        "selector of PodDisruptionBudget default/a is invalid, so that it may "
        "protect any pod of its namespace, such as p");
}

// The verdict about a drifted node by the other methods.
static void drifted_nodes_and_the_other_method_DIS_220(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_pool(&world, (struct test_pool){.name = "fixed", .spec = "replicas: 1, "});
    add_node(&world, (struct test_node){.name = "x", .drifted = "2025-12-20T00:00:00Z"});
    add_node(&world,
             (struct test_node){.name = "w", .pool = "fixed", .drifted = "2025-12-20T00:00:00Z"});
    PLAN p = disrupt(&world, "multi", NULL);
    assert_verdict(p.plan, "w", "DIS-220", "have drifted, by static-drift");
    struct text other = {0};
    add_pool(&other, (struct test_pool){0});
    add_node(&other, (struct test_node){.name = "x", .drifted = "2025-12-20T00:00:00Z"});
    PLAN q = disrupt(&other, "static-drift", NULL);
    assert_verdict(q.plan, "x", "DIS-220", "is not static: its drifted nodes go by drift");
}

// Without a pool that accepts pods upstream evaluates nothing further: that holds for the other
// methods, too.
static void no_pool_to_simulate_with_DIS_227(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.not_ready = true});
    add_node(&world, (struct test_node){.name = "x", .drifted = "2025-12-20T00:00:00Z"});
    add_node(&world, (struct test_node){.name = "w", .drifted = "2025-12-21T00:00:00Z"});
    PLAN p = disrupt(&world, "drift", UPSTREAM);
    assert_disrupts(p.plan, "");
    assert_verdict(p.plan, "x", "DIS-227", "no nodepools found");
    assert_verdict(p.plan, "w", "DIS-227", "no nodepools found");
}

static void pods_of_a_named_host_DIS_161(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x"});
    add_pod(&world, (struct test_pod){.name = "p",
                                      .node = "x",
                                      .spec = "nodeSelector: {kubernetes.io/hostname: x}, "});
    PLAN p = disrupt(&world, "single", NULL);
    assert_verdict(p.plan, "x", "DIS-161",
                   "the node's own name is not allowed by kubernetes.io/hostname In [x]");
}

static void pools_that_are_unknown_DIS_32(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_pool(&world, (struct test_pool){.name = "bare"});
    add_node(&world, (struct test_node){.name = "x", .pool = "bare"});
    add_node(&world, (struct test_node){.name = "w", .pool = "none"});
    text_add(&world, "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: empty}, "
                     "spec: {nodePools: [bare], instanceTypes: []}}\n---\n");
    PLAN p = disrupt(&world, NULL, UPSTREAM);
    assert_verdict(p.plan, "x", "DIS-32 #9", "no instance types are known of NodePool \"bare\"");
    assert_verdict(p.plan, "w", "DIS-32 #9", "there is no NodePool \"none\"");
}

static void consolidation_is_off_or_waits_DIS_83_DIS_85_DIS_98(void **state)
{
    (void)state;
    struct test_node waiting = {.no_condition = "Consolidatable",
                                .claim_status = "lastPodEventTime: '2025-12-31T23:58:00Z'"};
    check_node((struct test_pool){.disruption = "consolidateAfter: Never"}, (struct test_node){0},
               NULL, "DIS-98", "consolidateAfter: Never");
    check_node((struct test_pool){.disruption = "consolidateAfter: 5m"}, waiting, NULL, "DIS-85",
               "the last pod event at 2025-12-31T23:58:00Z: 3m0s left, until 2026-01-01T00:03:00Z");
    check_node((struct test_pool){.disruption = "consolidateAfter: 1m"}, waiting, NULL, "DIS-86",
               "condition Consolidatable is not there yet");
    check_node((struct test_pool){.spec = "replicas: 1, "}, (struct test_node){0}, NULL, "DIS-220",
               "static");
}

static void budgets_that_are_used_up_DIS_120_DIS_121_DIS_127_DIS_132(void **state)
{
    (void)state;
    struct test_pool closed = {.disruption =
                                   "consolidateAfter: 0s, budgets: [{nodes: 50%}, {nodes: "
                                   "'0', schedule: '0 20 * * *', duration: 8h}]"};
    check_node(
        closed, (struct test_node){0}, NULL, "DIS-120",
        "NodePool \"pool\" budgets[1] (nodes \"0\", schedule \"0 20 * * *\" for 8h) allows 0 "
        "of 1 nodes until 2026-01-01T04:00:00Z");
    struct test_pool bad = {.disruption = "consolidateAfter: 0s, budgets: [{nodes: 50%}, {nodes: "
                                          "'0', schedule: '0 20 * * * *', duration: 8h}]"};
    check_node(bad, (struct test_node){0}, NULL, "DIS-121", "budgets[1] cannot be read");
    check_node((struct test_pool){.disruption = "consolidateAfter: 0s, budgets: [{nodes: '1'}]"},
               (struct test_node){.not_ready = true}, NULL, "DIS-127",
               "allows 1 of 1 nodes; 1 is being disrupted or not ready: x");

    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "consolidateAfter: 0s, "
                                                      "budgets: [{nodes: '1'}]"});
    add_node(&world, (struct test_node){.name = "a"});
    add_node(&world, (struct test_node){.name = "b"});
    PLAN p = disrupt(&world, NULL, NULL);
    assert_disrupts(p.plan, "Empty/empty: a");
    assert_verdict(p.plan, "b", "DIS-132", "leaves 1 for Empty");
}

static void earlier_methods_come_first_DIS_11(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "empty"});
    add_node(&world, (struct test_node){.name = "used"});
    add_node(&world, (struct test_node){.name = "drifted", .drifted = "2025-12-31T00:00:00Z"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "used"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "drifted"});
    PLAN p = disrupt(&world, NULL, NULL);
    assert_disrupts(p.plan, "Empty/empty: empty");
    assert_verdict(p.plan, "used", "DIS-11",
                   "an earlier method comes first: Empty (empty) has 1 command");
    assert_verdict(p.plan, "drifted", "DIS-11", "Empty (empty) has 1 command");
}

static void one_method_alone_DIS_445(void **state)
{
    (void)state;
    static const struct {
        const char *method, *rule;
    } cases[] = {{"drift", "DIS-222"},
                 {"static-drift", "DIS-222"},
                 {"emptiness", "DIS-144"},
                 {"multi", "DIS-201"},
                 {"expiry", "DIS-762"}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "x"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
        PLAN p = disrupt(&world, cases[i].method, NULL);
        assert_verdict(p.plan, "x", cases[i].rule, "");
    }
}

static void check_used(struct test_pool pool, struct test_node node, struct test_pod pod,
                       const char *settings, const char *rule, const char *part)
{
    struct text world = {0};
    add_pool(&world, pool);
    node.name = "x";
    add_node(&world, node);
    pod.name = "p";
    pod.node = "x";
    add_pod(&world, pod);
    PLAN p = disrupt(&world, NULL, settings);
    assert_disrupts(p.plan, "");
    assert_verdict(p.plan, "x", rule, part);
}

static void nodes_in_use_DIS_150_DIS_161_DIS_169_DIS_172_DIS_175(void **state)
{
    (void)state;
    struct test_pool pool = {0}, small = {.template = "requirements: [{key: "
                                                      "node.kubernetes.io/instance-type, operator: "
                                                      "In, values: [small]}], "};
    struct test_node node = {.cpu = "1900m", .type = "small", .capacity_type = "spot"};
    check_used((struct test_pool){.disruption = "consolidateAfter: 0s, budgets: [{nodes: 100%}], "
                                                "consolidationPolicy: WhenEmpty"},
               (struct test_node){0}, (struct test_pod){0}, NULL, "DIS-97", "WhenEmpty");
    check_used(pool, (struct test_node){.type = "gone"}, (struct test_pod){0}, NULL, "DIS-150",
               "\"gone\"");
    check_used(pool, (struct test_node){0},
               (struct test_pod){.spec = "nodeSelector: {kubernetes.io/hostname: x}, "}, NULL,
               "DIS-161", "default/p =>");
    check_used(pool, node, (struct test_pod){0}, NULL, "DIS-172", "SpotToSpotConsolidation");
    check_used(pool, (struct test_node){.capacity_type = "spot"}, (struct test_pod){0},
               SPOT_TO_SPOT ", SPOT_MIN_TYPES: '15'", "DIS-175", "got ");
    node.capacity_type = "on-demand";
    check_used((struct test_pool){.template = "requirements: [{key: karpenter.sh/capacity-type, "
                                              "operator: In, values: [on-demand]}], "},
               node, (struct test_pod){0}, NULL, "DIS-169",
               "its own small costs $0.1000 an hour; the cheapest that its pods fit on, small, may "
               "cost $0.1000");
    struct text world = {0};
    add_pool(&world, small);
    add_node(&world, (struct test_node){.name = "x"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x", .cpu = "1500m"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "x", .cpu = "1500m"});
    PLAN p = disrupt(&world, NULL, UPSTREAM);
    assert_verdict(p.plan, "x", "DIS-163", "creating 2");
}

static void quiet_nodes_do_not_take_pods_DIS_238(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "consolidateAfter: 1m, "
                                                      "budgets: [{nodes: 100%}]",
                                        .template = "requirements: [{key: "
                                                    "node.kubernetes.io/instance-type, operator: "
                                                    "In, values: [small]}, {key: "
                                                    "karpenter.sh/capacity-type, operator: In, "
                                                    "values: [on-demand]}], "});
    add_node(&world, (struct test_node){.name = "a", .type = "small", .cpu = "1900m"});
    add_node(&world,
             (struct test_node){.name = "b",
                                .type = "small",
                                .cpu = "1900m",
                                .no_condition = "Consolidatable",
                                .claim_status = "lastPodEventTime: '2025-12-31T23:59:30Z'"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "a", .cpu = "500m"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "b", .cpu = "500m"});
    PLAN p = disrupt(&world, NULL, NULL);
    assert_disrupts(p.plan, "");
    assert_verdict(p.plan, "a", "DIS-238", "its pods would fit on b, which takes no running pods");
    assert_verdict(p.plan, "b", "DIS-85", "30s left");
}

static void scores_are_told_DIS_196(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "consolidateAfter: 0s, budgets: [{nodes: "
                                                      "100%}], consolidationPolicy: Balanced"});
    add_node(&world, (struct test_node){.name = "a", .type = "small", .cpu = "1900m"});
    add_node(&world, (struct test_node){.name = "b"});
    for (int i = 0; i < 8; i++) {
        char name[] = {'p', (char)('0' + i), '\0'};
        add_pod(&world, (struct test_pod){.name = name, .node = "a", .cpu = "100m"});
    }
    add_pod(&world, (struct test_pod){.name = "q",
                                      .node = "b",
                                      .cpu = "15",
                                      .spec = "nodeSelector: {kubernetes.io/hostname: b}, "});
    PLAN p = disrupt(&world, "single", NULL);
    assert_verdict(p.plan, "a", "DIS-196",
                   "score 0.14 is below 0.50: saves 11.1 % of the $0.9000 an hour of NodePool "
                   "\"pool\" for 81.8 % of its disruption");
}

static void drifted_nodes_that_stay_DIS_220_DIS_223_DIS_728(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x", .drifted = "2025-12-31T00:00:00Z"});
    add_pod(&world, (struct test_pod){.name = "p",
                                      .node = "x",
                                      .spec = "nodeSelector: {kubernetes.io/hostname: x}, "});
    PLAN p = disrupt(&world, NULL, NULL);
    assert_verdict(p.plan, "x", "DIS-223", "default/p =>");

    struct test_node drifted = {.drifted = "2025-12-31T00:00:00Z"};
    check_node((struct test_pool){.spec = "replicas: 1, limits: {nodes: 1}, "}, drifted, UPSTREAM,
               "DIS-728", "limits.nodes is 1 and the NodePool has 1");
    check_node((struct test_pool){.spec = "replicas: 0, "}, drifted, NULL, "DIS-220",
               "has 1 NodeClaims for 0 replicas");
}

static void methods_that_do_not_concern_a_node_say_nothing_DIS_772(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.disruption = "consolidateAfter: Never"});
        add_node(&world, (struct test_node){.name = "x"});
        PLAN p = disrupt(&world, NULL, upstream ? UPSTREAM : NULL);
        const char *note = note_about(p.plan, "x");
        if (upstream)
            assert_string_equal(note, "NodePool \"pool\" has consolidation disabled");
        else
            assert_null(note);
    }
}

static void texts_only_if_asked_for_DIS_770(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "consolidateAfter: Never"});
    add_node(&world, (struct test_node){.name = "x"});
    add_node(&world, (struct test_node){.name = "w"});
    add_node(&world, (struct test_node){.name = "z", .unmanaged = true});
    const struct plan_options options = {.disrupt = true};
    PLAN p = plan_yaml_with(world.data, NULL, &options);
    text_free(&world);
    assert_int_equal(p.plan->verdicts.count, 0);
    assert_int_equal(p.plan->verdict_counts.count, 2);
    assert_string_equal(p.plan->verdict_counts.items[0].rule, "DIS-32 #2");
    assert_int_equal(p.plan->verdict_counts.items[0].nodes, 1);
    assert_string_equal(p.plan->verdict_counts.items[1].rule, "DIS-98");
    assert_int_equal(p.plan->verdict_counts.items[1].nodes, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_are_no_candidates_DIS_32),
        cmocka_unit_test(machines_without_a_node_DIS_32),
        cmocka_unit_test(nodes_that_pending_pods_want_DIS_765),
        cmocka_unit_test(pods_that_block_DIS_40_DIS_44_DIS_45),
        cmocka_unit_test(what_cannot_be_read_blocks_API_603),
        cmocka_unit_test(the_longest_protection_is_told_DIS_40),
        cmocka_unit_test(budgets_without_status_allow_nothing_DIS_45),
        cmocka_unit_test(budgets_nobody_can_read_DIS_708),
        cmocka_unit_test(drifted_nodes_and_the_other_method_DIS_220),
        cmocka_unit_test(no_pool_to_simulate_with_DIS_227),
        cmocka_unit_test(pods_of_a_named_host_DIS_161),
        cmocka_unit_test(pools_that_are_unknown_DIS_32),
        cmocka_unit_test(consolidation_is_off_or_waits_DIS_83_DIS_85_DIS_98),
        cmocka_unit_test(budgets_that_are_used_up_DIS_120_DIS_121_DIS_127_DIS_132),
        cmocka_unit_test(earlier_methods_come_first_DIS_11),
        cmocka_unit_test(one_method_alone_DIS_445),
        cmocka_unit_test(nodes_in_use_DIS_150_DIS_161_DIS_169_DIS_172_DIS_175),
        cmocka_unit_test(quiet_nodes_do_not_take_pods_DIS_238),
        cmocka_unit_test(scores_are_told_DIS_196),
        cmocka_unit_test(drifted_nodes_that_stay_DIS_220_DIS_223_DIS_728),
        cmocka_unit_test(methods_that_do_not_concern_a_node_say_nothing_DIS_772),
        cmocka_unit_test(texts_only_if_asked_for_DIS_770),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
