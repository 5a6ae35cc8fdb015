// Node alternatives of a pod's volume claim, as requirement sets (SCH-330 to SCH-336).
#pragma once

#include "engine/problem/problem.h"

struct volume_alternatives {
    uint32_t *sets;
    uint32_t count;
};

// On failure returns false and appends the error.
bool volume_alternatives_of(struct problem *problem, const struct persistent_volume_claim *claim,
                            struct volume_alternatives *out, struct text *error);
// SCH-335: the cross product, earlier volumes varying slowest. Pairs that do not intersect are
// dropped unless none would be left. False: there are too many.
bool volume_alternatives_cross(struct problem *problem, struct volume_alternatives *all,
                               const struct volume_alternatives *next);
