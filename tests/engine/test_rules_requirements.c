// Requirements of pods and pools, and validation, row by row: SCH-24 to SCH-36, SCH-60 to SCH-105.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define UPSTREAM                    "COMPATIBILITY: upstream"
#define SIZE(operator, values)      REQUIRE("example.com/size", operator, values)
#define NEEDS(expressions)          REQUIRED_TERMS(TERM_OF(expressions))
#define SIZED(operator, values)     POD("a", "", NEEDS(SIZE(operator, values)) CPU("1"))
#define RACKS(expressions)          POOL_REQUIRING(expressions)
#define RACK(operator, values)      REQUIRE("rack", operator, values)
#define ASKS_RACK(operator, values) POD("a", "", NEEDS(RACK(operator, values)) CPU("1"))

static void values_SCH_60_70(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-61: Gt leaves the bound out", POOL SIZED("Gt", "'4'"), NULL, "a.types=large,gpu"},
        {"SCH-61: Gte takes it in", POOL SIZED("Gte", "'4'"), NULL, "a.types=medium,arm,large,gpu"},
        {"SCH-61: Lt leaves it out", POOL SIZED("Lt", "'4'"), NULL, "a.types=small"},
        {"SCH-61: Lte takes it in", POOL SIZED("Lte", "'4'"), NULL, "a.types=small,medium,arm"},
        {"SCH-61: Lt 0 matches nothing", POOL SIZED("Lt", "'0'"), NULL, "a!"},
        {"SCH-61: Gt with the largest integer", POOL SIZED("Gt", "'9223372036854775807'"), NULL,
         "a!"},
        {"SCH-61, 66: a range of a pool and of a pod", RACKS(SIZE("Gt", "'2'")) SIZED("Lt", "'16'"),
         NULL, "a.types=medium,arm,gpu"},
        {"SCH-66: ranges that do not meet", RACKS(SIZE("Gt", "'4'")) SIZED("Lt", "'5'"), NULL,
         "a!"},
        {"SCH-66: values outside of a bound fall",
         RACKS(RACK("In", "'1', '5', 'x'")) ASKS_RACK("Gt", "'2'"), NULL, "a[rack]=5"},
        {"SCH-66: NotIn of both", RACKS(RACK("NotIn", "r1")) ASKS_RACK("NotIn", "r2"), NULL,
         "a[rack]=r1,r2"},
        {"SCH-66: In less NotIn", RACKS(RACK("In", "r1, r2")) ASKS_RACK("NotIn", "r2"), NULL,
         "a[rack]=r1"},
        {"SCH-68: of several values the smallest is the label",
         RACKS(RACK("In", "r3, r1, r2")) POD("a", "", CPU("1")), NULL, "a{rack}=r1"},
        {"SCH-62: old keys of pools and pods, with every operator",
         RACKS(REQUIRE("beta.kubernetes.io/arch", "In", "arm64, amd64"))
             POD("a", "",
                 NEEDS(REQUIRE("beta.kubernetes.io/instance-type", "NotIn", "small") ", " REQUIRE(
                     "beta.kubernetes.io/os", "In", "linux")) CPU("1")),
         NULL, "a[kubernetes.io/arch]=amd64,arm64 a.types=medium,arm,large,gpu"},
        {"SCH-62: the old and the new key of one label are one requirement",
         POOL POD("a", "",
                  "nodeSelector: {" LABEL_OF_ZONE ": a, "
                  "failure-domain.beta.kubernetes.io/zone: b}, " CPU("1")),
         NULL, "a!"},
        {"SCH-69: text of many values",
         RACKS(RACK("In", "a, b, c, d, e, f, g")) ASKS_RACK("In", "x"), NULL, "a!",
         "a: key rack, rack In [x] not in rack In [a b c d e and 2 others]"},
    };
    CHECK_CASES(cases);
}

