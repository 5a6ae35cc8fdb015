// The worked cases of section 30 (SCH-480 to SCH-495) that the other tests do not cover yet,
// decided as upstream decides (SCH-546).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/plan_fixture.h"

#define UPSTREAM      "COMPATIBILITY: upstream"
#define ZONE          "topology.kubernetes.io/zone"
#define HOST          "kubernetes.io/hostname"
#define CAPACITY_TYPE "karpenter.sh/capacity-type"
#define BIG           CPU("9") // two do not share a node
#define SPREAD(key, skew, app, more)                                    \
    "topologySpreadConstraints: [{maxSkew: " skew ", topologyKey: " key \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: " app "}}" more "}], "
#define TERMS(kind, key, label)                                                                 \
    "affinity: {" kind ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " key \
    ", labelSelector: {matchLabels: {app: " label "}}}]}}, "
#define REQUIRED(expressions)                                                    \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "{nodeSelectorTerms: [{matchExpressions: [" expressions "]}]}}}, "
// `spec` and `template`: members with a trailing comma.
#define POOL_WITH(name, spec, template)                                                   \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name ", uid: " name \
    "}, spec: {" spec                                                                     \
    "template: {spec: {" template "nodeClassRef: {group: g, kind: C, name: c}}}}}\n---\n"
#define POOL_IN(key, values) \
    POOL_WITH("pool", "", "requirements: [{key: " key ", operator: In, values: [" values "]}], ")
// An unmanaged node without room for the pods of the cases.
#define FULL_NODE(name, zone, labels)                                                            \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {" HOST ": " name ", " ZONE \
    ": " zone labels "}}, status: {allocatable: {cpu: 50m, memory: 1Gi, pods: '99'}}}\n---\n"
// A node of the pool with 2 cpu, all of which count against its limits.
#define POOL_NODE(name)                                                                        \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {" HOST ": " name         \
    ", karpenter.sh/nodepool: pool, node.kubernetes.io/instance-type: small, "                 \
    "karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}}, spec: {providerID: " \
    "'p:" name "'}, status: {capacity: {cpu: '2', memory: 4Gi, pods: '20'}, allocatable: "     \
    "{cpu: 50m, memory: 4Gi, pods: '20'}}}\n---\n{apiVersion: karpenter.sh/v1, kind: "         \
    "NodeClaim, metadata: {name: claim-" name ", labels: {karpenter.sh/nodepool: pool}}, "     \
    "spec: {nodeClassRef: {group: g, kind: C, name: c}, requirements: []}, status: "           \
    "{providerID: 'p:" name "', capacity: {cpu: '2', memory: 4Gi, pods: '20'}, allocatable: "  \
    "{cpu: 50m, memory: 4Gi, pods: '20'}}}\n---\n"
#define BOUND(name, node, app, spec)                                                               \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name ", labels: {app: " app \
    "}}, spec: {nodeName: " node ", " spec                                                         \
    "containers: [{name: c, image: i}]}, status: {phase: Running}}\n---\n"
#define DAEMON(spec)                                                                \
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {selector: " \
    "{matchLabels: {d: d}}, template: {metadata: {labels: {d: d}}, spec: {" spec "}}}}\n---\n"

static void add_pods(struct text *text, const char *prefix, int count, const char *app,
                     const char *spec)
{
    for (int i = 0; i < count; i++)
        text_format(text,
                    "{apiVersion: v1, kind: Pod, metadata: {name: %s-%d, uid: uid-%s-%04d, labels: "
                    "{app: %s}}, spec: {%s}}\n---\n",
                    prefix, i, prefix, i, app, spec);
}

// `count` pods of application `app` after `before`.
static struct plan_fixture plan_many(const char *before, int count, const char *app,
                                     const char *spec)
{
    struct text text = {0};
    text_add(&text, before);
    add_pods(&text, "p", count, app, spec);
    struct plan_fixture fixture = plan_yaml(text.data, UPSTREAM);
    text_free(&text);
    return fixture;
}

