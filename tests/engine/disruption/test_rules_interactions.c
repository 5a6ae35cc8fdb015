// Disruption together with reserved capacity, volumes, buffers, minValues and the limit on instance
// types (DIS-230 to DIS-242, DIS-430 to DIS-447), as tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_cases.h"

#define SINGLE  .method = "single"
#define MULTI   .method = "multi"
#define DRIFT   .method = "drift"
#define DRIFTED .drifted = "2025-12-30T00:00:00Z"
#define POD_ON(its_name, its_node)         \
    {                                      \
        .name = its_name, .node = its_node \
    }

// Types of 16 cpu with offerings, separated by ", ".
#define TYPES(types)                                                                    \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, spec: {" \
    "instanceTypes: [" types "]}}\n---\n"
#define SYSTEM                                                         \
    "{key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: " \
    "kubernetes.io/os, operator: In, values: [linux]}"
#define TYPE_WITH(name, more, offerings)                                               \
    "{name: " name ", requirements: [" SYSTEM more "], capacity: {cpu: '16', memory: " \
    "64Gi, pods: '100'}, offerings: [" offerings "]}"
#define TYPE(name, offerings) TYPE_WITH(name, "", offerings)
#define OFFER_OF(zone, capacity_type, price, more, requirement)                                    \
    "{price: " price ", available: true, " more "requirements: [{key: "                            \
    "topology.kubernetes.io/zone, operator: In, values: [" zone                                    \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: [" capacity_type "]}" requirement \
    "]}"
#define OFFER(zone, capacity_type, price) OFFER_OF(zone, capacity_type, price, "", "")
#define RESERVED(zone, id, price, count)                                  \
    OFFER_OF(zone, "reserved", price, "reservationCapacity: " count ", ", \
             ", {key: example.com/reservation-id, operator: In, values: [" id "]}")
#define CAPACITY_TYPES(values) \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [" values "]}], "

