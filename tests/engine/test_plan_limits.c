// Limits of pools, reservations and the order of pods for them (SCH-517, SCH-519, SCH-522, SCH-53).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/compile/compile.h"
#include "engine/explain/plan_builder.h"
#include "engine/packing/pack.h"
#include "engine/placement/pass.h"
#include "engine/placement/pass_run.h"
#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define UPSTREAM      "COMPATIBILITY: upstream"
#define LIMITED(list) POOL_OF("pool", "limits: {" list "}, ", "", "", "")
#define ONLY(types)   REQUIRE("node.kubernetes.io/instance-type", "In", types)
#define APART(name, priority, cpu)                                                                 \
    POD(name, "app: apart",                                                                        \
        "priority: " priority ", affinity: {podAntiAffinity: "                                     \
        "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, " \
        "labelSelector: {matchLabels: {app: apart}}}]}}, " CPU(cpu))

static void limits_by_the_cheapest_SCH_519(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-519: a claim takes what its cheapest machine has",
         LIMITED("cpu: '20'") APART("a", "0", "1") APART("b", "0", "1") APART("c", "0", "1"), NULL,
         "#3"},
        {"SCH-362: for upstream what its largest has",
         LIMITED("cpu: '20'") APART("a", "0", "1") APART("b", "0", "1") APART("c", "0", "1"),
         UPSTREAM, "#2 c!"},
        {"SCH-519: types are narrowed so that all fit together",
         LIMITED("cpu: '6'") APART("a", "0", "1") APART("b", "0", "1") APART("c", "0", "1"), NULL,
         "#3 a.types=small b.types=small c.types=small"},
        {"SCH-519: what is left is shared",
         LIMITED("cpu: '8'") APART("a", "0", "1") APART("b", "0", "1"), NULL,
         "#2 a.types=small,medium,arm b.types=small,medium,arm"},
        {"SCH-519: an open claim grows within the limit only",
         LIMITED("cpu: '4'") POD("a", "", CPU("1500m")) POD("b", "", CPU("1500m"))
             POD("c", "", CPU("1500m")),
         NULL, "a=b c!", "c: limit"},
        {"SCH-363, 519: nodes",
         LIMITED("nodes: '2'") APART("a", "0", "1") APART("b", "0", "1") APART("c", "0", "1"), NULL,
         "#2 c!", "c: node limits have been exhausted"},
        {"SCH-519: memory and cpu at once",
         LIMITED("cpu: '100', memory: 8Gi") APART("a", "0", "1") APART("b", "0", "1")
             APART("c", "0", "1"),
         NULL, "#2 a.types=small b.types=small c!"},
    };
    CHECK_CASES(cases);
}

static void important_pods_first_SCH_517(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-517: where a limit binds, the more important pod gets the node",
         LIMITED("nodes: '1'") APART("big", "0", "3") APART("vital", "10", "1"), NULL,
         "big! vital+"},
        {"SCH-517: upstream serves the largest",
         LIMITED("nodes: '1'") APART("big", "0", "3") APART("vital", "10", "1"), UPSTREAM,
         "big+ vital!"},
        {"SCH-517: where none binds, the order is that of size",
         LIMITED("nodes: '2'") APART("big", "0", "3") APART("vital", "10", "1"), NULL,
         "big+ vital+"},
        {"SCH-517: the less important one still waits if it cannot be helped",
         LIMITED("nodes: '1'") APART("big", "10", "3") APART("small", "0", "1"), NULL,
         "big+ small!"},
        {"SCH-517: a limit on a resource",
         LIMITED("cpu: '4'") POD("big", "", "priority: 1, " CPU("3"))
             POD("vital", "", "priority: 1000, " CPU("1500m")),
         NULL, "vital+ big!"},
    };
    CHECK_CASES(cases);
}

