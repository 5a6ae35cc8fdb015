#include "cloud/aws/controllers/aws_operations.h"

#include <assert.h>

struct aws_operation {
    struct operation operation;
    aws_record record;
    void *context;
};

static void call_done(void *context, const struct aws_result *result)
{
    struct aws_operation *call = context;
    enum operation_outcome outcome = OPERATION_PASS;
    if (call->record != NULL)
        outcome = call->record(call->context, result);
    operation_end(&call->operation, outcome, &result->error);
}

struct reconcile_result start_aws_call(const struct operation_about *about,
                                       struct aws_client *client, struct aws_request *request,
                                       aws_record record, void *context)
{
    assert(client != NULL);
    assert(request->done == NULL);
    struct aws_operation *call = operation_begin(about, sizeof *call);
    call->record = record;
    call->context = context;
    request->done = call_done;
    request->context = call;
    aws_client_start(client, request);
    return reconcile_running();
}
