// The greedy policy (SCH-210 to SCH-216).
#pragma once

#include "engine/pass/pass_input.h"

// Upstream's policy: every claim grows as far as any type allows (SCH-210 to SCH-216).
struct pass *pack_greedy(struct problem *problem);
struct pass *pack_greedy_as(struct problem *problem, const struct pass_input *input);
