// New claims: types, prices, pools, limits, DaemonSets, taints (SCH-40 ff., 110 ff., 140 ff., 210
// ff., 235 ff., 360 ff.).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"

static void cheapest_type_comes_first_SCH_265_FMT_11(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL POD("a", "", CPU("1")), NULL);
    const struct plan_claim *claim = claim_of(p.plan, "a");
    assert_non_null(claim);
    assert_int_equal(claim->types.count, 5);
    assert_string_equal(claim->types.items[0].instance_type->name, "small");
    assert_int_equal(claim->types.items[0].price, 40000000);
    assert_int_equal(claim->price, 40000000);
    assert_int_equal(p.plan->price, 40000000);
    assert_string_equal(claim->types.items[4].instance_type->name, "gpu");
    for (uint32_t i = 1; i < claim->types.count; i++)
        assert_true(claim->types.items[i - 1].price <= claim->types.items[i].price);
}

static void a_claim_grows_as_far_as_a_type_goes_SCH_216(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL POD("a", "", CPU("3")) POD("b", "", CPU("3")) POD("c", "", CPU("3")), NULL);
    assert_int_equal(p.plan->claims.count, 1);
    assert_int_equal(p.plan->claims.items[0].types.count, 1);
    assert_true(claim_has_type(&p.plan->claims.items[0], "large"));
    assert_int_equal(resource_map_get(&p.plan->claims.items[0].requests, "cpu"), 9000);
    assert_int_equal(resource_map_get(&p.plan->claims.items[0].requests, "pods"), 3);
}

static void emptier_claims_are_tried_first_SCH_210(void **state)
{
    (void)state;
    // Two large pods open two claims; the small ones balance them.
    PLAN p = plan_yaml(POOL POD("a", "", CPU("15")) POD("b", "", CPU("15"))
                           POD("c", "", CPU("100m")) POD("d", "", CPU("100m")),
                       NULL);
    assert_int_equal(p.plan->claims.count, 2);
    assert_int_equal(p.plan->claims.items[0].pods.count, 2);
    assert_int_equal(p.plan->claims.items[1].pods.count, 2);
}

static void node_selector_and_affinity_narrow_the_claim_SCH_100(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "", "nodeSelector: {kubernetes.io/arch: arm64}, " CPU("1")) POD(
            "b", "",
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
            "{nodeSelectorTerms: "
            "[{matchExpressions: [{key: example.com/size, operator: Gt, values: ['4']}]}]}}}, " CPU(
                "1")),
        NULL);
    assert_int_equal(claim_of(p.plan, "a")->types.count, 1);
    assert_string_equal(claim_of(p.plan, "a")->types.items[0].instance_type->name, "arm");
    assert_int_equal(claim_of(p.plan, "b")->types.count, 2);
    assert_string_equal(claim_values(claim_of(p.plan, "b"), "example.com/size"), "5");
}

static void old_label_keys_work_SCH_62(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "", "nodeSelector: {failure-domain.beta.kubernetes.io/zone: c}, " CPU("1")),
        NULL);
    assert_string_equal(claim_values(claim_of(p.plan, "a"), "topology.kubernetes.io/zone"), "c");
    assert_int_equal(claim_of(p.plan, "a")->price, 100000000); // no spot there
}

static void later_terms_come_in_by_relaxation_SCH_486(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "",
                 "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                 "{nodeSelectorTerms: "
                 "[{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [mips]}]}, "
                 "{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: "
                 "[arm64]}]}]}}}, " CPU("1")),
        NULL);
    assert_string_equal(claim_of(p.plan, "a")->types.items[0].instance_type->name, "arm");
}

static void preferences_hold_until_they_cannot_SCH_486(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "",
                 "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: ["
                 "{weight: 50, preference: {matchExpressions: [{key: topology.kubernetes.io/zone, "
                 "operator: In, "
                 "values: [b]}]}}, {weight: 100, preference: {matchExpressions: [{key: "
                 "topology.kubernetes.io/zone, "
                 "operator: In, values: [nowhere]}]}}]}}, " CPU("1")),
        NULL);
    assert_string_equal(claim_values(claim_of(p.plan, "a"), "topology.kubernetes.io/zone"), "b");
}

