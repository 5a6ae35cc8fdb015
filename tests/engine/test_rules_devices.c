// Claims of devices, row by row: SCH-422 to SCH-429, SCH-523, SCH-371.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define ON       "IGNORE_DRA_REQUESTS: 'false'"
#define UPSTREAM "IGNORE_DRA_REQUESTS: 'false', COMPATIBILITY: upstream"
#define LOWEST   "IGNORE_DRA_REQUESTS: 'false', PACKING_POLICY: LowestPrice"
#define DRA(kind, name, rest) \
    "{apiVersion: resource.k8s.io/v1, kind: " kind ", metadata: {name: " name rest "}\n---\n"
#define CLASS(name, expression) \
    DRA("DeviceClass", name, "}, spec: {selectors: [{cel: {expression: \"" expression "\"}}]}")
#define GPUS                CLASS("gpus", "device.driver == 'gpu'")
#define REQUEST(name, rest) "{name: " name ", exactly: {deviceClassName: gpus" rest "}}"
#define SELECT(expression)  ", selectors: [{cel: {expression: \"" expression "\"}}]"
#define TEMPLATE(name, parts) \
    DRA("ResourceClaimTemplate", name, "}, spec: {spec: {devices: {" parts "}}}")
#define CLAIM(name, parts) \
    DRA("ResourceClaim", name, ", uid: c-" name "}, spec: {devices: {" parts "}}")
#define ONE_GPU        TEMPLATE("one", "requests: [" REQUEST("r", "") "]")
#define FROM(template) "resourceClaims: [{name: x, resourceClaimTemplateName: " template "}], "
#define NAMED(claim)   "resourceClaims: [{name: x, resourceClaimName: " claim "}], "
// A slice that describes machines to launch.
#define MACHINES(name, types, annotations, devices)                                      \
    DRA("ResourceSlice", name,                                                           \
        ", annotations: {adze.dev/instance-types: '" types "'" annotations               \
        "}}, spec: {driver: gpu, nodeName: none, pool: {name: " name ", generation: 1, " \
        "resourceSliceCount: 1}, devices: [" devices "]}")
// A slice of a node or of all of them; `where` ends in ", ".
#define SLICE(name, where, count, devices)                                       \
    DRA("ResourceSlice", name,                                                   \
        "}, spec: {driver: gpu, " where "pool: {name: " name ", generation: 1, " \
        "resourceSliceCount: " count "}, devices: [" devices "]}")
#define DEVICE(name, model, memory)                                                      \
    "{name: " name ", attributes: {model: {string: " model "}, group: {string: g-" model \
    "}}, capacity: {memory: {value: " memory "}}}"
#define SMALL_HAS_TWO \
    MACHINES("m", "small", "", DEVICE("d0", "a", "16Gi") ", " DEVICE("d1", "b", "24Gi"))
#define LARGE_HAS_FOUR                                                             \
    MACHINES("l", "large", "",                                                     \
             DEVICE("d0", "h", "80Gi") ", " DEVICE("d1", "h", "80Gi") ", " DEVICE( \
                 "d2", "h", "80Gi") ", " DEVICE("d3", "h", "80Gi"))
// A node that is there and initialized, with its slice.
#define NODE_WITH(name, devices)   \
    NODE_OF(name, "zone: a", "16") \
    SLICE("s-" name, "nodeName: " name ", ", "1", devices)

#define FIVE(name)                                                                   \
    DEVICE(name "0", "a", "1Gi")                                                     \
    ", " DEVICE(name "1", "a", "1Gi") ", " DEVICE(name "2", "a", "1Gi") ", " DEVICE( \
        name "3", "a", "1Gi") ", " DEVICE(name "4", "a", "1Gi")

