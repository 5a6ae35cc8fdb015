// Zones left to pending pods (SCH-398).
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
#define PENDING(name, label, spec)                                                              \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: uid-" name \
    ", labels: {app: " label "}}, spec: {" spec CPU("100m") "}, status: {phase: Pending}}\n---\n"
#define WANTS(operator, values)                                                  \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "{nodeSelectorTerms: [{matchExpressions: [{key: " ZONE ", operator: "        \
    operator", values: [" values "]}]}]}}}, "
#define TERM(label)                                                        \
    "requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " ZONE \
    ", labelSelector: {matchLabels: {app: " label "}}}]"
#define NEAR(label) "affinity: {podAffinity: {" TERM(label) "}}, "
#define AWAY(label) "affinity: {podAntiAffinity: {" TERM(label) "}}, "
#define SPREAD(label)                                             \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " ZONE \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: " label "}}}], "
#define BOUND(name, label, zone)                                                       \
    "{apiVersion: v1, kind: Node, metadata: {name: node-" name                         \
    ", labels: {kubernetes.io/hostname: node-" name ", " ZONE ": " zone                \
    "}}, status: {allocatable: {cpu: 50m, memory: 1Gi, pods: '9'}}}\n---\n"            \
    "{apiVersion: v1, kind: Pod, metadata: {name: bound-" name                         \
    ", namespace: default, uid: uid-bound-" name ", labels: {app: " label "}}, spec: " \
    "{nodeName: node-" name                                                            \
    ", containers: [{name: c, image: i}]}, status: {phase: Running}}\n---\n"
#define VOLUME(name, zones)                                                                       \
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-" name                          \
    "}, spec: {csi: {driver: d, volumeHandle: h}, nodeAffinity: {required: {nodeSelectorTerms: [" \
    "{matchExpressions: [{key: " ZONE ", operator: In, values: [" zones "]}]}]}}}}\n---\n"        \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name                        \
    ", namespace: default, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: "        \
    "{volumeName: pv-" name "}}\n---\n"
#define USES(claim) "volumes: [{name: v, persistentVolumeClaim: {claimName: " claim "}}], "

// "a:1 flexible:2".
static void expect(const char *documents, const char *settings, const char *expected)
{
    const struct plan_options options = {.zones = true}, plain = {0};
    PLAN counted = plan_yaml_with(documents, settings, &options);
    PLAN other = plan_yaml_with(documents, settings, &plain);
    struct text told = {0};
    list_for_each (zone, &counted.plan->zones)
        text_format(&told, "%s%s:%u", told.length > 0 ? " " : "", zone->zone, zone->pods);
    assert_string_equal(told.data != NULL ? told.data : "", expected);
    text_free(&told);
    char *one = plan_json(counted.plan), *two = plan_json(other.plan);
    assert_string_equal(one, two); // counting decides nothing
    assert_int_equal(other.plan->zones.count, 0);
    free(one);
    free(two);
}

static void own_requirements_come_first_SCH_398(void **state)
{
    (void)state;
    expect(POOL PENDING("one", "x", WANTS("In", "a")) PENDING("two", "x", WANTS("In", "'a', b"))
               PENDING("free", "x", "") PENDING("not", "x", WANTS("NotIn", "a"))
                   PENDING("selector", "x", "nodeSelector: {" ZONE ": c}, "),
           NULL, "a:1 c:1 flexible:3");
}

static void volumes_narrow_what_is_left_SCH_398(void **state)
{
    (void)state;
    expect(VOLUME("va", "a") VOLUME("vab", "a, b") POOL PENDING("one", "x", USES("va"))
               PENDING("two", "x", USES("vab"))
                   PENDING("both", "x", WANTS("In", "b, c") USES("vab"))
                       PENDING("never", "x", WANTS("In", "c") USES("va")),
           NULL, "a:1 b:1 flexible:1 none:1");
}

static void rules_between_pods_narrow_it_too_SCH_398(void **state)
{
    (void)state;
    const char *better = BOUND("a", "db", "a") BOUND("b", "web", "b")
        POOL PENDING("near", "x", NEAR("db")) PENDING("away", "x", AWAY("db"))
            PENDING("nobody", "x", NEAR("missing")) PENDING("spread", "web", SPREAD("web"))
                PENDING("clash", "x", "nodeSelector: {" ZONE ": b}, " NEAR("none"))
                    PENDING("own", "own", NEAR("own"));
    // near a; away from a: b and c; the spread: a and c; with itself: anywhere.
    expect(better, NULL, "a:1 flexible:3 none:2");
    expect(BOUND("a", "web", "a") BOUND("b", "web", "b")
               POOL PENDING("spread", "web", SPREAD("web")),
           NULL, "c:1");
    // A requirement that the rule does not allow.
    expect(BOUND("a", "db", "a") POOL
           "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: u}, spec: "
           "{nodeSelector: {" ZONE ": a}, " AWAY("db")
               CPU("1") "}, status: {phase: Pending}}\n---\n",
           NULL, "none:1");
}

// SCH-310: upstream lets a pod start anew in any allowed domain; kube-scheduler only without any
// matching pod.
static void a_pod_of_its_own_kind_starts_where_it_may_SCH_398(void **state)
{
    (void)state;
    const char *world = BOUND("a", "own", "a") POOL
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: u, labels: {app: "
        "own}}, spec: {nodeSelector: {" ZONE ": b}, " NEAR("own") CPU("1") "}, status: {phase: "
                                                                           "Pending}}\n---\n";
    expect(world, NULL, "none:1");
    expect(world, "COMPATIBILITY: upstream", "b:1");
}

static void only_pending_pods_count_SCH_398_412(void **state)
{
    (void)state;
    expect(
        POOL
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: u}, spec: {" CPU(
            "1") "}}\n---\n",
        NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_requirements_come_first_SCH_398),
        cmocka_unit_test(volumes_narrow_what_is_left_SCH_398),
        cmocka_unit_test(rules_between_pods_narrow_it_too_SCH_398),
        cmocka_unit_test(a_pod_of_its_own_kind_starts_where_it_may_SCH_398),
        cmocka_unit_test(only_pending_pods_count_SCH_398_412),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
