// Launch back-off (LIF-440, STO-25, STO-27). It removes failed offerings from the catalogs that
// decisions read, so that their pods go elsewhere and other pods never wait:
//
// - An offering (instance type, zone, capacity type) without capacity by the provider's answer is
//   left out for that NodePool: 10 s at first, doubling to 3 min as long as it fails; the failure
//   is remembered for an hour. (Providers that remember shortages themselves show them in their
//   catalog.)
// - A NodePool whose NodeClaims repeatedly end without a node loses all its offerings. The first
//   machine that does not register is replaced at once; then 5 min, doubling to 1 h; after a launch
//   that took too long 30 s, then 1 min, doubling to 1 h; while its node class is not ready 10 s,
//   doubling to 3 min.
//
// After the delay an offering is on trial: one NodeClaim attempts it, and meanwhile it stays left
// out for all others. Each launched machine admits three more at a time; 16 in a row end the trial.
// A NodePool on trial gets one NodeClaim until that is launched, or registered if registration
// failed. A NodeClaim that may also be launched as another offering is no attempt and is never
// delayed. If a NodePool has only offerings on trial, it gets two attempts at a time, 5 s apart at
// first, 30 s at most: quotas fail for each offering.
//
// NodeClaims of one wave count once: a further failure is one of a NodeClaim created after the last
// failure, and only a machine created after it ends a trial. The state is in memory: after a
// restart everything is tried at once, except in NodePools whose condition reports failures; these
// get a few attempts at a time. There is no back-off under COMPATIBILITY=upstream.
//
// The NodePool's condition LaunchBackOff and FailedScheduling events of its pods name the delays.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"

struct launch_backoff;
struct launch_backoff *launch_backoff_create(struct control *control);
// Registers its handlers; until then it may only be passed on.
void launch_backoff_observe(struct launch_backoff *backoff);
void launch_backoff_destroy(struct launch_backoff *backoff); // NULL is fine

// Outcomes of NodeClaims. A NodeClaim without NodePool is ignored. One that another process
// created, or this one before a restart, teaches nothing about offerings.
// `answer`: the provider's; `advice`: a sentence about what users can do, shown in the condition;
// NULL: none.
void launch_backoff_no_capacity(struct launch_backoff *backoff, const struct node_claim *claim,
                                const char *answer, const char *advice);
// Hears of each of these, while the NodeClaim still has its planned pods. One listener; NULL: none.
typedef void (*shortage_listener)(void *context, const struct node_claim *claim,
                                  const char *answer);
void launch_backoff_on_shortage(struct launch_backoff *backoff, shortage_listener listener,
                                void *context);
// `reason`: "nodeclass_not_ready", "launch_timeout" or "registration_timeout"; static text.
void launch_backoff_failed(struct launch_backoff *backoff, const struct node_claim *claim,
                           const char *reason);
void launch_backoff_launched(struct launch_backoff *backoff, const struct node_claim *claim);
void launch_backoff_registered(struct launch_backoff *backoff, const struct node_claim *claim);
