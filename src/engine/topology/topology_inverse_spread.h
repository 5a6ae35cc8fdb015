// Pods without a spread of their own that count for other pods' spreads (SCH-516). Where that costs
// nothing, they go where those spreads stay within maxSkew. All spreads of a plan then hold in the
// end, whatever the order in which kube-scheduler binds the pods.
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/topology/topology_choice.h"
#include "engine/topology/topology_counts.h"

// True if a pod of a class would push a spread of placed pods over maxSkew, so that these would
// have to be bound first. `inverse_spreads` is the class state's; domains that `set` leaves open do
// not count. Always false unless pass->current.avoids_inverse.
bool topology_breaks_inverse(struct pass *pass, const struct group_list *inverse_spreads,
                             const struct candidate *candidate, uint32_t set);
// Checks only the domains that the claim already has; a cheap refusal before the whole check.
bool topology_inverse_allows(struct pass *pass, uint32_t class, const struct claim *claim);
// SCH-516: finds the other pods' spreads that the class should avoid breaking, into its state.
// (topology_inverse_spread.c)
void topology_find_inverse(struct pass *pass, const struct pod_class *class,
                           struct class_state *state);
// Records the domain of a pod that owns a spread which other pods may break.
void topology_note_owner(struct pass *pass, const struct pod_class *class, uint32_t set,
                         uint32_t hostname);
