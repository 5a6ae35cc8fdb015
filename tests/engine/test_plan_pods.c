// Planned pods, their requests, and the messages of those without a place (SCH-20 to 36, 110, 151
// to 157, 239, 520).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "engine/plan_fixture.h"

#define PENDING(name, meta, spec, status)                                                          \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name meta "}, spec: {" spec \
    "}, "                                                                                          \
    "status: {" status "}}\n---\n"

static void provisionable_pods_SCH_21_22(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL PENDING("plain", "", CPU("1"), "") PENDING("nominated", "", CPU("1"),
                                                        "nominatedNodeName: n1")
            PENDING("gated", "", "schedulingGates: [{name: g}], " CPU("1"), "") PENDING(
                "daemon",
                ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: d}]",
                CPU("1"), "")
                PENDING("mirror",
                        ", ownerReferences: [{apiVersion: v1, kind: Node, name: d, uid: d}]",
                        CPU("1"), "")
                    PENDING("going", ", deletionTimestamp: '2026-01-01T00:00:00Z'", CPU("1"), ""),
        NULL);
    assert_int_equal(p.plan->pods_placed, 2);
    assert_non_null(claim_of(p.plan, "plain"));
    assert_non_null(claim_of(p.plan, "going"));
    assert_int_equal(p.plan->unschedulable.count, 0);
}

// Of a live cluster: rejected pods, and those that kube-scheduler has not examined yet.
static struct plan *plan_live(struct snapshot *snapshot)
{
    snapshot->require_unschedulable_condition = true;
    struct error error;
    struct plan_options options = {0};
    return engine_plan(snapshot, &options, &error);
}

#define LIVE_PODS                                                                               \
    POOL PENDING("new", "", CPU("1"), "") PENDING(                                              \
        "marked", "", CPU("1"),                                                                 \
        "conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]")           \
        PENDING("gated", "", CPU("1"),                                                          \
                "conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]") \
            PENDING("going", ", deletionTimestamp: '2026-01-01T00:00:00Z'", CPU("1"), "")       \
                POD("others", "", "schedulerName: another, " CPU("1"))

static void a_live_cluster_is_planned_as_the_controller_does_SCH_21(void **state)
{
    (void)state;
    PLAN p = plan_yaml(LIVE_PODS, NULL);
    assert_int_equal(p.plan->pods_placed, 5);
    struct plan *plan = plan_live(p.snapshot);
    assert_int_equal(plan->pods_placed, 2);
    assert_non_null(claim_of(plan, "marked"));
    assert_non_null(claim_of(plan, "new"));
    plan_destroy(plan);
}

static void as_upstream_the_condition_is_asked_for_SCH_21(void **state)
{
    (void)state;
    PLAN p = plan_yaml(LIVE_PODS, "COMPATIBILITY: upstream");
    struct plan *plan = plan_live(p.snapshot);
    assert_int_equal(plan->pods_placed, 1);
    assert_non_null(claim_of(plan, "marked"));
    plan_destroy(plan);
}

static void requests_of_init_containers_and_sidecars_SCH_110(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD(
            "a", "",
            "initContainers: [{name: s, image: i, restartPolicy: Always, resources: {requests: "
            "{cpu: '1'}}}, "
            "{name: j, image: i, resources: {requests: {cpu: '3'}}}], overhead: {cpu: 250m}, " CPU(
                "2")),
        NULL);
    // max(2 + 1, 3 + 1) + 0.25
    assert_int_equal(resource_map_get(&claim_of(p.plan, "a")->requests, "cpu"), 4250);
    PLAN q = plan_yaml(POOL POD("a", "", "resources: {requests: {cpu: '7'}}, " CPU("2")), NULL);
    assert_int_equal(resource_map_get(&claim_of(q.plan, "a")->requests, "cpu"), 7000);
}

static void explicit_exclusion_is_silent_a_contradiction_is_not_SCH_26_104(void **state)
{
    (void)state;
#define TERM(operator)                                                           \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "{nodeSelectorTerms: [{matchExpressions: "                                   \
    "[{key: karpenter.sh/nodepool, "                                             \
    operator"}]}]}}}, "
    PLAN p = plan_yaml(POOL POD("a", "", TERM("operator: DoesNotExist") CPU("1"))
                           POD("b", "",
                               "nodeSelector: {karpenter.sh/nodepool: pool}, " TERM(
                                   "operator: In, values: [other]") CPU("1")),
                       NULL);
    assert_non_null(strstr(unplaced(p.plan, "a")->message,
                           "configured to not run on a Karpenter provisioned node"));
    assert_true(unplaced(p.plan, "a")->ignored);
    assert_false(unplaced(p.plan, "b")->ignored);
}

