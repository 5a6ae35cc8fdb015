// Plans from YAML text, with a small catalog, and assertions on them.
//
// The catalog: small (2 cpu, 4Gi), medium (4 cpu, 8Gi), large (16 cpu, 32Gi), arm (4 cpu, 8Gi,
// arm64), gpu (8 cpu, 16Gi, 2 example.com/gpu); each in zones a, b, c on demand and a, b spot; 100m
// cpu and 100Mi kept back; 10 pods per cpu. On demand 0.05 USD per cpu, spot 0.02; the gpu type
// costs 1 USD more.
#pragma once

#include "engine/engine.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct plan_fixture {
    struct snapshot *snapshot;
    struct plan *plan;
    char *text; // the input text
};

// Plans the documents with a SnapshotContext and the catalog. `extra_settings`, "NAME: value" for
// the context's settings joined by ", ", may be NULL; by default packing is greedy and nodes have
// no cost beside their machines (SCH-507). Fails the test on bad input.
struct plan_fixture plan_yaml(const char *documents, const char *extra_settings);
// The same with options other than reasons for unschedulable pods.
struct plan_fixture plan_yaml_with(const char *documents, const char *extra_settings,
                                   const struct plan_options *options);
// Without the catalog.
struct plan_fixture plan_yaml_bare(const char *documents, const char *extra_settings);
// The documents unchanged; they include a SnapshotContext.
struct plan_fixture plan_as_given(const char *documents);
struct plan_fixture plan_yaml_bare_with(const char *documents, const char *extra_settings,
                                        const struct plan_options *options);
void plan_fixture_free(struct plan_fixture *fixture);
static inline void cleanup_plan(struct plan_fixture *fixture)
{
    plan_fixture_free(fixture);
}
#define PLAN __attribute__((cleanup(cleanup_plan))) struct plan_fixture

// The claim or placement with the pod (default namespace), or NULL.
const struct plan_claim *claim_of(const struct plan *plan, const char *pod);
const char *node_of(const struct plan *plan, const char *pod); // NULL: not on an existing node
const struct plan_unschedulable *unplaced(const struct plan *plan, const char *pod);
// Values of the claim's requirement on `key` joined by ",", or "-" without one.
const char *claim_values(const struct plan_claim *claim, const char *key);
bool claim_has_type(const struct plan_claim *claim, const char *type);
// Number of pods in each domain of `key` over the plan's claims, as "a:2 b:1", by name.
const char *spread_over(const struct plan *plan, const char *key);
// The plan as JSON text; the caller frees.
char *plan_json(const struct plan *plan);

#define POOL                                                                               \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p}, spec: " \
    "{template: {spec: {"                                                                  \
    "nodeClassRef: {group: g, kind: Class, name: c}}}}}\n---\n"
// %s: name; %s: the rest of the spec, e.g. "containers: [...]"
#define POD(name, labels, spec)                                                                  \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name ", labels: {" labels \
    "}}, spec: {" spec "}}\n---\n"
#define CPU(amount) "containers: [{name: c, image: i, resources: {requests: {cpu: '" amount "'}}}]"
