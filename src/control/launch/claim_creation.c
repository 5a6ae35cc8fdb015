#include "control/launch/claim_creation.h"

#include <assert.h>
#include <stdlib.h>

#include "control/state/node_claim_template.h"
#include "model/schema/encode.h"

enum claim_answer claim_answer_of(const struct kube_result *result)
{
    switch (result->error.kind) {
    case ERROR_NONE: // created, but perhaps nobody can read the answer
        return result->object != NULL ? CLAIM_CREATED : CLAIM_EXISTS;
    case ERROR_ALREADY_EXISTS:
        return CLAIM_EXISTS;
    case ERROR_UNAVAILABLE:
    case ERROR_TIMEOUT:
        return CLAIM_UNANSWERED;
    case ERROR_CONFLICT:
    case ERROR_TOO_MANY_REQUESTS:
    case ERROR_UNAUTHORIZED:
        return CLAIM_DEFERRED;
    case ERROR_INVALID:
    case ERROR_NOT_FOUND:
    case ERROR_GONE:
    case ERROR_FORBIDDEN:
    case ERROR_INSUFFICIENT_CAPACITY:
    case ERROR_NODE_CLASS_NOT_READY:
    case ERROR_INTERNAL:
        return CLAIM_REJECTED;
    }
    return CLAIM_REJECTED;
}

void claim_creation_found(const struct claim_creation *creation)
{
    assert(creation->pool != NULL && creation->name != NULL && creation->reason != NULL);
    struct text types = {0};
    char *requests CLEANUP_FREE = NULL;
    if (creation->types != NULL)
        describe_types(creation->types, &types);
    if (creation->requests != NULL) {
        json_t *resources = resource_map_encode(creation->requests);
        requests = json_dumps(resources, JSON_COMPACT);
        json_decref(resources);
    }
    log_info("created nodeclaim", "s:controller", creation->controller, "s:command-id",
             creation->command_id, "o:NodePool", creation->pool, "o:NodeClaim", creation->name,
             "j:requests", requests, "s:instance-types", types.data);
    text_free(&types);
    metric_add(creation->control->metrics.node_claims_created, 1, creation->reason, creation->pool,
               creation->min_values_relaxed ? "true" : "false");
}

static enum operation_outcome note_answer(void *context, const char *key,
                                          const struct kube_result *result)
{
    const struct claim_creation *creation = context;
    enum claim_answer answer = claim_answer_of(result);
    if (answer == CLAIM_CREATED)
        claim_creation_found(creation);
    return creation->answered(creation->context, key, answer, result);
}

void claim_creation_start(struct claim_creation *creation, const struct operation_about *about,
                          json_t *body)
{
    assert(creation->name != NULL && creation->answered != NULL && body != NULL);
    struct operation_about call = *about;
    call.record = note_answer;
    call.context = creation;
    start_create(&call, KIND_NODE_CLAIM, body);
}
