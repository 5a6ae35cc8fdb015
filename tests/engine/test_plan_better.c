// Improvements on upstream for pods' terms, preferences, labels and filters (SCH-508 to SCH-515,
// SCH-353).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define ZONE_IN(values)   REQUIRE(LABEL_OF_ZONE, "In", values)
#define ZONE_TERM(values) TERM_OF(ZONE_IN(values))
#define TYPE_TERM(values) TERM_OF(REQUIRE("node.kubernetes.io/instance-type", "In", values))
#define UPSTREAM          "COMPATIBILITY: upstream"
#define IN_ZONE(zone)     "nodeSelector: {" LABEL_OF_ZONE ": " zone "}, "
#define TAINTED_NODE(name, cpu, taint)                                                      \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", uid: n-" name                  \
    ", labels: {kubernetes.io/hostname: " name "}}, spec: {taints: [" taint "]}, status: {" \
    "capacity: {cpu: '" cpu "', memory: 8Gi, pods: '20'}, allocatable: {cpu: '" cpu         \
    "', memory: 8Gi, pods: '20'}}}\n---\n"
#define SOFT_TAINT "{key: old, effect: PreferNoSchedule}"

static void terms_at_once_SCH_508(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-508: a later term fits an existing node",
         POOL NODE_OF("n1", LABEL_OF_ZONE ": c", "4")
             POD("a", "", REQUIRED_TERMS(ZONE_TERM("a") ", " ZONE_TERM("c")) CPU("1")),
         NULL, "a@n1"},
        {"SCH-508: a later term is the cheaper one",
         POOL POD("a", "", REQUIRED_TERMS(TYPE_TERM("gpu") ", " TYPE_TERM("small")) CPU("1")), NULL,
         "a.types=small,gpu"},
        {"SCH-508: upstream takes the first",
         POOL POD("a", "", REQUIRED_TERMS(TYPE_TERM("gpu") ", " TYPE_TERM("small")) CPU("1")),
         UPSTREAM, "a.types=gpu"},
        {"SCH-508: terms that differ in one key are one",
         POOL POD("a", "", REQUIRED_TERMS(ZONE_TERM("a") ", " ZONE_TERM("b")) CPU("1")), NULL,
         "a.zone=a,b"},
        {"SCH-508: the terms still possible stay with the claim",
         POOL POD("a", "",
                  REQUIRED_TERMS(TYPE_TERM("medium") ", " TERM_OF(
                      REQUIRE("kubernetes.io/arch", "In", "arm64"))) CPU("2"))
             POD("b", "", "nodeSelector: {kubernetes.io/arch: arm64}, " CPU("1")),
         NULL, "#1 a=b a.types=arm"},
        {"SCH-508: a term that the node selector excludes does not count",
         POOL POD("a", "",
                  IN_ZONE("b") REQUIRED_TERMS(ZONE_TERM("a") ", " ZONE_TERM("b")) CPU("1")),
         NULL, "a.zone=b"},
        {"SCH-103, 508: an empty term selects nothing, the other one holds",
         POOL POD("a", "", REQUIRED_TERMS("{matchExpressions: []}, " ZONE_TERM("b")) CPU("1")),
         NULL, "a.zone=b"},
        {"SCH-508: a preference falls, not the first term",
         POOL POD("a", "",
                  "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                  "{nodeSelectorTerms: [" TYPE_TERM("small") ", " TYPE_TERM(
                      "nothing") "]}, "
                                 "preferredDuringSchedulingIgnoredDuringExecution: [" PREFERENCE(
                                     "1", ZONE_IN("nowhere")) "]}}, " CPU("1")),
         NULL, "a.types=small"},
        {"SCH-104: a contradiction selects no node, not even one without the label",
         POOL NODE_OF("n1", "", "4")
             POD("a", "", IN_ZONE("b") REQUIRED_TERMS(ZONE_TERM("a")) CPU("1")),
         NULL, "a!", "a: incompatible requirements"},
    };
    CHECK_CASES(cases);
}

#define ARCH(values) REQUIRE("kubernetes.io/arch", "In", values)
#define CAPACITY_4   "cpu: '4', memory: 8Gi, pods: '20'"
#define SPREAD_OVER(key, labels)                                                            \
    "{maxSkew: 1, topologyKey: " key ", whenUnsatisfiable: DoNotSchedule, labelSelector: {" \
    "matchLabels: {" labels "}}}"
#define SPREADS(list) "topologySpreadConstraints: [" list "], "

