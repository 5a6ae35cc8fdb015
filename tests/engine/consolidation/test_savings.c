// Costs and savings of a consolidation (section 21.4 of the disruption rules); with
// COMPATIBILITY=upstream as upstream.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/duration.h"
#include "engine/consolidation/payback.h"
#include "engine/disruption/disrupt_fixture.h"
#include "engine/disruption/disruption.h"

#define ON_DEMAND_ONLY \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "
#define OFFERING(price, zone, capacity_type)                          \
    "    - {price: " price ", available: true, requirements: [{key: " \
    "topology.kubernetes.io/zone, operator: In, values: [" zone       \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: [" capacity_type "]}]}\n"

static void add_catalog(struct text *world)
{
    text_add(world, "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: types}\n"
                    "spec:\n  instanceTypes:\n");
}

// Of 16 cpu by default.
static void add_type(struct text *world, const char *name, const char *cpu, const char *offerings)
{
    text_format(world,
                "  - name: %s\n    requirements:\n    - {key: kubernetes.io/arch, operator: In, "
                "values: [amd64]}\n    - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
                "    capacity: {cpu: '%s', memory: 64Gi, pods: '100'}\n    offerings:\n%s",
                name, cpu != NULL ? cpu : "16", offerings);
}

static struct plan_fixture decide(struct text *world, const char *method, const char *settings,
                                  const struct disruption_inputs *inputs)
{
    const struct plan_options options = {.disrupt = true,
                                         .verdicts = true,
                                         .methods = disruption_methods_of(method_of(method)),
                                         .inputs = inputs};
    struct plan_fixture fixture = plan_yaml_bare_with(world->data, settings, &options);
    text_free(world);
    return fixture;
}

// The verdict about node x starts with the text.
static void assert_said(const struct plan *plan, const char *expected)
{
    const char *verdict = verdict_about(plan, "x");
    assert_non_null(verdict);
    assert_memory_equal(verdict, expected, strlen(expected));
}

// --- the break-even horizon ----------------------------------------------------------------------

struct bargain { // a node of 0.1 USD an hour and its possible replacement
    const char *price, *claim_spec, *settings;
    int64_t overlap_ns;
    bool elsewhere; // another node has room for the pod
};

static struct plan_fixture decide_bargain(struct bargain bargain)
{
    struct text world = {0}, offering = {0};
    text_format(&offering, OFFERING("%s", "a", "on-demand"), bargain.price);
    add_catalog(&world);
    add_type(&world, "old", NULL, OFFERING("0.1", "a", "on-demand"));
    add_type(&world, "new", NULL, offering.data);
    text_free(&offering);
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
    add_node(&world,
             (struct test_node){.name = "x", .type = "old", .claim_spec = bargain.claim_spec});
    if (bargain.elsewhere)
        add_node(&world, (struct test_node){.name = "z", .unmanaged = true});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
    const struct disruption_inputs inputs = {.overlap_ns = bargain.overlap_ns};
    return decide(&world, "single", bargain.settings, &inputs);
}

static void a_move_earns_back_what_it_costs_DIS_747(void **state)
{
    (void)state;
    PLAN cent = decide_bargain((struct bargain){.price = "0.099", .overlap_ns = 5 * MINUTE});
    assert_disrupts(cent.plan, "");
    assert_string_equal(note_about(cent.plan, "x"),
                        "The move would earn back its cost in 8.3 h > 4 h (saves $0.001 an hour, "
                        "costs $0.00833)");
    assert_said(cent.plan, "DIS-747: The move would earn back its cost in 8.3 h > 4 h");
    PLAN half = decide_bargain((struct bargain){.price = "0.05", .overlap_ns = 5 * MINUTE});
    assert_disrupts(half.plan, "Underutilized/single: x -> new on-demand -");
    // Two minutes of overlap if none were observed: 0.0033 USD, in 3.3 h.
    PLAN usual = decide_bargain((struct bargain){.price = "0.099"});
    assert_disrupts(usual.plan, "Underutilized/single: x -> new on-demand -");
}