static void preferences_can_be_ignored_SCH_102_166(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "",
                 "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: ["
                 "{weight: 50, preference: {matchExpressions: [{key: topology.kubernetes.io/zone, "
                 "operator: In, "
                 "values: [b]}]}}]}}, " CPU("1")),
        "PREFERENCE_POLICY: Ignore");
    assert_string_equal(claim_values(claim_of(p.plan, "a"), "topology.kubernetes.io/zone"), "-");
}

static void an_empty_term_selects_no_node_SCH_103(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL POD("a", "",
                           "affinity: {nodeAffinity: "
                           "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                           "[{}]}}}, " CPU("1")),
                  NULL);
    assert_non_null(unplaced(p.plan, "a"));
}

#define POOL_WITH(name, spec, template)                                                       \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: '" name "', uid: u-" name \
    "}, spec: {" spec                                                                         \
    "template: {spec: {nodeClassRef: {group: g, kind: Class, name: c}" template "}}}}\n---\n"

static void heavier_pools_win_then_later_names_SCH_42_487(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL_WITH("x", "weight: 20, ", "") POOL_WITH("y", "weight: 100, ", "")
                           POOL_WITH("z", "", "") POD("a", "", CPU("1")),
                       NULL);
    assert_string_equal(claim_of(p.plan, "a")->node_pool->meta.name, "y");
    PLAN q = plan_yaml(POOL_WITH("x", "", "") POOL_WITH("y", "", "") POD("a", "", CPU("1")), NULL);
    assert_string_equal(claim_of(q.plan, "a")->node_pool->meta.name, "y");
    PLAN r = plan_yaml(POOL_WITH("x", "", "") POOL_WITH("y", "weight: 9, ", "")
                           POD("a", "", "nodeSelector: {karpenter.sh/nodepool: x}, " CPU("1")),
                       NULL);
    assert_string_equal(claim_of(r.plan, "a")->node_pool->meta.name, "x");
}

static void unready_static_and_deleting_pools_launch_nothing_SCH_40_41(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: x, uid: x}, spec: "
        "{template: {spec: "
        "{nodeClassRef: {group: g, kind: C, name: c}}}}, status: {conditions: [{type: Ready, "
        "status: 'False', "
        "reason: R, message: m, lastTransitionTime: '2026-01-01T00:00:00Z'}]}}\n---\n" POOL_WITH(
            "y", "replicas: 2, ", "") POD("a", "", CPU("1")),
        NULL);
    assert_string_equal(unplaced(p.plan, "a")->message, "no dynamic nodepools found");
    assert_int_equal(p.plan->claims.count, 0);
}

static void untolerated_pools_are_passed_over_SCH_212_355(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL_WITH("x", "", ", taints: [{key: team, value: blue, effect: NoSchedule}]")
                      POD("a", "", CPU("1"))
                          POD("b", "", "tolerations: [{key: team, operator: Exists}], " CPU("1")),
                  NULL);
    assert_string_equal(unplaced(p.plan, "a")->message,
                        "did not tolerate taint (taint=team=blue:NoSchedule)");
    assert_int_equal(unplaced(p.plan, "a")->reasons.items[0].code, REASON_TAINT_NOT_TOLERATED);
    assert_non_null(claim_of(p.plan, "b"));
}

static void prefer_no_schedule_is_tolerated_last_SCH_160_165(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL_WITH("x", "", ", taints: [{key: team, value: blue, effect: PreferNoSchedule}]")
            POD("a", "", CPU("1")),
        NULL);
    assert_non_null(claim_of(p.plan, "a"));
    PLAN q = plan_yaml(
        POOL_WITH("x", "", "")
            POOL_WITH("y", "", ", taints: [{key: team, value: blue, effect: PreferNoSchedule}]")
                POD("a", "", CPU("1")),
        NULL);
    assert_string_equal(claim_of(q.plan, "a")->node_pool->meta.name, "x");
}

