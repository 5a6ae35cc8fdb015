// Why candidates stay, as far as that can be told after the methods have been asked: by conditions,
// policies, budgets, and what came first.
#pragma once

#include "engine/disruption/blocked_finder.h"

struct blocked_reason blocked_reason_of_candidate(const struct blocked_finder *finder,
                                                  const struct disruption_candidate *candidate);