static void the_horizon_is_a_setting_DIS_747(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        bool taken;
    } cases[] = {
        {"CONSOLIDATION_HORIZON: 9h", true},
        {"CONSOLIDATION_HORIZON: '0'", true},
        {UPSTREAM, true},
        {UPSTREAM ", CONSOLIDATION_HORIZON: 4h", false}, // an explicit setting wins (FMT-18)
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        PLAN p = decide_bargain((struct bargain){
            .price = "0.099", .overlap_ns = 5 * MINUTE, .settings = cases[i].settings});
        assert_disrupts(p.plan, cases[i].taken ? "Underutilized/single: x -> new on-demand -" : "");
    }
}

static void evictions_may_have_a_price_DIS_747(void **state)
{
    (void)state;
    // 0.05 USD an hour for four hours.
    PLAN cheap = decide_bargain(
        (struct bargain){.price = "0.05", .settings = "DISRUPTION_COST_PER_POD: '0.19'"});
    assert_disrupts(cheap.plan, "Underutilized/single: x -> new on-demand -");
    PLAN dear = decide_bargain(
        (struct bargain){.price = "0.05", .settings = "DISRUPTION_COST_PER_POD: '0.2'"});
    assert_disrupts(dear.plan, "");
    // A deletion saves 0.1 USD an hour.
    PLAN deleted = decide_bargain((struct bargain){
        .price = "0.1", .elsewhere = true, .settings = "DISRUPTION_COST_PER_POD: '0.39'"});
    assert_disrupts(deleted.plan, "Underutilized/single: x");
    PLAN kept = decide_bargain((struct bargain){
        .price = "0.1", .elsewhere = true, .settings = "DISRUPTION_COST_PER_POD: '0.41'"});
    assert_disrupts(kept.plan, "");
    assert_said(kept.plan, "DIS-747: ");
}

static void a_deletion_has_no_overlap_DIS_747(void **state)
{
    (void)state;
    PLAN p = decide_bargain(
        (struct bargain){.price = "0.1", .elsewhere = true, .overlap_ns = 100 * HOUR});
    assert_disrupts(p.plan, "Underutilized/single: x");
}

// The node was created 31 days before.
static void what_is_saved_counts_until_the_node_expires_DIS_747(void **state)
{
    (void)state;
    PLAN late = decide_bargain((struct bargain){
        .price = "0.05", .overlap_ns = 5 * MINUTE, .claim_spec = "expireAfter: 744h5m"});
    assert_disrupts(late.plan, "");
    assert_said(late.plan, "DIS-747: The move would earn back its cost in 0.17 h > 0.083 h");
    PLAN early = decide_bargain((struct bargain){
        .price = "0.05", .overlap_ns = 5 * MINUTE, .claim_spec = "expireAfter: 744h15m"});
    assert_disrupts(early.plan, "Underutilized/single: x -> new on-demand -");
}

static void young_clusters_tell_nothing_of_how_long_nodes_live_DIS_747(void **state)
{
    (void)state;
    int64_t ages[] = {3 * HOUR, 9 * HOUR, HOUR, 2 * HOUR, 10 * HOUR};
    assert_int_equal(payback_typical_life(ages, 5, 100 * HOUR, 4 * HOUR), 6 * HOUR);
    assert_int_equal(payback_typical_life(ages, 5, 7 * HOUR, 4 * HOUR), INT64_MAX);
    assert_int_equal(payback_typical_life(ages, 4, 100 * HOUR, 4 * HOUR), INT64_MAX);
    int64_t new[] = {MINUTE, MINUTE, MINUTE, MINUTE, MINUTE};
    assert_int_equal(payback_typical_life(new, 5, 100 * HOUR, 4 * HOUR), HOUR);
}

