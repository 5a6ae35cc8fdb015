// Claims: SCH-210 to SCH-268, 360 to 384 row by row.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define ARCH(value)           "nodeSelector: {kubernetes.io/arch: " value "}, "
#define IN_ZONE(value)        "nodeSelector: {" LABEL_OF_ZONE ": " value "}, "
#define CAPACITY(cpu, memory) "cpu: '" cpu "', memory: " memory ", pods: '20'"
#define TYPE_LABEL            "node.kubernetes.io/instance-type"

static void claims_of_a_pass_SCH_211_215(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-212, 215: a second pod narrows what the first left, and nothing comes back",
         POOL POD("a", "", ARCH("amd64") CPU("1")) POD("b", "", IN_ZONE("c") CPU("500m"))
             POD("c", "", CPU("100m")),
         NULL, "#1 a=b b=c a.zone=c a.types=small,medium,large,gpu a.price=0.1"},
        {"SCH-212 step 2: a pod that contradicts the claim opens another one",
         POOL POD("a", "", ARCH("amd64") CPU("1")) POD("b", "", ARCH("arm64") CPU("500m")), NULL,
         "#2 a/b a[kubernetes.io/arch]=amd64 b.types=arm"},
        {"SCH-214: host ports of a claim's pods are taken",
         POOL POD("a", "",
                  "containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: "
                  "80}]}]")
             POD("b", "",
                 "containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: "
                 "80, protocol: UDP}]}]")
                 POD("c", "",
                     "containers: [{name: c, image: i, ports: [{containerPort: 1, "
                     "hostPort: 80, hostIP: 10.0.0.1}]}]"),
         NULL, "#2 a=b a/c"},
        {"SCH-211, 370: the placeholder's hostname is not in the NodeClaim",
         POOL POD("a", "", CPU("1")), NULL,
         "a[kubernetes.io/hostname]=- a{kubernetes.io/hostname}=-"},
        {"SCH-225: a pod too big for every type leaves no claim behind",
         POOL POD("a", "", CPU("16")), NULL, "#0 a!", "a: no instance type has enough resources"},
        {"SCH-214, 119: DaemonSets count once, however many pods share the claim",
         POOL DAEMON_SET("d", CPU("1")) POD("a", "", CPU("1")) POD("b", "", CPU("1")), NULL,
         "#1 a=b a.cpu=3000 a.pods=3"},
    };
    CHECK_CASES(cases);
}

#define PORT_80 "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]"
#define TAINTED "taints: [{key: t, effect: NoSchedule}], "

