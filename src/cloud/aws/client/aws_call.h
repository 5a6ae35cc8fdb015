// One call of the client: attempts, pages, the end.
#pragma once

#include "cloud/aws/client/aws_client_internal.h"

// Sends the next attempt, or ends the call with its error. The end calls `done` and frees the call.
void aws_call_begin(struct aws_call *call);
void aws_call_free(struct aws_call *call); // stops what is under way