static uint32_t pending(const struct plan_fixture *fixture)
{
    return fixture->plan->unschedulable.count;
}

// --- SCH-480 -------------------------------------------------------------------------------------

static void existing_pods_bound_the_skew_SCH_480(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL_IN(ZONE, "c") FULL_NODE("n1", "a", "") FULL_NODE("n2", "b", "")
                           BOUND("x1", "n1", "web", "") BOUND("x2", "n2", "web", ""),
                       10, "web", SPREAD(ZONE, "5", "web", "") BIG);
    assert_string_equal(spread_over(p.plan, ZONE), "c:6"); // 1, 1, 6
    assert_int_equal(pending(&p), 4);
    // A pod without its own spread counts all the same.
    PLAN q = plan_many(POOL_IN(ZONE, "b, c") FULL_NODE("n1", "a", "") BOUND("x", "n1", "web", ""),
                       10, "web", SPREAD(ZONE, "1", "web", "") BIG);
    assert_string_equal(spread_over(q.plan, ZONE), "b:2 c:2"); // 1, 2, 2
    assert_int_equal(pending(&q), 6);
}

static void a_broken_skew_is_mended_from_below_SCH_480(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL FULL_NODE("n1", "a", "") BOUND("x1", "n1", "web", "")
                           BOUND("x2", "n1", "web", "") BOUND("x3", "n1", "web", ""),
                       3, "web", SPREAD(ZONE, "1", "web", "") BIG);
    assert_string_equal(spread_over(p.plan, ZONE), "b:2 c:1"); // b is the cheaper: it has spot
    assert_int_equal(pending(&p), 0);
}

static void the_minimum_is_over_a_pod_s_own_zones_SCH_480(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, POOL);
    add_pods(&text, "p", 5, "web",
             "nodeSelector: {" ZONE ": a}, " SPREAD(ZONE, "1", "web", "") BIG);
    add_pods(&text, "q", 10, "web",
             "nodeSelector: {" ZONE ": b}, " SPREAD(ZONE, "1", "web", "") BIG);
    PLAN p = plan_yaml(text.data, UPSTREAM);
    text_free(&text);
    assert_string_equal(spread_over(p.plan, ZONE), "a:5 b:10");
}

static void a_volume_does_not_shrink_the_domains_SCH_480(void **state)
{
    (void)state;
    PLAN p = plan_many(
        POOL FULL_NODE("n1", "a", "") FULL_NODE("n2", "b", "") FULL_NODE("n3", "c", "")
            BOUND("x1", "n1", "web", "") BOUND("x2", "n2", "web", "") BOUND(
                "x3", "n3", "web",
                "") "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {csi: "
                    "{driver: d, "
                    "volumeHandle: h}, nodeAffinity: {required: {nodeSelectorTerms: "
                    "[{matchExpressions: [{key: " ZONE ", operator: In, values: [a]}]}]}}}}\n---\n"
                    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, "
                    "annotations: "
                    "{pv.kubernetes.io/bind-completed: 'yes'}}, spec: {volumeName: v}}\n---\n",
        1, "web",
        SPREAD(
            ZONE, "1", "web",
            ", minDomains: 3") "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}], " BIG);
    assert_string_equal(spread_over(p.plan, ZONE), "a:1");
}

static void other_pods_are_counted_but_not_oneself_SCH_480(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL, 4, "web", SPREAD(ZONE, "1", "other", "") BIG);
    assert_int_equal(pending(&p), 0);
    assert_string_equal(spread_over(p.plan, ZONE), "a:4");
}

// --- SCH-481, SCH-482 ----------------------------------------------------------------------------

static void deployments_spread_each_by_itself_SCH_481(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, POOL);
    add_pods(&text, "p", 2, "one", SPREAD(HOST, "1", "one", "") CPU("100m"));
    add_pods(&text, "q", 2, "two", SPREAD(HOST, "1", "two", "") CPU("100m"));
    PLAN p = plan_yaml(text.data, UPSTREAM);
    text_free(&text);
    assert_int_equal(p.plan->claims.count, 2);
}