static void new_claims_SCH_220_224(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-221, 267: weight decides over price",
         POOL_OF("dear", "weight: 2, ", "", "", REQUIRE(TYPE_LABEL, "In", "gpu"))
             POOL_OF("cheap", "weight: 1, ", "", "", "") POD("a", "", CPU("1")),
         NULL, "a.pool=dear a.types=gpu"},
        {"SCH-221: a lower pool that meets a preference beats a higher one that does not",
         POOL_OF("high", "weight: 2, ", "", "", REQUIRE(LABEL_OF_ZONE, "In", "a"))
             POOL_OF("low", "weight: 1, ", "", "", REQUIRE(LABEL_OF_ZONE, "In", "b"))
                 POD("a", "",
                     PREFERRED_TERMS(PREFERENCE("1", REQUIRE(LABEL_OF_ZONE, "In", "b"))) CPU("1")),
         "COMPATIBILITY: upstream", "a.pool=low a.zone=b"},
        {"SCH-221: minValues are relaxed before a lower pool is asked",
         POOL_OF("high", "weight: 2, ", "", "", REQUIRE_MIN(TYPE_LABEL, "In", "large, gpu", "2"))
             POOL_OF("low", "weight: 1, ", "", "", "") POD("a", "", CPU("9")),
         "MIN_VALUES_POLICY: BestEffort",
         "a.pool=high a<karpenter.sh/nodeclaim-min-values-relaxed>=true"},
        {"SCH-221: strict minValues pass the pod on to the lower pool",
         POOL_OF("high", "weight: 2, ", "", "", REQUIRE_MIN(TYPE_LABEL, "In", "large, gpu", "2"))
             POOL_OF("low", "weight: 1, ", "", "", "") POD("a", "", CPU("9")),
         NULL, "a.pool=low a<karpenter.sh/nodeclaim-min-values-relaxed>=false"},
        {"SCH-224, 362: opening a claim takes the largest of its types from the limits",
         POOL_OF("pool", "limits: {cpu: '20'}, ", "", "", "") POD("a", "", PORT_80)
             POD("b", "", PORT_80) POD("c", "", PORT_80),
         "COMPATIBILITY: upstream",
         "#2 a.types=small,medium,arm,large,gpu b.types=small,medium,arm c!",
         "c: all available instance types exceed limits for nodepool (NodePool=pool)"},
        {"SCH-223: refusals of all pools, in their order",
         POOL_OF("b", "", "", TAINTED, "") POOL_OF("a", "", "", "", "") POD("a", "", CPU("99")),
         NULL, "a!",
         "a: did not tolerate taint (taint=t:NoSchedule); no instance type has enough resources"},
    };
    CHECK_CASES(cases);
}

