// The shapes of requests and replies: tables of members, with the names that the wire has.
//
// Names on the wire: a table says only what differs from the rule. EC2: the member's name with its
// first letter lowered in a reply, raised in a request. Other services: the member's own name.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum aws_kind {
    AWS_TEXT,
    AWS_INTEGER,
    AWS_DOUBLE,
    AWS_BOOLEAN,
    AWS_TIMESTAMP, // JSON: RFC 3339 text
    AWS_STRUCT,    // of `shape`
    AWS_LIST,      // of `shape`; NULL: of texts
    AWS_ANY,       // only of the services that speak JSON: passes as it is
};
struct aws_shape;
struct aws_field {
    const char *name;
    const char *wire; // NULL: by the rule
    enum aws_kind kind;
    const struct aws_shape *shape;
};
struct aws_shape {
    const struct aws_field *fields;
    uint32_t count;
};
#define AWS_SHAPE(name, ...)                                       \
    static const struct aws_field name##_fields[] = {__VA_ARGS__}; \
    const struct aws_shape name = {name##_fields, sizeof name##_fields / sizeof name##_fields[0]}
#define AWS_LOCAL_SHAPE(name, ...)                                 \
    static const struct aws_field name##_fields[] = {__VA_ARGS__}; \
    static const struct aws_shape name = {name##_fields,           \
                                          sizeof name##_fields / sizeof name##_fields[0]}
#define AWS_EMPTY_SHAPE(name) const struct aws_shape name = {NULL, 0}

// Members of requests and replies, action by action; shapes that several sources share come first.
extern const struct aws_shape ec2_tag;
extern const struct aws_shape ec2_filter;
extern const struct aws_shape ec2_tag_specification;
extern const struct aws_shape ec2_instance_state;
extern const struct aws_shape ec2_create_fleet_request;
extern const struct aws_shape ec2_create_fleet_reply;
extern const struct aws_shape ec2_create_launch_template_request;
extern const struct aws_shape ec2_create_launch_template_reply;
extern const struct aws_shape ec2_delete_launch_template_request;
extern const struct aws_shape ec2_delete_launch_template_reply;
extern const struct aws_shape ec2_describe_launch_templates_request;
extern const struct aws_shape ec2_describe_launch_templates_reply;
extern const struct aws_shape ec2_run_instances_request;
extern const struct aws_shape ec2_run_instances_reply;
extern const struct aws_shape ec2_create_tags_request;
extern const struct aws_shape ec2_create_tags_reply;
extern const struct aws_shape ec2_terminate_instances_request;
extern const struct aws_shape ec2_terminate_instances_reply;
extern const struct aws_shape ec2_describe_instances_request;
extern const struct aws_shape ec2_describe_instances_reply;
extern const struct aws_shape ec2_describe_instance_status_request;
extern const struct aws_shape ec2_describe_instance_status_reply;
extern const struct aws_shape ec2_describe_spot_instance_requests_request;
extern const struct aws_shape ec2_describe_spot_instance_requests_reply;
extern const struct aws_shape ec2_get_console_output_request;
extern const struct aws_shape ec2_get_console_output_reply;
extern const struct aws_shape ec2_describe_instance_types_request;
extern const struct aws_shape ec2_describe_instance_types_reply;
extern const struct aws_shape ec2_describe_instance_type_offerings_request;
extern const struct aws_shape ec2_describe_instance_type_offerings_reply;
extern const struct aws_shape ec2_describe_spot_price_history_request;
extern const struct aws_shape ec2_describe_spot_price_history_reply;
extern const struct aws_shape ec2_get_spot_placement_scores_request;
extern const struct aws_shape ec2_get_spot_placement_scores_reply;
extern const struct aws_shape ec2_describe_availability_zones_request;
extern const struct aws_shape ec2_describe_availability_zones_reply;
extern const struct aws_shape ec2_describe_capacity_reservations_request;
extern const struct aws_shape ec2_describe_capacity_reservations_reply;
extern const struct aws_shape ec2_describe_images_request;
extern const struct aws_shape ec2_describe_images_reply;
extern const struct aws_shape ec2_describe_placement_groups_request;
extern const struct aws_shape ec2_describe_placement_groups_reply;
extern const struct aws_shape ec2_describe_security_groups_request;
extern const struct aws_shape ec2_describe_security_groups_reply;
extern const struct aws_shape ec2_describe_subnets_request;
extern const struct aws_shape ec2_describe_subnets_reply;
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
extern const struct aws_shape ssm_get_parameter_request;
extern const struct aws_shape sqs_delete_message_request;
extern const struct aws_shape sqs_delete_message_batch_request;
extern const struct aws_shape sqs_get_queue_attributes_request;
extern const struct aws_shape sqs_get_queue_url_request;
extern const struct aws_shape sqs_receive_message_request;
extern const struct aws_shape sqs_send_message_request;
extern const struct aws_shape eks_describe_cluster_request;
extern const struct aws_shape pricing_get_products_request;
extern const struct aws_shape arc_zonal_shift_get_managed_resource_request;
extern const struct aws_shape arc_zonal_shift_get_managed_resource_reply;
extern const struct aws_shape service_quotas_get_service_quota_request;
