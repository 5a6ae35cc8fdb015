// Rules between pods, row by row: SCH-270 to SCH-329.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define HOST     "kubernetes.io/hostname"
#define UPSTREAM "COMPATIBILITY: upstream"
#define BIG      CPU("9") // two do not share a node
#define SPREAD_TERM(key, skew, app, more)   \
    "{maxSkew: " skew ", topologyKey: " key \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: " app "}}" more "}"
#define SPREAD(key, skew, app, more) \
    "topologySpreadConstraints: [" SPREAD_TERM(key, skew, app, more) "], "
#define POD_TERM(key, app, more) \
    "{topologyKey: " key ", labelSelector: {matchLabels: {app: " app "}}" more "}"
#define REQUIRED(kind, term) \
    "affinity: {" kind ": {requiredDuringSchedulingIgnoredDuringExecution: [" term "]}}, "
#define NEAR(key, app)        REQUIRED("podAffinity", POD_TERM(key, app, ""))
#define AWAY(key, app)        REQUIRED("podAntiAffinity", POD_TERM(key, app, ""))
#define ZONES(zones)          POOL_REQUIRING(REQUIRE(LABEL_OF_ZONE, "In", zones))
#define IN_ZONE(zone)         "nodeSelector: {" LABEL_OF_ZONE ": " zone "}, "
#define FULL_NODE(name, zone) NODE_OF(name, LABEL_OF_ZONE ": " zone, "0")
#define WEB                   "app: web"