static void startup_taints_do_not_matter_SCH_212(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL_WITH("x", "", ", startupTaints: [{key: boot, effect: NoSchedule}]")
                           POD("a", "", CPU("1")),
                       NULL);
    assert_non_null(claim_of(p.plan, "a"));
}

static void limits_drop_types_and_count_nodes_SCH_360_363_488(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL_WITH("x", "limits: {cpu: '4'}, ", "") POD("a", "", CPU("1")), NULL);
    assert_int_equal(claim_of(p.plan, "a")->types.count, 3);
    PLAN q = plan_yaml(POOL_WITH("x", "limits: {cpu: '2'}, ", "") POD("a", "", CPU("2100m")), NULL);
    assert_non_null(
        strstr(unplaced(q.plan, "a")->message, "no instance type has enough resources"));
    PLAN r = plan_yaml(POOL_WITH("x", "limits: {cpu: '1'}, ", "") POD("a", "", CPU("500m")), NULL);
    assert_string_equal(unplaced(r.plan, "a")->message,
                        "all available instance types exceed limits for nodepool (NodePool=x)");
    // Each claim counts as a node within the pass.
    PLAN s = plan_yaml(POOL_WITH("x", "limits: {nodes: '1'}, ", "") POD("a", "", CPU("15"))
                           POD("b", "", CPU("15")),
                       NULL);
    assert_int_equal(s.plan->claims.count, 1);
    assert_string_equal(s.plan->unschedulable.items[0].message,
                        "node limits have been exhausted for nodepool (NodePool=x)");
}

static void too_big_a_pod_is_told_why_SCH_239_241(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL POD("a", "", CPU("17")), NULL);
    assert_string_equal(
        unplaced(p.plan, "a")->message,
        "no instance type has enough resources, requirements=g/class In [c], "
        "karpenter.sh/initialized In "
        "[true], karpenter.sh/nodepool In [pool], karpenter.sh/registered In [true], "
        "resources={\"cpu\":\"17\",\"pods\":\"1\"}");
    assert_int_equal(unplaced(p.plan, "a")->reasons.items[0].code, REASON_INSUFFICIENT_RESOURCES);
    PLAN q = plan_yaml(POOL POD("a", "", CPU("2000000")), NULL);
    assert_non_null(
        strstr(unplaced(q.plan, "a")->message, "} (CPU request >= 1 Million, m vs M typo?)"));
    PLAN r =
        plan_yaml(POOL POD("a", "", "nodeSelector: {kubernetes.io/arch: mips}, " CPU("1")), NULL);
    assert_true(strncmp(unplaced(r.plan, "a")->message,
                        "no instance type met all requirements, requirements=", 52) == 0);
    PLAN s = plan_yaml(POOL POD("a", "",
                                "nodeSelector: {topology.kubernetes.io/zone: c, "
                                "karpenter.sh/capacity-type: spot}, " CPU("1")),
                       NULL);
    assert_true(
        strncmp(unplaced(s.plan, "a")->message,
                "no instance type had enough resources or had a required offering, requirements=",
                79) == 0);
}

static void unknown_labels_are_hinted_at_SCH_80_495(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL POD("a", "", "nodeSelector: {zone: a}, " CPU("1")), NULL);
    assert_string_equal(
        unplaced(p.plan, "a")->message,
        "incompatible requirements, label \"zone\" does not have known values (typo of "
        "\"topology.kubernetes.io/zone\"?)");
}

static void refused_by_validation_SCH_26_30(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "", "nodeSelector: {kubernetes.io/hostname: n1}, " CPU("1"))
            POD("b", "", "nodeSelector: {karpenter.sh/secret: n1}, " CPU("1"))
                POD("c", "", "nodeSelector: {karpenter.sh/capacity-type: cheap}, " CPU("1")),
        NULL);
    assert_true(unplaced(p.plan, "a")->ignored);
    assert_non_null(strstr(unplaced(p.plan, "a")->message,
                           "using label kubernetes.io/hostname is not allowed"));
    assert_non_null(
        strstr(unplaced(p.plan, "b")->message, "using label karpenter.sh/secret is not allowed"));
    assert_non_null(strstr(unplaced(p.plan, "c")->message,
                           "no valid values found in [cheap] for karpenter.sh/capacity-type"));
}