static void the_type_filter_SCH_235_241(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-235: a key that the type lacks does not matter",
         CATALOG_OF(TYPE_OF("bare", "", CAPACITY("4", "8Gi"), OFFER("a", "spot", "1", "")))
             POOL POD("a", "", ARCH("arm64") CPU("1")),
         NULL, "a.types=bare", .bare = true},
        {"SCH-236, 118: room counts only together with an offering of the same group",
         CATALOG_OF(TYPE_OF("t", "", CAPACITY("2", "4Gi"),
                            OFFER("a", "spot", "1", "") ", " OFFER(
                                "b", "spot", "9", "capacityOverride: {cpu: '8'}, ")))
             POOL POD("a", "", IN_ZONE("a") CPU("4")) POD("b", "", IN_ZONE("b") CPU("4"))
                 POD("c", "", CPU("3")),
         NULL, "a! b.types=t b=c b.price=9", "a: no instance type has enough resources",
         .bare = true},
        {"SCH-237: zone and capacity type are judged for each offering",
         CATALOG_OF(TYPE_OF("t", "", CAPACITY("2", "4Gi"),
                            OFFER("a", "spot", "1", "") ", " OFFER("b", "on-demand", "2", "")))
             POOL POD("a", "",
                      "nodeSelector: {" LABEL_OF_ZONE
                      ": b, karpenter.sh/capacity-type: spot}, " CPU("1")),
         NULL, "a!",
         "a: no instance type had enough resources or had a required offering, requirements=",
         .bare = true},
        {"SCH-236: the claim stays as wide as its requirements",
         CATALOG_OF(TYPE_OF("t", "", CAPACITY("2", "4Gi"), OFFER("a", "spot", "1", "")))
             POOL_REQUIRING(REQUIRE(LABEL_OF_ZONE, "In", "a, b")) POD("a", "", CPU("1")),
         "COMPATIBILITY: upstream", "a.zone=a,b a.price=1", .bare = true},
        {"SCH-238: a label of the pool's own is not asked of types",
         POOL_OF("pool", "", "team: blue", "", REQUIRE("rack", "In", "r1, r2"))
             POD("a", "", "nodeSelector: {team: blue, rack: r2}, " CPU("1")),
         NULL, "a[rack]=r2 a{rack}=r2 a{team}=blue"},
        {"SCH-238: nor does another value of it fit",
         POOL_OF("pool", "", "team: blue", "", "")
             POD("a", "", "nodeSelector: {team: red}, " CPU("1")),
         NULL, "a!", "a: incompatible requirements, key team, team In [red] not in team In [blue]"},
        {"SCH-240: a port that a DaemonSet holds everywhere is named",
         POOL DAEMON_SET("d", PORT_80) POD("a", "", PORT_80), NULL, "a!",
         "a: pod hostport conflicts with existing hostport configuration"},
        {"SCH-235: where the DaemonSet does not run, the port is free",
         POOL DAEMON_SET("d", ARCH("amd64") PORT_80) POD("a", "", PORT_80), NULL, "a.types=arm"},
        {"SCH-7, 241: overhead that differs is told as a range, resources as compact JSON",
         POOL DAEMON_SET("d", ARCH("amd64") CPU("1")) POD("a", "", CPU("99")), NULL, "a!",
         "a: resources=min={\"cpu\":\"99\",\"pods\":\"1\"}, max={\"cpu\":\"100\",\"pods\":\"2\"}"},
        {"SCH-241: overhead that does not differ is added",
         POOL DAEMON_SET("d", CPU("1")) POD("a", "", CPU("99")), NULL, "a!",
         "a: resources={\"cpu\":\"100\",\"pods\":\"2\"}"},
        {"SCH-239: some fit and are offered, others are compatible",
         POOL POD("a", "", ARCH("arm64") CPU("9")), NULL, "a!",
         "a: no instance type which had enough resources and the required offering met the "
         "scheduling requirements"},
        {"SCH-239: one dimension each",
         CATALOG_OF(
             TYPE_OF("cpus", "", CAPACITY("8", "1Gi"), OFFER("a", "spot", "1", "")) ", " TYPE_OF(
                 "memory", "", CAPACITY("1", "8Gi"), OFFER("a", "spot", "1", "")))
             POOL POD("a", "",
                      "containers: [{name: c, image: i, resources: {requests: {cpu: '4', memory: "
                      "4Gi}}}]"),
         NULL, "a!", "a: no instance type has enough resources", .bare = true},
        {"SCH-48: a type without any offering that can be had is filtered",
         CATALOG_OF(
             "{name: gone, capacity: {cpu: '64', memory: 64Gi, pods: '9'}, offerings: "
             "[{price: 1, available: false, requirements: [{key: karpenter.sh/capacity-type, "
             "operator: In, values: [spot]}]}]}, " TYPE_OF("t", "", CAPACITY("2", "4Gi"),
                                                           OFFER("a", "spot", "1", "")))
             POOL POD("a", "", CPU("4")) POD("b", "", CPU("1")),
         NULL, "a! b.types=t", "a: no instance type has enough resources", .bare = true},
    };
    CHECK_CASES(cases);
}

#define POOL_MIN(key, operator, values, least) \
    POOL_REQUIRING(REQUIRE_MIN(key, operator, values, least))

