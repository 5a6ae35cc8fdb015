// When the disruption controller looks for empty nodes (disruption_emptiness.h): soon after a
// change, and when a blocker ends by itself. A look costs as much as the cluster is large, so the
// pause between two grows with it.
#pragma once

#include "control/disruption/disruption_parts.h"

struct emptiness_schedule { // all instants are monotonic
    bool dirty;
    int64_t evaluated_ns;     // the last turn
    uint32_t evaluated_nodes; // in the cluster then: those that leave make room in budgets
    int64_t evaluated_state;  // cluster_changed_at() of the last turn
    int64_t glanced_ns;       // when it was last found that a turn had nothing to find
    int64_t again_ns;         // evaluate even without a change
};

void emptiness_schedule_init(struct emptiness_schedule *schedule);
bool emptiness_schedule_is_due(struct emptiness_schedule *schedule,
                               const struct disruption_parts *parts, int64_t now_ns);
// One turn, now. `may_start`: new commands may begin.
void emptiness_schedule_run(struct emptiness_schedule *schedule,
                            const struct disruption_parts *parts, bool may_start);
// When to look at what has changed since the last turn, if that was before `now_ns`; NS_NEVER:
// nothing has.
int64_t emptiness_schedule_news_due(const struct emptiness_schedule *schedule,
                                    const struct disruption_parts *parts, int64_t now_ns);
