// Combinations of several disruption rules: minValues, overlays, several pools, taints, ports,
// spreads, nodes that are deleted or not ready (DIS-150 to DIS-252), as tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_cases.h"

#define SINGLE      .method = "single"
#define MULTI       .method = "multi"
#define DRIFT       .method = "drift"
#define NOW_DRIFTED .drifted = "2025-12-30T00:00:00Z"
#define POD_ON(its_name, its_node)         \
    {                                      \
        .name = its_name, .node = its_node \
    }
#define SMALL_ROOM(its_name)                                \
    {                                                       \
        .name = its_name, .unmanaged = true, .cpu = "1900m" \
    }
#define UNSCHEDULABLE "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}"

// --- replacements: minValues, overlays, pools ----------------------------------------------------
#define MIN_TYPES(types, least)                                                            \
    "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" types \
    "], minValues: " least                                                                 \
    "}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "
#define BEST_EFFORT UPSTREAM ", MIN_VALUES_POLICY: BestEffort"
#define LARGE(its_name)  \
    {                    \
        .name = its_name \
    }
#define MEDIUM(its_name)                                   \
    {                                                      \
        .name = its_name, .type = "medium", .cpu = "3900m" \
    }

static void min_values(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-168, DIS-472: two of three are cheaper, two are wanted",
         SINGLE,
         .pools = {{.template = MIN_TYPES("small, medium, large", "2")}},
         .nodes = {LARGE("a")},
         .pods = {POD_ON("p", "a")},
         .expected = "Underutilized/single: a -> small,medium on-demand -"},
        {.rule = "DIS-168: three are wanted",
         SINGLE,
         .pools = {{.template = MIN_TYPES("small, medium, large", "3")}},
         .nodes = {LARGE("a")},
         .pods = {POD_ON("p", "a")},
         .expected = "",
         .note = "a: Filtering by price: minValues requirement is not met for label(s) "
                 "(label(s)=[node.kubernetes.io/instance-type])"},
        {.rule = "DIS-168, DIS-472: what the simulation could meet holds under BestEffort, too",
         SINGLE,
         .settings = BEST_EFFORT,
         .pools = {{.template = MIN_TYPES("small, medium, large", "3")}},
         .nodes = {LARGE("a")},
         .pods = {POD_ON("p", "a")},
         .expected = "",
         .note = "a: Filtering by price: minValues requirement is not met for label(s) "
                 "(label(s)=[node.kubernetes.io/instance-type])"},
        {.rule = "DIS-437, DIS-168: it counts as far as the simulation relaxed it",
         SINGLE,
         .settings = BEST_EFFORT,
         .pools = {{.template = MIN_TYPES("small, medium", "3")}},
         .nodes = {LARGE("a")},
         .pods = {POD_ON("p", "a")},
         .expected = "Underutilized/single: a -> small,medium on-demand -"},
        {.rule = "DIS-169: an empty list violates nothing",
         SINGLE,
         .pools = {{.template = MIN_TYPES("medium, large", "2")}},
         .nodes = {{.name = "a", .type = "small", .cpu = "1900m"}},
         .pods = {POD_ON("p", "a")},
         .expected = "",
         .note = "a: Can't replace with a cheaper node"},
        {.rule = "DIS-203, DIS-437: among what is left beside the candidates' own type",
         MULTI,
         .pools = {{.template = MIN_TYPES("small, medium, large", "2")}},
         .nodes = {LARGE("a"), LARGE("b")},
         .pods = {{.name = "p", .node = "a", .cpu = "500m"},
                  {.name = "q", .node = "b", .cpu = "500m"}},
         .expected = "Underutilized/multi: a b -> small,medium on-demand -"},
    };
    CHECK_DISRUPT_CASES(cases);
}

#define OVERLAY(name, type, more)                                                            \
    "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: " name          \
    ", uid: o-" name                                                                         \
    "}, spec: {weight: 1, requirements: [{key: node.kubernetes.io/instance-type, operator: " \
    "In, values: [" type "]}], " more "}}\n---\n"
#define OVERLAYS UPSTREAM ", FEATURE_GATES: NodeOverlay=true"

