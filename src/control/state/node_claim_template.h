// The NodeClaim object of a planned claim (SCH-376 to SCH-384), and the limits that all claims of a
// pass keep together (SCH-365, SCH-519).
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"

#define CLAIM_TYPES_MAX 600 // SCH-384

// The types that a claim may be launched as: `types` of the plan, cut and narrowed to what the
// limits of its NodePool leave. Empty: the claim must not be created.
struct claim_types {
    LIST(const struct instance_type *) types; // by price
};

// What the NodePool's limits leave, one number a limit, in their order, negative where they are
// exceeded. `replacing`: for its replacements; its own nodes do not count, and of another command
// that is being carried out the larger of its nodes and its replacements (DIS-731). NULL: for
// anything else.
struct disruption_command;

// A name for a new NodeClaim of the NodePool, which no other has that is known of.
#define CLAIM_NAME_MAX 64
void choose_claim_name(struct control *control, const char *pool, char name[CLAIM_NAME_MAX]);
// The body of the create call. `name` was chosen by the caller. Without `types` the claim is a
// static pool's (LIF-232): its requirements stay as they are, and nothing is requested.
json_t *node_claim_body(struct control *control, const struct plan_claim *claim,
                        const struct claim_types *types, const char *name);
// "a, b, c, d, e and 7 other(s)": names in alphabetical order.
void describe_types(const struct claim_types *types, struct text *out);
