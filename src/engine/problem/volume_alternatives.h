// Where the volumes of a claim let a pod go, as requirement sets (SCH-330 to SCH-336).
#pragma once

#include "engine/problem/problem.h"

struct volume_alternatives {
    uint32_t *sets;
    uint32_t count;
};

// False with the error's text, appended.
bool volume_alternatives_of(struct problem *problem, const struct persistent_volume_claim *claim,
                            struct volume_alternatives *out, struct text *error);
// SCH-335: every pair, earlier volumes varying slowest; pairs that do not intersect are dropped
// unless nothing would be left. False: there are too many.
bool volume_alternatives_cross(struct problem *problem, struct volume_alternatives *all,
                               const struct volume_alternatives *next);
