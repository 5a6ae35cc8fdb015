// Rules between pods with better plans than upstream's (SCH-510 to SCH-518, SCH-544).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/plan_fixture.h"

#define ZONE     "topology.kubernetes.io/zone"
#define HOST     "kubernetes.io/hostname"
#define UPSTREAM "COMPATIBILITY: upstream"
#define SPREAD(key, more)                                        \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key \
    ", whenUnsatisfiable: DoNotSchedule, "                       \
    "labelSelector: {matchLabels: {app: web}}" more "}], "
#define TERM(key, label) "{topologyKey: " key ", labelSelector: {matchLabels: {" label "}}}"
#define AFFINITY(kind, terms) \
    "affinity: {" kind ": {requiredDuringSchedulingIgnoredDuringExecution: [" terms "]}}, "
#define NODE(name, labels, cpu)                                                                    \
    "{apiVersion: v1, kind: Node, metadata: {name: " name                                          \
    ", labels: {kubernetes.io/hostname: " name ", " labels "}}, status: {allocatable: {cpu: '" cpu \
    "', memory: 8Gi, pods: '20'}}}\n---\n"
#define BOUND_WITH(name, node, labels, meta, spec)                                               \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name ", labels: {" labels \
    "}" meta "}, spec: {nodeName: " node ", " spec                                               \
    "containers: [{name: c, image: i}]}, status: {phase: Running}}\n---\n"
#define BOUND(name, node, labels) BOUND_WITH(name, node, labels, "", "")
#define BIG                       CPU("9") // two do not share a node

// `count` pods with the labels and the spec, p-0 and so on, after `before`.
static struct plan_fixture plan_many(const char *before, int count, const char *labels,
                                     const char *spec, const char *settings)
{
    struct text text = {0};
    text_add(&text, before);
    for (int i = 0; i < count; i++)
        text_format(&text,
                    "{apiVersion: v1, kind: Pod, metadata: {name: p-%d, uid: uid-%04d, labels: "
                    "{%s}}, spec: {%s}}\n---\n",
                    i, i, labels, spec);
    struct plan_fixture fixture = plan_yaml(text.data, settings);
    text_free(&text);
    return fixture;
}

static void exclusive_pods_get_a_zone_each_SCH_511(void **state)
{
    (void)state;
    const char *spec = AFFINITY("podAntiAffinity", TERM(ZONE, "app: web")) CPU("100m");
    PLAN p = plan_many(POOL, 3, "app: web", spec, NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:1 b:1 c:1");
    PLAN q = plan_many(POOL, 5, "app: web", spec, NULL);
    assert_string_equal(spread_over(q.plan, ZONE), "a:1 b:1 c:1");
    assert_int_equal(q.plan->unschedulable.count, 2);
    PLAN r = plan_many(POOL, 3, "app: web", spec, UPSTREAM);
    assert_int_equal(r.plan->unschedulable.count, 2);
    PLAN s = plan_many(POOL NODE("n1", ZONE ": a", "4") BOUND("old", "n1", "app: web"), 3,
                       "app: web", spec, NULL);
    assert_string_equal(spread_over(s.plan, ZONE), "b:1 c:1");
}

// No other pod depends on its zone: the last one may be launched wherever it fits.
static void what_matters_to_nobody_stays_open_SCH_325_511(void **state)
{
    (void)state;
    const char *spec = AFFINITY("podAntiAffinity", TERM(ZONE, "app: web")) CPU("100m");
    PLAN p = plan_many(POOL, 1, "app: web", spec, NULL);
    assert_string_equal(claim_values(claim_of(p.plan, "p-0"), ZONE), "a,b,c");
    PLAN q = plan_many(POOL, 2, "app: web", spec, NULL);
    assert_string_equal(claim_values(claim_of(q.plan, "p-0"), ZONE), "a");
    assert_string_equal(claim_values(claim_of(q.plan, "p-1"), ZONE), "b,c");
    PLAN r = plan_many(POOL, 3, "app: web", CPU("100m"), NULL);
    assert_string_equal(claim_values(claim_of(r.plan, "p-0"), ZONE), "-");
}

static void capacity_types_are_decided_like_zones_SCH_511(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL, 3, "app: web",
                       AFFINITY("podAntiAffinity", TERM("karpenter.sh/capacity-type", "app: web"))
                           CPU("100m"),
                       NULL);
    assert_string_equal(spread_over(p.plan, "karpenter.sh/capacity-type"), "on-demand:1 spot:1");
    assert_int_equal(p.plan->unschedulable.count, 1);
}

