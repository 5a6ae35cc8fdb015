// Relaxation of preferences: step by step in upstream's order (SCH-160), or by weight (SCH-509).
#pragma once

#include "engine/pods/classes.h"

// The class after one more step of relaxation: SCH-160's next step, or without the lightest
// remaining preference (SCH-509). NONE: nothing left to relax.
uint32_t class_relax(struct problem *problem, uint32_t class);
// SCH-509: the unrelaxed class `original` without the preferences in the mask.
uint32_t class_without(struct problem *problem, uint32_t original, uint64_t given_up);
// The step of relaxation that led from `class` to the next one, for DEBUG logs (SCH-164).
const char *class_relaxation_text(struct problem *problem, uint32_t class);
