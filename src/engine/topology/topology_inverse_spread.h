// Pods that have no spread of their own, but count for those of others (SCH-516): wherever it costs
// nothing they go where those stay within their maxSkew. Then all of a plan's spreads hold once
// everything is there, and it does not matter which pods kube-scheduler binds first.
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/topology/topology_choice.h"
#include "engine/topology/topology_counts.h"

// Whether a pod of a class would push spreads of pods that have their places already over maxSkew,
// so that they had to be bound before it. `inverse_spreads` is the class state's; domains that
// `set` leaves open do not count. Never unless pass->current.avoids_inverse.
bool topology_breaks_inverse(struct pass *pass, const struct group_list *inverse_spreads,
                             const struct candidate *candidate, uint32_t set);
// What the domains that the claim has already say about a pod of the class, for a refusal without
// the whole check.
bool topology_inverse_allows(struct pass *pass, uint32_t class, const struct claim *claim);
// SCH-516: the spreads of others that a class had better avoid, into its state.
// (topology_inverse_spread.c)
void topology_find_inverse(struct pass *pass, const struct pod_class *class,
                           struct class_state *state);
// Notes where a pod of the class is, whose spreads others may upset.
void topology_note_owner(struct pass *pass, const struct pod_class *class, uint32_t set,
                         uint32_t hostname);