static void sets_SCH_75_82(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-76, 79: Exists on what the pool has as Exists",
         RACKS("{key: rack, operator: Exists}") POD("a", "", "nodeSelector: {rack: r1}, " CPU("1")),
         NULL, "a[rack]=r1"},
        {"SCH-79, 495: a key that nobody defines",
         POOL POD("a", "", NEEDS("{key: rack, operator: Exists}") CPU("1"))
             POD("b", "", NEEDS(RACK("Gt", "'1'")) CPU("1"))
                 POD("c", "", NEEDS(RACK("NotIn", "x")) CPU("1"))
                     POD("d", "", NEEDS("{key: rack, operator: DoesNotExist}") CPU("1")),
         NULL, "a! b! c+ d+"},
        {"SCH-79: DoesNotExist against NotIn",
         RACKS(RACK("NotIn", "x")) POD("a", "",
                                       NEEDS("{key: rack, operator: "
                                             "DoesNotExist}") CPU("1")),
         NULL, "a+"},
        {"SCH-79: DoesNotExist against In",
         RACKS(RACK("In", "x")) POD("a", "",
                                    NEEDS("{key: rack, operator: "
                                          "DoesNotExist}") CPU("1")),
         NULL, "a!"},
        {"SCH-78: of several unknown keys the smallest is told",
         POOL POD("a", "", "nodeSelector: {zeta: z, alpha: z}, " CPU("1")), NULL, "a!",
         "a: label \"alpha\" does not have known values"},
        {"SCH-77: all keys that fail are told, by key",
         RACKS(RACK("In", "x") ", " REQUIRE("cell", "In", "x"))
             POD("a", "", "nodeSelector: {rack: z, cell: z}, " CPU("1")),
         NULL, "a!",
         "a: key cell, cell In [z] not in cell In [x]; key rack, rack In [z] not in rack "
         "In [x]"},
        {"SCH-80: a label of the pool that ends like what was asked",
         POOL_OF("pool", "", "example.com/team: x", "", "")
             POD("a", "", "nodeSelector: {other.org/team: x}, " CPU("1")),
         NULL, "a!", "a: (typo of \"example.com/team\"?)"},
        {"SCH-81: a well-known key that the pool does not name is open",
         POOL POD("a", "",
                  NEEDS("{key: node.kubernetes.io/windows-build, operator: Exists}") CPU("1")),
         NULL, "a+"},
    };
    CHECK_CASES(cases);
}

#define WISH(weight, zones) PREFERENCE(weight, REQUIRE(LABEL_OF_ZONE, "In", zones))

static void requirements_of_pods_SCH_100_105(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-100: selector, first required term and heaviest wish together",
         POOL POD("a", "",
                  "nodeSelector: {kubernetes.io/arch: amd64}, affinity: {nodeAffinity: "
                  "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" TERM_OF(
                      REQUIRE("karpenter.sh/capacity-type", "In",
                              "spot")) "]}, preferredDuringSchedulingIgnoredDuringExecution: "
                                       "[" WISH("1", "a") ", " WISH("2", "b") "]}}, " CPU("1")),
         UPSTREAM, "a.zone=b a.ct=spot a[kubernetes.io/arch]=amd64"},
        {"SCH-100: of equal weights the first",
         POOL POD("a", "", PREFERRED_TERMS(WISH("7", "b") ", " WISH("7", "a")) CPU("1")), UPSTREAM,
         "a.zone=b"},
        {"SCH-101: a wish does not count for what a spread compares",
         POOL_REQUIRING(REQUIRE(LABEL_OF_ZONE, "In", "a, b"))
             NODE_OF("n1", LABEL_OF_ZONE ": a", "0")
                 BOUND_POD("x", "n1", "app: w", "containers: [{name: c, image: i}]")
                     POD("a", "app: w",
                         "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " LABEL_OF_ZONE
                         ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: "
                         "w}}}], " PREFERRED_TERMS(WISH("7", "a")) CPU("1")),
         UPSTREAM, "a.zone=b"},
        {"SCH-102: under Ignore only what is required",
         POOL POD("a", "", PREFERRED_TERMS(WISH("7", "b")) CPU("1")), "PREFERENCE_POLICY: Ignore",
         "a.zone=-"},
        {"SCH-103: an empty required term selects no node, a later one may",
         POOL POD("a", "",
                  REQUIRED_TERMS("{}, " TERM_OF(REQUIRE(LABEL_OF_ZONE, "In", "b"))) CPU("1"))
             POD("b", "", REQUIRED_TERMS("{}") CPU("1")),
         NULL, "a.zone=b b!"},
        {"SCH-104: selector and affinity that contradict each other",
         POOL POD("a", "",
                  "nodeSelector: {" LABEL_OF_ZONE ": a}, " NEEDS(REQUIRE(LABEL_OF_ZONE, "In", "b"))
                      CPU("1")),
         NULL, "a!"},
        {"SCH-104: on the pool, as well, and it is told",
         POOL POD("a", "",
                  "nodeSelector: {karpenter.sh/nodepool: pool}, " NEEDS(
                      REQUIRE("karpenter.sh/nodepool", "In", "other")) CPU("1")),
         NULL, "a!", "a: incompatible requirements, key karpenter.sh/nodepool"},
        {"SCH-105: what a pod asks is worked out anew when it is relaxed",
         POOL POD("a", "",
                  REQUIRED_TERMS(TERM_OF(SIZE("In", "'3'")) ", " TERM_OF(SIZE("In", "'4'")))
                      CPU("1")),
         NULL, "a.types=medium,arm"},
    };
    CHECK_CASES(cases);
}

