// Queue, relaxation and the cluster's default spread constraints, row by row: SCH-150 to SCH-175.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define HOST           "kubernetes.io/hostname"
#define UPSTREAM       "COMPATIBILITY: upstream"
#define ONE_NODE       POOL_OF("pool", "limits: {nodes: '1'}, ", "", "", "")
#define ZONE_IN(zones) REQUIRE(LABEL_OF_ZONE, "In", zones)
#define POD_AT(name, uid, created, spec)                               \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: " uid \
    ", creationTimestamp: '" created "'}, spec: {" spec "}}\n---\n"
#define SIZE(cpu, memory) \
    "containers: [{name: c, image: i, resources: {requests: {cpu: " cpu ", memory: " memory "}}}]"
#define PORT_80 "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]"
#define PORT_80_OF(cpu)                                                 \
    "containers: [{name: c, image: i, resources: {requests: {cpu: " cpu \
    "}}, ports: [{containerPort: 80, hostPort: 80}]}]"

static void the_queue_SCH_150_157(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-150: cpu first",
         ONE_NODE POD("a", "", PORT_80_OF("100m")) POD("b", "", PORT_80_OF("200m")), NULL, "b+ a!"},
        {"SCH-150: then memory",
         ONE_NODE POD("a", "", SIZE("1", "1Gi")) POD("b", "", SIZE("1", "31Gi")), NULL, "b+ a!"},
        {"SCH-150: then age, in whole seconds",
         ONE_NODE POD_AT("a", "u2", "2025-01-01T00:00:01Z", PORT_80)
             POD_AT("b", "u1", "2025-01-01T00:00:00Z", PORT_80),
         NULL, "b+ a!"},
        {"SCH-150: then UID, also within one second",
         ONE_NODE POD_AT("a", "u2", "2025-01-01T00:00:00.1Z", PORT_80)
             POD_AT("b", "u1", "2025-01-01T00:00:00.9Z", PORT_80),
         NULL, "b+ a!"},
        {"SCH-150: pods of deleting nodes stand in the same queue",
         ONE_NODE "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, deletionTimestamp: "
                  "'2026-01-01T00:00:00Z', finalizers: [f]}, status: {allocatable: {cpu: '4'}}}\n"
                  "---\n" BOUND_POD("a", "n1", "", PORT_80_OF("2")) POD("b", "", PORT_80_OF("1")),
         NULL, "a+ b!"},
        {"SCH-151, 152: three pods that depend on each other in turn, the wrong way round",
         POOL POD("a", "app: a",
                  "affinity: {podAffinity: "
                  "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " HOST
                  ", labelSelector: {matchLabels: {app: b}}}]}}, " CPU("3"))
             POD("b", "app: b",
                 "affinity: {podAffinity: "
                 "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " HOST
                 ", labelSelector: {matchLabels: {app: c}}}]}}, " CPU("2"))
                 POD("c", "app: c", CPU("1")),
         NULL, "#1 a=b b=c"},
        {"SCH-153: a round without progress ends it",
         POOL POD("a", "", CPU("99")) POD("b", "", CPU("98")) POD("c", "", CPU("97")), NULL,
         "#0 a! b! c!"},
        {"SCH-154: no pod moves for a later one",
         POOL POD("a", "", CPU("2"))
             POD("b", "", "nodeSelector: {kubernetes.io/arch: arm64}, " CPU("1500m")),
         UPSTREAM, "a=b a.types=arm"},
        {"SCH-155, 152: a failed pod comes back with all its wishes",
         POOL POD("a", "",
                  PREFERRED_TERMS(PREFERENCE("1", ZONE_IN("b")))
                      CPU("3") ", nodeSelector: {team: blue}") POD("b", "", CPU("1")),
         NULL, "a! b.zone=-", "a: label \"team\" does not have known values"},
    };
    CHECK_CASES(cases);
}

