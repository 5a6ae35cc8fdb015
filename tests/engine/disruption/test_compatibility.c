// Differences from upstream's decisions (section 21 of the disruption rules); with
// COMPATIBILITY=upstream as upstream.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_fixture.h"

#define ON_DEMAND_ONLY \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "

// Two half-empty nodes, of which one can be removed.
static void add_two_nodes(struct text *world)
{
    add_node(world, (struct test_node){.name = "a"});
    add_node(world, (struct test_node){.name = "b"});
    add_pod(world, (struct test_pod){.name = "p", .node = "a"});
    add_pod(world, (struct test_pod){.name = "q", .node = "b", .cpu = "8"});
}

static void a_pod_that_has_no_place_anyway_stops_nobody_DIS_710(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){0});
        add_two_nodes(&world);
        add_node(&world, (struct test_node){.name = "going", .deleting = true});
        add_pod(&world, (struct test_pod){.name = "stuck", .node = "going", .cpu = "500"});
        PLAN p = disrupt(&world, "single", upstream ? UPSTREAM : NULL);
        assert_disrupts(p.plan, upstream ? "" : "Underutilized/single: a");
    }
}

static void nodes_for_pending_pods_are_not_the_candidates_DIS_711(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
        add_two_nodes(&world);
        add_pod(&world, (struct test_pod){.name = "pending", .cpu = "15800m"});
        PLAN p = disrupt(&world, "single", upstream ? UPSTREAM : NULL);
        assert_disrupts(p.plan, upstream ? "" : "Underutilized/single: a");
    }
}

static void deletions_need_no_pool_DIS_712(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.not_ready = true});
        add_two_nodes(&world);
        PLAN p = disrupt(&world, "single", upstream ? UPSTREAM : NULL);
        assert_disrupts(p.plan, upstream ? "" : "Underutilized/single: a");
    }
}

static void one_pinned_pod_does_not_spoil_a_merge_DIS_713(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
        for (int i = 0; i < 4; i++) {
            char name[8], pod[8];
            snprintf(name, sizeof name, "n%d", i);
            snprintf(pod, sizeof pod, "p%d", i);
            add_node(&world, (struct test_node){
                                 .name = name, .type = i == 0 ? "large" : "medium", .cpu = "600m"});
            add_pod(&world,
                    (struct test_pod){
                        .name = pod,
                        .node = name,
                        .cpu = "600m",
                        .spec = i == 0 ? "nodeSelector: {kubernetes.io/hostname: n0}, " : NULL});
        }
        PLAN p = disrupt(&world, "multi", upstream ? UPSTREAM : NULL);
        assert_disrupts(p.plan,
                        upstream ? "" : "Underutilized/multi: n1 n2 n3 -> small on-demand -");
    }
}

static void all_drifted_nodes_that_may_go_go_together_DIS_717(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: '10'}], "
                                                      "consolidateAfter: Never",
                                        .template = "requirements: [{key: "
                                                    "node.kubernetes.io/instance-type, operator: "
                                                    "In, values: [large]}], "});
    for (int i = 0; i < 20; i++) {
        char name[8], pod[8];
        snprintf(name, sizeof name, "n%02d", i);
        snprintf(pod, sizeof pod, "p%02d", i);
        add_node(&world,
                 (struct test_node){.name = name, .cpu = "8", .drifted = "2025-12-20T00:00:00Z"});
        add_pod(&world, (struct test_pod){.name = pod, .node = name, .cpu = "7900m"});
    }
    PLAN p = disrupt(&world, "drift", NULL);
    assert_int_equal(p.plan->disruptions.count, 1);
    assert_int_equal(p.plan->disruptions.items[0].candidates.count, 10);
    assert_int_equal(p.plan->disruptions.items[0].replacements.count, 5);
}

static void a_drifted_node_that_cannot_go_holds_back_nobody_DIS_717(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: '2'}], "
                                                      "consolidateAfter: Never"});
    static const char *const names[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        char pod[8];
        snprintf(pod, sizeof pod, "p%zu", i);
        add_node(&world, (struct test_node){.name = names[i], .drifted = "2025-12-20T00:00:00Z"});
        add_pod(&world,
                (struct test_pod){.name = pod, .node = names[i], .cpu = i == 0 ? "150" : "15"});
    }
    PLAN p = disrupt(&world, "drift", NULL);
    assert_disrupts(p.plan, "Drifted/none: b c -> large - - -> large - -");
}

static void replacements_are_packed_as_the_policy_says_DIS_717(void **state)
{
    (void)state;
    // Six mediums, with a pod of 3.9 cpu each, are cheaper than the large machines that hold four.
    int64_t price[2];
    for (int lowest = 0; lowest < 2; lowest++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
        for (int i = 0; i < 6; i++) {
            char name[8], pod[8];
            snprintf(name, sizeof name, "n%d", i);
            snprintf(pod, sizeof pod, "p%d", i);
            add_node(&world, (struct test_node){
                                 .name = name, .cpu = "5", .drifted = "2025-12-20T00:00:00Z"});
            add_pod(&world, (struct test_pod){.name = pod, .node = name, .cpu = "3900m"});
        }
        PLAN p = disrupt(&world, "drift", lowest ? "PACKING_POLICY: LowestPrice" : NULL);
        assert_int_equal(p.plan->disruptions.items[0].candidates.count, 6);
        price[lowest] = 0;
        list_for_each (claim, &p.plan->disruptions.items[0].replacements)
            price[lowest] += claim->price;
    }
    assert_int_equal(price[1], 1200000000); // six mediums
    assert_true(price[1] <= price[0]);
}

