// Placing one pod: on a node, on a claim, on a new claim (SCH-180 to SCH-260).
#pragma once

#include "engine/placement/pass.h"
#include "engine/topology/topology.h"

// SCH-190 to SCH-200: the first node in order that takes the pod; places it.
bool place_on_nodes(struct pass *pass, uint32_t pod, uint32_t class);
// SCH-210 to SCH-216: the same for the claims of the pass, the emptiest first.
bool place_on_claims(struct pass *pass, uint32_t pod, uint32_t class);
// The claim, an open or a new one, whose cheapest machine grows least in price; places the pod.
bool place_thriftily(struct pass *pass, uint32_t pod, uint32_t class);
// SCH-220 to SCH-224: a new claim of the first template that accepts. On failure, with pass->why
// set, the errors of all templates; pass->reserved_error says whether SCH-222 ended the search.
bool place_on_new_claim(struct pass *pass, uint32_t pod, uint32_t class);

// Why a node refuses the class, for explanations; ACCEPTED if it does not.
enum verdict node_check(struct pass *pass, uint32_t node, uint32_t class);
// Its parts. SCH-194, steps 1 to 5: what nothing in this pass can make good again.
bool node_fits_shape(struct pass *pass, const struct place *place, const struct node_slot *slot,
                     const struct shape *shape);
bool node_taints_allow(struct problem *problem, const struct shape *shape,
                       const struct place *place);
bool node_terms_hold(struct problem *problem, const struct place *place,
                     const struct shape *shape);
// Adds to the places that refuse the class in this pass those that do so in all passes that share
// pass->input.shared. Nothing to do without it, or if that was done before.
void shared_refusals_take(struct pass *pass, uint32_t class);
struct shared_places *shared_places_create(const struct problem *problem, struct arena *arena);
// Places the pod on a node that does not refuse it.
void node_accept(struct pass *pass, uint32_t node, uint32_t pod, uint32_t class);

// --- limits (SCH-360 to SCH-364, SCH-519)
// What is left at the start of the pass.
void limits_start(struct pass *pass);
// What all places leave, by template; NULL: no limits.
int64_t **limits_remaining(const struct problem *problem, struct arena *arena);
// The template's rows that the limits still allow; false with an error if there are none.
bool limits_allow_new(struct pass *pass, const struct node_template *template, struct bitset rows);
// Drops rows that an open claim may not grow into; false with an error if none is left.
bool limits_allow_more(struct pass *pass, const struct claim *claim, struct bitset rows);
// Takes what the claim needs now, instead of what it took before.
void limits_take(struct pass *pass, struct claim *claim);
// At the end, any number of times: drops machines with which the claims of a pool could together
// exceed its limits, whatever is launched.
void limits_settle(struct pass *pass);

// --- reservations (SCH-255 to SCH-259, SCH-522)
// Fills attempt->reservations; may narrow the attempt. False with an error: SCH-258.
bool reservations_check(struct pass *pass, const struct claim *claim,
                        struct claim_attempt *attempt);
void reservations_take(struct pass *pass, struct claim *claim,
                       const struct claim_attempt *attempt);

// --- volume claims of one pod only (SCH-515)
void volumes_start(struct pass *pass);
bool volumes_free(struct pass *pass, const struct shape *shape); // false with an error
void volumes_take(struct pass *pass, const struct shape *shape);

// The claim has a pod more than `before`: its place in the order of SCH-210.
void claim_reorder(struct pass *pass, struct claim *claim, uint32_t before);

// SCH-212. `fresh`: a claim that is not open yet.
enum verdict claim_check(struct pass *pass, const struct claim *claim, uint32_t class, bool fresh,
                         struct claim_attempt *attempt);
// What its cheapest machine costs, nano-USD an hour; INT64_MAX: it has none.
int64_t claim_attempt_price(struct pass *pass, const struct claim *claim,
                            const struct claim_attempt *attempt);
void claim_accept(struct pass *pass, struct claim *claim, uint32_t pod, uint32_t class,
                  const struct claim_attempt *attempt);

// For a packer that knows where the pod belongs: a new claim of the template in the domains `pins`
// (a requirement set), with machines of no more capacity than `largest` in what the pool limits
// (NULL: any).
// NULL, and nothing done, if that would refuse the pod.
struct claim *claim_open(struct pass *pass, struct node_template *template, uint32_t pins,
                         const int64_t *largest, uint32_t pod, uint32_t class);
// The pod joins an open claim; false, and nothing done, if that refuses it.
bool claim_join(struct pass *pass, struct claim *claim, uint32_t pod, uint32_t class);

// Begins the text of a refusal, forgetting an earlier one. Returns pass->why (NULL: nobody asks).
struct text *refusal_begin(struct pass *pass, enum reason_code code);
void refusal_add_taints(struct pass *pass, uint32_t tolerations, uint32_t taints);
// `requirement` names other hosts; nothing is added if it is REQUIREMENT_NONE or allows `hostname`.
void refusal_add_hostname(struct pass *pass, uint32_t requirement, uint32_t hostname);
// SCH-239, 241.
void refusal_add_filter(struct pass *pass, const struct claim *claim, uint32_t class, uint32_t set);
