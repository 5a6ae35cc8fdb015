// Reasons of unschedulable pods, and of placements (SCH-520, 530, 531).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/engine.h"
#include "engine/plan_fixture.h"
#include "model/snapshot/plan_explanation.h"

#define ZONE "topology.kubernetes.io/zone"
#define NAMED_POOL(name, meta, spec, template)                                              \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name ", uid: u-" name \
    "}, spec: {" spec "template: {" meta                                                    \
    "spec: {nodeClassRef: {group: g, kind: C, name: c}" template "}}}}\n---\n"
#define POOL_TAINTED(name) \
    NAMED_POOL(name, "", "", ", taints: [{key: own, value: x, effect: NoSchedule}]")
#define POOL_ZONES(zones)      \
    NAMED_POOL("pool", "", "", \
               ", requirements: [{key: " ZONE ", operator: In, values: [" zones "]}]")
#define DAEMON(spec)                                                                    \
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, uid: u-d}, spec: {" \
    "template: {spec: {" spec "}}}}\n---\n"
#define NODE(name, zone, taints, cpu)                                                        \
    "{apiVersion: v1, kind: Node, metadata: {name: " name                                    \
    ", labels: {kubernetes.io/hostname: " name ", " ZONE ": " zone "}}, spec: {providerID: " \
    "'p:" name "', taints: [" taints "]}, status: {allocatable: {cpu: '" cpu                 \
    "', memory: 64Gi, pods: '9'}, capacity: {cpu: '" cpu "', memory: 64Gi, pods: '9'}}}\n---\n"
#define TAINT "{key: dedicated, value: db, effect: NoSchedule}"
#define BOUND(name, node, labels, spec)                                                          \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name ", labels: {" labels \
    "}}, spec: {nodeName: " node ", " spec                                                       \
    "containers: [{name: c, image: i}]}, status: {phase: Running}}\n---\n"
#define TERM(key, label) "{topologyKey: " key ", labelSelector: {matchLabels: {app: " label "}}}"
#define AFFINITY(kind, key, label) \
    "affinity: {" kind             \
    ": {requiredDuringSchedulingIgnoredDuringExecution: [" TERM(key, label) "]}}, "
#define PORT "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]"
#define VOLUME_OF(zone)                                                                         \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, " \
    "annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {volumeName: pv, "           \
    "storageClassName: sc}, status: {phase: Bound}}\n---\n"                                     \
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {csi: {driver: d, "   \
    "volumeHandle: h}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "       \
    "[{key: " ZONE ", operator: In, values: [" zone "]}]}]}}}}\n---\n"
#define MOUNT "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], "

static struct plan_fixture explained(const char *documents)
{
    const struct plan_options options = {.explain = EXPLAIN_FULL};
    return plan_yaml_with(documents, NULL, &options);
}

static struct plan_fixture chosen(const char *documents, const char *pod)
{
    const struct plan_options options = {.explain = EXPLAIN_FULL, .explain_pod = pod};
    return plan_yaml_with(documents, NULL, &options);
}

// The stages as "requirements 5, offerings 5, resources 0".
static const char *stages_of(const struct plan_pool_funnel *funnel)
{
    static char out[300];
    size_t length = 0;
    out[0] = '\0';
    list_for_each (stage, &funnel->stages)
        length += (size_t)snprintf(out + length, sizeof out - length, "%s%s %u",
                                   length > 0 ? ", " : "", stage_name(stage->kind), stage->left);
    return out;
}

static const char *cut_of(const struct plan_pool_funnel *funnel, enum plan_stage_kind kind)
{
    static char out[200];
    list_for_each (stage, &funnel->stages)
        if (stage->kind == kind && stage->cuts.count > 0) {
            const struct plan_cut *cut = &stage->cuts.items[0];
            snprintf(out, sizeof out, "%s: %u to %u", cut->value, cut->before, cut->left);
            return out;
        }
    return "";
}