static void match_fields_are_refused_SCH_26(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "",
                 "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                 "{nodeSelectorTerms: [{matchFields: "
                 "[{key: metadata.name, operator: In, values: [n1]}]}]}}}, " CPU("1")),
        "COMPATIBILITY: upstream");
    assert_string_equal(unplaced(p.plan, "a")->message,
                        "node selector term with matchFields is not supported");
}

static void messages_tell_what_was_missing_SCH_239(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL POD("a", "", "nodeSelector: {kubernetes.io/arch: arm64}, " CPU("10")), NULL);
    assert_true(strncmp(unplaced(p.plan, "a")->message,
                        "no instance type which had enough resources and the required offering met "
                        "the scheduling requirements, requirements=",
                        115) == 0);
    PLAN q =
        plan_yaml(POOL POD("a", "", "nodeSelector: {kubernetes.io/arch: mips}, " CPU("100")), NULL);
    assert_true(
        strncmp(unplaced(q.plan, "a")->message,
                "no instance type met the scheduling requirements or had enough resources, ",
                74) == 0);
    PLAN r = plan_yaml(
        POOL POD(
            "a", "",
            "nodeSelector: {topology.kubernetes.io/zone: nowhere, kubernetes.io/arch: mips}, " CPU(
                "1")),
        NULL);
    assert_true(strncmp(unplaced(r.plan, "a")->message,
                        "no instance type met the scheduling requirements or had enough resources "
                        "or had a required offering, ",
                        101) == 0);
}

static void errors_of_all_pools_are_joined_in_order_SCH_223(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: zzz, uid: "
                       "z}, spec: {template: {spec: {taints: [{key: t, effect: "
                       "NoSchedule}], nodeClassRef: {group: g, kind: C, name: c}}}}}\n---\n" POD(
                           "a", "", CPU("99")),
                  NULL);
    const char *message = unplaced(p.plan, "a")->message;
    assert_true(
        strncmp(
            message,
            "did not tolerate taint (taint=t:NoSchedule); no instance type has enough resources, ",
            83) == 0);
    assert_int_equal(unplaced(p.plan, "a")->reasons.count, 2);
    assert_string_equal(unplaced(p.plan, "a")->reasons.items[0].node_pool, "zzz");
    assert_string_equal(unplaced(p.plan, "a")->reasons.items[1].node_pool, "pool");
}

static void the_last_most_relaxed_attempt_is_told_SCH_156(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD(
            "a", "",
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
            "1, preference: {matchExpressions: "
            "[{key: topology.kubernetes.io/zone, operator: In, values: [a]}]}}]}}, " CPU("99")),
        NULL);
    assert_null(strstr(unplaced(p.plan, "a")->message, "topology.kubernetes.io/zone"));
}

static void failed_pods_are_tried_again_after_progress_SCH_153(void **state)
{
    (void)state;
    // The follower is larger and comes first; its target makes room for it later in the pass.
    PLAN p = plan_yaml(
        POOL POD("follower", "",
                 "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                 "[{topologyKey: "
                 "kubernetes.io/hostname, labelSelector: {matchLabels: {app: target}}}]}}, " CPU(
                     "3")) POD("target", "app: target", CPU("1")),
        NULL);
    assert_int_equal(p.plan->claims.count, 1);
    assert_int_equal(p.plan->unschedulable.count, 0);
}

static void a_pool_without_types_is_passed_over_SCH_43_45_46(void **state)
{
    (void)state;
    PLAN p = plan_yaml("{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: empty, uid: "
                       "e}, spec: {template: {spec: {requirements: [{key: "
                       "kubernetes.io/arch, operator: In, values: [mips]}], nodeClassRef: {group: "
                       "g, kind: C, name: c}}}}}\n---\n" POD("a", "", CPU("1")),
                       NULL);
    assert_string_equal(unplaced(p.plan, "a")->message,
                        "nodepool requirements filtered out all available instance types");
    bool event = false;
    list_for_each (note, &p.plan->notes)
        event = event ||
                (note->level == NOTE_EVENT && note->event == EVENT_NO_COMPATIBLE_INSTANCE_TYPES);
    assert_true(event);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(provisionable_pods_SCH_21_22),
        cmocka_unit_test(a_live_cluster_is_planned_as_the_controller_does_SCH_21),
        cmocka_unit_test(as_upstream_the_condition_is_asked_for_SCH_21),
        cmocka_unit_test(requests_of_init_containers_and_sidecars_SCH_110),
        cmocka_unit_test(explicit_exclusion_is_silent_a_contradiction_is_not_SCH_26_104),
        cmocka_unit_test(match_fields_are_refused_SCH_26),
        cmocka_unit_test(messages_tell_what_was_missing_SCH_239),
        cmocka_unit_test(errors_of_all_pools_are_joined_in_order_SCH_223),
        cmocka_unit_test(the_last_most_relaxed_attempt_is_told_SCH_156),
        cmocka_unit_test(failed_pods_are_tried_again_after_progress_SCH_153),
        cmocka_unit_test(a_pool_without_types_is_passed_over_SCH_43_45_46),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
