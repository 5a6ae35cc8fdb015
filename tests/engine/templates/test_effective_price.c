// What a node really costs (SCH-507): volumes, addresses, interruptions, surplus credits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"
#include "engine/templates/effective_price.h"

// --- the parts -----------------------------------------------------------------------------------

#define USD INT64_C(1000000000)

static const struct price_terms terms = {.allowance = USD / 50,
                                         .allowance_covers = true,
                                         .volume_factor = 0.5,
                                         .address = USD / 200,
                                         .interruption = USD,
                                         .cpu_use = 0.5};
// A burstable machine of 2 vCPUs.
static const struct instance_type burstable = {.name = "t",
                                               .burst = {2 * USD / 5, USD / 20}}; // 0.4 vCPU

static void the_default_allowance_covers_volumes_and_addresses_SCH_507(void **state)
{
    (void)state;
    const struct offering offering = {.price = USD / 10};
    struct instance_type type = {.name = "m", .volume_price = USD / 100, .public_address = true};
    assert_int_equal(price_surcharge(&terms, &type, &offering), 0);
    struct plan_costs parts = price_parts(&terms, &type, &offering, offering.price, 1000);
    assert_int_equal(parts.volumes, USD / 200); // half of the list price
    assert_int_equal(parts.address, USD / 200);
    assert_int_equal(parts.allowance, USD / 100); // what is left of it
    assert_int_equal(plan_costs_sum(&parts), USD / 10 + USD / 50);

    type.volume_price = USD / 5; // more than the allowance: what exceeds it counts
    assert_int_equal(price_surcharge(&terms, &type, &offering), USD / 10 + USD / 200 - USD / 50);
    parts = price_parts(&terms, &type, &offering, offering.price, 1000);
    assert_int_equal(parts.allowance, 0);
    assert_int_equal(plan_costs_sum(&parts), USD / 10 + USD / 10 + USD / 200);

    struct price_terms given = terms; // a NODE_COST that is set comes on top
    given.allowance_covers = false;
    assert_int_equal(price_surcharge(&given, &type, &offering), USD / 10 + USD / 200);
    parts = price_parts(&given, &type, &offering, offering.price, 1000);
    assert_int_equal(parts.allowance, USD / 50);
}

static void interruptions_count_for_spot_SCH_507(void **state)
{
    (void)state;
    const struct instance_type type = {.name = "m"};
    const struct offering offering = {.price = USD / 10, .interruptions = USD / 4}; // in a month
    assert_int_equal(price_surcharge(&terms, &type, &offering), 342466);
}

static void surplus_credits_count_beyond_the_baseline_SCH_507(void **state)
{
    (void)state;
    // Half of the requests is used: 800 millicores are within 0.4 vCPU, each one more costs 25
    // micro-USD an hour.
    struct row_burst burst = price_burst(&terms, &burstable, 0);
    assert_int_equal(burst.free_cpu, 800);
    assert_int_equal(burst.rate, USD / 20 / 2 / 1000);
    assert_int_equal(price_burst_cost(burst, 800), 0);
    assert_int_equal(price_burst_cost(burst, 2000), 1200 * burst.rate);
    // What DaemonSets request uses up the baseline.
    assert_int_equal(price_burst(&terms, &burstable, 300).free_cpu, 500);
    assert_int_equal(price_burst(&terms, &burstable, 1000).free_cpu, -200);
    // Nothing is expected, or the machine is not burstable.
    struct price_terms none = terms;
    none.cpu_use = 0;
    assert_int_equal(price_burst_cost(price_burst(&none, &burstable, 0), INT64_MAX), 0);
    const struct instance_type other = {.name = "m"};
    assert_int_equal(price_burst_cost(price_burst(&terms, &other, 0), INT64_MAX), 0);
    // Absurd requests saturate.
    assert_int_equal(price_burst_cost(burst, INT64_MAX), INT64_MAX);
}

// --- decisions -----------------------------------------------------------------------------------

#define SIZE_TWO "capacity: {cpu: '2', memory: 8Gi, pods: '29'}, offerings: "
#define OFFERED(type, price, more)                                                           \
    "[{price: " price ", available: true, " more "requirements: [{key: " LABEL_OF_ZONE       \
    ", operator: In, values: [a]}, {key: karpenter.sh/capacity-type, operator: In, values: " \
    "[" type "]}]}]}"
#define TYPES(items)                                                                    \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, spec: {" \
    "instanceTypes: [" items "]}}\n---\n"
#define BURSTABLE                                                                                  \
    "{name: burstable, requirements: [], burst: {baselineCPU: 0.4, surplusPrice: 0.05}, " SIZE_TWO \
        OFFERED("on-demand", "0.08", "")
#define STEADY "{name: steady, requirements: [], " SIZE_TWO OFFERED("on-demand", "0.1", "")
#define LOWEST "PACKING_POLICY: LowestPrice"

