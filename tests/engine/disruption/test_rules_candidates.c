// Candidates, and the effect of their pods (DIS-30 to DIS-50, DIS-140 to DIS-151), as tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_cases.h"

#define DELETING  "deletionTimestamp: '2026-01-01T00:00:00Z', "
#define DRIFTED   .drifted = "2025-12-20T00:00:00Z"
#define GRACE     .claim_spec = "terminationGracePeriod: 1h"
#define NEVER     "budgets: [{nodes: 100%}], consolidateAfter: Never"
#define PROTECTED .annotations = "karpenter.sh/do-not-disrupt: 'true'"
// A catalog for the pool "other" alone, without any types.
#define NO_TYPES_FOR_OTHER                                                                         \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: empty}, spec: {nodePools: " \
    "[other], instanceTypes: []}}\n---\n"

#define UNREADABLE_PDB                                                                             \
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: broken, namespace: "      \
    "default, uid: broken}, spec: {selector: {matchLabels: {a: b}, matchExpressions: [{key: app, " \
    "operator: In}]}}, status: {disruptionsAllowed: 9}}\n---\n"
#define BOUGHT "Drifted/none: x -> small on-demand -"

static void who_is_a_candidate(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-30, DIS-484: a pool without instance types has no candidates; others do",
         .method = "emptiness",
         .pools = {{0}, {.name = "other"}},
         .nodes = {{.name = "x"}, {.name = "z", .pool = "other"}},
         .more = NO_TYPES_FOR_OTHER,
         .expected = "Empty/empty: x"},
        {.rule = "DIS-718, DIS-30: emptiness needs no types",
         .method = "emptiness",
         .settings = BETTER,
         .pools = {{0}, {.name = "other"}},
         .nodes = {{.name = "x"}, {.name = "z", .pool = "other"}},
         .more = NO_TYPES_FOR_OTHER,
         .expected = "Empty/empty: x z"},
        {.rule = "DIS-718, DIS-77: and drift of an empty node doesn't either",
         .method = "drift",
         .settings = BETTER,
         .pools = {{0}, {.name = "other"}},
         .nodes = {{.name = "z", .pool = "other", DRIFTED}},
         .more = NO_TYPES_FOR_OTHER,
         .expected = "Drifted/none: z"},
        {.rule = "DIS-33: the NodeClaim's own annotation is not looked at",
         .method = "emptiness",
         .nodes = {{.name = "x", .claim_annotations = "karpenter.sh/do-not-disrupt: 'true'"}},
         .expected = "Empty/empty: x"},
        {.rule = "DIS-35: NotReady nodes of a NotReady pool are candidates; DIS-440",
         .method = "emptiness",
         .pools = {{.not_ready = true, .disruption = "budgets: [], consolidateAfter: 0s"}},
         .nodes = {{.name = "x", .not_ready = true}},
         .expected = "Empty/empty: x"},
        {.rule = "DIS-50: pods are those with the node's name",
         .method = "emptiness",
         .nodes = {{.name = "x"}, {.name = "xx"}},
         .pods = {{.name = "p", .node = "xx"}},
         .expected = "Empty/empty: x"},
    };
    CHECK_DISRUPT_CASES(cases);
}