static void capacity_types_are_spread_over_SCH_482(void **state)
{
    (void)state;
#define ON_DEMAND_POD                                      \
    FULL_NODE("n1", "a", ", " CAPACITY_TYPE ": on-demand") \
    BOUND("x", "n1", "web", "")
    PLAN p = plan_many(POOL_IN(CAPACITY_TYPE, "spot") ON_DEMAND_POD, 5, "web",
                       SPREAD(CAPACITY_TYPE, "1", "web", "") BIG);
    assert_string_equal(spread_over(p.plan, CAPACITY_TYPE), "spot:2");
    assert_int_equal(pending(&p), 3);
    // A node that the pod's own affinity excludes is not counted.
    PLAN q = plan_many(POOL_IN(CAPACITY_TYPE, "spot") ON_DEMAND_POD, 5, "web",
                       SPREAD(CAPACITY_TYPE, "1", "web", "") REQUIRED(
                           "{key: " ZONE ", operator: In, values: [b]}, {key: " CAPACITY_TYPE
                           ", operator: In, values: [spot]}") BIG);
    assert_string_equal(spread_over(q.plan, CAPACITY_TYPE), "spot:5");
    PLAN r = plan_many(POOL_IN(CAPACITY_TYPE, "spot") ON_DEMAND_POD, 5, "web",
                       "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " CAPACITY_TYPE
                       ", whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: "
                       "web}}}], " BIG);
    assert_string_equal(spread_over(r.plan, CAPACITY_TYPE), "spot:5");
}

// --- SCH-484, SCH-485 ----------------------------------------------------------------------------

static void one_node_holds_those_that_stay_together_SCH_484(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL, 10, "web", TERMS("podAffinity", HOST, "web") CPU("3"));
    assert_int_equal(p.plan->claims.count, 1);
    assert_int_equal(p.plan->claims.items[0].pods.count, 5);
    assert_int_equal(pending(&p), 5);
    // As long as that node exists the others wait.
    PLAN q = plan_many(POOL FULL_NODE("n1", "a", "") BOUND("x", "n1", "web", ""), 5, "web",
                       TERMS("podAffinity", HOST, "web") CPU("3"));
    assert_int_equal(pending(&q), 5);
}

static void pinned_pods_start_clusters_of_their_own_SCH_310_484(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL POD("a", "app: web",
                           "nodeSelector: {" ZONE ": b}, " TERMS("podAffinity", ZONE, "web") BIG)
                      POD("b", "app: web",
                          "nodeSelector: {" ZONE ": c}, " TERMS("podAffinity", ZONE, "web") BIG),
                  UPSTREAM);
    assert_string_equal(spread_over(p.plan, ZONE), "b:1 c:1");
}

static void ten_follow_a_pinned_target_SCH_484(void **state)
{
    (void)state;
    PLAN nobody = plan_many(POOL, 2, "web", TERMS("podAffinity", ZONE, "nobody") CPU("1"));
    assert_int_equal(pending(&nobody), 2);
    PLAN open = plan_many(POOL POD("target", "app: target", CPU("1")), 10, "web",
                          TERMS("podAffinity", ZONE, "target") CPU("1500m"));
    assert_non_null(claim_of(open.plan, "target"));
    assert_int_equal(pending(&open), 10);
    PLAN next = plan_many(POOL FULL_NODE("n1", "b", "") BOUND("target", "n1", "target", ""), 10,
                          "web", TERMS("podAffinity", ZONE, "target") CPU("1500m"));
    assert_string_equal(spread_over(next.plan, ZONE), "b:10");
    PLAN pinned =
        plan_many(POOL POD("target", "app: target", "nodeSelector: {" ZONE ": b}, " CPU("1")), 10,
                  "web", TERMS("podAffinity", ZONE, "target") CPU("1500m"));
    assert_string_equal(spread_over(pinned.plan, ZONE), "b:11");
}

