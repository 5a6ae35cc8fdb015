// NodeOverlays, placeholder pods and resource claims, row by row: SCH-400 to SCH-424.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define OVERLAYS "FEATURE_GATES: NodeOverlay=true"
#define BUFFERS  "FEATURE_GATES: CapacityBuffer=true"
#define OVERLAY(name, spec)                                                         \
    "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: " name \
    "}, spec: {" spec "}}\n---\n"
#define FOR(list)     "requirements: [" list "], "
#define TYPE(types)   REQUIRE("node.kubernetes.io/instance-type", "In", types)
#define CT(values)    REQUIRE("karpenter.sh/capacity-type", "In", values)
#define CAPACITY(cpu) "cpu: '" cpu "', memory: 8Gi, pods: '20'"
#define OFFERED       REQUIRE(LABEL_OF_ZONE, "In", "a, b") ", " CT("spot, on-demand")
#define ONE_TYPE                                                                                \
    CATALOG_OF(TYPE_OF("t", OFFERED, CAPACITY("4"),                                             \
                       OFFER("a", "spot", "1", "") ", " OFFER("b", "spot", "3", "") ", " OFFER( \
                           "a", "on-demand", "8", "")))
#define POD_A POD("a", "", CPU("1"))
#define MULTIPLIER(factor)                                                                     \
    "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: o, annotations: " \
    "{adze.dev/capacity-multiplier: '" factor "'}}, spec: {requirements: []}}\n---\n"
#define DEVICE(name) "containers: [{name: c, image: i, resources: {requests: {" name ": '1'}}}]"