static void followers_find_their_target_in_the_same_pass_SCH_484_510_511(void **state)
{
    (void)state;
    const char *pods = POOL POD("leader", "app: leader", CPU("15"))
        POD("f1", "", AFFINITY("podAffinity", TERM(ZONE, "app: leader")) BIG)
            POD("f2", "", AFFINITY("podAffinity", TERM(ZONE, "app: leader")) CPU("16500m"))
                POD("f3", "", AFFINITY("podAffinity", TERM(ZONE, "app: leader")) CPU("1"));
    PLAN p = plan_yaml(pods, NULL);
    assert_string_equal(claim_values(claim_of(p.plan, "leader"), ZONE), "a");
    assert_string_equal(claim_values(claim_of(p.plan, "f1"), ZONE), "a");
    assert_string_equal(claim_values(claim_of(p.plan, "f3"), ZONE), "a");
    assert_non_null(unplaced(p.plan, "f2")); // no such machine
    PLAN q = plan_yaml(pods, UPSTREAM);
    assert_non_null(unplaced(q.plan, "f1"));
}

// A small target comes before the large pods that need it on their own node.
static void targets_go_first_SCH_510(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL NODE("n1", ZONE ": a", "1")
                      POD("follower", "", AFFINITY("podAffinity", TERM(HOST, "app: leader")) BIG)
                          POD("filler", "", CPU("4"))
                              POD("leader", "app: leader",
                                  "nodeSelector: {karpenter.sh/nodepool: pool}, " CPU("1")),
                  NULL);
    assert_int_equal(p.plan->unschedulable.count, 0);
    assert_ptr_equal(claim_of(p.plan, "follower"), claim_of(p.plan, "leader"));
}

// The large pods take the cheapest zone, the only one for the small guard: it then comes first.
static void pods_left_over_go_first_in_a_second_try_SCH_510(void **state)
{
    (void)state;
    const char *pods = POOL POD("w1", "app: web", BIG) POD("w2", "app: web", BIG)
        POD("guard", "app: guard",
            "nodeSelector: {" ZONE ": a}, " AFFINITY("podAntiAffinity", TERM(ZONE, "app: web"))
                CPU("1"));
    PLAN p = plan_yaml(pods, NULL);
    assert_int_equal(p.plan->unschedulable.count, 0);
    assert_string_equal(claim_values(claim_of(p.plan, "guard"), ZONE), "a");
    assert_null(strstr(claim_values(claim_of(p.plan, "w1"), ZONE), "a"));
    PLAN q = plan_yaml(pods, UPSTREAM);
    assert_non_null(unplaced(q.plan, "guard"));
}

// kube-scheduler forbids a second group of pods with affinity to each other (SCH-310).
static void affinity_starts_in_one_domain_only_SCH_310_511(void **state)
{
    (void)state;
#define PINNED(name, zone)                                                                     \
    POD(name, "app: web",                                                                      \
        "nodeSelector: {" ZONE ": " zone "}, " AFFINITY("podAffinity", TERM(ZONE, "app: web")) \
            BIG)
    PLAN p = plan_yaml(POOL PINNED("b1", "b") PINNED("c1", "c"), NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "b:1");
    assert_non_null(unplaced(p.plan, "c1"));
    PLAN q = plan_yaml(POOL PINNED("b1", "b") PINNED("c1", "c"), UPSTREAM);
    assert_int_equal(q.plan->unschedulable.count, 0);
    PLAN r =
        plan_many(POOL, 6, "app: web", AFFINITY("podAffinity", TERM(ZONE, "app: web")) BIG, NULL);
    assert_string_equal(spread_over(r.plan, ZONE), "a:6");
}

// A pod without rules counts in the spread of others: its domain must be known.
static void counted_pods_are_pinned_SCH_325_544(void **state)
{
    (void)state;
    const char *pods =
        POOL POD("plain", "app: web", CPU("15")) POD("s1", "app: web", SPREAD(ZONE, "") BIG)
            POD("s2", "app: web", SPREAD(ZONE, "") BIG) POD("s3", "app: web", SPREAD(ZONE, "") BIG);
    PLAN p = plan_yaml(pods, NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:2 b:1 c:1");
    assert_string_equal(claim_values(claim_of(p.plan, "plain"), ZONE), "a");
    PLAN q = plan_yaml(pods, UPSTREAM);
    assert_string_equal(claim_values(claim_of(q.plan, "plain"), ZONE), "-");
}

// Whether the spread counts the node must be known, too.
static void what_the_filter_reads_is_decided_SCH_544(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("plain", "app: web", CPU("8"))
            POD("own", "app: web", "nodeSelector: {" ZONE ": a}, " SPREAD(HOST, "") CPU("1")),
        NULL);
    assert_int_equal(p.plan->unschedulable.count, 0);
    assert_ptr_not_equal(claim_of(p.plan, "plain"), claim_of(p.plan, "own"));
}