#define AND_PREFERRED(terms) "preferredDuringSchedulingIgnoredDuringExecution: [" terms "]"
#define TO_PODS(weight, key, app)                              \
    "{weight: " weight ", podAffinityTerm: {topologyKey: " key \
    ", labelSelector: {matchLabels: {app: " app "}}}}"
#define FULL_NODE(name, zone) NODE_OF(name, LABEL_OF_ZONE ": " zone, "0")
#define CONTAINER             "containers: [{name: c, image: i}]"
#define ANYWAY(key, skew)                                                           \
    "{maxSkew: " skew ", topologyKey: " key ", whenUnsatisfiable: ScheduleAnyway, " \
    "labelSelector: {matchLabels: {app: web}}}"
#define PREFER_TAINT "taints: [{key: t, effect: PreferNoSchedule}], "

static void steps_SCH_160_168(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-160 step 1: required terms fall from the first, never the last",
         POOL POD("a", "",
                  REQUIRED_TERMS(TERM_OF(ZONE_IN("x1")) ", " TERM_OF(ZONE_IN("b")) ", " TERM_OF(
                      ZONE_IN("c"))) CPU("1"))
             POD("b", "",
                 REQUIRED_TERMS(TERM_OF(ZONE_IN("x1")) ", " TERM_OF(ZONE_IN("x2"))) CPU("1")),
         UPSTREAM, "a.zone=b b!", "b: " LABEL_OF_ZONE " In [x2]"},
        {"SCH-160, 162: terms fall before wishes",
         POOL POD(
             "a",
             "",
             "affinity: {nodeAffinity: "
             "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" TERM_OF(ZONE_IN(
                 "a")) ", " TERM_OF(ZONE_IN("b")) "]}, " AND_PREFERRED(PREFERENCE("1",
                                                                                  ZONE_IN(
                                                                                      "b"))) "}},"
                                                                                             " " CPU(
                                                                                                 "1")),
         NULL, "a.zone=b"},
        {"SCH-160: affinity to pods falls before node affinity",
         POOL FULL_NODE("n1", "a") BOUND_POD("x", "n1", "app: db", CONTAINER) POD(
             "a", "",
             "affinity: {podAffinity: {" AND_PREFERRED(TO_PODS(
                 "1", LABEL_OF_ZONE,
                 "db")) "}, nodeAffinity: {" AND_PREFERRED(PREFERENCE("100",
                                                                      ZONE_IN(
                                                                          "b"))) "}}, " CPU("1")),
         UPSTREAM, "a.zone=b"},
        {"SCH-160: anti-affinity falls before node affinity",
         POOL FULL_NODE("n1", "b") BOUND_POD("x", "n1", "app: db", CONTAINER) POD(
             "a", "",
             "affinity: {podAntiAffinity: {" AND_PREFERRED(TO_PODS(
                 "100", LABEL_OF_ZONE,
                 "db")) "}, nodeAffinity: {" AND_PREFERRED(PREFERENCE("1",
                                                                      ZONE_IN(
                                                                          "b"))) "}}, " CPU("1")),
         UPSTREAM, "a.zone=b"},
        {"SCH-160: node affinity falls before a spread",
         POOL FULL_NODE("n1", "b") FULL_NODE("n2", "a") BOUND_POD("x", "n1", "app: web", CONTAINER)
             POD("a", "app: web",
                 "topologySpreadConstraints: [" ANYWAY(LABEL_OF_ZONE, "1") "], " PREFERRED_TERMS(
                     PREFERENCE("1", ZONE_IN("b"))) CPU("1")),
         UPSTREAM, "a.zone=a"},
        {"SCH-161: the heaviest falls first, of equals the first of the list",
         POOL POD(
             "a",
             "",
             PREFERRED_TERMS(
                 PREFERENCE("1", ZONE_IN("c")) ", " PREFERENCE("9", ZONE_IN("x1")) ", " PREFERENCE(
                     "5", ZONE_IN("b")) ", " PREFERENCE("5", ZONE_IN("a"))) CPU("1")),
         UPSTREAM, "a.zone=b"},
        {"SCH-161: of affinities to pods as well",
         POOL FULL_NODE("n1", "b") BOUND_POD("x", "n1", "app: db", CONTAINER)
             POD("a", "",
                 "affinity: {podAffinity: {" AND_PREFERRED(
                     TO_PODS("1", LABEL_OF_ZONE, "db") ", " TO_PODS("50", LABEL_OF_ZONE,
                                                                    "nobody")) "}}, " CPU("1")),
         UPSTREAM, "a.zone=b"},
        {"SCH-160 step 5, SCH-277: the last spread takes the place of the dropped one",
         POOL_REQUIRING(ZONE_IN("a")) FULL_NODE("n1", "b")
             BOUND_POD("y1", "n1", "app: other", CONTAINER)
                 POD("x", "app: web", "nodeSelector: {" LABEL_OF_ZONE ": a}, " CPU("9"))
                     POD("a", "app: web",
                         "topologySpreadConstraints: [" ANYWAY(LABEL_OF_ZONE, "1") ", " ANYWAY(
                             HOST, "1") "], " CPU("1")),
         UPSTREAM, "x/a a.zone=a"},
        {"SCH-163: after the last step there are no wishes at all",
         POOL_OF("pool", "", "", PREFER_TAINT, "")
             POD("a", "", PREFERRED_TERMS(PREFERENCE("1", ZONE_IN("b"))) CPU("1")),
         UPSTREAM, "a.zone=-"},
        {"SCH-165: the toleration is added only where some pool has such a taint",
         POOL
         "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, labels: {rack: r}}, spec: "
         "{taints: [{key: t, effect: PreferNoSchedule}]}, status: {allocatable: {cpu: '4', "
         "memory: 8Gi, pods: '9'}}}\n---\n" POD("a", "", "nodeSelector: {rack: r}, " CPU("1")),
         UPSTREAM, "a!"},
        {"SCH-165: with it, nodes are open too",
         POOL POOL_OF(
             "soft", "", "", PREFER_TAINT,
             "") "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, labels: {rack: r}}, "
                 "spec: "
                 "{taints: [{key: t, effect: PreferNoSchedule}]}, status: {allocatable: {cpu: '4', "
                 "memory: 8Gi, pods: '9'}}}\n---\n" POD("a", "",
                                                        "nodeSelector: {rack: r}, " CPU("1")),
         UPSTREAM, "a@n1"},
        {"SCH-165: a pool without types counts for it",
         POOL POOL_OF("none", "", "", PREFER_TAINT,
                      REQUIRE("kubernetes.io/arch", "In",
                              "mips")) "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, "
                                       "labels: {rack: r}}, spec: "
                                       "{taints: [{key: t, effect: PreferNoSchedule}]}, status: "
                                       "{allocatable: {cpu: '4', "
                                       "memory: 8Gi, pods: '9'}}}\n---\n" POD(
                                           "a", "", "nodeSelector: {rack: r}, " CPU("1")),
         UPSTREAM, "a@n1"},
        {"SCH-166: under Ignore the soft taint still gives way",
         POOL_OF("pool", "", "", PREFER_TAINT, "") POD("a", "", CPU("1")),
         "PREFERENCE_POLICY: Ignore", "a+"},
        {"SCH-167: a wish against a requirement is given up",
         POOL POD("a", "",
                  "nodeSelector: {" LABEL_OF_ZONE
                  ": a}, " PREFERRED_TERMS(PREFERENCE("1", ZONE_IN("b"))) CPU("1")),
         NULL, "a.zone=a"},
    };
    CHECK_CASES(cases);
}

