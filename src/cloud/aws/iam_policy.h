// The IAM policy that adze needs (AWN-620, 621): the least for the features in use, made from a
// table of statements and actions.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "cloud/aws/client/aws_actions.h"

struct iam_policy_options {
    const char *partition, *region, *account, *cluster; // "aws", "us-west-2", "111122223333", ...
    const char *node_role;          // name or ARN; NULL: "KarpenterNodeRole-<cluster>"
    const char *interruption_queue; // name or ARN; NULL: there is none
    bool zonal_shift;               // ENABLE_ZONAL_SHIFT
    bool own_instance_profiles;     // every NodeClass names an instance profile (AWN-621)
    bool upstream;                  // without the permissions of adze's own features
};
// {"Version": "2012-10-17", "Statement": [...]}, owned by the caller.
json_t *iam_policy_create(const struct iam_policy_options *options);
// Whether some statement of the policy allows the action.
bool iam_policy_allows(const json_t *policy, const char *permission);
