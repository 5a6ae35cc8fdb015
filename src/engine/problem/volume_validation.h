// Validation of pods' volume claims (SCH-341).
#pragma once

#include "engine/problem/problem.h"

// SCH-341: why the pod's claims are refused, or NULL.
const char *volumes_validate(struct problem *problem, const struct pod *pod);
