// Warnings about new nodes that carry most of a workload, where nothing bounds that (SCH-521).
#pragma once

#include "engine/pass/pass_state.h"

// A warning for every new node that carries more than half of a workload of more than 3 replicas.
void concentration_warn(struct pass *pass, struct plan *plan);