static void identity_of_groups_SCH_270_275(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-274: pods with other node selectors have groups of their own",
         POOL POD("a", WEB, IN_ZONE("a") SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
             POD("b", WEB, IN_ZONE("a") SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
                 POD("c", WEB, IN_ZONE("b") SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
                     POD("d", WEB, IN_ZONE("b") SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "zones=a:2,b:2"},
        {"SCH-274: minDomains tells groups apart",
         ZONES("a, b") POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", minDomains: 3") BIG)
             POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", minDomains: 2") BIG)
                 POD("c", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", minDomains: 2") BIG),
         NULL, "a+ b+ c+ zones=a:1,b:2"}, // a second one in zone a would break a's (SCH-516)
        {"SCH-274: expressions of a selector are a set",
         POOL POD("a", WEB,
                  "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " HOST
                  ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchExpressions: [{key: "
                  "app, operator: In, values: [web, x]}, {key: app, operator: Exists}]}}], " CPU(
                      "100m"))
             POD("b", WEB,
                 "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " HOST
                 ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchExpressions: [{key: "
                 "app, operator: Exists}, {key: app, operator: In, values: [x, web]}]}}], " CPU(
                     "100m")),
         NULL, "a/b"},
        {"SCH-274, 293: a group that is made late has seen the pods before it",
         POOL FULL_NODE("n1", "a") POD("a", WEB, CPU("15") ", nodeSelector: {" LABEL_OF_ZONE ": a}")
             POD("b", WEB,
                 "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                 "{nodeSelectorTerms: [{matchExpressions: [{key: " LABEL_OF_ZONE
                 ", operator: In, values: [nowhere]}]}, {matchExpressions: [{key: " LABEL_OF_ZONE
                 ", operator: In, values: [a, b]}]}]}}}, " SPREAD(LABEL_OF_ZONE, "1", "web", "")
                     BIG),
         NULL, "a.zone=a b.zone=b"},
        {"SCH-271, 281: another namespace's pods are not counted",
         POOL FULL_NODE(
             "n1",
             "a") "{apiVersion: v1, kind: Pod, metadata: {name: far, namespace: other, uid: f, "
                  "labels: "
                  "{app: web}}, spec: {nodeName: n1, containers: [{name: c, image: i}]}, status: "
                  "{phase: Running}}\n---\n" POD("a", WEB,
                                                 SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "a.zone=a"},
    };
    CHECK_CASES(cases);
}

#define NEW_POD(name, labels, spec)                                                              \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {" labels "}}, spec: {" spec \
    "containers: [{name: c, image: i}]}}\n---\n"

static void selectors_SCH_276_281(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-276: a key of matchLabelKeys that the pod lacks is passed over",
         POOL POD("a", "app: web, rev: '1'",
                  SPREAD(HOST, "1", "web", ", matchLabelKeys: [rev]") CPU("200m"))
             POD("b", WEB, SPREAD(HOST, "1", "web", ", matchLabelKeys: [rev]") CPU("100m")),
         NULL, "a/b"},
        {"SCH-276: what the API server has merged already changes nothing",
         POOL POD("a", "app: web, rev: '1'",
                  "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " HOST
                  ", whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [rev], labelSelector: "
                  "{matchLabels: {app: web}, matchExpressions: [{key: rev, operator: In, values: "
                  "['1']}]}}], " CPU("100m")) POD("b", "app: web, rev: '2'", CPU("100m")),
         NULL, "a=b"},
        {"SCH-276: matchLabelKeys of affinity terms are in the selector, not read",
         POOL POD("a", "app: web, rev: '1'",
                  REQUIRED("podAntiAffinity", POD_TERM(HOST, "web", ", matchLabelKeys: [rev]"))
                      CPU("100m")) POD("b", "app: web, rev: '2'", CPU("100m")),
         NULL, "a/b"},
        {"SCH-276: of a pod that no API server has seen they are merged first",
         POOL NEW_POD("a", "app: web, rev: '1'",
                      REQUIRED("podAntiAffinity", POD_TERM(HOST, "web", ", matchLabelKeys: [rev]")))
             NEW_POD("b", "app: web, rev: '2'", ""),
         NULL, "a=b"},
        {"SCH-276: and so bind those of the same value",
         POOL NEW_POD("a", "app: web, rev: '1'",
                      REQUIRED("podAntiAffinity", POD_TERM(HOST, "web", ", matchLabelKeys: [rev]")))
             NEW_POD("b", "app: web, rev: '1'", ""),
         NULL, "a/b"},
        {"SCH-276: keys that must not match, and one that the pod does not have",
         POOL NEW_POD(
             "a", "app: web, rev: '1'",
             REQUIRED("podAntiAffinity", POD_TERM(HOST, "web", ", mismatchLabelKeys: [rev, none]")))
             NEW_POD("b", "app: web, rev: '1'", ""),
         NULL, "a=b"},
        {"SCH-276: others do bind then",
         POOL NEW_POD(
             "a", "app: web, rev: '1'",
             REQUIRED("podAntiAffinity", POD_TERM(HOST, "web", ", mismatchLabelKeys: [rev]")))
             NEW_POD("b", "app: web, rev: '2'", ""),
         NULL, "a/b"},
        {"SCH-280: an empty selector selects all",
         POOL POD("a", WEB,
                  "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " HOST
                  ", whenUnsatisfiable: DoNotSchedule, labelSelector: {}}], " CPU("200m"))
             POD("b", "", CPU("100m")),
         NULL, "a=b"},
        {"SCH-280: an empty selector of an anti-affinity repels all",
         POOL POD("a", WEB,
                  "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                  "[{topologyKey: " HOST ", labelSelector: {}}]}}, " CPU("200m"))
             POD("b", "", CPU("100m")),
         NULL, "a/b"},
        {"SCH-280: an anti-affinity without selector repels nobody",
         POOL POD("a", WEB,
                  "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                  "[{topologyKey: " HOST "}]}}, " CPU("200m")) POD("b", WEB, CPU("100m")),
         NULL, "a=b"},
        {"SCH-280: an affinity without selector is never met",
         POOL POD("a", WEB,
                  "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                  "[{topologyKey: " HOST "}]}}, " CPU("200m")),
         NULL, "a!"},
        {"SCH-273: a list and a selector of namespaces together",
         POOL FULL_NODE(
             "n1",
             "b") "{apiVersion: v1, kind: Namespace, metadata: {name: far, labels: {team: "
                  "t}}}\n---\n"
                  "{apiVersion: v1, kind: Pod, metadata: {name: far, namespace: far, uid: f, "
                  "labels: "
                  "{app: web}}, spec: {nodeName: n1, containers: [{name: c, image: i}]}, status: "
                  "{phase: Running}}\n---\n" POD(
                      "a", "",
                      REQUIRED("podAffinity",
                               POD_TERM(LABEL_OF_ZONE, "web",
                                        ", namespaces: [default], namespaceSelector: "
                                        "{matchExpressions: [{key: team, operator: In, values: "
                                        "[t]}]}")) CPU("1")),
         NULL, "a.zone=b"},
        {"SCH-273: every namespace has the label of its name",
         POOL FULL_NODE("n1", "b") BOUND_POD("x", "n1", WEB, "containers: [{name: c, image: i}]")
             POD("a", "",
                 REQUIRED("podAffinity", POD_TERM(LABEL_OF_ZONE, "web",
                                                  ", namespaceSelector: {matchLabels: "
                                                  "{kubernetes.io/metadata.name: default}}"))
                     CPU("1")),
         NULL, "a.zone=b"},
    };
    CHECK_CASES(cases);
}

#define CONTAINER "containers: [{name: c, image: i}]"

static void inverse_groups_SCH_278_279_317(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-279: the terminating still repel",
         POOL FULL_NODE(
             "n1",
             "a") "{apiVersion: v1, kind: Pod, metadata: {name: guard, uid: g, deletionTimestamp: "
                  "'2026-01-01T00:00:00Z'}, spec: {nodeName: n1, " AWAY(LABEL_OF_ZONE, "web")
                      CONTAINER "}, status: {phase: Running}}\n---\n" POD("a", WEB, CPU("1")),
         NULL, "a.zone=b,c"},
        {"SCH-279: the terminal do not",
         POOL FULL_NODE("n1", "a") "{apiVersion: v1, kind: Pod, metadata: {name: guard, uid: g}, "
                                   "spec: {nodeName: n1, " AWAY(LABEL_OF_ZONE, "web") CONTAINER
         "}, status: {phase: Failed}}\n---\n" POD("a", WEB, CPU("1")),
         NULL, "a.zone=-"},
        {"SCH-279: a Node without the label is in no domain",
         POOL NODE_OF("n1", "x: x", "0") BOUND_POD(
             "guard", "n1", "", AWAY(LABEL_OF_ZONE, "web") CONTAINER) POD("a", WEB, CPU("1")),
         NULL, "a.zone=a,b,c"},
        {"SCH-278: preferences of the bound repel nobody",
         POOL FULL_NODE("n1", "a") BOUND_POD(
             "guard", "n1", "",
             "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
             "[{weight: 1, podAffinityTerm: " POD_TERM(LABEL_OF_ZONE, "web", "") "}]}}, " CONTAINER)
             POD("a", WEB, CPU("1")),
         NULL, "a.zone=-"},
        {"SCH-278, 321: the pass's own required term repels a pod without one",
         POOL POD("guard", "", AWAY(HOST, "web") CPU("1")) POD("a", WEB, CPU("500m")), NULL,
         "guard/a"},
        {"SCH-315: on an existing node as well",
         POOL NODE_OF("n1", "x: x", "4") POD("guard", "", AWAY(HOST, "web") CPU("1"))
             POD("a", WEB, CPU("500m")),
         NULL, "guard@n1 a+"},
        {"SCH-317: an unmanaged node's zone that nobody knows is open to those who are repelled",
         ZONES("a") FULL_NODE("n1", "a") NODE_OF("n2", LABEL_OF_ZONE ": far", "4") BOUND_POD(
             "guard", "n1", "", AWAY(LABEL_OF_ZONE, "web") CONTAINER) POD("a", WEB, CPU("1")),
         NULL, "a@n2"},
        {"SCH-317: a node without the label is nobody's domain",
         ZONES("a") FULL_NODE("n1", "a") NODE_OF("n2", "x: x", "4") BOUND_POD(
             "guard", "n1", "", AWAY(LABEL_OF_ZONE, "web") CONTAINER) POD("a", WEB, CPU("1")),
         NULL, "a@n2"},
    };
    CHECK_CASES(cases);
}

#define TAINTED_POOL(name, zones, taint)                             \
    POOL_OF(name, "", "", "taints: [{key: t, effect: " taint "}], ", \
            REQUIRE(LABEL_OF_ZONE, "In", zones))

// A managed node that is registered, not initialized.
#define JOINING(zone, taints)                                                                      \
    "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, labels: {" LABEL_OF_ZONE ": " zone \
    ", karpenter.sh/nodepool: pool, karpenter.sh/registered: 'true', "                             \
    "node.kubernetes.io/instance-type: small}}, spec: {providerID: 'p:1', taints: [" taints        \
    "]}, status: {capacity: {cpu: '1'}, allocatable: {cpu: '1'}}}\n---\n{apiVersion: "             \
    "karpenter.sh/v1, kind: NodeClaim, metadata: {name: nc, uid: nc, labels: "                     \
    "{karpenter.sh/nodepool: pool}}, spec: {nodeClassRef: {group: g, kind: C, name: c}, "          \
    "requirements: [], startupTaints: [{key: boot, effect: NoSchedule}]}, status: "                \
    "{providerID: 'p:1', capacity: {cpu: '1'}, allocatable: {cpu: '1'}}}\n---\n"

static void universe_of_domains_SCH_285_292(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-285, 327: values of a pool's own label are domains",
         POOL_REQUIRING(REQUIRE("rack", "In", "r1, r2"))
             POD("a", WEB, SPREAD("rack", "1", "web", "") BIG)
                 POD("b", WEB, SPREAD("rack", "1", "web", "") BIG)
                     POD("c", WEB, SPREAD("rack", "1", "web", "") BIG),
         NULL, "a[rack]=r1 b[rack]=r2 c[rack]=r1"},
        {"SCH-285: labels of templates are domains too, pool by pool",
         POOL_OF("pa", "", "cell: c1", "", "") POOL_OF("pb", "", "cell: c2", "", "")
             POD("a", WEB, SPREAD("cell", "1", "web", "") BIG)
                 POD("b", WEB, SPREAD("cell", "1", "web", "") BIG),
         NULL, "a.pool=pb b.pool=pa"},
        {"SCH-286: a zone without an offering that can be had is none",
         CATALOG_OF("{name: t, requirements: [{key: " LABEL_OF_ZONE
                    ", operator: In, values: [a, b]}], capacity: {cpu: '2', memory: 4Gi, pods: "
                    "'9'}, offerings: [" OFFER(
                        "a", "spot", "1",
                        "") ", {price: 1, available: false, requirements: [{key: " LABEL_OF_ZONE
                            ", operator: In, values: [b]}, {key: karpenter.sh/capacity-type, "
                            "operator: In, "
                            "values: [spot]}]}]}")
             POOL POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") CPU("1500m"))
                 POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") CPU("1500m")),
         NULL, "zones=a:2", .bare = true},
        {"SCH-286: what a pool excludes is no domain",
         POOL_REQUIRING(REQUIRE(LABEL_OF_ZONE, "NotIn", "c"))
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
                 POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
                     POD("c", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "zones=a:2,b:1"},
        {"SCH-286: an unknown key with NotIn has no domains",
         POOL_REQUIRING(REQUIRE("rack", "NotIn", "r1"))
             POD("a", WEB, SPREAD("rack", "1", "web", "") BIG),
         NULL, "a!",
         "a: key=rack (counts = , podDomains = rack Exists, nodeDomains = rack NotIn [r1]"},
        {"SCH-287: pools are domains only where something names them",
         POOL_OF("pa", "", "", "", "")
             POD("a", WEB, SPREAD("karpenter.sh/nodepool", "1", "web", "") BIG),
         NULL, "a!"},
        {"SCH-287: an existing node of a pool does",
         POOL_OF(
             "pa", "", "", "",
             "") "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1, labels: {"
                 "kubernetes.io/hostname: n1, karpenter.sh/nodepool: pa, "
                 "node.kubernetes.io/instance-type: small}}, spec: {providerID: 'p:1'}, status: "
                 "{capacity: {cpu: '1'}, allocatable: {cpu: '1'}}}\n---\n" POD(
                     "a", WEB, SPREAD("karpenter.sh/nodepool", "1", "web", "") BIG),
         NULL, "a.pool=pa"},
        {"SCH-288: a tainted pool's zone is empty for ever under Ignore",
         ZONES("a") TAINTED_POOL("other", "b", "NoSchedule")
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
                 POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "a.zone=a b!"},
        {"SCH-288: whoever tolerates it goes there",
         ZONES("a") TAINTED_POOL("other", "b", "NoSchedule")
             POD("a", WEB,
                 "tolerations: [{key: t, operator: Exists}], " SPREAD(
                     LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG)
                 POD("b", WEB,
                     "tolerations: [{key: t, operator: Exists}], " SPREAD(
                         LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG),
         NULL, "zones=a:1,b:1"},
        {"SCH-288: a pool without taints opens its zones to everyone",
         ZONES("a, b") TAINTED_POOL("other", "b", "NoSchedule")
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG)
                 POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG),
         NULL, "zones=a:1,b:1"},
        {"SCH-288: a soft taint hides nothing from a spread",
         ZONES("a") TAINTED_POOL("other", "b", "PreferNoSchedule")
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG)
                 POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG),
         NULL, "zones=a:1,b:1"},
        {"SCH-288: upstream has it hide the domain from whoever does not tolerate it",
         ZONES("a") TAINTED_POOL("other", "b", "PreferNoSchedule")
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG)
                 POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG),
         UPSTREAM, "zones=a:2"},
        {"SCH-289: nodes add domains",
         ZONES("a") FULL_NODE("n1", "far") POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
             POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "a.zone=a b!", "b: (counts = a: 1, far: 0, podDomains"},
        {"SCH-289, 291: not those that the pod's node affinity rules out",
         POOL_OF("pool", "", "disk: ssd", "", REQUIRE(LABEL_OF_ZONE, "In", "a"))
             NODE_OF("n1", LABEL_OF_ZONE ": far, disk: hdd", "0") POD(
                 "a", WEB, "nodeSelector: {disk: ssd}, " SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
                 POD("b", WEB,
                     "nodeSelector: {disk: ssd}, " SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "zones=a:2"},
        {"SCH-291: unless the policy says Ignore",
         POOL_OF("pool", "", "disk: ssd", "", REQUIRE(LABEL_OF_ZONE, "In", "a"))
             NODE_OF("n1", LABEL_OF_ZONE ": far, disk: hdd", "0")
                 POD("a", WEB,
                     "nodeSelector: {disk: ssd}, " SPREAD(LABEL_OF_ZONE, "1", "web",
                                                          ", nodeAffinityPolicy: Ignore") BIG)
                     POD("b", WEB,
                         "nodeSelector: {disk: ssd}, " SPREAD(LABEL_OF_ZONE, "1", "web",
                                                              ", nodeAffinityPolicy: Ignore") BIG),
         NULL, "#1 zones=a:1"},
        {"SCH-291: any of the required terms lets a node count",
         ZONES("a, b") NODE_OF("n1", LABEL_OF_ZONE ": a, disk: hdd", "0")
             BOUND_POD("x", "n1", WEB, CONTAINER)
                 POD("a", WEB,
                     REQUIRED_TERMS(TERM_OF("{key: disk, operator: DoesNotExist}") ", " TERM_OF(
                         REQUIRE("disk", "In", "hdd"))) SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "a.zone=b"},
        {"SCH-289, 290: a node counts by the taints that it has, those of its start included",
         ZONES("a") JOINING("far", "{key: boot, effect: NoSchedule}")
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG)
                 POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG),
         NULL, "zones=a:2"},
        {"SCH-289: without them its zone is a domain",
         ZONES("a") JOINING("far", "")
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG)
                 POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", nodeTaintsPolicy: Honor") BIG),
         UPSTREAM, "a.zone=a b!"},
        {"SCH-290: a counted pod's Node without the label counts nowhere, but for the hostname",
         ZONES("a, b") NODE_OF("n1", "x: x", "0") BOUND_POD("x", "n1", WEB, CONTAINER)
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "a.zone=a"},
        {"SCH-290: a domain first seen on a Node of a counted pod, outside the universe",
         ZONES("a") FULL_NODE("n1", "far") BOUND_POD("x", "n1", WEB, CONTAINER)
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
                 POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
                     POD("c", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "zones=a:2 c!"},
    };
    CHECK_CASES(cases);
}

