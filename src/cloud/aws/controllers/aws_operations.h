// Calls of AWS started by a reconcile: operations of its item (reconcile/operations.h).
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "reconcile/operations.h"

// Records the result; the outcome decides about the item as that of a call to the API server.
typedef enum operation_outcome (*aws_record)(void *context, const struct aws_result *result);

// `request->done` and its context are set here. `record` NULL: OPERATION_PASS. Uses manager, item
// and doing of `about`. Returns reconcile_running() for a tail call.
struct reconcile_result start_aws_call(const struct operation_about *about,
                                       struct aws_client *client, struct aws_request *request,
                                       aws_record record, void *context);
