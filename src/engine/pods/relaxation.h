// Preferences are given up: step by step in upstream's order (SCH-160), or by weight (SCH-509).
#pragma once

#include "engine/pods/classes.h"

// The class of the pod after one more step of relaxation, or NONE: the next of SCH-160, or without
// the lightest preference that is left (SCH-509).
uint32_t class_relax(struct problem *problem, uint32_t class);
// SCH-509: the class of the unrelaxed pod `original` without the preferences of the mask.
uint32_t class_without(struct problem *problem, uint32_t original, uint64_t given_up);
// The step that led from `class` to the next, for DEBUG (SCH-164).
const char *class_relaxation_text(struct problem *problem, uint32_t class);