static void zones_nobody_launches_in_hold_nobody_up_SCH_512(void **state)
{
    (void)state;
    // There is no spot capacity in c.
    const char *spec = "nodeSelector: {karpenter.sh/capacity-type: spot}, " SPREAD(ZONE, "") BIG;
    PLAN p = plan_many(POOL, 4, "app: web", spec, NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:2 b:2");
    PLAN q = plan_many(POOL, 4, "app: web", spec, UPSTREAM);
    assert_string_equal(spread_over(q.plan, ZONE), "a:1 b:1");
    // An existing node in c that the pods could use does.
    PLAN r = plan_many(POOL NODE("n1", ZONE ": c, karpenter.sh/capacity-type: spot", "1"), 4,
                       "app: web", spec, NULL);
    assert_string_equal(spread_over(r.plan, ZONE), "a:1 b:1");
    // One that they could not use does not.
    PLAN s = plan_many(POOL NODE("n1", ZONE ": c", "1"), 4, "app: web", spec, NULL);
    assert_string_equal(spread_over(s.plan, ZONE), "a:2 b:2");
}

static uint32_t on_node(const struct plan *plan, const char *node)
{
    list_for_each (placement, &plan->placements)
        if (strcmp(placement->name, node) == 0)
            return placement->pods.count;
    return 0;
}

#define TWO_NODES                                                                              \
    POOL NODE("n1", ZONE ": a", "4") BOUND("o1", "n1", "app: web") NODE("n2", ZONE ": b", "4") \
        BOUND("o2", "n2", "app: web")

static void nodes_are_shared_once_each_has_a_pod_SCH_513(void **state)
{
    (void)state;
    PLAN p = plan_many(TWO_NODES, 3, "app: web", SPREAD(HOST, "") CPU("100m"), NULL);
    assert_int_equal(p.plan->claims.count, 0);
    assert_int_equal(on_node(p.plan, "n1") + on_node(p.plan, "n2"), 3);
    assert_true(on_node(p.plan, "n1") <= 2 && on_node(p.plan, "n2") <= 2);
    PLAN q = plan_many(TWO_NODES, 3, "app: web", SPREAD(HOST, "") CPU("100m"), UPSTREAM);
    assert_int_equal(q.plan->claims.count, 3);
    // A node without room counts all the same.
    PLAN r = plan_many(TWO_NODES NODE("n3", ZONE ": c", "10m"), 1, "app: web",
                       SPREAD(HOST, "") CPU("100m"), NULL);
    assert_int_equal(r.plan->claims.count, 1);
    // minDomains: with fewer nodes than that, the minimum is 0.
    PLAN s = plan_many(TWO_NODES, 1, "app: web", SPREAD(HOST, ", minDomains: 3") CPU("100m"), NULL);
    assert_int_equal(s.plan->claims.count, 1);
    // Where a shared node would exclude the others from new ones, no pods share.
    PLAN u =
        plan_many(POOL NODE("n1", ZONE ": a", "2") BOUND("o1", "n1", "app: web"), 6, "app: web",
                  "nodeSelector: {" ZONE ": a}, " SPREAD(HOST, "") CPU("900m"), NULL);
    assert_int_equal(u.plan->unschedulable.count, 0);
    // Planned nodes do not justify sharing.
    PLAN t = plan_many(POOL, 4, "app: web", SPREAD(HOST, "") CPU("100m"), NULL);
    assert_int_equal(t.plan->claims.count, 4);
}

// A new node for another pod is empty for the spread, and is filled first.
static void planned_nodes_count_for_the_minimum_SCH_513(void **state)
{
    (void)state;
    PLAN p = plan_yaml(TWO_NODES POD("w1", "app: web", SPREAD(HOST, "") CPU("1"))
                           POD("w2", "app: web", SPREAD(HOST, "") CPU("1"))
                               POD("late", "", "nodeSelector: {" ZONE ": c}, " CPU("100m")),
                       NULL);
    assert_int_equal(p.plan->unschedulable.count, 0);
    assert_int_equal(p.plan->claims.count, 1);
    assert_int_equal(p.plan->claims.items[0].pods.count, 2);
    assert_int_equal(on_node(p.plan, "n1") + on_node(p.plan, "n2"), 1);
}

// Once pods share a node, no new one may be empty for their spread until the others are bound.
static void no_empty_node_joins_shared_ones_SCH_513_544(void **state)
{
    (void)state;
#define PAIR                                                                                    \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " HOST                               \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}, {maxSkew: " \
    "1, topologyKey: karpenter.sh/capacity-type, whenUnsatisfiable: DoNotSchedule, "            \
    "labelSelector: {matchLabels: {app: web}}}], "
    PLAN p = plan_many(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p}, spec: "
        "{template: {spec: {nodeClassRef: {group: g, kind: C, name: c}, requirements: [{key: "
        "karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}}}}\n---\n" NODE(
            "n1", ZONE ": a, karpenter.sh/capacity-type: spot", "4"),
        5, "app: web", PAIR CPU("100m"), NULL);
    // New nodes first, as many as the capacity types' balance allows, then a second one on the old
    // node (SCH-510): once pods share a node, another new one would have to wait.
    assert_int_equal(on_node(p.plan, "n1"), 2);
    assert_int_equal(p.plan->claims.count, 2);
    assert_int_equal(p.plan->unschedulable.count, 1);
}