static void templates_SCH_422_428(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-422, 428: from no nodes, types with the devices only; SCH-371",
         POOL GPUS ONE_GPU SMALL_HAS_TWO LARGE_HAS_FOUR POD("a", "", FROM("one") CPU("1")), ON,
         "a.types=small,large a<karpenter.sh/requested-dra-drivers>=gpu"},
        {"SCH-428: as many pods as the machine has devices",
         POOL GPUS ONE_GPU SMALL_HAS_TWO POD("a", "", FROM("one") CPU("100m"))
             POD("b", "", FROM("one") CPU("100m")) POD("c", "", FROM("one") CPU("100m")),
         ON, "a=b a/c #2"},
        {"SCH-428: the same with the cheapest packing",
         POOL GPUS ONE_GPU SMALL_HAS_TWO POD("a", "", FROM("one") CPU("100m"))
             POD("b", "", FROM("one") CPU("100m")) POD("c", "", FROM("one") CPU("100m")),
         LOWEST, "a+ b+ c+ #2"},
        {"SCH-427: selectors of the request",
         POOL GPUS TEMPLATE(
             "big",
             "requests: [" REQUEST(
                 "r", SELECT("device.capacity['gpu'].memory.compareTo(quantity('40Gi')) > 0")) "]")
             SMALL_HAS_TWO LARGE_HAS_FOUR POD("a", "", FROM("big") CPU("1")),
         ON, "a.types=large"},
        {"SCH-428: nothing matches",
         POOL GPUS TEMPLATE(
             "huge",
             "requests: [" REQUEST("r", SELECT("device.attributes['gpu'].model == 'none'")) "]")
             SMALL_HAS_TWO POD("a", "", FROM("huge") CPU("1")) POD("b", "", CPU("1")),
         ON, "a! b+",
         "a: no instance type has a device that matches class gpus where "
         "device.attributes['gpu'].model == 'none'"},
        {"SCH-427: a count, and no more than that",
         POOL GPUS TEMPLATE("three", "requests: [" REQUEST("r", ", count: 3") "]")
             SMALL_HAS_TWO LARGE_HAS_FOUR POD("a", "", FROM("three") CPU("1"))
                 POD("b", "", FROM("three") CPU("1")),
         ON, "a.types=large a/b"},
        {"SCH-427: mode All takes every device",
         POOL GPUS ONE_GPU TEMPLATE("all", "requests: [" REQUEST("r", ", allocationMode: All") "]")
             SMALL_HAS_TWO POD("a", "", FROM("all") CPU("200m"))
                 POD("b", "", FROM("one") CPU("100m")),
         ON, "a.types=small a/b"},
        {"SCH-427: mode All needs a device",
         POOL GPUS TEMPLATE("all", "requests: [" REQUEST("r", ", allocationMode: All") "]")
             POD("a", "", FROM("all") CPU("1")),
         ON, "a!"},
        {"SCH-427: firstAvailable, the first alternative that works",
         POOL GPUS TEMPLATE(
             "either",
             "requests: [{name: r, firstAvailable: [{name: many, deviceClassName: gpus, count: 9}, "
             "{name: few, deviceClassName: gpus, count: 2}]}]")
             SMALL_HAS_TWO POD("a", "", FROM("either") CPU("1")),
         ON, "a.types=small"},
        {"SCH-427: matchAttribute: all of one model",
         POOL GPUS TEMPLATE(
             "same", "requests: [" REQUEST("r", ", count: 2") "], constraints: "
                                                              "[{matchAttribute: gpu/model}]")
             SMALL_HAS_TWO LARGE_HAS_FOUR POD("a", "", FROM("same") CPU("1")),
         ON, "a.types=large"},
        {"SCH-422: values that are chosen on the machine bind devices that share them",
         POOL GPUS TEMPLATE(
             "same", "requests: [" REQUEST("r", ", count: 2") "], constraints: "
                                                              "[{matchAttribute: gpu/group}]")
             MACHINES("m", "small", ", adze.dev/runtime-attributes: group",
                      DEVICE("d0", "a", "1Gi") ", " DEVICE("d1", "b", "1Gi"))
                 MACHINES("l", "large", ", adze.dev/runtime-attributes: gpu/group",
                          DEVICE("d0", "a", "1Gi") ", " DEVICE("d1", "b", "1Gi") ", " DEVICE(
                              "d2", "a", "1Gi")) POD("a", "", FROM("same") CPU("1")),
         ON, "a.types=large"},
        {"SCH-422: and selectors do not see them",
         POOL GPUS TEMPLATE(
             "g", "requests: [" REQUEST("r", SELECT("device.attributes['gpu'].group == 'g-a'")) "]")
             MACHINES("m", "small", ", adze.dev/runtime-attributes: group",
                      DEVICE("d0", "a", "1Gi")) POD("a", "", FROM("g") CPU("1")),
         ON, "a!"},
        {"SCH-428: two requests want different devices",
         POOL GPUS TEMPLATE("two", "requests: [" REQUEST("p", "") ", " REQUEST(
                                       "q", SELECT("device.attributes['gpu'].model == 'a'")) "]")
             SMALL_HAS_TWO POD("a", "", FROM("two") CPU("1")),
         ON, "a.types=small"},
        {"SCH-424: a search that would take too long ends",
         POOL GPUS TEMPLATE(
             "p",
             "requests: [" REQUEST(
                 "p", ", count: 8" SELECT(
                          "device.attributes['gpu'].model == "
                          "'a'")) ", " REQUEST("q", SELECT("device.attributes['gpu'].model == "
                                                           "'b'")) "], constraints: "
                                                                   "[{matchAttribute: gpu/model}]")
             MACHINES("m", "large", "",
                      FIVE("a") ", " FIVE("b") ", " FIVE("c") ", " FIVE("d") ", " DEVICE(
                          "z", "b", "1Gi")) POD("a", "", FROM("p") CPU("1")) POD("b", "", CPU("1")),
         ON, "a! b+"},
        {"SCH-523: devices are chosen on the requirements as the pod tightens them",
         POOL GPUS ONE_GPU SMALL_HAS_TWO SLICE(
             "zb",
             "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: " LABEL_OF_ZONE
             ", operator: In, values: [b]}]}]}, ",
             "1", DEVICE("n0", "a", "1Gi"))
             POD("a", "",
                 "nodeSelector: {" LABEL_OF_ZONE ": b, node.kubernetes.io/instance-type: "
                 "medium}, " FROM("one") CPU("1")),
         ON, "a.types=medium a.zone=b"},
        {"SCH-523: each way is judged with all types; the cheapest wins",
         POOL GPUS ONE_GPU LARGE_HAS_FOUR SLICE(
             "zb",
             "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: " LABEL_OF_ZONE
             ", operator: In, values: [b]}]}]}, ",
             "1", DEVICE("n0", "a", "1Gi")) POD("a", "", FROM("one") CPU("1")),
         ON, "a.zone=b a.price=0.04"},
    };
    CHECK_CASES(cases);
}

