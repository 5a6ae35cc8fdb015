// NodeOverlays, CapacityBuffers, several pools and catalogs (SCH-400 to 414, FMT-6).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"

#define GATES(list) "FEATURE_GATES: '" list "'"
#define OVERLAY(name, spec)                                                         \
    "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: " name \
    "}, spec: {" spec "}}\n---\n"
#define ON(type) \
    "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" type "]}], "

static int64_t price_of(const struct plan_claim *claim, const char *type)
{
    list_for_each (item, &claim->types)
        if (strcmp(item->instance_type->name, type) == 0)
            return item->price;
    return -1;
}

static void overlays_change_prices_SCH_405_406(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL OVERLAY("o1", ON("small") "price: '0.5'")
                           OVERLAY("o2", ON("medium") "priceAdjustment: '-50%'")
                               OVERLAY("o3", ON("large") "priceAdjustment: '+0.1'")
                                   OVERLAY("o4", ON("arm") "priceAdjustment: '-9'")
                                       POD("a", "", CPU("1")),
                       GATES("NodeOverlay=true"));
    const struct plan_claim *claim = claim_of(p.plan, "a");
    assert_int_equal(price_of(claim, "small"), 500000000);
    assert_int_equal(price_of(claim, "medium"), 40000000);
    assert_int_equal(price_of(claim, "large"), 420000000);
    assert_int_equal(price_of(claim, "arm"), 0);
    assert_string_equal(claim->types.items[0].instance_type->name, "arm");
    assert_string_equal(string_map_get(&claim->annotations, "karpenter.sh/price-overlay-applied"),
                        "true");
    PLAN q = plan_yaml(POOL OVERLAY("o1", ON("small") "price: '0.5'") POD("a", "", CPU("1")), NULL);
    assert_int_equal(price_of(claim_of(q.plan, "a"), "small"), 40000000); // the gate is off
}

static void heavier_overlays_win_and_equal_ones_conflict_SCH_401_404(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL OVERLAY("o1", ON("small") "price: '0.5', weight: 10")
                      OVERLAY("o2", ON("small") "price: '0.6', weight: 20") POD("a", "", CPU("1")),
                  GATES("NodeOverlay=true"));
    assert_int_equal(price_of(claim_of(p.plan, "a"), "small"), 600000000);
    PLAN q = plan_yaml(POOL OVERLAY("o1", ON("small") "price: '0.5'")
                           OVERLAY("o2", ON("small") "price: '0.6'") POD("a", "", CPU("1")),
                       GATES("NodeOverlay=true"));
    assert_int_equal(price_of(claim_of(q.plan, "a"), "small"), 600000000); // the later name
}

static void overlays_add_capacity_SCH_405_407(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL OVERLAY("o1", ON("small") "capacity: {example.com/fpga: '1'}") POD(
            "a", "",
            "containers: [{name: c, image: i, resources: {requests: {example.com/fpga: '1'}}}]"),
        GATES("NodeOverlay=true"));
    assert_int_equal(claim_of(p.plan, "a")->types.count, 1);
    assert_string_equal(string_map_get(&claim_of(p.plan, "a")->annotations,
                                       "karpenter.sh/capacity-overlay-applied"),
                        "true");
    PLAN q =
        plan_yaml(POOL OVERLAY("o1", ON("small") "capacity: {cpu: '64'}") POD("a", "", CPU("32")),
                  GATES("NodeOverlay=true"));
    assert_non_null(unplaced(q.plan, "a")); // an overlay cannot change cpu (SCH-402)
}

static void overlays_match_labels_of_the_pool_SCH_403(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL OVERLAY(
            "o1",
            "requirements: [{key: karpenter.sh/nodepool, operator: In, values: [pool]}, {key: "
            "karpenter.sh/capacity-type, operator: In, values: [spot]}], price: '0.001'")
            OVERLAY(
                "o2",
                "requirements: [{key: undefined.example.com/key, operator: Exists}], price: '0'")
                POD("a", "", CPU("1")),
        GATES("NodeOverlay=true"));
    assert_int_equal(price_of(claim_of(p.plan, "a"), "gpu"), 1000000);
}