static void overlays(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-435, DIS-59: a candidate costs what the overlay says",
         SINGLE,
         .settings = OVERLAYS,
         .pools = {{.template = ONLY_TYPES("small, medium")}},
         .nodes = {{.name = "a", .type = "small", .cpu = "1900m"}},
         .pods = {POD_ON("p", "a")},
         .more = OVERLAY("o", "small", "price: '0.5'"),
         .expected = "Underutilized/single: a -> medium on-demand -"},
        {.rule = "DIS-435, DIS-167: so does what comes",
         SINGLE,
         .settings = OVERLAYS,
         .pools = {{.template = ONLY_TYPES("small, medium")}},
         .nodes = {MEDIUM("a")},
         .pods = {POD_ON("p", "a")},
         .more = OVERLAY("o", "small", "priceAdjustment: '+100%'"),
         .expected = ""},
        {.rule = "DIS-435, DIS-165: types are listed by overlaid prices",
         SINGLE,
         .settings = OVERLAYS,
         .pools = {{.template = ONLY_TYPES("small, medium, large")}},
         .nodes = {LARGE("a")},
         .pods = {POD_ON("p", "a")},
         .more = OVERLAY("o", "medium", "price: '0.01'"),
         .expected = "Underutilized/single: a -> medium,small on-demand -"},
        {.rule = "DIS-435, DIS-203: and the candidates' own",
         MULTI,
         .settings = OVERLAYS,
         .pools = {{.template = ONLY_TYPES("small, medium")}},
         .nodes = {MEDIUM("a"), MEDIUM("b")},
         .pods = {{.name = "p", .node = "a", .cpu = "500m"},
                  {.name = "q", .node = "b", .cpu = "500m"}},
         .more = OVERLAY("o", "small", "price: '0.2'"),
         .expected = ""},
        {.rule = "DIS-435: without the gate they say nothing",
         SINGLE,
         .settings = UPSTREAM ", FEATURE_GATES: NodeOverlay=false",
         .pools = {{.template = ONLY_TYPES("small, medium")}},
         .nodes = {{.name = "a", .type = "small", .cpu = "1900m"}},
         .pods = {POD_ON("p", "a")},
         .more = OVERLAY("o", "small", "price: '0.5'"),
         .expected = ""},
    };
    CHECK_DISRUPT_CASES(cases);
}

#define BUDGET(budgets) .disruption = "budgets: [" budgets "], consolidateAfter: 0s"

static void several_pools(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-207: two of two pools become one of the heavier",
         MULTI,
         .pools = {{.template = ON_DEMAND_ONLY},
                   {.name = "two", .spec = "weight: 9, ", .template = ONLY_TYPES("small, arm")}},
         .nodes = {LARGE("a"), {.name = "b", .pool = "two"}},
         .pods = {{.name = "p", .node = "a", .cpu = "500m"},
                  {.name = "q", .node = "b", .cpu = "500m"}},
         .expected = "Underutilized/multi: a b -> small,arm on-demand -"},
        {.rule = "DIS-132, DIS-200: each pool gives as many as its own budget allows",
         MULTI,
         .pools = {{BUDGET("{nodes: '1'}")}, {.name = "two", BUDGET("{nodes: '2'}")}},
         .nodes = {LARGE("a"),
                   LARGE("b"),
                   {.name = "c", .pool = "two"},
                   {.name = "d", .pool = "two"},
                   {.name = "e", .pool = "two"},
                   {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b"), POD_ON("r", "c"), POD_ON("s", "d"),
                  POD_ON("t", "e")},
         .expected = "Underutilized/multi: a c d"},
        {.rule = "DIS-120, DIS-132: a budget for another reason bounds nothing",
         MULTI,
         .pools = {{BUDGET("{nodes: '0', reasons: [Empty, Drifted]}")}},
         .nodes = {LARGE("a"), LARGE("b"), {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b")},
         .expected = "Underutilized/multi: a b"},
        {.rule = "DIS-126, DIS-127: a node that is not ready uses the budget up",
         SINGLE,
         .pools = {{BUDGET("{nodes: '1'}")}},
         .nodes = {LARGE("a"),
                   {.name = "b", .not_ready = true, .cpu = "500m"},
                   {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a")},
         .expected = ""},
        {.rule = "DIS-35, DIS-231: one that is not ready is a candidate and a destination",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a"), {.name = "b", .not_ready = true, .type = "small"}},
         .pods = {POD_ON("p", "a"), {.name = "q", .node = "b", .cpu = "15"}},
         .expected = ""},
        {.rule = "DIS-440: a pool that is not ready loses its nodes to others",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("small")}, {.name = "two", .not_ready = true}},
         .nodes = {{.name = "a", .pool = "two"}},
         .pods = {POD_ON("p", "a")},
         .expected = "Underutilized/single: a -> small on-demand -"},
        {.rule = "DIS-433: nodes of static pools take pods",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}, {.name = "fixed", .spec = "replicas: 1, "}},
         .nodes = {LARGE("a"), {.name = "b", .pool = "fixed"}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b")},
         .expected = "Underutilized/single: a"},
    };
    CHECK_DISRUPT_CASES(cases);
}