#define PREFER_ZONES(zones) PREFERRED_TERMS(PREFERENCE("1", REQUIRE(LABEL_OF_ZONE, "In", zones)))

static void spread_SCH_296_307(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-304: a pod that its own selector does not match is not counted against itself",
         POOL FULL_NODE("n1", "a") BOUND_POD("x", "n1", "app: other", CONTAINER)
             POD("a", WEB, IN_ZONE("a") SPREAD(LABEL_OF_ZONE, "1", "other", "") BIG),
         NULL, "a.zone=a"},
        {"SCH-304, 480: with self it would be one too many",
         POOL FULL_NODE("n1", "a") BOUND_POD("x", "n1", WEB, CONTAINER)
             POD("a", WEB,
                 REQUIRED_TERMS(TERM_OF(REQUIRE(LABEL_OF_ZONE, "In", "a, b")))
                     SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "a.zone=b"},
        {"SCH-303: no domain that the pod may use: nothing to compare with",
         ZONES("a") POD("a", WEB, IN_ZONE("nowhere") SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "a!"},
        {"SCH-303: minDomains above what there is makes the minimum 0",
         ZONES("a, b") FULL_NODE("n1", "a") FULL_NODE("n2", "b")
             BOUND_POD("x", "n1", WEB, CONTAINER) BOUND_POD("y1", "n2", WEB, CONTAINER)
                 POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", ", minDomains: 3") BIG),
         NULL, "a!"},
        {"SCH-303, 305: minDomains does not matter for the hostname",
         POOL POD("a", WEB, SPREAD(HOST, "1", "web", ", minDomains: 5") CPU("1"))
             POD("b", WEB, SPREAD(HOST, "1", "web", ", minDomains: 5") CPU("1")),
         UPSTREAM, "a/b"},
        {"SCH-305, 296: an existing node is a hostname like any other",
         POOL NODE_OF("n1", "x: x", "4") BOUND_POD("x", "n1", WEB, CONTAINER)
             POD("a", WEB, SPREAD(HOST, "1", "web", "") CPU("1"))
                 POD("b", WEB, SPREAD(HOST, "2", "web", "") CPU("1")),
         UPSTREAM, "b@n1 a+"},
        {"SCH-306: only domains of least count, as far as the skew allows more",
         ZONES("a, b, c") FULL_NODE("n1", "a") FULL_NODE("n2", "b") FULL_NODE("n3", "c")
             BOUND_POD("x", "n1", WEB, CONTAINER) BOUND_POD("y1", "n2", WEB, CONTAINER)
                 POD("a", WEB, SPREAD(LABEL_OF_ZONE, "5", "web", "") BIG),
         NULL, "a.zone=c"},
        {"SCH-307: a preference narrows the node, not the minimum",
         POOL POD("a", WEB, PREFER_ZONES("a, b") SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
             POD("b", WEB, PREFER_ZONES("a, b") SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
                 POD("c", WEB, PREFER_ZONES("a, b") SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "zones=a:1,b:1,c:1"},
        {"SCH-300, 336: volumes narrow the node, not the minimum",
         "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: sc}, provisioner: "
         "p, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [{matchLabelExpressions: "
         "[{key: " LABEL_OF_ZONE ", values: [b]}]}]}\n---\n"
         "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: v, namespace: default}, "
         "spec: {storageClassName: sc}}\n---\n" ZONES("a, b") FULL_NODE("n1", "b")
             BOUND_POD("x", "n1", WEB, CONTAINER)
                 POD("a", WEB,
                     "volumes: [{name: v, persistentVolumeClaim: {claimName: v}}], " SPREAD(
                         LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "a!",
         "a: (counts = a: 0, b: 1, podDomains = " LABEL_OF_ZONE
         " Exists, nodeDomains = " LABEL_OF_ZONE " In [b]"},
        {"SCH-301: two constraints on one key agree on one domain",
         POOL FULL_NODE("n1", "a") BOUND_POD("x", "n1", "tier: x", CONTAINER) FULL_NODE("n2", "b")
             BOUND_POD("y1", "n2", WEB, CONTAINER)
                 POD("a", "app: web, tier: x",
                     "topologySpreadConstraints: [" SPREAD_TERM(
                         LABEL_OF_ZONE, "1", "web",
                         "") ", {maxSkew: 1, topologyKey: " LABEL_OF_ZONE ", whenUnsatisfiable: "
                             "DoNotSchedule, labelSelector: {matchLabels: {tier: x}}}], " BIG),
         NULL, "a.zone=c"},
        {"SCH-302: answers for several keys narrow one claim",
         POOL POD("a", WEB,
                  "topologySpreadConstraints: [" SPREAD_TERM(
                      LABEL_OF_ZONE, "1", "web", "") ", " SPREAD_TERM("karpenter.sh/capacity-type",
                                                                      "1", "web", "") "], " BIG)
             POD("b", WEB,
                 "topologySpreadConstraints: [" SPREAD_TERM(
                     LABEL_OF_ZONE, "1", "web", "") ", " SPREAD_TERM("karpenter.sh/capacity-type",
                                                                     "1", "web", "") "], " BIG),
         NULL, "a.zone=a a.ct=spot b.zone=b b.ct=on-demand"},
        {"SCH-326: a claim's zone stays; a later pod of the spread opens another",
         POOL POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") CPU("1"))
             POD("b", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") CPU("500m")),
         NULL, "a.zone=a b.zone=b"},
        {"SCH-327: a key of types narrows the claim to those of the domain",
         POOL POD("a", WEB, SPREAD("kubernetes.io/arch", "1", "web", "") CPU("1"))
             POD("b", WEB, SPREAD("kubernetes.io/arch", "1", "web", "") CPU("1")),
         NULL, "a.types=small,medium,large,gpu b.types=arm"},
        {"SCH-329: where the emptiest domain has no type, the next one is tried",
         CATALOG_OF(TYPE_OF("small", "", "cpu: '2', memory: 4Gi, pods: '9'",
                            OFFER("a", "spot", "1", "") ", " OFFER(
                                "b", "spot", "1",
                                "")) ", " TYPE_OF("large", "", "cpu: '8', memory: 16Gi, pods: '9'",
                                                  OFFER("b", "spot", "4", "")))
             POOL FULL_NODE("n1", "b") BOUND_POD("x", "n1", WEB, CONTAINER)
                 POD("a", WEB, SPREAD(LABEL_OF_ZONE, "2", "web", "") CPU("4")),
         NULL, "a.zone=b", .bare = true},
        {"SCH-298: labels of Nodes under an old key count",
         ZONES("a, b") NODE_OF("n1", "failure-domain.beta.kubernetes.io/zone: a", "0") BOUND_POD(
             "x", "n1", WEB, CONTAINER) POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG)
             POD("b", WEB, SPREAD("failure-domain.beta.kubernetes.io/zone", "1", "web", "") BIG),
         NULL, "a.zone=b b.zone=a"},
    };
    CHECK_CASES(cases);
}

static void affinity_SCH_308_316(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-308: on the node where a wanted pod runs",
         POOL NODE_OF("n1", "x: x", "4") NODE_OF("n2", "x: x", "4")
             BOUND_POD("x", "n2", "app: db", CONTAINER) POD("a", "", NEAR(HOST, "db") CPU("1")),
         NULL, "a@n2"},
        {"SCH-308: nobody wanted anywhere, and the pod does not want itself",
         POOL NODE_OF("n1", "x: x", "4") POD("a", WEB, NEAR(HOST, "db") CPU("1")), NULL, "a!",
         "a: unsatisfiable topology constraint for pod affinity, key=" HOST},
        {"SCH-310: self-affine pods start a group",
         POOL NODE_OF("n1", "x: x", "4") POD("a", WEB, NEAR(HOST, "web") CPU("1"))
             POD("b", WEB, NEAR(HOST, "web") CPU("1")),
         NULL, "a@n1 b@n1"},
        {"SCH-310: pinned to another zone than the present group, a pod starts its own",
         POOL FULL_NODE("n1", "a") BOUND_POD("x", "n1", WEB, CONTAINER)
             POD("a", WEB, IN_ZONE("b") NEAR(LABEL_OF_ZONE, "web") CPU("1")),
         UPSTREAM, "a.zone=b"},
        {"SCH-310, 309: free to choose, it joins",
         POOL FULL_NODE("n1", "c") BOUND_POD("x", "n1", WEB, CONTAINER)
             POD("a", WEB, NEAR(LABEL_OF_ZONE, "web") CPU("1")),
         NULL, "a.zone=c"},
        {"SCH-309: all zones with a wanted pod stay open",
         POOL FULL_NODE("n1", "c") FULL_NODE("n2", "b") BOUND_POD("x", "n1", "app: db", CONTAINER)
             BOUND_POD("y1", "n2", "app: db", CONTAINER)
                 POD("a", "", NEAR(LABEL_OF_ZONE, "db") CPU("1")),
         NULL, "a.zone=b,c"},
        {"SCH-309: a wanted pod in a zone that the pod may not use",
         POOL FULL_NODE("n1", "c") BOUND_POD("x", "n1", "app: db", CONTAINER)
             POD("a", "", IN_ZONE("a") NEAR(LABEL_OF_ZONE, "db") CPU("1")),
         NULL, "a!", "a: (counts = a: 0, b: 0, c: 1, podDomains = " LABEL_OF_ZONE " In [a]"},
        {"SCH-311: the first pod of a group is in exactly one zone, the cheapest",
         ZONES("b, c") POD("a", WEB, NEAR(LABEL_OF_ZONE, "web") CPU("1")), NULL, "a.zone=b"},
        {"SCH-312: two affinity terms to one target",
         POOL POD("a", "",
                  REQUIRED("podAffinity", POD_TERM(LABEL_OF_ZONE, "db",
                                                   "") ", " POD_TERM(HOST, "db", "")) CPU("2"))
             POD("b", "app: db", IN_ZONE("c") CPU("1")),
         NULL, "a=b a.zone=c"},
        {"SCH-313: existing nodes with a repelled pod are avoided",
         POOL NODE_OF("n1", "x: x", "4") NODE_OF("n2", "x: x", "4")
             BOUND_POD("x", "n1", WEB, CONTAINER) POD("a", "", AWAY(HOST, "web") CPU("1")),
         NULL, "a@n2"},
        {"SCH-314: all empty zones stay open",
         POOL FULL_NODE("n1", "a") BOUND_POD("x", "n1", WEB, CONTAINER)
             POD("a", "", AWAY(LABEL_OF_ZONE, "web") CPU("1")),
         NULL, "a.zone=b,c"},
        {"SCH-316: a pod does not repel itself", POOL POD("a", WEB, AWAY(HOST, "web") CPU("1")),
         NULL, "a+"},
        {"SCH-318: counts, what the pod allows, what the node has; no bracket at the end",
         ZONES("a") FULL_NODE("n1", "a") BOUND_POD("x", "n1", WEB, CONTAINER)
             POD("a", "", AWAY(LABEL_OF_ZONE, "web") CPU("1")),
         NULL, "a!",
         "a: unsatisfiable topology constraint for pod anti-affinity, key=" LABEL_OF_ZONE
         " (counts = a: 1, podDomains = " LABEL_OF_ZONE " Exists, nodeDomains = " LABEL_OF_ZONE
         " In [a]"},
        {"SCH-272: preferred terms are as if required, under Respect",
         POOL FULL_NODE("n1", "c") BOUND_POD("x", "n1", "app: db", CONTAINER) POD(
             "a", "",
             "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
             "[{weight: 1, podAffinityTerm: " POD_TERM(LABEL_OF_ZONE, "db", "") "}]}}, " CPU("1")),
         UPSTREAM, "a.zone=c"},
        {"SCH-272: not under Ignore",
         POOL FULL_NODE("n1", "c") BOUND_POD("x", "n1", "app: db", CONTAINER) POD(
             "a", "",
             "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
             "[{weight: 1, podAffinityTerm: " POD_TERM(LABEL_OF_ZONE, "db", "") "}]}}, " CPU("1")),
         "PREFERENCE_POLICY: Ignore", "a.zone=-"},
    };
    CHECK_CASES(cases);
}

static void recording_SCH_320_325(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-320: a pod in an open zone is counted nowhere by affinity",
         POOL POD("db", "app: db", CPU("15")) POD("a", "", NEAR(LABEL_OF_ZONE, "db") BIG), UPSTREAM,
         "db+ a!"},
        {"SCH-320: pods without the term are counted by the groups that select them",
         POOL POD("x", WEB, IN_ZONE("a") CPU("15"))
             POD("a", WEB, SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "a.zone=b"},
        {"SCH-320: a candidate outside of the filter is not counted",
         POOL_OF("pool", "", "disk: ssd", "", "") POOL_OF("hdd", "", "disk: hdd", "", "")
             POD("x", WEB, "nodeSelector: {disk: hdd, " LABEL_OF_ZONE ": a}, " CPU("15")) POD(
                 "a", WEB, "nodeSelector: {disk: ssd}, " SPREAD(LABEL_OF_ZONE, "1", "web", "") BIG),
         NULL, "x.zone=a a.zone=a"},
        {"SCH-320, 322: a pod in an open zone may be in any, for those who avoid it",
         POOL POD("x", WEB, CPU("15")) POD("a", "", AWAY(LABEL_OF_ZONE, "web") BIG), UPSTREAM,
         "x+ a!"},
        {"SCH-322: with NotIn it is in the other zones, not in the excluded one",
         POOL POD("x", WEB, REQUIRED_TERMS(TERM_OF(REQUIRE(LABEL_OF_ZONE, "NotIn", "c"))) CPU("15"))
             POD("a", "", AWAY(LABEL_OF_ZONE, "web") BIG),
         UPSTREAM, "x+ a.zone=c"},
        {"SCH-321, 322: the same for what the pod itself repels",
         POOL POD("x", "",
                  CPU("15") ", affinity: {podAntiAffinity: "
                            "{requiredDuringSchedulingIgnoredDuringExecution: [" POD_TERM(
                                LABEL_OF_ZONE, "web",
                                "") "]}, nodeAffinity: "
                                    "{requiredDuringSchedulingIgnoredDuringExecution: "
                                    "{nodeSelectorTerms: [" TERM_OF(REQUIRE(
                                        LABEL_OF_ZONE, "NotIn", "c")) "]}}}") POD("a", WEB, BIG),
         UPSTREAM, "x+ a.zone=c"},
        {"SCH-323: a hostname is a domain as soon as a pod is there",
         POOL POD("a", WEB, NEAR(HOST, "web") CPU("2")) POD("b", WEB, NEAR(HOST, "web") CPU("1")),
         NULL, "a=b"},
        {"SCH-325: pools that name zones let several in",
         POOL POD("a", WEB, IN_ZONE("a") AWAY(LABEL_OF_ZONE, "web") CPU("1"))
             POD("b", WEB, IN_ZONE("b") AWAY(LABEL_OF_ZONE, "web") CPU("1")),
         NULL, "a.zone=a b.zone=b"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_of_groups_SCH_270_275),
        cmocka_unit_test(selectors_SCH_276_281),
        cmocka_unit_test(inverse_groups_SCH_278_279_317),
        cmocka_unit_test(universe_of_domains_SCH_285_292),
        cmocka_unit_test(spread_SCH_296_307),
        cmocka_unit_test(affinity_SCH_308_316),
        cmocka_unit_test(recording_SCH_320_325),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