#define BUFFER                                                                                    \
    "{apiVersion: v1, kind: PodTemplate, metadata: {name: t}, template: {metadata: {labels: "     \
    "{app: b}}, spec: {" CPU(                                                                     \
        "3") "}}}\n---\n"                                                                         \
             "{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: " \
             "buf}, spec: {podTemplateRef: {name: t}, replicas: 2}}\n---\n"

static void buffers_keep_room_after_real_pods_SCH_34_410_LIF_244(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL BUFFER POD("a", "", CPU("1")), GATES("CapacityBuffer=true"));
    assert_int_equal(p.plan->pods_placed, 3);
    assert_non_null(claim_of(p.plan, "capacity-buffer-buf-1"));
    assert_non_null(claim_of(p.plan, "capacity-buffer-buf-2"));
    PLAN q = plan_yaml(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p}, spec: "
        "{limits: {nodes: '1'}, template: {spec: "
        "{nodeClassRef: {group: g, kind: C, name: c}}}}}\n---\n" BUFFER POD("a", "", CPU("15")),
        GATES("CapacityBuffer=true"));
    assert_non_null(claim_of(
        q.plan,
        "a")); // although smaller placeholders would sort behind it anyway, and larger before
    assert_int_equal(q.plan->unschedulable.count, 2);
    PLAN r = plan_yaml(POOL BUFFER POD("a", "", CPU("1")), NULL);
    assert_int_equal(r.plan->pods_placed, 1);
}

static void catalogs_serve_the_pools_they_name_FMT_6(void **state)
{
    (void)state;
#define TYPES(name, pools, type)                                                                 \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: " name "}, spec: {" pools \
    "instanceTypes: [{name: " type                                                               \
    ", capacity: {cpu: '2', memory: 4Gi, pods: '9'}, offerings: [{price: 1, available: true, "   \
    "requirements: [{key: topology.kubernetes.io/zone, operator: In, "                           \
    "values: [a]}, {key: karpenter.sh/capacity-type, operator: In, values: "                     \
    "[on-demand]}]}]}]}}\n---\n"
    PLAN p =
        plan_yaml_bare(TYPES("c1", "nodePools: [pool], ", "own") TYPES("c2", "", "shared") POOL
                       "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: other, uid: "
                       "o}, spec: {weight: 1, template: {spec: {nodeClassRef: "
                       "{group: g, kind: C, name: c}}}}}\n---\n" POD(
                           "a", "", "nodeSelector: {karpenter.sh/nodepool: pool}, " CPU("1"))
                           POD("b", "", "nodeSelector: {karpenter.sh/nodepool: other}, " CPU("1")),
                       NULL);
    assert_string_equal(claim_of(p.plan, "a")->types.items[0].instance_type->name, "own");
    assert_string_equal(claim_of(p.plan, "b")->types.items[0].instance_type->name, "shared");
}

static void offerings_may_override_capacity_SCH_118_236(void **state)
{
    (void)state;
    PLAN p = plan_yaml_bare(
        "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: c}, spec: "
        "{instanceTypes: [{name: t, capacity: {cpu: '2', "
        "memory: 4Gi, pods: '9'}, offerings: [{price: 1, available: true, requirements: [{key: "
        "topology.kubernetes.io/zone, operator: In, "
        "values: [a]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}, "
        "{price: 2, available: true, capacityOverride: "
        "{cpu: '8'}, requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [b]}, "
        "{key: karpenter.sh/capacity-type, "
        "operator: In, values: [on-demand]}]}]}]}}\n---\n" POOL POD("a", "", CPU("5"))
            POD("b", "", "nodeSelector: {topology.kubernetes.io/zone: a}, " CPU("6")),
        NULL);
    assert_non_null(claim_of(p.plan, "a"));
    assert_int_equal(claim_of(p.plan, "a")->types.count, 1);
    assert_non_null(unplaced(p.plan, "b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlays_change_prices_SCH_405_406),
        cmocka_unit_test(heavier_overlays_win_and_equal_ones_conflict_SCH_401_404),
        cmocka_unit_test(overlays_add_capacity_SCH_405_407),
        cmocka_unit_test(overlays_match_labels_of_the_pool_SCH_403),
        cmocka_unit_test(buffers_keep_room_after_real_pods_SCH_34_410_LIF_244),
        cmocka_unit_test(catalogs_serve_the_pools_they_name_FMT_6),
        cmocka_unit_test(offerings_may_override_capacity_SCH_118_236),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
