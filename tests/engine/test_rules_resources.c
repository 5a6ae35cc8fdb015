// Resources, DaemonSet overhead and pools, row by row: SCH-40 to SCH-49, SCH-110 to SCH-148.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define ARCH(value)    "nodeSelector: {kubernetes.io/arch: " value "}, "
#define ASKS(requests) "containers: [{name: c, image: i, resources: {requests: {" requests "}}}]"
#define INIT(more, request) \
    "{name: i" request ", image: i, " more "resources: {requests: {cpu: " request "}}}"
#define ROOM "cpu: '4', memory: 8Gi, pods: '9'"
#define ONE(capacity, more)                                                            \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, spec: " \
    "{instanceTypes: [{name: t, capacity: {" capacity "}, " more                       \
    "offerings: [" OFFER("a", "spot", "1", "") "]}]}}\n---\n"

static void amounts_SCH_110_118(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-110 step 3: a sidecar runs beside what starts after it, not before",
         POOL POD("a", "",
                  "initContainers: [" INIT("", "3") ", " INIT(
                      "restartPolicy: Always, ", "1") ", " INIT("", "2") "], " CPU("500m")),
         NULL, "a.cpu=3000"},
        {"SCH-110 step 3: nor does a later sidecar count for an earlier one's start",
         POOL POD("a", "",
                  "initContainers: [" INIT("restartPolicy: Always, ", "1") ", " INIT(
                      "restartPolicy: Always, ", "2") ", " INIT("", "4") "], " CPU("500m")),
         NULL, "a.cpu=7000"},
        {"SCH-110 step 5: the pod's own memory replaces, its other names do not count",
         POOL POD("a", "",
                  "resources: {requests: {memory: 1Gi, example.com/gpu: '2'}}, " ASKS(
                      "cpu: '1', memory: 3Gi")),
         NULL, "a.cpu=1000 a.memory=1073741824 a.types=small,medium,arm,large,gpu"},
        {"SCH-110 step 6: overhead comes on top, by name",
         POOL POD("a", "", "overhead: {cpu: 250m, example.com/gpu: '1'}, " CPU("1")), NULL,
         "a.cpu=1250 a.types=gpu"},
        {"SCH-111: a pod is one of pods, whatever it says",
         POOL POD("a", "", ASKS("cpu: '1', pods: '7'")), NULL, "a.pods=1"},
        {"SCH-113: names add up on their own",
         POOL POD("a", "", ASKS("example.com/gpu: '1'")) POD("b", "", ASKS("cpu: '2'")), NULL,
         "a=b a.cpu=2000 a.example.com/gpu=1"},
        {"SCH-114: asking for none of what is not there",
         POOL POD("a", "", ASKS("cpu: '1', example.com/x: '0'")), NULL, "a+"},
        {"SCH-114: a type whose memory is all kept back holds nothing, whatever is asked",
         ONE(ROOM, "overhead: {kubeReserved: {memory: 9Gi}}, ") POOL POD("a", "", CPU("1")), NULL,
         "a!", "a: nodepool requirements filtered out all available instance types", .bare = true},
        {"SCH-115: exact amounts, up to the last milli",
         ONE(ROOM, "overhead: {kubeReserved: {cpu: 100m}}, ") POOL POD("a", "", CPU("3900m"))
             POD("b", "", CPU("3901m")),
         NULL, "a+ b!", .bare = true},
        {"SCH-116: a request for nodes is no request for a node's share",
         POOL_OF("pool", "limits: {nodes: '1'}, ", "", "", "") POD("a", "", CPU("1")), NULL, "a+"},
        {"SCH-117: huge pages are taken from memory",
         ONE("cpu: '4', memory: 8Gi, pods: '9', hugepages-2Mi: 6Gi", "")
             POOL POD("a", "", ASKS("memory: 3Gi")) POD("b", "", ASKS("memory: 2Gi")),
         NULL, "a! b+", .bare = true},
        {"SCH-117: not below nothing",
         ONE("cpu: '4', memory: 4Gi, pods: '9', hugepages-1Gi: 6Gi", "")
             POOL POD("a", "", CPU("1")),
         NULL, "a+", .bare = true},
        {"SCH-117: what is kept back of a name that the type lacks",
         ONE(ROOM, "overhead: {systemReserved: {example.com/x: '1'}}, ")
             POOL POD("a", "", CPU("1")),
         NULL, "a+", .bare = true},
        {"SCH-118: an offering may have more kept back",
         CATALOG_OF(TYPE_OF("t", "", ROOM,
                            OFFER("a", "spot", "1", "") ", " OFFER(
                                "b", "spot", "1", "overheadOverride: {cpu: '2'}, ")))
             POOL POD("a", "", "nodeSelector: {" LABEL_OF_ZONE ": b}, " CPU("3"))
                 POD("b", "", "nodeSelector: {" LABEL_OF_ZONE ": a}, " CPU("3")),
         NULL, "a! b+", .bare = true},
        {"SCH-119, 372: the claim's requests are its pods' and, once, its DaemonSets'",
         POOL DAEMON_SET("d", ASKS("cpu: '1', memory: 1Gi")) POD("a", "", CPU("1"))
             POD("b", "", CPU("1")),
         NULL, "a=b a.cpu=3000 a.memory=1073741824 a.pods=3"},
    };
    CHECK_CASES(cases);
}

