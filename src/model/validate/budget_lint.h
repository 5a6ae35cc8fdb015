// What about disruption budgets is admitted, but hardly meant (DIS-777, DIS-764), and what it
// leads to. For `adze validate`, `adze budgets` and whoever else speaks to people.
#pragma once

#include "model/reading/budget_windows.h"

struct budget_finding {
    const char *code;           // stable: "W-cron"
    const char *field;          // of the budget: "schedule", "duration", "reasons", "nodes"
    const char *message, *hint; // hint: how to mend it, or NULL
};
// Calls `report` for each oddity of one budget. `now`: nanoseconds since the epoch, after which the
// next windows are named where that says something; 0: they are not. `most_nodes`: how many
// nodes the pool has or can have at most; INT64_MAX: unknown. Texts live during the call only.
void budget_lint(const struct node_pool_budget *budget, int64_t most_nodes, int64_t now,
                 void (*report)(void *context, const struct budget_finding *oddity), void *context);
// Whether the budget counts at all times and then allows nothing.
bool budget_always_blocks(const struct node_pool_budget *budget);
