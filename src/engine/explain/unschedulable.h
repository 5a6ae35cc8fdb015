// Unplaced pods and their reasons (SCH-30, 41, 46, 223, 239, 520, 530).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/problem/plan_options.h"

// Appends a pod with its message (SCH-384), and its reason if `explain`. plan->unschedulable has
// room for every pod of the queue.
void unschedulable_add_min_values(struct plan *plan, const struct pod *pod, const char *message,
                                  const struct node_pool *pool, bool explain);
// Adds every unplaced pod of the queue, sorted.
void unschedulable_finish(struct pass *pass, enum explain_level level, struct plan *plan);
