// Index of identities by label, so that a selector looks only at identities with a label that it
// requires and not at all pods of the cluster (SCH-281).
#pragma once

#include "engine/problem/problem.h"

// Calls `found` for every identity of the namespace that has the label, and possibly for others,
// unordered.
void identity_index_find(struct problem *problem, const char *namespace,
                         const struct string_pair *label,
                         void (*found)(void *context, uint32_t identity), void *context);
void identity_index_free(struct problem *problem);