#define DAEMON(name, spec)                                                           \
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: " name ", uid: d-" name \
    "}, spec: {selector: "                                                           \
    "{matchLabels: {d: x}}, template: {metadata: {labels: {d: x}}, spec: {" spec "}}}}\n---\n"

static void daemon_sets_take_their_share_SCH_143_145_489(void **state)
{
    (void)state;
    // 1 cpu for the DaemonSet and 1 for the pod do not fit 1.9.
    PLAN p = plan_yaml(POOL DAEMON("d", CPU("1")) POD("a", "", CPU("1")), NULL);
    assert_false(claim_has_type(claim_of(p.plan, "a"), "small"));
    assert_int_equal(resource_map_get(&claim_of(p.plan, "a")->requests, "cpu"), 2000);
    assert_int_equal(resource_map_get(&claim_of(p.plan, "a")->requests, "pods"), 2);
    // Not where its selector does not match.
    PLAN q = plan_yaml(POOL DAEMON("d", "nodeSelector: {kubernetes.io/arch: arm64}, " CPU("2"))
                           POD("a", "", CPU("1900m")),
                       NULL);
    assert_true(claim_has_type(claim_of(q.plan, "a"), "small"));
    assert_true(claim_has_type(claim_of(q.plan, "a"), "arm"));
    PLAN r = plan_yaml(POOL DAEMON("d", "nodeSelector: {kubernetes.io/arch: arm64}, " CPU("2100m"))
                           POD("a", "", CPU("1900m")),
                       NULL);
    assert_false(claim_has_type(claim_of(r.plan, "a"), "arm"));
    // Limits become requests in a template (SCH-112), and LimitRanges apply.
    PLAN s = plan_yaml(
        POOL DAEMON("d", "containers: [{name: c, image: i, resources: {limits: {cpu: '1'}}}]")
            POD("a", "", CPU("1")),
        NULL);
    assert_int_equal(resource_map_get(&claim_of(s.plan, "a")->requests, "cpu"), 2000);
    PLAN t = plan_yaml(
        POOL DAEMON(
            "d", "containers: [{name: c, image: i}]") "{apiVersion: v1, kind: LimitRange, "
                                                      "metadata: {name: l}, "
                                                      "spec: {limits: [{type: Container, "
                                                      "defaultRequest: {cpu: 700m}}]}}\n---\n" POD(
                                                          "a", "", CPU("1")),
        NULL);
    assert_int_equal(resource_map_get(&claim_of(t.plan, "a")->requests, "cpu"), 1700);
}

static void daemon_set_host_ports_are_in_use_SCH_145_240(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL DAEMON("d",
                    "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]")
            POD("a", "",
                "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]")
                POD("b", "",
                    "containers: [{name: c, image: i, ports: [{containerPort: 81, hostPort: 81}]}]")
                    POD("c", "",
                        "containers: [{name: c, image: i, ports: [{containerPort: 81, hostPort: "
                        "81}]}]"),
        NULL);
    assert_int_equal(unplaced(p.plan, "a")->reasons.items[0].code, REASON_HOST_PORT_CONFLICT);
    assert_non_null(strstr(unplaced(p.plan, "a")->message,
                           "pod hostport conflicts with existing hostport configuration"));
    assert_int_equal(p.plan->claims.count, 2); // b and c exclude each other
}

