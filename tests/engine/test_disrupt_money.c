// What a consolidation costs and earns (section 21.4 of the disruption rules); with
// COMPATIBILITY=upstream as upstream.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/duration.h"
#include "engine/disrupt.h"
#include "engine/disrupt_fixture.h"
#include "engine/payback.h"

#define ON_DEMAND_ONLY \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "
#define OFFERING(price, zone, capacity_type)                                                     \
    "    - {price: " price ", available: true, requirements: [{key: "                            \
    "topology.kubernetes.io/zone, operator: In, values: [" zone                                  \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: [" capacity_type "]}]}\n"

static void add_catalogue(struct text *world)
{
    text_add(world, "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: types}\n"
                    "spec:\n  instanceTypes:\n");
}

// Of 16 cpu unless said otherwise.
static void add_type(struct text *world, const char *name, const char *cpu, const char *offerings)
{
    text_format(world,
                "  - name: %s\n    requirements:\n    - {key: kubernetes.io/arch, operator: In, "
                "values: [amd64]}\n    - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
                "    capacity: {cpu: '%s', memory: 64Gi, pods: '100'}\n    offerings:\n%s",
                name, cpu != NULL ? cpu : "16", offerings);
}

static struct plan_fixture decide(struct text *world, const char *method, const char *settings,
                                  const struct disrupt_inputs *inputs)
{
    const struct plan_options options = {
        .disrupt = true, .verdicts = true, .method = method, .inputs = inputs};
    struct plan_fixture fixture = plan_yaml_bare_with(world->data, settings, &options);
    text_free(world);
    return fixture;
}

// The verdict about node x begins so.
static void assert_said(const struct plan *plan, const char *expected)
{
    const char *verdict = verdict_about(plan, "x");
    assert_non_null(verdict);
    assert_memory_equal(verdict, expected, strlen(expected));
}

// --- the break-even horizon
// -----------------------------------------------------------------------

struct bargain { // a node of 0.1 USD an hour and what could be had instead
    const char *price, *claim_spec, *settings;
    int64_t overlap_ns;
    bool elsewhere; // another node has room for the pod
};

static struct plan_fixture decide_bargain(struct bargain bargain)
{
    struct text world = {0}, offering = {0};
    text_format(&offering, OFFERING("%s", "a", "on-demand"), bargain.price);
    add_catalogue(&world);
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
    const struct disrupt_inputs inputs = {.overlap_ns = bargain.overlap_ns};
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
        {UPSTREAM ", CONSOLIDATION_HORIZON: 4h", false}, // what is given by itself wins (FMT-18)
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
        add_catalogue(&world);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