static void burstable_types_count_with_their_credits_SCH_507(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-507: within the baseline a burstable type is the cheaper one",
         TYPES(BURSTABLE ", " STEADY) POOL POD("p", "", CPU("800m")), LOWEST,
         "p.types=burstable,steady p.price=0.08", .bare = true},
        {"SCH-507: beyond it costs 0.03 more, and a launch would take it by the list",
         TYPES(BURSTABLE ", " STEADY) POOL POD("p", "", CPU("2")), LOWEST,
         "p.types=steady p.price=0.1", .bare = true},
        {"SCH-507: so with Greedy", TYPES(BURSTABLE ", " STEADY) POOL POD("p", "", CPU("2")),
         "PACKING_POLICY: Greedy", "p.types=steady p.price=0.1", .bare = true},
        {"SCH-507: nothing is expected of the requests",
         TYPES(BURSTABLE ", " STEADY) POOL POD("p", "", CPU("2")), LOWEST ", EXPECTED_CPU_USE: '0'",
         "p.types=burstable,steady p.price=0.08", .bare = true},
        {"FMT-18: upstream knows list prices only",
         TYPES(BURSTABLE ", " STEADY) POOL POD("p", "", CPU("2")), "COMPATIBILITY: upstream",
         "p.types=burstable,steady p.price=0.08", .bare = true},
        {"SCH-245: minValues keep the type in the list",
         TYPES(BURSTABLE ", " STEADY)
             POOL_REQUIRING(REQUIRE_MIN("node.kubernetes.io/instance-type", "Exists", "", "2"))
                 POD("p", "", CPU("2")),
         LOWEST, "p.types=burstable,steady p.price=0.08", .bare = true},
    };
    CHECK_CASES(cases);
}

static void interruptions_decide_between_equal_spot_prices_SCH_507(void **state)
{
    (void)state;
#define SPOT(name, interruptions)                           \
    "{name: " name ", requirements: [], " SIZE_TWO OFFERED( \
        "spot", "0.1", "interruptionsPerMonth: " interruptions ", ")
    static const struct rule_case cases[] = {
        {"SCH-507: of equal prices the one with fewer interruptions; a launch may not take the "
         "other",
         TYPES(SPOT("often", "0.25") ", " SPOT("seldom", "0.025")) POOL POD("p", "", CPU("1")),
         LOWEST ", INTERRUPTION_COST: '0.25'", "p.types=seldom", .bare = true},
        {"SCH-507: by default it costs a launch and ten evictions, which cost nothing here",
         TYPES(SPOT("often", "0.25") ", " SPOT("seldom", "0.025")) POOL POD("p", "", CPU("1")),
         LOWEST, "p.types=often,seldom", .bare = true},
        {"SCH-507, DIS-747: the figures that consolidation weighs a move with",
         TYPES(SPOT("often", "0.25") ", " SPOT("seldom", "0.025")) POOL POD("p", "", CPU("1")),
         LOWEST ", DISRUPTION_COST_PER_POD: '0.02'", "p.types=seldom", .bare = true},
    };
    CHECK_CASES(cases);
}

static void volumes_make_nodes_few_SCH_507(void **state)
{
    (void)state;
#define VOLUME(name, size, price)                                                 \
    "{name: " name ", volumePrice: 0.1, requirements: [], capacity: {cpu: '" size \
    "', memory: 64Gi, pods: '110'}, offerings: " OFFERED("on-demand", price, "")
#define TWO_SIZES TYPES(VOLUME("small", "2", "0.1") ", " VOLUME("large", "8", "0.44"))
    static const struct rule_case cases[] = {
        {"SCH-507: four small nodes cost less by the list, but have four volumes",
         TWO_SIZES POOL DEPLOYMENT("web", "8", "", CPU("1")), LOWEST, "#1 total=0.44",
         .bare = true},
        {"SCH-507: volumes are not counted", TWO_SIZES POOL DEPLOYMENT("web", "8", "", CPU("1")),
         LOWEST ", VOLUME_COST: '0'", "#4 total=0.4", .bare = true},
    };
    CHECK_CASES(cases);
}

// --- the plan ------------------------------------------------------------------------------------

static void a_plan_tells_what_makes_the_difference_SCH_507(void **state)
{
    (void)state;
    PLAN p = plan_yaml_bare(TYPES(BURSTABLE) POOL POD("p", "", CPU("1")) POD("q", "", CPU("1")),
                            LOWEST ", NODE_COST: '0.02'");
    const struct plan_claim *claim = claim_of(p.plan, "p");
    assert_int_equal(claim->price, 80000000);
    assert_int_equal(claim->costs.list, 80000000);
    assert_int_equal(claim->costs.burst, 30000000);
    assert_int_equal(claim->costs.allowance, 20000000);
    assert_int_equal(plan_costs_sum(&p.plan->costs), 130000000);
    assert_true(p.plan->lower_bound <= 130000000);
    assert_true(p.plan->lower_bound > 100000000); // credits are part of the bound
    char *json = plan_json(p.plan);
    assert_non_null(strstr(json, "\"effectivePrice\": 0.13"));
    assert_non_null(strstr(json, "\"effectivePricePerHour\": 0.13"));
    assert_non_null(strstr(json, "\"burstCredits\": 0.0"));
    free(json);
    PLAN plain = plan_yaml_bare(TYPES(STEADY) POOL POD("p", "", CPU("1")), LOWEST);
    json = plan_json(plain.plan);
    assert_null(strstr(json, "effective"));
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_allowance_covers_volumes_and_addresses_SCH_507),
        cmocka_unit_test(interruptions_count_for_spot_SCH_507),
        cmocka_unit_test(surplus_credits_count_beyond_the_baseline_SCH_507),
        cmocka_unit_test(burstable_types_count_with_their_credits_SCH_507),
        cmocka_unit_test(interruptions_decide_between_equal_spot_prices_SCH_507),
        cmocka_unit_test(volumes_make_nodes_few_SCH_507),
        cmocka_unit_test(a_plan_tells_what_makes_the_difference_SCH_507),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
