// Why candidates stay, found after the methods have run: conditions, policies, budgets, and methods
// that came first.
#pragma once

#include "engine/disruption/blocked_finder.h"

struct blocked_reason blocked_reason_of_candidate(const struct blocked_finder *finder,
                                                  const struct disruption_candidate *candidate);
