// Node size limits from annotations of a NodePool, the warning without a bound, and packing by
// NodePool (SCH-521, SCH-500).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define LOWEST "PACKING_POLICY: LowestPrice"
#define GREEDY "PACKING_POLICY: Greedy"
#define MACHINE(name, cpu, memory, price)                                  \
    TYPE_OF(name, "", "cpu: '" cpu "', memory: " memory "Gi, pods: '110'", \
            OFFER("a", "on-demand", price, ""))
#define LITTLE_AND_GIANT \
    CATALOG_OF(MACHINE("little", "4", "16", "0.10") ", " MACHINE("giant", "64", "256", "3.20"))
// A giant with a low price for its size.
#define FAIR_GIANT \
    CATALOG_OF(MACHINE("little", "4", "16", "0.10") ", " MACHINE("giant", "64", "256", "1.20"))
#define NOTED(name, spec, annotations)                                                           \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name ", uid: u-" name      \
    ", annotations: {" annotations "}}, spec: {" spec "template: {spec: {nodeClassRef: {group: " \
    "g, kind: Class, name: c}}}}}\n---\n"
#define NOTE(key, value)   "adze.dev/" key ": '" value "'"
#define PODS_A_NODE(value) NOTE("max-pods-per-node", value)
#define CPU_A_NODE(value)  NOTE("max-cpu-per-node", value)
#define SHARE(value)       NOTE("max-share-per-workload", value)
#define POLICY(value)      NOTE("packing-policy", value)
#define REPLICA(name, spec, phase)                                                                \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: u-" name ", ownerReferences: [{" \
    "apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}, spec: {" spec   \
        CPU("1") "}, status: {phase: " phase "}}\n---\n"
// Both policies must give the same result.
#define EITHER(rule, world, expected)                         \
    {rule, world, LOWEST, expected, NULL, true},              \
    {                                                         \
        rule " (Greedy)", world, GREEDY, expected, NULL, true \
    }

static void pods_of_a_node_SCH_521(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        EITHER("SCH-521: so many pods on a new node",
               FAIR_GIANT NOTED("pool", "", PODS_A_NODE("5"))
                   DEPLOYMENT("web", "20", "", CPU("100m")),
               "#4 web-0.types=little,giant"),
        EITHER("SCH-521: also one",
               FAIR_GIANT NOTED("pool", "", PODS_A_NODE("1")) DEPLOYMENT("web", "3", "", CPU("1")),
               "#3 total=0.3"),
        EITHER("SCH-521: DaemonSets' pods do not count",
               FAIR_GIANT NOTED("pool", "", PODS_A_NODE("5")) DAEMON_SET("agent", CPU("100m"))
                   DEPLOYMENT("web", "10", "", CPU("100m")),
               "#2"),
        EITHER("SCH-521: existing nodes are not bound",
               FAIR_GIANT NOTED("pool", "", PODS_A_NODE("1")) NODE_OF("n1", "", "8")
                   DEPLOYMENT("web", "6", "", CPU("1")),
               "#0 web-0@n1 web-5@n1"),
        EITHER("SCH-521: a bound that cannot be read bounds nothing",
               LITTLE_AND_GIANT NOTED("pool", "", PODS_A_NODE("none"))
                   DEPLOYMENT("web", "8", "", CPU("500m")),
               "#1"),
        EITHER("SCH-521: another pool's pods do not count",
               FAIR_GIANT NOTED("a", "weight: 1, ", "")
                   NOTED("z", "weight: 9, limits: {nodes: '1'}, ", PODS_A_NODE("2"))
                       DEPLOYMENT("web", "5", "", CPU("500m")),
               "#2"),
    };
    CHECK_CASES(cases);
}

static void cpu_of_a_node_SCH_521(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        EITHER("SCH-521: no machine with more cpu",
               FAIR_GIANT NOTED("pool", "", CPU_A_NODE("8")) DEPLOYMENT("web", "64", "", CPU("1")),
               "#16 total=1.6 web-0.types=little"),
        EITHER("SCH-521: exactly as much is allowed",
               FAIR_GIANT NOTED("pool", "", CPU_A_NODE("64")) DEPLOYMENT("web", "64", "", CPU("1")),
               "#1 total=1.2"),
        EITHER("SCH-521: a quantity",
               FAIR_GIANT NOTED("pool", "", CPU_A_NODE("63900m")) POD("a", "", CPU("1")),
               "a.types=little"),
        {"SCH-521: a pod that needs more has no place",
         FAIR_GIANT NOTED("pool", "", CPU_A_NODE("8")) POD("a", "", CPU("10")), LOWEST, "a!",
         "a: ", true},
    };
    CHECK_CASES(cases);
}

