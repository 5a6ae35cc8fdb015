// Rules of disruption as tables: a row is a cluster and the expected disruption.
#pragma once

#include "engine/disruption/disrupt_fixture.h"

#define CASE_POOLS 4
#define CASE_NODES 8
#define CASE_PODS  10

struct disrupt_case {
    const char *rule;     // rule IDs and the tested statement; printed when the row fails
    const char *method;   // NULL: all, in order
    const char *settings; // NULL: as upstream; BETTER: as adze
    struct test_pool pools[CASE_POOLS]; // the first always exists, others need a name
    struct test_node nodes[CASE_NODES]; // up to the first without a name
    struct test_pod pods[CASE_PODS];    // likewise
    const char *more;                   // further documents
    const char *expected;               // as assert_disrupts()
    const char *note;                   // "object: text": part of a note about the object; or NULL
    bool bare;                          // without the fixture's catalog
};
#define BETTER "LOG_LEVEL: info"
void check_disrupt_cases(const struct disrupt_case *cases, size_t count);
#define CHECK_DISRUPT_CASES(cases) check_disrupt_cases(cases, sizeof(cases) / sizeof *(cases))

#define ON_DEMAND_ONLY \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "
#define ONLY_TYPES(types)                                                                  \
    "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" types \
    "]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "
// A PodDisruptionBudget for pods with the label app: a; `spec` ends in ", " or is empty.
#define PDB(name, namespace, spec, allowed)                                     \
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name \
    ", namespace: " namespace ", uid: pdb-" name "}, spec: {" spec              \
                              "selector: {matchLabels: {app: a}}}, status: "    \
                              "{disruptionsAllowed: " allowed "}}\n---\n"