static void prices_SCH_401_407(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-406: a price as it is",
         ONE_TYPE POOL OVERLAY("o", FOR(TYPE("t")) "price: '0.25'") POD_A, OVERLAYS,
         "a.price=0.25 a<karpenter.sh/price-overlay-applied>=true", .bare = true},
        {"SCH-406: plus and minus an amount",
         ONE_TYPE POOL OVERLAY("o", FOR(CT("spot")) "priceAdjustment: '+0.5'") POD_A, OVERLAYS,
         "a.price=1.5", .bare = true},
        {"SCH-406: minus, and per cent",
         ONE_TYPE POOL OVERLAY("o", FOR(CT("spot")) "priceAdjustment: '-0.25'")
             OVERLAY("p", FOR(CT("on-demand")) "priceAdjustment: '-12.5%'") POD("a", "", CPU("3"))
                 POD("b", "", "nodeSelector: {karpenter.sh/capacity-type: on-demand}, " CPU("3")),
         OVERLAYS, "a.price=0.75 b.price=7", .bare = true},
        {"SCH-406: up by per cent, and never below nothing",
         ONE_TYPE POOL OVERLAY("o", FOR(CT("spot")) "priceAdjustment: '-2'")
             OVERLAY("p", FOR(CT("on-demand")) "priceAdjustment: '+50%'") POD("a", "", CPU("3"))
                 POD("b", "", "nodeSelector: {karpenter.sh/capacity-type: on-demand}, " CPU("3")),
         OVERLAYS, "a.price=0 b.price=12", .bare = true},
        {"SCH-406: all of it",
         ONE_TYPE POOL OVERLAY("o", FOR(CT("spot")) "priceAdjustment: '-100%'") POD_A, OVERLAYS,
         "a.price=0", .bare = true},
        {"SCH-406: adjustments are of the provider's price, never compounded",
         ONE_TYPE POOL OVERLAY("o", FOR(CT("spot")) "priceAdjustment: '+10%', weight: 2")
             OVERLAY("p", FOR(CT("spot")) "priceAdjustment: '+10%', weight: 1") POD_A,
         OVERLAYS, "a.price=1.1", .bare = true},
        {"SCH-403: only the offerings concerned",
         ONE_TYPE POOL OVERLAY(
             "o", FOR(REQUIRE(LABEL_OF_ZONE, "In", "a") ", " CT("spot")) "price: '9'") POD_A,
         OVERLAYS, "a.price=3", .bare = true},
        {"SCH-403: a label of the pool's template",
         ONE_TYPE POOL_OF("pa", "", "team: blue", "", "") POOL_OF("pb", "weight: 1, ", "", "", "")
             OVERLAY("o", FOR(REQUIRE("team", "In", "blue")) "price: '0.1'")
                 POD("a", "", "nodeSelector: {karpenter.sh/nodepool: pa}, " CPU("3"))
                     POD("b", "", "nodeSelector: {karpenter.sh/nodepool: pb}, " CPU("3")),
         OVERLAYS, "a.price=0.1 b.price=1", .bare = true},
        {"SCH-403: the pool's requirements are not read, and a missing key matches NotIn",
         ONE_TYPE POOL_REQUIRING(REQUIRE("team", "In", "blue"))
             OVERLAY("o", FOR(REQUIRE("team", "In", "blue")) "price: '0.1'")
                 OVERLAY("p", FOR(REQUIRE("team", "NotIn", "blue")) "price: '0.2'") POD_A,
         OVERLAYS, "a.price=0.2", .bare = true},
        {"SCH-403: bounds",
         CATALOG_OF(TYPE_OF("t", REQUIRE("example.com/size", "In", "'8'"), CAPACITY("4"),
                            OFFER("a", "spot", "1", "")))
             POOL OVERLAY("o", FOR(REQUIRE("example.com/size", "Gt", "'7'")) "price: '0.1'") POD_A,
         OVERLAYS, "a.price=0.1", .bare = true},
        {"SCH-403: no offering concerned: capacity neither",
         ONE_TYPE POOL OVERLAY(
             "o", FOR(REQUIRE(LABEL_OF_ZONE, "In", "far")) "capacity: {example.com/x: '1'}")
             POD("a", "", DEVICE("example.com/x")),
         OVERLAYS, "a!", .bare = true},
        {"SCH-401, 404: of equal weights the later name wins, and the other is not applied at all",
         ONE_TYPE POOL OVERLAY("o1", FOR(CT("spot, on-demand")) "price: '5'")
             OVERLAY("o2", FOR(CT("spot")) "price: '2'") POD("a", "", CPU("3"))
                 POD("b", "", "nodeSelector: {karpenter.sh/capacity-type: on-demand}, " CPU("3")),
         OVERLAYS, "a.price=2 b.price=8", .bare = true},
        {"SCH-404: different weights never conflict; the heavier is for its offerings only",
         ONE_TYPE POOL OVERLAY("o1", FOR(CT("spot, on-demand")) "price: '5', weight: 1")
             OVERLAY("o2", FOR(CT("spot")) "price: '2', weight: 2") POD("a", "", CPU("3"))
                 POD("b", "", "nodeSelector: {karpenter.sh/capacity-type: on-demand}, " CPU("3")),
         OVERLAYS, "a.price=2 b.price=5", .bare = true},
        {"SCH-404: nor do overlays for other offerings of one weight",
         ONE_TYPE POOL OVERLAY("o1", FOR(CT("on-demand")) "price: '5'")
             OVERLAY("o2", FOR(CT("spot")) "price: '2'") POD("a", "", CPU("3"))
                 POD("b", "", "nodeSelector: {karpenter.sh/capacity-type: on-demand}, " CPU("3")),
         OVERLAYS, "a.price=2 b.price=5", .bare = true},
        {"SCH-404: the weight of the last that concerns the offering counts",
         ONE_TYPE POOL OVERLAY("o1", FOR(CT("spot")) "price: '5', weight: 9")
             OVERLAY("o2", FOR(CT("spot")) "price: '6', weight: 3")
                 OVERLAY("a2", FOR(CT("spot, on-demand")) "price: '7', weight: 3") POD(
                     "b", "", "nodeSelector: {karpenter.sh/capacity-type: on-demand}, " CPU("3")),
         OVERLAYS, "b.price=8", .bare = true},
        {"SCH-402: a restricted label: the overlay is ignored",
         ONE_TYPE POOL OVERLAY(
             "o", FOR(REQUIRE("kubernetes.io/hostname", "NotIn", "n1")) "price: '0.1'") POD_A,
         OVERLAYS, "a.price=1", .bare = true},
        {"SCH-407: a changed price keeps the offering's own room",
         CATALOG_OF(TYPE_OF("t", OFFERED, CAPACITY("2"),
                            OFFER("a", "spot", "1", "capacityOverride: {cpu: '8'}, ")))
             POOL OVERLAY("o", FOR(CT("spot")) "price: '0.1'") POD("a", "", CPU("6")),
         OVERLAYS, "a.price=0.1", .bare = true},
        {"SCH-409, 376: nothing applied, no annotation",
         ONE_TYPE POOL OVERLAY("o", FOR(TYPE("other")) "price: '0.1'") POD_A, OVERLAYS,
         "a<karpenter.sh/price-overlay-applied>=- a<karpenter.sh/capacity-overlay-applied>=-",
         .bare = true},
        {"SCH-379: nor for a type that the claim does not have",
         POOL OVERLAY("o", FOR(TYPE("large")) "price: '0.1'")
             POD("a", "", "nodeSelector: {node.kubernetes.io/instance-type: small}, " CPU("1")),
         OVERLAYS, "a<karpenter.sh/price-overlay-applied>=-"},
        {"SCH-401: a static pool's types are overlaid like the others, which changes nothing here",
         ONE_TYPE POOL_OF("still", "replicas: 1, ", "", "", "")
             POOL OVERLAY("o", FOR(CT("spot")) "price: '0.5'") POD_A,
         OVERLAYS, "a.price=0.5", .bare = true},
    };
    CHECK_CASES(cases);
}

