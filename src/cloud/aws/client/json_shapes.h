// Requests of the services that speak JSON. Their replies pass as they are, but for timestamps. The
// members that adze knows, in the order of the API's reference.
#pragma once

#include "cloud/aws/client/aws_shapes.h"

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
