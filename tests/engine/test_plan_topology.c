// Rules between pods (SCH-270 to SCH-329, 480 to 485).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/plan_fixture.h"

#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"
#define SPREAD(key, skew, more)                                         \
    "topologySpreadConstraints: [{maxSkew: " skew ", topologyKey: " key \
    ", whenUnsatisfiable: DoNotSchedule, "                              \
    "labelSelector: {matchLabels: {app: web}}" more "}], "
#define ANYWAY(key, skew)                                               \
    "topologySpreadConstraints: [{maxSkew: " skew ", topologyKey: " key \
    ", whenUnsatisfiable: ScheduleAnyway, "                             \
    "labelSelector: {matchLabels: {app: web}}}], "
#define TERM(key, label) "{topologyKey: " key ", labelSelector: {matchLabels: {app: " label "}}}"
#define AFFINITY(kind, key, label) \
    "affinity: {" kind             \
    ": {requiredDuringSchedulingIgnoredDuringExecution: [" TERM(key, label) "]}}, "
#define POOL_ZONES(zones)                                                                        \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p}, spec: "       \
    "{template: {spec: {nodeClassRef: "                                                          \
    "{group: g, kind: C, name: c}, requirements: [{key: topology.kubernetes.io/zone, operator: " \
    "In, values: [" zones "]}]}}}}\n---\n"
#define NODE(name, zone)                                  \
    "{apiVersion: v1, kind: Node, metadata: {name: " name \
    ", labels: {kubernetes.io/hostname: " name ", "       \
    "topology.kubernetes.io/zone: " zone                  \
    "}}, status: {allocatable: {cpu: 100m, memory: 1Gi, pods: '9'}}}\n---\n"
#define BOUND(name, node, labels, spec)                                                          \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name ", labels: {" labels \
    "}}, spec: "                                                                                 \
    "{nodeName: " node ", " spec                                                                 \
    "containers: [{name: c, image: i}]}, status: {phase: Running}}\n---\n"
#define BIG CPU("9") // two do not share a node

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

static void zones_fill_evenly_SCH_306_480(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL, 4, "app: web", SPREAD(ZONE, "1", "") BIG, NULL);
    // Ties go to the cheapest launch, then by name: a and b have spot.
    assert_string_equal(spread_over(p.plan, ZONE), "a:2 b:1 c:1");
    PLAN q = plan_many(POOL_ZONES("a, b") NODE("n1", "c") BOUND("old", "n1", "app: web", ""), 6,
                       "app: web", SPREAD(ZONE, "1", "") BIG, NULL);
    assert_string_equal(spread_over(q.plan, ZONE), "a:2 b:2");
    assert_int_equal(q.plan->unschedulable.count, 2);
    assert_int_equal(q.plan->unschedulable.items[0]
                         .reasons.items[q.plan->unschedulable.items[0].reasons.count - 1]
                         .code,
                     REASON_TOPOLOGY_SPREAD);
}

