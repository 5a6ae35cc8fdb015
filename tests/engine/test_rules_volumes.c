// Volumes, taints and host ports, row by row: SCH-330 to SCH-358.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define HOST "kubernetes.io/hostname"
#define STORAGE_CLASS(name, provisioner, more)                                   \
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " name \
    "}, provisioner: " provisioner more "}\n---\n"
#define WAITS                ", volumeBindingMode: WaitForFirstConsumer"
#define TOPOLOGY(key, zones) "{matchLabelExpressions: [{key: " key ", values: [" zones "]}]}"
#define TOPOLOGIES(list)     WAITS ", allowedTopologies: [" list "]"
#define VOLUME_CLAIM(name, meta, spec, more)                               \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name \
    ", namespace: default" meta "}, spec: {" spec "}" more "}\n---\n"
#define UNBOUND(name, class)      VOLUME_CLAIM(name, "", "storageClassName: " class, "")
#define COMPLETED                 ", annotations: {pv.kubernetes.io/bind-completed: ''}"
#define BOUND_CLAIM(name, volume) VOLUME_CLAIM(name, COMPLETED, "volumeName: " volume, "")
#define VOLUME(name, meta, source, terms)                                                      \
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: " name meta "}, spec: {" source \
    ", nodeAffinity: {required: {nodeSelectorTerms: [" terms "]}}}}\n---\n"
#define CSI(driver)             "csi: {driver: " driver ", volumeHandle: h}"
#define IN_ZONES(zones)         TERM_OF(REQUIRE(LABEL_OF_ZONE, "In", zones))
#define USES_NAMED(name, claim) "{name: " name ", persistentVolumeClaim: {claimName: " claim "}}"
#define USES(claim)             "volumes: [" USES_NAMED("v", claim) "], " CPU("1")
#define USES_TWO(c1, c2)        "volumes: [" USES_NAMED("v", c1) ", " USES_NAMED("w", c2) "], " CPU("1")
#define EPHEMERAL \
    "volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {}}}}], " CPU("1")

