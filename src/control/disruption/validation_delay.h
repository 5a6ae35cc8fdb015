// How long a command waits between its decision and its validation (DIS-260): the least time that
// an empty node stays. Upstream waits 15 s, while pods may still be scheduled to the node. With the
// taint in place only people and budgets can object, so a shorter time is enough, and the shortest
// where no pod runs. Drift does not wait (DIS-268), but is validated (DIS-763).
#pragma once

#include "control/runtime/strategy.h"
#include "model/reading/disruption_reason.h"

// Nanoseconds; 0: the command is validated at once.
int64_t validation_delay_ns(const struct control_strategy *strategy, enum disruption_reason reason);
