// Which launches are not tried again at once (LIF-440, STO-25, STO-27). What failed is left out of
// the catalogs that decisions see, so that the pods concerned go elsewhere, and others never
// wait:
//
// - An offering (instance type, zone, capacity type) of which the provider said that there is no
//   capacity: it is left out for that NodePool, 10 s at first, doubling to 3 min as long as it goes
//   on failing; that it failed is remembered for an hour. (Providers that remember shortages
//   themselves say so in their catalog, too.)
// - A NodePool whose NodeClaims end without a node, time after time: all its offerings. The first
//   machine that does not register is replaced at once; then 5 min, doubling to 1 h; after a launch
//   that took too long 30 s, then 1 min, doubling to 1 h; while its node class is not ready 10 s,
//   doubling to 3 min.
//
// What comes back is on trial: one NodeClaim is attempted, and as long as it is under way the
// offering stays left out for all others. Each machine that comes admits three more at a time, 16
// in a row all. A NodePool is tried with one NodeClaim until that was launched, or registered where
// that is what failed. A NodeClaim that could also be launched as something else is no attempt: it
// is never held back. If all that a NodePool has left is on trial, it has two attempts at a time, 5
// s apart at first, 30 s at most: quotas fail for each offering.
//
// NodeClaims of one wave count once: only the failure of one that was created after the last
// failure is a further one, and only a machine that was asked for after it ends a trial. Kept in
// memory: after a restart each is tried anew, but in NodePools whose condition tells of failures by
// a few at a time. None of this under COMPATIBILITY=upstream.
//
// The NodePool's condition LaunchBackOff says what waits, and so do FailedScheduling events of the
// pods concerned.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"

struct launch_backoff;
struct launch_backoff *launch_backoff_create(struct control *control);
// Begins to hear changes; until then it may only be passed on.
void launch_backoff_observe(struct launch_backoff *backoff);
void launch_backoff_destroy(struct launch_backoff *backoff); // NULL is fine

// What came of a NodeClaim. Those without NodePool are nobody's matter. Nothing is learned of
// offerings from one that was not created here, or before a restart.
void launch_backoff_no_capacity(struct launch_backoff *backoff, const struct node_claim *claim);
// `reason`: "nodeclass_not_ready", "launch_timeout" or "registration_timeout"; static text.
void launch_backoff_failed(struct launch_backoff *backoff, const struct node_claim *claim,
                           const char *reason);
void launch_backoff_launched(struct launch_backoff *backoff, const struct node_claim *claim);
void launch_backoff_registered(struct launch_backoff *backoff, const struct node_claim *claim);
