// Limits of disruption for workloads: PodDisruptionBudgets over all commands together (DIS-760),
// and one ready replica of each workload that has several (DIS-761).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_fixture.h"

#define ON_DEMAND_ONLY \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "
#define READY   "phase: Running, conditions: [{type: Ready, status: 'True'}]"
#define UNREADY "phase: Running, conditions: [{type: Ready, status: 'False'}]"

static void add_budget(struct text *world, const char *name, const char *spec, int allowed)
{
    text_format(world,
                "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s, "
                "namespace: default, uid: %s}, spec: {%sselector: {matchLabels: {app: a}}}, "
                "status: {disruptionsAllowed: %d, currentHealthy: 3, desiredHealthy: 1, "
                "expectedPods: 3}}\n---\n",
                name, name, spec, allowed);
}

// Machines of the size of one pod each that could be smaller, all drifted; `pod` adds to the pods.
// Any two or three of them fit one smaller machine.
static void add_three(struct text *world, struct test_node node, struct test_pod pod)
{
    static const char *const nodes[] = {"n0", "n1", "n2"}, *const pods[] = {"p0", "p1", "p2"};
    add_pool(world, (struct test_pool){.template = ON_DEMAND_ONLY});
    for (int i = 0; i < 3; i++) {
        node.name = nodes[i];
        node.type = "medium";
        node.cpu = "600m";
        node.drifted = "2025-12-20T00:00:00Z";
        add_node(world, node);
        pod.name = pods[i];
        pod.node = nodes[i];
        pod.cpu = "600m";
        add_pod(world, pod);
    }
}

static uint32_t candidates_of(const struct plan *plan)
{
    uint32_t count = 0;
    list_for_each (command, &plan->disruptions)
        count += command->candidates.count;
    return count;
}

static const char *const methods[] = {"multi", "single", "drift"};

// The number of nodes disrupted with the node n0 in a running command, by each method.
static void check_beside_running(const char *const *busy, uint32_t busy_count, int allowed,
                                 const uint32_t expected[3])
{
    for (size_t m = 0; m < ARRAY_LENGTH(methods); m++) {
        struct text world = {0};
        add_three(&world, (struct test_node){0}, (struct test_pod){.labels = "app: a"});
        add_budget(&world, "b", "", allowed);
        struct string_list names = {.items = (const char **)(uintptr_t)busy, .count = busy_count};
        PLAN p =
            disrupt_running(&world, methods[m], NULL, &(struct disruption_inputs){.busy = &names});
        assert_int_equal(candidates_of(p.plan), expected[m]);
    }
}

static void running_commands_count_against_budgets_DIS_760(void **state)
{
    (void)state;
    static const char *const n0[] = {"n0"};
    check_beside_running(n0, 0, 1, (const uint32_t[]){0, 1, 1});
    check_beside_running(n0, 1, 1, (const uint32_t[]){0, 0, 0}); // one node at a time
    check_beside_running(n0, 1, 2, (const uint32_t[]){0, 1, 1});
    check_beside_running(n0, 1, 3, (const uint32_t[]){2, 2, 2});
}

static void nodes_that_are_being_deleted_count_until_their_pods_go_DIS_760(void **state)
{
    (void)state;
    for (int gone = 0; gone < 2; gone++)
        for (size_t m = 0; m < ARRAY_LENGTH(methods); m++) {
            struct text world = {0};
            add_three(&world, (struct test_node){0}, (struct test_pod){.labels = "app: a"});
            add_node(&world, (struct test_node){.name = "going", .deleting = true});
            add_pod(&world,
                    (struct test_pod){.name = "last",
                                      .node = "going",
                                      .labels = "app: a",
                                      .meta = gone ? "deletionTimestamp: '2026-01-01T00:00:00Z', "
                                                   : NULL});
            add_budget(&world, "b", "", 1);
            PLAN p = disrupt(&world, methods[m], NULL);
            assert_int_equal(candidates_of(p.plan), gone ? (m > 0) : 0);
            if (!gone && m > 0)
                assert_string_equal(verdict_about(p.plan, "n1"),
                                    "DIS-760: PodDisruptionBudget default/b allows 1 disruptions, "
                                    "of which 1 are asked for by other nodes that go; this one "
                                    "needs 1");
        }
}