#define CONFIG(constraints) \
    "SCHEDULER_CONFIG: '{podTopologySpread: {defaultConstraints: [" constraints "]}}'"
#define BY_HOST "{maxSkew: 1, topologyKey: " HOST ", whenUnsatisfiable: DoNotSchedule}"
#define BY_ZONE(more) \
    "{maxSkew: 1, topologyKey: " LABEL_OF_ZONE ", whenUnsatisfiable: DoNotSchedule" more "}"
#define SERVICE(name, selector) \
    "{apiVersion: v1, kind: Service, metadata: {name: " name "}, spec: {" selector "}}\n---\n"
#define OWNED_POD(name, labels, api, kind, owner, more, spec)                                    \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name ", labels: {" labels \
    "}, ownerReferences: [{apiVersion: " api ", kind: " kind ", name: " owner                    \
    ", uid: o-" owner more "}]}, spec: {" spec "}}\n---\n"
#define CONTROLLER ", controller: true"
#define WORKLOAD(api, kind, name, selector)                                              \
    "{apiVersion: " api ", kind: " kind ", metadata: {name: " name ", uid: o-" name      \
    "}, spec: {replicas: 0, selector: " selector                                         \
    ", template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: " \
    "i}]}}}}\n---\n"
#define SMALL CPU("100m")

