// Why the plan has a pod where it is (explain.h; SCH-520 part 4).
#pragma once

#include "engine/explain/explain.h"

// Fills plan->choice for the pod "namespace/name"; nothing if the plan does not place it. Call
// after claims and placements are complete.
void explain_choice(struct pass *pass, const char *pod, struct plan *plan);
