// Checks signatures (SigV4) independently of the client: the account's own reading of AWS's rules.
#pragma once

#include "sim/aws/account_internal.h"

// False: the call is refused.
bool account_signature_check(struct account_call *call, const struct aws_http_request *request);