// A machine of 2 cpu: on demand for 0.1, and reserved in each of `reserved`.
#define RESERVED(id, price, count)                                                   \
    "{price: " price ", available: true, reservationCapacity: " count                \
    ", requirements: [{key: " LABEL_OF_ZONE                                          \
    ", operator: In, values: [a]}, {key: karpenter.sh/capacity-type, operator: In, " \
    "values: [reserved]}, {key: example.com/reservation-id, operator: In, values: [" id "]}]}"
#define RESERVED_CATALOG(offerings)                                                                \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: r}, spec: {instanceTypes: " \
    "[{name: r1, requirements: [], capacity: {cpu: '2', memory: 4Gi, pods: '9'}, offerings: "      \
    "[" offerings ", " OFFER("a", "on-demand", "0.1", "") "]}]}}\n---\n"
#define RESERVED_ONLY POOL_REQUIRING(REQUIRE("karpenter.sh/capacity-type", "In", "reserved"))
#define THREE         POD("a", "", CPU("1500m")) POD("b", "", CPU("1500m")) POD("c", "", CPU("1500m"))
#define ID            "example.com/reservation-id"

static void one_reservation_each_SCH_522(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-522: one reservation a claim, the cheapest first, then other capacity",
         RESERVED_CATALOG(RESERVED("r2", "0.002", "1") ", " RESERVED("r1", "0.001", "1"))
             POOL THREE,
         NULL, "#3 a[" ID "]=r1 b[" ID "]=r2 a.ct=reserved b.ct=reserved c.ct=on-demand,spot", NULL,
         true},
        {"SCH-257: upstream takes both at once",
         RESERVED_CATALOG(RESERVED("r2", "0.002", "1") ", " RESERVED("r1", "0.001", "1"))
             POOL THREE,
         UPSTREAM, "#1 a[" ID "]=r1,r2 b! c!", NULL, true},
        {"SCH-522: ties by name",
         RESERVED_CATALOG(RESERVED("r2", "0.001", "1") ", " RESERVED("r1", "0.001", "5"))
             POOL POD("a", "", CPU("1")),
         NULL, "a[" ID "]=r1", NULL, true},
        {"SCH-522: several instances of one reservation",
         RESERVED_CATALOG(RESERVED("r1", "0.001", "2")) POOL THREE, NULL,
         "a[" ID "]=r1 b[" ID "]=r1 c.ct=on-demand,spot", NULL, true},
        {"SCH-260, 522: a pool of nothing but reserved capacity makes the rest wait",
         RESERVED_CATALOG(RESERVED("r1", "0.001", "1")) RESERVED_ONLY THREE, NULL, "#1 a+ b! c!",
         "b: could not be reserved", true},
        {"SCH-245, 522: a reservation of fewer types than minValues wants is left alone",
         RESERVED_CATALOG(RESERVED("r1", "0.001", "1"))
             POOL_REQUIRING(REQUIRE_MIN(LABEL_OF_ZONE, "Exists", "", "1") ", " REQUIRE_MIN(
                 "node.kubernetes.io/instance-type", "Exists", "", "2")) POD("a", "", CPU("1")),
         NULL, "a!", NULL, true},
        {"SCH-493: two pods on one reserved claim hold one instance",
         RESERVED_CATALOG(RESERVED("r1", "0.001", "1")) POOL POD("a", "", CPU("1"))
             POD("b", "", CPU("1")),
         NULL, "#1 a=b a.ct=reserved", NULL, true},
        {"SCH-517, 522: the more important pod gets the reservation",
         RESERVED_CATALOG(RESERVED("r1", "0.001", "1")) RESERVED_ONLY POD(
             "a", "", "priority: 1, " CPU("1800m")) POD("b", "", "priority: 2, " CPU("1")),
         NULL, "#1 b+ a!", NULL, true},
    };
    CHECK_CASES(cases);
}

// Two or three types of 2 cpu, each with a reservation of its own; t1 and t2 on demand for 0.1.
#define OWN_RESERVATION(type, id, price)                  \
    TYPE_OF(type, "", "cpu: '2', memory: 4Gi, pods: '9'", \
            RESERVED(id, price, "1") ", " OFFER("a", "on-demand", "0.1", ""))
