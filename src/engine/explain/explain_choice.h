// Why a pod is where the plan has it (explain.h; SCH-520 part 4).
#pragma once

#include "engine/explain/explain.h"

// plan->choice: why the pod "namespace/name" is where it is (explain_choice.c). Nothing if it is
// not in the plan or has no place. After claims and placements are finished.
void explain_choice(struct pass *pass, const char *pod, struct plan *plan);
