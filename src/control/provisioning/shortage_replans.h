// Pods of NodeClaims that ended because the provider had no capacity (AWI-929): they are planned
// anew in the same moment, without a batching window, and the events of the next decision give the
// provider's answer. What failed is left out of the next plan (launch_backoff.h, and the memory of
// providers), so that each round tries something else.
//
// By COMPATIBILITY=upstream nothing is noted.
#pragma once

#include "control/runtime/control.h"

struct launch_backoff;
struct shortage_replans;
struct shortage_replans *shortage_replans_create(struct control *control,
                                                 struct launch_backoff *backoff);
void shortage_replans_destroy(struct shortage_replans *replans);

// The NodeClaim is gone. True if it had no capacity and the pods of its wave are to be planned now:
// no other one of these is about to go.
bool shortage_replans_ended(struct shortage_replans *replans, const char *claim_uid);
// "nodeclaim/x: insufficient capacity, ...", once for each shortage of the pod, to be freed; NULL:
// there is nothing to tell.
char *shortage_replans_take(struct shortage_replans *replans, const struct pod *pod);
// The pod is bound or gone.
void shortage_replans_forget(struct shortage_replans *replans, const char *pod_uid);