static void what_may_always_be_evicted_asks_nothing_DIS_760_DIS_45(void **state)
{
    (void)state;
    for (int always = 0; always < 2; always++) {
        struct text world = {0};
        add_three(&world, (struct test_node){0},
                  (struct test_pod){.labels = "app: a", .status = UNREADY});
        add_budget(&world, "b", always ? "unhealthyPodEvictionPolicy: AlwaysAllow, " : "", 1);
        PLAN p = disrupt(&world, "drift", NULL);
        assert_int_equal(candidates_of(p.plan), always ? 3 : 1);
    }
}

static void the_first_on_a_budget_may_have_several_pods_DIS_760_DIS_46(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x", .drifted = "2025-12-20T00:00:00Z"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x", .labels = "app: a"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "x", .labels = "app: a"});
    add_budget(&world, "b", "", 1);
    PLAN p = disrupt(&world, "drift", NULL);
    assert_int_equal(candidates_of(p.plan), 1);
}

// The pods of n1 are the second of one budget and the first of the other.
static void every_budget_counts_DIS_760(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    static const char *const labels[] = {"app: a", "app: a, tier: b", "tier: b"};
    static const char *const nodes[] = {"n0", "n1", "n2"};
    for (int i = 0; i < 3; i++) {
        add_node(&world, (struct test_node){.name = nodes[i], .drifted = "2025-12-20T00:00:00Z"});
        if (i != 1)
            add_pod(&world,
                    (struct test_pod){.name = nodes[i], .node = nodes[i], .labels = labels[i]});
    }
    add_pod(&world, (struct test_pod){.name = "q", .node = "n1", .labels = "app: a"});
    add_pod(&world, (struct test_pod){.name = "r", .node = "n1", .labels = "tier: b"});
    add_budget(&world, "b", "", 1);
    text_add(&world, "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: c, "
                     "namespace: default, uid: c}, spec: {selector: {matchLabels: {tier: b}}}, "
                     "status: {disruptionsAllowed: 1}}\n---\n");
    PLAN p = disrupt(&world, "drift", NULL);
    assert_int_equal(candidates_of(p.plan), 2); // n0 and n2, not n1 between them
    assert_null(verdict_about(p.plan, "n0"));
    assert_non_null(verdict_about(p.plan, "n1"));
    assert_null(verdict_about(p.plan, "n2"));
}

// A node with a pod of the scarcest budget is among the first, though it drifted last.
static void the_scarcest_budget_is_used_first_DIS_717_DIS_760(void **state)
{
    (void)state;
    static const char older[] = "2025-12-10T00:00:00Z", newer[] = "2025-12-20T00:00:00Z";
    static const struct {
        const char *node, *drifted, *labels;
    } pods[] = {{"a", older, "app: a"}, {"b", older, "app: a"}, {"c", older, "app: a"},
                {"s", newer, "app: a"}, {"t", newer, "app: a"}, {"u", newer, "app: a"},
                {"s", NULL, "tier: b"}, {"t", NULL, "tier: b"}, {"u", NULL, "tier: b"}};
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    for (size_t i = 0; i < ARRAY_LENGTH(pods); i++) {
        char name[8];
        snprintf(name, sizeof name, "p%zu", i);
        if (pods[i].drifted != NULL)
            add_node(&world, (struct test_node){.name = pods[i].node, .drifted = pods[i].drifted});
        add_pod(&world,
                (struct test_pod){.name = name, .node = pods[i].node, .labels = pods[i].labels});
    }
    add_budget(&world, "b", "", 2);
    text_add(&world, "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: c, "
                     "namespace: default, uid: c}, spec: {selector: {matchLabels: {tier: b}}}, "
                     "status: {disruptionsAllowed: 1}}\n---\n");
    PLAN p = disrupt(&world, "drift", NULL);
    assert_null(verdict_about(p.plan, "s"));
    assert_null(verdict_about(p.plan, "a"));
    assert_int_equal(candidates_of(p.plan), 2);
}

