// Validation of pending pods (SCH-26 to SCH-32).
#pragma once

#include "engine/problem/problem.h"

// NULL, or why the pod is refused. *silent: without an event (SCH-30).
const char *validate_pod(struct problem *problem, const struct pod *pod, bool *silent);
