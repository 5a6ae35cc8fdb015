// Pods without a place and why (SCH-30, 41, 46, 223, 239, 520, 530).
#pragma once

#include "engine/pass.h"

// Appends a pod with its message; plan->unschedulable has room for every pod of the queue.
void unplaced_add(struct plan *plan, const struct pod *pod, const char *message);
// Every pod of the queue that has no place, sorted.
void unplaced_finish(struct pass *pass, bool explain, struct plan *plan);