static void default_constraints_SCH_170_175(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-170: not for pods with constraints of their own",
         SERVICE("s", "selector: {app: web}")
             POOL POD("a", "app: web",
                      "topologySpreadConstraints: [{maxSkew: 9, topologyKey: " HOST
                      ", whenUnsatisfiable: DoNotSchedule, labelSelector: {}}], " SMALL)
                 POD("b", "app: web",
                     "topologySpreadConstraints: [{maxSkew: 9, topologyKey: " HOST
                     ", whenUnsatisfiable: DoNotSchedule, labelSelector: {}}], " SMALL),
         CONFIG(BY_HOST), "a=b"},
        {"SCH-170: all defaults together, as configured",
         SERVICE("s", "selector: {app: web}") POOL_REQUIRING(ZONE_IN("a, b"))
             POD("a", "app: web", SMALL) POD("b", "app: web", SMALL) POD("c", "app: web", SMALL),
         CONFIG(BY_HOST ", " BY_ZONE(", minDomains: 3")), "#2 zones=a:1,b:1"},
        {"SCH-171: ScheduleAnyway relaxes",
         SERVICE("s", "selector: {app: web}") POOL_REQUIRING(ZONE_IN("a"))
             NODE_OF("n1", LABEL_OF_ZONE ": b", "0") POD("a", "app: web", CPU("9"))
                 POD("b", "app: web", CPU("9")),
         CONFIG("{maxSkew: 1, topologyKey: " LABEL_OF_ZONE ", whenUnsatisfiable: ScheduleAnyway}"),
         "a+ b+"},
        {"SCH-172: a Service without selector selects nothing, an empty one adds nothing",
         SERVICE("s1", "ports: []") SERVICE("s2", "selector: {}") POOL POD("a", "app: web", SMALL)
             POD("b", "app: web", SMALL),
         CONFIG(BY_HOST), "a=b"},
        {"SCH-172: another namespace's Service is not asked",
         "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: far}, spec: {selector: "
         "{app: web}}}\n---\n" POOL POD("a", "app: web", SMALL) POD("b", "app: web", SMALL),
         CONFIG(BY_HOST), "a=b"},
        {"SCH-172: the union of all Services that match",
         SERVICE("s1", "selector: {app: web}") SERVICE("s2", "selector: {tier: x}")
             POOL POD("a", "app: web, tier: x", CPU("200m")) POD("b", "app: web", SMALL)
                 POD("c", "app: web, tier: x", SMALL),
         CONFIG(BY_HOST), "a/b b=c"},
        {"SCH-172: a ReplicaSet's selector",
         WORKLOAD("apps/v1", "ReplicaSet", "r1", "{matchLabels: {app: web, rev: r1}}")
             POOL OWNED_POD("a", "app: web, rev: r1", "apps/v1", "ReplicaSet", "r1", CONTROLLER,
                            SMALL) OWNED_POD("b", "app: web, rev: r1", "apps/v1", "ReplicaSet",
                                             "r1", CONTROLLER, SMALL),
         CONFIG(BY_HOST), "a/b"},
        {"SCH-172: and a StatefulSet's, with expressions",
         WORKLOAD("apps/v1", "StatefulSet", "s1",
                  "{matchExpressions: [{key: app, operator: In, values: [web]}]}")
             POOL OWNED_POD("a", "app: web", "apps/v1", "StatefulSet", "s1", CONTROLLER, SMALL)
                 OWNED_POD("b", "app: web", "apps/v1", "StatefulSet", "s1", CONTROLLER, SMALL),
         CONFIG(BY_HOST), "a/b"},
        {"SCH-172: a ReplicationController's overwrites the Services'",
         "{apiVersion: v1, kind: ReplicationController, metadata: {name: rc, uid: o-rc}, spec: "
         "{selector: {app: web}}}\n---\n" POOL OWNED_POD(
             "a", "app: web", "v1", "ReplicationController", "rc", CONTROLLER, SMALL)
             OWNED_POD("b", "app: web", "v1", "ReplicationController", "rc", CONTROLLER, SMALL),
         CONFIG(BY_HOST), "a/b"},
        {"SCH-172: an owner that does not control, another kind, a missing owner",
         WORKLOAD("apps/v1", "ReplicaSet", "r1", "{matchLabels: {app: web}}")
             POOL OWNED_POD("a", "app: web", "apps/v1", "ReplicaSet", "r1", "", SMALL)
                 OWNED_POD("b", "app: web", "batch/v1", "Job", "r1", CONTROLLER, SMALL)
                     OWNED_POD("c", "app: web", "apps/v1", "ReplicaSet", "gone", CONTROLLER, SMALL),
         CONFIG(BY_HOST), "a=b b=c"},
        {"SCH-172: a contradiction of Service and owner selects nothing",
         SERVICE("s1", "selector: {app: web}")
             WORKLOAD("apps/v1", "ReplicaSet", "r1", "{matchLabels: {app: other}}")
                 POOL OWNED_POD("a", "app: web", "apps/v1", "ReplicaSet", "r1", CONTROLLER, SMALL)
                     OWNED_POD("b", "app: web", "apps/v1", "ReplicaSet", "r1", CONTROLLER, SMALL),
         CONFIG(BY_HOST), "a=b"},
        {"SCH-173: each revision of a Deployment spreads on its own",
         WORKLOAD("apps/v1", "ReplicaSet", "r1", "{matchLabels: {rev: r1}}")
             WORKLOAD("apps/v1", "ReplicaSet", "r2", "{matchLabels: {rev: r2}}")
                 POOL OWNED_POD("a", "rev: r1", "apps/v1", "ReplicaSet", "r1", CONTROLLER, SMALL)
                     OWNED_POD("b", "rev: r2", "apps/v1", "ReplicaSet", "r2", CONTROLLER, SMALL),
         CONFIG(BY_HOST), "a=b"},
        {"SCH-175: nothing configured, nothing spreads",
         SERVICE("s", "selector: {app: web}") POOL POD("a", "app: web", SMALL)
             POD("b", "app: web", SMALL),
         NULL, "a=b"},
        {"SCH-411: placeholder pods too, by their Services",
         SERVICE("s", "selector: {app: web}") POOL
         "{apiVersion: v1, kind: PodTemplate, metadata: {name: t}, template: {metadata: "
         "{labels: {app: web}}, spec: {" SMALL "}}}\n---\n"
         "{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: "
         "buf}, spec: {podTemplateRef: {name: t}, replicas: 2}}\n---\n",
         CONFIG(BY_HOST) ", FEATURE_GATES: CapacityBuffer=true",
         "capacity-buffer-buf-1/capacity-buffer-buf-2"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_SCH_150_157),
        cmocka_unit_test(steps_SCH_160_168),
        cmocka_unit_test(default_constraints_SCH_170_175),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