static void nodes_that_live_briefly_have_less_time_DIS_747(void **state)
{
    (void)state;
    for (int briefly = 0; briefly < 2; briefly++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "old", NULL, OFFERING("0.1", "a", "on-demand"));
        add_type(&world, "new", NULL, OFFERING("0.0985", "a", "on-demand"));
        text_format(&world,
                    "---\n{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, "
                    "uid: u, creationTimestamp: '2025-06-01T00:00:00Z'}, spec: {disruption: "
                    "{budgets: [{nodes: 100%%}], consolidateAfter: 0s, consolidationPolicy: "
                    "WhenEmptyOrUnderutilized}, template: {spec: {nodeClassRef: {group: g, kind: "
                    "Class, name: c}}}}}\n---\n");
        add_node(&world, (struct test_node){.name = "x", .type = "old"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
        for (int i = 0; i < 4; i++)
            text_format(&world,
                        "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c%d, uid: "
                        "c%d, creationTimestamp: '2025-12-31T%s:00:00Z', labels: "
                        "{karpenter.sh/nodepool: pool}}, spec: {nodeClassRef: {group: g, kind: "
                        "Class, name: c}}, status: {providerID: 'c:%d', conditions: [{type: "
                        "Launched, status: 'True', reason: r, message: '', lastTransitionTime: "
                        "'2025-12-31T00:00:00Z'}]}}\n---\n",
                        i, i, briefly ? "23" : "20", i);
        // 2.2 hours to earn back 0.0033 USD; the nodes live for two hours, or for eight.
        PLAN p = decide(&world, "single", NULL, NULL);
        assert_disrupts(p.plan, briefly ? "" : "Underutilized/single: x -> new on-demand -");
    }
}

// --- unknown prices ------------------------------------------------------------------------------

// The type is offered in zone b only; the node is in zone a.
static void a_price_that_is_not_known_is_said_to_be_DIS_743(void **state)
{
    (void)state;
    for (int elsewhere = 0; elsewhere < 2; elsewhere++)
        for (int upstream = 0; upstream < 2; upstream++) {
            struct text world = {0};
            add_catalog(&world);
            add_type(&world, "old", NULL, OFFERING("0.5", "b", "on-demand"));
            add_type(&world, "new", NULL, OFFERING("0.1", "a", "on-demand"));
            text_add(&world, "---\n");
            add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
            add_node(&world, (struct test_node){.name = "x", .type = "old"});
            if (elsewhere)
                add_node(&world, (struct test_node){.name = "z", .unmanaged = true});
            add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
            PLAN p = decide(&world, "single", upstream ? UPSTREAM : NULL, NULL);
            assert_disrupts(p.plan, elsewhere ? "Underutilized/single: x" : "");
            if (elsewhere)
                continue;
            assert_string_equal(note_about(p.plan, "x"), upstream
                                                             ? "Can't replace with a cheaper node"
                                                             : "price of old in a unknown");
            if (!upstream)
                assert_said(p.plan, "DIS-743: price of old in a unknown");
        }
}

static void deletions_of_unknown_worth_come_last_DIS_743(void **state)
{
    (void)state;
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "old", NULL, OFFERING("0.5", "b", "on-demand"));
    text_add(&world, "---\n");
    add_pool(&world,
             (struct test_pool){.disruption = "budgets: [{nodes: '1'}], consolidateAfter: 0s, "
                                              "consolidationPolicy: WhenEmptyOrUnderutilized"});
    add_node(&world, (struct test_node){.name = "a", .type = "old"});
    add_node(&world, (struct test_node){.name = "b", .type = "old", .zone = "b"});
    add_node(&world, (struct test_node){.name = "z", .unmanaged = true});
    add_pod(&world, (struct test_pod){.name = "p", .node = "a"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "b"});
    add_pod(&world, (struct test_pod){.name = "r", .node = "b"});
    PLAN p = decide(&world, NULL, NULL, NULL);
    assert_disrupts(p.plan, "Underutilized/single: b");
}

// --- spot ----------------------------------------------------------------------------------------

// Two spot types cost less than the node's.
static struct plan_fixture decide_spot_with(const char *cheap, const char *settings,
                                            const struct disruption_inputs *inputs)
{
    struct text world = {0}, offering = {0}, all = {0};
    text_format(&offering, OFFERING("%s", "a", "spot"), cheap);
    add_catalog(&world);
    add_type(&world, "old", NULL, OFFERING("0.1", "a", "spot"));
    add_type(&world, "one", NULL, offering.data);
    add_type(&world, "two", NULL, offering.data);
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x", .type = "old", .capacity_type = "spot"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
    text_format(&all, SPOT_TO_SPOT "%s", settings);
    struct plan_fixture fixture = decide(&world, "single", all.data, inputs);
    text_free(&offering);
    text_free(&all);
    return fixture;
}

static struct plan_fixture decide_spot(const char *cheap, const char *settings)
{
    return decide_spot_with(cheap, settings, NULL);
}