// --- destinations of the pods --------------------------------------------------------------------
#define HOST_PORT_POD(name, node)                                                               \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name                     \
    ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: o, uid: o, controller: " \
    "true}]}, spec: {nodeName: " node ", containers: [{name: c, image: i, ports: [{"            \
    "containerPort: 80, hostPort: 80}], resources: {requests: {cpu: '1'}}}]}, status: {phase: " \
    "Running}}\n---\n"
#define SPREAD_BY(key, when)                                                                 \
    .labels = "app: a", .spec = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key \
                                ", whenUnsatisfiable: " when                                 \
                                ", labelSelector: {matchLabels: {app: a}}}], "
#define BY_HOST SPREAD_BY("kubernetes.io/hostname", "DoNotSchedule")

static void destinations(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-231: a host port that is taken there",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a"), {.name = "u", .unmanaged = true}},
         .more = HOST_PORT_POD("p", "a") HOST_PORT_POD("q", "u"),
         .expected = ""},
        {.rule = "DIS-232: the pod's own port on the node that goes is free",
         SINGLE,
         .nodes = {LARGE("a"), {.name = "u", .unmanaged = true}},
         .more = HOST_PORT_POD("p", "a"),
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-231: a taint that the pod tolerates",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a"), {.name = "u", .unmanaged = true, .taints = UNSCHEDULABLE}},
         .pods =
             {{.name = "p",
               .node = "a",
               .spec =
                   "tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}], "}},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-232: a spread over hosts counts without the pods that move",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a"), {.name = "u", .unmanaged = true}, {.name = "v", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a", BY_HOST}, {.name = "q", .node = "u", BY_HOST}},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-232: and needs a new host where all others have one more",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a"), {.name = "u", .unmanaged = true}, SMALL_ROOM("v")},
         .pods = {{.name = "p", .node = "a", BY_HOST},
                  {.name = "q", .node = "u", BY_HOST},
                  {.name = "r", .node = "v", .cpu = "1500m"}},
         .expected = ""},
        {.rule = "DIS-438: a soft spread is tried as a hard one first",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("small")}},
         .nodes = {LARGE("a"), {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a", SPREAD_BY("kubernetes.io/hostname", "ScheduleAnyway")},
                  {.name = "q",
                   .node = "u",
                   SPREAD_BY("kubernetes.io/hostname", "ScheduleAnyway")}},
         .expected = "Underutilized/single: a -> small on-demand -"},
        {.rule = "DIS-232: pods that follow others go where those are",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a"),
                   {.name = "u", .unmanaged = true, .zone = "b"},
                   {.name = "v", .unmanaged = true}},
         .pods = {{.name = "p",
                   .node = "a",
                   .spec =
                       "affinity: {podAffinity: "
                       "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                       "topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: b}}}]}}, "},
                  {.name = "q", .node = "u", .labels = "app: b"}},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-232, DIS-252: the room that a pending pod takes is gone",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a"), SMALL_ROOM("u")},
         .pods = {POD_ON("p", "a"), {.name = "q", .cpu = "1500m"}},
         .expected = ""},
        {.rule = "DIS-252: a new node for a pending pod alone comes in the place of a dear one",
         SINGLE,
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {LARGE("a"), {.name = "u", .unmanaged = true, .cpu = "1900m"}},
         .pods = {{.name = "p", .node = "a", .cpu = "1500m"},
                  {.name = "q",
                   .cpu = "900m",
                   .spec = "nodeSelector: {karpenter.sh/nodepool: pool}, "},
                  {.name = "r", .node = "a", .cpu = "15", .owner = "DaemonSet"}},
         .expected = "Underutilized/single: a -> small,medium,arm on-demand -"},
        {.rule = "DIS-250: a pod without place on a node that goes stops all",
         SINGLE,
         .nodes = {LARGE("a"), {.name = "g", .deleting = true}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"), {.name = "q", .node = "g", .cpu = "150"}},
         .expected = ""},
        {.rule = "DIS-250, DIS-49: unless it may not be evicted",
         SINGLE,
         .nodes = {LARGE("a"), {.name = "g", .deleting = true}, {.name = "u", .unmanaged = true}},
         .pods = {POD_ON("p", "a"),
                  {.name = "q",
                   .node = "g",
                   .cpu = "150",
                   .annotations = "karpenter.sh/do-not-disrupt: 'true'"}},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-241: pods of nodes that go may wait for a node that comes",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a"),
                   {.name = "g", .deleting = true},
                   SMALL_ROOM("u"),
                   {.name = "late", .uninitialized = true, .no_condition = "Initialized"}},
         .pods = {POD_ON("p", "a"), {.name = "q", .node = "g", .cpu = "9"}},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-163: pods of nodes that go need their own new node",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("small")}},
         .nodes = {LARGE("a"), {.name = "g", .deleting = true}},
         .pods = {{.name = "p", .node = "a", .cpu = "1500m"},
                  {.name = "q", .node = "g", .cpu = "1500m"}},
         .expected = "",
         .note = "a: Can't remove without creating 2 candidates"},
        {.rule = "DIS-235: what a node that goes has of the limits is free again",
         SINGLE,
         .pools = {{.spec = "limits: {cpu: '4'}, ", .template = ONLY_TYPES("medium")}},
         .nodes = {LARGE("a"), {.name = "g", .deleting = true}},
         .pods = {{.name = "p", .node = "a", .cpu = "2"}},
         .expected = "Underutilized/single: a -> medium on-demand -"},
        {.rule = "DIS-235: what others have is not",
         SINGLE,
         .pools = {{.spec = "limits: {cpu: '20'}, ", .template = ONLY_TYPES("medium")}},
         .nodes = {LARGE("a"), {.name = "b", .cpu = "17"}},
         .pods = {{.name = "p", .node = "a", .cpu = "2"}, {.name = "q", .node = "b", .cpu = "16"}},
         .expected = ""},
    };
    CHECK_DISRUPT_CASES(cases);
}