static void pods_that_block(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-44: more than one budget blocks, whatever they allow",
         .method = "single",
         .nodes = {{.name = "x"}, {.name = "z", .unmanaged = true}},
         .pods = {{.name = "p", .node = "x", .labels = "app: a"}},
         .more = PDB("b", "default", "", "5") PDB("c", "default", "", "5"),
         .expected = ""},
        {.rule = "DIS-44: one that allows some does not",
         .method = "single",
         .nodes = {{.name = "x"}, {.name = "z", .unmanaged = true}},
         .pods = {{.name = "p", .node = "x", .labels = "app: a"}},
         .more = PDB("b", "default", "", "5") PDB("c", "other", "", "0"),
         .expected = "Underutilized/single: x"},
        {.rule = "DIS-46: two pods under a budget that allows one",
         .method = "single",
         .nodes = {{.name = "x"}, {.name = "z", .unmanaged = true}},
         .pods = {{.name = "p", .node = "x", .labels = "app: a"},
                  {.name = "q", .node = "x", .labels = "app: a"}},
         .more = PDB("b", "default", "", "1"),
         .expected = "Underutilized/single: x"},
        {.rule = "DIS-708: a budget with an invalid selector blocks the pods of its namespace, no "
                 "others",
         .method = "drift",
         .settings = BETTER,
         .nodes = {{.name = "x", DRIFTED},
                   {.name = "w", DRIFTED},
                   {.name = "z", .unmanaged = true}},
         .pods = {{.name = "p", .node = "x"},
                  {.name = "q", .node = "w", .meta = "namespace: other, "}},
         .more = UNREADABLE_PDB,
         .expected = "Drifted/none: w",
         .note = "broken: spec.selector is invalid"},
        {.rule = "DIS-708, DIS-31: with the decisions of upstream, too",
         .method = "emptiness",
         .nodes = {{.name = "x"}, {.name = "w"}},
         .pods = {{.name = "p", .node = "x", .owner = "DaemonSet"}},
         .more = UNREADABLE_PDB,
         .expected = "Empty/empty: w"},
        {.rule = "DIS-708, DIS-34: a grace period overrules it",
         .method = "drift",
         .pools = {{.template = ONLY_TYPES("small")}},
         .nodes = {{.name = "x", DRIFTED, GRACE}},
         .pods = {{.name = "p", .node = "x"}},
         .more = UNREADABLE_PDB,
         .expected = BOUGHT},
        {.rule = "DIS-489: the longest protection decides",
         .method = "drift",
         .nodes = {{.name = "x", DRIFTED}},
         .pods = {{.name = "p",
                   .node = "x",
                   .annotations = "karpenter.sh/do-not-disrupt: 30m",
                   .status = "phase: Running, startTime: '2025-12-31T23:15:00Z'"},
                  {.name = "q",
                   .node = "x",
                   .annotations = "karpenter.sh/do-not-disrupt: 1h",
                   .status = "phase: Running, startTime: '2025-12-31T23:15:00Z'"}},
         .expected = ""},
        {.rule = "DIS-489: when it is over",
         .method = "drift",
         .pools = {{.template = ONLY_TYPES("small")}},
         .nodes = {{.name = "x", DRIFTED}},
         .pods = {{.name = "q",
                   .node = "x",
                   .annotations = "karpenter.sh/do-not-disrupt: 1h",
                   .status = "phase: Running, startTime: '2025-12-31T23:00:00Z'"}},
         .expected = "Drifted/none: x -> small on-demand -"},
        {.rule = "DIS-464: a terminating StatefulSet pod needs a place",
         .method = "emptiness",
         .nodes = {{.name = "x"}},
         .pods = {{.name = "p", .node = "x", .meta = DELETING, .owner = "StatefulSet"}},
         .expected = ""},
        {.rule = "DIS-464: a terminating ReplicaSet pod does not",
         .method = "emptiness",
         .nodes = {{.name = "x"}},
         .pods = {{.name = "p", .node = "x", .meta = DELETING}},
         .expected = "Empty/empty: x"},
        {.rule = "DIS-48: a terminating StatefulSet pod needs a place although it has failed",
         .method = "emptiness",
         .nodes = {{.name = "x"}},
         .pods = {{.name = "p",
                   .node = "x",
                   .meta = DELETING,
                   .owner = "StatefulSet",
                   .status = "phase: Failed"}},
         .expected = ""},
        {.rule = "DIS-48: and is bought one",
         .method = "drift",
         .pools = {{.template = ONLY_TYPES("small")}},
         .nodes = {{.name = "x", DRIFTED}},
         .pods = {{.name = "p",
                   .node = "x",
                   .meta = DELETING,
                   .owner = "StatefulSet",
                   .status = "phase: Succeeded"}},
         .expected = BOUGHT},
        {.rule = "DIS-48: one that has ended and is not going needs none",
         .method = "emptiness",
         .nodes = {{.name = "x"}},
         .pods = {{.name = "p", .node = "x", .owner = "StatefulSet", .status = "phase: Failed"}},
         .expected = "Empty/empty: x"},
        {.rule = "DIS-464: nor does one of a DaemonSet",
         .method = "emptiness",
         .nodes = {{.name = "x"}},
         .pods = {{.name = "p", .node = "x", .owner = "DaemonSet"}},
         .expected = "Empty/empty: x"},
    };
    CHECK_DISRUPT_CASES(cases);
}

#define FULLY(spec, expected_text, what)                                                        \
    {                                                                                           \
        .rule = "DIS-47, DIS-49: " what, .method = "drift",                                     \
        .pools = {{.template = ONLY_TYPES("small")}}, .nodes = {{.name = "x", DRIFTED, GRACE}}, \
        .pods = {{.name = "p", .node = "x", .labels = "app: a"}},                               \
        .more = PDB("b", "default", spec, "0"), .expected = expected_text                       \
    }

static void pods_that_are_not_simulated(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        FULLY("maxUnavailable: 0, ", "Drifted/none: x", "a whole number of 0"),
        FULLY("maxUnavailable: '0%', ", "Drifted/none: x", "0%"),
        FULLY("minAvailable: '100%', ", "Drifted/none: x", "100%"),
        FULLY("maxUnavailable: '00%', ", BOUGHT, "00% is not"),
        FULLY("minAvailable: 3, ", BOUGHT, "a whole minAvailable is not"),
        FULLY("maxUnavailable: 1, ", BOUGHT, "one that is used up is not"),
        {.rule = "DIS-47: unhealthy pods that may always be evicted are not fully blocked",
         .method = "drift",
         .pools = {{.template = ONLY_TYPES("small")}},
         .nodes = {{.name = "x", DRIFTED, GRACE}},
         .pods = {{.name = "p",
                   .node = "x",
                   .labels = "app: a",
                   .status = "phase: Running, conditions: [{type: Ready, status: 'False'}]"}},
         .more = PDB("b", "default", "maxUnavailable: 0, unhealthyPodEvictionPolicy: AlwaysAllow, ",
                     "0"),
         .expected = BOUGHT},
        {.rule = "DIS-49: nothing is bought for protected pods, but for the others",
         .method = "drift",
         .pools = {{.template = ONLY_TYPES("small, medium")}},
         .nodes = {{.name = "x", DRIFTED, GRACE}},
         .pods = {{.name = "p", .node = "x", .cpu = "3", PROTECTED}, {.name = "q", .node = "x"}},
         .expected = "Drifted/none: x -> small,medium on-demand -"},
        {.rule = "DIS-48: any owner reference to a DaemonSet counts",
         .method = "drift",
         .nodes = {{.name = "x", DRIFTED}},
         .pods = {{.name = "p", .node = "x", .owner = "DaemonSet"}},
         .expected = "Drifted/none: x"},
    };
    CHECK_DISRUPT_CASES(cases);
}

