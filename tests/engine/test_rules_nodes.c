// Existing and in-flight nodes, row by row: SCH-180 to SCH-200.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define HOST     "kubernetes.io/hostname"
#define UPSTREAM "COMPATIBILITY: upstream"
#define NODE_WITH(name, labels, spec, resources)                                                \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", uid: n-" name ", labels: {" labels \
    "}}, spec: {" spec "}, status: {capacity: {" resources "}, allocatable: {" resources        \
    "}}}\n---\n"
#define ROOM           "cpu: '4', memory: 8Gi, pods: '20'"
#define MANAGED_LABELS "karpenter.sh/nodepool: pool, node.kubernetes.io/instance-type: small"
#define NODE_CLAIM(name, meta, provider, spec, resources)                                         \
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name ", uid: c-" name meta \
    "}, spec: {" spec "nodeClassRef: {group: g, kind: C, name: c}, requirements: []}, "           \
    "status: {providerID: '" provider "', capacity: {" resources "}, allocatable: {" resources    \
    "}}}\n---\n"
#define POOL_LABEL                   ", labels: {karpenter.sh/nodepool: pool}"
#define NEEDS(key, operator, values) REQUIRED_TERMS(TERM_OF(REQUIRE(key, operator, values)))
#define DEVICE                       "containers: [{name: c, image: i, resources: {requests: {example.com/gpu: '1'}}}]"

static void order_of_places_SCH_180_193(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-180: nodes, then claims, then a new claim",
         POOL NODE_OF("n1", "x: x", "1") POD("a", "", CPU("3")) POD("b", "", CPU("1"))
             POD("c", "", CPU("500m")) POD("d", "", CPU("14")),
         NULL, "#2 d/a b@n1 c=d"},
        {"SCH-190: initialized nodes come first, whatever their names",
         POOL NODE_WITH("a1", MANAGED_LABELS, "providerID: 'p:1'", ROOM)
             NODE_CLAIM("nc", POOL_LABEL, "p:1", "", ROOM) NODE_WITH("z1", "x: x", "", ROOM)
                 POD("a", "", CPU("1")),
         UPSTREAM, "a@z1"},
        {"SCH-182, 190: an unmanaged node is initialized; inside both, by name, however full",
         POOL NODE_WITH("n2", "x: x", "", ROOM) NODE_WITH("n1", "x: x", "", ROOM)
             BOUND_POD("x", "n1", "", CPU("3")) POD("a", "", CPU("1")) POD("b", "", CPU("1")),
         UPSTREAM, "a@n1 b@n2"},
        {"SCH-193: nodes of a pool that is unready, static or gone are used",
         "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p}, spec: "
         "{replicas: 1, template: {spec: {nodeClassRef: {group: g, kind: C, name: "
         "c}}}}}\n---\n" POOL_OF("other", "", "", "", "")
             NODE_WITH("n1",
                       MANAGED_LABELS ", karpenter.sh/registered: 'true', "
                                      "karpenter.sh/initialized: 'true'",
                       "providerID: 'p:1'", ROOM) NODE_CLAIM("nc", POOL_LABEL, "p:1", "", ROOM)
                 NODE_WITH("n2",
                           "karpenter.sh/nodepool: gone, "
                           "node.kubernetes.io/instance-type: small",
                           "providerID: 'p:2'", ROOM) POD("a", "", CPU("4")) POD("b", "", CPU("4")),
         NULL, "a@n1 b@n2"},
        {"SCH-193: the pool's limits and requirements do not matter for its nodes",
         POOL_OF("pool", "limits: {cpu: '1'}, ", "", "",
                 REQUIRE("kubernetes.io/arch", "In", "arm64"))
             NODE_WITH("n1", MANAGED_LABELS ", kubernetes.io/arch: amd64", "providerID: 'p:1'",
                       ROOM) POD("a", "", "nodeSelector: {kubernetes.io/arch: amd64}, " CPU("1")),
         NULL, "a@n1"},
        {"SCH-41: without any pool nothing is placed, not even here",
         NODE_WITH("n1", "x: x", "", ROOM) POD("a", "", CPU("1")), NULL, "a!",
         "a: no dynamic nodepools found"},
        {"SCH-46: without any template nodes are still used",
         POOL_REQUIRING(REQUIRE("kubernetes.io/arch", "In", "mips"))
             NODE_WITH("n1", "x: x", "", ROOM) POD("a", "", CPU("3")) POD("b", "", CPU("2")),
         NULL, "a@n1 b!", "b: nodepool requirements filtered out all available instance types"},
    };
    CHECK_CASES(cases);
}