static void topology_of_volumes_SCH_330_337(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-331: one alternative a term, the first that works",
         BOUND_CLAIM("v", "pv") VOLUME("pv", "", CSI("d"), IN_ZONES("nowhere") ", " IN_ZONES("c"))
             POOL POD("a", "", USES("v")),
         NULL, "a.zone=c"},
        {"SCH-331: expressions of one term hold together",
         BOUND_CLAIM("v", "pv") VOLUME("pv", "", CSI("d"),
                                       TERM_OF(REQUIRE(LABEL_OF_ZONE, "In", "a, b") ", " REQUIRE(
                                           LABEL_OF_ZONE, "NotIn", "a")))
             POOL POD("a", "", USES("v")),
         NULL, "a.zone=b"},
        {"SCH-331: a volume without node affinity binds nobody",
         BOUND_CLAIM("v", "pv") "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, "
                                "spec: {" CSI("d") "}}\n---\n" POOL POD("a", "", USES("v")),
         NULL, "a.zone=-"},
        {"SCH-332: a host path forgets its host, not its zone",
         BOUND_CLAIM("v", "pv")
             VOLUME("pv", "", "hostPath: {path: /x}",
                    TERM_OF(REQUIRE(HOST, "In", "gone") ", " REQUIRE(LABEL_OF_ZONE, "In", "b")))
                 POOL POD("a", "", USES("v")),
         NULL, "a.zone=b"},
        {"SCH-332: another volume fits its own node only",
         BOUND_CLAIM("v", "pv") VOLUME("pv", "", CSI("d"), TERM_OF(REQUIRE(HOST, "In", "n2")))
             POOL NODE_OF("n1", "x: x", "4") NODE_OF("n2", "x: x", "4") POD("a", "", USES("v")),
         NULL, "a@n2"},
        {"SCH-333: one alternative an allowed topology",
         STORAGE_CLASS("sc", "p",
                       TOPOLOGIES(TOPOLOGY(LABEL_OF_ZONE, "nowhere") ", " TOPOLOGY(
                           LABEL_OF_ZONE, "b, c"))) UNBOUND("v", "sc") POOL POD("a", "", USES("v")),
         NULL, "a.zone=b,c"},
        {"SCH-62, 333: the driver's own key for the zone",
         STORAGE_CLASS("sc", "ebs.csi.aws.com",
                       TOPOLOGIES(TOPOLOGY("topology.ebs.csi.aws.com/zone", "b")))
             UNBOUND("v", "sc") POOL POD("a", "", USES("v")),
         NULL, "a.zone=b"},
        {"SCH-62, 331: also on a volume, beside an old one",
         BOUND_CLAIM("v", "pv") VOLUME("pv", "", CSI("ebs.csi.aws.com"),
                                       TERM_OF(REQUIRE("topology.ebs.csi.aws.com/zone", "In", "c")))
             BOUND_CLAIM("w", "pw")
                 VOLUME("pw", "", CSI("ebs.csi.aws.com"),
                        TERM_OF(REQUIRE("failure-domain.beta.kubernetes.io/zone", "In", "b, c")))
                     POOL POD("a", "", USES_TWO("v", "w")),
         NULL, "a.zone=c"},
        {"SCH-334: terms without expressions are no alternative",
         BOUND_CLAIM("v", "pv") VOLUME("pv", "", CSI("d"),
                                       "{}, {matchFields: [{key: "
                                       "metadata.name, operator: In, values: "
                                       "[n1]}]}") POOL POD("a", "", USES("v")),
         NULL, "a.zone=-"},
        {"SCH-335: of two volumes the pairs that agree",
         BOUND_CLAIM("v", "pv") VOLUME("pv", "", CSI("d"), IN_ZONES("a") ", " IN_ZONES("b"))
             BOUND_CLAIM("w", "pw") VOLUME("pw", "", CSI("d"), IN_ZONES("c") ", " IN_ZONES("b"))
                 POOL POD("a", "", USES_TWO("v", "w")),
         NULL, "a.zone=b"},
        {"SCH-335: none agrees: an ordinary refusal",
         BOUND_CLAIM("v", "pv") VOLUME("pv", "", CSI("d"), IN_ZONES("a")) BOUND_CLAIM("w", "pw")
             VOLUME("pw", "", CSI("d"), IN_ZONES("b")) POOL POD("a", "", USES_TWO("v", "w")),
         NULL, "a!"},
        {"SCH-330: an ephemeral volume's claim is named after pod and volume",
         STORAGE_CLASS("sc", "p", TOPOLOGIES(TOPOLOGY(LABEL_OF_ZONE, "b")))
             UNBOUND("a-scratch", "sc") POOL POD("a", "", EPHEMERAL),
         NULL, "a.zone=b"},
        {"SCH-5, 343: not created yet: the pod waits; the objects that a text speaks of, as "
         "key=value",
         POOL POD("a", "", EPHEMERAL), NULL, "a!",
         "a: discovering persistent volume claim, getting persistent volume claim, "
         "persistentvolumeclaims \"a-scratch\" not found "
         "(PersistentVolumeClaim=default/a-scratch)"},
        {"SCH-330: other volumes need nothing",
         POOL POD("a", "",
                  "volumes: [{name: v, emptyDir: {}}, {name: w, configMap: {name: m}}], " CPU("1")),
         NULL, "a+"},
        {"SCH-337, 36: a pod of a deleting node goes through the same step, and is not placed "
         "without its volume",
         POOL "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, labels: {x: x}, "
              "deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [f]}, status: {allocatable: "
              "{cpu: '4', memory: 8Gi, pods: '9'}}}\n---\n" BOUND_POD("a", "n1", "", USES("gone"))
                  BOUND_POD("b", "n1", "", USES("v")) STORAGE_CLASS(
                      "sc", "p", TOPOLOGIES(TOPOLOGY(LABEL_OF_ZONE, "b"))) UNBOUND("v", "sc"),
         NULL, "a! b.zone=b", "a: persistentvolumeclaims \"gone\" not found"},
        {"SCH-168: alternatives are all tried before anything is relaxed",
         BOUND_CLAIM("v", "pv") VOLUME("pv", "", CSI("d"), IN_ZONES("a") ", " IN_ZONES("b"))
             POOL POD("a", "",
                      PREFERRED_TERMS(PREFERENCE("1", REQUIRE(LABEL_OF_ZONE, "In", "b")))
                          USES("v")),
         NULL, "a.zone=b"},
    };
    CHECK_CASES(cases);
}

