// When a disruption budget of a NodePool counts (DIS-110 to DIS-117), and what about it is hardly
// meant (DIS-777). All instants are nanoseconds since the epoch; schedules are in UTC.
#pragma once

#include "base/text.h"
#include "model/reading/disruption_reason.h"
#include "model/schema/karpenter.h"

#define BUDGET_UNLIMITED INT64_C(2147483647)

// Half-open: [start, end). A budget without a schedule, or whose schedule never hits (DIS-113),
// counts always: INT64_MIN to INT64_MAX. `end` is INT64_MAX, too, if the hits follow each other so
// closely that five years bring no gap.
struct budget_window {
    int64_t start, end;
};

// Whether the budget counts at `now`. False, with *error, if its schedule cannot be read (DIS-117).
bool budget_is_active(const struct node_pool_budget *budget, int64_t now, bool *active,
                      struct error *error) MUST_USE;
// The first window that ends after `instant`: the one that `instant` is in, or the next. Windows
// that touch or overlap are one; `start` is the earliest hit that still counts at `instant`. False:
// there is none, or the schedule cannot be read.
bool budget_next_window(const struct node_pool_budget *budget, int64_t instant,
                        struct budget_window *window) MUST_USE;
// What the budget allows of `total` nodes while it counts (DIS-118). False, with *error, if `nodes`
// cannot be read.
bool budget_nodes(const struct node_pool_budget *budget, int64_t total, int64_t *nodes,
                  struct error *error) MUST_USE;
// DIS-120: an empty list of reasons has none of them, an absent one has all.
bool budget_has_reason(const struct node_pool_budget *budget, enum disruption_reason reason);
// Whether the budget has a reason at all.
bool budget_has_reasons(const struct node_pool_budget *budget);
// For people: nodes "10%" for Empty and Drifted, schedule "0 9 * * mon-fri" for 8h.
void budget_describe(const struct node_pool_budget *budget, struct text *out);