static void few_spot_types_will_do_where_much_is_saved_DIS_751(void **state)
{
    (void)state;
    PLAN much = decide_spot("0.07", "");
    assert_disrupts(much.plan, "Underutilized/single: x -> one,two spot -");
    PLAN little = decide_spot("0.071", "");
    assert_disrupts(little.plan, "");
    assert_said(little.plan,
                "DIS-751: SpotToSpotConsolidation requires 15 cheaper instance type options than "
                "the current candidate to consolidate, got 2; with fewer it must save 30%, and "
                "would save 29%");
    PLAN upstream = decide_spot("0.01", ", " UPSTREAM);
    assert_disrupts(upstream.plan, "");
    PLAN strict = decide_spot("0.01", ", SPOT_MIN_TYPES: '3'");
    assert_disrupts(strict.plan, "");
    assert_said(strict.plan, "DIS-175: ");
    PLAN given = decide_spot("0.01", ", " UPSTREAM ", SPOT_MIN_TYPES: '2'");
    assert_disrupts(given.plan, "Underutilized/single: x -> one,two spot -");
}

// The pool's rate of interruptions and that of the new types, over all pools.
static void check_interrupted(const struct interruption_rate *rates, uint32_t count,
                              const char *refusal)
{
    const struct interruption_list list = {rates, count};
    const struct disruption_inputs inputs = {.interruptions = &list};
    PLAN p = decide_spot_with("0.05", "", &inputs);
    assert_disrupts(p.plan, refusal == NULL ? "Underutilized/single: x -> one,two spot -" : "");
    if (refusal != NULL)
        assert_said(p.plan, refusal);
    PLAN upstream = decide_spot_with("0.05", ", " UPSTREAM ", SPOT_MIN_TYPES: '15'", &inputs);
    assert_disrupts(upstream.plan, "");
}

static void few_spot_types_will_not_do_where_machines_are_interrupted_DIS_751(void **state)
{
    (void)state;
    struct interruption_rate rates[] = {{"other", "one", 2, 200 * 3600},
                                        {"other", "unasked", 99, 3600},
                                        {"pool", "old", 2, 100 * 3600}};
    static const char refusal[] =
        "DIS-751: SpotToSpotConsolidation requires 15 cheaper instance type options than the "
        "current candidate to consolidate, got 2; spot machines of the NodePool were interrupted 2 "
        "times in 100 machine-hours of the last 7 days, those types 2 times in 200";
    check_interrupted(rates, 0, NULL);
    check_interrupted(rates, 3, refusal);
    rates[0].interruptions = 4; // equally often
    check_interrupted(rates, 3, NULL);
    check_interrupted(&rates[2], 1, "DIS-751: "); // that rate is unknown
    rates[2].interruptions = 0;
    check_interrupted(rates, 3, NULL);
}

// For spot the mean counts, not the cheapest: 0.06 of 0.01 and 0.11.
static void spot_is_expected_to_cost_the_mean_DIS_742(void **state)
{
    (void)state;
    for (int enough = 0; enough < 2; enough++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "old", NULL, OFFERING("0.12", "a", "on-demand"));
        add_type(&world, "new", NULL, OFFERING("0.01", "a", "spot") OFFERING("0.11", "b", "spot"));
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "x", .type = "old"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
        // 0.06 USD an hour for four hours.
        PLAN p = decide(
            &world, "single",
            enough ? "DISRUPTION_COST_PER_POD: '0.23'" : "DISRUPTION_COST_PER_POD: '0.25'", NULL);
        assert_disrupts(p.plan, enough ? "Underutilized/single: x -> new spot -" : "");
    }
}

// The node's type was as cheap as its possible replacement was expensive. DIS-179 keeps the type
// without spot in the list; it cannot be launched and has no price.
static void a_type_that_cannot_be_launched_has_no_price_DIS_742_FMT_11(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "old", NULL, OFFERING("1.0", "a", "on-demand"));
        add_type(&world, "steady", "4", OFFERING("0.3", "a", "on-demand"));
        add_type(&world, "fickle", "4", OFFERING("0.5", "a", "spot"));
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "x", .type = "old"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
        PLAN p = decide(&world, "single", upstream ? UPSTREAM : NULL, NULL);
        assert_disrupts(p.plan, "Underutilized/single: x -> steady,fickle spot -");
        const struct plan_disruption *command = &p.plan->disruptions.items[0];
        assert_int_equal(command->replacements.items[0].price, 500000000);
        // Upstream treats the first type as free (DIS-193).
        assert_int_equal(command->savings, upstream ? 1000000000 : 500000000);
    }
}