static void claims_SCH_423_425(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-423: a claim that is not there", POOL GPUS POD("a", "", NAMED("rc") CPU("1")), ON,
         "a!", "a: resourceclaim \"default/rc\" not found"},
        {"SCH-423: a template that is not there", POOL GPUS POD("a", "", FROM("none") CPU("1")), ON,
         "a!", "a: resourceclaimtemplate \"default/none\" not found"},
        {"SCH-423: upstream skips a claim that is not made yet",
         POOL GPUS POD("a", "", FROM("none") CPU("1")), UPSTREAM, "a+"},
        {"SCH-423: nothing to allocate",
         POOL GPUS "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u-a}, spec: {" FROM("none")
             CPU("1") "}, status: {resourceClaimStatuses: [{name: x}]}}\n---\n",
         ON, "a+"},
        {"SCH-423: by the name in the status",
         POOL GPUS SMALL_HAS_TWO CLAIM(
             "made", "requests: [" REQUEST(
                         "r", "") "]") "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u-a}, "
                                       "spec: {" FROM("none")
                                           CPU("1") "}, status: {resourceClaimStatuses: [{name: x, "
                                                    "resourceClaimName: made}]}}\n---\n",
         ON, "a.types=small"},
        {"SCH-427: a class that is not there", POOL ONE_GPU POD("a", "", FROM("one") CPU("1")), ON,
         "a!", "a: claim \"one\" request \"r\": DeviceClass \"gpus\" not found"},
        {"SCH-427: an expression that cannot be evaluated sets its pods aside, and names the part",
         POOL GPUS TEMPLATE("odd", "requests: [" REQUEST("r", SELECT("device.driver.foo()")) "]")
             POD("a", "", FROM("odd") CPU("1")) POD("b", "", CPU("1")),
         ON, "a! b+",
         "a: claim \"odd\" request \"r\": CEL expression \"device.driver.foo()\" "
         "cannot be evaluated: function foo, which is not supported"},
        {"SCH-427: constraints of another kind",
         POOL GPUS TEMPLATE("d", "requests: [" REQUEST("r", "") "], constraints: "
                                                                "[{distinctAttribute: gpu/model}]")
             POD("a", "", FROM("d") CPU("1")),
         ON, "a!", "a: claim \"d\": constraint distinctAttribute is not supported"},
        {"SCH-427: more devices than a claim may have",
         POOL GPUS TEMPLATE("many", "requests: [" REQUEST("r", ", count: 33") "]")
             POD("a", "", FROM("many") CPU("1")),
         ON, "a!", "a: claim \"many\" request \"r\": 33 devices; a claim may have 1 to 32"},
        {"SCH-425: a claim by name binds its pods to one machine",
         POOL GPUS CLAIM("rc", "requests: [" REQUEST("r", "") "]") SMALL_HAS_TWO LARGE_HAS_FOUR POD(
             "a", "", NAMED("rc") CPU("1")) POD("b", "", NAMED("rc") CPU("900m")),
         ON, "a=b #1"},
        {"SCH-425: even if it is full",
         POOL GPUS CLAIM("rc", "requests: [" REQUEST("r", "") "]")
             SMALL_HAS_TWO POD("a", "", NAMED("rc") CPU("1")) POD("b", "", NAMED("rc") CPU("1")),
         ON, "a+ b!", "b: claim is bound to a different in-flight NodeClaim"},
        {"SCH-425: an allocated claim says where its pods go",
         POOL GPUS NODE_WITH("n1", DEVICE("d0", "a", "1Gi")) DRA(
             "ResourceClaim", "rc",
             ", uid: c}, spec: {devices: {requests: [" REQUEST(
                 "r", "") "]}}, status: {allocation: {devices: {results: [{request: r, driver: "
                          "gpu, pool: s-n1, "
                          "device: d0}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: "
                          "metadata.name, "
                          "operator: In, values: [n1]}]}]}}}") POD("a", "", NAMED("rc") CPU("1")),
         ON, "a@n1"},
    };
    CHECK_CASES(cases);
}

