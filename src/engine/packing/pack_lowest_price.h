// The cheapest set of claims (pack.h; SCH-500 to SCH-507, SCH-550 to SCH-553).
#pragma once

#include "engine/pass/pass_state.h"

// Packs the pods of a finished greedy pass again (SCH-550). Takes over the pass; returns it, or a
// cheaper one over the same pods.
struct pass *pack_cheaper(struct pass *greedy);