static void min_values_SCH_245_250(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-245: values of the surviving types count, of any key",
         POOL_MIN("kubernetes.io/arch", "Exists", "", "2") POD("a", "", CPU("3"))
             POD("b", "", CPU("3")),
         NULL, "#2 a.types=medium,arm,large,gpu"},
        {"SCH-213, 245: a pod that would leave too few goes elsewhere",
         POOL_MIN("kubernetes.io/arch", "Exists", "", "2") POD("a", "", CPU("3500m"))
             POD("b", "", ARCH("arm64") CPU("100m")),
         NULL, "#1 b!",
         "b: minValues requirement is not met for label(s) (label(s)=[kubernetes.io/arch])"},
        {"SCH-245: minValues with Gt",
         POOL_MIN("example.com/size", "Gt", "'3'", "3") POD("a", "", CPU("5"))
             POD("b", "", CPU("1")),
         NULL, "a! b.types=medium,arm,large,gpu",
         "a: minValues requirement is not met for label(s) (label(s)=[example.com/size])"},
        {"SCH-245, 246: several unmet keys are named sorted",
         POOL_REQUIRING(REQUIRE_MIN(TYPE_LABEL, "Exists", "", "2") ", " REQUIRE_MIN(
             "kubernetes.io/arch", "In", "amd64, arm64", "2")) POD("a", "", CPU("9")),
         NULL, "a!", "a: (label(s)=[kubernetes.io/arch node.kubernetes.io/instance-type])"},
        {"SCH-245, 45: the pool as a whole cannot meet them",
         POOL_MIN(TYPE_LABEL, "In", "small, medium", "3") POD("a", "", CPU("1")), NULL, "a!",
         "a: nodepool requirements filtered out all available instance types"},
        {"SCH-247: best effort takes what there is",
         POOL_MIN(TYPE_LABEL, "In", "small, medium, large", "3") POD("a", "", CPU("3")),
         "MIN_VALUES_POLICY: BestEffort",
         "a.types=medium,large a<karpenter.sh/nodeclaim-min-values-relaxed>=true"},
        {"SCH-247: a key that no type has loses its minValues",
         POOL_MIN("rack", "In", "r1, r2", "2") POD("a", "", CPU("1")),
         "MIN_VALUES_POLICY: BestEffort",
         "a[rack]=r1,r2 a<karpenter.sh/nodeclaim-min-values-relaxed>=true"},
        {"SCH-248: each claim says for itself whether it was relaxed",
         POOL_MIN(TYPE_LABEL, "In", "small, medium, large", "2") POD("a", "", CPU("9"))
             POD("b", "", ARCH("amd64") CPU("15")) POD("c", "",
                                                       "nodeSelector: {example.com/size: "
                                                       "'2'}, " CPU("1")),
         "MIN_VALUES_POLICY: BestEffort",
         "a<karpenter.sh/nodeclaim-min-values-relaxed>=true "
         "c<karpenter.sh/nodeclaim-min-values-relaxed>=true"},
        {"SCH-213: a relaxed claim holds the number it was opened with",
         POOL_MIN(TYPE_LABEL, "In", "small, medium, large", "3") POD("a", "", CPU("3"))
             POD("b", "", CPU("2")),
         "MIN_VALUES_POLICY: BestEffort", "#2 a/b a.types=medium,large b.types=medium,large"},
        {"SCH-249: values outside the claim's own requirement do not count",
         POOL_MIN(LABEL_OF_ZONE, "In", "a, b, c", "3") POD("a", "", IN_ZONE("a") CPU("1"))
             POD("b", "", CPU("1")),
         NULL, "a! b.zone=a,b,c",
         "a: minValues requirement is not met for label(s) "
         "(label(s)=[topology.kubernetes.io/zone])"},
        {"SCH-66, 494: of two minValues on a key the larger holds",
         POOL_REQUIRING(REQUIRE_MIN("example.com/size", "Gt", "'1'", "1") ", " REQUIRE_MIN(
             "example.com/size", "Lt", "'9'", "3")) POD("a", "", CPU("3")),
         NULL, "a!", "a: minValues requirement is not met"},
    };
    CHECK_CASES(cases);
}

#define RESERVATION(id, zone, left, more)                                                \
    "{price: 0.001, available: " more ", reservationCapacity: " left ", requirements: [" \
    "{key: " LABEL_OF_ZONE ", operator: In, values: [" zone                              \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: [reserved]}, "          \
    "{key: example.com/reservation-id, operator: In, values: [" id "]}]}"
#define ON_DEMAND OFFER("a", "on-demand", "1", "")
#define ONE_RESERVATION                               \
    CATALOG_OF(TYPE_OF("t", "", CAPACITY("2", "4Gi"), \
                       RESERVATION("r1", "a", "1", "true") ", " ON_DEMAND))