// --- quiet destinations --------------------------------------------------------------------------
#define RESTLESS .claim_status = "lastPodEventTime: '2025-12-31T23:59:59Z'"
#define AN_HOUR  .disruption = "budgets: [{nodes: '100%'}], consolidateAfter: 1h"

static void quiet_destinations(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-238, DIS-234: also of a pool that has no instance types to offer now",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")},
                   {.name = "busy", AN_HOUR, .template = ONLY_TYPES("none-of-these")}},
         .nodes = {LARGE("a"),
                   {.name = "b", .pool = "busy", RESTLESS, .no_condition = "Consolidatable"}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b")},
         .expected = ""},
        {.rule = "DIS-238: nodes of a pool that is not ready take pods at once",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}, {.name = "busy", AN_HOUR, .not_ready = true}},
         .nodes = {LARGE("a"),
                   {.name = "b", .pool = "busy", RESTLESS, .no_condition = "Consolidatable"}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b")},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-238: drift does not wait for quiet",
         DRIFT,
         .pools = {{.template = ONLY_TYPES("large")}, {.name = "busy", AN_HOUR}},
         .nodes = {{.name = "a", NOW_DRIFTED}, {.name = "b", .pool = "busy", RESTLESS}},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b")},
         .expected = "Drifted/none: a"},
        {.rule = "DIS-238: a pod that has not started yet may go there",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}, {.name = "busy", AN_HOUR}},
         .nodes = {LARGE("a"),
                   {.name = "b", .pool = "busy", RESTLESS, .no_condition = "Consolidatable"}},
         .pods = {{.name = "p", .node = "a", .status = "phase: Pending"}, POD_ON("q", "b")},
         .expected = "Underutilized/single: a"},
        {.rule = "DIS-238: pods of nodes that go, too",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}, {.name = "busy", AN_HOUR}},
         .nodes = {LARGE("a"),
                   {.name = "b", .pool = "busy", RESTLESS, .no_condition = "Consolidatable"},
                   {.name = "g", .deleting = true},
                   SMALL_ROOM("u")},
         .pods = {POD_ON("p", "a"), POD_ON("q", "b"), {.name = "r", .node = "g", .cpu = "9"}},
         .expected = "Underutilized/single: a"},
    };
    CHECK_DISRUPT_CASES(cases);
}