static void a_grace_period_overrules_the_sum_for_drift_DIS_760_DIS_34(void **state)
{
    (void)state;
    for (int grace = 0; grace < 2; grace++)
        for (size_t m = 0; m < ARRAY_LENGTH(methods); m++) {
            struct text world = {0};
            add_three(&world,
                      (struct test_node){.claim_spec = grace ? "terminationGracePeriod: 1h" : NULL},
                      (struct test_pod){.labels = "app: a"});
            add_budget(&world, "b", "", 1);
            PLAN p = disrupt(&world, methods[m], NULL);
            assert_int_equal(candidates_of(p.plan), m == 0 ? 0 : m == 2 && grace ? 3 : 1);
        }
}

// --- DIS-761 -------------------------------------------------------------------------------------

static void one_replica_stays_ready_DIS_761(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        uint32_t expected[3]; // multi, single, drift
    } cases[] = {{NULL, {2, 2, 2}}, {"WORKLOAD_GUARD: 'false'", {3, 3, 3}}, {UPSTREAM, {3, 1, 1}}};
    for (size_t c = 0; c < ARRAY_LENGTH(cases); c++)
        for (size_t m = 0; m < ARRAY_LENGTH(methods); m++) {
            struct text world = {0};
            add_three(&world, (struct test_node){0}, (struct test_pod){.status = READY});
            PLAN p = disrupt(&world, methods[m], cases[c].settings);
            assert_int_equal(candidates_of(p.plan), cases[c].expected[m]);
            if (c == 0 && m == 2)
                assert_string_equal(verdict_about(p.plan, "n2"),
                                    "DIS-761: ReplicaSet default/owner would have no ready pod on "
                                    "a node that stays: 3 of its 3 pods are ready, 2 of them on "
                                    "other nodes that go");
        }
}

static void running_commands_count_for_the_guard_DIS_761(void **state)
{
    (void)state;
    for (size_t m = 0; m < ARRAY_LENGTH(methods); m++) {
        struct text world = {0};
        add_three(&world, (struct test_node){0}, (struct test_pod){.status = READY});
        const char *busy[] = {"n0", "n1"};
        struct string_list names = {.items = busy, .count = 2};
        PLAN p =
            disrupt_running(&world, methods[m], NULL, &(struct disruption_inputs){.busy = &names});
        assert_int_equal(candidates_of(p.plan), 0);
    }
}

// The snapshot shows a pod on its planned node, but it still runs on a disrupted one.
static void pods_with_another_place_leave_all_the_same_DIS_760_761(void **state)
{
    (void)state;
    for (int leaves = 0; leaves < 2; leaves++)
        for (int budget = 0; budget < 2; budget++) {
            struct text world = {0};
            add_pool(&world, (struct test_pool){0});
            add_node(&world, (struct test_node){.name = "a", .drifted = "2025-12-20T00:00:00Z"});
            add_node(&world, (struct test_node){.name = "new", .cpu = "1", .uninitialized = true});
            const char *status = budget ? NULL : READY;
            add_pod(&world, (struct test_pod){
                                .name = "p", .node = "a", .status = status, .labels = "app: a"});
            add_pod(&world,
                    (struct test_pod){.name = "q",
                                      .node = "new",
                                      .status = status,
                                      .labels = "app: a",
                                      .annotations = leaves ? "adze.dev/leaves-node: gone" : NULL});
            if (budget)
                add_budget(&world, "b", "", 1);
            PLAN p = disrupt(&world, "drift", NULL);
            assert_int_equal(candidates_of(p.plan), leaves ? 0 : 1);
        }
}

// Pods without cost do not hold a node, but their workload does (DIS-57).
static void an_empty_node_may_have_the_last_replica_DIS_761_DIS_57(void **state)
{
    (void)state;
    static const char cheap[] = "controller.kubernetes.io/pod-deletion-cost: '-2147483647'";
    for (int guarded = 0; guarded < 2; guarded++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "a"});
        add_node(&world, (struct test_node){.name = "b"});
        add_node(&world, (struct test_node){.name = "c"});
        add_pod(&world,
                (struct test_pod){.name = "p", .node = "a", .status = READY, .annotations = cheap});
        add_pod(&world,
                (struct test_pod){.name = "q", .node = "b", .status = READY, .annotations = cheap});
        PLAN p = disrupt(&world, "emptiness", guarded ? NULL : "WORKLOAD_GUARD: 'false'");
        assert_int_equal(candidates_of(p.plan), guarded ? 2 : 3);
    }
}