static void capacity_SCH_405_407(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-405: by name the heaviest wins, lighter ones add further names",
         ONE_TYPE POOL OVERLAY("o1", FOR(TYPE("t")) "weight: 2, capacity: {example.com/x: '1'}")
             OVERLAY("o2", FOR(TYPE("t")) "weight: 1, capacity: {example.com/x: '9', "
                                          "example.com/z: '1'}")
                 POD("a", "",
                     "containers: [{name: c, image: i, resources: {requests: "
                     "{example.com/x: '1', example.com/z: '1'}}}]")
                     POD("b", "",
                         "containers: [{name: c, image: i, resources: {requests: "
                         "{example.com/x: '2'}}}]"),
         OVERLAYS,
         "a+ b! a<karpenter.sh/capacity-overlay-applied>=true "
         "a<karpenter.sh/price-overlay-applied>=-",
         .bare = true},
        {"SCH-404: shared names at equal weight conflict",
         ONE_TYPE POOL OVERLAY("o1", FOR(TYPE("t")) "capacity: {example.com/x: '1', example.com/q: "
                                                    "'1'}")
             OVERLAY("o2", FOR(TYPE("t")) "capacity: {example.com/x: '2'}")
                 POD("a", "", DEVICE("example.com/q")) POD("b", "", DEVICE("example.com/x")),
         OVERLAYS, "a! b+", .bare = true},
        {"SCH-404: other names at equal weight do not",
         ONE_TYPE POOL OVERLAY("o1", FOR(TYPE("t")) "capacity: {example.com/x: '1'}")
             OVERLAY("o2", FOR(TYPE("t")) "capacity: {example.com/z: '1'}")
                 POD("a", "", DEVICE("example.com/x")) POD("b", "", DEVICE("example.com/z")),
         OVERLAYS, "a=b", .bare = true},
        {"SCH-407: a replaced device, and cpu stays",
         POOL OVERLAY("o", FOR(TYPE("gpu")) "capacity: {example.com/gpu: '8'}")
             POD("a", "",
                 "containers: [{name: c, image: i, resources: {requests: "
                 "{example.com/gpu: '8'}}}]"),
         OVERLAYS, "a.types=gpu"},
        {"SCH-402: cpu and its like cannot be overlaid",
         ONE_TYPE POOL OVERLAY("o", FOR(TYPE("t")) "price: '0.1', capacity: {memory: 99Gi}") POD_A,
         OVERLAYS, "a.price=1", .bare = true},
    };
    CHECK_CASES(cases);
}

#define TEMPLATE(spec)                                                                        \
    "{apiVersion: v1, kind: PodTemplate, metadata: {name: t}, template: {metadata: {labels: " \
    "{app: b}}, spec: {" spec "}}}\n---\n"
