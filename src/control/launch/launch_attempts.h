// Admission of NodeClaims to what failed last (launch_backoff.h).
#pragma once

#include "control/runtime/control.h"

struct launch_backoff;
enum launch_cause { LAUNCH_WANTED, LAUNCH_REPLACEMENT };
// Whether the NodeClaim of this body, whose name was chosen, may be created now; a second call for
// the same name changes nothing. The offerings that it may be launched as are kept until it ends. A
// caller that gets false plans anew: the next plan leaves out what is on trial. Replacements of a
// disruption command, which are created together or not at all, wait for ten minutes at most.
bool launch_backoff_admits(struct launch_backoff *backoff, const json_t *body,
                           enum launch_cause cause);
// The admitted NodeClaim was not created.
void launch_backoff_withdraw(struct launch_backoff *backoff, const char *pool, const char *claim);