#define SELECTS(label) "nodeSelector: {" label "}, " CPU("1")

static void validation_SCH_26_36(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-27: an operator that nobody knows",
         POOL POD("a", "", NEEDS(RACK("Near", "x")) CPU("1")), NULL, "a!",
         "a: key rack has an unsupported operator Near not in"},
        {"SCH-27: In without values", POOL POD("a", "", NEEDS(RACK("In", "")) CPU("1")), NULL, "a!",
         "a: key rack with operator In must have a value defined"},
        {"SCH-27: bounds are one integer, not below 0",
         POOL POD("a", "", NEEDS(RACK("Gt", "'-1'")) CPU("1"))
             POD("b", "", NEEDS(RACK("Lt", "'1', '2'")) CPU("1"))
                 POD("c", "", NEEDS(RACK("Gte", "x")) CPU("1")),
         NULL, "a! b! c!",
         "c: key rack with operator Gte must have a single positive integer value"},
        {"SCH-27: not a qualified name", POOL POD("a", "", SELECTS("'a b': c")), NULL, "a!",
         "a: key a b is not a qualified name, "},
        {"SCH-27: not a label's value", POOL POD("a", "", SELECTS("rack: 'a b'")), NULL, "a!",
         "a: invalid value a b for key rack, "},
        {"SCH-27: every required term is checked, wishes are not (SCH-32)",
         POOL POD("a", "",
                  REQUIRED_TERMS(TERM_OF(REQUIRE(LABEL_OF_ZONE, "In", "a")) ", " TERM_OF(
                      RACK("In", ""))) CPU("1"))
             POD("b", "", PREFERRED_TERMS(PREFERENCE("1", RACK("Near", "x"))) CPU("1")),
         NULL, "a! b+", "a: key rack with operator In must have a value defined"},
        {"SCH-28: whatever the operator, and below the domain too",
         POOL POD("a", "", NEEDS("{key: karpenter.sh/x, operator: DoesNotExist}") CPU("1"))
             POD("b", "", NEEDS("{key: sub.karpenter.sh/x, operator: Exists}") CPU("1"))
                 POD("c", "", SELECTS("mykarpenter.sh/x: y1")),
         NULL, "a! b! c!", "c: label \"mykarpenter.sh/x\" does not have known values"},
        {"SCH-28: the hostname is refused, also where such a node exists",
         POOL NODE_OF("n1", "x: x", "4") POD("a", "", SELECTS("kubernetes.io/hostname: n1")), NULL,
         "a!", "a: using label kubernetes.io/hostname is not allowed"},
        {"SCH-28: other labels of Kubernetes are allowed",
         POOL_OF("pool", "", "node-role.kubernetes.io/x: x", "", "")
             POD("a", "", SELECTS("node-role.kubernetes.io/x: x")),
         NULL, "a+"},
        {"SCH-29: no capacity type that is known",
         POOL POD("a", "",
                  NEEDS(REQUIRE("karpenter.sh/capacity-type", "In", "cheap, dear")) CPU("1")),
         NULL, "a!",
         "a: no valid values found in [cheap dear] for karpenter.sh/capacity-type, "
         "expected one of: [on-demand reserved spot], got: [cheap dear]"},
        {"SCH-29: one that is known is enough, and other operators are free",
         POOL POD("a", "",
                  NEEDS(REQUIRE("karpenter.sh/capacity-type", "In", "cheap, spot")) CPU("1"))
             POD("b", "", NEEDS(REQUIRE("karpenter.sh/capacity-type", "NotIn", "cheap")) CPU("1")),
         NULL, "a+ b+"},
        {"SCH-31: labels that the catalog's types carry are well known",
         POOL POD("a", "", NEEDS("{key: example.com/size, operator: Exists}") CPU("1")), NULL,
         "a+"},
        {"SCH-26: errors of all checks are joined",
         POOL POD(
             "a",
             "",
             "nodeSelector: {rack: 'a b', cell: 'a b'}, " NEEDS(RACK(
                 "In",
                 "")) "volumes: [{name: v, persistentVolumeClaim: {claimName: gone}}], " CPU("1")),
         NULL, "a!", "a: invalid value a b for key cell, "},
        {"SCH-36: a pod whose volumes cannot be read is not placed without them",
         POOL POD("a", "app: w",
                  "volumes: [{name: v, persistentVolumeClaim: {claimName: gone}}], " CPU("1")),
         NULL, "a!", "a: persistentvolumeclaims \"gone\" not found"},
    };
    CHECK_CASES(cases);
}

