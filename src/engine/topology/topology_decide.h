// What of a claim must not stay open (SCH-325, SCH-511, SCH-544): a claim that may be launched in
// several domains of a key is pinned to one when a pod that joins it is counted by a rule that pods
// without a place still wait for. Where nobody waits, a claim keeps all domains that are right.
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/topology/topology_choice.h"

// Counts who waits: at the start of the pass, and when a pod has been placed.
void topology_start_waiting(struct pass *pass);
void topology_stop_waiting(struct pass *pass, uint32_t pod);

// Fills state->counting. Returns how many keys the class's claims may have to decide at most.
uint32_t topology_prepare_counting(struct pass *pass, const struct pod_class *class,
                                   struct class_state *state);
// The keys that the candidate must decide to take the class, into choice->decided.
void topology_find_undecided(struct pass *pass, const struct pod_class *class,
                             const struct class_state *state, const struct candidate *candidate,
                             struct topology_choice *choice);
// Adds alternatives of the undecided keys that no rule of the class itself has settled: cheapest
// launch first, then where spreads of others count the fewest pods, then what most pods ask for,
// then by name.
void topology_decide_rest(struct pass *pass, const struct class_state *state,
                          const struct candidate *candidate);