static void one_zone_a_pass_SCH_325_485(void **state)
{
    (void)state;
#define APART TERMS("podAntiAffinity", ZONE, "web")
    PLAN second = plan_many(POOL FULL_NODE("n1", "a", "") BOUND("x1", "n1", "web", APART), 2, "web",
                            APART CPU("1"));
    assert_int_equal(second.plan->claims.count, 1);
    assert_string_equal(claim_values(&second.plan->claims.items[0], ZONE), "b,c");
    assert_int_equal(pending(&second), 1);
    PLAN fourth = plan_many(POOL FULL_NODE("n1", "a", "") FULL_NODE("n2", "b", "")
                                FULL_NODE("n3", "c", "") BOUND("x1", "n1", "web", APART)
                                    BOUND("x2", "n2", "web", APART) BOUND("x3", "n3", "web", APART),
                            1, "web", APART CPU("1"));
    assert_int_equal(pending(&fourth), 1);
    // A large pod comes first, in an undecided zone.
    PLAN large = plan_many(POOL POD("large", "app: large", APART CPU("3")), 2, "web", CPU("1"));
    assert_non_null(claim_of(large.plan, "large"));
    assert_int_equal(pending(&large), 2);
}

// --- SCH-486 to SCH-489 --------------------------------------------------------------------------

static void soft_taints_are_tolerated_after_preferences_SCH_486_487(void **state)
{
    (void)state;
#define SOFT "taints: [{key: t, effect: PreferNoSchedule}], "
    PLAN p = plan_yaml(POOL_WITH("pool", "", SOFT)
                           POD("a", "",
                               "affinity: {nodeAffinity: "
                               "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
                               "preference: {matchExpressions: [{key: " ZONE
                               ", operator: In, values: [a]}]}}]}}, " CPU("1")),
                       UPSTREAM);
    assert_string_equal(claim_values(claim_of(p.plan, "a"), ZONE), "-"); // dropped
    PLAN q =
        plan_yaml(POOL_WITH("x", "", "") POOL_WITH("z", "", SOFT) POD("a", "", CPU("1")), UPSTREAM);
    assert_string_equal(claim_of(q.plan, "a")->node_pool->meta.name, "x");
}

static void limits_hold_over_passes_SCH_488(void **state)
{
    (void)state;
    PLAN first = plan_yaml(POOL_WITH("pool", "limits: {cpu: '2'}, ", "") POD("a", "", CPU("1750m")),
                           UPSTREAM);
    assert_int_equal(claim_of(first.plan, "a")->types.count, 1);
    assert_true(claim_has_type(claim_of(first.plan, "a"), "small"));
    PLAN second = plan_yaml(POOL_WITH("pool", "limits: {cpu: '2'}, ", "") POOL_NODE("n1")
                                POD("a", "", CPU("1750m")),
                            UPSTREAM);
    assert_non_null(unplaced(second.plan, "a"));
    PLAN apart = plan_many(POOL_WITH("pool", "limits: {cpu: '3'}, ", ""), 2, "web",
                           TERMS("podAntiAffinity", HOST, "web") CPU("1500m"));
    assert_int_equal(apart.plan->pods_placed, 1);
    assert_int_equal(pending(&apart), 1);
    PLAN gpu = plan_yaml(
        POOL_WITH("pool", "limits: {example.com/gpu: '1'}, ", "") POD("a", "", CPU("1")), UPSTREAM);
    assert_false(claim_has_type(claim_of(gpu.plan, "a"), "gpu"));
    assert_true(claim_has_type(claim_of(gpu.plan, "a"), "large"));
    PLAN third = plan_yaml(POOL_WITH("pool", "limits: {nodes: '2'}, ", "") POOL_NODE("n1")
                               POOL_NODE("n2") POD("a", "", CPU("1")),
                           UPSTREAM);
    assert_non_null(unplaced(third.plan, "a"));
}

