// The packing annotations of a NodePool (SCH-500, SCH-521). An invalid value is ignored; the
// validator and the controller report it.
#pragma once

#include "model/schema/karpenter.h"

#define ANNOTATION_PACKING_POLICY         "adze.dev/packing-policy"    // Greedy, LowestPrice
#define ANNOTATION_MAX_PODS_PER_NODE      "adze.dev/max-pods-per-node" // a whole number above 0
#define ANNOTATION_MAX_CPU_PER_NODE       "adze.dev/max-cpu-per-node"  // a quantity above 0
#define ANNOTATION_MAX_SHARE_PER_WORKLOAD "adze.dev/max-share-per-workload" // percent, 1 to 100
// Of spot and on-demand, on-demand in the same pass where spot has no capacity (AWI-930): true.
#define ANNOTATION_ON_DEMAND_FALLBACK "adze.dev/on-demand-fallback"
// A spot node that is likely to be interrupted is replaced beforehand (AWI-954): true.
#define ANNOTATION_REPLACE_AT_RISK "adze.dev/replace-spot-at-risk"
// Written by adze: its statistics of spot interruptions (control/command/interruptions.h).
#define ANNOTATION_SPOT_INTERRUPTIONS "adze.dev/spot-interruptions"

// The annotation is there and says true.
bool pool_annotation_is_true(const struct node_pool *pool, const char *key); // NULL is fine
// The problem with an annotation of a NodePool, "must be ..."; NULL: it is valid, or not adze's.
const char *pool_annotation_problem(const char *key, const char *value);
