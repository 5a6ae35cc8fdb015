// Active windows of NodePool disruption budgets (DIS-110 to DIS-117). All instants are nanoseconds
// since the epoch; schedules are in UTC.
#pragma once

#include "base/text.h"
#include "model/reading/disruption_reason.h"
#include "model/schema/karpenter.h"

#define BUDGET_UNLIMITED INT64_C(2147483647)

// Half-open: [start, end). A budget without a schedule, or whose schedule never matches (DIS-113),
// is always active: INT64_MIN to INT64_MAX. `end` is also INT64_MAX if the matches leave no gap for
// five years.
struct budget_window {
    int64_t start, end;
};

// Whether the budget is active at `now`. Returns false, with *error, for an invalid schedule
// (DIS-117).
bool budget_is_active(const struct node_pool_budget *budget, int64_t now, bool *active,
                      struct error *error) MUST_USE;
// The first window that ends after `instant`: the current or the next one. Windows that touch or
// overlap are merged; `start` is the earliest match still active at `instant`. Returns false if
// there is none or the schedule is invalid.
bool budget_next_window(const struct node_pool_budget *budget, int64_t instant,
                        struct budget_window *window) MUST_USE;
// The budget's allowance for `total` nodes while it is active (DIS-118). Returns false, with
// *error, for invalid `nodes`.
bool budget_nodes(const struct node_pool_budget *budget, int64_t total, int64_t *nodes,
                  struct error *error) MUST_USE;
// DIS-120: an empty list contains no reason, an absent one all.
bool budget_has_reason(const struct node_pool_budget *budget, enum disruption_reason reason);
// Whether the budget applies to any reason.
bool budget_has_reasons(const struct node_pool_budget *budget);
// A description: nodes "10%" for Empty and Drifted, schedule "0 9 * * mon-fri" for 8h.
void budget_describe(const struct node_pool_budget *budget, struct text *out);
