// Warnings about new nodes with most pods of a workload, where no bound is set (SCH-521).
#pragma once

#include "engine/pass/pass_state.h"

// Warns about every new node with more than half of a workload of more than 3 replicas.
void concentration_warn(struct pass *pass, struct plan *plan);
