// The same snapshot, the same plan: SCH-470 to SCH-475, choice by choice.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define UPSTREAM "COMPATIBILITY: upstream"
#define HOST     "kubernetes.io/hostname"
#define SPREAD(key)                                              \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}], "
#define OFFERS_AT(a, b)                                             \
    CATALOG_OF(TYPE_OF("t", "", "cpu: '2', memory: 4Gi, pods: '9'", \
                       OFFER("a", "spot", a, "") ", " OFFER("b", "spot", b, "")))

static void choices_SCH_471_472(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-472: of domains with equal counts the cheapest launch",
         OFFERS_AT("2", "1") POOL POD("a", "app: web", SPREAD(LABEL_OF_ZONE) CPU("1")), NULL,
         "a.zone=b", .bare = true},
        {"SCH-472: then the name",
         OFFERS_AT("1", "1") POOL POD("a", "app: web", SPREAD(LABEL_OF_ZONE) CPU("1")), NULL,
         "a.zone=a", .bare = true},
        {"SCH-472: claims with as many pods, in the order in which they were opened",
         POOL POD("a", "app: web", SPREAD(HOST) CPU("3"))
             POD("b", "app: web", SPREAD(HOST) CPU("3")) POD("c", "", CPU("1"))
                 POD("d", "", CPU("900m")),
         UPSTREAM, "a/b c=a d=b"},
        {"SCH-472: of an error's keys the smallest",
         POOL POD("a", "", "nodeSelector: {c: x, b: x, d: x}, " CPU("1")), NULL, "a!",
         "a: label \"b\" does not have known values"},
        {"SCH-472: a representative label is the smallest value, whatever order it was written in",
         POOL_REQUIRING(REQUIRE("rack", "In", "z, m, a")) POD("a", "", CPU("1")), NULL,
         "a{rack}=a"},
    };
    CHECK_CASES(cases);
}

// Documents of a world in which many choices are ties.
static const char *const documents[] = {
    POOL_OF("pa", "", "", "", REQUIRE("rack", "In", "r2, r1")),
    POOL_OF("pb", "", "", "", REQUIRE("rack", "In", "r1, r2")),
    NODE_OF("n1", LABEL_OF_ZONE ": a", "2"),
    NODE_OF("n2", LABEL_OF_ZONE ": b", "2"),
    DAEMON_SET("d", CPU("100m")),
    DAEMON_SET("e",
               REQUIRED_TERMS(TERM_OF(REQUIRE("kubernetes.io/arch", "In", "arm64")) ", " TERM_OF(
                   REQUIRE("kubernetes.io/arch", "In", "amd64"))) CPU("200m")),
    "{apiVersion: v1, kind: LimitRange, metadata: {name: l1, namespace: default}, spec: {limits: "
    "[{type: Container, defaultRequest: {memory: 1Gi}}]}}\n---\n",
    "{apiVersion: v1, kind: LimitRange, metadata: {name: l2, namespace: default}, spec: {limits: "
    "[{type: Container, defaultRequest: {memory: 2Gi}}]}}\n---\n",
    "{apiVersion: v1, kind: Service, metadata: {name: s1}, spec: {selector: {app: web}}}\n---\n",
    "{apiVersion: v1, kind: Service, metadata: {name: s2}, spec: {selector: {tier: x}}}\n---\n",
    "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: o1}, spec: "
    "{requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}], price: '0.01'}}\n"
    "---\n",
    "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: o2}, spec: "
    "{requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}], price: '0.02'}}\n"
    "---\n",
    POD("a", "app: web", CPU("1")),
    POD("b", "app: web", CPU("1")),
    POD("c", "app: web, tier: x", CPU("1")),
    POD("f", "",
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: " LABEL_OF_ZONE ", labelSelector: {matchLabels: {tier: x}}}]}}, " CPU("1")),
    POD("g", "", "nodeSelector: {kubernetes.io/arch: arm64}, " CPU("1")),
    POD("h", "", "nodeSelector: {x1: v, x2: v}, " CPU("1")),
};
#define DOCUMENTS (sizeof documents / sizeof *documents)

static char *plan_in_order(const uint32_t *order)
{
    struct text text = {0};
    for (uint32_t i = 0; i < DOCUMENTS; i++)
        text_add(&text, documents[order[i]]);
    PLAN p = plan_yaml(text.data,
                       "FEATURE_GATES: NodeOverlay=true, SCHEDULER_CONFIG: '{podTopologySpread: "
                       "{defaultConstraints: [{maxSkew: 1, topologyKey: " HOST
                       ", whenUnsatisfiable: DoNotSchedule}]}}'");
    text_free(&text);
    return plan_json(p.plan);
}

static void every_kind_in_any_order_SCH_470_472_540(void **state)
{
    (void)state;
    uint32_t order[DOCUMENTS];
    for (uint32_t i = 0; i < DOCUMENTS; i++)
        order[i] = i;
    char *expected = plan_in_order(order);
    for (uint32_t turn = 1; turn < DOCUMENTS; turn++) {
        for (uint32_t i = 0; i < DOCUMENTS; i++) // rotated, every other round backwards
            order[i] =
                turn % 2 == 0 ? (i + turn) % DOCUMENTS : (DOCUMENTS - 1 + turn - i) % DOCUMENTS;
        char *other = plan_in_order(order);
        assert_string_equal(expected, other);
        free(other);
    }
    free(expected);
}

// SCH-475: 25 domains in an error, five values of a requirement.
static void constants_of_texts_SCH_475(void **state)
{
    (void)state;
    struct text zones = {0}, world = {0};
    for (int i = 0; i < 27; i++)
        text_format(&zones, "%sr%02d", i > 0 ? ", " : "", i);
    text_format(&world,
                "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p}, "
                "spec: {template: {spec: {nodeClassRef: {group: g, kind: C, name: c}, "
                "requirements: [{key: rack, operator: In, values: [%s]}]}}}}\n---\n",
                zones.data);
    text_add(&world, POD("a", "",
                         "affinity: {podAffinity: "
                         "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                         "rack, labelSelector: {matchLabels: {app: web}}}]}}, " CPU("1")));
    PLAN p = plan_yaml(world.data, NULL);
    const char *message = unplaced(p.plan, "a")->message;
    assert_non_null(strstr(message, "r23: 0, r24: 0 and 2 other(s), podDomains"));
    assert_non_null(strstr(message, "rack In [r00 r01 r02 r03 r04 and 22 others]"));
    text_free(&zones);
    text_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_SCH_471_472),
        cmocka_unit_test(every_kind_in_any_order_SCH_470_472_540),
        cmocka_unit_test(constants_of_texts_SCH_475),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
