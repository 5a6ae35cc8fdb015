// The IAM policy that adze needs (AWN-620, 621): the least for the features in use, made from a
// table of statements and actions.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "cloud/aws/client/aws_actions.h"

struct iam_policy_options {
    const char *partition, *region, *account, *cluster; // "aws", "us-west-2", "111122223333", ...
    // Names or ARNs, separated by commas; NULL: "KarpenterNodeRole-<cluster>".
    const char *node_roles;
    const char *interruption_queue; // as the setting: names, ARNs or URLs; NULL: there is none
    const char *ssm_parameters;     // own ones of amiSelectorTerms, separated by commas; NULL: none
    bool zonal_shift;               // ENABLE_ZONAL_SHIFT
    bool isolated_vpc;              // ISOLATED_VPC: prices are not asked for
    bool own_instance_profiles;     // every NodeClass names an instance profile (AWN-621)
    bool upstream;                  // COMPATIBILITY=upstream: without the calls of adze's own
    bool doctor;                    // the controller's role runs `adze doctor`, too
};
// {"Version": "2012-10-17", "Statement": [...]}, owned by the caller; NULL with the error if the
// queue cannot be read.
json_t *iam_policy_create(const struct iam_policy_options *options, struct error *error);
// Whether some statement of the policy allows the action.
bool iam_policy_allows(const json_t *policy, const char *permission);