static const struct plan_help *help_of(const struct plan_explanation *explanation,
                                       const char *change)
{
    list_for_each (help, &explanation->help)
        if (strcmp(help->change, change) == 0)
            return help;
    return NULL;
}

static void assert_help(const struct plan_explanation *explanation, const char *change,
                        const char *detail)
{
    const struct plan_help *help = help_of(explanation, change);
    if (help == NULL)
        fail_msg("no help by %s", change);
    assert_string_equal(help->detail, detail);
}

static bool has_reason(const struct plan_unschedulable *entry, enum reason_code code,
                       const char *pool)
{
    list_for_each (reason, &entry->reasons)
        if (reason->code == code && text_equal(reason->node_pool, pool))
            return true;
    return false;
}

// --- codes ---------------------------------------------------------------------------------------

#define RESERVED_CATALOG                                                                       \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: r}, spec: {nodePools: " \
    "[first], instanceTypes: [{name: r1, requirements: [{key: karpenter.sh/capacity-type, "    \
    "operator: In, values: [reserved]}], capacity: {cpu: '2', memory: 4Gi, pods: '9'}, "       \
    "offerings: [{price: 0.001, available: true, reservationCapacity: 0, requirements: "       \
    "[{key: " ZONE                                                                             \
    ", operator: In, values: [a]}, {key: karpenter.sh/capacity-type, operator: In, values: "   \
    "[reserved]}, {key: example.com/reservation-id, operator: In, values: [res]}]}]}]}}\n---\n"

#define SPREAD                                                                            \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE ", whenUnsatisfiable: " \
    "DoNotSchedule, minDomains: 3, labelSelector: {matchLabels: {app: web}}}], "

