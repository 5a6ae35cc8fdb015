// Consolidation and the simulation behind it (DIS-160 to DIS-252, and their reference cases), as
// tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_cases.h"

#define SINGLE .method = "single"
#define MULTI  .method = "multi"
#define POD_ON(its_name, its_node)         \
    {                                      \
        .name = its_name, .node = its_node \
    }
#define BALANCED \
    .disruption = "budgets: [{nodes: 100%}], consolidateAfter: 0s, consolidationPolicy: Balanced"

static void single_node(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-162, DIS-476: pods that fit an unmanaged node: it is deleted, no price asked",
         SINGLE,
         .nodes = {{.name = "a", .type = "small"}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a")},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-160, DIS-230: a node that goes already is no candidate",
         SINGLE,
         .nodes = {{.name = "a", .deleting = true}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a")},
         .expected = ""},
        {.rule = "DIS-231: a node that goes takes no pods",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {{.name = "a"}, {.name = "g", .deleting = true}},
         .pods = {POD_ON("p", "a")},
         .expected = ""},
        {.rule = "DIS-231, DIS-439: nor does a cordoned one",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {{.name = "a"},
                   {.name = "u",
                    .unmanaged = true,
                    .taints = "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}"}},
         .pods = {POD_ON("p", "a")},
         .expected = ""},
        {.rule = "DIS-232: pods of nodes that go need places, too",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {{.name = "a"},
                   {.name = "u", .unmanaged = true, .cpu = "1900m"},
                   {.name = "g", .deleting = true}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "g")},
         .expected = ""},
        {.rule = "DIS-234: nothing is asked of a pool that is not ready",
         SINGLE,
         .pools = {{0},
                   {.name = "cheap", .not_ready = true, .template = ONLY_TYPES("small")},
                   {.name = "own", .template = ONLY_TYPES("large")}},
         .nodes = {{.name = "a", .pool = "own"}},
         .pods = {{.name = "p",
                   .node = "a",
                   .spec = "nodeSelector: {karpenter.sh/nodepool: cheap}, "}},
         .expected = ""},
        {.rule = "DIS-235: limits: the candidate's capacity does not count",
         SINGLE,
         .pools = {{.spec = "limits: {cpu: '4'}, ", .template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}},
         .pods = {POD_ON("p", "a")},
         .expected = "Underutilized/single: a -> small,medium,arm on-demand -"},
        {.rule = "DIS-236: initialized nodes before others, and nodes before new ones",
         SINGLE,
         .nodes = {{.name = "a"},
                   {.name = "b", .uninitialized = true, .no_condition = "Initialized"},
                   {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a")},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-477, DIS-241: only a node that is not initialized",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {{.name = "a"},
                   {.name = "b", .uninitialized = true, .no_condition = "Initialized"}},
         .pods = {POD_ON("p", "a")},
         .expected = "",
         .note = "a: would schedule against uninitialized nodeclaim/claim-b, node/b"},
        {.rule = "DIS-480: where the destination is busy, a cheaper machine will do",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("small")},
                   {.name = "busy", .disruption = "budgets: [{nodes: '0'}], consolidateAfter: 1h"}},
         .nodes = {{.name = "a"},
                   {.name = "b",
                    .pool = "busy",
                    .claim_status = "lastPodEventTime: '2025-12-31T23:59:59Z'"}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b")},
         .expected = "Underutilized/single: a -> small on-demand -"},
        {.rule = "DIS-482, DIS-252: a pending pod that needs the machine's size keeps it",
         SINGLE,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}},
         .pods = {POD_ON("p", "a"), {.name = "big", .cpu = "15"}},
         .expected = ""},
        {.rule = "DIS-438: preferences of the pods are kept where they can be",
         SINGLE,
         .nodes = {{.name = "a"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p",
                   .node = "a",
                   .spec = "affinity: {nodeAffinity: "
                           "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
                           "preference: {matchExpressions: [{key: karpenter.sh/nodepool, operator: "
                           "Exists}]}}]}}, "}},
         .expected = "Underutilized/single: a -> small,medium,arm,large spot -"},
        {.rule = "DIS-438: ignored, they keep nothing",
         SINGLE,
         .settings = UPSTREAM ", PREFERENCE_POLICY: Ignore",
         .nodes = {{.name = "a"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p",
                   .node = "a",
                   .spec = "affinity: {nodeAffinity: "
                           "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
                           "preference: {matchExpressions: [{key: karpenter.sh/nodepool, operator: "
                           "Exists}]}}]}}, "}},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-497: exclusive pods stay where they are",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {{.name = "a"}, {.name = "b"}},
         .pods = {{.name = "p",
                   .node = "a",
                   .labels = "app: a",
                   .spec = "affinity: {podAntiAffinity: "
                           "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                           "kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}}]}}, "},
                  {.name = "q",
                   .node = "b",
                   .labels = "app: a",
                   .spec = "affinity: {podAntiAffinity: "
                           "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                           "kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}}]}}, "}},
         .expected = ""},
        {.rule = "DIS-496: a spread pod is replaced in its zone",
         SINGLE,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a", .zone = "a"},
                   {.name = "b", .zone = "b", .type = "small", .cpu = "1000m"},
                   {.name = "c", .zone = "c", .type = "small", .cpu = "1000m"}},