static void min_values_strict_and_best_effort_SCH_245_248_494(void **state)
{
    (void)state;
#define MIN_POOL                                                                        \
    POOL_WITH("x", "",                                                                  \
              ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, " \
              "values: [small, medium, large], minValues: 2}]")
    PLAN p = plan_yaml(MIN_POOL POD("a", "", CPU("3")) POD("b", "", CPU("3")), NULL);
    assert_int_equal(p.plan->claims.count, 2); // together they would need large
    PLAN q = plan_yaml(MIN_POOL POD("a", "", CPU("5")), NULL);
    assert_non_null(strstr(unplaced(q.plan, "a")->message,
                           "minValues requirement is not met for label(s) "
                           "(label(s)=[node.kubernetes.io/instance-type])"));
    assert_int_equal(unplaced(q.plan, "a")->reasons.items[0].code, REASON_MIN_VALUES);
    PLAN r = plan_yaml(MIN_POOL POD("a", "", CPU("5")), "MIN_VALUES_POLICY: BestEffort");
    const struct plan_claim *claim = claim_of(r.plan, "a");
    assert_true(claim->min_values_relaxed);
    assert_string_equal(string_map_get(&claim->annotations, ANNOTATION_MIN_VALUES_RELAXED), "true");
    list_for_each (requirement, &claim->requirements)
        if (strcmp(requirement->key, LABEL_INSTANCE_TYPE) == 0)
            assert_int_equal(requirement->min_values.value, 1);
}

static void the_claim_carries_labels_and_annotations_SCH_376_379(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: x, uid: x}, spec: "
        "{template: {metadata: "
        "{labels: {team: blue}, annotations: {note: hi}}, spec: {requirements: [{key: tier, "
        "operator: Exists}, "
        "{key: rack, operator: In, values: [r2, r1]}], nodeClassRef: {group: g.example, kind: "
        "TheClass, name: c}}}}}\n---\n" POD("a", "", "nodeSelector: {tier: gold}, " CPU("1")),
        NULL);
    const struct plan_claim *claim = claim_of(p.plan, "a");
    assert_string_equal(string_map_get(&claim->labels, "team"), "blue");
    assert_string_equal(string_map_get(&claim->labels, "karpenter.sh/nodepool"), "x");
    assert_string_equal(string_map_get(&claim->labels, "g.example/theclass"), "c");
    assert_string_equal(string_map_get(&claim->labels, "tier"), "gold");
    assert_string_equal(string_map_get(&claim->labels, "rack"), "r1");
    assert_null(string_map_get(&claim->labels, "karpenter.sh/registered"));
    assert_string_equal(string_map_get(&claim->annotations, "note"), "hi");
    assert_string_equal(string_map_get(&claim->annotations, "karpenter.sh/nodepool-hash-version"),
                        "v3");
    assert_string_equal(string_map_get(&claim->annotations, ANNOTATION_MIN_VALUES_RELAXED),
                        "false");
    assert_string_equal(claim_values(claim, "karpenter.sh/registered"), "-");
    for (uint32_t i = 1; i < claim->requirements.count; i++)
        assert_true(
            strcmp(claim->requirements.items[i - 1].key, claim->requirements.items[i].key) <= 0);
}

static void extended_resources_choose_the_type_SCH_114(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "",
                 "containers: [{name: c, image: i, resources: {requests: {example.com/gpu: '1'}}}]")
            POD("b", "",
                "containers: [{name: c, image: i, resources: {requests: {example.com/tpu: '1'}}}]"),
        NULL);
    assert_int_equal(claim_of(p.plan, "a")->types.count, 1);
    assert_non_null(unplaced(p.plan, "b"));
}

static void pods_with_resource_claims_wait_SCH_181_421(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "", "resourceClaims: [{name: x, resourceClaimName: rc}], " CPU("1")), NULL);
    assert_int_equal(unplaced(p.plan, "a")->reasons.items[0].code, REASON_DYNAMIC_RESOURCES);
}

static void the_largest_pods_go_first_SCH_150(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL_WITH("x", "limits: {nodes: '1'}, ", "") POD("a", "", CPU("1"))
                           POD("b", "", CPU("15500m")),
                       NULL);
    assert_non_null(claim_of(p.plan, "b"));
    assert_non_null(unplaced(p.plan, "a"));
}

#define RESERVED(id, zone, count, on)                                                 \
    "{price: 0.001, available: true, reservationCapacity: " count ", requirements: [" \
    "{key: topology.kubernetes.io/zone, operator: In, values: [" zone                 \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: "                    \
    "[reserved]}, {key: example.com/reservation-id, operator: In, values: [" id "]}]}"