#define TWO_TYPES_RESERVED                                                                       \
    CATALOG_OF(TYPE_OF(                                                                          \
        "t1", "", CAPACITY("2", "4Gi"),                                                          \
        RESERVATION(                                                                             \
            "r1", "a", "1",                                                                      \
            "true") ", " ON_DEMAND) ", " TYPE_OF("t2", "", CAPACITY("4", "8Gi"),                 \
                                                 RESERVATION("r2", "a", "1", "true") ", " OFFER( \
                                                     "a", "on-demand", "2", "")))
#define CAPACITY_TYPE "karpenter.sh/capacity-type"

static void reservations_SCH_255_262(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-261: a claim that holds reservations names them",
         ONE_RESERVATION POOL POD("a", "", CPU("1")), NULL,
         "a.ct=reserved a[example.com/reservation-id]=r1 a.price=0.001", .bare = true},
        {"SCH-56, 257: a claim takes one instance of every reservation that it might use",
         TWO_TYPES_RESERVED POOL POD("a", "", PORT_80) POD("b", "", PORT_80),
         "COMPATIBILITY: upstream", "#1 a.types=t1,t2 a[example.com/reservation-id]=r1,r2 b!",
         .bare = true},
        {"SCH-259: a reservation that is no longer compatible comes free in the pass",
         TWO_TYPES_RESERVED POOL POD("a", "", CPU("1200m")) POD("b", "", CPU("1100m"))
             POD("c", "", "nodeSelector: {" TYPE_LABEL ": t1}, " CPU("1")),
         "COMPATIBILITY: upstream",
         "#2 a=b a.types=t2 a[example.com/reservation-id]=r2 "
         "c.types=t1 c[example.com/reservation-id]=r1",
         .bare = true},
        {"SCH-258: a claim is not robbed of the last reservation that it holds",
         ONE_RESERVATION POOL POD("a", "", CPU("1"))
             POD("b", "", "nodeSelector: {" CAPACITY_TYPE ": on-demand}, " CPU("500m")),
         NULL, "#2 a/b a.ct=reserved b.ct=on-demand", .bare = true},
        {"SCH-256: an unavailable reserved offering holds nobody back",
         CATALOG_OF(TYPE_OF("t", "", CAPACITY("2", "4Gi"),
                            RESERVATION("r1", "a", "1", "false") ", " ON_DEMAND))
             POOL POD("a", "", CPU("1")),
         NULL, "a.types=t a.price=1 a[example.com/reservation-id]=-", .bare = true},
        {"SCH-258: nor does one that is used up, once it is not available",
         CATALOG_OF(TYPE_OF("t", "", CAPACITY("2", "4Gi"),
                            RESERVATION("r1", "a", "0", "true") ", " ON_DEMAND))
             POOL POD("a", "", CPU("1")),
         "COMPATIBILITY: upstream", "a!", "a: could not be reserved", .bare = true},
        {"SCH-255: of several statements about a reservation the smallest holds",
         CATALOG_OF(TYPE_OF(
             "t1", "", CAPACITY("2", "4Gi"),
             RESERVATION("r1", "a", "3", "true")) ", " TYPE_OF("t2", "", CAPACITY("2", "4Gi"),
                                                               RESERVATION("r1", "a", "1", "true")))
             POOL POD("a", "", PORT_80) POD("b", "", PORT_80),
         NULL, "#1 a+ b!", .bare = true},
        {"SCH-255: also of an offering that is not available",
         CATALOG_OF(TYPE_OF("t1", "", CAPACITY("2", "4Gi"),
                            RESERVATION("r1", "a", "3",
                                        "true")) ", " TYPE_OF("t2", "", CAPACITY("2", "4Gi"),
                                                              RESERVATION("r1", "a", "1", "false")))
             POOL POD("a", "", PORT_80) POD("b", "", PORT_80),
         NULL, "#1 a.types=t1 b!", .bare = true},
        {"SCH-262: pools share a reservation's count",
         ONE_RESERVATION POOL_OF("px", "weight: 2, ", "", "", "") POOL_OF("py", "", "", "", "")
             POD("a", "", "nodeSelector: {karpenter.sh/nodepool: px}, " CPU("1500m"))
                 POD("b", "", "nodeSelector: {karpenter.sh/nodepool: py}, " CPU("1")),
         "COMPATIBILITY: upstream", "#1 a.ct=reserved b!", .bare = true},
        {"SCH-262: with the gate off nothing is counted",
         ONE_RESERVATION POOL POD("a", "", PORT_80) POD("b", "", PORT_80),
         "FEATURE_GATES: ReservedCapacity=false",
         "#2 a[example.com/reservation-id]=- a.price=0.001 b.price=0.001", .bare = true},
        {"SCH-260, 222, 493: a deferred pod is neither relaxed nor sent to a lower pool",
         ONE_RESERVATION POOL_OF("px", "weight: 2, ", "", "", "") POOL_OF(
             "py", "", "", "", REQUIRE(CAPACITY_TYPE, "In", "on-demand")) POD("a", "", CPU("1500m"))
             POD("b", "",
                 PREFERRED_TERMS(PREFERENCE("1", REQUIRE(LABEL_OF_ZONE, "In", "a"))) CPU("1400m")),
         "COMPATIBILITY: upstream", "#1 a.pool=px b!", "b: could not be reserved", .bare = true},
        {"SCH-256: a pod that asks for on-demand does not wait for a reservation",
         ONE_RESERVATION POOL POD("a", "", CPU("1500m"))
             POD("b", "", "nodeSelector: {" CAPACITY_TYPE ": on-demand}, " CPU("1400m")),
         NULL, "#2 a.ct=reserved b.ct=on-demand b.price=1", .bare = true},
        {"SCH-261: the capacity type is replaced, also where it was narrowed",
         ONE_RESERVATION POOL_REQUIRING(REQUIRE(CAPACITY_TYPE, "In", "on-demand, reserved"))
             POD("a", "", CPU("1")),
         NULL, "a.ct=reserved", .bare = true},
    };
    CHECK_CASES(cases);
}