static void emptiness(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-460: as many as the budget allows, in one command",
         .method = "emptiness",
         .pools = {{.disruption = "budgets: [{nodes: '3'}], consolidateAfter: 0s"}},
         .nodes = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "e"}},
         .expected = "Empty/empty: a b c"},
        {.rule = "DIS-461, DIS-132: pools are independent",
         .method = "emptiness",
         .pools = {{.disruption = "budgets: [{nodes: '1'}], consolidateAfter: 0s"},
                   {.name = "other",
                    .disruption = "budgets: [{nodes: '1'}], consolidateAfter: 0s"}},
         .nodes = {{.name = "a"},
                   {.name = "b"},
                   {.name = "c", .pool = "other"},
                   {.name = "d", .pool = "other"}},
         .expected = "Empty/empty: a c"},
        {.rule = "DIS-95: what a manifest leaves out has its default: 0s, WhenEmptyOrUnderutilized",
         .method = "emptiness",
         .pools = {{.disruption = "budgets: [{nodes: 100%}]"}},
         .nodes = {{.name = "a"}},
         .expected = "Empty/empty: a"},
        {.rule = "DIS-97: WhenEmpty empties",
         .method = NULL,
         .pools = {{.disruption = "budgets: [{nodes: 100%}], consolidateAfter: 0s, "
                                  "consolidationPolicy: WhenEmpty"}},
         .nodes = {{.name = "a"}, {.name = "b", .unmanaged = true}},
         .expected = "Empty/empty: a"},
        {.rule = "DIS-97: and does nothing else",
         .method = NULL,
         .pools = {{.disruption = "budgets: [{nodes: 100%}], consolidateAfter: 0s, "
                                  "consolidationPolicy: WhenEmpty"}},
         .nodes = {{.name = "a"}, {.name = "b", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "",
         .note = "a: NodePool \"pool\" has consolidation policy WhenEmpty, but node is not empty"},
        {.rule = "DIS-98: Never switches emptiness off, not drift",
         .pools = {{.disruption = NEVER}},
         .nodes = {{.name = "a"}, {.name = "b", DRIFTED}},
         .expected = "Drifted/none: b"},
        {.rule = "DIS-98, DIS-479: such nodes still receive pods",
         .method = "single",
         .pools = {{0}, {.name = "never", .disruption = NEVER}},
         .nodes = {{.name = "a"}, {.name = "b", .pool = "never"}},
         .pods = {{.name = "p", .node = "a"}, {.name = "q", .node = "b"}},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-99: static pools are not emptied, whatever they say",
         .method = NULL,
         .pools = {{.spec = "replicas: 1, "}},
         .nodes = {{.name = "a"}},
         .expected = ""},
        {.rule = "DIS-433: static nodes take the pods of others",
         .method = "single",
         .pools = {{.template = ON_DEMAND_ONLY}, {.name = "static", .spec = "replicas: 1, "}},
         .nodes = {{.name = "a"}, {.name = "s", .pool = "static"}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-145: a pending pod does not protect an empty node",
         .method = "emptiness",
         .nodes = {{.name = "a"}},
         .pods = {{.name = "p"}},
         .expected = "Empty/empty: a"},
        {.rule = "DIS-146: empty and drifted: emptiness comes first",
         .nodes = {{.name = "a", DRIFTED}},
         .expected = "Empty/empty: a"},
        {.rule = "DIS-146: but only if it is consolidatable",
         .nodes = {{.name = "a", DRIFTED, .no_condition = "Consolidatable"}},
         .expected = "Drifted/none: a"},
        {.rule = "DIS-151: an empty node that its budget holds back is not consolidated",
         .pools = {{.disruption =
                        "budgets: [{nodes: '0', reasons: [Empty]}], consolidateAfter: 0s"}},
         .nodes = {{.name = "a"}, {.name = "b", .unmanaged = true}},
         .expected = ""},
    };
    CHECK_DISRUPT_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_a_candidate),
        cmocka_unit_test(pods_that_block),
        cmocka_unit_test(pods_that_are_not_simulated),
        cmocka_unit_test(emptiness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
