// The handlers of the table of actions (account_dispatch.h), by service: sources <service>_*.c.
#pragma once

#include "sim/aws/account_internal.h"

void ec2_create_fleet(struct account_call *call);
void ec2_create_launch_template(struct account_call *call);
void ec2_create_tags(struct account_call *call);
void ec2_delete_launch_template(struct account_call *call);
void ec2_describe_availability_zones(struct account_call *call);
void ec2_describe_capacity_reservations(struct account_call *call);
void ec2_describe_images(struct account_call *call);
void ec2_describe_instance_status(struct account_call *call);
void ec2_describe_instance_type_offerings(struct account_call *call);
void ec2_describe_instance_types(struct account_call *call);
void ec2_describe_instances(struct account_call *call);
void ec2_describe_launch_templates(struct account_call *call);
void ec2_describe_placement_groups(struct account_call *call);
void ec2_describe_security_groups(struct account_call *call);
void ec2_describe_spot_instance_requests(struct account_call *call);
void ec2_describe_spot_price_history(struct account_call *call);
void ec2_describe_subnets(struct account_call *call);
void ec2_get_console_output(struct account_call *call);
void ec2_get_spot_placement_scores(struct account_call *call);
void ec2_run_instances(struct account_call *call);
void ec2_terminate_instances(struct account_call *call);
void iam_add_role_to_instance_profile(struct account_call *call);
void iam_create_instance_profile(struct account_call *call);
void iam_delete_instance_profile(struct account_call *call);
void iam_get_instance_profile(struct account_call *call);
void iam_list_instance_profiles(struct account_call *call);
void iam_remove_role_from_instance_profile(struct account_call *call);
void sts_assume_role(struct account_call *call);
void sts_assume_role_with_web_identity(struct account_call *call);
void sts_decode_authorization_message(struct account_call *call);
void sts_get_caller_identity(struct account_call *call);
void ssm_get_parameter(struct account_call *call);
void sqs_delete_message(struct account_call *call);
void sqs_delete_message_batch(struct account_call *call);
void sqs_get_queue_attributes(struct account_call *call);
void sqs_get_queue_url(struct account_call *call);
void sqs_receive_message(struct account_call *call);
void sqs_send_message(struct account_call *call);
void eks_describe_cluster(struct account_call *call);
void pricing_get_products(struct account_call *call);
void arc_get_managed_resource(struct account_call *call);
void quotas_get_service_quota(struct account_call *call);
