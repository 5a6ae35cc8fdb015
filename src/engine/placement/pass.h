// The queue loop: pods of a problem find places on nodes and claims (SCH-50, SCH-150 to SCH-262).
#pragma once

#include "engine/pass/pass_state.h"

struct pass *pass_create(struct problem *problem, const struct pass_input *input);
void pass_destroy(struct pass *pass);
// Its parts, for repairs: the queue loop alone; whether a pod went without a node because of a
// limit or a reservation while a less important one got one; whether the pod could be placed now
// with the class, or might when others are.
void pass_run_queue(struct pass *pass);
bool pass_priorities_matter(struct pass *pass);
bool pass_could_place(struct pass *pass, uint32_t pod, uint32_t class);
