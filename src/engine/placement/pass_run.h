// A whole pass: the queue loop, a rerun by priority, and retries.
#pragma once

#include "engine/pass/pass_state.h"

// Runs the queue loop (SCH-151 to SCH-157) over the unplaced pods, then settles the limits. A pass
// that starts empty is rerun by priority if limits or reservations kept a pod waiting for one of
// lower priority (SCH-517).
void pass_run(struct pass *pass);
