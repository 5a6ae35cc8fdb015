// Pins open claims (SCH-325, SCH-511, SCH-544). A claim that may be launched in several domains of
// a key is pinned to one when a joining pod counts for a rule that unplaced pods still depend on.
// Otherwise the claim keeps all valid domains.
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/topology/topology_choice.h"

// Keep the counts of unplaced pods: call at the start of the pass and for every placed pod.
void topology_start_waiting(struct pass *pass);
void topology_stop_waiting(struct pass *pass, uint32_t pod);

// Fills state->counting. Returns the most keys that claims of the class may have to decide.
uint32_t topology_prepare_counting(struct pass *pass, const struct pod_class *class,
                                   struct class_state *state);
// Adds the keys that the candidate must decide before it takes the class to choice->decided.
void topology_find_undecided(struct pass *pass, const struct pod_class *class,
                             const struct class_state *state, const struct candidate *candidate,
                             struct topology_choice *choice);
// Adds alternatives for undecided keys without a rule of the class itself: cheapest launch first,
// then the fewest pods of other pods' spreads, then the value that most pods require, then by name.
void topology_decide_rest(struct pass *pass, const struct class_state *state,
                          const struct candidate *candidate);
