// A refused call whose reason is encoded ends with the decoded one.
#pragma once

#include "cloud/aws/client/aws_client_internal.h"

// Starts to decode the message of a refused call, which then ends later, with a readable message.
// False: there is nothing to decode; end it now.
bool aws_denial_explain(struct aws_call *call, const struct aws_result *refused,
                        aws_denial_end end);