static void ties_go_to_the_cheapest_launch_SCH_306(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-306: types that the pod excludes do not make a zone cheap",
         CATALOG_OF(TYPE_OF("x1", ARCH("amd64"), CAPACITY_4,
                            OFFER("a", "on-demand", "0.01",
                                  "")) ", " TYPE_OF("x2", ARCH("arm64"), CAPACITY_4,
                                                    OFFER("a", "on-demand", "2.3", "") ", " OFFER(
                                                        "b", "on-demand", "0.1", "")))
             POOL POD("a", "app: web",
                      "nodeSelector: {kubernetes.io/arch: arm64}, " SPREADS(
                          SPREAD_OVER(LABEL_OF_ZONE, "app: web")) CPU("1")),
         NULL, "a.zone=b total=0.1", .bare = true},
        {"SCH-306: by several keys at once",
         CATALOG_OF(TYPE_OF(
             "x1", "", CAPACITY_4,
             OFFER("a", "spot", "0.1", "") ", " OFFER("a", "on-demand", "0.3", "") ", " OFFER(
                 "b", "on-demand", "0.207", "") ", " OFFER("b", "spot", "0.629", "")))
             POOL NODE_OF("n1", LABEL_OF_ZONE ": a, karpenter.sh/capacity-type: spot", "1")
                 BOUND_POD("w", "n1", "app: web", CPU("1"))
                     POD("a", "app: web, tier: front",
                         SPREADS(SPREAD_OVER(LABEL_OF_ZONE, "app: web") ", " SPREAD_OVER(
                             "karpenter.sh/capacity-type", "tier: front")) CPU("1")),
         NULL, "a.zone=b a.ct=on-demand total=0.207", .bare = true},
    };
    CHECK_CASES(cases);
}

static void preferences_by_weight_SCH_509(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-509: the heavier of two that exclude each other",
         POOL POD("a", "",
                  PREFERRED_TERMS(
                      PREFERENCE("1", ZONE_IN("a")) ", " PREFERENCE("100", ZONE_IN("b"))) CPU("1")),
         NULL, "a.zone=b"},
        {"SCH-509: what is impossible falls alone",
         POOL POD("a", "",
                  PREFERRED_TERMS(PREFERENCE("100", ZONE_IN("nowhere")) ", " PREFERENCE(
                      "50", ZONE_IN("b")) ", " PREFERENCE("1", REQUIRE("kubernetes.io/arch", "In",
                                                                       "arm64"))) CPU("1")),
         NULL, "a.zone=b a.types=arm"},
        {"SCH-509: upstream heeds one at a time",
         POOL POD("a", "",
                  PREFERRED_TERMS(PREFERENCE("100", ZONE_IN("nowhere")) ", " PREFERENCE(
                      "50", ZONE_IN("b")) ", " PREFERENCE("1", REQUIRE("kubernetes.io/arch", "In",
                                                                       "arm64"))) CPU("1")),
         UPSTREAM, "a.zone=b a.types=small,medium,arm,large,gpu"},
        {"SCH-509: a light node preference yields to a heavy pod preference",
         POOL POD("a", "app: web", IN_ZONE("b") CPU("1"))
             POD("b", "app: web",
                 "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                 "[" PREFERENCE(
                     "1",
                     ZONE_IN("b")) "]}, podAntiAffinity: "
                                   "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
                                   "10, podAffinityTerm: "
                                   "{topologyKey: " LABEL_OF_ZONE
                                   ", labelSelector: {matchLabels: {app: web}}}}]}}, " CPU("500m")),
         NULL, "a.zone=b b.zone=a,c"},
        {"SCH-509: and the other way round",
         POOL POD("a", "app: web", IN_ZONE("b") CPU("1"))
             POD("b", "app: web",
                 "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                 "[" PREFERENCE(
                     "10",
                     ZONE_IN("b")) "]}, podAntiAffinity: "
                                   "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
                                   "podAffinityTerm: "
                                   "{topologyKey: " LABEL_OF_ZONE
                                   ", labelSelector: {matchLabels: {app: web}}}}]}}, " CPU("500m")),
         NULL, "a.zone=b b.zone=b"},
        {"SCH-509: preferences with PREFERENCE_POLICY=Ignore open no node",
         POOL NODE_OF("n1", LABEL_OF_ZONE ": a", "4")
             POD("a", "", PREFERRED_TERMS(PREFERENCE("9", ZONE_IN("b"))) CPU("1")),
         "PREFERENCE_POLICY: Ignore", "a@n1"},
        {"SCH-509, 165: other preferences survive the PreferNoSchedule toleration",
         POOL_OF("pool", "", "", "taints: [" SOFT_TAINT "], ", "")
             POD("a", "", PREFERRED_TERMS(PREFERENCE("9", ZONE_IN("b"))) CPU("1")),
         NULL, "a.zone=b"},
    };
    CHECK_CASES(cases);
}