static void one_command_asks_no_more_than_a_budget_allows_DIS_760(void **state)
{
    (void)state;
    static const char *const methods[] = {"multi", "drift"};
    for (int allowed = 1; allowed < 3; allowed++)
        for (size_t m = 0; m < ARRAY_LENGTH(methods); m++) {
            struct text world = {0};
            add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
            for (int i = 0; i < 3; i++) {
                char name[8], pod[8];
                snprintf(name, sizeof name, "n%d", i);
                snprintf(pod, sizeof pod, "p%d", i);
                add_node(&world, (struct test_node){.name = name,
                                                    .type = "medium",
                                                    .cpu = "600m",
                                                    .drifted = "2025-12-20T00:00:00Z"});
                add_pod(&world, (struct test_pod){
                                    .name = pod, .node = name, .cpu = "600m", .labels = "app: a"});
            }
            text_format(&world,
                        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, "
                        "namespace: default, uid: b}, spec: {selector: {matchLabels: {app: a}}}, "
                        "status: {disruptionsAllowed: %d, currentHealthy: 1, desiredHealthy: 1, "
                        "expectedPods: 1}}\n---\n",
                        allowed);
            PLAN p = disrupt(&world, methods[m], NULL);
            if (m == 0)
                assert_disrupts(
                    p.plan, allowed == 1 ? "" : "Underutilized/multi: n0 n1 -> small on-demand -");
            else
                assert_int_equal(p.plan->disruptions.items[0].candidates.count, allowed);
        }
}

// --- prices by zone and capacity type ------------------------------------------------------------
static void add_type(struct text *world, const char *name, const char *offerings)
{
    text_format(world,
                "  - name: %s\n    requirements:\n    - {key: kubernetes.io/arch, operator: In, "
                "values: [amd64]}\n    - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
                "    capacity: {cpu: '16', memory: 64Gi, pods: '100'}\n    offerings:\n%s",
                name, offerings);
}
#define OFFERING(price, zone, capacity_type, available)                        \
    "    - {price: " price ", available: " available ", requirements: [{key: " \
    "topology.kubernetes.io/zone, operator: In, values: [" zone                \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: [" capacity_type "]}]}\n"

static struct plan_fixture one_node_at_half_a_dollar(const char *offerings, const char *settings)
{
    struct text world = {0};
    text_add(&world, "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: types}\n"
                     "spec:\n  instanceTypes:\n");
    add_type(&world, "old", OFFERING("0.5", "a", "on-demand", "false"));
    add_type(&world, "new", offerings);
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x", .type = "old"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
    return disrupt_bare(&world, "single", settings);
}

static void a_dear_zone_does_not_spoil_the_others_DIS_740_DIS_473(void **state)
{
    (void)state;
    const char *offerings = OFFERING("1.0", "a", "spot", "true")
        OFFERING("0.2", "b", "spot", "true") OFFERING("0.4", "c", "spot", "true");
    PLAN p = one_node_at_half_a_dollar(offerings, NULL);
    assert_disrupts(p.plan, "Underutilized/single: x -> new spot b,c");
    assert_int_equal(p.plan->disruptions.items[0].savings, 300000000);
    PLAN q = one_node_at_half_a_dollar(offerings, UPSTREAM);
    assert_disrupts(q.plan, "");
}

static void what_spot_cannot_give_on_demand_may_DIS_741(void **state)
{
    (void)state;
    const char *offerings =
        OFFERING("0.1", "a", "spot", "false") OFFERING("0.25", "a", "on-demand", "true");
    PLAN p = one_node_at_half_a_dollar(offerings, NULL);
    assert_disrupts(p.plan, "Underutilized/single: x -> new on-demand -");
    PLAN q = one_node_at_half_a_dollar(offerings, UPSTREAM);
    assert_disrupts(q.plan, "Underutilized/single: x -> new spot -"); // DIS-179: not launchable
    const char *dear_spot =
        OFFERING("0.7", "a", "spot", "true") OFFERING("0.25", "a", "on-demand", "true");
    PLAN r = one_node_at_half_a_dollar(dear_spot, NULL);
    assert_disrupts(r.plan, "Underutilized/single: x -> new on-demand -");
}

