// Costs of nodes and of their replacements (DIS-55 to DIS-61, DIS-164 to DIS-179), as tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_cases.h"

// A type of 16 cpu with offerings as OFFER, separated by ", ".
#define TYPE(name, offerings)                                                                    \
    "{name: " name ", requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}, " \
    "{key: kubernetes.io/os, operator: In, values: [linux]}], capacity: {cpu: '16', memory: "    \
    "64Gi, "                                                                                     \
    "pods: '100'}, offerings: [" offerings "]}"
#define OFFER(zone, capacity_type, price, available)                     \
    "{price: " price ", available: " available ", requirements: [{key: " \
    "topology.kubernetes.io/zone, operator: In, values: [" zone          \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: [" capacity_type "]}]}"
#define TYPES(types)                                                                    \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, spec: {" \
    "instanceTypes: [" types "]}}\n---\n"
#define SINGLE .method = "single"
#define MULTI  .method = "multi"
#define X_OF(its_type) \
    .nodes = {{.name = "x", .type = its_type}}, .pods = {{.name = "p", .node = "x"}}

static void price_of_a_candidate(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-59, DIS-475: of its zone and capacity type, available or not; DIS-179: what "
                 "has no spot stays in the list",
         SINGLE,
         .bare = true,
         .more =
             TYPES(TYPE("t", OFFER("a", "on-demand", "0.5", "false") ", " OFFER(
                                 "b", "on-demand", "0.3",
                                 "true")) ", " TYPE("u", OFFER("a", "on-demand", "0.4", "true"))),
         X_OF("t"),
         .expected = "Underutilized/single: x -> t,u spot -"},
        {.rule = "DIS-59: no such offering counts 0",
         SINGLE,
         .bare = true,
         .more = TYPES(TYPE("t", OFFER("b", "on-demand", "0.5", "true")) ", " TYPE(
             "u", OFFER("a", "on-demand", "0.01", "true"))),
         X_OF("t"),
         .expected = "",
         .note = "x: Can't replace with a cheaper node"},
        {.rule = "DIS-60, DIS-61: the best ratio first; DIS-56: more pods, a lower one",
         SINGLE,
         .nodes = {{.name = "a"}, {.name = "b"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a"},
                  {.name = "q", .node = "a"},
                  {.name = "r", .node = "b"}},
         .expected = "Underutilized/single: b"},
        {.rule = "DIS-61: by price where the pods are alike",
         SINGLE,
         .nodes = {{.name = "a", .type = "small"},
                   {.name = "b", .type = "medium"},
                   {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a"}, {.name = "r", .node = "b"}},
         .expected = "Underutilized/single: b"},
        {.rule = "DIS-55, DIS-58: deletion cost and priority count",
         SINGLE,
         .nodes = {{.name = "a"}, {.name = "b"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p",
                   .node = "a",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: '134217728'"},
                  {.name = "r", .node = "b", .spec = "priority: 16777216, "}},
         .expected = "Underutilized/single: b"},
        {.rule = "DIS-55: what is no number counts nothing; +1e3 is one",
         SINGLE,
         .nodes = {{.name = "a"}, {.name = "b"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p",
                   .node = "a",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: '1e3'"},
                  {.name = "r",
                   .node = "b",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: much"}},
         .expected = "Underutilized/single: b"},
        {.rule = "DIS-55, DIS-57: nor does what nobody can calculate with: no node is empty by it",
         .method = "emptiness",
         .nodes = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "e"}},
         .pods = {{.name = "p",
                   .node = "a",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: 'nan'"},
                  {.name = "q",
                   .node = "b",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: '-1e999'"},
                  {.name = "r",
                   .node = "c",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: ' -1e9'"},
                  {.name = "s",
                   .node = "e",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: '-inf'"}},
         .expected = "Empty/empty: e"},
    };
    CHECK_DISRUPT_CASES(cases);
}

static void what_may_come_instead(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-474, DIS-167: strictly cheaper, of the capacity type that may be launched",
         SINGLE,
         .bare = true,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .more = TYPES(TYPE(
             "t", OFFER("a", "on-demand", "0.6", "true") ", " OFFER("a", "spot", "0.2", "true"))),
         X_OF("t"),
         .expected = "",
         .note = "x: Can't replace with a cheaper node"},
        {.rule = "DIS-167, DIS-170: the same type as spot, and narrowed to it",
         SINGLE,
         .bare = true,
         .more = TYPES(TYPE(
             "t", OFFER("a", "on-demand", "0.6", "true") ", " OFFER("a", "spot", "0.2", "true"))),
         X_OF("t"),
         .expected = "Underutilized/single: x -> t spot -"},
        {.rule = "DIS-473: one dear zone",
         SINGLE,
         .bare = true,
         .more = TYPES(TYPE("t", OFFER("a", "on-demand", "0.5", "true")) ", " TYPE(
             "u", OFFER("a", "spot", "1.0", "true") ", " OFFER(
                      "b", "spot", "0.2", "true") ", " OFFER("c", "spot", "0.4", "true"))),
         X_OF("t"),
         .expected = ""},
        {.rule = "DIS-164: several candidates cost what all cost",
         MULTI,
         .pools = {{.template = ONLY_TYPES("medium")}},
         .nodes = {{.name = "a", .type = "small", .cpu = "1500m"},
                   {.name = "b", .type = "small", .cpu = "1500m"},
                   {.name = "c", .type = "small", .cpu = "1500m"},
                   {.name = "d", .type = "small", .cpu = "1500m"}},
         .pods = {{.name = "p", .node = "a"},
                  {.name = "q", .node = "b"},
                  {.name = "r", .node = "c"},
                  {.name = "s", .node = "d"}},
         .expected = "Underutilized/multi: a b c -> medium on-demand -"},
        {.rule = "DIS-164: no less than what they cost is not cheaper",
         MULTI,
         .pools = {{.template = ONLY_TYPES("medium")}},
         .nodes = {{.name = "a", .type = "small", .cpu = "1500m"},
                   {.name = "b", .type = "small", .cpu = "1500m"}},
         .pods = {{.name = "p", .node = "a"}, {.name = "q", .node = "b"}},
         .expected = ""},
        {.rule = "DIS-466, DIS-177: two spot nodes and one on demand",
         MULTI,
         .pools = {{.template = "requirements: [{key: node.kubernetes.io/instance-type, operator: "
                                "In, values: [medium]}], "}},
         .nodes = {{.name = "a", .type = "small", .cpu = "1500m", .capacity_type = "spot"},
                   {.name = "b", .type = "small", .cpu = "1500m", .capacity_type = "spot"},
                   {.name = "c", .type = "small", .cpu = "1500m"}},
         .pods = {{.name = "p", .node = "a"},
                  {.name = "q", .node = "b"},
                  {.name = "r", .node = "c"}},
         .expected = "Underutilized/multi: c a b -> medium spot -"},
        {.rule = "DIS-178: a spot node may go without the gate",
         SINGLE,
         .nodes = {{.name = "a", .capacity_type = "spot"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-172: but not be replaced by spot",
         SINGLE,
         .nodes = {{.name = "a", .capacity_type = "spot"}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "",
         .note = "a: SpotToSpotConsolidation is disabled, can't replace a spot node with a spot "
                 "node"},
        {.rule = "DIS-166: a spot node and an on-demand pool: by the on-demand price",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("small")}},
         .nodes = {{.name = "a", .capacity_type = "spot"}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "Underutilized/single: a -> small on-demand -"},
        {.rule = "DIS-467, DIS-174: several spot nodes need no fifteen types",
         MULTI,
         .settings = UPSTREAM ", " SPOT_TO_SPOT,
         .pools = {{.template = "requirements: [{key: node.kubernetes.io/instance-type, operator: "
                                "In, values: [medium]}], "}},
         .nodes = {{.name = "a", .type = "small", .cpu = "1500m", .capacity_type = "spot"},
                   {.name = "b", .type = "small", .cpu = "1500m", .capacity_type = "spot"},
                   {.name = "c", .type = "small", .cpu = "1500m", .capacity_type = "spot"},
                   {.name = "d", .type = "small", .cpu = "1500m", .capacity_type = "spot"}},
         .pods = {{.name = "p", .node = "a"},
                  {.name = "q", .node = "b"},
                  {.name = "r", .node = "c"},
                  {.name = "s", .node = "d"}},
         .expected = "Underutilized/multi: a b c -> medium spot -"},
        {.rule = "DIS-173, DIS-175, DIS-468: a single one does",
         SINGLE,
         .settings = UPSTREAM ", " SPOT_TO_SPOT,
         .pools = {{.template = "requirements: [{key: node.kubernetes.io/instance-type, operator: "
                                "In, values: [small, large]}], "}},
         .nodes = {{.name = "a", .capacity_type = "spot"}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "",
         .note = "a: SpotToSpotConsolidation requires 15 cheaper instance type options than the "
                 "current candidate to consolidate, got 1"},
    };
    CHECK_DISRUPT_CASES(cases);
}

// --- twenty types, t01 the cheapest --------------------------------------------------------------

#define CHEAPEST_15 "t01,t02,t03,t04,t05,t06,t07,t08,t09,t10,t11,t12,t13,t14,t15"

// The types' spot prices are 0.01 USD and up by their number, but for `repriced`, which costs
// 0.001.
static void check_among_twenty(const char *rule, const char *type, int repriced,
                               const char *requirements, const char *expected)
{
    struct text world = {0}, actual = {0};
    text_add(&world, "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, "
                     "spec: {instanceTypes: [");
    for (int i = 1; i <= 20; i++)
        text_format(&world,
                    "{name: t%02d, requirements: [{key: kubernetes.io/arch, operator: In, values: "
                    "[amd64]}, {key: kubernetes.io/os, operator: In, values: [linux]}], capacity: "
                    "{cpu: '16', memory: 64Gi, pods: '100'}, offerings: [{price: %.3f, available: "
                    "true, requirements: [{key: topology.kubernetes.io/zone, operator: In, values: "
                    "[a]}, {key: karpenter.sh/capacity-type, operator: In, values: [spot]}]}]}%s",
                    i, i == repriced ? 0.001 : i * 0.01, i < 20 ? ", " : "]}}\n---\n");
    char template[300];
    snprintf(template, sizeof template, "requirements: [%s], ", requirements);
    add_pool(&world, (struct test_pool){.template = template});
    add_node(&world, (struct test_node){.name = "x", .type = type, .capacity_type = "spot"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
    PLAN p = disrupt_bare(&world, "single", UPSTREAM ", " SPOT_TO_SPOT);
    describe_disruptions(p.plan, &actual);
    const char *text = actual.data != NULL ? actual.data : "";
    if (strcmp(text, expected) != 0)
        fail_msg("%s: %s instead of %s", rule, text, expected);
    text_free(&actual);
}

static void spot_among_twenty_types(void **state)
{
    (void)state;
    check_among_twenty("DIS-175, DIS-176: the fifteen cheapest", "t18", 0, "",
                       "Underutilized/single: x -> " CHEAPEST_15 " spot -");
    check_among_twenty("DIS-469: one of the cheapest stays", "t02", 0, "", "");
    check_among_twenty("DIS-175: fourteen are too few", "t15", 0, "", "");
    check_among_twenty("DIS-470: by today's prices", "t20", 17, "",
                       "Underutilized/single: x -> "
                       "t17,t01,t02,t03,t04,t05,t06,t07,t08,t09,t10,t11,t12,t13,t14 spot -");
#define MIN_TYPES(count) \
    "{key: node.kubernetes.io/instance-type, operator: Exists, minValues: " count "}"
    check_among_twenty("DIS-471, DIS-176: minValues ask for more", "t18", 0, MIN_TYPES("16"),
                       "Underutilized/single: x -> " CHEAPEST_15 ",t16 spot -");
    check_among_twenty("DIS-514: or for fewer", "t18", 0, MIN_TYPES("10"),
                       "Underutilized/single: x -> " CHEAPEST_15 " spot -");
    check_among_twenty("DIS-472, DIS-168: more than are cheaper", "t18", 0, MIN_TYPES("18"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(price_of_a_candidate),
        cmocka_unit_test(what_may_come_instead),
        cmocka_unit_test(spot_among_twenty_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