static void spot_prices_of_the_last_hours_count_DIS_750(void **state)
{
    (void)state;
    static const struct {
        int64_t old_lowest, new_highest; // 0.001 USD
        const char *expected;
    } cases[] = {
        {95, 63, "Underutilized/single: x -> new spot -"},
        {95, 66, "Underutilized/single: x -> new spot -"},
        {70, 66, ""},  // a fluctuation of the node's own price
        {95, 105, ""}, // or of the other's
        {100, 60, "Underutilized/single: x -> new spot -"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "old", NULL, OFFERING("0.1", "a", "spot"));
        add_type(&world, "new", NULL, OFFERING("0.06", "a", "spot"));
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "x", .type = "old", .capacity_type = "spot"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
        struct spot_price prices[] = {{"new", "a", 60000000, cases[i].new_highest * 1000000},
                                      {"old", "a", cases[i].old_lowest * 1000000, 110000000}};
        const struct spot_price_list list = {prices, ARRAY_LENGTH(prices)};
        const struct disruption_inputs inputs = {.spot_prices = &list};
        PLAN p = decide(&world, "single", SPOT_TO_SPOT, &inputs);
        assert_disrupts(p.plan, cases[i].expected);
    }
}

// --- costs ---------------------------------------------------------------------------------------

static void add_job_pod(struct text *world, const char *name, const char *node, const char *started,
                        const char *deletion_cost)
{
    text_format(world,
                "{apiVersion: v1, kind: Pod, metadata: {name: %s, uid: uid-%s, annotations: {%s}, "
                "ownerReferences: [{apiVersion: batch/v1, kind: Job, name: job, uid: j, "
                "controller: true}]}, spec: {nodeName: %s, containers: [{name: c, image: i, "
                "resources: {requests: {cpu: '1'}}}]}, status: {phase: Running, startTime: "
                "'%s'}}\n---\n",
                name, name, deletion_cost, node, started);
}

static void what_a_job_has_done_counts_DIS_757(void **state)
{
    (void)state;
    static const struct {
        const char *started;
        double expected;
    } cases[] = {{"2026-01-01T00:00:00Z", 1},
                 {"2025-12-31T23:30:00Z", 1.5},
                 {"2025-12-31T21:00:00Z", 4},
                 {"2025-12-01T00:00:00Z", 10}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        for (int upstream = 0; upstream < 2; upstream++) {
            struct text world = {0};
            add_pool(&world, (struct test_pool){0});
            add_node(&world, (struct test_node){.name = "x"});
            add_job_pod(&world, "p", "x", cases[i].started, "");
            PLAN p = disrupt(&world, "emptiness", upstream ? UPSTREAM : NULL);
            CLEANUP_ARENA struct arena *arena = arena_create(4096);
            const struct candidate_options options = {.reason = DISRUPTION_UNDERUTILIZED};
            struct candidate_table table = candidates_build(arena, p.snapshot, &options);
            assert_int_equal(table.candidates.count, 1);
            double expected = upstream ? 1 : cases[i].expected;
            assert_true(table.candidates.items[0].cost == 1.0 + expected);
            assert_disrupts(p.plan, "");
        }
}

static void a_node_is_as_empty_whatever_its_jobs_have_done_DIS_757_DIS_57(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x"});
    add_job_pod(&world, "p", "x", "2025-12-31T12:00:00Z",
                "controller.kubernetes.io/pod-deletion-cost: '-134217728'");
    PLAN p = disrupt(&world, "emptiness", NULL);
    assert_disrupts(p.plan, "Empty/empty: x");
}

static void what_lately_began_goes_rather_than_what_has_long_run_DIS_757(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world,
             (struct test_pool){.disruption = "budgets: [{nodes: '1'}], consolidateAfter: 0s, "
                                              "consolidationPolicy: WhenEmptyOrUnderutilized"});
    add_node(&world, (struct test_node){.name = "a"});
    add_node(&world, (struct test_node){.name = "b"});
    add_job_pod(&world, "p", "a", "2025-12-31T15:00:00Z", "");
    add_job_pod(&world, "q", "b", "2025-12-31T23:55:00Z", "");
    PLAN p = disrupt(&world, NULL, NULL);
    assert_disrupts(p.plan, "Underutilized/single: b");
}

