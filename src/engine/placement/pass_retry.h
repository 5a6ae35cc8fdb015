// Another look at a pass that left pods without a place (SCH-510, SCH-543).
//
// A pass decides pod by pod, and an early choice can take the only place of a later pod: a node
// that no other would do for, the zone of a spread, room below a limit. The pass is tried anew a
// few times, in other orders and with other options, and the run that places most pods is kept. How
// often depends on the number of pods alone.
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/pass/pass_state.h"

// The pass, or a better one in its stead: a queue in another order, which lives as long as the
// problem, with other placements and claims.
void pass_retry(struct pass *pass);
