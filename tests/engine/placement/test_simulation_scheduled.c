// Simulations that place evicted pods as kube-scheduler will (SCH-516, DIS-745): the order in which
// they come back, and the nodes that they are bound to.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/compile/compile.h"
#include "engine/placement/pass.h"
#include "engine/placement/simulation.h"
#include "engine/plan_fixture.h"
#include "engine/problem/eviction_order.h"

#define NODE(name) NODE_OF(name, "kubernetes.io/hostname: " name, "'4'", "8Gi")
#define NODE_IN(name, zone)                                                                      \
    NODE_OF(name, "kubernetes.io/hostname: " name ", topology.kubernetes.io/zone: " zone, "'4'", \
            "8Gi")
#define NODE_OF(name, labels, cpu, memory)                                     \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {" labels \
    "}}, status: {allocatable: {cpu: " cpu ", memory: " memory ", pods: '300'}}}\n---\n"
#define RUNNING(name, node, cpu, memory) OWNED(name, node, cpu, memory, "", "")
#define OWNER                                                                             \
    ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u-web, " \
    "controller: true}]"
#define OWNED(name, node, cpu, memory, owner, spec)                                         \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name                 \
    ", labels: {app: web}" owner "}, spec: {nodeName: " node ", " spec                      \
    "containers: [{name: c, image: i, resources: {requests: {cpu: " cpu ", memory: " memory \
    "}}}]}, status: {phase: Running}}\n---\n"
#define ZONAL                                                                             \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, " \
    "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}], "

struct simulated {
    struct arena *arena;
    struct problem *problem;
    struct pass *pass;
};

// Without the first node.
static struct simulated simulate_scheduled(const struct plan_fixture *fixture, uint32_t mixture)
{
    struct simulated result = {.arena = arena_create(4096)};
    result.problem = problem_create(fixture->snapshot, result.arena, true);
    struct simulator *simulator = simulator_create(result.problem, result.arena);
    uint32_t gone = 0;
    assert_string_equal(result.problem->nodes.items[0].name, "n1");
    result.pass =
        simulate(simulator, result.arena,
                 &(struct simulation){
                     .gone = &gone, .gone_count = 1, .as_scheduled = true, .mixture = mixture});
    return result;
}

static void finish(struct simulated *simulated)
{
    pass_destroy(simulated->pass);
    problem_destroy(simulated->problem);
    arena_destroy(simulated->arena);
}

static const char *node_named(const struct simulated *simulated, uint32_t pod)
{
    assert_int_equal(simulated->pass->placements[pod].kind, ON_NODE);
    return simulated->problem->nodes.items[simulated->pass->placements[pod].index].name;
}

// --- the order -----------------------------------------------------------------------------------
static void assert_order(const struct simulated *simulated, const char *names)
{
    char order[64] = "";
    for (uint32_t i = 0; i < simulated->pass->input.queue_count; i++)
        strcat(order, pass_pod(simulated->pass, i)->pod->meta.name);
    assert_string_equal(order, names);
}

// Little cpu and much memory is as hard to place as the other way round. A few pods leave one by
// one, so they come back in that order.
static void evicted_pods_come_back_hardest_first_DIS_745(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL NODE("n1") NODE("n2") RUNNING("a", "n1", "1", "1Gi")
                           RUNNING("b", "n1", "100m", "5Gi") RUNNING("c", "n1", "500m", "1Gi")
                               RUNNING("d", "n1", "1100m", "100Mi"),
                       NULL);
    for (uint32_t mixture = 0; mixture <= MIXTURES; mixture++) {
        struct simulated s = simulate_scheduled(&p, mixture);
        assert_order(&s, "bdac");
        finish(&s);
    }
}

static void many_pods_leave_together_DIS_745(void **state)
{
    (void)state;
    assert_int_equal(evicted_together(1), 1);
    assert_int_equal(evicted_together(EVICTED_IN_TURN - 1), 1);
    assert_int_equal(evicted_together(2 * EVICTED_IN_TURN), 3);
    assert_int_equal(evicted_together(UINT32_MAX), EVICTED_TOGETHER_MAX);
}

static char *many_pods(uint32_t count)
{
    struct text text = {0};
    text_add(&text, POOL NODE("n1") NODE("n2"));
    for (uint32_t i = 0; i < count; i++)
        text_format(&text,
                    "{apiVersion: v1, kind: Pod, metadata: {name: p%03u, uid: uid-%u}, spec: "
                    "{nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "
                    "10m, memory: 1Mi}}}]}, status: {phase: Running}}\n---\n",
                    i, i);
    return text.data;
}