// The claim's cpu request: 1 for the pod and the counted part of the DaemonSet's 1.
static int64_t cpu_with(const char *template, const char *daemon)
{
    struct text text = {0};
    text_format(&text,
                "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p}, "
                "spec: {template: {metadata: {labels: {team: red}}, spec: {%snodeClassRef: {group: "
                "g, kind: C, name: c}}}}}\n---\n%s",
                template, daemon);
    text_add(&text, POD("a", "", "tolerations: [{key: own, operator: Exists}], " CPU("1")));
    PLAN p = plan_yaml(text.data, UPSTREAM);
    text_free(&text);
    return resource_map_get(&claim_of(p.plan, "a")->requests, "cpu");
}

static void which_daemon_sets_count_SCH_489(void **state)
{
    (void)state;
#define NODE_TERM(key, value) REQUIRED("{key: " key ", operator: NotIn, values: [" value "]}")
    assert_int_equal(cpu_with("startupTaints: [{key: s, effect: NoSchedule}], ",
                              DAEMON("tolerations: [{key: s, operator: Exists}], " CPU("1"))),
                     2000);
    assert_int_equal(cpu_with("startupTaints: [{key: s, effect: NoSchedule}], ", DAEMON(CPU("1"))),
                     2000);
    assert_int_equal(cpu_with("taints: [{key: own, effect: NoSchedule}], ", DAEMON(CPU("1"))),
                     1000);
    assert_int_equal(cpu_with("", DAEMON("nodeSelector: {team: blue}, " CPU("1"))), 1000);
    assert_int_equal(cpu_with("", DAEMON(NODE_TERM("team", "red") CPU("1"))), 1000);
    assert_int_equal(cpu_with("", DAEMON(NODE_TERM("unknown", "red") CPU("1"))), 2000);
}

// Also on an existing node, once its DaemonSet pod has come: so the port stays reserved.
static void daemon_sets_ports_are_theirs_on_existing_nodes_SCH_489_515(void **state)
{
    (void)state;
#define PORT "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]"
#define ROOMY                                                                             \
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {" HOST ": n1}}, status: " \
    "{allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}}\n---\n"
    PLAN p = plan_yaml(POOL ROOMY DAEMON(PORT) POD("a", "", PORT) POD("b", "", CPU("1")), NULL);
    assert_null(node_of(p.plan, "a"));
    assert_string_equal(node_of(p.plan, "b"), "n1");
    // Its own pod there holds the port once; another node has it free.
    PLAN q =
        plan_yaml(POOL ROOMY DAEMON("nodeSelector: {only: here}, " PORT) POD("a", "", PORT), NULL);
    assert_string_equal(node_of(q.plan, "a"), "n1");
}

// --- SCH-491, 493 to 495 -------------------------------------------------------------------------

#define CLAIM(name, volume)                                                                  \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name ", annotations: " \
    "{pv.kubernetes.io/bind-completed: 'yes'}}, spec: {volumeName: " volume "}}\n---\n"
#define USE(claim) "volumes: [{name: v, persistentVolumeClaim: {claimName: " claim "}}], "
#define ONE_VOLUME_NODE                                                                     \
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {" HOST ": n1, " ZONE        \
    ": a}}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}}\n---\n"              \
    "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: " \
    "[{name: d, nodeID: node, allocatable: {count: 1}}]}}\n---\n"

