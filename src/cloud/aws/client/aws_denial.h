// A refused call whose reason is encoded ends with the decoded one; so do errors inside the answer
// of a fleet, all of them with the reason of the first.
#pragma once

#include "cloud/aws/client/aws_client_internal.h"

// Starts to decode the message of a refused call, or of an answered one, which then ends later,
// with a readable message. False: there is nothing to decode; end it now.
bool aws_denial_explain(struct aws_call *call, const struct aws_result *result, aws_denial_end end);
