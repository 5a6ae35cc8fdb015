// Rules between pods while placing (SCH-285 to SCH-329).
#pragma once

#include "engine/topology/topology_choice.h"

// Checks the hostname rules and prepares the alternatives of all other keys.
enum verdict topology_begin(struct pass *pass, uint32_t class, const struct candidate *candidate,
                            struct topology_choice **choice);
// The next set to try: base with one alternative of each key; false after the last.
bool topology_next(struct pass *pass, const struct candidate *candidate,
                   struct topology_choice *choice, uint32_t *set);

// --- spreads of others (SCH-516; topology_inverse_spread.c) --------------------------------------
// Nodes and claims tried before a pod stops avoiding other pods' spreads.
#define INVERSE_TRIES_MAX 64
static inline bool topology_inverse_tries_end(struct pass *pass)
{
    return pass->current.avoids_inverse && pass->current.inverse_tries++ >= INVERSE_TRIES_MAX;
}