static void validation_of_volumes_SCH_341_342(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-341 step 2",
         STORAGE_CLASS("sc", "p", WAITS)
             VOLUME_CLAIM("v", ", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [f]",
                          "storageClassName: sc", "") POOL POD("a", "", USES("v")),
         NULL, "a!", "a: persistentvolumeclaim is being deleted (PersistentVolumeClaim=default/v)"},
        {"SCH-341 step 3",
         VOLUME_CLAIM("v", "", "volumeName: pv", ", status: {phase: Lost}")
             POOL POD("a", "", USES("v")),
         NULL, "a!",
         "a: persistentvolumeclaim bound to non-existent persistentvolume (PersistentVolume=pv, "
         "PersistentVolumeClaim=default/v)"},
        {"SCH-341 step 4: the volume is gone", BOUND_CLAIM("v", "pv") POOL POD("a", "", USES("v")),
         NULL, "a!",
         "a: failed to validate pvc, persistentvolumes \"pv\" not found (PersistentVolume=pv, "
         "PersistentVolumeClaim=default/v, StorageClass=)"},
        {"SCH-341 step 4: the volume is going",
         BOUND_CLAIM("v", "pv")
             VOLUME("pv", ", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [f]", CSI("d"),
                    IN_ZONES("a")) POOL POD("a", "", USES("v")),
         NULL, "a!", "a: persistentvolume is being deleted"},
        {"SCH-341 step 4: not completed",
         VOLUME_CLAIM("v", "", "volumeName: pv", "") VOLUME("pv", "", CSI("d"), IN_ZONES("a"))
             POOL POD("a", "", USES("v")),
         NULL, "a!",
         "a: pvc is considered unbound because it does not contain annotation "
         "(PersistentVolume=pv, PersistentVolumeClaim=default/v, "
         "annotation=pv.kubernetes.io/bind-completed)"},
        {"SCH-341 step 5: no class",
         VOLUME_CLAIM("v", "", "storageClassName: ''", "") POOL POD("a", "", USES("v")), NULL, "a!",
         "a: unbound pvc must define a storage class (PersistentVolumeClaim=default/v, "
         "StorageClass=)"},
        {"SCH-341 step 5: the class is missing", UNBOUND("v", "sc") POOL POD("a", "", USES("v")),
         NULL, "a!",
         "a: failed to validate pvc, failed to get storage class, storageclasses.storage.k8s.io "
         "\"sc\" not found"},
        {"SCH-341 step 5: a volume that is bound at once",
         STORAGE_CLASS("sc", "p", ", volumeBindingMode: Immediate") UNBOUND("v", "sc")
             POOL POD("a", "", USES("v")),
         NULL, "a!",
         "a: failed to validate pvc, pvc with immediate volume binding mode must be bound "
         "(PersistentVolumeClaim=default/v, StorageClass=sc)"},
        {"SCH-342: the mode unset, and a bound claim of a missing class",
         STORAGE_CLASS("sc", "p", "") UNBOUND("v", "sc")
             VOLUME_CLAIM("w", COMPLETED, "volumeName: pv, storageClassName: gone", "")
                 VOLUME("pv", "", CSI("d"), IN_ZONES("a")) POOL POD("a", "", USES_TWO("v", "w")),
         NULL, "a.zone=a"},
        {"SCH-341: the first volume's error is told",
         UNBOUND("v", "s1") UNBOUND("w", "s2") POOL POD("a", "", USES_TWO("v", "w")), NULL, "a!",
         "a: storageclasses.storage.k8s.io \"s1\" not found"},
    };
    CHECK_CASES(cases);
}