// Of three types that are cheap enough two are offered as spot; the pool requires three.
static void spot_alone_must_meet_min_values_DIS_168_DIS_741(void **state)
{
    (void)state;
    struct text world = {0};
    text_add(&world, "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: types}\n"
                     "spec:\n  instanceTypes:\n");
    add_type(&world, "old", OFFERING("0.5", "a", "on-demand", "false"));
    add_type(&world, "m1",
             OFFERING("0.1", "a", "spot", "true") OFFERING("0.2", "a", "on-demand", "true"));
    add_type(&world, "m2",
             OFFERING("0.1", "a", "spot", "true") OFFERING("0.2", "a", "on-demand", "true"));
    add_type(&world, "m3", OFFERING("0.2", "a", "on-demand", "true"));
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){
                         .template = "requirements: [{key: node.kubernetes.io/instance-type, "
                                     "operator: Exists, minValues: 3}], "});
    add_node(&world, (struct test_node){.name = "x", .type = "old"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
    PLAN p = disrupt_bare(&world, "single", NULL);
    assert_disrupts(p.plan, "Underutilized/single: x -> m1,m2,m3 on-demand -");
}

static void a_reserved_node_costs_what_its_own_reservation_does_DIS_744(void **state)
{
    (void)state;
    // Of two reservations of the zone the node holds the expensive one; spot lies between them.
#define RESERVED(price, id)                                                                   \
    "    - {price: " price ", available: true, reservationCapacity: 0, requirements: [{key: " \
    "topology.kubernetes.io/zone, operator: In, values: [a]}, {key: "                         \
    "karpenter.sh/capacity-type, operator: In, values: [reserved]}, {key: "                   \
    "example.com/reservation-id, operator: In, values: [" id "]}]}\n"
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        text_add(&world, "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: "
                         "types}\nspec:\n  instanceTypes:\n");
        add_type(&world, "t",
                 RESERVED("0.01", "r1") RESERVED("0.2", "r2") OFFERING("0.1", "a", "spot", "true"));
        text_add(&world, "---\n");
        add_pool(&world,
                 (struct test_pool){.template = "requirements: [{key: karpenter.sh/capacity-type, "
                                                "operator: In, values: [spot]}], "});
        add_node(&world,
                 (struct test_node){.name = "x",
                                    .type = "t",
                                    .capacity_type = "reserved, example.com/reservation-id: r2"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
        PLAN p = disrupt_bare(&world, "single", upstream ? UPSTREAM : NULL);
        assert_disrupts(p.plan, upstream ? "" : "Underutilized/single: x -> t spot -");
    }
}

// --- the order of the input ----------------------------------------------------------------------
static char *plan_of_ring(const char *method, uint32_t first, uint32_t step)
{
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_pool(&world, (struct test_pool){.name = "other"});
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t n = (first + i * step) % 12;
        char name[8], pod[8];
        snprintf(name, sizeof name, "n%02u", n);
        snprintf(pod, sizeof pod, "p%02u", n);
        add_node(&world, (struct test_node){.name = name,
                                            .pool = n % 3 == 0 ? "other" : "pool",
                                            .type = n % 2 == 0 ? "large" : "medium",
                                            .cpu = "2500m",
                                            .drifted = "2025-12-20T00:00:00Z"});
        add_pod(&world, (struct test_pod){.name = pod, .node = name});
    }
    PLAN p = disrupt(&world, method, NULL);
    assert_true(p.plan->disruptions.count > 0);
    return plan_json(p.plan);
}

static void the_order_of_the_input_does_not_matter_DIS_700_DIS_796(void **state)
{
    (void)state;
    static const char *const methods[] = {"drift", "multi", "single"};
    for (size_t m = 0; m < ARRAY_LENGTH(methods); m++) {
        char *expected = plan_of_ring(methods[m], 0, 1);
        for (uint32_t first = 1; first < 12; first++) {
            char *other = plan_of_ring(methods[m], first, first % 2 == 0 ? 5 : 7);
            assert_string_equal(other, expected);
            free(other);
        }
        free(expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pod_that_has_no_place_anyway_stops_nobody_DIS_710),
        cmocka_unit_test(nodes_for_pending_pods_are_not_the_candidates_DIS_711),
        cmocka_unit_test(deletions_need_no_pool_DIS_712),
        cmocka_unit_test(one_pinned_pod_does_not_spoil_a_merge_DIS_713),
        cmocka_unit_test(all_drifted_nodes_that_may_go_go_together_DIS_717),
        cmocka_unit_test(a_drifted_node_that_cannot_go_holds_back_nobody_DIS_717),
        cmocka_unit_test(replacements_are_packed_as_the_policy_says_DIS_717),
        cmocka_unit_test(one_command_asks_no_more_than_a_budget_allows_DIS_760),
        cmocka_unit_test(a_dear_zone_does_not_spoil_the_others_DIS_740_DIS_473),
        cmocka_unit_test(what_spot_cannot_give_on_demand_may_DIS_741),
        cmocka_unit_test(spot_alone_must_meet_min_values_DIS_168_DIS_741),
        cmocka_unit_test(the_order_of_the_input_does_not_matter_DIS_700_DIS_796),
        cmocka_unit_test(a_reserved_node_costs_what_its_own_reservation_does_DIS_744),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