static void share_of_a_workload_SCH_521(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        EITHER("SCH-521: a quarter of eight are two",
               FAIR_GIANT NOTED("pool", "", SHARE("25")) DEPLOYMENT("web", "8", "", CPU("500m")),
               "#4"),
        EITHER("SCH-521: a percent sign, and rounding down",
               FAIR_GIANT NOTED("pool", "", SHARE("50%")) DEPLOYMENT("web", "5", "", CPU("500m")),
               "#3"),
        EITHER("SCH-521: at least one",
               FAIR_GIANT NOTED("pool", "", SHARE("10")) DEPLOYMENT("web", "3", "", CPU("500m")),
               "#3"),
        EITHER("SCH-521: each workload by itself",
               FAIR_GIANT NOTED("pool", "", SHARE("50")) DEPLOYMENT("web", "4", "", CPU("500m"))
                   DEPLOYMENT("api", "4", "", CPU("500m")),
               "#2"),
        EITHER("SCH-521: running replicas count as replicas",
               FAIR_GIANT NOTED("pool", "", SHARE("50")) NODE_OF("n1", "", "2") REPLICA(
                   "x", "nodeName: n1, ", "Running") REPLICA("w", "nodeName: n1, ", "Running")
                   REPLICA("a", "", "Pending") REPLICA("b", "", "Pending"),
               "#1 a=b"),
        EITHER("SCH-521: pods of nobody are not bound",
               FAIR_GIANT NOTED("pool", "", SHARE("10")) POD("a", "", CPU("1"))
                   POD("b", "", CPU("1")),
               "#1"),
    };
    CHECK_CASES(cases);
}

static void packing_by_pool_SCH_500_521(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-521: Greedy for one pool",
         LITTLE_AND_GIANT NOTED("pool", "", POLICY("Greedy"))
             DEPLOYMENT("web", "40", "", CPU("500m")),
         LOWEST, "#1 total=3.2", NULL, true},
        {"SCH-521: LowestPrice for one pool",
         LITTLE_AND_GIANT NOTED("pool", "", POLICY("LowestPrice"))
             DEPLOYMENT("web", "40", "", CPU("500m")),
         GREEDY, "#5 total=0.5", NULL, true},
        {"SCH-521: one of each",
         LITTLE_AND_GIANT NOTED("a", "", POLICY("Greedy")) NOTED("z", "", "") DEPLOYMENT(
             "web", "40", "", "nodeSelector: {karpenter.sh/nodepool: a}, " CPU("500m"))
             DEPLOYMENT("api", "40", "", "nodeSelector: {karpenter.sh/nodepool: z}, " CPU("500m")),
         LOWEST, "#6 total=3.7 web-0.pool=a api-0.pool=z", NULL, true},
        {"SCH-521: what cannot be read leaves it to the setting",
         LITTLE_AND_GIANT NOTED("pool", "", POLICY("Cheapest"))
             DEPLOYMENT("web", "40", "", CPU("500m")),
         LOWEST, "#5 total=0.5", NULL, true},
    };
    CHECK_CASES(cases);
}

// --- the warning ---------------------------------------------------------------------------------

static void check_warnings(const char *world, const char *settings, uint32_t count,
                           const char *text)
{
    PLAN p = plan_yaml_bare(world, settings);
    assert_int_equal(p.plan->warnings.count, count);
    if (count > 0 && strstr(p.plan->warnings.items[0], text) == NULL)
        fail_msg("%s", p.plan->warnings.items[0]);
}

static void a_warning_of_too_much_on_one_node_SCH_521(void **state)
{
    (void)state;
    static const char *const policies[] = {LOWEST, GREEDY};
    for (int i = 0; i < 2; i++) {
        // More than half of more than 3 replicas.
        check_warnings(FAIR_GIANT POOL DEPLOYMENT("web", "4", "", CPU("500m")), policies[i], 1,
                       "would carry 4 of the 4 replicas of ReplicaSet default/web-");
        check_warnings(FAIR_GIANT POOL DEPLOYMENT("web", "3", "", CPU("500m")), policies[i], 0, "");
        check_warnings(FAIR_GIANT POOL DEPLOYMENT("web", "5", "", CPU("500m"))
                           DEPLOYMENT("api", "6", "", CPU("100m")),
                       policies[i], 2, "of ReplicaSet default/");
        // Exactly half is fine, and pods without an owner are no workload.
        check_warnings(FAIR_GIANT NOTED("pool", "", SHARE("50"))
                           DEPLOYMENT("web", "4", "", CPU("500m")),
                       policies[i], 0, "");
        check_warnings(FAIR_GIANT POOL POD("a", "", CPU("1")) POD("b", "", CPU("1"))
                           POD("c", "", CPU("1")) POD("d", "", CPU("1")),
                       policies[i], 0, "");
    }
    // The share of the replicas, not of the pending ones: 40 on 5 nodes are 8 each.
    check_warnings(LITTLE_AND_GIANT POOL DEPLOYMENT("web", "40", "", CPU("500m")), LOWEST, 0, "");
    check_warnings(LITTLE_AND_GIANT POOL DEPLOYMENT("web", "40", "", CPU("500m")), GREEDY, 1,
                   "would carry 40 of the 40 replicas");
    // An existing node does not count as a new one.
    check_warnings(FAIR_GIANT POOL NODE_OF("n1", "", "4") DEPLOYMENT("web", "4", "", CPU("1")),
                   LOWEST, 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_of_a_node_SCH_521),
        cmocka_unit_test(cpu_of_a_node_SCH_521),
        cmocka_unit_test(share_of_a_workload_SCH_521),
        cmocka_unit_test(packing_by_pool_SCH_500_521),
        cmocka_unit_test(a_warning_of_too_much_on_one_node_SCH_521),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