#define CSI_NODE(node, drivers)                                             \
    "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: " node \
    "}, spec: {drivers: [" drivers "]}}\n---\n"
#define DRIVER(name, allocatable) "{name: " name ", nodeID: n1" allocatable "}"
#define COUNT(count)              ", allocatable: {count: " count "}"
#define LIMITED(driver)                \
    STORAGE_CLASS("sc", driver, WAITS) \
    UNBOUND("v1", "sc") UNBOUND("v2", "sc") UNBOUND("v3", "sc") POOL NODE_OF("n1", "x: x", "8")

static void limits_of_nodes_SCH_350_353(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-350: the claims of bound pods and of the pod, each once",
         LIMITED("d") CSI_NODE("n1", DRIVER("d", COUNT("2"))) BOUND_POD("x", "n1", "", USES("v1"))
             POD("a", "", USES_TWO("v1", "v2")) POD("b", "", USES("v3")),
         NULL, "a@n1 b+"},
        {"SCH-350: a node over its limit refuses pods without volumes too",
         LIMITED("d") CSI_NODE("n1", DRIVER("d", COUNT("1")))
             BOUND_POD("x", "n1", "", USES_TWO("v1", "v2")) POD("a", "", CPU("1")),
         NULL, "a+"},
        {"SCH-350: every driver has a limit of its own",
         LIMITED("d") STORAGE_CLASS("other", "e", WAITS) UNBOUND("w1", "other")
             CSI_NODE("n1", DRIVER("d", COUNT("1")) ", " DRIVER("e", COUNT("1")))
                 POD("a", "", USES("v1")) POD("b", "", USES("w1")) POD("c", "", USES("v2")),
         NULL, "a@n1 b@n1 c+"},
        {"SCH-353: without allocatable there is no limit",
         LIMITED("d") CSI_NODE("n1", DRIVER("d", "")) POD("a", "", USES_TWO("v1", "v2"))
             POD("b", "", USES("v3")),
         NULL, "a@n1 b@n1"},
        {"SCH-353: allocatable without a count is none at all",
         LIMITED("d") CSI_NODE("n1", DRIVER("d", ", allocatable: {}")) POD("a", "", USES("v1")),
         NULL, "a+"},
        {"SCH-351: an in-tree provisioner counts as its driver",
         LIMITED("kubernetes.io/aws-ebs") CSI_NODE("n1", DRIVER("ebs.csi.aws.com", COUNT("1")))
             POD("a", "", USES("v1")) POD("b", "", USES("v2")),
         NULL, "a@n1 b+"},
        {"SCH-351: and so does an in-tree volume",
         BOUND_CLAIM(
             "w", "pw") "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pw}, spec: "
                        "{awsElasticBlockStore: {volumeID: vol-1}}}\n---\n" LIMITED(
                            "ebs.csi.aws.com") CSI_NODE("n1", DRIVER("ebs.csi.aws.com", COUNT("1")))
                            BOUND_POD("x", "n1", "", USES("w")) POD("a", "", USES("v1")),
         NULL, "a+"},
        {"SCH-351, 491: a volume of another kind is not counted",
         BOUND_CLAIM("w", "pw") "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pw}, "
                                "spec: {nfs: {server: "
                                "s, path: /x}}}\n---\n" LIMITED("d")
                                    CSI_NODE("n1", DRIVER("d", COUNT("0"))) POD("a", "", USES("w")),
         NULL, "a@n1"},
        {"SCH-352: a bound pod's missing claim is skipped, its others count",
         LIMITED("d") CSI_NODE("n1", DRIVER("d", COUNT("1")))
             BOUND_POD("x", "n1", "", USES_TWO("gone", "v1")) POD("a", "", USES("v2")),
         NULL, "a+"},
        {"SCH-491: pods that share a claim fit together",
         LIMITED("d") CSI_NODE("n1", DRIVER("d", COUNT("1"))) POD("a", "", USES("v1"))
             POD("b", "", USES("v1")) POD("c", "", USES("v1")),
         NULL, "a@n1 b@n1 c@n1"},
    };
    CHECK_CASES(cases);
}

