// Claims that are opened (SCH-220 to SCH-224).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// SCH-220 to SCH-224: a new claim of the first template that accepts. On failure, with
// pass->refusal.why set, the errors of all templates; pass->last.reserved_error says whether
// SCH-222 ended the search.
bool place_on_new_claim(struct pass *pass, uint32_t pod, uint32_t class);
// For a packer that knows where the pod belongs: a new claim of the template in the domains `pins`
// (a requirement set), with machines of no more capacity than `largest` in what the pool limits
// (NULL: any).
// NULL, and nothing done, if that would refuse the pod.
struct claim *claim_open(struct pass *pass, struct node_template *template, uint32_t pins,
                         const int64_t *largest, uint32_t pod, uint32_t class);
// The pod joins an open claim; false, and nothing done, if that refuses it.
bool claim_join(struct pass *pass, struct claim *claim, uint32_t pod, uint32_t class);