static void labels_that_somebody_asked_for_SCH_514(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-514: the pod's value",
         POOL_REQUIRING("{key: team, operator: Exists}")
             POD("a", "", "nodeSelector: {team: red}, " CPU("1")),
         NULL, "a{team}=red"},
        {"SCH-514: a stable one from the pool's name",
         POOL_REQUIRING("{key: team, operator: Exists}") POD("a", "", CPU("1")), NULL,
         "a{team}=pool"},
        {"SCH-514: which a pod may exclude",
         POOL_REQUIRING("{key: team, operator: Exists}")
             POD("a", "", REQUIRED_TERMS(TERM_OF(REQUIRE("team", "NotIn", "pool"))) CPU("1")),
         NULL, "a{team}=pool-1"},
        {"SCH-514: within bounds",
         POOL_REQUIRING(REQUIRE("size", "Gt", "'7'")) POD("a", "", CPU("1")), NULL, "a{size}=8"},
        {"SCH-514: a key that only a pod excludes values of makes no label",
         POOL POD("a", "", REQUIRED_TERMS(TERM_OF(REQUIRE("team", "NotIn", "red"))) CPU("1")), NULL,
         "a{team}=-"},
        {"SCH-514: nor does the pool's NotIn",
         POOL_REQUIRING(REQUIRE("team", "NotIn", "red")) POD("a", "", CPU("1")), NULL, "a{team}=-"},
        {"SCH-514: unless a pod needs the label",
         POOL_REQUIRING(REQUIRE("team", "NotIn", "red"))
             POD("a", "", REQUIRED_TERMS(TERM_OF("{key: team, operator: Exists}")) CPU("1")),
         NULL, "a{team}=pool"},
        {"SCH-197, 514: what one pod excludes defines no key for another",
         POOL POD("a", "", REQUIRED_TERMS(TERM_OF(REQUIRE("team", "NotIn", "red"))) CPU("1"))
             POD("b", "", "nodeSelector: {team: blue}, " CPU("500m")),
         NULL, "a+ b!", "b: label \"team\" does not have known values"},
    };
    CHECK_CASES(cases);
}

#define FIELD_TERM(operator, name) \
    "{matchFields: [{key: metadata.name, operator: " operator", values: [" name "]}]}"

static void filters_of_nodes_SCH_515(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-515: PreferNoSchedule does not keep a pod off a node",
         POOL TAINTED_NODE("n1", "4", SOFT_TAINT) POD("a", "", CPU("1")), NULL, "a@n1"},
        {"SCH-355: for upstream it does",
         POOL TAINTED_NODE("n1", "4", SOFT_TAINT) POD("a", "", CPU("1")), UPSTREAM, "a+"},
        {"SCH-515: but other nodes come first",
         POOL TAINTED_NODE("n1", "4", SOFT_TAINT) NODE_OF("n2", "", "4") POD("a", "", CPU("1"))
             POD("b", "", CPU("4")),
         NULL, "b@n2 a@n1"},
        {"SCH-515: ports of the node's network, and of sidecars",
         POOL NODE_OF("n1", "", "8")
             POD("a", "",
                 "hostNetwork: true, containers: [{name: c, image: i, ports: "
                 "[{containerPort: 80}], resources: {requests: {cpu: '2'}}}]")
                 POD("b", "",
                     "initContainers: [{name: s, image: i, restartPolicy: Always, ports: "
                     "[{containerPort: 8080, hostPort: 80}]}], " CPU("1")),
         NULL, "a@n1 b+"},
        {"SCH-515: matchFields names a node",
         POOL NODE_OF("n1", "", "4") NODE_OF("n2", "", "4")
             POD("a", "", REQUIRED_TERMS(FIELD_TERM("In", "n2")) CPU("1")),
         NULL, "a@n2"},
        {"SCH-515: or excludes one",
         POOL NODE_OF("n1", "", "4") NODE_OF("n2", "", "4")
             POD("a", "", REQUIRED_TERMS(FIELD_TERM("NotIn", "n1")) CPU("1")),
         NULL, "a@n2"},
        {"SCH-515: a new node has another name",
         POOL NODE_OF("n1", "", "1") POD("a", "", REQUIRED_TERMS(FIELD_TERM("In", "n1")) CPU("2"))
             POD("b", "", REQUIRED_TERMS(FIELD_TERM("NotIn", "n1")) CPU("2")),
         NULL, "a! b+ b[field:metadata.name]=-"},
    };
    CHECK_CASES(cases);
}