#define ALLOCATED(name, pool, device, pod)                                                  \
    DRA("ResourceClaim", name,                                                              \
        ", uid: c-" name "}, spec: {devices: {requests: [" REQUEST(                         \
            "r", "") "]}}, status: {"                                                       \
                     "reservedFor: [{resource: pods, name: " pod ", uid: uid-" pod          \
                     "}], allocation: {devices: "                                           \
                     "{results: [{request: r, driver: gpu, pool: " pool ", device: " device \
                     "}]}}}")

#define PARTITION(name) \
    "{name: " name ", consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 5Gi}}}]}"
#define SLICE_OF_PARTITIONS                                                                       \
    DRA("ResourceSlice", "d",                                                                     \
        "}, spec: {driver: gpu, nodeName: n1, pool: {name: p, generation: 1, "                    \
        "resourceSliceCount: 2}, devices: [" PARTITION("d0") ", " PARTITION("d1") ", " PARTITION( \
            "d2") "]}")

static void nodes_SCH_422_426(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-422, 426: devices of a node that is there",
         POOL GPUS ONE_GPU NODE_WITH("n1", DEVICE("d0", "a", "1Gi"))
             SMALL_HAS_TWO POD("a", "", FROM("one") CPU("1")) POD("b", "", FROM("one") CPU("1")),
         ON, "a@n1 b+"},
        {"LIF-250: less those that running pods have",
         POOL GPUS ONE_GPU NODE_WITH("n1", DEVICE("d0", "a", "1Gi") ", " DEVICE("d1", "a", "1Gi"))
             ALLOCATED("held", "s-n1", "d1", "x") BOUND_POD("x", "n1", "", NAMED("held") CPU("1"))
                 POD("a", "", FROM("one") CPU("1")) POD("b", "", FROM("one") CPU("1")),
         ON, "a@n1 b!"},
        {"LIF-250: a claim of a pod that is gone holds nothing",
         POOL GPUS ONE_GPU NODE_WITH("n1", DEVICE("d0", "a", "1Gi"))
             ALLOCATED("held", "s-n1", "d0", "x") POD("a", "", FROM("one") CPU("1")),
         ON, "a@n1"},
        {"SCH-426: the highest generation of a pool only",
         POOL GPUS ONE_GPU NODE_OF("n1", "zone: a", "16")
             DRA("ResourceSlice", "old",
                 "}, spec: {driver: gpu, nodeName: n1, pool: {name: p, "
                 "generation: 1, resourceSliceCount: 1}, devices: [" DEVICE("d0", "a", "1Gi") "]}")
                 DRA("ResourceSlice", "new",
                     "}, spec: {driver: gpu, nodeName: n1, pool: {name: p, "
                     "generation: 2, resourceSliceCount: 1}, devices: []}")
                     POD("a", "", FROM("one") CPU("1")),
         ON, "a!"},
        {"SCH-426: not from a pool of which slices are missing",
         POOL GPUS ONE_GPU NODE_OF("n1", "zone: a", "16")
             SLICE("s", "nodeName: n1, ", "2", DEVICE("d0", "a", "1Gi"))
                 POD("a", "", FROM("one") CPU("1")),
         ON, "a!"},
        {"SCH-426: nor from one with a name twice",
         POOL GPUS ONE_GPU NODE_OF("n1", "zone: a", "16") SLICE(
             "s", "nodeName: n1, ", "1", DEVICE("d0", "a", "1Gi") ", " DEVICE("d0", "a", "1Gi"))
             POD("a", "", FROM("one") CPU("1")),
         ON, "a!"},
        {"SCH-426, 429: devices of all nodes, once: they are taken for all types of the claim",
         POOL GPUS ONE_GPU SLICE("net", "allNodes: true, ", "1", DEVICE("d0", "a", "1Gi"))
             POD("a", "", FROM("one") CPU("1")) POD("b", "", FROM("one") CPU("900m")),
         ON, "a+ b!"},
        {"SCH-426: devices of nodes that a selector names",
         POOL GPUS ONE_GPU NODE_OF("n1", "zone: a", "16") NODE_OF("n2", "zone: b", "16")
             SLICE("net",
                   "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, "
                   "operator: In, values: [b]}]}]}, ",
                   "1", DEVICE("d0", "a", "1Gi")) POD("a", "", FROM("one") CPU("1")),
         ON, "a@n2"},
        {"SCH-427: counters bound the partitions of a device",
         POOL GPUS ONE_GPU NODE_OF("n1", "zone: a", "16") DRA(
             "ResourceSlice", "c",
             "}, spec: {driver: gpu, nodeName: n1, pool: {name: p, "
             "generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: gpu-0, counters: "
             "{memory: {value: 10Gi}}}]}") SLICE_OF_PARTITIONS POD("a", "", FROM("one") CPU("1"))
             POD("b", "", FROM("one") CPU("1")) POD("c", "", FROM("one") CPU("1")),
         ON, "a@n1 b@n1 c!"},
        {"SCH-427: a counter that nothing declares",
         POOL GPUS ONE_GPU NODE_OF("n1", "zone: a", "16")
             DRA("ResourceSlice", "d",
                 "}, spec: {driver: gpu, nodeName: n1, pool: {name: p, "
                 "generation: 1, resourceSliceCount: 1}, devices: [{name: d0, consumesCounters: "
                 "[{counterSet: gpu-0, counters: {memory: {value: 1Gi}}}]}]}")
                 POD("a", "", FROM("one") CPU("1")),
         ON, "a!"},
        {"SCH-427: parts of a device that several may have",
         POOL GPUS TEMPLATE("part", "requests: [" REQUEST("r", ", capacity: {requests: {memory: "
                                                               "4Gi}}") "]")
             NODE_OF("n1", "zone: a", "16")
                 SLICE("s", "nodeName: n1, ", "1",
                       "{name: d0, allowMultipleAllocations: true, capacity: "
                       "{memory: {value: 10Gi, requestPolicy: {default: 1Gi}}}}")
                     POD("a", "", FROM("part") CPU("1")) POD("b", "", FROM("part") CPU("1"))
                         POD("c", "", FROM("part") CPU("1")),
         ON, "a@n1 b@n1 c!"},
        {"SCH-422: a machine that is not initialized has its type's devices, less planned pods'",
         POOL GPUS ONE_GPU SMALL_HAS_TWO
         "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: nc, labels: "
         "{karpenter.sh/nodepool: pool, node.kubernetes.io/instance-type: small}}, spec: "
         "{nodeClassRef: {group: g, kind: Class, name: c}, requirements: []}, status: {providerID: "
         "'x:///1', capacity: {cpu: '2', memory: 4Gi, pods: '20'}, allocatable: {cpu: '2', memory: "
         "4Gi, pods: '20'}, conditions: [{type: Launched, status: 'True', lastTransitionTime: "
         "'2026-01-01T00:00:00Z', reason: Launched, message: ''}]}}\n---\n"
         "{apiVersion: v1, kind: Node, metadata: {name: nc, uid: nc, labels: "
         "{karpenter.sh/nodepool: "
         "pool, node.kubernetes.io/instance-type: small, karpenter.sh/registered: 'true'}}, spec: "
         "{providerID: 'x:///1'}, status: {capacity: {cpu: '2', memory: 4Gi, pods: '20'}, "
         "allocatable: {cpu: '2', memory: 4Gi, pods: '20'}}}\n---\n" BOUND_POD(
             "x", "nc", "", FROM("one") CPU("100m")) POD("a", "", FROM("one") CPU("100m"))
             POD("b", "", FROM("one") CPU("90m")),
         ON, "a@nc b+"},
        {"SCH-407: a NodeOverlay leaves the devices of a type alone",
         POOL GPUS ONE_GPU SMALL_HAS_TWO
         "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: o}, spec: "
         "{requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [small]}], "
         "capacity: {example.com/x: '1'}}}\n---\n" POD("a", "", FROM("one") CPU("1")),
         ON ", FEATURE_GATES: NodeOverlay=true", "a.types=small"},
    };
    CHECK_CASES(cases);
}