#define BUFFER(more)                                                                               \
    "{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: buf, uid: " \
    "b}, spec: {podTemplateRef: {name: t}, replicas: 2}" more "}\n---\n"
#define FIRST "capacity-buffer-buf-1"
#define OTHER "capacity-buffer-buf-2"

// A buffer for a running Deployment.
#define SHARED_BUFFER(replicas, spec)                                                        \
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, uid: w}, spec: "            \
    "{replicas: " replicas                                                                   \
    ", selector: {matchLabels: {app: b}}, template: {metadata: {labels: {app: b}}, "         \
    "spec: {" CPU("1") "}}}}\n---\n" NODE_OF("n1", "x: x", "1") BOUND_POD(                   \
        "w-1", "n1", "app: b", CPU("1")) "{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: " \
                                         "CapacityBuffer, metadata: {name: buf, uid: "       \
                                         "b}, spec: {" spec "}}\n---\n"

// One GPU that several share, by a device plugin: as many for each one that the type has.
static void multipliers_SCH_400_405(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-405: two GPUs in slices of two carry four",
         POOL MULTIPLIER("example.com/gpu=2") POD("a", "", DEVICE("example.com/gpu"))
             POD("b", "", DEVICE("example.com/gpu")) POD("c", "", DEVICE("example.com/gpu"))
                 POD("d", "", DEVICE("example.com/gpu")),
         OVERLAYS, "a=d #1 a<karpenter.sh/capacity-overlay-applied>=true"},
        {"SCH-405: types without the resource get none",
         POOL MULTIPLIER("example.com/gpu=2") POD("a", "", CPU("1")), OVERLAYS,
         "a<karpenter.sh/capacity-overlay-applied>=true"},
        {"SCH-402: a factor that is none: the overlay is ignored",
         POOL MULTIPLIER("example.com/gpu=0") POD("a", "", DEVICE("example.com/gpu"))
             POD("b", "", DEVICE("example.com/gpu")) POD("c", "", DEVICE("example.com/gpu")),
         OVERLAYS, "a=b a/c"},
        {"SCH-402: nor of cpu",
         POOL MULTIPLIER("cpu=2") POD("a", "",
                                      "nodeSelector: {node.kubernetes.io/instance-type: "
                                      "small}, " CPU("3")),
         OVERLAYS, "a!"},
    };
    CHECK_CASES(cases);
}