static const struct {
    enum reason_code code;
    const char *pool; // NULL: not of a pool
    const char *documents;
} codes[] = {
    {REASON_NO_POOL, NULL, POD("a", "", CPU("1"))},
    {REASON_POOL_NOT_READY, "broken",
     POOL_TAINTED(
         "x") "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: broken, uid: b}, "
              "spec: {template: {spec: {nodeClassRef: {group: g, kind: C, name: c}}}}, "
              "status: {conditions: [{type: Ready, status: 'False'}]}}\n---\n" POD("a", "",
                                                                                   CPU("1"))},
    {REASON_TAINT_NOT_TOLERATED, "x", POOL_TAINTED("x") POD("a", "", CPU("1"))},
    {REASON_REQUIREMENT_MISMATCH, "pool",
     POOL POD("a", "", "nodeSelector: {kubernetes.io/arch: s390x}, " CPU("1"))},
    {REASON_UNKNOWN_LABEL, "pool", POOL POD("a", "", "nodeSelector: {team: ml}, " CPU("1"))},
    {REASON_INSUFFICIENT_RESOURCES, "pool", POOL POD("a", "", CPU("16"))},
    {REASON_NO_OFFERING, "pool",
     POOL POD("a", "", "nodeSelector: {" ZONE ": c, karpenter.sh/capacity-type: spot}, " CPU("1"))},
    {REASON_LIMIT_EXCEEDED, "pool",
     NAMED_POOL("pool", "", "limits: {cpu: '1'}, ", "") POD("a", "", CPU("1"))},
    {REASON_LIMIT_EXCEEDED, "pool", // small ones are left, but they are too small
     NAMED_POOL("pool", "", "limits: {cpu: '4'}, ", "") POD("a", "", CPU("5"))},
    {REASON_HOST_PORT_CONFLICT, "pool", POOL DAEMON(PORT) POD("a", "", PORT)},
    {REASON_VOLUME_INVALID, NULL, POOL POD("a", "", MOUNT CPU("1"))},
    {REASON_VOLUME_ZONE, "pool", POOL_ZONES("a, b") VOLUME_OF("c") POD("a", "", MOUNT CPU("1"))},
    {REASON_VOLUME_LIMIT, NULL,
     POOL_TAINTED("x") NODE("n1", "a", "", "4") VOLUME_OF(
         "a") "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: "
              "{drivers: [{name: d, nodeID: n1, allocatable: {count: 0}}]}}\n---\n" POD(
                  "a", "", MOUNT CPU("1"))},
    {REASON_TOPOLOGY_SPREAD, "pool",
     POOL_ZONES("a") NODE("n1", "c", "", "0") POD("a", "app: web", SPREAD CPU("9"))
         POD("b", "app: web", SPREAD CPU("9"))},
    {REASON_POD_AFFINITY, "pool", POOL POD("a", "", AFFINITY("podAffinity", ZONE, "db") CPU("1"))},
    {REASON_POD_ANTI_AFFINITY, "pool",
     POOL_ZONES("a") NODE("n1", "a", "", "0") BOUND("old", "n1", "app: db", "")
         POD("a", "", AFFINITY("podAntiAffinity", ZONE, "db") CPU("1"))},
    {REASON_EXISTING_ANTI_AFFINITY, "pool",
     POOL_ZONES("a") NODE("n1", "a", "", "0")
         BOUND("old", "n1", "app: db", AFFINITY("podAntiAffinity", ZONE, "web"))
             POD("a", "app: web", CPU("1"))},
    {REASON_MIN_VALUES, "pool",
     NAMED_POOL("pool", "", "",
                ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: "
                "[small, large], minValues: 2}]") POD("a", "", CPU("5"))},
    {REASON_MIN_VALUES, "pool", // of the pool itself
     NAMED_POOL("pool", "", "",
                ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: "
                "[small], minValues: 2}]") POD("a", "", CPU("1"))},
    {REASON_RESERVED_EXHAUSTED, "first",
     RESERVED_CATALOG NAMED_POOL("first", "", "weight: 9, ", "") POD("a", "", CPU("1"))},
    {REASON_NOT_TRIED, "second",
     RESERVED_CATALOG NAMED_POOL("first", "", "weight: 9, ", "") NAMED_POOL("second", "", "", "")
         POD("a", "", CPU("1"))},
    {REASON_DYNAMIC_RESOURCES, NULL,
     POOL POD("a", "", "resourceClaims: [{name: x, resourceClaimName: rc}], " CPU("1"))},
    {REASON_DAEMON_SET_OVERHEAD, "pool", POOL DAEMON(CPU("2")) POD("a", "", CPU("15"))},
};

static void every_code_is_given_where_it_applies_SCH_530(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(codes); i++) {
        PLAN p = plan_yaml(codes[i].documents, "COMPATIBILITY: upstream");
        bool found = false;
        list_for_each (entry, &p.plan->unschedulable)
            found = found || has_reason(entry, codes[i].code, codes[i].pool);
        if (!found)
            fail_msg("%s (row %zu): %s", reason_code_name(codes[i].code), i, plan_json(p.plan));
    }
}

// --- the funnel ----------------------------------------------------------------------------------

static void nodes_are_counted_by_their_first_refusal_SCH_520(void **state)
{
    (void)state;
    PLAN p = explained(POOL_TAINTED("x") NODE("n1", "a", TAINT, "4") NODE("n2", "a", TAINT, "1")
                           NODE("n3", "a", "", "1") POD("a", "", CPU("2")));
    const struct plan_explanation *explanation = unplaced(p.plan, "a")->explanation;
    assert_string_equal(explanation->nodes_summary,
                        "0/3 nodes: 2 taints not tolerated, 1 insufficient cpu");
    assert_int_equal(explanation->refused.items[0].code, REASON_TAINT_NOT_TOLERATED);
    assert_int_equal(explanation->refused.items[1].code, REASON_INSUFFICIENT_RESOURCES);
}