static void limits_SCH_360_364(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-361: capacity, not allocatable or requests, is held against the limit",
         POOL_OF("pool", "limits: {cpu: '2'}, ", "", "", "") POD("a", "", CPU("1900m")), NULL,
         "a.types=small"},
        {"SCH-361: a type just above is out",
         POOL_OF("pool", "limits: {cpu: 1999m}, ", "", "", "") POD("a", "", CPU("100m")), NULL,
         "a!", "a: all available instance types exceed limits for nodepool (NodePool=pool)"},
        {"SCH-361: a name that the type lacks counts as none",
         POOL_OF("pool", "limits: {example.com/gpu: '0'}, ", "", "", "") POD("a", "", CPU("1")),
         NULL, "a.types=small,medium,arm,large"},
        {"SCH-361, 488: a limit on a device excludes only types with more of it",
         POOL_OF("pool", "limits: {example.com/gpu: '2'}, ", "", "", "") POD("a", "", CPU("5")),
         NULL, "a.types=large,gpu"},
        {"SCH-360, 361: beyond its limit a pool opens nothing, whatever the type lacks",
         POOL_OF("pool", "limits: {example.com/gpu: '1'}, ", "", "",
                 "") "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, labels: {"
                     "kubernetes.io/hostname: n1, karpenter.sh/nodepool: pool, " TYPE_LABEL
                     ": gpu}}, spec: "
                     "{providerID: 'p:n'}, status: {capacity: {cpu: '1', memory: 1Gi, pods: '1', "
                     "example.com/gpu: '2'}, allocatable: {cpu: '1', memory: 1Gi, pods: '1', "
                     "example.com/gpu: '2'}}}\n---\n" POD("a", "", CPU("5")),
         NULL, "a!", "a: all available instance types exceed limits"},
        {"SCH-364: an open claim grows without another look at the limits",
         POOL_OF("pool", "limits: {cpu: '4'}, ", "", "", "") POD("a", "", CPU("1500m"))
             POD("b", "", CPU("1400m")) POD("c", "", CPU("900m")),
         NULL, "#1 a=b b=c a.types=medium,arm"},
        {"SCH-363: every claim is a node",
         POOL_OF("pool", "limits: {nodes: '2'}, ", "", "", "") POD("a", "", PORT_80)
             POD("b", "", PORT_80) POD("c", "", PORT_80),
         NULL, "#2 c!", "c: node limits have been exhausted for nodepool (NodePool=pool)"},
        {"SCH-220: a pool that is full passes the pod on",
         POOL_OF("px", "weight: 2, limits: {cpu: '1'}, ", "", "", "") POOL_OF("py", "", "", "", "")
             POD("a", "", CPU("1")),
         NULL, "a.pool=py"},
        {"SCH-360: nodes of the pool count with capacity, and those being deleted do not",
         POOL_OF(
             "pool", "limits: {cpu: '6'}, ", "", "",
             "") "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: going, uid: g, "
                 "deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x], labels: "
                 "{karpenter.sh/nodepool: pool}}, spec: {nodeClassRef: {group: g, kind: C, name: "
                 "c}, "
                 "requirements: []}, status: {providerID: 'p:1', capacity: {cpu: '4'}, "
                 "allocatable: "
                 "{cpu: '4'}}}\n---\n" POD("a", "", CPU("3")),
         NULL, "a.types=medium,arm"},
    };
    CHECK_CASES(cases);
}