static void checks_of_a_node_SCH_192_198(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-192: free is allocatable less the bound, those ending included",
         POOL NODE_WITH(
             "n1", "x: x", "",
             ROOM) "{apiVersion: v1, kind: Pod, metadata: {name: going, uid: g, deletionTimestamp: "
                   "'2026-01-01T00:00:00Z'}, spec: {nodeName: n1, " CPU(
                       "2") "}, status: {phase: "
                            "Running}}\n---\n"
                            "{apiVersion: v1, kind: Pod, metadata: {name: done, uid: d}, spec: "
                            "{nodeName: n1, " CPU("2") "}, status: {phase: Succeeded}}\n---\n" POD(
                                "a", "", CPU("2")) POD("b", "", CPU("100m")),
         NULL, "a@n1 b+"},
        {"SCH-192: a name that the node does not have",
         POOL NODE_WITH("n1", "x: x", "", ROOM) POD("a", "", DEVICE), NULL, "a.types=gpu"},
        {"SCH-198: bound pods of a resource that the node lacks do no harm",
         POOL NODE_WITH("n1", "x: x", "", ROOM) BOUND_POD("x", "n1", "", DEVICE)
             POD("a", "", CPU("1")),
         NULL, "a@n1"},
        {"SCH-198: but a negative rest of any resource does",
         POOL NODE_WITH("n1", "x: x", "", ROOM ", example.com/gpu: '0'")
             BOUND_POD("x", "n1", "", DEVICE) POD("a", "", CPU("1")),
         NULL, "a+"},
        {"SCH-194: pods count",
         POOL NODE_WITH("n1", "x: x", "", "cpu: '4', memory: 8Gi, pods: '1'")
             POD("a", "", CPU("100m")) POD("b", "", CPU("100m")),
         NULL, "a@n1 b+"},
        {"SCH-192: an old label stands for the new key; two that differ leave nothing",
         POOL NODE_WITH("n1", "failure-domain.beta.kubernetes.io/zone: a, " LABEL_OF_ZONE ": b", "",
                        ROOM) NODE_WITH("n2", "topology.ebs.csi.aws.com/zone: a", "", ROOM)
             POD("a", "", "nodeSelector: {" LABEL_OF_ZONE ": a}, " CPU("1"))
                 POD("b", "", "nodeSelector: {" LABEL_OF_ZONE ": b}, " CPU("1")),
         NULL, "a@n2 b+"},
        {"SCH-194 step 5: well-known keys that the node lacks are missing labels",
         POOL NODE_WITH("n1", "x: x", "",
                        ROOM) POD("a", "", "nodeSelector: {kubernetes.io/os: linux}, " CPU("1"))
             POD("b", "", NEEDS("kubernetes.io/os", "NotIn", "windows") CPU("1")) POD(
                 "c", "", REQUIRED_TERMS(TERM_OF("{key: tier, operator: DoesNotExist}")) CPU("1"))
                 POD("d", "", REQUIRED_TERMS(TERM_OF("{key: tier, operator: Exists}")) CPU("1")),
         NULL, "a+ b@n1 c@n1 d!"},
        {"SCH-194 step 5: bounds are held against the label as an integer",
         POOL NODE_WITH("n1", "cores: '8', odd: x8", "", ROOM)
             POD("a", "", NEEDS("cores", "Gt", "'7'") CPU("1"))
                 POD("b", "", NEEDS("cores", "Lt", "'8'") CPU("1"))
                     POD("c", "", NEEDS("odd", "Gt", "'1'") CPU("1"))
                         POD("d", "", NEEDS("cores", "Gte", "'8'") CPU("1"))
                             POD("e", "", NEEDS("cores", "Lte", "'7'") CPU("1")),
         NULL, "a@n1 b! c! d@n1 e!"},
        {"SCH-194 step 5: preferences are asked of nodes as well, before a claim is opened",
         POOL NODE_WITH("n1", LABEL_OF_ZONE ": a", "", ROOM) POD(
             "a", "", PREFERRED_TERMS(PREFERENCE("1", REQUIRE(LABEL_OF_ZONE, "In", "b"))) CPU("1")),
         UPSTREAM, "a.zone=b"},
        {"SCH-196: what a pod takes is gone for the next, ports too",
         POOL NODE_WITH("n1", "x: x", "", ROOM)
             POD("a", "",
                 "containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: "
                 "80}]}]") POD("b", "",
                               "containers: [{name: c, image: i, ports: [{containerPort: 1, "
                               "hostPort: 80}]}]"),
         NULL, "a@n1 b+"},
        {"SCH-197: what pods ask does not become a label of the node",
         POOL NODE_WITH("n1", "x: x", "", ROOM)
             POD("a", "", NEEDS("tier", "NotIn", "gold") CPU("2"))
                 POD("b", "", NEEDS("tier", "In", "silver") CPU("1")),
         NULL, "a@n1 b!"},
    };
    CHECK_CASES(cases);
}

#define VOLUMES(list) "volumes: [" list "], " CPU("1")

