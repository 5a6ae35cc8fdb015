// Retries of a pass that left pods unplaced (SCH-510, SCH-543).
//
// A pass decides pod by pod, and an early choice can take the only place of a later pod: the only
// suitable node, the zone of a spread, room below a limit. Retries run the pass a few times in
// other orders and with other options; the run that places most pods wins. Their number depends on
// the number of pods alone.
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/pass/pass_state.h"

// Returns the pass or a better one in its place, with another queue order (which lives as long as
// the problem), other placements and other claims.
void pass_retry(struct pass *pass);
