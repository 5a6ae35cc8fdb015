// Requests and replies of IAM and STS. The members that adze knows, in the order of the API's
// reference.
#pragma once

#include "cloud/aws/client/aws_shapes.h"

extern const struct aws_shape iam_add_role_to_instance_profile_request;
extern const struct aws_shape iam_add_role_to_instance_profile_reply;
extern const struct aws_shape iam_create_instance_profile_request;
extern const struct aws_shape iam_create_instance_profile_reply;
extern const struct aws_shape iam_delete_instance_profile_request;
extern const struct aws_shape iam_delete_instance_profile_reply;
extern const struct aws_shape iam_get_instance_profile_request;
extern const struct aws_shape iam_get_instance_profile_reply;
extern const struct aws_shape iam_list_instance_profiles_request;
extern const struct aws_shape iam_list_instance_profiles_reply;
extern const struct aws_shape iam_remove_role_from_instance_profile_request;
extern const struct aws_shape iam_remove_role_from_instance_profile_reply;
extern const struct aws_shape sts_assume_role_request;
extern const struct aws_shape sts_assume_role_reply;
extern const struct aws_shape sts_assume_role_with_web_identity_request;
extern const struct aws_shape sts_assume_role_with_web_identity_reply;
extern const struct aws_shape sts_decode_authorization_message_request;
extern const struct aws_shape sts_decode_authorization_message_reply;
extern const struct aws_shape sts_get_caller_identity_request;
extern const struct aws_shape sts_get_caller_identity_reply;
