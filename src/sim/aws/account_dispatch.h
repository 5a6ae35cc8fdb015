// From a decoded request to its handler: the table of actions, dry runs, faults, idempotency.
#pragma once

#include "sim/aws/account_internal.h"

// Leaves the outcome in the call.
void account_dispatch(struct account_call *call, const struct aws_http_request *request);
void account_tokens_destroy(struct map *tokens);