#define POD_OF_DAEMON(name, daemon, created, node, more, spec)                                 \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name                    \
    ", creationTimestamp: '" created "', ownerReferences: [{apiVersion: apps/v1, kind: "       \
    "DaemonSet, name: " daemon ", uid: d-" daemon more "}]}, spec: {nodeName: " node ", " spec \
    "}, status: {phase: Running}}\n---\n"
#define CONTROLLER                 ", controller: true"
#define TAINTED_POOL(taints, more) POOL_OF("pool", "", "", "taints: [" taints "], " more, "")
#define TOLERATES_T                "tolerations: [{key: t, operator: Exists}], "
#define FULL                       "cpu: '0', memory: 8Gi, pods: '20'"
#define LIMIT_RANGE(name, item)                                                                 \
    "{apiVersion: v1, kind: LimitRange, metadata: {name: " name ", namespace: default}, spec: " \
    "{limits: [{type: Container, " item "}]}}\n---\n"
#define BARE "containers: [{name: c, image: i}]"

static void daemon_sets_SCH_140_148(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-140: the newest pod stands for the DaemonSet",
         POOL DAEMON_SET("d", CPU("1")) NODE_OF("n1", "x: x", "0")
             POD_OF_DAEMON("d-1", "d", "2025-01-01T00:00:00Z", "n1", CONTROLLER, CPU("3"))
                 POD_OF_DAEMON("d-2", "d", "2025-01-02T00:00:00Z", "n1", CONTROLLER, CPU("2"))
                     POD("a", "", CPU("1")),
         NULL, "a.cpu=3000"},
        {"SCH-140: a pod that is merely owned does not",
         POOL DAEMON_SET("d", CPU("1")) NODE_OF("n1", "x: x", "0") POD_OF_DAEMON(
             "d-1", "d", "2025-01-01T00:00:00Z", "n1", "", CPU("3")) POD("a", "", CPU("1")),
         NULL, "a.cpu=2000"},
        {"SCH-140: its node selector and tolerations are the pod's",
         TAINTED_POOL("{key: t, effect: NoSchedule}", "") DAEMON_SET("d", CPU("1")) NODE_OF(
             "n1", "x: x", "0") POD_OF_DAEMON("d-1", "d", "2025-01-01T00:00:00Z", "n1", CONTROLLER,
                                              ARCH("arm64") TOLERATES_T CPU("1"))
             POD("a", "", TOLERATES_T ARCH("arm64") CPU("1"))
                 POD("b", "", TOLERATES_T ARCH("amd64") CPU("1")),
         NULL, "a.cpu=2000 b.cpu=1000"},
        {"SCH-140: its affinity is the template's, not the one node's that it was given",
         POOL DAEMON_SET("d", CPU("1")) NODE_OF("n1", "x: x", "0") POD_OF_DAEMON(
             "d-1", "d", "2025-01-01T00:00:00Z", "n1", CONTROLLER,
             "affinity: {nodeAffinity: "
             "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
             "[{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}}}, " CPU("1"))
             POD("a", "", CPU("1")),
         NULL, "a.cpu=2000"},
        {"SCH-142, 112: limits become requests, container by container",
         POOL DAEMON_SET("d",
                         "initContainers: [{name: s, image: i, resources: {limits: {cpu: '3'}}}], "
                         "containers: [{name: c, image: i, resources: {limits: {cpu: '1', "
                         "memory: 1Gi}, requests: {cpu: 500m}}}]") POD("a", "", CPU("500m")),
         NULL, "a.cpu=3500 a.memory=1073741824"},
        {"SCH-112: a pending pod's limits do not, once the API server has stored it",
         POOL
         "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, deletionTimestamp: "
         "'2026-01-01T00:00:00Z', finalizers: [f]}, status: {allocatable: {cpu: "
         "'4'}}}\n---\n" BOUND_POD(
             "a", "n1", "", "containers: [{name: c, image: i, resources: {limits: {cpu: '1'}}}]"),
         NULL, "a.cpu=0"},
        {"SCH-142: the namespace's LimitRange completes a template",
         POOL LIMIT_RANGE("l", "default: {cpu: '2'}, defaultRequest: {cpu: '1'}")
             DAEMON_SET("d", BARE) POD("a", "", CPU("1")),
         NULL, "a.cpu=2000"},
        {"SCH-142: its largest stands for what it does not say, then its least",
         POOL LIMIT_RANGE("l", "max: {cpu: '2'}, min: {memory: 1Gi}") DAEMON_SET("d", BARE)
             POD("a", "", ASKS("cpu: '1', memory: '0'")),
         NULL, "a.cpu=3000 a.memory=1073741824"},
        {"SCH-142, 472: of several LimitRanges the first by name",
         POOL LIMIT_RANGE("l2", "defaultRequest: {cpu: '2'}")
             LIMIT_RANGE("l1", "defaultRequest: {cpu: '1'}") DAEMON_SET("d", BARE)
                 POD("a", "", ASKS("cpu: '1'")),
         NULL, "a.cpu=2000"},
        {"SCH-142: not another namespace's, nor one for pods",
         POOL "{apiVersion: v1, kind: LimitRange, metadata: {name: l, namespace: far}, spec: "
              "{limits: [{type: Container, defaultRequest: {cpu: '1'}}]}}\n---\n"
              "{apiVersion: v1, kind: LimitRange, metadata: {name: m, namespace: default}, spec: "
              "{limits: [{type: Pod, max: {cpu: '1'}}]}}\n---\n" DAEMON_SET("d", BARE)
                  POD("a", "", ASKS("cpu: '1'")),
         NULL, "a.cpu=1000"},
        {"SCH-143: a taint that it does not tolerate, and a startup taint",
         TAINTED_POOL("{key: t, effect: NoSchedule}",
                      "startupTaints: [{key: b, effect: NoSchedule}], ") DAEMON_SET("d", CPU("1"))
             DAEMON_SET("e", TOLERATES_T CPU("2")) POD("a", "", TOLERATES_T CPU("1")),
         NULL, "a.cpu=3000"},
        {"SCH-143: soft taints keep no DaemonSet away",
         TAINTED_POOL("{key: t, effect: PreferNoSchedule}", "") DAEMON_SET("d", CPU("1"))
             POD("a", "", TOLERATES_T CPU("1")),
         NULL, "a.cpu=2000"},
        {"SCH-143, 144: any required term, for each type anew",
         POOL DAEMON_SET(
             "d", REQUIRED_TERMS(TERM_OF(REQUIRE("kubernetes.io/arch", "In", "arm64")) ", " TERM_OF(
                      REQUIRE("example.com/size", "In", "'2'")))
                      CPU("1")) POD("a", "", ARCH("arm64") CPU("1"))
             POD("b", "", "nodeSelector: {node.kubernetes.io/instance-type: small}, " CPU("500m"))
                 POD("c", "",
                     "nodeSelector: {node.kubernetes.io/instance-type: medium}, " CPU("1")),
         NULL, "a.cpu=2000 b.cpu=1500 c.cpu=1000"},
        {"SCH-143: preferences and rules between pods are not looked at",
         POOL DAEMON_SET(
             "d", "affinity: {nodeAffinity: "
                  "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
                  "preference: {matchExpressions: [{key: kubernetes.io/arch, operator: "
                  "In, values: [mips]}]}}]}, podAffinity: "
                  "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                  "kubernetes.io/hostname, labelSelector: {matchLabels: {app: x}}}]}}, " CPU("1"))
             POD("a", "", CPU("1")),
         NULL, "a.cpu=2000"},
        {"SCH-143, 148: selectors on what the pool gives, and on being registered or initialized",
         POOL_OF("pool", "", "team: blue", "", "")
             DAEMON_SET("d", "nodeSelector: {team: blue, karpenter.sh/initialized: 'true', "
                             "karpenter.sh/registered: 'true'}, " CPU("1"))
                 DAEMON_SET("e", "nodeSelector: {team: red}, " CPU("1")) POD("a", "", CPU("1")),
         NULL, "a.cpu=2000"},
        {"SCH-489: NotIn on an unknown key counts, on a known one it does not",
         POOL_OF("pool", "", "team: blue", "", "")
             DAEMON_SET("d", REQUIRED_TERMS(TERM_OF(REQUIRE("foo", "NotIn", "bar"))) CPU("1"))
                 DAEMON_SET("e", REQUIRED_TERMS(TERM_OF(REQUIRE("team", "NotIn", "blue"))) CPU("1"))
                     POD("a", "", CPU("1")),
         NULL, "a.cpu=2000"},
        {"SCH-146: a DaemonSet that leaves no room rules the type out, for its type alone",
         POOL DAEMON_SET("d", "nodeSelector: {example.com/size: '4'}, " CPU("3500m"))
             POD("a", "", CPU("1")),
         NULL, "a.types=small,large,gpu"},
        {"SCH-146: one that fits no type costs nothing",
         POOL DAEMON_SET("d", ARCH("mips") CPU("1")) POD("a", "", CPU("1")), NULL, "a.cpu=1000"},
        {"SCH-147: on a node, what the DaemonSets still lack is kept free",
         POOL DAEMON_SET("d", CPU("2")) NODE_OF("n1", "x: x", "4") POD("a", "", CPU("3"))
             POD("b", "", CPU("2")),
         NULL, "a+ b@n1"},
        {"SCH-147: what runs there already is not kept twice, and more than expected is no gift",
         POOL DAEMON_SET("d", CPU("1")) NODE_OF("n1", "x: x", "4")
             POD_OF_DAEMON("d-1", "d", "2025-01-01T00:00:00Z", "n1", CONTROLLER, CPU("1"))
                 POD_OF_DAEMON("e-1", "e", "2025-01-01T00:00:00Z", "n1", CONTROLLER, CPU("1"))
                     POD("a", "", CPU("2")) POD("b", "", CPU("100m")),
         NULL, "a@n1 b+"},
        {"SCH-147: the node's taints and labels decide, missing keys deny",
         POOL DAEMON_SET("d", "nodeSelector: {kubernetes.io/os: linux}, " CPU("4"))
             NODE_OF("n1", "x: x", "4") POD("a", "", CPU("4")),
         NULL, "a@n1"},
        {"SCH-147: any of its terms",
         POOL DAEMON_SET("d", REQUIRED_TERMS(TERM_OF(REQUIRE("disk", "In", "hdd")) ", " TERM_OF(
                                  REQUIRE("disk", "In", "ssd"))) CPU("2"))
             NODE_OF("n1", "disk: ssd", "4") POD("a", "", CPU("3")),
         NULL, "a+"},
        {"SCH-147: soft taints do not keep it off a node either",
         POOL DAEMON_SET("d", CPU("2")) "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: "
                                        "n1, labels: {x: x}}, spec: "
                                        "{taints: [{key: t, effect: PreferNoSchedule}]}, status: "
                                        "{allocatable: {" ROOM
                                        "}}}\n---\n" POD("a", "", TOLERATES_T CPU("3")),
         NULL, "a+"},
        {"SCH-148: an existing node is initialized only when its label says so",
         POOL DAEMON_SET("d", "nodeSelector: {karpenter.sh/initialized: 'true'}, " CPU("4"))
             NODE_OF("n1", "x: x", "4") POD("a", "", CPU("4")),
         NULL, "a@n1"},
    };
    CHECK_CASES(cases);
}