#define IN_A_AND_B                                                               \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "{nodeSelectorTerms: [{matchExpressions: [{key: " ZONE                       \
    ", operator: In, values: [a, b]}]}]}}}, "

static void groups_are_told_apart_exactly_SCH_518(void **state)
{
    (void)state;
    // Equal but for the value of the node selector: each counts its own zone only.
    struct text text = {0};
    text_add(&text, POOL);
    for (int i = 0; i < 6; i++)
        text_format(&text,
                    POD("p-%d", "app: web", "nodeSelector: {" ZONE ": %c}, " SPREAD(ZONE, "") BIG),
                    i, i, i < 2 ? 'a' : 'b');
    PLAN p = plan_yaml(text.data, NULL);
    text_free(&text);
    assert_string_equal(spread_over(p.plan, ZONE), "a:2 b:4");
    // Equal but for minDomains: of two zones, three are too many.
    PLAN q = plan_yaml(
        POOL NODE("n1", ZONE ": a", "1") BOUND("o1", "n1", "app: web") NODE("n2", ZONE ": b", "1")
            BOUND("o2", "n2", "app: web") POD("a1", "app: web", IN_A_AND_B SPREAD(ZONE, "") BIG)
                POD("b1", "app: web", IN_A_AND_B SPREAD(ZONE, ", minDomains: 3") BIG)
                    POD("a2", "app: web", IN_A_AND_B SPREAD(ZONE, "") BIG),
        NULL);
    assert_non_null(unplaced(q.plan, "b1"));
    assert_string_equal(spread_over(q.plan, ZONE), "a:1 b:1");
}

// One pod must match all terms.
static void terms_of_affinity_select_together_SCH_515(void **state)
{
    (void)state;
    const char *spec =
        AFFINITY("podAffinity", TERM(ZONE, "app: web") ", " TERM(ZONE, "tier: x")) BIG;
    PLAN p = plan_many(POOL NODE("n1", ZONE ": b", "1") BOUND("w", "n1", "app: web")
                           BOUND("x", "n1", "tier: x"),
                       1, "", spec, NULL);
    assert_int_equal(p.plan->unschedulable.count, 1);
    PLAN q = plan_many(POOL NODE("n1", ZONE ": b", "1") BOUND("w", "n1", "app: web, tier: x"), 1,
                       "", spec, NULL);
    assert_string_equal(claim_values(claim_of(q.plan, "p-0"), ZONE), "b");
}

// A Node counts only if it has the labels of all strict constraints.
static void constraints_look_at_complete_nodes_SCH_515(void **state)
{
    (void)state;
#define BOTH                                                                                   \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE                              \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}, "          \
    "{maxSkew: 9, topologyKey: karpenter.sh/capacity-type, whenUnsatisfiable: DoNotSchedule, " \
    "labelSelector: {matchLabels: {app: web}}}], "
    PLAN p = plan_many(POOL NODE("n1", ZONE ": d", "1"), 6, "app: web", BOTH BIG, NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:2 b:2 c:2");
    PLAN q = plan_many(POOL NODE("n1", ZONE ": d, karpenter.sh/capacity-type: spot", "1"), 6,
                       "app: web", BOTH BIG, NULL);
    assert_string_equal(spread_over(q.plan, ZONE), "a:1 b:1 c:1");
}

static void terminating_pods_are_still_there_SCH_515(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL NODE("n1", ZONE ": a", "4")
                           BOUND_WITH("going", "n1", "app: web",
                                      ", deletionTimestamp: '2026-01-01T00:00:00Z'", ""),
                       1, "app: other",
                       AFFINITY("podAntiAffinity", TERM(HOST, "app: web")) CPU("1"), NULL);
    assert_null(node_of(p.plan, "p-0"));
    PLAN q = plan_many(POOL NODE("n1", ZONE ": c", "1")
                           BOUND_WITH("going", "n1", "app: web",
                                      ", deletionTimestamp: '2026-01-01T00:00:00Z'", ""),
                       1, "app: web", AFFINITY("podAffinity", TERM(ZONE, "app: web")) BIG, NULL);
    assert_string_equal(claim_values(claim_of(q.plan, "p-0"), ZONE), "c");
}