static void a_shared_volume_counts_once_SCH_350_491(void **state)
{
    (void)state;
#define CSI_VOLUME(name, more)                                                       \
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: " name ", uid: " name \
    "}, spec: {csi: {driver: d, volumeHandle: " name "}" more "}}\n---\n"
    PLAN p = plan_many(POOL ONE_VOLUME_NODE CSI_VOLUME("v", "") CLAIM("c", "v"), 3, "web",
                       USE("c") CPU("100m"));
    assert_int_equal(p.plan->placements.items[0].pods.count, 3);
    PLAN q = plan_yaml(
        POOL ONE_VOLUME_NODE CSI_VOLUME("v", "")
            CLAIM("c", "v") "{apiVersion: v1, kind: PersistentVolume, metadata: {name: w}, spec: "
                            "{accessModes: [ReadWriteMany]}}\n---\n" CLAIM("nfs", "w")
                                POD("a", "", USE("c") CPU("2")) POD("b", "", USE("nfs") CPU("1")),
        UPSTREAM);
    assert_string_equal(node_of(q.plan, "a"), "n1");
    assert_string_equal(node_of(q.plan, "b"), "n1"); // no CSI driver: never counted
    PLAN r = plan_yaml(
        POOL_IN(ZONE, "b, c") CSI_VOLUME(
            "v", ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: " ZONE
                 ", operator: In, values: [a, c]}]}]}}") CLAIM("c", "v")
            POD("a", "", USE("c") CPU("1")),
        UPSTREAM);
    assert_string_equal(claim_values(claim_of(r.plan, "a"), ZONE), "c"); // any zone that fits
}

#define RESERVABLE(name, cpu, id)                                                                 \
    "{name: " name ", requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}], " \
    "capacity: {cpu: '" cpu "', memory: 8Gi, pods: '9'}, offerings: ["                            \
    "{price: " cpu ", available: true, requirements: [{key: " ZONE                                \
    ", operator: In, values: [a]}, {key: " CAPACITY_TYPE                                          \
    ", operator: In, values: [on-demand]}]}, {price: 0.01, available: true, "                     \
    "reservationCapacity: 1, requirements: [{key: " ZONE                                          \
    ", operator: In, values: [a]}, {key: " CAPACITY_TYPE                                          \
    ", operator: In, values: [reserved]}, {key: example.com/reservation-id, "                     \
    "operator: In, values: [" id "]}]}]}"
#define CATALOG(types)                                                             \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: c}, spec: " \
    "{instanceTypes: [" types "]}}\n---\n"

static void reservations_are_shared_by_pools_SCH_257_262_493(void **state)
{
    (void)state;
    PLAN p = plan_yaml_bare(
        CATALOG(RESERVABLE("one", "2", "r1")) POOL_WITH("x", "", "") POOL_WITH("z", "", "")
            POD("a", "", "nodeSelector: {karpenter.sh/nodepool: x}, " CPU("1500m"))
                POD("b", "", "nodeSelector: {karpenter.sh/nodepool: z}, " CPU("1")),
        UPSTREAM);
    assert_string_equal(claim_values(claim_of(p.plan, "a"), CAPACITY_TYPE), "reserved");
    assert_true(unplaced(p.plan, "b")->deferred);
    // A claim holds both reservations, so there is one claim a pass.
    PLAN q = plan_yaml_bare(
        CATALOG(RESERVABLE("one", "2", "r1") ", " RESERVABLE("two", "2.5", "r2"))
            POOL POD("a", "", CPU("1500m")) POD("b", "", CPU("1500m")) POD("c", "", CPU("1500m")),
        UPSTREAM);
    assert_int_equal(q.plan->claims.count, 1);
    assert_string_equal(claim_values(&q.plan->claims.items[0], "example.com/reservation-id"),
                        "r1,r2");
    assert_true(q.plan->unschedulable.items[0].deferred);
    assert_int_equal(pending(&q), 2);
}

static void min_values_of_one_key_are_joined_SCH_66_494(void **state)
{
    (void)state;
#define COUNTED(key, requirements) \
    POOL_WITH("x", "weight: 10, ", "requirements: [" requirements "], ")
    // The larger one holds: three sizes lie between, small, medium and arm do not.
    PLAN p = plan_yaml(
        COUNTED("size", "{key: example.com/size, operator: Gt, values: ['1'], minValues: 1}, "
                        "{key: example.com/size, operator: Lt, values: ['9'], minValues: 3}")
            POD("a", "", CPU("1")),
        UPSTREAM);
    list_for_each (requirement, &claim_of(p.plan, "a")->requirements)
        if (strcmp(requirement->key, "example.com/size") == 0)
            assert_int_equal(requirement->min_values.value, 3);
    PLAN q = plan_yaml(
        COUNTED("size", "{key: example.com/size, operator: Gt, values: ['1'], minValues: 1}, "
                        "{key: example.com/size, operator: Lt, values: ['5'], minValues: 3}")
            POD("a", "", CPU("1")),
        UPSTREAM);
    assert_non_null(unplaced(q.plan, "a"));
}