#define READY(status)                                        \
    ", status: {conditions: [{type: Ready, status: '" status \
    "', reason: R, message: m, lastTransitionTime: '2026-01-01T00:00:00Z'}]}"
#define POOL_STATE(name, meta, spec, status)                                                       \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name ", uid: u-" name meta   \
    "}, spec: {" spec "template: {spec: {nodeClassRef: {group: g, kind: Class, name: c}}}}" status \
    "}\n---\n"
#define NOTHING ", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [f]"

static void pools_SCH_40_49(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-40: ready, not static, not going",
         POOL_STATE("p4", "", "", READY("True")) POOL_STATE("p1", "", "weight: 9, ", READY("False"))
             POOL_STATE("p2", "", "weight: 9, ", READY("Unknown"))
                 POOL_STATE("p3", NOTHING, "weight: 9, ", READY("True")) POOL_STATE(
                     "p5", "", "weight: 9, replicas: 0, ", READY("True")) POD("a", "", CPU("1")),
         NULL, "a.pool=p4"},
        {"SCH-42: by weight, none being 0, then by name, the later first",
         POOL_STATE("pb", "", "", "") POOL_STATE("pc", "", "", "")
             POOL_STATE("pa", "", "weight: 1, ", "") POD("a", "", CPU("1")),
         "COMPATIBILITY: upstream", "a.pool=pa"},
        {"SCH-43: a pool without types is passed over",
         "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: e}, spec: {nodePools: "
         "[pz], instanceTypes: []}}\n---\n" POOL_STATE("pz", "", "weight: 9, ", "")
             POOL POD("a", "", CPU("1")),
         NULL, "a.pool=pool"},
        {"SCH-44: requirements and labels together are the template's",
         POOL_OF("pool", "", LABEL_OF_ZONE ": b", "", REQUIRE(LABEL_OF_ZONE, "In", "a, b"))
             POD("a", "", CPU("1")),
         NULL,
         "a.zone=b a{" LABEL_OF_ZONE "}=b a[g/class]=c a{g/class}=c a[karpenter.sh/nodepool]=pool"},
        {"SCH-44: bounds of a pool",
         POOL_REQUIRING(REQUIRE("example.com/size", "Gte", "'4'") ", " REQUIRE(
             "example.com/size", "Lte", "'8'")) POD("a", "", CPU("1")),
         NULL, "a.types=medium,arm,gpu"},
        {"SCH-45: the types that the pool's requirements leave",
         POOL_REQUIRING(REQUIRE("karpenter.sh/capacity-type", "In", "spot") ", " REQUIRE(
             LABEL_OF_ZONE, "NotIn", "a, b")) POD("a", "", CPU("1")),
         NULL, "a!", "a: nodepool requirements filtered out all available instance types"},
        {"SCH-49: health of earlier launches is not asked",
         "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: sick, uid: s}, spec: "
         "{weight: 9, template: {spec: {nodeClassRef: {group: g, kind: Class, name: c}}}}, status: "
         "{conditions: [{type: NodeRegistrationHealthy, status: 'False', reason: R, message: m, "
         "lastTransitionTime: '2026-01-01T00:00:00Z'}]}}\n---\n" POOL POD("a", "", CPU("1")),
         NULL, "a.pool=sick"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_SCH_110_118),
        cmocka_unit_test(daemon_sets_SCH_140_148),
        cmocka_unit_test(pools_SCH_40_49),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