static void stages_tell_what_is_left_SCH_520(void **state)
{
    (void)state;
    PLAN p = explained(POOL POD("a", "", "nodeSelector: {kubernetes.io/arch: amd64}, " CPU("17")));
    const struct plan_pool_funnel *funnel = &unplaced(p.plan, "a")->explanation->funnel.items[0];
    assert_string_equal(funnel->state, "considered");
    assert_int_equal(funnel->types, 5);
    assert_string_equal(stages_of(funnel), "requirements 4, offerings 4, hostPorts 4, daemonSets 4,"
                                           " resources 0");
    assert_string_equal(cut_of(funnel, STAGE_REQUIREMENTS),
                        "kubernetes.io/arch In [amd64]: 5 to 4");
    assert_string_equal(cut_of(funnel, STAGE_RESOURCES), "17 cpu: 4 to 0");
    PLAN q = explained(NAMED_POOL("pool", "", "limits: {cpu: '5'}, ", "")
                           POD("a", "", "nodeSelector: {" ZONE ": c}, " CPU("5")));
    funnel = &unplaced(q.plan, "a")->explanation->funnel.items[0];
    assert_string_equal(stages_of(funnel), "requirements 5, offerings 5, limits 3, hostPorts 3, "
                                           "daemonSets 3, resources 0");
    assert_string_equal(cut_of(funnel, STAGE_LIMITS), "limit of 5 cpu, 5 cpu left: 5 to 3");
}

static void the_nearest_miss_says_by_how_much_SCH_520(void **state)
{
    (void)state;
    PLAN p = explained(POOL DAEMON(CPU("1200m")) POD("a", "", CPU("15")));
    const struct plan_pool_funnel *funnel = &unplaced(p.plan, "a")->explanation->funnel.items[0];
    assert_string_equal(funnel->miss_type, "large");
    assert_int_equal(funnel->miss_stage, STAGE_RESOURCES);
    assert_string_equal(funnel->miss_detail, "large lacks 300m cpu after 1.2 cpu of DaemonSets");
    assert_string_equal(stages_of(funnel),
                        "requirements 5, offerings 5, hostPorts 5, daemonSets 4, resources 0");
    PLAN q = explained(
        POOL POD("a", "",
                 "nodeSelector: {kubernetes.io/arch: arm64, karpenter.sh/capacity-type: spot, " ZONE
                 ": c}, " CPU("1")));
    funnel = &unplaced(q.plan, "a")->explanation->funnel.items[0];
    assert_string_equal(funnel->miss_detail,
                        "arm has no available offering with karpenter.sh/capacity-type In "
                        "[spot], " ZONE " In [c]");
    // A single type cannot satisfy rules between pods.
    PLAN r = explained(POOL POD("a", "", AFFINITY("podAffinity", ZONE, "db") CPU("1900m")));
    funnel = &unplaced(r.plan, "a")->explanation->funnel.items[0];
    assert_string_equal(stages_of(funnel), "requirements 5, offerings 5, hostPorts 5, daemonSets 5,"
                                           " resources 5, topology 0");
    assert_null(funnel->miss_type);
}

static void pools_that_take_no_part_have_a_state_SCH_520(void **state)
{
    (void)state;
    PLAN p = explained(POOL_TAINTED("x") NAMED_POOL("fixed", "", "replicas: 2, ", "") NAMED_POOL(
        "none", "", "", ", requirements: [{key: kubernetes.io/arch, operator: In, values: [vax]}]")
                           POD("a", "", CPU("1")));
    const struct plan_explanation *explanation = unplaced(p.plan, "a")->explanation;
    assert_int_equal(explanation->funnel.count, 3);
    assert_string_equal(explanation->funnel.items[0].state, "taintsNotTolerated");
    assert_null(explanation->funnel.items[0].miss_type);
    assert_string_equal(explanation->funnel.items[1].state, "noTypes");
    assert_string_equal(explanation->funnel.items[2].node_pool, "fixed");
    assert_string_equal(explanation->funnel.items[2].state, "static");
}

// --- help ----------------------------------------------------------------------------------------