#define RESERVED_CATALOG                                                                           \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: r}, spec: {instanceTypes: " \
    "[{name: r1, "                                                                                 \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [reserved, "           \
    "on-demand]}], capacity: {cpu: '2', memory: 4Gi, pods: '9'}, "                                 \
    "offerings: [" RESERVED(                                                                       \
        "res-1", "a", "1",                                                                         \
        "") ", {price: 0.1, available: true, requirements: [{key: topology.kubernetes.io/zone, "   \
            "operator: In, values: [a]}, {key: karpenter.sh/capacity-type, operator: In, values: " \
            "[on-demand]}]}]}]}}\n---\n"

static void reservations_are_counted_SCH_255_261_493(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml_bare(RESERVED_CATALOG POOL POD("a", "", CPU("1500m")) POD("b", "", CPU("1500m")),
                       "COMPATIBILITY: upstream");
    assert_int_equal(p.plan->claims.count, 1);
    assert_string_equal(claim_values(&p.plan->claims.items[0], "karpenter.sh/capacity-type"),
                        "reserved");
    assert_string_equal(claim_values(&p.plan->claims.items[0], "example.com/reservation-id"),
                        "res-1");
    assert_true(p.plan->unschedulable.items[0].deferred);
    assert_int_equal(p.plan->unschedulable.items[0].reasons.items[0].code,
                     REASON_RESERVED_EXHAUSTED);
    // Two pods on one reserved claim: one reservation.
    PLAN q = plan_yaml_bare(
        RESERVED_CATALOG POOL POD("a", "", CPU("500m")) POD("b", "", CPU("500m")), NULL);
    assert_int_equal(q.plan->claims.count, 1);
    assert_int_equal(q.plan->unschedulable.count, 0);
    // With the gate off they are ordinary offerings.
    PLAN r =
        plan_yaml_bare(RESERVED_CATALOG POOL POD("a", "", CPU("1500m")) POD("b", "", CPU("1500m")),
                       "FEATURE_GATES: ReservedCapacity=false");
    assert_int_equal(r.plan->claims.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheapest_type_comes_first_SCH_265_FMT_11),
        cmocka_unit_test(a_claim_grows_as_far_as_a_type_goes_SCH_216),
        cmocka_unit_test(emptier_claims_are_tried_first_SCH_210),
        cmocka_unit_test(node_selector_and_affinity_narrow_the_claim_SCH_100),
        cmocka_unit_test(old_label_keys_work_SCH_62),
        cmocka_unit_test(later_terms_come_in_by_relaxation_SCH_486),
        cmocka_unit_test(preferences_hold_until_they_cannot_SCH_486),
        cmocka_unit_test(preferences_can_be_ignored_SCH_102_166),
        cmocka_unit_test(an_empty_term_selects_no_node_SCH_103),
        cmocka_unit_test(heavier_pools_win_then_later_names_SCH_42_487),
        cmocka_unit_test(unready_static_and_deleting_pools_launch_nothing_SCH_40_41),
        cmocka_unit_test(untolerated_pools_are_passed_over_SCH_212_355),
        cmocka_unit_test(prefer_no_schedule_is_tolerated_last_SCH_160_165),
        cmocka_unit_test(startup_taints_do_not_matter_SCH_212),
        cmocka_unit_test(limits_drop_types_and_count_nodes_SCH_360_363_488),
        cmocka_unit_test(too_big_a_pod_is_told_why_SCH_239_241),
        cmocka_unit_test(unknown_labels_are_hinted_at_SCH_80_495),
        cmocka_unit_test(refused_by_validation_SCH_26_30),
        cmocka_unit_test(daemon_sets_take_their_share_SCH_143_145_489),
        cmocka_unit_test(daemon_set_host_ports_are_in_use_SCH_145_240),
        cmocka_unit_test(min_values_strict_and_best_effort_SCH_245_248_494),
        cmocka_unit_test(the_claim_carries_labels_and_annotations_SCH_376_379),
        cmocka_unit_test(extended_resources_choose_the_type_SCH_114),
        cmocka_unit_test(pods_with_resource_claims_wait_SCH_181_421),
        cmocka_unit_test(the_largest_pods_go_first_SCH_150),
        cmocka_unit_test(reservations_are_counted_SCH_255_261_493),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