static void finished_claims_SCH_370_379(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-372: the least overhead of the types that are left, none counting as 0",
         POOL DAEMON_SET("d", ARCH("amd64") CPU("1")) POD("a", "", CPU("500m")), NULL,
         "a.cpu=500 a.pods=1"},
        {"SCH-372: groups without a type left do not count",
         POOL DAEMON_SET("d", ARCH("amd64") CPU("1")) POD("a", "", ARCH("amd64") CPU("500m")), NULL,
         "a.cpu=1500 a.pods=2"},
        {"SCH-372: of two amounts the smaller",
         POOL DAEMON_SET("d", ARCH("amd64") CPU("300m")) DAEMON_SET("e", ARCH("arm64") CPU("200m"))
             POD("a", "", CPU("1")),
         NULL, "a.cpu=1200 a.pods=2"},
        {"SCH-375, 265: order follows the claim's own zone and capacity type",
         CATALOG_OF(
             TYPE_OF("tx", "", CAPACITY("2", "4Gi"),
                     OFFER("a", "spot", "1", "") ", " OFFER(
                         "b", "spot", "9", "")) ", " TYPE_OF("ty", "", CAPACITY("2", "4Gi"),
                                                             OFFER("a", "spot", "2", "") ", " OFFER(
                                                                 "b", "spot", "3", "")))
             POOL POD("a", "", IN_ZONE("a") PORT_80) POD("b", "", IN_ZONE("b") PORT_80),
         NULL, "a.types=tx,ty a.price=1 b.types=ty,tx b.price=3", .bare = true},
        {"SCH-265: ties by the type's name",
         CATALOG_OF(
             TYPE_OF("ty", "", CAPACITY("2", "4Gi"), OFFER("a", "spot", "1", "")) ", " TYPE_OF(
                 "tx", "", CAPACITY("2", "4Gi"), OFFER("a", "spot", "1", "")))
             POOL POD("a", "", CPU("1")),
         NULL, "a.types=tx,ty", .bare = true},
        {"SCH-376: labels of requirements; well-known ones come from the provider",
         POOL_OF("pool", "", "team: blue", "",
                 REQUIRE("rack", "In", "r2, r1") ", " REQUIRE(LABEL_OF_ZONE, "In", "a"))
             POD("a", "", CPU("1")),
         NULL,
         "a{team}=blue a{rack}=r1 a{" LABEL_OF_ZONE "}=- a{karpenter.sh/nodepool}=pool "
         "a{g/class}=c a[rack]=r1,r2"},
        {"SCH-376: the requirements of pods are the claim's",
         POOL_OF("pool", "", "", "", "{key: tier, operator: Exists}")
             POD("a", "", "nodeSelector: {tier: gold, kubernetes.io/os: linux}, " CPU("1")),
         NULL, "a{tier}=gold a[tier]=gold a[kubernetes.io/os]=linux"},
        {"SCH-379: DoesNotExist yields no label",
         POOL POD("a", "", REQUIRED_TERMS(TERM_OF("{key: tier, operator: DoesNotExist}")) CPU("1")),
         NULL, "a{tier}=- a[tier]=DoesNotExist"},
        {"SCH-70: bounds in the API's form",
         POOL_REQUIRING(REQUIRE("example.com/size", "Gt", "'3'")) POD(
             "a", "", REQUIRED_TERMS(TERM_OF(REQUIRE("example.com/size", "Lt", "'9'"))) CPU("1")),
         NULL, "a.types=medium,arm,gpu"},
        {"SCH-371: no drivers, no annotation", POOL POD("a", "", CPU("1")), NULL,
         "a<karpenter.sh/requested-dra-drivers>=-"},
    };
    CHECK_CASES(cases);
}

