// Existing and in-flight nodes, deleting nodes, volumes (SCH-23, 190 to 200, 330 to 358, 360;
// LIF-300 to 309).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"

// An unmanaged node.
#define NODE(name, labels, more, cpu)                                         \
    "{apiVersion: v1, kind: Node, metadata: {name: " name                     \
    ", labels: {kubernetes.io/hostname: " name ", " labels "}}, spec: {" more \
    "}, status: {capacity: {cpu: '" cpu "', memory: 8Gi, pods: '10'}, "       \
    "allocatable: {cpu: '" cpu "', memory: 8Gi, pods: '10'}}}\n---\n"
// A managed one, with its NodeClaim.
#define MANAGED(name, labels, taints, node_meta, claim_meta)                                     \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {"                          \
    "kubernetes.io/hostname: " name                                                              \
    ", karpenter.sh/nodepool: pool, node.kubernetes.io/instance-type: small, " labels            \
    "}" node_meta "}, spec: "                                                                    \
    "{providerID: 'p:" name "', taints: [" taints                                                \
    "]}, status: {capacity: {cpu: '4', memory: 8Gi, pods: '10'}, allocatable: {cpu: '4', "       \
    "memory: 8Gi, pods: '10'}}}\n---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: " \
    "{name: claim-" name ", labels: "                                                            \
    "{karpenter.sh/nodepool: pool}" claim_meta                                                   \
    "}, spec: {nodeClassRef: {group: g, kind: C, name: c}, requirements: [], startupTaints: "    \
    "[{key: boot, "                                                                              \
    "effect: NoSchedule}]}, status: {providerID: 'p:" name                                       \
    "', capacity: {cpu: '4', memory: 8Gi, pods: '10', example.com/gpu: '1'}, "                   \
    "allocatable: {cpu: '4', memory: 8Gi, pods: '10', example.com/gpu: '1'}}}\n---\n"
#define READY "karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'"
#define BOUND(name, node, labels, meta, spec)                                                    \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name ", labels: {" labels \
    "}" meta "}, spec: {nodeName: " node ", " spec "}, status: {phase: Running}}\n---\n"

static void existing_nodes_come_first_by_name_SCH_180_190(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL NODE("n2", "x: x", "", "4") NODE("n1", "x: x", "", "4")
                           POD("a", "", CPU("1")) POD("b", "", CPU("3")) POD("c", "", CPU("3")),
                       NULL);
    assert_string_equal(node_of(p.plan, "b"), "n1");
    assert_string_equal(node_of(p.plan, "c"), "n2");
    assert_string_equal(node_of(p.plan, "a"), "n1");
    assert_int_equal(p.plan->claims.count, 0);
}

static void bound_pods_take_room_SCH_192_LIF_306(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL NODE("n1", "x: x", "", "4") BOUND("old", "n1", "", "", CPU("3500m"))
                           POD("a", "", CPU("1")) POD("b", "", CPU("500m")),
                       NULL);
    assert_non_null(claim_of(p.plan, "a"));
    assert_string_equal(node_of(p.plan, "b"), "n1");
}

static void labels_and_taints_of_nodes_count_SCH_194_355_358(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL NODE("n1", "disk: ssd", "taints: [{key: team, value: blue, effect: NoExecute}]", "4")
            NODE("n2", "disk: hdd", "unschedulable: true", "4") NODE("n3", "disk: ssd", "", "4")
                POD("a", "", "nodeSelector: {disk: ssd}, " CPU("1"))
                    POD("b", "", "nodeSelector: {disk: hdd}, " CPU("1")),
        NULL);
    assert_string_equal(node_of(p.plan, "a"), "n3");
    assert_non_null(unplaced(p.plan, "b"));
    bool taint = false;
    list_for_each (reason, &unplaced(p.plan, "b")->reasons)
        taint = taint || (reason->node_pool == NULL && reason->code == REASON_TAINT_NOT_TOLERATED);
    assert_true(taint);
}

static void an_undefined_label_is_a_missing_label_SCH_79_81_197(void **state)
{
    (void)state;
    // Even a well-known one; and a NotIn of an earlier pod does not make the label known.
    PLAN p = plan_yaml(
        POOL NODE("n1", "x: x", "", "4")
            POD("a", "",
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                "{nodeSelectorTerms: "
                "[{matchExpressions: [{key: foo, operator: NotIn, values: [z]}]}]}}}, " CPU("2"))
                POD("b", "", "nodeSelector: {foo: bar}, " CPU("1"))
                    POD("c", "", "nodeSelector: {kubernetes.io/arch: amd64}, " CPU("1")),
        NULL);
    assert_string_equal(node_of(p.plan, "a"), "n1");
    assert_non_null(unplaced(p.plan, "b"));
    assert_non_null(claim_of(p.plan, "c"));
}