static void a_single_change_helps_SCH_520(void **state)
{
    (void)state;
    PLAN p = explained(POOL_TAINTED("x") POD("a", "", CPU("1")));
    assert_help(unplaced(p.plan, "a")->explanation, "toleration",
                "tolerate the taint own=x:NoSchedule; NodePool x would launch small for $0.0400 an "
                "hour");
    PLAN q = explained(POOL_TAINTED("x") NODE("n1", "a", TAINT, "4") POD("a", "", CPU("17"))
                           POD("b", "", CPU("3")));
    assert_null(help_of(unplaced(q.plan, "a")->explanation, "toleration"));
    assert_non_null(help_of(unplaced(q.plan, "b")->explanation, "toleration"));
    PLAN r = explained(POOL POD("a", "", "nodeSelector: {kubernetes.io/arch: amd46}, " CPU("1")));
    assert_help(unplaced(r.plan, "a")->explanation, "label",
                "kubernetes.io/arch: the value amd46 looks like a typo of amd64; NodePool pool "
                "would launch small for $0.0400 an hour");
    PLAN s = explained(NAMED_POOL("pool", "metadata: {labels: {example.com/team: ml}}, ", "", "")
                           POD("a", "", "nodeSelector: {example.com/taem: ml}, " CPU("1")));
    assert_help(unplaced(s.plan, "a")->explanation, "label",
                "the label key example.com/taem looks like a typo of example.com/team; NodePool "
                "pool would launch small for $0.0400 an hour");
    PLAN t = explained(NAMED_POOL("pool", "", "limits: {cpu: '4'}, ", "") POD("a", "", CPU("5")));
    assert_help(unplaced(t.plan, "a")->explanation, "limit",
                "raise the limit of 4 cpu to 16 cpu; NodePool pool would launch large for $0.3200 "
                "an hour");
    PLAN u = explained(POOL POD("a", "", "nodeSelector: {" ZONE ": d}, " CPU("1")));
    assert_help(unplaced(u.plan, "a")->explanation, "requirement",
                "without " ZONE " In [d] (that would be a, b, c); NodePool pool would launch small "
                "for $0.0400 an hour");
    PLAN v = explained(POOL POD("a", "", CPU("16")));
    assert_help(unplaced(v.plan, "a")->explanation, "request",
                "ask for 15.9 cpu instead of 16 cpu; NodePool pool would launch large for $0.3200 "
                "an hour");
    PLAN w = explained(POOL DAEMON(PORT) POD("a", "", PORT));
    assert_non_null(help_of(unplaced(w.plan, "a")->explanation, "hostPort"));
    PLAN y = explained(POOL POD("a", "", AFFINITY("podAffinity", ZONE, "db") CPU("1")));
    assert_non_null(help_of(unplaced(y.plan, "a")->explanation, "topology"));
}

static void two_changes_are_no_help_SCH_520(void **state)
{
    (void)state;
    PLAN p = explained(
        POOL POD("a", "", "nodeSelector: {kubernetes.io/arch: vax, " ZONE ": d}, " CPU("1")));
    assert_int_equal(unplaced(p.plan, "a")->explanation->help.count, 0);
}

static void alternatives_of_node_affinity_are_counted_together_SCH_508_520(void **state)
{
    (void)state;
#define CHOICE(key)                                                                             \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "                \
    "{nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: " \
    "[" key                                                                                     \
    "]}]}, {matchExpressions: [{key: example.com/size, operator: In, values: ['99']}]}]}}}, "
    PLAN p = explained(POOL POD("a", "", CHOICE("arm64") CPU("17")));
    const struct plan_pool_funnel *funnel = &unplaced(p.plan, "a")->explanation->funnel.items[0];
    assert_string_equal(stages_of(funnel),
                        "requirements 1, offerings 1, hostPorts 1, daemonSets 1, resources 0");
    assert_string_equal(cut_of(funnel, STAGE_REQUIREMENTS), "any of 2 node affinity terms: 5 to 1");
    PLAN q = explained(POOL POD("a", "", CHOICE("vax") CPU("1")));
    assert_non_null(help_of(unplaced(q.plan, "a")->explanation, "requirement"));
    assert_true(has_reason(unplaced(q.plan, "a"), REASON_REQUIREMENT_MISMATCH, "pool"));
}