#define LAUNCH_TYPES 600

// One more type than a launch takes; the most expensive is the only one of its architecture.
static char *world_of_many_types(void)
{
    struct text text = {0};
    text_add(&text, "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, "
                    "spec: {instanceTypes: [");
    for (int i = 0; i <= LAUNCH_TYPES; i++)
        text_format(&text,
                    "%s{name: t%04d, requirements: [{key: kubernetes.io/arch, operator: In, "
                    "values: [%s]}], capacity: {cpu: '2', memory: 4Gi, pods: '9'}, offerings: "
                    "[{price: %d, available: true, requirements: [{key: " LABEL_OF_ZONE
                    ", operator: In, values: [a]}, {key: karpenter.sh/capacity-type, operator: "
                    "In, values: [spot]}]}]}",
                    i > 0 ? ", " : "", i, i < LAUNCH_TYPES ? "amd64" : "arm64", i + 1);
    text_add(&text, "]}}\n---\n" POOL_MIN("kubernetes.io/arch", "Exists", "", "2"));
    text_add(&text, POD("a", "", CPU("1")));
    return text_take(&text);
}

static void the_cheapest_600_must_meet_min_values_SCH_384_385(void **state)
{
    (void)state;
    char *world = world_of_many_types();
    PLAN p = plan_yaml_bare(world, NULL);
    assert_int_equal(p.plan->claims.count, 0);
    assert_string_equal(
        unplaced(p.plan, "a")->message,
        "pod didn\xe2\x80\x99t schedule because NodePool couldn\xe2\x80\x99t meet minValues "
        "requirements, validating minValues, minValues requirement is not met for label(s) "
        "(label(s)=[kubernetes.io/arch]) (NodePool=pool)");
    PLAN q = plan_yaml_bare(world, "MIN_VALUES_POLICY: BestEffort");
    assert_int_equal(claim_of(q.plan, "a")->types.count, LAUNCH_TYPES + 1); // FMT-11
    free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_of_a_pass_SCH_211_215),
        cmocka_unit_test(new_claims_SCH_220_224),
        cmocka_unit_test(the_type_filter_SCH_235_241),
        cmocka_unit_test(min_values_SCH_245_250),
        cmocka_unit_test(reservations_SCH_255_262),
        cmocka_unit_test(limits_SCH_360_364),
        cmocka_unit_test(finished_claims_SCH_370_379),
        cmocka_unit_test(the_cheapest_600_must_meet_min_values_SCH_384_385),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