static void beta_labels_stand_for_stable_ones_SCH_192(void **state)
{
    (void)state;
    PLAN p = plan_yaml(NODE("n1", "failure-domain.beta.kubernetes.io/zone: a", "", "4") POOL POD(
                           "a", "", "nodeSelector: {topology.kubernetes.io/zone: a}, " CPU("1")),
                       NULL);
    assert_string_equal(node_of(p.plan, "a"), "n1");
}

static void a_node_short_of_anything_accepts_nothing_SCH_114_198(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL NODE("n1", "x: x", "", "4")
            BOUND("old", "n1", "", "",
                  "containers: [{name: c, image: i, resources: {requests: {memory: 9Gi}}}]")
                POD("a", "", CPU("1")),
        NULL);
    assert_non_null(claim_of(p.plan, "a"));
}

static void in_flight_claims_are_nodes_SCH_200_FMT_16(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: flying, "
                       "labels: {karpenter.sh/nodepool: pool}}, spec: "
                       "{nodeClassRef: {group: g, kind: C, name: c}, requirements: []}, status: "
                       "{providerID: 'p:1', capacity: {cpu: '4', memory: 8Gi, "
                       "pods: '10'}, allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n---\n"
                       "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: "
                       "unlaunched, labels: {karpenter.sh/nodepool: pool}}, spec: "
                       "{nodeClassRef: {group: g, kind: C, name: c}, requirements: []}}\n---\n" POD(
                           "a", "", CPU("3")),
                  NULL);
    assert_string_equal(node_of(p.plan, "a"), "flying");
    assert_null(p.plan->placements.items[0].node);
    assert_non_null(p.plan->placements.items[0].node_claim);
}

// A closed replacement, kept for evicted pods, takes pods soon.
static void a_closed_replacement_takes_pods_SCH_516(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL MANAGED("n1", READY, "{key: adze.dev/awaiting-pods, effect: NoSchedule}", "",
                               "") POD("a", "", CPU("1")),
                  NULL);
    assert_string_equal(node_of(p.plan, "a"), "n1");
}

static void startup_taints_go_away_before_initialization_LIF_305_SCH_490(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL MANAGED("n1", "karpenter.sh/registered: 'true'",
                                    "{key: boot, effect: NoSchedule}, {key: "
                                    "node.kubernetes.io/not-ready, effect: NoSchedule}",
                                    "", "") POD("a", "", CPU("1")),
                       NULL);
    assert_string_equal(node_of(p.plan, "a"), "n1");
    PLAN q = plan_yaml(POOL MANAGED("n1", READY, "{key: boot, effect: NoSchedule}", "", "")
                           POD("a", "", CPU("1")),
                       NULL);
    assert_non_null(claim_of(q.plan, "a"));
    // Fields that the kubelet does not report yet come from the NodeClaim, until initialized
    // (LIF-306).
    PLAN r = plan_yaml(
        POOL MANAGED("n1", "karpenter.sh/registered: 'true'", "", "", "")
            POD("a", "",
                "containers: [{name: c, image: i, resources: {requests: {example.com/gpu: '1'}}}]"),
        NULL);
    assert_string_equal(node_of(r.plan, "a"), "n1");
    PLAN s = plan_yaml(
        POOL MANAGED("n1", READY, "", "", "")
            POD("a", "",
                "containers: [{name: c, image: i, resources: {requests: {example.com/gpu: '1'}}}]"),
        NULL);
    assert_non_null(claim_of(s.plan, "a"));
}

#define OWNED(kind, api)                                                                      \
    ", ownerReferences: [{apiVersion: " api ", kind: " kind ", name: o, uid: o, controller: " \
    "true}]"