#define CLAIM(name, modes, more)                                                            \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name                  \
    ", namespace: default, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {" \
    "accessModes: [" modes "], storageClassName: fast" more "}}\n---\n"
#define FAST                                                                                    \
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: " \
    "ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer}\n---\n"
#define VOLUME(claim) "{name: v-" claim ", persistentVolumeClaim: {claimName: " claim "}}"
#define VOLUMES(list) "volumes: [" list "], "

static void volumes_SCH_353_515(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-515: ReadWriteOncePod: one pod only",
         POOL FAST CLAIM("c1", "ReadWriteOncePod", "") POD("a", "", VOLUMES(VOLUME("c1")) CPU("2"))
             POD("b", "", VOLUMES(VOLUME("c1")) CPU("1")),
         NULL, "a+ b!", "b: ReadWriteOncePod"},
        {"SCH-515: ReadWriteOncePod: not beside a running one",
         POOL FAST NODE_OF("n1", "", "4") CLAIM("c1", "ReadWriteOncePod", "")
             BOUND_POD("x", "n1", "", VOLUMES(VOLUME("c1")) CPU("1"))
                 POD("a", "", VOLUMES(VOLUME("c1")) CPU("1")),
         NULL, "a!", "a: ReadWriteOncePod"},
        {"SCH-515: other modes are shared",
         POOL FAST CLAIM("c1", "ReadWriteMany", "") POD("a", "", VOLUMES(VOLUME("c1")) CPU("2"))
             POD("b", "", VOLUMES(VOLUME("c1")) CPU("1")),
         NULL, "a=b"},
        {"SCH-515: the zone that a volume's labels name",
         POOL "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v1, labels: "
              "{topology.kubernetes.io/zone: b__c}}, spec: {capacity: {storage: 1Gi}, "
              "accessModes: [ReadWriteOnce], csi: {driver: x, volumeHandle: h}}}\n---\n" CLAIM(
                  "c1", "ReadWriteOnce", ", volumeName: v1")
                  POD("a", "", VOLUMES(VOLUME("c1")) CPU("1")),
         NULL, "a.zone=b,c"},
    };
    CHECK_CASES(cases);
}

#define ATTACHING                                                                            \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, spec: {"      \
    "instanceTypes: [{name: t, requirements: [], capacity: {cpu: '8', memory: 16Gi, pods: "  \
    "'20', attachable-volumes-csi-ebs.csi.aws.com: '2'}, offerings: [{price: 1, available: " \
    "true, requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}, "   \
    "{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}]}]}}\n---\n"

static void volume_limits_of_new_nodes_SCH_353(void **state)
{
    (void)state;
    static const char pods[] =
        ATTACHING POOL FAST CLAIM("c1", "ReadWriteOnce", "") CLAIM("c2", "ReadWriteOnce", "")
            CLAIM("c3", "ReadWriteOnce", "") POD("a", "", VOLUMES(VOLUME("c1")) CPU("1"))
                POD("b", "", VOLUMES(VOLUME("c2")) CPU("1"))
                    POD("c", "", VOLUMES(VOLUME("c3")) CPU("1")) POD("d", "", CPU("1"));
    static const struct rule_case cases[] = {
        {"SCH-353: no more volumes on a new node than its type takes", pods, NULL, "#2", NULL,
         true},
        {"SCH-353: upstream has no limit", pods, UPSTREAM, "#1", NULL, true},
        {"SCH-353: what a CSINode of the same type tells",
         POOL FAST NODE_OF(
             "n1", "node.kubernetes.io/instance-type: small",
             "1") "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: "
                  "{drivers: "
                  "[{name: ebs.csi.aws.com, nodeID: x, allocatable: {count: 1}}]}}\n---\n" CLAIM(
                      "c1", "ReadWriteOnce", "") CLAIM("c2", "ReadWriteOnce", "")
                      POD("a", "", VOLUMES(VOLUME("c1") ", " VOLUME("c2")) CPU("1500m")),
         NULL, "a.types=medium,arm,large,gpu"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_at_once_SCH_508),
        cmocka_unit_test(ties_go_to_the_cheapest_launch_SCH_306),
        cmocka_unit_test(preferences_by_weight_SCH_509),
        cmocka_unit_test(labels_that_somebody_asked_for_SCH_514),
        cmocka_unit_test(filters_of_nodes_SCH_515),
        cmocka_unit_test(volumes_SCH_353_515),
        cmocka_unit_test(volume_limits_of_new_nodes_SCH_353),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
