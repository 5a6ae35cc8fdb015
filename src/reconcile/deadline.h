// The earliest of several instants at which a reconciler is due, on the monotonic clock of the
// loop.
#pragma once

#include "base/nanoseconds.h"
#include "reconcile/reconcile_queue.h"

struct deadline {
    int64_t at_ns; // NS_NEVER: nothing is due
};

static inline void deadline_by(struct deadline *deadline, int64_t at_ns)
{
    deadline->at_ns = ns_minimum(deadline->at_ns, at_ns);
}

// Requeues for that instant, or at once if it has passed.
static inline struct reconcile_result reconcile_by(struct deadline deadline, int64_t now_ns)
{
    return reconcile_after(ns_maximum(ns_subtract(deadline.at_ns, now_ns), 0));
}
