// The account's IAM policy: its own reading of the policy language, and of the permissions that a
// call consists of (action, resource, tags), as the service authorization reference has them.
#pragma once

#include "sim/aws/account_internal.h"

// The policy of the caller, {"Statement": [...]}; NULL: everything is allowed. A reference is
// taken.
void account_policy_set(struct aws_account *account, const json_t *policy);
void account_policy_free(struct aws_account *account);
// Refuses the call unless the policy allows each of its permissions on each resource.
bool account_policy_check(struct account_call *call);
// The plain text of an encoded authorization message of this account; NULL: not one of its own.
const json_t *account_policy_decode(const struct aws_account *account, const char *encoded);
