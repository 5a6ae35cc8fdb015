// Periodic work as a queue of the manager with a single key. A pass begins with operations; when
// they have ended it goes on, and the next one is due an interval after its end. A failed operation
// is retried with back-off as a new pass.
#pragma once

#include "reconcile/manager.h"
#include "reconcile/operations.h"

// Starts operations of the item that `about` names (`about->doing` and `record` are the caller's to
// set). Returns whether it has started any.
typedef bool (*periodic_step)(void *context, struct operation_about *about);

struct periodic_options {
    const char *name; // of the controller
    int64_t interval_ns;
    int64_t backoff_max_ns; // 0: the queue's own
    periodic_step begin;
    periodic_step go_on; // called until it starts nothing; NULL: there is no second step
    void *context;
};
struct periodic;
// Its first pass runs when the manager's queues start.
struct periodic *periodic_create(struct manager *manager, const struct periodic_options *options);
void periodic_destroy(struct periodic *periodic); // NULL is fine
// The interval from the end of this pass on.
void periodic_set_interval(struct periodic *periodic, int64_t interval_ns);
void periodic_run_now(struct periodic *periodic);