static void alternatives_SCH_195_199(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-194 step 6: any alternative lets the pod in",
         "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: v, namespace: default, "
         "annotations: {pv.kubernetes.io/bind-completed: y1}}, spec: {volumeName: pv}}\n---\n"
         "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {csi: {driver: d, "
         "volumeHandle: h}, nodeAffinity: {required: {nodeSelectorTerms: [" TERM_OF(
             REQUIRE(LABEL_OF_ZONE, "In", "far")) ", " TERM_OF(REQUIRE(LABEL_OF_ZONE, "In",
                                                                       "b")) "]}}}}\n---\n" POOL
             NODE_WITH("n1", LABEL_OF_ZONE ": a", "", ROOM)
                 NODE_WITH("n2", LABEL_OF_ZONE ": b", "", ROOM)
                     POD("a", "", VOLUMES("{name: v, persistentVolumeClaim: {claimName: v}}")),
         NULL, "a@n2"},
        {"SCH-195: without volumes the rules between pods are asked once",
         POOL NODE_WITH("n1", HOST ": n1", "", ROOM)
             BOUND_POD("x", "n1", "app: web", "containers: [{name: c, image: i}]")
                 POD("a", "",
                     "affinity: {podAntiAffinity: "
                     "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " HOST
                     ", labelSelector: {matchLabels: {app: web}}}]}}, " CPU("1")),
         NULL, "a+"},
        {"SCH-199: a volume that is not there: no node is tried",
         POOL NODE_WITH(
             "n1", "x: x", "",
             ROOM) "{apiVersion: v1, kind: Node, metadata: {name: n0, uid: n0, deletionTimestamp: "
                   "'2026-01-01T00:00:00Z', finalizers: [f]}, status: {allocatable: {cpu: "
                   "'4'}}}\n---\n"
                   "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: v, namespace: "
                   "default}, spec: {volumeName: gone}}\n---\n" BOUND_POD(
                       "a", "n0", "", VOLUMES("{name: v, persistentVolumeClaim: {claimName: v}}")),
         NULL, "a!"},
    };
    CHECK_CASES(cases);
}

static void in_flight_SCH_200_490(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-200: labels, taints and room of the NodeClaim",
         POOL NODE_CLAIM("nc", ", labels: {karpenter.sh/nodepool: pool, " LABEL_OF_ZONE ": b}",
                         "p:1", "taints: [{key: t, effect: NoSchedule}], ", ROOM)
             POD("a", "",
                 "tolerations: [{key: t}], nodeSelector: {" LABEL_OF_ZONE ": b}, " CPU("1"))
                 POD("b", "", CPU("1")),
         NULL, "a@nc b+"},
        {"SCH-200: labels that user data would set are unknown",
         POOL_OF("pool", "", "", "", "{key: tier, operator: Exists}")
             NODE_CLAIM("nc", POOL_LABEL, "p:1", "", ROOM)
                 POD("a", "", "nodeSelector: {tier: gold}, " CPU("1")),
         NULL, "a+"},
        {"SCH-200: its startup taints do not matter",
         POOL NODE_CLAIM("nc", POOL_LABEL, "p:1", "startupTaints: [{key: t, effect: NoSchedule}], ",
                         ROOM) POD("a", "", CPU("1")),
         NULL, "a@nc"},
        {"SCH-490: one that is going takes nothing",
         POOL NODE_CLAIM("nc",
                         POOL_LABEL ", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: "
                                    "[f]",
                         "p:1", "", ROOM) POD("a", "", CPU("1")),
         NULL, "a+"},
        {"SCH-490: what the kubelet reports as 0 comes from the NodeClaim until it is initialized",
         POOL NODE_WITH("n1", MANAGED_LABELS ", karpenter.sh/registered: 'true'",
                        "providerID: 'p:1'", ROOM ", example.com/gpu: '0'")
             NODE_CLAIM("nc", POOL_LABEL, "p:1", "", ROOM ", example.com/gpu: '1'")
                 POD("a", "", DEVICE),
         NULL, "a@n1"},
        {"SCH-192: until it is registered the node is known by its NodeClaim's name and labels",
         POOL NODE_WITH("n1", MANAGED_LABELS ", tier: gold", "providerID: 'p:1'", ROOM)
             NODE_CLAIM("nc", ", labels: {karpenter.sh/nodepool: pool, tier: iron}", "p:1", "",
                        ROOM) POD("a", "", "nodeSelector: {tier: iron}, " CPU("1")),
         NULL, "a@nc"},
        {"SCH-51: a node that is nominated for others takes pods all the same",
         POOL NODE_WITH("n1", "x: x", "", ROOM) POD("a", "", CPU("1")), NULL, "a@n1"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_places_SCH_180_193),
        cmocka_unit_test(checks_of_a_node_SCH_192_198),
        cmocka_unit_test(alternatives_SCH_195_199),
        cmocka_unit_test(in_flight_SCH_200_490),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