static void reasons(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-3: emptiness", .nodes = {{.name = "a"}}, .expected = "Empty/empty: a"},
        {.rule = "DIS-3: static drift",
         .pools = {{.spec = "replicas: 1, "}},
         .nodes = {{.name = "a", DRIFTED}},
         .expected = "Drifted/none: a ->  - -"},
        {.rule = "DIS-3: drift",
         .nodes = {{.name = "a", DRIFTED}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a")},
         .expected = "Drifted/none: a"},
        {.rule = "DIS-3: several nodes",
         .nodes = {{.name = "a"}, {.name = "b"}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b")},
         .expected = "Underutilized/multi: a b"},
        {.rule = "DIS-3: one node",
         .nodes = {{.name = "a"}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a")},
         .expected = "Underutilized/single: a"},
    };
    CHECK_DISRUPT_CASES(cases);
}

#define SPOT               .capacity_type = "spot"
#define ON_RESERVATION(id) .capacity_type = "reserved, example.com/reservation-id: " id
#define GATED              UPSTREAM ", FEATURE_GATES: ReservedCapacity=false"

static void reserved_capacity(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-501, DIS-436: from on-demand to a reservation of the same type",
         SINGLE,
         .bare = true,
         .more =
             TYPES(TYPE("t", OFFER("a", "on-demand", "0.5") ", " RESERVED("a", "r", "0.01", "1"))),
         .nodes = {{.name = "x", .type = "t"}},
         .pods = {POD_ON("p", "x")},
         .expected = "Underutilized/single: x -> t reserved -"},
        {.rule = "DIS-501, DIS-436: from spot without the gate",
         SINGLE,
         .bare = true,
         .more = TYPES(TYPE("t", OFFER("a", "spot", "0.2") ", " RESERVED("a", "r", "0.01", "1"))),
         .nodes = {{.name = "x", .type = "t", SPOT}},
         .pods = {POD_ON("p", "x")},
         .expected = "Underutilized/single: x -> t reserved -"},
        {.rule = "DIS-501: two nodes and one reservation: one of them at a time",
         MULTI,
         .bare = true,
         .more =
             TYPES(TYPE("t", OFFER("a", "on-demand", "0.5") ", " RESERVED("a", "r", "0.01", "1"))),
         .nodes = {{.name = "x", .type = "t"}, {.name = "w", .type = "t"}},
         .pods = {{.name = "p", .node = "x", .cpu = "9"}, {.name = "q", .node = "w", .cpu = "9"}},
         .expected = ""},
        {.rule = "DIS-501: a reservation that is used up is none",
         SINGLE,
         .bare = true,
         .more =
             TYPES(TYPE("t", OFFER("a", "on-demand", "0.5") ", " RESERVED("b", "r", "0.01", "0"))),
         .pools = {{.template = CAPACITY_TYPES("on-demand")}},
         .nodes = {{.name = "x", .type = "t"}},
         .pods = {POD_ON("p", "x")},
         .expected = ""},
        {.rule = "DIS-500, DIS-436: to a cheaper reservation",
         SINGLE,
         .bare = true,
         .more = TYPES(TYPE("t", RESERVED("a", "r1", "0.02", "0")) ", " TYPE(
             "u", RESERVED("a", "r2", "0.01", "1") ", " OFFER("a", "on-demand", "9"))),
         .nodes = {{.name = "x", .type = "t", ON_RESERVATION("r1")}},
         .pods = {POD_ON("p", "x")},
         .expected = "Underutilized/single: x -> u reserved -"},
        {.rule = "DIS-500, DIS-167: not to a dearer one",
         SINGLE,
         .bare = true,
         .more = TYPES(TYPE("t", RESERVED("a", "r1", "0.02", "0")) ", " TYPE(
             "u", RESERVED("a", "r2", "0.03", "1"))),
         .nodes = {{.name = "x", .type = "t", ON_RESERVATION("r1")}},
         .pods = {POD_ON("p", "x")},
         .expected = "",
         .note = "x: Can't replace with a cheaper node"},
        {.rule = "DIS-170: from reserved to spot, which both capacity types are narrowed to",
         SINGLE,
         .bare = true,
         .more = TYPES(TYPE("t", RESERVED("a", "r1", "0.2", "0")) ", " TYPE(
             "u", OFFER("a", "spot", "0.1") ", " OFFER("a", "on-demand", "0.5"))),
         .nodes = {{.name = "x", .type = "t", ON_RESERVATION("r1")}},
         .pods = {POD_ON("p", "x")},
         .expected = "Underutilized/single: x -> u spot -"},
        {.rule =
             "DIS-436: without the gate no reservation is counted, and no claim narrowed to one",
         SINGLE,
         .settings = GATED,
         .bare = true,
         .more = TYPES(TYPE("t", OFFER("a", "on-demand", "0.5")) ", " TYPE(
             "u", OFFER("a", "on-demand", "0.4"))),
         .pools = {{.template = CAPACITY_TYPES("on-demand, reserved")}},
         .nodes = {{.name = "x", .type = "t"}},
         .pods = {POD_ON("p", "x")},
         .expected = "Underutilized/single: x -> u on-demand,reserved -"},
        {.rule = "DIS-233: whom no reservation is left for goes elsewhere, in the same simulation",
         DRIFT,
         .bare = true,
         .more =
             TYPES(TYPE("t", OFFER("a", "on-demand", "0.5") ", " RESERVED("a", "r", "0.01", "1"))),
         .nodes = {{.name = "x", .type = "t", DRIFTED}},
         .pods = {{.name = "p", .node = "x", .cpu = "9"}, {.name = "q", .node = "x", .cpu = "8"}},
         .expected = "Drifted/none: x -> t reserved - -> t - -"},
    };
    CHECK_DISRUPT_CASES(cases);
}

#define CLAIM_OF(volume)                                                                     \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: v, namespace: default, " \
    "annotations: {pv.kubernetes.io/bind-completed: ''}}, spec: {volumeName: " volume "}}\n---\n"