static void pods_that_leave_together_come_back_in_any_order_DIS_745(void **state)
{
    (void)state;
    char *manifests = many_pods(EVICTED_IN_TURN);
    PLAN p = plan_yaml(manifests, NULL);
    static const char *const first[] = {"p000", "p001", "p001", "p000"}; // of each pair
    for (uint32_t mixture = 0; mixture < 4; mixture++) {
        struct simulated s = simulate_scheduled(&p, mixture);
        assert_string_equal(pass_pod(s.pass, 0)->pod->meta.name, first[mixture]);
        finish(&s);
    }
    free(manifests);
}

// --- the node ------------------------------------------------------------------------------------
// Both would be half free on average; n3 is used evenly then.
static void evicted_pods_go_where_they_bring_balance_DIS_745(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL NODE("n1") NODE("n2") NODE("n3") RUNNING("a", "n1", "2", "0")
                           RUNNING("b", "n2", "2", "0") RUNNING("c", "n3", "0", "4Gi"),
                       NULL);
    struct simulated s = simulate_scheduled(&p, 0);
    assert_string_equal(node_named(&s, 0), "n3");
    finish(&s);
}

// n3 has less room by a thousandth, which kube-scheduler does not see.
static void equal_nodes_are_drawn_by_lot_SCH_516(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL NODE("n1") NODE("n2") NODE("n3") RUNNING("a", "n1", "1", "1Gi")
                           RUNNING("b", "n2", "1", "2Gi") RUNNING("c", "n3", "1004m", "2Gi"),
                       NULL);
    uint32_t second = 0, third = 0;
    for (uint32_t lots = 0; lots <= MIXTURES; lots++) {
        struct simulated s = simulate_scheduled(&p, lots);
        assert_true(lots > 0 || strcmp(node_named(&s, 0), "n2") == 0); // the first
        second += strcmp(node_named(&s, 0), "n2") == 0;
        third += strcmp(node_named(&s, 0), "n3") == 0;
        finish(&s);
    }
    assert_true(second > 0);
    assert_true(third > 0);
}

// n2 has most room, but zone a has two of the workload's pods already.
#define TWO_ZONES(owner, spec)                                                              \
    POOL NODE_IN("n1", "b") NODE_IN("n2", "a") NODE_IN("n3", "b") NODE_IN("n4", "a")        \
        OWNED("p1", "n1", "1", "1Gi", owner, spec) OWNED("p2", "n4", "1", "1Gi", owner, "") \
            OWNED("p3", "n4", "1", "1Gi", owner, "") RUNNING("other", "n3", "1", "2Gi")

static void workloads_are_spread_over_zones_by_default_SCH_516(void **state)
{
    (void)state;
    PLAN p = plan_yaml(TWO_ZONES(OWNER, ""), NULL);
    struct simulated s = simulate_scheduled(&p, 0);
    assert_string_equal(node_named(&s, 0), "n3");
    finish(&s);
}

static void pods_without_a_workload_are_not_spread_SCH_516(void **state)
{
    (void)state;
    PLAN p = plan_yaml(TWO_ZONES("", ""), NULL);
    struct simulated s = simulate_scheduled(&p, 0);
    assert_string_equal(node_named(&s, 0), "n2");
    finish(&s);
}

// --- spreads -------------------------------------------------------------------------------------
// Two pods in zone a, one in b, and one in c. The first of n1 leaves zone a: 1, 1, 1, so any zone
// would do, and n3 has most room. Had the other one left as well (0, 1, 1), it would have to go to
// zone a.
static void pods_count_where_they_run_until_their_turn_SCH_516(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL NODE_IN("n1", "a") NODE_IN("n2", "a") NODE_IN("n3", "b")
                           NODE_IN("n4", "c") OWNED("p1", "n1", "1100m", "1Gi", OWNER, ZONAL)
                               OWNED("p2", "n1", "1", "1Gi", OWNER, ZONAL)
                                   OWNED("p3", "n3", "100m", "100Mi", OWNER, ZONAL)
                                       OWNED("p4", "n4", "1", "3Gi", OWNER, ZONAL)
                                           RUNNING("other", "n2", "1", "3Gi"),
                       NULL);
    struct simulated s = simulate_scheduled(&p, 0);
    assert_string_equal(pass_pod(s.pass, 0)->pod->meta.name, "p1");
    assert_string_equal(node_named(&s, 0), "n3");
    assert_string_equal(node_named(&s, 1), "n2"); // 0, 2, 1
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evicted_pods_come_back_hardest_first_DIS_745),
        cmocka_unit_test(many_pods_leave_together_DIS_745),
        cmocka_unit_test(pods_that_leave_together_come_back_in_any_order_DIS_745),
        cmocka_unit_test(evicted_pods_go_where_they_bring_balance_DIS_745),
        cmocka_unit_test(equal_nodes_are_drawn_by_lot_SCH_516),
        cmocka_unit_test(workloads_are_spread_over_zones_by_default_SCH_516),
        cmocka_unit_test(pods_without_a_workload_are_not_spread_SCH_516),
        cmocka_unit_test(pods_count_where_they_run_until_their_turn_SCH_516),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
