// The packing policies (PACKING_POLICY; SCH-500): how the pods of a pass share nodes.
#pragma once

#include "engine/pass/pass_state.h"

// Runs a pass over all pods of the problem with the policy of its settings. The caller destroys it.
struct pass *pack(struct problem *problem);
