// Creation of NodeClaims for pods, replacements and static NodePools: one reading of the answer,
// one log line, one metric.
//
// The caller chooses the name (choose_claim_name()) before the call: if the answer is lost, a
// NodeClaim of that name may exist. The caller keeps the name, and its reservation, until the
// mirror has the NodeClaim or the call is repeated under the same name: so no NodeClaim is lost or
// created twice.
#pragma once

#include "control/runtime/control.h"
#include "engine/launch/limit_grants.h"
#include "reconcile/operations.h"

enum claim_answer {
    CLAIM_CREATED,
    CLAIM_EXISTS,     // the name is taken, and the mirror does not have the NodeClaim yet
    CLAIM_UNANSWERED, // a NodeClaim of the name may exist
    CLAIM_DEFERRED,   // not created; the same call may succeed later
    CLAIM_REJECTED,   // not created, and a repetition would fail, too
};
enum claim_answer claim_answer_of(const struct kube_result *result);

// Gets the answer; `key`: of the work item. A created NodeClaim has been reported already;
// `result->object` is the NodeClaim.
typedef enum operation_outcome (*claim_answered)(void *context, const char *key,
                                                 enum claim_answer answer,
                                                 const struct kube_result *result);

struct claim_creation { // one create call; owned by the caller, at a fixed address until the answer
    struct control *control;
    const char *controller; // of log lines
    const char *command_id; // of a replacement; else NULL
    const char *reason;     // label of karpenter_nodeclaims_created_total
    const char *pool, *name;
    bool min_values_relaxed;
    const struct resource_map *requests; // for the log line, as are `types`; NULL: unknown
    const struct claim_types *types;
    claim_answered answered;
    void *context;
};
// `about` gives the item and the text for messages; `body` (node_claim_body()) is stolen.
void claim_creation_start(struct claim_creation *creation, const struct operation_about *about,
                          json_t *body);
// Reports the NodeClaim of a call whose answer was lost: the mirror has it now.
void claim_creation_found(const struct claim_creation *creation);
