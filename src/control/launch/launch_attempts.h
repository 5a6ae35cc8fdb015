// Which NodeClaims may be tried on what failed last.
#pragma once

#include "control/launch/launch_backoff.h"
#include "control/launch/launch_backoff_internal.h"

bool launch_backoff_admits(struct launch_backoff *backoff, const json_t *body,
                           enum launch_cause cause);
// It was not created after all.
void launch_backoff_withdraw(struct launch_backoff *backoff, const char *pool, const char *claim);
void planned_destroy(void *planned);
void attempt_destroy(void *attempt);
void attempt_end(struct pool_backoff *pool, const char *claim); // it is fine if there is none
// Its offerings are no longer tried by it; answers whether there was an attempt.
bool attempt_launched(struct pool_backoff *pool, const char *claim);
bool trial_runs(const struct trial *trial); // it failed, and has not passed since
bool trial_lets_in(const struct trial *trial, int64_t now_ns); // one more NodeClaim
bool whole_runs(const struct pool_backoff *pool); // the NodePool is on trial as a whole