static void preferences_given_up_are_told_SCH_520(void **state)
{
    (void)state;
#define WISH                                                                                     \
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 7, "   \
    "preference: {matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [vax]}]}}]" \
    "}}, "
    PLAN p = explained(POOL POD("a", "", WISH CPU("17")));
    assert_int_equal(unplaced(p.plan, "a")->explanation->given_up.count, 1);
    PLAN q = chosen(POOL POD("a", "", WISH CPU("1")), "default/a");
    assert_int_equal(q.plan->choice->explanation->given_up.count, 1);
    assert_string_equal(q.plan->choice->explanation->given_up.items[0],
                        "node affinity of weight 7: kubernetes.io/arch In [vax]");
}

static void equal_pods_share_an_explanation_SCH_520(void **state)
{
    (void)state;
    PLAN p =
        explained(POOL POD("b", "", CPU("17")) POD("a", "", CPU("17")) POD("c", "", CPU("18")));
    assert_ptr_equal(unplaced(p.plan, "a")->explanation, unplaced(p.plan, "b")->explanation);
    assert_ptr_not_equal(unplaced(p.plan, "a")->explanation, unplaced(p.plan, "c")->explanation);
    assert_string_equal(unplaced(p.plan, "b")->explanation->pod->meta.name, "a");
    CLEANUP_FREE char *json = plan_json(p.plan);
    assert_non_null(strstr(json, "\"explainedBy\": \"default/a\""));
    assert_null(strstr(json, "\"explainedBy\": \"default/b\""));
    PLAN q = plan_yaml(POOL POD("a", "", CPU("17")), NULL);
    assert_null(unplaced(q.plan, "a")->explanation);
}

// --- the order of things does not matter ---------------------------------------------------------

static void explanations_do_not_depend_on_order_SCH_540(void **state)
{
    (void)state;
#define ONE POD("a", "", "nodeSelector: {example.com/x: q, " ZONE ": d}, " CPU("17"))
#define TWO                                                                              \
    POD("b", "",                                                                         \
        "containers: [{name: c, image: i, resources: {requests: {example.com/tpu: '1', " \
        "example.com/npu: '1'}}}]")
#define THREE NODE("n1", "a", TAINT, "4")
#define FOUR  NODE("n2", "b", "", "4")
    PLAN p = explained(POOL POOL_TAINTED("x") ONE TWO THREE FOUR);
    PLAN q = explained(FOUR TWO POOL_TAINTED("x") ONE POOL THREE);
    CLEANUP_FREE char *first = plan_json(p.plan), *second = plan_json(q.plan);
    assert_string_equal(first, second);
}

// --- placed pods ---------------------------------------------------------------------------------

static void a_new_node_is_explained_SCH_520(void **state)
{
    (void)state;
    PLAN p = chosen(POOL_TAINTED("x") POOL NODE("n1", "a", TAINT, "4") POD("a", "", CPU("1")),
                    "default/a");
    const struct plan_choice *choice = p.plan->choice;
    assert_non_null(choice);
    assert_ptr_equal(choice->claim, claim_of(p.plan, "a"));
    assert_null(choice->placement);
    assert_int_equal(choice->extra_price, 40000000);
    assert_string_equal(choice->why.items[0],
                        "no existing node takes it: 0/1 nodes: 1 taints not tolerated");
    assert_string_equal(choice->why.items[1],
                        "NodePool pool launches a node for it: small for $0.0400 an hour is the "
                        "cheapest of 5 types, then medium for $0.0800");
    assert_string_equal(choice->why.items[2],
                        "NodePool x comes first but refuses it: TaintNotTolerated");
    assert_string_equal(choice->alternatives.items[0].what, "the same node as medium");
    assert_int_equal(choice->alternatives.items[0].extra_price, 80000000);
}