// --- which pods count ----------------------------------------------------------------------------
#define GOING .meta = "deletionTimestamp: '2025-12-31T23:59:00Z', deletionGracePeriodSeconds: 30, "

static void pods_that_count(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-48: a StatefulSet's pod that terminates needs a place",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a")},
         .pods = {{.name = "p", .node = "a", .owner = "StatefulSet", GOING}},
         .expected = ""},
        {.rule = "DIS-48: also one that has ended",
         .nodes = {LARGE("a")},
         .pools = {{.template = ONLY_TYPES("large")}},
         .pods =
             {{.name = "p", .node = "a", .owner = "StatefulSet", GOING, .status = "phase: Failed"}},
         .expected = ""},
        {.rule = "DIS-144: one that has ended and stays leaves the node empty",
         .nodes = {LARGE("a")},
         .pods = {{.name = "p", .node = "a", .owner = "StatefulSet", .status = "phase: Failed"}},
         .expected = "Empty/empty: a"},
        {.rule = "DIS-56: pods that cost nothing are moved none the less, with others",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {LARGE("a"), SMALL_ROOM("u")},
         .pods = {POD_ON("p", "a"),
                  {.name = "q",
                   .node = "a",
                   .cpu = "2",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: '-2147483647'"}},
         .expected = ""},
        {.rule = "DIS-55: white space, other bases and words are no numbers",
         SINGLE,
         .nodes = {LARGE("a"), LARGE("b"), {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p",
                   .node = "a",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: ' -134217728'"},
                  {.name = "q", .node = "a"},
                  {.name = "r", .node = "b"}},
         .expected = "Underutilized/single: b"},
        {.rule = "DIS-55: sixteens only with an exponent",
         SINGLE,
         .nodes = {LARGE("a"), LARGE("b"), {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p",
                   .node = "a",
                   .annotations = "controller.kubernetes.io/pod-deletion-cost: '-0x8000000'"},
                  {.name = "q", .node = "a"},
                  {.name = "r", .node = "b"}},
         .expected = "Underutilized/single: b"},
    };
    CHECK_DISRUPT_CASES(cases);
}

// --- prices --------------------------------------------------------------------------------------
#define OFFER(zone, capacity_type, price)                       \
    "{price: " price ", available: true, requirements: [{key: " \
    "topology.kubernetes.io/zone, operator: In, values: [" zone \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: [" capacity_type "]}]}"
#define TYPE(name, offerings)                                                                    \
    "{name: " name ", requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}, " \
    "{key: kubernetes.io/os, operator: In, values: [linux]}], capacity: {cpu: '16', memory: "    \
    "64Gi, "                                                                                     \
    "pods: '100'}, offerings: [" offerings "]}"
#define TYPES(types)                                                                    \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, spec: {" \
    "instanceTypes: [" types "]}}\n---\n"