// Two pods of the owner on their own drifted nodes; the number disrupted by drift.
static uint32_t drift_of_pair(struct test_pod first, struct test_pod second)
{
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "a", .drifted = "2025-12-20T00:00:00Z"});
    add_node(&world, (struct test_node){.name = "b", .drifted = "2025-12-21T00:00:00Z"});
    first.name = "p";
    first.node = "a";
    second.name = "q";
    second.node = "b";
    add_pod(&world, first);
    add_pod(&world, second);
    PLAN p = disrupt(&world, "drift", NULL);
    return candidates_of(p.plan);
}

static void who_is_a_replica_of_whom_DIS_761(void **state)
{
    (void)state;
    struct test_pod ready = {.status = READY};
    assert_int_equal(drift_of_pair(ready, ready), 1);
    // The only ready pod of two stays until the other is ready; the unready one may be evicted.
    assert_int_equal(drift_of_pair(ready, (struct test_pod){.status = UNREADY}), 1);
    assert_int_equal(drift_of_pair((struct test_pod){0}, (struct test_pod){0}), 2);
    // Of different workloads, or of none that serves.
    assert_int_equal(drift_of_pair(ready, (struct test_pod){.status = READY, .owner_name = "z"}),
                     2);
    assert_int_equal(drift_of_pair((struct test_pod){.status = READY, .owner = "Job"},
                                   (struct test_pod){.status = READY, .owner = "Job"}),
                     2);
    struct test_pod stateful = {.status = READY, .owner = "StatefulSet"};
    assert_int_equal(drift_of_pair(stateful, stateful), 1);
    // Two ReplicaSets of one Deployment in the middle of a rollout.
    struct test_pod old = {
        .status = READY, .owner_name = "web-1", .labels = "pod-template-hash: '1'"};
    struct test_pod new = {
        .status = READY, .owner_name = "web-2", .labels = "pod-template-hash: '2'"};
    assert_int_equal(drift_of_pair(old, new), 1);
    new.labels = "app: web";
    assert_int_equal(drift_of_pair(old, new), 2);
}

// All replicas on one node: it may be disrupted, or it never could be; the drain keeps the last
// ready one.
static void a_node_that_holds_all_of_them_may_go_alone_DIS_761(void **state)
{
    (void)state;
    for (int split = 0; split < 2; split++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "a", .drifted = "2025-12-20T00:00:00Z"});
        add_node(&world, (struct test_node){.name = "b", .drifted = "2025-12-21T00:00:00Z"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "a", .status = READY});
        add_pod(&world, (struct test_pod){.name = "q", .node = "a", .status = READY});
        if (split)
            add_pod(&world, (struct test_pod){.name = "r", .node = "b", .status = READY});
        PLAN p = disrupt(&world, "drift", NULL);
        assert_int_equal(candidates_of(p.plan), split ? 1 : 2); // else b is empty
    }
}

static void the_only_replica_of_a_workload_may_go_DIS_761(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "a", .drifted = "2025-12-20T00:00:00Z"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "a", .status = READY});
    PLAN p = disrupt(&world, "drift", NULL);
    assert_int_equal(candidates_of(p.plan), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_commands_count_against_budgets_DIS_760),
        cmocka_unit_test(nodes_that_are_being_deleted_count_until_their_pods_go_DIS_760),
        cmocka_unit_test(what_may_always_be_evicted_asks_nothing_DIS_760_DIS_45),
        cmocka_unit_test(the_first_on_a_budget_may_have_several_pods_DIS_760_DIS_46),
        cmocka_unit_test(every_budget_counts_DIS_760),
        cmocka_unit_test(the_scarcest_budget_is_used_first_DIS_717_DIS_760),
        cmocka_unit_test(a_grace_period_overrules_the_sum_for_drift_DIS_760_DIS_34),
        cmocka_unit_test(one_replica_stays_ready_DIS_761),
        cmocka_unit_test(running_commands_count_for_the_guard_DIS_761),
        cmocka_unit_test(pods_with_another_place_leave_all_the_same_DIS_760_761),
        cmocka_unit_test(an_empty_node_may_have_the_last_replica_DIS_761_DIS_57),
        cmocka_unit_test(who_is_a_replica_of_whom_DIS_761),
        cmocka_unit_test(a_node_that_holds_all_of_them_may_go_alone_DIS_761),
        cmocka_unit_test(the_only_replica_of_a_workload_may_go_DIS_761),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