#define OWN_RESERVATIONS                                                  \
    CATALOG_OF(OWN_RESERVATION("t1", "r1", "0.001") ", " OWN_RESERVATION( \
        "t2", "r2", "0.002") ", " OWN_RESERVATION("t3", "r3", "0.003"))
#define TWO_TYPES_AT_LEAST \
    POOL_REQUIRING(REQUIRE_MIN("node.kubernetes.io/instance-type", "Exists", "", "2"))

static void reservations_together_meet_min_values_SCH_245_522(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-522: as many reservations as minValues want, the cheapest",
         OWN_RESERVATIONS TWO_TYPES_AT_LEAST POD("a", "", CPU("1500m")), NULL,
         "a.ct=reserved a[" ID "]=r1,r2 a.types=t1,t2 a.price=0.001", .bare = true},
        {"SCH-522: one that is left alone is not enough",
         OWN_RESERVATIONS TWO_TYPES_AT_LEAST POD("a", "", CPU("1500m")) POD("b", "", CPU("1500m")),
         NULL, "#2 a[" ID "]=r1,r2 b[" ID "]=- b.ct=on-demand,spot b.price=0.1", .bare = true},
        {"SCH-522: none is taken that adds no type",
         CATALOG_OF(TYPE_OF("t1", "", "cpu: '2', memory: 4Gi, pods: '9'",
                            RESERVED("r1", "0.001", "1") ", " RESERVED(
                                "r2", "0.002", "1")) ", " OWN_RESERVATION("t3", "r3", "0.003"))
             TWO_TYPES_AT_LEAST POD("a", "", CPU("1500m")),
         NULL, "a[" ID "]=r1,r3", .bare = true},
        {"SCH-259: a claim keeps those that it holds",
         OWN_RESERVATIONS TWO_TYPES_AT_LEAST POD("a", "", CPU("1")) POD("b", "", CPU("500m")), NULL,
         "#1 a=b a[" ID "]=r1,r2", .bare = true},
        {"SCH-245, 261: upstream's claims are not narrowed to fewer types than minValues want",
         CATALOG_OF(OWN_RESERVATION("t1", "r1", "0.001") ", " TYPE_OF(
             "t2", "", "cpu: '2', memory: 4Gi, pods: '9'", OFFER("a", "on-demand", "0.1", "")))
             TWO_TYPES_AT_LEAST POD("a", "", CPU("1")),
         UPSTREAM, "a.types=t1,t2 a[" ID "]=- a.ct=on-demand,spot", .bare = true},
        {"SCH-257, 261: all of them together are enough",
         OWN_RESERVATIONS TWO_TYPES_AT_LEAST POD("a", "", CPU("1")), UPSTREAM,
         "a.types=t1,t2,t3 a[" ID "]=r1,r2,r3", .bare = true},
    };
    CHECK_CASES(cases);
}

static void a_pass_may_end_early_SCH_53_530(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL APART("a", "0", "1") APART("b", "0", "1") APART("c", "0", "1"), NULL);
    struct arena *arena = arena_create(4096);
    struct problem *problem = problem_create(p.snapshot, arena, false);
    struct pass_input input = {.queue = problem->pods.queued,
                               .queue_count = problem->pods.queued_count,
                               .attempts_max = 2};
    struct pass *pass = pass_create(problem, &input);
    pass_run(pass);
    assert_int_equal(pass->claims.count, 2);
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    plan->arena = arena;
    struct plan_options options = {.explain = true};
    plan_build(pass, &options, plan);
    assert_int_equal(plan->unschedulable.count, 1);
    assert_int_equal(plan->unschedulable.items[0].reasons.items[0].code, REASON_NOT_TRIED);
    pass_destroy(pass);
    problem_destroy(problem);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_by_the_cheapest_SCH_519),
        cmocka_unit_test(important_pods_first_SCH_517),
        cmocka_unit_test(one_reservation_each_SCH_522),
        cmocka_unit_test(reservations_together_meet_min_values_SCH_245_522),
        cmocka_unit_test(a_pass_may_end_early_SCH_53_530),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