// A node without the label is no domain: no pod shares it.
static void nodes_without_the_label_repel_nobody_SCH_515(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL NODE("n1", "rack: r1", "4") BOUND("w", "n1", "app: web"), 1, "app: web",
                       AFFINITY("podAntiAffinity", TERM(ZONE, "app: web")) CPU("1"), NULL);
    assert_string_equal(node_of(p.plan, "p-0"), "n1");
}

// Pods that count in a spread of others: with all in place it must still hold in any order of
// binding.
static void counted_pods_keep_spreads_of_others_SCH_516(void **state)
{
    (void)state;
    const char *pods = POOL POD("owner", "app: api", SPREAD(ZONE, "") CPU("15"))
        POD("w1", "app: web", BIG) POD("w2", "app: web", BIG) POD("w3", "app: web", BIG);
    PLAN p = plan_yaml(pods, NULL);
    assert_string_equal(claim_values(claim_of(p.plan, "owner"), ZONE), "a");
    assert_string_equal(claim_values(claim_of(p.plan, "w1"), ZONE), "a");
    assert_string_equal(spread_over(p.plan, ZONE), "a:2 b:2");
    PLAN q = plan_yaml(pods, UPSTREAM);
    assert_string_equal(claim_values(claim_of(q.plan, "w1"), ZONE), "-");
}

#define TWO_WEBS                                        \
    POD("owner", "app: api", SPREAD(HOST, "") CPU("2")) \
    POD("w1", "app: web", CPU("500m")) POD("w2", "app: web", CPU("400m"))

static void counted_pods_keep_spreads_over_nodes_SCH_516(void **state)
{
    (void)state;
    const char *pods = POOL NODE("n1", ZONE ": a", "4") NODE("n2", ZONE ": a", "4") TWO_WEBS;
    PLAN p = plan_yaml(pods, NULL);
    assert_string_equal(node_of(p.plan, "owner"), "n1");
    assert_string_equal(node_of(p.plan, "w1"), "n1");
    assert_string_equal(node_of(p.plan, "w2"), "n2");
    PLAN q = plan_yaml(pods, UPSTREAM);
    assert_string_equal(node_of(q.plan, "w2"), "n1");
    // It does not justify a new node: owner can be bound first.
    PLAN r = plan_yaml(POOL NODE("n1", ZONE ": a", "4") TWO_WEBS, NULL);
    assert_string_equal(node_of(r.plan, "w2"), "n1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exclusive_pods_get_a_zone_each_SCH_511),
        cmocka_unit_test(what_matters_to_nobody_stays_open_SCH_325_511),
        cmocka_unit_test(capacity_types_are_decided_like_zones_SCH_511),
        cmocka_unit_test(followers_find_their_target_in_the_same_pass_SCH_484_510_511),
        cmocka_unit_test(targets_go_first_SCH_510),
        cmocka_unit_test(pods_left_over_go_first_in_a_second_try_SCH_510),
        cmocka_unit_test(affinity_starts_in_one_domain_only_SCH_310_511),
        cmocka_unit_test(counted_pods_are_pinned_SCH_325_544),
        cmocka_unit_test(what_the_filter_reads_is_decided_SCH_544),
        cmocka_unit_test(zones_nobody_launches_in_hold_nobody_up_SCH_512),
        cmocka_unit_test(nodes_are_shared_once_each_has_a_pod_SCH_513),
        cmocka_unit_test(planned_nodes_count_for_the_minimum_SCH_513),
        cmocka_unit_test(no_empty_node_joins_shared_ones_SCH_513_544),
        cmocka_unit_test(groups_are_told_apart_exactly_SCH_518),
        cmocka_unit_test(terms_of_affinity_select_together_SCH_515),
        cmocka_unit_test(constraints_look_at_complete_nodes_SCH_515),
        cmocka_unit_test(terminating_pods_are_still_there_SCH_515),
        cmocka_unit_test(nodes_without_the_label_repel_nobody_SCH_515),
        cmocka_unit_test(counted_pods_keep_spreads_of_others_SCH_516),
        cmocka_unit_test(counted_pods_keep_spreads_over_nodes_SCH_516),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