static void prices(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-203: one of two of a type whose zone has no offering",
         MULTI,
         .bare = true,
         .more = TYPES(TYPE("t", OFFER("a", "on-demand", "1")) ", " TYPE(
             "u", OFFER("a", "on-demand", "0.5"))),
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "x", .type = "t"}, {.name = "z", .type = "t", .zone = "nowhere"}},
         .pods = {POD_ON("p", "x"), POD_ON("q", "z")},
         .expected = "Underutilized/multi: x z -> u on-demand -"},
        {.rule = "DIS-203: of none of them: nothing is cheaper",
         MULTI,
         .bare = true,
         .more = TYPES(TYPE("t", OFFER("a", "on-demand", "1")) ", " TYPE(
             "u", OFFER("a", "on-demand", "0.5")) ", " TYPE("v", OFFER("a", "on-demand", "9"))),
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "x", .type = "v"}, {.name = "z", .type = "t", .zone = "nowhere"}},
         .pods = {POD_ON("p", "x"), POD_ON("q", "z")},
         .expected = ""},
        {.rule = "DIS-164: one of unknown price adds nothing",
         MULTI,
         .bare = true,
         .more = TYPES(TYPE("t", OFFER("a", "on-demand", "1")) ", " TYPE(
             "v", OFFER("a", "on-demand", "1.5"))),
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "x", .type = "t"}, {.name = "z", .type = "t", .zone = "nowhere"}},
         .pods = {POD_ON("p", "x"), POD_ON("q", "z")},
         .expected = ""},
        {.rule =
             "DIS-177: spot and on-demand together go against the sum, to spot without the gate",
         MULTI,
         .bare = true,
         .more =
             TYPES(TYPE("t", OFFER("a", "on-demand", "1") ", " OFFER("a", "spot", "0.4")) ", " TYPE(
                 "u", OFFER("a", "on-demand", "0.9") ", " OFFER("a", "spot", "0.3"))),
         .nodes = {{.name = "x", .type = "t"}, {.name = "z", .type = "t", .capacity_type = "spot"}},
         .pods = {POD_ON("p", "x"), POD_ON("q", "z")},
         .expected = "Underutilized/multi: x z -> u spot -"},
        {.rule =
             "DIS-166: from spot to on-demand where the pool has nothing else, without the gate",
         SINGLE,
         .bare = true,
         .more = TYPES(
             TYPE("t", OFFER("a", "spot", "0.4")) ", " TYPE("u", OFFER("a", "on-demand", "0.3"))),
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "x", .type = "t", .capacity_type = "spot"}},
         .pods = {POD_ON("p", "x")},
         .expected = "Underutilized/single: x -> u on-demand -"},
        {.rule = "DIS-173, DIS-174: several spot nodes: only types with a spot offering",
         MULTI,
         .settings = UPSTREAM ", " SPOT_TO_SPOT,
         .bare = true,
         .more = TYPES(TYPE("t", OFFER("a", "spot", "0.4")) ", " TYPE(
             "u", OFFER("a", "on-demand", "0.1")) ", " TYPE("v", OFFER("a", "spot", "0.3"))),
         .nodes = {{.name = "x", .type = "t", .capacity_type = "spot"},
                   {.name = "z", .type = "t", .capacity_type = "spot"}},
         .pods = {POD_ON("p", "x"), POD_ON("q", "z")},
         .expected = "Underutilized/multi: x z -> v spot -"},
        {.rule = "DIS-167: strictly cheaper",
         SINGLE,
         .bare = true,
         .more = TYPES(
             TYPE("t", OFFER("a", "on-demand", "1")) ", " TYPE("u", OFFER("a", "on-demand", "1"))),
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "x", .type = "t"}},
         .pods = {POD_ON("p", "x")},
         .expected = "",
         .note = "x: Can't replace with a cheaper node"},
        {.rule = "DIS-167: dear zones count only where the pod may go",
         SINGLE,
         .bare = true,
         .more = TYPES(TYPE("t", OFFER("a", "on-demand", "1")) ", " TYPE(
             "u", OFFER("a", "on-demand", "0.5") ", " OFFER("b", "on-demand", "2"))),
         .pools = {{.template = ON_DEMAND_ONLY}},
         .nodes = {{.name = "x", .type = "t"}},
         .pods = {{.name = "p",
                   .node = "x",
                   .spec = "nodeSelector: {topology.kubernetes.io/zone: a}, "}},
         .expected = "Underutilized/single: x -> u on-demand a"},
    };
    CHECK_DISRUPT_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(min_values),
        cmocka_unit_test(overlays),
        cmocka_unit_test(several_pools),
        cmocka_unit_test(destinations),
        cmocka_unit_test(quiet_destinations),
        cmocka_unit_test(pods_that_count),
        cmocka_unit_test(prices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
