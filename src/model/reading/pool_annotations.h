// The packing annotations of a NodePool (SCH-500, SCH-521). An invalid value is ignored; the
// validator and the controller report it.
#pragma once

#include "model/schema/karpenter.h"

#define ANNOTATION_PACKING_POLICY         "adze.dev/packing-policy"    // Greedy, LowestPrice
#define ANNOTATION_MAX_PODS_PER_NODE      "adze.dev/max-pods-per-node" // a whole number above 0
#define ANNOTATION_MAX_CPU_PER_NODE       "adze.dev/max-cpu-per-node"  // a quantity above 0
#define ANNOTATION_MAX_SHARE_PER_WORKLOAD "adze.dev/max-share-per-workload" // percent, 1 to 100
// Written by adze: its statistics of spot interruptions (control/command/interruptions.h).
#define ANNOTATION_SPOT_INTERRUPTIONS "adze.dev/spot-interruptions"

// The problem with an annotation of a NodePool, "must be ..."; NULL: it is valid, or not adze's.
const char *pool_annotation_problem(const char *key, const char *value);