static void a_heavier_pool_is_relaxed_first_SCH_221_247_494(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL_WITH("x", "weight: 10, ",
                  "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: "
                  "[small, medium, large], minValues: 3}], ") POOL_WITH("a", "", "")
            POD("a", "", CPU("3")),
        UPSTREAM ", MIN_VALUES_POLICY: BestEffort");
    const struct plan_claim *claim = claim_of(p.plan, "a");
    assert_string_equal(claim->node_pool->meta.name, "x");
    assert_true(claim->min_values_relaxed);
    list_for_each (requirement, &claim->requirements)
        if (strcmp(requirement->key, LABEL_INSTANCE_TYPE) == 0)
            assert_int_equal(requirement->min_values.value, 2);
}

static void unknown_labels_only_by_their_absence_SCH_28_495(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("in", "", REQUIRED("{key: nobody, operator: In, values: [x]}") CPU("1"))
            POD("exists", "", REQUIRED("{key: nobody, operator: Exists}") CPU("1"))
                POD("gt", "", REQUIRED("{key: nobody, operator: Gt, values: ['1']}") CPU("1")) POD(
                    "notin", "", REQUIRED("{key: nobody, operator: NotIn, values: [x]}") CPU("1"))
                    POD("absent", "", REQUIRED("{key: nobody, operator: DoesNotExist}") CPU("1"))
                        POD("host", "", "nodeSelector: {" HOST ": node}, " CPU("1")),
        UPSTREAM);
    assert_non_null(unplaced(p.plan, "in"));
    assert_non_null(unplaced(p.plan, "exists"));
    assert_non_null(unplaced(p.plan, "gt"));
    assert_non_null(claim_of(p.plan, "notin"));
    assert_non_null(claim_of(p.plan, "absent"));
    assert_true(unplaced(p.plan, "host")->ignored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(existing_pods_bound_the_skew_SCH_480),
        cmocka_unit_test(a_broken_skew_is_mended_from_below_SCH_480),
        cmocka_unit_test(the_minimum_is_over_a_pod_s_own_zones_SCH_480),
        cmocka_unit_test(a_volume_does_not_shrink_the_domains_SCH_480),
        cmocka_unit_test(other_pods_are_counted_but_not_oneself_SCH_480),
        cmocka_unit_test(deployments_spread_each_by_itself_SCH_481),
        cmocka_unit_test(capacity_types_are_spread_over_SCH_482),
        cmocka_unit_test(one_node_holds_those_that_stay_together_SCH_484),
        cmocka_unit_test(pinned_pods_start_clusters_of_their_own_SCH_310_484),
        cmocka_unit_test(ten_follow_a_pinned_target_SCH_484),
        cmocka_unit_test(one_zone_a_pass_SCH_325_485),
        cmocka_unit_test(soft_taints_are_tolerated_after_preferences_SCH_486_487),
        cmocka_unit_test(limits_hold_over_passes_SCH_488),
        cmocka_unit_test(which_daemon_sets_count_SCH_489),
        cmocka_unit_test(daemon_sets_ports_are_theirs_on_existing_nodes_SCH_489_515),
        cmocka_unit_test(a_shared_volume_counts_once_SCH_350_491),
        cmocka_unit_test(reservations_are_shared_by_pools_SCH_257_262_493),
        cmocka_unit_test(min_values_of_one_key_are_joined_SCH_66_494),
        cmocka_unit_test(a_heavier_pool_is_relaxed_first_SCH_221_247_494),
        cmocka_unit_test(unknown_labels_only_by_their_absence_SCH_28_495),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
