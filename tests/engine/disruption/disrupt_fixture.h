// Clusters for tests of disruption, on the catalog of plan_fixture.h: small 0.10 USD an hour on
// demand (0.04 spot), medium 0.20 (0.08), large 0.80 (0.32).
#pragma once

#include "base/text.h"
#include "engine/disruption/disruption.h"
#include "engine/plan_fixture.h"

struct test_pool {
    const char *name;       // NULL: "pool"
    const char *disruption; // default: budgets 100 %, consolidateAfter 0s, WhenEmptyOrUnderutilized
    const char *spec;       // more of the spec, e.g. "replicas: 3, "
    const char *template;   // more of the template's spec
    bool not_ready;
};
struct test_node {
    const char *name;
    const char *pool;          // NULL: "pool"
    const char *type;          // NULL: "large"
    const char *zone;          // NULL: "a"
    const char *capacity_type; // NULL: "on-demand"
    const char *cpu;           // allocatable; NULL: 15900m
    const char *drifted;       // transition time of the condition; NULL: not drifted
    const char *annotations;   // of the Node
    const char *claim_annotations;
    const char *claim_spec;   // e.g. "terminationGracePeriod: 1h"
    const char *claim_status; // e.g. "lastPodEventTime: '...'"
    const char *taints;       // of the Node
    const char *no_condition; // which of Initialized, Consolidatable is missing
    bool not_ready, unmanaged, uninitialized, deleting;
};
struct test_pod {
    const char *name, *node; // NULL: pending
    const char *cpu;         // NULL: 1
    const char *spec;        // more of the spec, e.g. "nodeSelector: {a: b}, "
    const char *labels, *annotations;
    const char *meta;       // more of the metadata, e.g. "deletionTimestamp: ..., "
    const char *owner;      // kind; NULL: ReplicaSet
    const char *owner_name; // also its uid; NULL: "owner", uid "o"
    const char *status;     // NULL: "phase: Running"
};
void add_pool(struct text *world, struct test_pool pool);
void add_node(struct text *world, struct test_node node);
void add_pod(struct text *world, struct test_pod pod);
// NULL: any.
enum disruption_method method_of(const char *name);
// Takes ownership of the text. `settings` as for plan_yaml(). Checks that every node is in a
// command or has a verdict, and that the counts agree (DIS-770).
struct plan_fixture disrupt(struct text *world, const char *method, const char *settings);
// The same with the text's own InstanceTypeCatalog.
struct plan_fixture disrupt_bare(struct text *world, const char *method, const char *settings);
// The same with state that only a running controller has.
struct plan_fixture disrupt_running(struct text *world, const char *method, const char *settings,
                                    const struct disruption_inputs *inputs);
#define UPSTREAM     "COMPATIBILITY: upstream"
#define SPOT_TO_SPOT "FEATURE_GATES: SpotToSpotConsolidation=true"

// The commands as "method/consolidation: node node -> type,type ...; ...": types of the
// replacements with their capacity type and zone requirement, or "" where nothing is disrupted.
#define assert_disrupts(plan, expected) assert_disrupts_at(plan, expected, __FILE__, __LINE__)
void describe_disruptions(const struct plan *plan, struct text *text); // the same, to be compared
void assert_disrupts_at(const struct plan *plan, const char *expected, const char *file, int line);
// The verdict about the node: the rule, and a part of the text.
#define assert_verdict(plan, node, rule, part) \
    assert_verdict_at(plan, node, rule, part, __FILE__, __LINE__)
void assert_verdict_at(const struct plan *plan, const char *node, const char *rule,
                       const char *part, const char *file, int line);
// The text of the first note about the node, or NULL.
const char *note_about(const struct plan *plan, const char *node);
// "RULE: text" of the last verdict about the node, or NULL. Valid until the next call.
const char *verdict_about(const struct plan *plan, const char *node);