#define BY_RESOURCE(name, class, more)                                                       \
    DRA("DeviceClass", class,                                                                \
        ", creationTimestamp: '2026-01-0" more "T00:00:00Z'}, spec: {extendedResourceName: " \
        "'x.io/gpu', selectors: [{cel: {expression: \"device.driver == '" name "'\"}}]}")
#define ASKS(amounts) "containers: [{name: c, image: i, resources: {requests: {" amounts "}}}]"
#define PLUGIN_NODE(name)                                                                    \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", uid: n-" name                   \
    ", labels: {kubernetes.io/hostname: " name "}}, status: {capacity: {cpu: '16', memory: " \
    "8Gi, pods: '20', x.io/gpu: '2'}, allocatable: {cpu: '16', memory: 8Gi, pods: '20', "    \
    "x.io/gpu: '2'}}}\n---\n"

// Kubernetes' DRAExtendedResource.
static void extended_resources_SCH_427(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-427: a resource that a class names is a claim of the class, and no resource of the "
         "node",
         POOL BY_RESOURCE("gpu", "gpus", "1")
             SMALL_HAS_TWO LARGE_HAS_FOUR POD("a", "", ASKS("cpu: '1', x.io/gpu: '3'")),
         ON, "a.types=large a<karpenter.sh/requested-dra-drivers>=gpu a.x.io/gpu=0"},
        {"SCH-427: by the name that every class has",
         POOL GPUS SMALL_HAS_TWO POD(
             "a", "", ASKS("cpu: '1', deviceclass.resource.kubernetes.io/gpus: '2'")),
         ON, "a.types=small"},
        {"SCH-427: the newest of two classes counts",
         POOL BY_RESOURCE("other", "b", "1") BY_RESOURCE("gpu", "c", "2")
             BY_RESOURCE("none", "a", "1") SMALL_HAS_TWO POD("a", "", ASKS("x.io/gpu: '1'")),
         ON, "a.types=small"},
        {"SCH-427: then the first by name",
         POOL BY_RESOURCE("other", "b", "1") BY_RESOURCE("gpu", "a", "1")
             SMALL_HAS_TWO POD("a", "", ASKS("x.io/gpu: '1'")),
         ON, "a.types=small"},
        {"SCH-427: claims and resources share devices",
         POOL BY_RESOURCE("gpu", "gpus", "1")
             ONE_GPU SMALL_HAS_TWO POD("a", "", ASKS("cpu: '200m', x.io/gpu: '1'"))
                 POD("b", "", FROM("one") CPU("100m")) POD("c", "", FROM("one") CPU("90m")),
         ON, "a=b a/c #2"},
        {"SCH-427: an init container takes what the others have, and what is missing",
         POOL BY_RESOURCE("gpu", "gpus", "1") SMALL_HAS_TWO LARGE_HAS_FOUR POD(
             "a", "",
             "initContainers: [{name: i, image: i, resources: {requests: {x.io/gpu: '2'}}}], "
             "containers: [{name: c, image: i, resources: {requests: {x.io/gpu: '1'}}}, "
             "{name: d, image: i, resources: {requests: {x.io/gpu: '1'}}}]")
             POD("b", "",
                 "initContainers: [{name: i, image: i, resources: {requests: {x.io/gpu: '3'}}}], "
                 "containers: [{name: c, image: i, resources: {requests: {x.io/gpu: '1'}}}]"),
         ON, "a.types=small,large b.types=large"},
        {"SCH-427: nothing has the devices",
         POOL BY_RESOURCE("none", "gpus", "1") SMALL_HAS_TWO POD("a", "", ASKS("x.io/gpu: '1'")),
         ON, "a!", "a: no instance type has a device that matches class gpus as x.io/gpu"},
        {"SCH-427: a device plugin's units first, less those that pods have; then devices",
         POOL BY_RESOURCE("gpu", "gpus", "1") SMALL_HAS_TWO PLUGIN_NODE("n1")
             BOUND_POD("x", "n1", "", ASKS("cpu: '1', x.io/gpu: '1'"))
                 POD("a", "", ASKS("cpu: '1', x.io/gpu: '1'"))
                     POD("b", "", ASKS("cpu: '900m', x.io/gpu: '1'")),
         ON, "a@n1 b.types=small"},
        {"SCH-427: a claim gets no unit of a device plugin",
         POOL BY_RESOURCE("gpu", "gpus", "1") ONE_GPU PLUGIN_NODE("n1")
             POD("a", "", FROM("one") CPU("1")),
         ON, "a!"},
        {"SCH-427: devices of a node, less what kube-scheduler has allocated for such pods",
         POOL BY_RESOURCE("gpu", "gpus", "1")
             NODE_WITH("n1", DEVICE("d0", "a", "1Gi") ", " DEVICE("d1", "a", "1Gi")) ALLOCATED(
                 "held", "s-n1", "d1",
                 "x") "{apiVersion: v1, kind: Pod, metadata: {name: x, uid: uid-x}, spec: "
                      "{nodeName: n1, " ASKS(
                          "x.io/gpu: '1'") "}, status: {phase: Running, "
                                           "extendedResourceClaimStatus: "
                                           "{resourceClaimName: "
                                           "held}}}\n---\n" POD("a", "", ASKS("x.io/gpu: '1'"))
                                               POD("b", "", ASKS("x.io/gpu: '1'")),
         ON, "a@n1 b!"},
        {"SCH-427: upstream knows none of it",
         POOL BY_RESOURCE("gpu", "gpus", "1") SMALL_HAS_TWO POD("a", "", ASKS("x.io/gpu: '1'")),
         UPSTREAM, "a!"},
        {"SCH-420: nor is it known while claims are ignored",
         POOL BY_RESOURCE("gpu", "gpus", "1") SMALL_HAS_TWO POD("a", "", ASKS("x.io/gpu: '1'")),
         "IGNORE_DRA_REQUESTS: 'true'", "a!"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_SCH_422_428),
        cmocka_unit_test(claims_SCH_423_425),
        cmocka_unit_test(nodes_SCH_422_426),
        cmocka_unit_test(extended_resources_SCH_427),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
