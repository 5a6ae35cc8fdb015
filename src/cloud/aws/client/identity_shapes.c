#include "cloud/aws/client/identity_shapes.h"

AWS_SHAPE(iam_add_role_to_instance_profile_request, {"InstanceProfileName"}, {"RoleName"});
AWS_EMPTY_SHAPE(iam_add_role_to_instance_profile_reply);
AWS_LOCAL_SHAPE(iam_tag, {"Key"}, {"Value"});
AWS_SHAPE(iam_create_instance_profile_request, {"InstanceProfileName"}, {"Path"},
          {"Tags", NULL, AWS_LIST, &iam_tag});
AWS_LOCAL_SHAPE(iam_role, {"Path"}, {"RoleName"}, {"RoleId"}, {"Arn"},
                {"CreateDate", NULL, AWS_TIMESTAMP});
AWS_LOCAL_SHAPE(iam_instance_profile, {"Path"}, {"InstanceProfileName"}, {"InstanceProfileId"},
                {"Arn"}, {"CreateDate", NULL, AWS_TIMESTAMP}, {"Roles", NULL, AWS_LIST, &iam_role},
                {"Tags", NULL, AWS_LIST, &iam_tag});
AWS_SHAPE(iam_create_instance_profile_reply,
          {"InstanceProfile", NULL, AWS_STRUCT, &iam_instance_profile});
AWS_SHAPE(iam_delete_instance_profile_request, {"InstanceProfileName"});
AWS_EMPTY_SHAPE(iam_delete_instance_profile_reply);
AWS_SHAPE(iam_get_instance_profile_request, {"InstanceProfileName"});
AWS_SHAPE(iam_get_instance_profile_reply,
          {"InstanceProfile", NULL, AWS_STRUCT, &iam_instance_profile});
AWS_SHAPE(iam_list_instance_profiles_request, {"PathPrefix"}, {"Marker"},
          {"MaxItems", NULL, AWS_INTEGER});
AWS_SHAPE(iam_list_instance_profiles_reply,
          {"InstanceProfiles", NULL, AWS_LIST, &iam_instance_profile},
          {"IsTruncated", NULL, AWS_BOOLEAN}, {"Marker"});
AWS_SHAPE(iam_remove_role_from_instance_profile_request, {"InstanceProfileName"}, {"RoleName"});
AWS_EMPTY_SHAPE(iam_remove_role_from_instance_profile_reply);
AWS_SHAPE(sts_assume_role_request, {"RoleArn"}, {"RoleSessionName"},
          {"DurationSeconds", NULL, AWS_INTEGER}, {"ExternalId"});
AWS_LOCAL_SHAPE(sts_credentials, {"AccessKeyId"}, {"SecretAccessKey"}, {"SessionToken"},
                {"Expiration", NULL, AWS_TIMESTAMP});
AWS_LOCAL_SHAPE(sts_assumed_role_user, {"AssumedRoleId"}, {"Arn"});
AWS_SHAPE(sts_assume_role_reply, {"Credentials", NULL, AWS_STRUCT, &sts_credentials},
          {"AssumedRoleUser", NULL, AWS_STRUCT, &sts_assumed_role_user});
AWS_SHAPE(sts_assume_role_with_web_identity_request, {"RoleArn"}, {"RoleSessionName"},
          {"WebIdentityToken"}, {"DurationSeconds", NULL, AWS_INTEGER});
AWS_SHAPE(sts_assume_role_with_web_identity_reply,
          {"Credentials", NULL, AWS_STRUCT, &sts_credentials}, {"SubjectFromWebIdentityToken"},
          {"AssumedRoleUser", NULL, AWS_STRUCT, &sts_assumed_role_user}, {"Provider"},
          {"Audience"});
AWS_SHAPE(sts_decode_authorization_message_request, {"EncodedMessage"});
AWS_SHAPE(sts_decode_authorization_message_reply, {"DecodedMessage"});
AWS_EMPTY_SHAPE(sts_get_caller_identity_request);
AWS_SHAPE(sts_get_caller_identity_reply, {"UserId"}, {"Account"}, {"Arn"});