#define TAINTED_NODE(taints)                                                                       \
    "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, labels: {kubernetes.io/hostname: " \
    "n1}}, spec: {taints: [" taints                                                                \
    "]}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}}\n---\n"
#define TOLERATES(list) "tolerations: [" list "], "
// A managed node during startup: registered or also initialized, by `labels`.
#define JOINING(labels, taints)                                                                    \
    "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, labels: {kubernetes.io/hostname: " \
    "n1, karpenter.sh/nodepool: pool, node.kubernetes.io/instance-type: small" labels              \
    "}}, spec: {providerID: 'p:1', taints: [" taints                                               \
    "]}, status: {capacity: {cpu: '4', memory: 8Gi, pods: '9'}, allocatable: {cpu: '4', "          \
    "memory: 8Gi, pods: '9'}}}\n---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: "    \
    "{name: nc, uid: nc, labels: {karpenter.sh/nodepool: pool}}, spec: {nodeClassRef: {group: g, " \
    "kind: C, name: c}, requirements: [], startupTaints: [{key: boot, value: up, effect: "         \
    "NoSchedule}]}, status: {providerID: 'p:1', capacity: {cpu: '4', memory: 8Gi, pods: '9'}, "    \
    "allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}}\n---\n"
#define REGISTERED  ", karpenter.sh/registered: 'true'"
#define INITIALIZED REGISTERED ", karpenter.sh/initialized: 'true'"

static void taints_SCH_355_358(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-355: every taint, whatever its effect",
         POOL TAINTED_NODE("{key: k, effect: NoExecute}, {key: l, effect: NoSchedule}")
             POD("a", "", TOLERATES("{key: k, operator: Exists}") CPU("1")),
         NULL, "a+"},
        {"SCH-355: an empty key with Exists tolerates all",
         POOL TAINTED_NODE("{key: k, effect: NoExecute}, {key: l, effect: NoSchedule}")
             POD("a", "", TOLERATES("{operator: Exists}") CPU("1")),
         NULL, "a@n1"},
        {"SCH-355: an effect narrows the toleration",
         POOL TAINTED_NODE("{key: k, effect: NoExecute}")
             POD("a", "", TOLERATES("{key: k, operator: Exists, effect: NoSchedule}") CPU("1")),
         NULL, "a+"},
        {"SCH-355: Equal is the default, and wants the value",
         POOL TAINTED_NODE("{key: k, value: v, effect: NoSchedule}")
             POD("a", "", TOLERATES("{key: k, value: v}") CPU("1"))
                 POD("b", "", TOLERATES("{key: k, value: w}") CPU("1")),
         NULL, "a@n1 b+"},
        {"SCH-355: Gt and Lt compare integers",
         POOL TAINTED_NODE("{key: k, value: '5', effect: NoSchedule}")
             POD("a", "", TOLERATES("{key: k, operator: Gt, value: '4'}") CPU("1"))
                 POD("b", "", TOLERATES("{key: k, operator: Lt, value: '5'}") CPU("1")),
         NULL, "a@n1 b+"},
        {"SCH-4, 355: all missing tolerations are told",
         POOL_OF("pool", "", "",
                 "taints: [{key: k, value: v, effect: NoSchedule}, {key: l, effect: "
                 "NoExecute}], ",
                 "") POD("a", "", CPU("1")),
         NULL, "a!",
         "a: did not tolerate taint (taint=k=v:NoSchedule); did not tolerate taint "
         "(taint=l:NoExecute)"},
        {"SCH-357: startup taints and known ephemeral ones before initialization",
         POOL JOINING(REGISTERED, "{key: boot, value: down, effect: NoSchedule}, {key: "
                                  "node.kubernetes.io/not-ready, effect: NoExecute}, {key: "
                                  "node.cloudprovider.kubernetes.io/uninitialized, value: 'true', "
                                  "effect: NoSchedule}, {key: node.kubernetes.io/unreachable, "
                                  "effect: NoSchedule}") POD("a", "", CPU("1")),
         NULL, "a@n1"},
        {"SCH-357: another taint refuses also then",
         POOL JOINING(REGISTERED, "{key: team, effect: NoSchedule}") POD("a", "", CPU("1")), NULL,
         "a+"},
        {"SCH-357: not registered, the NodeClaim's taints count, not the Node's",
         POOL JOINING("",
                      "{key: karpenter.sh/unregistered, effect: NoExecute}, {key: team, effect: "
                      "NoSchedule}") POD("a", "", CPU("1")),
         NULL, "a@nc"},
        {"SCH-357: initialized, all of them refuse",
         POOL JOINING(INITIALIZED, "{key: node.kubernetes.io/not-ready, effect: NoSchedule}")
             POD("a", "", CPU("1")),
         NULL, "a+"},
        {"SCH-357: a Node that is not ready but has no taint is used",
         POOL "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, labels: {x: x}}, status: "
              "{conditions: [{type: Ready, status: 'False'}], allocatable: {cpu: '4', memory: 8Gi, "
              "pods: '9'}}}\n---\n" POD("a", "", CPU("1")),
         NULL, "a@n1"},
        {"SCH-358: cordoned, and on the way out",
         POOL TAINTED_NODE("{key: node.kubernetes.io/unschedulable, effect: NoSchedule}")
             POD("a", "", CPU("1")),
         NULL, "a+"},
        {"SCH-358: the taint of a disruption",
         POOL TAINTED_NODE("{key: karpenter.sh/disrupted, effect: NoSchedule}")
             POD("a", "", CPU("1")) POD("b", "", TOLERATES("{operator: Exists}") CPU("1")),
         NULL, "a+ b@n1"},
    };
    CHECK_CASES(cases);
}

