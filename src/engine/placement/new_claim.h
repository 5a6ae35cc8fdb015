// Opens claims (SCH-220 to SCH-224).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// SCH-220 to SCH-224: opens a claim of the first template that accepts the pod. On failure adds the
// errors of all templates if pass->refusal.why is set; pass->last.reserved_error says whether
// SCH-222 ended the search.
bool place_on_new_claim(struct pass *pass, uint32_t pod, uint32_t class);
// For the packer, which knows the pod's domain: opens a claim of the template in the domains `pins`
// (a requirement set), on machines with at most the capacity `largest` in resources that the pool
// limits (NULL: any). Returns NULL, without effect, if the claim would refuse the pod.
struct claim *claim_open(struct pass *pass, struct node_template *template, uint32_t pins,
                         const int64_t *largest, uint32_t pod, uint32_t class);
// Adds the pod to an open claim; false, without effect, if the claim refuses it.
bool claim_join(struct pass *pass, struct claim *claim, uint32_t pod, uint32_t class);