#define VOLUME_ON(source, key, value)                                                \
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {" source  \
    ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: " key \
    ", operator: In, values: [" value "]}]}]}}}}\n---\n"
#define LOCAL       "local: {path: /disk}"
#define REMOTE      "csi: {driver: d, volumeHandle: h}"
#define WITH_VOLUME .spec = "volumes: [{name: v, persistentVolumeClaim: {claimName: v}}], "
#define STATEFUL(its_node)                                                 \
    {                                                                      \
        .name = "p", .node = its_node, .owner = "StatefulSet", WITH_VOLUME \
    }

static void volumes(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-498: a local volume's host is disregarded",
         SINGLE,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}},
         .pods = {STATEFUL("a")},
         .more = CLAIM_OF("pv") VOLUME_ON(LOCAL, "kubernetes.io/hostname", "a"),
         .expected = "Underutilized/single: a -> small,medium,arm on-demand -"},
        {.rule = "DIS-498: drift likewise",
         DRIFT,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {{.name = "a", DRIFTED}},
         .pods = {STATEFUL("a")},
         .more = CLAIM_OF("pv") VOLUME_ON(LOCAL, "kubernetes.io/hostname", "a"),
         .expected = "Drifted/none: a -> large on-demand -"},
        {.rule = "DIS-498: of any other volume it counts",
         SINGLE,
         .nodes = {{.name = "a"}},
         .pods = {STATEFUL("a")},
         .more = CLAIM_OF("pv") VOLUME_ON(REMOTE, "kubernetes.io/hostname", "a"),
         .expected = ""},
        {.rule = "DIS-232: a volume's zone goes with the pod",
         SINGLE,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a", .zone = "b"}, {.name = "u", .zone = "a", .unmanaged = true}},
         .pods = {STATEFUL("a")},
         .more = CLAIM_OF("pv") VOLUME_ON(REMOTE, "topology.kubernetes.io/zone", "b"),
         .expected = "Underutilized/single: a -> small,medium,arm on-demand b"},
    };
    CHECK_DISRUPT_CASES(cases);
}

#define DEVICES .spec = "resourceClaims: [{name: x, resourceClaimName: rc}], "