#define GOING                                                                        \
    "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, deletionTimestamp: " \
    "'2026-01-01T00:00:00Z', finalizers: [f]}, status: {allocatable: {cpu: '4'}}}\n---\n"
#define BUDGET(name, more)                                                      \
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name \
    "}, spec: {selector: {matchLabels: {app: w}}, " more "}}\n---\n"
#define MOVER(name, more) BOUND_POD(name, "n1", "app: w", more CPU("1"))

static void pods_of_going_nodes_SCH_23_24(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-24: nothing may be unavailable",
         POOL GOING MOVER("a", "") BUDGET("b", "maxUnavailable: 0%"), NULL, "#0"},
        {"SCH-24: all must be available",
         POOL GOING MOVER("a", "") BUDGET("b", "minAvailable: 100%"), NULL, "#0"},
        {"SCH-24: a number of pods that must be there does not block for good",
         POOL GOING MOVER("a", "") BUDGET("b", "minAvailable: 1"), NULL, "a+"},
        {"SCH-24: two budgets do",
         POOL GOING MOVER("a", "") BUDGET("b", "maxUnavailable: 1")
             BUDGET("c", "maxUnavailable: 1"),
         NULL, "#0"},
        {"SCH-24: a pod that bears the disruption is not evicted, so nothing blocks it",
         POOL GOING MOVER("a", "tolerations: [{key: karpenter.sh/disrupted, operator: Exists}], ")
             BUDGET("b", "maxUnavailable: 0"),
         NULL, "a+"},
        {"SCH-24: an unready pod of AlwaysAllow",
         POOL GOING
         "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: a, labels: {app: w}}, spec: "
         "{nodeName: n1, " CPU(
             "1") "}, status: {phase: Running, conditions: [{type: Ready, status: "
                  "'False'}]}}\n---\n" BUDGET("b", "maxUnavailable: 0, unhealthyPodEvictionPolicy: "
                                                   "AlwaysAllow"),
         NULL, "a+"},
        {"SCH-24: a ready one of the same",
         POOL GOING
         "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: a, labels: {app: w}}, spec: "
         "{nodeName: n1, " CPU(
             "1") "}, status: {phase: Running, conditions: [{type: Ready, status: "
                  "'True'}]}}\n---\n" BUDGET("b", "maxUnavailable: 0, unhealthyPodEvictionPolicy: "
                                                  "AlwaysAllow"),
         NULL, "#0"},
        {"SCH-24: another namespace's budget",
         POOL GOING MOVER("a", "") "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: "
                                   "{name: b, namespace: far}, "
                                   "spec: {selector: {}, maxUnavailable: 0}}\n---\n",
         NULL, "a+"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_SCH_60_70),
        cmocka_unit_test(sets_SCH_75_82),
        cmocka_unit_test(requirements_of_pods_SCH_100_105),
        cmocka_unit_test(validation_SCH_26_36),
        cmocka_unit_test(pods_of_going_nodes_SCH_23_24),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
