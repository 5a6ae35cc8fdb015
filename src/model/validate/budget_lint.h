// Disruption budgets that are admitted but probably wrong (DIS-777, DIS-764), with their effect.
// For `adze validate`, `adze budgets` and other output for users.
#pragma once

#include "model/reading/budget_windows.h"

struct budget_finding {
    const char *code;           // stable: "W-cron"
    const char *field;          // of the budget: "schedule", "duration", "reasons", "nodes"
    const char *message, *hint; // hint: the remedy, or NULL
};
// Calls `report` for each problem of one budget. `now`: nanoseconds since the epoch; messages name
// the next windows after it where useful; 0: they do not. `most_nodes`: the pool's present or
// possible maximum of nodes; INT64_MAX: unknown. Texts live during the call only.
void budget_lint(const struct node_pool_budget *budget, int64_t most_nodes, int64_t now,
                 void (*report)(void *context, const struct budget_finding *oddity), void *context);
// Whether the budget is always active and allows no disruption.
bool budget_always_blocks(const struct node_pool_budget *budget);
