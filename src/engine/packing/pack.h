// The packing policies (PACKING_POLICY; SCH-500): how the pods of a pass share nodes.
#pragma once

#include "engine/pass/pass_state.h"

// A finished pass over all pods of the problem by the policy that its settings ask for. The caller
// destroys it.
struct pass *pack(struct problem *problem);
