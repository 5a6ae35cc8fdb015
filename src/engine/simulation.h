// Passes that ask what would happen if some nodes were gone (SCH-57): the same decision, over other
// nodes and pods.
#pragma once

#include "engine/pass.h"

// A finished pass over the pending pods, the pods of nodes that are going anyway, and the
// reschedulable pods of the places in `gone` (by index in problem->places; sized for them), which
// take no part. The problem must have been made with its movable pods. Reservations fall back
// (SCH-258). The queue lives in `arena`; the caller destroys the pass before it.
struct pass *simulate(struct problem *problem, struct arena *arena, struct bitset gone);
