// A whole pass: the queue loop, again by priority, and retries.
#pragma once

#include "engine/pass/pass_state.h"

// The queue loop (SCH-151 to SCH-157) over the pods that have no place yet; the limits are settled
// afterwards. A pass in which nothing is placed yet starts again in the order of priority if limits
// or reservations kept a pod waiting for a less important one (SCH-517).
void pass_run(struct pass *pass);