static void placeholders_SCH_410_414(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-410: a large placeholder leaves room for a small real pod",
         NODE_OF("n1", "x: x", "4") TEMPLATE(CPU("3")) BUFFER("") POOL POD("a", "", CPU("2")),
         BUFFERS, "a@n1 " FIRST "+"},
        {"SCH-411: they relax and spread like pods",
         TEMPLATE("topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
                  "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: "
                  "b}}}], " PREFERRED_TERMS(PREFERENCE("1", REQUIRE(LABEL_OF_ZONE, "In", "far")))
                      CPU("100m")) BUFFER("") POOL,
         BUFFERS, FIRST "/" OTHER},
        {"SCH-411: and are counted against real pods",
         TEMPLATE("nodeSelector: {" LABEL_OF_ZONE ": a}, " CPU("100m")) BUFFER("")
             POOL POD("a", "app: b",
                      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
                      "kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
                      "labelSelector: {matchLabels: {app: b}}}], " CPU("1")),
         BUFFERS, "a=" FIRST},
        {"SCH-414: claims for them alone, with their requests", TEMPLATE(CPU("1")) BUFFER("") POOL,
         BUFFERS, "#1 " FIRST "=" OTHER " " FIRST ".cpu=2000"},
        {"SCH-34: no claim is asked for their volumes, and nothing validated",
         TEMPLATE("volumes: [{name: v, persistentVolumeClaim: {claimName: gone}}, {name: w, "
                  "ephemeral: {volumeClaimTemplate: {spec: {}}}}], " CPU("1")) BUFFER("") POOL,
         BUFFERS, FIRST "+"},
        {"SCH-413: what cannot be placed is told like any other",
         TEMPLATE(CPU("99")) BUFFER("") POOL, BUFFERS, FIRST "! " OTHER "!",
         FIRST ": no instance type has enough resources"},
        {"SCH-34: the resolved number of replicas counts, of a buffer that is ready",
         TEMPLATE(CPU("1")) BUFFER(", status: {replicas: 1, podTemplateRef: {name: t}, conditions: "
                                   "[{type: ReadyForProvisioning, status: 'True'}]}") POOL,
         BUFFERS, FIRST "+ " FIRST ".cpu=1000"},
        {"LIF-241: a share of the workload, rounded up, when it is more than the number",
         SHARED_BUFFER("10",
                       "scalableRef: {apiGroup: apps, kind: Deployment, name: w}, percentage: "
                       "75, replicas: 5") POOL,
         BUFFERS, FIRST ".cpu=8000"},
        {"LIF-241: limits bound both",
         SHARED_BUFFER("10",
                       "scalableRef: {apiGroup: apps, kind: Deployment, name: w}, percentage: "
                       "75, replicas: 5, limits: {cpu: '4'}") POOL,
         BUFFERS, FIRST ".cpu=4000"},
        {"LIF-241: limits alone say how many",
         TEMPLATE(CPU("1")) "{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, "
                            "metadata: {name: buf, uid: b}, spec: {podTemplateRef: {name: t}, "
                            "limits: {cpu: 3500m}}}\n---\n" POOL,
         BUFFERS, FIRST ".cpu=3000"},
        {"LIF-241: a small share is at least one",
         SHARED_BUFFER("1", "scalableRef: {kind: Deployment, name: w}, percentage: 10") POOL,
         BUFFERS, FIRST ".cpu=1000"},
        {"LIF-241: nothing said, nothing kept",
         SHARED_BUFFER("4", "scalableRef: {kind: Deployment, name: w}, limits: {example.com/x: "
                            "'5'}") POOL,
         BUFFERS, "#0"},
    };
    CHECK_CASES(cases);
}

#define CLAIM_OF_POD "resourceClaims: [{name: x, resourceClaimName: rc}], "
#define CONTAINER_CLAIM \
    "containers: [{name: c, image: i, resources: {claims: [{name: x}], requests: {cpu: '1'}}}]"

static void resource_claims_SCH_420_421(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-420: of the pod", POOL POD("a", "", CLAIM_OF_POD CPU("1")), NULL, "a!",
         "a: pod has Dynamic Resource Allocation requirements that are not yet supported by "
         "Karpenter"},
        {"SCH-420: of a container", POOL POD("a", "", CONTAINER_CLAIM), NULL, "a!",
         "a: pod has Dynamic Resource Allocation requirements"},
        {"SCH-420: of an init container",
         POOL POD("a", "",
                  "initContainers: [{name: s, image: i, resources: {claims: [{name: "
                  "x}]}}], " CPU("1")),
         NULL, "a!", "a: pod has Dynamic Resource Allocation requirements"},
        {"SCH-421: on a deleting node likewise",
         POOL "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, deletionTimestamp: "
              "'2026-01-01T00:00:00Z', finalizers: [f]}, status: {allocatable: {cpu: "
              "'4'}}}\n---\n" BOUND_POD("a", "n1", "", CLAIM_OF_POD CPU("1")),
         NULL, "a!", "a: pod has Dynamic Resource Allocation requirements"},
        {"SCH-421: others are not held up",
         POOL POD("a", "", CLAIM_OF_POD CPU("1")) POD("b", "", CPU("1")), NULL, "a! b+"},
        {"SCH-141, 421: DaemonSets with claims take no room",
         POOL DAEMON_SET("d", CLAIM_OF_POD CPU("1")) DAEMON_SET("e", CONTAINER_CLAIM)
             POD("a", "", CPU("1")),
         NULL, "a.cpu=1000"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_SCH_401_407),          cmocka_unit_test(capacity_SCH_405_407),
        cmocka_unit_test(multipliers_SCH_400_405),     cmocka_unit_test(placeholders_SCH_410_414),
        cmocka_unit_test(resource_claims_SCH_420_421),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
