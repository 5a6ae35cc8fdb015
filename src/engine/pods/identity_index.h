// Which identities a selector may select, by a label that it asks for, so that the rules of
// thousands of workloads need not each look at the pods of all (SCH-281).
#pragma once

#include "engine/problem/problem.h"

// Calls `found` with every identity of the namespace that has the label, and maybe others; in no
// order.
void identity_index_find(struct problem *problem, const char *namespace,
                         const struct string_pair *label,
                         void (*found)(void *context, uint32_t identity), void *context);
void identity_index_free(struct problem *problem);