static void pods_of_deleting_nodes_move_SCH_23_492(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL MANAGED("n1", READY, "", "",
                     ", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x]")
            BOUND("mover", "n1", "", "", CPU("1"))
                BOUND("daemon", "n1", "", OWNED("DaemonSet", "apps/v1"), CPU("1")) BOUND(
                    "gone", "n1", "",
                    OWNED("ReplicaSet", "apps/v1") ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                    CPU("1")) BOUND("state", "n1", "",
                                    OWNED("StatefulSet",
                                          "apps/v1") ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                    CPU("1"))
                    BOUND("kept", "n1", "", ", annotations: {karpenter.sh/do-not-disrupt: 'true'}",
                          CPU("1"))
                        BOUND("guarded", "n1", "app: g", "",
                              CPU("1")) "{apiVersion: policy/v1, kind: PodDisruptionBudget, "
                                        "metadata: {name: b}, spec: {maxUnavailable: 0, selector: "
                                        "{matchLabels: {app: g}}}}\n---\n" POD("a", "", CPU("1")),
        NULL);
    assert_int_equal(p.plan->placements.count, 0);
    assert_non_null(claim_of(p.plan, "a"));
    assert_non_null(claim_of(p.plan, "mover"));
    assert_non_null(claim_of(p.plan, "state"));
    assert_int_equal(p.plan->pods_placed, 3);
    assert_int_equal(p.plan->unschedulable.count, 0);
}

static void nodes_count_against_limits_SCH_360(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p}, spec: "
        "{limits: {cpu: '6'}, template: {spec: {"
        "nodeClassRef: {group: g, kind: C, name: c}}}}}\n---\n" MANAGED("n1", READY, "", "", "")
            POD("a", "", CPU("3")) POD("b", "", CPU("1800m")) POD("c", "", CPU("3")),
        NULL);
    assert_string_equal(node_of(p.plan, "a"), "n1");
    assert_non_null(unplaced(p.plan, "c"));
    assert_int_equal(claim_of(p.plan, "b")->types.count, 1);
}

static void daemon_sets_reserve_what_they_lack_SCH_147(void **state)
{
    (void)state;
#define DS                                                                                  \
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, uid: d}, spec: {selector: " \
    "{matchLabels: {d: x}}, template: {metadata: "                                          \
    "{labels: {d: x}}, spec: {" CPU("1") "}}}}\n---\n"
    PLAN p = plan_yaml(POOL DS NODE("n1", "x: x", "", "4") POD("a", "", CPU("3500m")), NULL);
    assert_null(node_of(p.plan, "a"));
    PLAN q = plan_yaml(POOL DS NODE("n1", "x: x", "", "4")
                           BOUND("d-1", "n1", "d: x",
                                 ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: "
                                 "d, uid: d, controller: true}]",
                                 CPU("1")) POD("a", "", CPU("3")),
                       NULL);
    assert_string_equal(node_of(q.plan, "a"), "n1");
}

static void host_ports_are_taken_once_SCH_356_490(void **state)
{
    (void)state;
#define PORT(port) \
    "containers: [{name: c, image: i, ports: [{containerPort: " port ", hostPort: " port "}]}]"
    PLAN p = plan_yaml(NODE("n1", "x: x", "", "4") NODE("n2", "x: x", "", "4")
                           POOL BOUND("old", "n1", "", "", PORT("80")) POD("a", "", PORT("80"))
                               POD("b", "", PORT("81")),
                       NULL);
    assert_string_equal(node_of(p.plan, "a"), "n2");
    assert_string_equal(node_of(p.plan, "b"), "n1");
}

#define CLASS(name, topology)                                                    \
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " name \
    "}, provisioner: csi.example.com, "                                          \
    "volumeBindingMode: WaitForFirstConsumer" topology "}\n---\n"
#define CLAIM(name, class, more)                                           \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name \
    ", namespace: default, annotations: "                                  \
    "{pv.kubernetes.io/bind-completed: 'yes'}}, spec: {storageClassName: " class more "}}\n---\n"
#define VOLUME(name, source, terms)                                                       \
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: " name "}, spec: {" source \
    ", nodeAffinity: {required: "                                                         \
    "{nodeSelectorTerms: [" terms "]}}}}\n---\n"
#define MOUNT(claim) \
    "volumes: [{name: v, persistentVolumeClaim: {claimName: " claim "}}], " CPU("1")

static void volumes_pin_the_zone_SCH_331_333(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL CLASS("sc", ", allowedTopologies: [{matchLabelExpressions: [{key: "
                                        "topology.kubernetes.io/zone, values: [b]}]}]")
                           CLAIM("unbound", "sc", "") CLAIM("bound", "sc", ", volumeName: pv")
                               VOLUME("pv", "csi: {driver: csi.example.com, volumeHandle: x}",
                                      "{matchExpressions: [{key: topology.kubernetes.io/zone, "
                                      "operator: In, values: [c]}]}") POD("a", "", MOUNT("unbound"))
                                   POD("b", "", MOUNT("bound")),
                       NULL);
    assert_string_equal(claim_values(claim_of(p.plan, "a"), LABEL_ZONE), "b");
    assert_string_equal(claim_values(claim_of(p.plan, "b"), LABEL_ZONE), "c");
}

