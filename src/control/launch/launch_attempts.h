// Which NodeClaims may be tried on what failed last (launch_backoff.h).
#pragma once

#include "control/runtime/control.h"

struct launch_backoff;
enum launch_cause { LAUNCH_WANTED, LAUNCH_REPLACEMENT };
// Whether the NodeClaim of this body, whose name was chosen, may be created now; asking again about
// the same name changes nothing. What it could have been launched as is remembered until its end.
// Who is told no plans anew: what is on trial is left out then.
// Replacements of a disruption command, which go all or none, are held back for ten minutes only.
bool launch_backoff_admits(struct launch_backoff *backoff, const json_t *body,
                           enum launch_cause cause);
// It was not created after all.
void launch_backoff_withdraw(struct launch_backoff *backoff, const char *pool, const char *claim);
