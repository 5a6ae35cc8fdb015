// The queue loop: places the pods of a problem on nodes and claims (SCH-50, SCH-150 to SCH-262).
#pragma once

#include "engine/pass/pass_state.h"

struct pass *pass_create(struct problem *problem, const struct pass_input *input);
void pass_destroy(struct pass *pass);
// Parts for retries: the queue loop alone; whether a limit or reservation kept a pod without a node
// while a pod of lower priority got one; whether the pod could be placed with the class now or
// after others.
void pass_run_queue(struct pass *pass);
bool pass_priorities_matter(struct pass *pass);
bool pass_could_place(struct pass *pass, uint32_t pod, uint32_t class);
