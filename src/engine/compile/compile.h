// Compiles a snapshot to a problem (problem.h), room by room.
#pragma once

#include "engine/problem/problem.h"

// Objects made for the plan (placeholder pods) live in `plan_arena`. `with_movable`: compiles the
// pods that a disruption would move, too (SCH-57, simulation.h).
struct problem *problem_create(const struct snapshot *snapshot, struct arena *plan_arena,
                               bool with_movable);
void problem_destroy(struct problem *problem);