static void devices(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-242: a pod with resource claims keeps its node",
         SINGLE,
         .nodes = {{.name = "a"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a", DEVICES}},
         .expected = "",
         .note = "a: Not all pods would schedule, default/p => "},
        {.rule = "DIS-242: also one that drifted",
         DRIFT,
         .nodes = {{.name = "a", DRIFTED}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a", DEVICES}},
         .expected = "",
         .note = "a: Not all pods would schedule, default/p => "},
        {.rule = "DIS-242, DIS-250: a pending one keeps nobody",
         SINGLE,
         .nodes = {{.name = "a"}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"), {.name = "q", DEVICES}},
         .expected = "Underutilized/single: a"},
    };
    CHECK_DISRUPT_CASES(cases);
}

#define DRA(kind, name, rest) \
    "{apiVersion: resource.k8s.io/v1, kind: " kind ", metadata: {name: " name rest "}\n---\n"
#define DEVICE_CLASS           \
    DRA("DeviceClass", "gpus", \
        "}, spec: {selectors: [{cel: {expression: device.driver == 'gpu'}}]}")
#define SLICE_ON(node)                                                                      \
    DRA("ResourceSlice", "s-" node,                                                         \
        "}, spec: {driver: gpu, nodeName: " node ", pool: {name: " node ", generation: 1, " \
        "resourceSliceCount: 1}, devices: [{name: d0}]}")
#define SMALL_HAS_DEVICES                                                                      \
    DRA("ResourceSlice", "t",                                                                  \
        ", annotations: {adze.dev/instance-types: small}}, spec: {"                            \
        "driver: gpu, nodeName: none, pool: {name: t, generation: 1, resourceSliceCount: 1}, " \
        "devices: [{name: d0}]}")
#define HELD(name, pod, node)                                                                \
    DRA("ResourceClaim", name,                                                               \
        ", uid: c-" name ", ownerReferences: [{apiVersion: v1, kind: Pod, name: " pod        \
        ", uid: o, controller: true}]}, spec: {devices: {requests: [{name: r, exactly: {"    \
        "deviceClassName: gpus}}]}}, status: {reservedFor: [{resource: pods, name: " pod     \
        ", uid: u}], allocation: {devices: {results: [{request: r, driver: gpu, pool: " node \
        ", device: d0}]}}}")
#define ITS(claim)   .spec = "resourceClaims: [{name: x, resourceClaimName: " claim "}], "
#define WITH_DEVICES .settings = "IGNORE_DRA_REQUESTS: 'false'"

static void planned_devices(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-243: devices that a moved pod has are free for it elsewhere",
         SINGLE,
         WITH_DEVICES,
         .nodes = {{.name = "a"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a", ITS("rc")}},
         .more = DEVICE_CLASS SLICE_ON("a") SLICE_ON("u") HELD("rc", "p", "a"),
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-243: devices of the node that goes are not offered",
         SINGLE,
         WITH_DEVICES,
         .nodes = {{.name = "a"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a", ITS("rc")}},
         .more = DEVICE_CLASS SLICE_ON("a") HELD("rc", "p", "a"),
         .expected = ""},
        {.rule = "DIS-243: a replacement has the devices of its type",
         SINGLE,
         WITH_DEVICES,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a", ITS("rc")}},
         .more = DEVICE_CLASS SLICE_ON("a") HELD("rc", "p", "a") SMALL_HAS_DEVICES,
         .expected = "Underutilized/single: a -> small on-demand -"},
    };
    CHECK_DISRUPT_CASES(cases);
}

// --- more types than a launch can name -----------------------------------------------------------
static void add_types(struct text *world, uint32_t count, const char *last_arch)
{
    text_add(world, "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, "
                    "spec: {instanceTypes: [");
    for (uint32_t i = 0; i < count; i++)
        text_format(
            world,
            "%s{name: t%03u, requirements: [{key: kubernetes.io/arch, operator: In, values: "
            "[%s]}, {key: kubernetes.io/os, operator: In, values: [linux]}], capacity: {cpu: "
            "'16', memory: 64Gi, pods: '100'}, offerings: [" OFFER("a", "on-demand", "%u") "]}",
            i > 0 ? ", " : "", i, i + 1 < count ? "amd64" : last_arch, i + 1);
    text_add(world, "]}}\n---\n");
}

// A node of the most expensive type, with a pod.
static void add_dearest(struct text *world, uint32_t count, const char *requirements)
{
    char type[8], template[300];
    snprintf(type, sizeof type, "t%03u", count - 1);
    snprintf(template, sizeof template, "requirements: [%s], ", requirements);
    add_pool(world, (struct test_pool){.template = template});
    add_node(world, (struct test_node){.name = "x", .type = type, DRIFTED});
    add_pod(world, (struct test_pod){.name = "p", .node = "x"});
}

static void no_more_types_than_a_launch_takes_DIS_171_DIS_447(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct text world = {0};
        uint32_t count = i == 0 ? 400 : 650;
        add_types(&world, count, "amd64");
        add_dearest(&world, count, "");
        PLAN p = disrupt_bare(&world, "single", UPSTREAM);
        assert_int_equal(p.plan->disruptions.count, 1);
        const struct plan_claim *claim = &p.plan->disruptions.items[0].replacements.items[0];
        assert_int_equal(claim->types.count, i == 0 ? 399 : 600);
        for (uint32_t t = 0; t < claim->types.count; t++)
            assert_true(claim->types.items[t].price == (int64_t)(t + 1) * 1000000000);
    }
}

#define TWO_ARCHITECTURES                                              \
    "{key: kubernetes.io/arch, operator: In, values: [amd64, arm64], " \
    "minValues: 2}"

static void types_beyond_the_limit_meet_no_min_values_DIS_240(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        uint32_t count;
        bool goes;
    } cases[] = {{UPSTREAM, 600, true},
                 {UPSTREAM, 601, false},
                 {UPSTREAM ", MIN_VALUES_POLICY: BestEffort", 601, true},
                 {BETTER, 601, false}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text world = {0};
        add_types(&world, cases[i].count, "arm64");
        add_dearest(&world, cases[i].count, TWO_ARCHITECTURES);
        PLAN p = disrupt_bare(&world, "drift", cases[i].settings);
        assert_int_equal(p.plan->disruptions.count, cases[i].goes);
        if (cases[i].goes)
            continue;
        const char *note = note_about(p.plan, "x");
        assert_non_null(note);
        const char *expected =
            "Not all pods would schedule, default/p => pod didn\xe2\x80\x99t schedule "
            "because NodePool couldn\xe2\x80\x99t meet minValues requirements, ";
        if (strncmp(note, expected, strlen(expected)) != 0)
            fail_msg("%s", note);
        assert_non_null(strstr(note, " (NodePool=pool)"));
    }
}

// --- buffers -------------------------------------------------------------------------------------
#define BUFFER(cpu)                                                                               \
    "{apiVersion: v1, kind: PodTemplate, metadata: {name: t}, template: {metadata: {labels: "     \
    "{app: b}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '" cpu        \
    "'}}}]}}}\n---\n{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {" \
    "name: buf, uid: b}, spec: {podTemplateRef: {name: t}, replicas: 1}}\n---\n"
#define BUFFERS ", FEATURE_GATES: CapacityBuffer=true"
#define WHEN_EMPTY \
    .disruption = "budgets: [{nodes: 100%}], consolidateAfter: 0s, consolidationPolicy: WhenEmpty"

static void buffers(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-434: upstream leaves a node with placeholders alone as it is",
         .settings = UPSTREAM BUFFERS,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}},
         .more = BUFFER("1"),
         .expected = "",
         .note = "a: Node \"a\" has buffer pods"},
        {.rule = "DIS-753: a node with placeholders alone is replaced when that is cheaper",
         .settings = BETTER BUFFERS,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}},
         .more = BUFFER("1"),
         .expected = "Underutilized/single: a -> small,medium,arm on-demand -"},
        {.rule = "DIS-753: not when it is not",
         .settings = BETTER BUFFERS,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}},
         .more = BUFFER("15"),
         .expected = ""},
        {.rule = "DIS-753: it goes where other nodes have room for the placeholders",
         .settings = BETTER BUFFERS,
         .nodes = {{.name = "a"}, {.name = "z", .unmanaged = true}},
         .more = BUFFER("1"),
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-753: several such nodes become one",
         .settings = BETTER BUFFERS,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a", .cpu = "1900m"}, {.name = "b", .cpu = "1900m"}},
         .pods = {{.name = "p", .node = "b", .cpu = "1800m"}},
         .more = BUFFER("1800m"),
         .expected = "Underutilized/multi: a b -> medium,arm on-demand -"},
        {.rule = "DIS-753: the policy WhenEmpty replaces nothing",
         .settings = BETTER BUFFERS,
         .pools = {{WHEN_EMPTY, .template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}},
         .more = BUFFER("1"),
         .expected = ""},
        {.rule = "DIS-753: nor does a buffer without a gate keep anything",
         .settings = BETTER ", FEATURE_GATES: CapacityBuffer=false",
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}},
         .more = BUFFER("1"),
         .expected = "Empty/empty: a"},
        {.rule = "DIS-434, DIS-232: a drifted node with placeholders alone is replaced with room "
                 "for them",
         DRIFT,
         .settings = UPSTREAM BUFFERS,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a", DRIFTED}},
         .more = BUFFER("15"),
         .expected = "Drifted/none: a -> large on-demand -"},
        {.rule = "DIS-434: so it is by default; one that is empty needs none",
         DRIFT,
         .settings = BETTER BUFFERS,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a", DRIFTED}, {.name = "b", .cpu = "1900m", DRIFTED}},
         .more = BUFFER("15"),
         .expected = "Drifted/none: b; Drifted/none: a -> large on-demand -"},
        {.rule = "DIS-753: what the pod leaves room for moves along with it",
         .settings = BETTER BUFFERS,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "a"}},
         .pods = {POD_ON("p", "a")},
         .more = BUFFER("2"),
         .expected = "Underutilized/single: a -> medium,arm on-demand -"},
    };
    CHECK_DISRUPT_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons),
        cmocka_unit_test(reserved_capacity),
        cmocka_unit_test(volumes),
        cmocka_unit_test(devices),
        cmocka_unit_test(planned_devices),
        cmocka_unit_test(no_more_types_than_a_launch_takes_DIS_171_DIS_447),
        cmocka_unit_test(types_beyond_the_limit_meet_no_min_values_DIS_240),
        cmocka_unit_test(buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