#define PORTS(list) "containers: [{name: c, image: i, ports: [" list "]}]"
#define PORT(more)  "{containerPort: 1, hostPort: 80" more "}"
#define SIDECAR_PORT                                                             \
    "initContainers: [{name: s, image: i, restartPolicy: Always, ports: [" PORT( \
        "") "]}], "                                                              \
            "containers: [{name: c, image: i}]"

static void host_ports_SCH_356(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"the same port of two addresses",
         POOL POD("a", "", PORTS(PORT(", hostIP: 10.0.0.1")))
             POD("b", "", PORTS(PORT(", hostIP: 10.0.0.2"))),
         NULL, "a=b"},
        {"one of them is any address",
         POOL POD("a", "", PORTS(PORT(", hostIP: 10.0.0.1")))
             POD("b", "", PORTS(PORT(", hostIP: '::'"))),
         NULL, "a/b"},
        {"another protocol",
         POOL POD("a", "", PORTS(PORT(", protocol: TCP")))
             POD("b", "", PORTS(PORT(", protocol: SCTP"))),
         NULL, "a=b"},
        {"a port of the container alone",
         POOL POD("a", "", PORTS("{containerPort: 80}")) POD("b", "", PORTS("{containerPort: 80}")),
         NULL, "a=b"},
        {"a sidecar's port counts", POOL POD("a", "", SIDECAR_PORT) POD("b", "", PORTS(PORT(""))),
         NULL, "a/b"},
        {"an init container's does not, for it has ended",
         POOL POD("a", "",
                  "initContainers: [{name: s, image: i, ports: [" PORT("") "]}], containers: "
                                                                           "[{name: c, image: i}]")
             POD("b", "", PORTS(PORT(""))),
         NULL, "a=b"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topology_of_volumes_SCH_330_337),
        cmocka_unit_test(validation_of_volumes_SCH_341_342),
        cmocka_unit_test(limits_of_nodes_SCH_350_353),
        cmocka_unit_test(taints_SCH_355_358),
        cmocka_unit_test(host_ports_SCH_356),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