static void local_volumes_forget_their_host_SCH_332_491(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL CLASS("sc", "") CLAIM("l", "sc", ", volumeName: local")
            CLAIM("o", "sc", ", volumeName: other") VOLUME(
                "local", "local: {path: /x}",
                "{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [gone]}]}")
                VOLUME("other", "csi: {driver: d, volumeHandle: x}",
                       "{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: "
                       "[gone]}]}") POD("a", "", MOUNT("l")) POD("b", "", MOUNT("o")),
        NULL);
    assert_non_null(claim_of(p.plan, "a"));
    assert_non_null(unplaced(p.plan, "b"));
    assert_int_equal(unplaced(p.plan, "b")->reasons.items[0].code, REASON_VOLUME_ZONE);
}

static void bad_volume_claims_refuse_the_pod_SCH_341(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL CLASS("sc", "") CLAIM(
            "nopv", "sc", ", volumeName: missing") "{apiVersion: v1, kind: PersistentVolumeClaim, "
                                                   "metadata: {name: noclass, namespace: default}, "
                                                   "spec: {}}\n---\n" POD("a", "", MOUNT("missing"))
                                                       POD("b", "", MOUNT("nopv"))
                                                           POD("c", "", MOUNT("noclass")),
        NULL);
    assert_non_null(strstr(
        unplaced(p.plan, "a")->message,
        "persistentvolumeclaims \"missing\" not found (PersistentVolumeClaim=default/missing)"));
    assert_non_null(strstr(unplaced(p.plan, "b")->message,
                           "failed to validate pvc, persistentvolumes \"missing\" not found"));
    assert_non_null(
        strstr(unplaced(p.plan, "c")->message, "unbound pvc must define a storage class"));
    assert_true(unplaced(p.plan, "a")->ignored);
}

static void volume_limits_of_nodes_hold_SCH_350_353(void **state)
{
    (void)state;
#define CSI                                                                                 \
    "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: " \
    "[{name: csi.example.com, nodeID: n1, allocatable: {count: 1}}]}}\n---\n"
    PLAN p = plan_yaml(POOL NODE("n1", "x: x", "", "4") CSI CLASS("sc", "") CLAIM("v1", "sc", "")
                           CLAIM("v2", "sc", "") POD("a", "", MOUNT("v1")) POD("b", "", MOUNT("v2"))
                               POD("c", "", MOUNT("v1")),
                       NULL);
    assert_string_equal(node_of(p.plan, "a"), "n1");
    assert_string_equal(node_of(p.plan, "c"), "n1"); // the same claim counts once
    assert_null(node_of(p.plan, "b"));
    assert_non_null(claim_of(p.plan, "b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(existing_nodes_come_first_by_name_SCH_180_190),
        cmocka_unit_test(bound_pods_take_room_SCH_192_LIF_306),
        cmocka_unit_test(labels_and_taints_of_nodes_count_SCH_194_355_358),
        cmocka_unit_test(a_closed_replacement_takes_pods_SCH_516),
        cmocka_unit_test(an_undefined_label_is_a_missing_label_SCH_79_81_197),
        cmocka_unit_test(beta_labels_stand_for_stable_ones_SCH_192),
        cmocka_unit_test(a_node_short_of_anything_accepts_nothing_SCH_114_198),
        cmocka_unit_test(in_flight_claims_are_nodes_SCH_200_FMT_16),
        cmocka_unit_test(startup_taints_go_away_before_initialization_LIF_305_SCH_490),
        cmocka_unit_test(pods_of_deleting_nodes_move_SCH_23_492),
        cmocka_unit_test(nodes_count_against_limits_SCH_360),
        cmocka_unit_test(daemon_sets_reserve_what_they_lack_SCH_147),
        cmocka_unit_test(host_ports_are_taken_once_SCH_356_490),
        cmocka_unit_test(volumes_pin_the_zone_SCH_331_333),
        cmocka_unit_test(local_volumes_forget_their_host_SCH_332_491),
        cmocka_unit_test(bad_volume_claims_refuse_the_pod_SCH_341),
        cmocka_unit_test(volume_limits_of_nodes_hold_SCH_350_353),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
