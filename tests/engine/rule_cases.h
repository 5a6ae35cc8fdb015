// Rules as tables: a row is a world (YAML) and the expected plan.
//
// `expected` is a list of checks, separated by spaces; P and Q stand for names of pods:
//   P@node        P lies on the existing node           P+           P lies on a new claim
//   P!            P has no place                        #2           the plan has two claims
//   P=Q           P and Q share a claim                 P/Q          they lie on different ones
//   P.pool=x      NodePool of P's claim                 P.types=a,b  its types, cheapest first
//   P.zone=a,b    values of its requirement on the zone P.ct=spot    the same of the capacity type
//   P.cpu=2000    requests of its claim (also .memory, .pods), in base units, cpu in millicores
//   P.price=1.5   its cheapest offering, USD an hour    P[key]=a,b   values of any requirement
//   P{label}=v    label of its claim, - for none        P<note>=v    annotation, - for none
//   zones=a:2,b:1 pods by zone over all claims          total=0.4    the plan's price, USD an hour
// "-" as the values of a requirement: it has none. An operator without values stands for itself.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct rule_case {
    const char *rule; // rule IDs and the tested statement; printed when the row fails
    const char *world, *settings;
    const char *expected;
    const char *message; // "P: text": part of the reason why P is unschedulable; or NULL
    bool bare;           // without the fixture's catalog
};

void check_rule_cases(const struct rule_case *cases, size_t count);
#define CHECK_CASES(cases) check_rule_cases(cases, sizeof(cases) / sizeof *(cases))

#define LABEL_OF_ZONE "topology.kubernetes.io/zone"
// A NodePool; `spec` ends in ", " or is empty, `template` and `requirements` likewise.
#define POOL_OF(name, spec, labels, template, requirements)                                   \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: '" name "', uid: u-" name \
    "}, spec: {" spec "template: {metadata: {labels: {" labels                                \
    "}}, spec: {" template "nodeClassRef: {group: g, kind: Class, name: c}, requirements: "   \
                           "[" requirements "]}}}}\n---\n"
#define POOL_REQUIRING(requirements)   POOL_OF("pool", "", "", "", requirements)
#define REQUIRE(key, operator, values) "{key: " key ", operator: " operator", values: [" values "]}"
#define REQUIRE_MIN(key, operator, values, least) \
    "{key: " key ", operator: " operator", values: [" values "], minValues: " least "}"
// An unmanaged node of 8Gi and 20 pods.
#define NODE_OF(name, labels, cpu)                                                              \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", uid: n-" name                      \
    ", labels: {kubernetes.io/hostname: " name ", " labels "}}, status: {capacity: {cpu: '" cpu \
    "', memory: 8Gi, pods: '20'}, allocatable: {cpu: '" cpu "', memory: 8Gi, pods: '20'}}}\n---\n"
#define BOUND_POD(name, node, labels, spec)                                                      \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name ", labels: {" labels \
    "}}, spec: {nodeName: " node ", " spec "}, status: {phase: Running}}\n---\n"
#define REQUIRED_TERMS(terms)                                                    \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "{nodeSelectorTerms: [" terms "]}}}, "
#define TERM_OF(expressions) "{matchExpressions: [" expressions "]}"
#define PREFERRED_TERMS(terms) \
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" terms "]}}, "
#define PREFERENCE(weight, expressions) \
    "{weight: " weight ", preference: {matchExpressions: [" expressions "]}}"
// A Deployment without pods in the input: they are named web-0, web-1...; `labels` ends in ", " or
// is empty.
#define DEPLOYMENT(name, replicas, labels, spec)                            \
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: " name        \
    "}, spec: {replicas: " replicas ", selector: {matchLabels: {app: " name \
    "}}, template: {metadata: {labels: {" labels "app: " name "}}, spec: {" spec "}}}}\n---\n"
// A catalog of types without overhead; offerings as OFFER, separated by ", ".
#define CATALOG_OF(types)                                                               \
    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, spec: {" \
    "instanceTypes: [" types "]}}\n---\n"
#define TYPE_OF(name, requirements, capacity, offerings)                      \
    "{name: " name ", requirements: [" requirements "], capacity: {" capacity \
    "}, offerings: [" offerings "]}"
#define OFFER(zone, capacity_type, price, more)                                             \
    "{price: " price ", available: true, " more "requirements: [{key: " LABEL_OF_ZONE       \
    ", operator: In, values: [" zone "]}, {key: karpenter.sh/capacity-type, operator: In, " \
    "values: [" capacity_type "]}]}"
#define DAEMON_SET(name, spec)                                                                  \
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: " name ", uid: d-" name            \
    "}, spec: {selector: {matchLabels: {d: " name "}}, template: {metadata: {labels: {d: " name \
    "}}, spec: {" spec "}}}}\n---\n"