// A node with a static pod costs a Balanced pool the same whether or not it may be disrupted.
static void a_condition_changes_no_score_DIS_754(void **state)
{
    (void)state;
    double cost[2];
    for (int blocked = 0; blocked < 2; blocked++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.disruption = "consolidateAfter: 0s, "
                                                          "consolidationPolicy: Balanced"});
        add_node(&world, (struct test_node){
                             .name = "x",
                             .annotations = blocked ? "karpenter.sh/do-not-disrupt: 'true'" : ""});
        add_pod(&world, (struct test_pod){.name = "m", .node = "x", .owner = "Node"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
        add_pod(&world, (struct test_pod){.name = "q",
                                          .node = "x",
                                          .meta = "deletionTimestamp: '2026-01-01T00:00:00Z', "});
        PLAN p = disrupt(&world, "single", NULL);
        CLEANUP_ARENA struct arena *arena = arena_create(4096);
        const struct candidate_options options = {.reason = DISRUPTION_UNDERUTILIZED};
        struct candidate_table table = candidates_build(arena, p.snapshot, &options);
        assert_int_equal(table.candidates.count, !blocked);
        cost[blocked] = table.pools.items[0].balanced_cost;
    }
    assert_true(cost[0] == 2.0 && cost[1] == 2.0);
}

// A drifted node's replacement is one that consolidation would keep.
static void drift_replaces_by_what_would_stay_DIS_756(void **state)
{
    (void)state;
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "huge", "64", OFFERING("3.2", "a", "on-demand"));
    add_type(&world, "six", "6", OFFERING("0.3", "a", "on-demand"));
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
    add_node(&world,
             (struct test_node){
                 .name = "x", .type = "huge", .cpu = "64", .drifted = "2025-12-20T00:00:00Z"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x", .cpu = "4500m"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "x", .cpu = "4500m"});
    PLAN p = decide(&world, "drift", "PACKING_POLICY: LowestPrice", NULL);
    assert_disrupts(p.plan, "Drifted/none: x -> six,huge on-demand - -> six,huge on-demand -");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_earns_back_what_it_costs_DIS_747),
        cmocka_unit_test(the_horizon_is_a_setting_DIS_747),
        cmocka_unit_test(evictions_may_have_a_price_DIS_747),
        cmocka_unit_test(a_deletion_has_no_overlap_DIS_747),
        cmocka_unit_test(what_is_saved_counts_until_the_node_expires_DIS_747),
        cmocka_unit_test(young_clusters_tell_nothing_of_how_long_nodes_live_DIS_747),
        cmocka_unit_test(nodes_that_live_briefly_have_less_time_DIS_747),
        cmocka_unit_test(a_price_that_is_not_known_is_said_to_be_DIS_743),
        cmocka_unit_test(deletions_of_unknown_worth_come_last_DIS_743),
        cmocka_unit_test(few_spot_types_will_do_where_much_is_saved_DIS_751),
        cmocka_unit_test(few_spot_types_will_not_do_where_machines_are_interrupted_DIS_751),
        cmocka_unit_test(spot_is_expected_to_cost_the_mean_DIS_742),
        cmocka_unit_test(a_type_that_cannot_be_launched_has_no_price_DIS_742_FMT_11),
        cmocka_unit_test(spot_prices_of_the_last_hours_count_DIS_750),
        cmocka_unit_test(what_a_job_has_done_counts_DIS_757),
        cmocka_unit_test(a_node_is_as_empty_whatever_its_jobs_have_done_DIS_757_DIS_57),
        cmocka_unit_test(what_lately_began_goes_rather_than_what_has_long_run_DIS_757),
        cmocka_unit_test(a_condition_changes_no_score_DIS_754),
        cmocka_unit_test(drift_replaces_by_what_would_stay_DIS_756),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