#define SPREAD                                                                                    \
    .labels = "app: a", .spec = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: "          \
                                "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, " \
                                "labelSelector: {matchLabels: {app: a}}}], "
         .pods = {{.name = "p", .node = "a", SPREAD},
                  {.name = "q", .node = "b", SPREAD},
                  {.name = "r", .node = "c", SPREAD}},
         .expected = "Underutilized/single: a -> small,medium,arm on-demand a"},
        {.rule = "DIS-210, DIS-212: the first that can go goes, in the order of the ratio",
         SINGLE,
         .nodes = {{.name = "a", .type = "small", .cpu = "1900m"},
                   {.name = "b", .type = "medium"},
                   {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b")},
         .expected = "Underutilized/single: b"},
        {.rule = "DIS-196: a deletion that the score could not approve is not looked at",
         SINGLE,
         .pools = {{BALANCED, .template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a", .type = "small", .cpu = "1900m"},
                   {.name = "b"},
                   {.name = "u", .unmanaged = true, .cpu = "1500m"}},
         .pods = {POD_ON("p", "a"), {.name = "q", .node = "b", .cpu = "15"}},
         .expected = ""},
    };
    CHECK_DISRUPT_CASES(cases);
}

static void several_nodes(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-200, DIS-207: all whose pods fit elsewhere",
         MULTI,
         .nodes = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b"), POD_ON("r", "c")},
         .expected = "Underutilized/multi: a b c"},
        {.rule = "DIS-207: candidates of several pools; the replacement of either",
         MULTI,
         .pools = {{.template = ONLY_TYPES("small, medium")}, {.name = "two"}},
         .nodes = {{.name = "a"}, {.name = "b", .pool = "two"}},
         .pods = {{.name = "p", .node = "a", .cpu = "8"}, {.name = "q", .node = "b", .cpu = "8"}},
         .expected = ""},
        {.rule = "DIS-200, DIS-132: a pool without budget left gives none",
         MULTI,
         .pools = {{0},
                   {.name = "none",
                    .disruption = "budgets: [{nodes: '0'}], consolidateAfter: "
                                  "0s"}},
         .nodes = {{.name = "a"},
                   {.name = "b"},
                   {.name = "c", .pool = "none"},
                   {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b"), POD_ON("r", "c")},
         .expected = "Underutilized/multi: a b"},
        {.rule = "DIS-513, DIS-203, DIS-437: minValues that the machines' own type was needed for",
         MULTI,
         .pools = {{.template =
                        "requirements: [{key: node.kubernetes.io/instance-type, operator: "
                        "In, values: [small, medium], minValues: 2}, {key: "
                        "karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "}},
         .nodes = {{.name = "a", .type = "medium", .cpu = "900m"},
                   {.name = "b", .type = "medium", .cpu = "900m"}},
         .pods = {{.name = "p", .node = "a", .cpu = "800m"},
                  {.name = "q", .node = "b", .cpu = "800m"}},
         .expected = ""},
        {.rule = "DIS-202, DIS-195: a pool with Balanced must approve",
         MULTI,
         .pools = {{BALANCED}},
         .nodes = {{.name = "a"}, {.name = "b"}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b")},
         .expected = "Underutilized/multi: a b"},
        {.rule = "DIS-483, DIS-161: pinned pods",
         MULTI,
         .nodes = {{.name = "a"}, {.name = "b"}},
         .pods = {{.name = "p", .node = "a", .spec = "nodeSelector: {kubernetes.io/hostname: a}, "},
                  {.name = "q",
                   .node = "b",
                   .spec = "nodeSelector: {kubernetes.io/hostname: b}, "}},
         .expected = ""},
    };
    CHECK_DISRUPT_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_node),
        cmocka_unit_test(several_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