static void own_affinity_decides_the_minimum_SCH_303_480(void **state)
{
    (void)state;
    PLAN p =
        plan_many(POOL, 10, "app: web",
                  SPREAD(ZONE, "1",
                         "") "affinity: {nodeAffinity: "
                             "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                             "[{matchExpressions: [{key: topology.kubernetes.io/zone, operator: "
                             "In, values: [a, b]}]}]}}}, " BIG,
                  NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:5 b:5");
    PLAN q = plan_many(
        POOL, 6, "app: web",
        SPREAD(ZONE, "1",
               "") "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                   "[{weight: 1, preference: "
                   "{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: "
                   "[a, b]}]}}]}}, " BIG,
        NULL);
    assert_string_equal(spread_over(q.plan, ZONE), "a:2 b:2 c:2");
}

static void min_domains_SCH_303_480(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL_ZONES("a, b"), 3, "app: web", SPREAD(ZONE, "1", ", minDomains: 3") BIG,
                       NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:1 b:1");
    assert_int_equal(p.plan->unschedulable.count, 1);
    PLAN q = plan_many(POOL, 11, "app: web", SPREAD(ZONE, "1", ", minDomains: 2") BIG, NULL);
    assert_string_equal(spread_over(q.plan, ZONE), "a:4 b:4 c:3");
}

static void unknown_keys_have_no_domains_SCH_306_480(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL, 2, "app: web", SPREAD("rack", "1", "") BIG, NULL);
    assert_int_equal(p.plan->unschedulable.count, 2);
    assert_non_null(strstr(p.plan->unschedulable.items[0].message,
                           "unsatisfiable topology constraint for topology spread, key=rack "
                           "(counts = , podDomains = rack Exists, nodeDomains = rack Exists"));
    // An old key replaces the new one (SCH-298).
    PLAN q = plan_many(POOL, 3, "app: web",
                       SPREAD("failure-domain.beta.kubernetes.io/zone", "1", "") BIG, NULL);
    assert_string_equal(spread_over(q.plan, ZONE), "a:1 b:1 c:1");
}

static void a_nil_selector_counts_nobody_SCH_280_480(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL NODE("n1", "a") BOUND("x", "n1", "app: web", "")
                           BOUND("x2", "n1", "app: web", ""),
                       2, "app: web",
                       "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE
                       ", whenUnsatisfiable: DoNotSchedule}], " CPU("1"),
                       NULL);
    assert_int_equal(p.plan->claims.count, 1);
}

static void schedule_anyway_gives_way_SCH_160_171(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL_ZONES("a") NODE("n1", "b"), 3, "app: web", ANYWAY(ZONE, "1") BIG, NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:3");
    PLAN q =
        plan_many(POOL, 3, "app: web", ANYWAY(HOST, "1") CPU("1"), "PREFERENCE_POLICY: Ignore");
    assert_int_equal(q.plan->claims.count, 1);
}

static void hostname_spread_opens_nodes_SCH_305_481(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL, 4, "app: web", SPREAD(HOST, "1", "") CPU("100m"), NULL);
    assert_int_equal(p.plan->claims.count, 4);
    PLAN q = plan_many(POOL, 4, "app: web", SPREAD(HOST, "4", "") CPU("100m"), NULL);
    assert_int_equal(q.plan->claims.count, 1);
}

static void capacity_type_spread_SCH_328_482(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL, 4, "app: web", SPREAD("karpenter.sh/capacity-type", "1", "") CPU("15"),
                       NULL);
    assert_string_equal(spread_over(p.plan, "karpenter.sh/capacity-type"), "on-demand:2 spot:2");
}

static void types_without_room_pass_the_choice_on_SCH_329(void **state)
{
    (void)state;
    // arm64 is the emptier domain, but no arm type carries 9 cpu.
    PLAN p = plan_many(POOL NODE("n1", "a"), 1, "app: web",
                       "topologySpreadConstraints: [{maxSkew: 5, topologyKey: kubernetes.io/arch, "
                       "whenUnsatisfiable: DoNotSchedule, labelSelector: "
                       "{matchLabels: {app: web}}}], " BIG,
                       NULL);
    assert_string_equal(spread_over(p.plan, "kubernetes.io/arch"), "amd64:1");
}

static void match_label_keys_split_the_count_SCH_276(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL POD("a", "app: web, rev: '1'",
                 SPREAD(HOST, "1", ", matchLabelKeys: [rev]") CPU("100m"))
            POD("b", "app: web, rev: '2'", SPREAD(HOST, "1", ", matchLabelKeys: [rev]") CPU("100m"))
                POD("c", "app: web, rev: '2'",
                    SPREAD(HOST, "1", ", matchLabelKeys: [rev]") CPU("100m")),
        NULL);
    assert_int_equal(p.plan->claims.count, 2);
}

static void taints_policy_decides_which_domains_count_SCH_288_483(void **state)
{
    (void)state;
#define TWO_POOLS                                                                           \
    POOL_ZONES("a")                                                                         \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: other, uid: o}, spec: " \
    "{template: {spec: {nodeClassRef: "                                                     \
    "{group: g, kind: C, name: c}, taints: [{key: t, effect: NoSchedule}], requirements: "  \
    "[{key: " ZONE ", operator: In, values: [b]}]}}}}\n---\n"
    PLAN p = plan_many(TWO_POOLS, 3, "app: web", SPREAD(ZONE, "1", "") BIG, NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:1"); // b counts as an empty domain
    PLAN q = plan_many(TWO_POOLS, 3, "app: web", SPREAD(ZONE, "1", ", nodeTaintsPolicy: Honor") BIG,
                       NULL);
    assert_string_equal(spread_over(q.plan, ZONE), "a:3");
}

// PreferNoSchedule does not restrict kube-scheduler: the pool's domain counts (SCH-291).
static void soft_taints_do_not_hide_domains_SCH_288_291(void **state)
{
    (void)state;
    PLAN p = plan_many(
        POOL_ZONES(
            "a") "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: other, uid: o}, "
                 "spec: "
                 "{template: {spec: {nodeClassRef: {group: g, kind: C, name: c}, taints: [{key: t, "
                 "effect: PreferNoSchedule}], requirements: [{key: " ZONE
                 ", operator: In, values: [b]}]}}}}\n---\n",
        4, "app: web", SPREAD(ZONE, "1", ", nodeTaintsPolicy: Honor") BIG, NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:2 b:2");
}

static void self_affinity_keeps_together_SCH_309_311_484(void **state)
{
    (void)state;
    PLAN p = plan_many(POOL, 4, "app: web", AFFINITY("podAffinity", ZONE, "web") BIG, NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:4"); // one domain: the cheapest
    PLAN q = plan_many(POOL, 3, "app: web", AFFINITY("podAffinity", HOST, "web") CPU("1"), NULL);
    assert_int_equal(q.plan->claims.count, 1);
    PLAN r = plan_many(POOL, 2, "app: web", AFFINITY("podAffinity", HOST, "web") BIG, NULL);
    assert_int_equal(r.plan->unschedulable.count, 1);
    assert_int_equal(r.plan->unschedulable.items[0].reasons.items[0].code, REASON_POD_AFFINITY);
}

static void affinity_waits_for_its_target_SCH_312_484(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL POD("follower", "app: f", AFFINITY("podAffinity", ZONE, "leader") CPU("9"))
                      POD("leader", "app: leader", "nodeSelector: {" ZONE ": c}, " CPU("1")),
                  NULL);
    assert_string_equal(claim_values(claim_of(p.plan, "follower"), ZONE), "c");
    PLAN q =
        plan_yaml(POOL POD("follower", "app: f", AFFINITY("podAffinity", ZONE, "leader") CPU("9"))
                      POD("leader", "app: leader", CPU("15")),
                  "COMPATIBILITY: upstream");
    assert_non_null(unplaced(q.plan, "follower")); // the leader's zone is open
    PLAN r = plan_yaml(POOL NODE("n1", "b") BOUND("leader", "n1", "app: leader", "")
                           POD("f", "", AFFINITY("podAffinity", ZONE, "leader") CPU("1")),
                       NULL);
    assert_string_equal(claim_values(claim_of(r.plan, "f"), ZONE), "b");
}

static void anti_affinity_keeps_apart_SCH_313_325_485(void **state)
{
    (void)state;
    PLAN p =
        plan_many(POOL, 3, "app: web", AFFINITY("podAntiAffinity", HOST, "web") CPU("100m"), NULL);
    assert_int_equal(p.plan->claims.count, 3);
    PLAN q = plan_many(POOL, 3, "app: web", AFFINITY("podAntiAffinity", ZONE, "web") CPU("100m"),
                       "COMPATIBILITY: upstream");
    assert_int_equal(q.plan->claims.count, 1); // the first occupies all zones until it has launched
    assert_int_equal(q.plan->unschedulable.count, 2);
}

static void others_anti_affinity_repels_SCH_278_315_317(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL NODE("n1", "a") BOUND("guard", "n1", "app: guard",
                                                  AFFINITY("podAntiAffinity", ZONE, "web"))
                           POD("a", "app: web", CPU("1")),
                       NULL);
    assert_string_equal(claim_values(claim_of(p.plan, "a"), ZONE), "b,c");
    // Within a pass: the large pod goes first and pins its zone.
    PLAN q =
        plan_yaml(POOL POD("guard", "app: guard",
                           "nodeSelector: {" ZONE ": a}, " AFFINITY("podAntiAffinity", ZONE, "web")
                               CPU("2")) POD("a", "app: web", CPU("1")),
                  NULL);
    assert_string_equal(claim_values(claim_of(q.plan, "a"), ZONE), "b,c");
}

static void preferred_terms_never_leave_a_pod_pending_SCH_166_485(void **state)
{
    (void)state;
#define PREFERRED                                                                                  \
    "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, " \
    "podAffinityTerm: " TERM(ZONE, "web") "}, {weight: 1, podAffinityTerm: " TERM(HOST,            \
                                                                                  "web") "}]}}, "
    PLAN p = plan_many(POOL, 5, "app: web", PREFERRED CPU("1"), NULL);
    assert_int_equal(p.plan->unschedulable.count, 0);
    assert_int_equal(p.plan->claims.count, 5); // the lighter preference is kept
    PLAN q = plan_many(POOL, 5, "app: web", PREFERRED CPU("1"), "PREFERENCE_POLICY: Ignore");
    assert_int_equal(q.plan->claims.count, 1);
}

static void namespaces_of_terms_SCH_273(void **state)
{
    (void)state;
#define NAMESPACED(term)                                                        \
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "[{topologyKey: " ZONE ", labelSelector: "                                  \
    "{matchLabels: {app: leader}}" term "}]}}, "
#define ELSEWHERE                                                                            \
    "{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {team: "              \
    "blue}}}\n---\n{apiVersion: v1, kind: Pod, metadata: "                                   \
    "{name: leader, namespace: other, uid: l, labels: {app: leader}}, spec: {nodeName: n1, " \
    "containers: [{name: c, image: i}]}, status: {phase: Running}}\n---\n"
    PLAN p = plan_yaml(
        POOL NODE("n1", "c") ELSEWHERE POD("own", "", NAMESPACED("") CPU("1"))
            POD("listed", "", NAMESPACED(", namespaces: [other]") CPU("1"))
                POD("selected", "",
                    NAMESPACED(", namespaceSelector: {matchLabels: {team: blue}}") CPU("1"))
                    POD("all", "", NAMESPACED(", namespaceSelector: {}") CPU("1"))
                        POD("none", "",
                            NAMESPACED(", namespaceSelector: {matchLabels: {team: red}}") CPU("1")),
        NULL);
    assert_non_null(unplaced(p.plan, "own"));
    assert_non_null(unplaced(p.plan, "none"));
    assert_string_equal(claim_values(claim_of(p.plan, "listed"), ZONE), "c");
    assert_string_equal(claim_values(claim_of(p.plan, "selected"), ZONE), "c");
    assert_string_equal(claim_values(claim_of(p.plan, "all"), ZONE), "c");
}

static void groups_of_one_key_are_solved_together_SCH_301(void **state)
{
    (void)state;
    // One spread prefers a (no web there), the other forbids it.
    PLAN p = plan_yaml(POOL NODE("n1", "a") BOUND("x", "n1", "tier: x", "") NODE("m1", "b")
                           BOUND("w", "m1", "app: web", "")
                               POD("a", "app: web, tier: x",
                                   "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE
                                   ", whenUnsatisfiable: DoNotSchedule, labelSelector: "
                                   "{matchLabels: {app: web}}}, {maxSkew: 1, topologyKey: " ZONE
                                   ", whenUnsatisfiable: DoNotSchedule, labelSelector: "
                                   "{matchLabels: {tier: x}}}], " CPU("1")),
                       NULL);
    assert_string_equal(claim_values(claim_of(p.plan, "a"), ZONE), "c");
}

static void terminal_and_terminating_pods_do_not_count_SCH_289(void **state)
{
    (void)state;
    PLAN p = plan_many(
        POOL NODE("n1",
                  "a") "{apiVersion: v1, kind: Pod, metadata: {name: done, uid: d, labels: {app: "
                       "web}}, spec: {nodeName: n1, containers: "
                       "[{name: c, image: i}]}, status: {phase: Succeeded}}\n---\n{apiVersion: v1, "
                       "kind: Pod, metadata: {name: going, uid: g, labels: {app: web}, "
                       "deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {nodeName: n1, "
                       "containers: [{name: c, image: i}]}, status: {phase: Running}}\n---\n",
        1, "app: web", SPREAD(ZONE, "1", "") BIG, NULL);
    assert_string_equal(spread_over(p.plan, ZONE), "a:1");
}

static void default_constraints_need_a_selector_SCH_170_173(void **state)
{
    (void)state;
#define DEFAULTS                                                                                   \
    "SCHEDULER_CONFIG: '{podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: " HOST \
    ", whenUnsatisfiable: DoNotSchedule}]}}'"
    PLAN p = plan_many(POOL, 3, "app: web", CPU("100m"), DEFAULTS);
    assert_int_equal(p.plan->claims.count, 1); // pods without an owner
    PLAN q = plan_many(
        POOL
        "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: web}}}\n---\n",
        3, "app: web", CPU("100m"), DEFAULTS);
    assert_int_equal(q.plan->claims.count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_fill_evenly_SCH_306_480),
        cmocka_unit_test(own_affinity_decides_the_minimum_SCH_303_480),
        cmocka_unit_test(min_domains_SCH_303_480),
        cmocka_unit_test(unknown_keys_have_no_domains_SCH_306_480),
        cmocka_unit_test(a_nil_selector_counts_nobody_SCH_280_480),
        cmocka_unit_test(schedule_anyway_gives_way_SCH_160_171),
        cmocka_unit_test(hostname_spread_opens_nodes_SCH_305_481),
        cmocka_unit_test(capacity_type_spread_SCH_328_482),
        cmocka_unit_test(types_without_room_pass_the_choice_on_SCH_329),
        cmocka_unit_test(match_label_keys_split_the_count_SCH_276),
        cmocka_unit_test(taints_policy_decides_which_domains_count_SCH_288_483),
        cmocka_unit_test(soft_taints_do_not_hide_domains_SCH_288_291),
        cmocka_unit_test(self_affinity_keeps_together_SCH_309_311_484),
        cmocka_unit_test(affinity_waits_for_its_target_SCH_312_484),
        cmocka_unit_test(anti_affinity_keeps_apart_SCH_313_325_485),
        cmocka_unit_test(others_anti_affinity_repels_SCH_278_315_317),
        cmocka_unit_test(preferred_terms_never_leave_a_pod_pending_SCH_166_485),
        cmocka_unit_test(namespaces_of_terms_SCH_273),
        cmocka_unit_test(groups_of_one_key_are_solved_together_SCH_301),
        cmocka_unit_test(terminal_and_terminating_pods_do_not_count_SCH_289),
        cmocka_unit_test(default_constraints_need_a_selector_SCH_170_173),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
