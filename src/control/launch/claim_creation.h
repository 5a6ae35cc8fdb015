// Creating NodeClaims, for pods, for replacements and for static NodePools: one reading of the
// answer, one log line, one metric.
//
// The name is the caller's to choose (choose_claim_name()) before the call: if its answer is lost,
// that name is what may be there. The caller keeps it, and whatever it stands for, until the mirror
// has the NodeClaim or the call is made again under the same name: so none is lost, and none comes
// twice.
#pragma once

#include "control/runtime/control.h"
#include "engine/launch/limit_grants.h"
#include "reconcile/operations.h"

enum claim_answer {
    CLAIM_CREATED,
    CLAIM_EXISTS,     // one of that name is there, and the mirror does not have it yet
    CLAIM_UNANSWERED, // it may be there
    CLAIM_DEFERRED,   // not created; the same call may succeed later
    CLAIM_REJECTED,   // not created, for good
};
enum claim_answer claim_answer_of(const struct kube_result *result);

// What the caller makes of the answer; `key`: of the work item. A NodeClaim that was created has
// been reported already; `result->object` is it.
typedef enum operation_outcome (*claim_answered)(void *context, const char *key,
                                                 enum claim_answer answer,
                                                 const struct kube_result *result);

struct claim_creation { // one create call; the caller's, stays where it is until the answer
    struct control *control;
    const char *controller; // of log lines
    const char *command_id; // of a replacement; else NULL
    const char *reason;     // label of karpenter_nodeclaims_created_total
    const char *pool, *name;
    bool min_values_relaxed;
    const struct resource_map *requests; // for the log line, as are `types`; NULL: not there
    const struct claim_types *types;
    claim_answered answered;
    void *context;
};
// `about` gives the item and the text for messages; `body` (node_claim_body()) is stolen.
void claim_creation_start(struct claim_creation *creation, const struct operation_about *about,
                          json_t *body);
// The mirror has the NodeClaim of a call whose answer was lost: it is reported now.
void claim_creation_found(const struct claim_creation *creation);