static void an_existing_node_is_explained_SCH_520(void **state)
{
    (void)state;
    PLAN p = chosen(POOL NODE("n1", "a", "", "4") NODE("n2", "a", "", "4") POD("a", "", CPU("1")),
                    "default/a");
    const struct plan_choice *choice = p.plan->choice;
    assert_string_equal(choice->placement->name, "n1");
    assert_int_equal(choice->extra_price, 0);
    assert_string_equal(choice->why.items[0], "n1 is there already and has room: nothing more has "
                                              "to be paid; with this plan it has left 3 cpu");
    assert_string_equal(choice->why.items[1], "1 other existing node would take it as well");
    assert_string_equal(choice->alternatives.items[0].what, "node n2");
    assert_string_equal(choice->alternatives.items[1].what, "a new node of NodePool pool, small");
    assert_int_equal(choice->alternatives.items[1].extra_price, 40000000);
    PLAN q = chosen(POOL POD("a", "", CPU("17")), "default/a");
    assert_null(q.plan->choice);
}

static void asking_changes_no_plan_SCH_520(void **state)
{
    (void)state;
#define DOCUMENTS                                                                                \
    POOL NAMED_POOL("other", "", "limits: {cpu: '8'}, weight: 3, ", "") NODE("n1", "a", "", "4") \
        POD("a", "", CPU("3")) POD("b", "", CPU("17")) POD("c", "", CPU("2"))                    \
            POD("d", "", CPU("7"))
    PLAN p = plan_yaml(DOCUMENTS, NULL);
    PLAN q = chosen(DOCUMENTS, "default/c");
    assert_int_equal(p.plan->price, q.plan->price);
    assert_int_equal(p.plan->claims.count, q.plan->claims.count);
    for (uint32_t i = 0; i < p.plan->claims.count; i++)
        assert_int_equal(p.plan->claims.items[i].types.count, q.plan->claims.items[i].types.count);
    assert_string_equal(unplaced(p.plan, "b")->message, unplaced(q.plan, "b")->message);
}

static void what_limits_took_stands_beside_the_claim_SCH_531(void **state)
{
    (void)state;
    PLAN p = explained(NAMED_POOL("pool", "", "limits: {cpu: '8'}, ", "") POD("a", "", CPU("1")));
    assert_int_equal(claim_of(p.plan, "a")->types.count, 4);
    assert_int_equal(claim_of(p.plan, "a")->types_over_limits, 1); // large
    CLEANUP_FREE char *json = plan_json(p.plan);
    assert_non_null(strstr(json, "\"typesOverLimits\": 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_given_where_it_applies_SCH_530),
        cmocka_unit_test(nodes_are_counted_by_their_first_refusal_SCH_520),
        cmocka_unit_test(stages_tell_what_is_left_SCH_520),
        cmocka_unit_test(the_nearest_miss_says_by_how_much_SCH_520),
        cmocka_unit_test(pools_that_take_no_part_have_a_state_SCH_520),
        cmocka_unit_test(a_single_change_helps_SCH_520),
        cmocka_unit_test(two_changes_are_no_help_SCH_520),
        cmocka_unit_test(alternatives_of_node_affinity_are_counted_together_SCH_508_520),
        cmocka_unit_test(preferences_given_up_are_told_SCH_520),
        cmocka_unit_test(equal_pods_share_an_explanation_SCH_520),
        cmocka_unit_test(explanations_do_not_depend_on_order_SCH_540),
        cmocka_unit_test(a_new_node_is_explained_SCH_520),
        cmocka_unit_test(an_existing_node_is_explained_SCH_520),
        cmocka_unit_test(asking_changes_no_plan_SCH_520),
        cmocka_unit_test(what_limits_took_stands_beside_the_claim_SCH_531),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
