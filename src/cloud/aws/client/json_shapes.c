#include "cloud/aws/client/json_shapes.h"

AWS_SHAPE(ssm_get_parameter_request, {"Name"}, {"WithDecryption", NULL, AWS_BOOLEAN});
AWS_SHAPE(sqs_delete_message_request, {"QueueUrl"}, {"ReceiptHandle"});
AWS_LOCAL_SHAPE(sqs_delete_message_batch_request_entry, {"Id"}, {"ReceiptHandle"});
AWS_SHAPE(sqs_delete_message_batch_request, {"QueueUrl"},
          {"Entries", NULL, AWS_LIST, &sqs_delete_message_batch_request_entry});
AWS_SHAPE(sqs_get_queue_attributes_request, {"QueueUrl"}, {"AttributeNames", NULL, AWS_LIST});
AWS_SHAPE(sqs_get_queue_url_request, {"QueueName"}, {"QueueOwnerAWSAccountId"});
AWS_SHAPE(sqs_receive_message_request, {"QueueUrl"}, {"AttributeNames", NULL, AWS_LIST},
          {"MessageSystemAttributeNames", NULL, AWS_LIST},
          {"MessageAttributeNames", NULL, AWS_LIST}, {"MaxNumberOfMessages", NULL, AWS_INTEGER},
          {"VisibilityTimeout", NULL, AWS_INTEGER}, {"WaitTimeSeconds", NULL, AWS_INTEGER},
          {"ReceiveRequestAttemptId"});
AWS_SHAPE(sqs_send_message_request, {"QueueUrl"}, {"MessageBody"},
          {"DelaySeconds", NULL, AWS_INTEGER}, {"MessageDeduplicationId"}, {"MessageGroupId"});
AWS_SHAPE(eks_describe_cluster_request, {"name"});
AWS_LOCAL_SHAPE(pricing_filter, {"Type"}, {"Field"}, {"Value"});
AWS_SHAPE(pricing_get_products_request, {"ServiceCode"},
          {"Filters", NULL, AWS_LIST, &pricing_filter}, {"FormatVersion"}, {"NextToken"},
          {"MaxResults", NULL, AWS_INTEGER});
AWS_SHAPE(arc_zonal_shift_get_managed_resource_request, {"resourceIdentifier"});
AWS_LOCAL_SHAPE(arc_zonal_shift_zonal_shift_in_resource, {"appliedStatus"}, {"zonalShiftId"},
                {"resourceIdentifier"}, {"awayFrom"}, {"expiryTime", NULL, AWS_TIMESTAMP},
                {"startTime", NULL, AWS_TIMESTAMP}, {"comment"}, {"shiftType"},
                {"practiceRunOutcome"});
AWS_LOCAL_SHAPE(arc_zonal_shift_autoshift_in_resource, {"appliedStatus"}, {"awayFrom"},
                {"startTime", NULL, AWS_TIMESTAMP});
AWS_SHAPE(arc_zonal_shift_get_managed_resource_reply, {"arn"}, {"name"},
          {"appliedWeights", NULL, AWS_ANY},
          {"zonalShifts", NULL, AWS_LIST, &arc_zonal_shift_zonal_shift_in_resource},
          {"autoshifts", NULL, AWS_LIST, &arc_zonal_shift_autoshift_in_resource},
          {"zonalAutoshiftStatus"});
AWS_SHAPE(service_quotas_get_service_quota_request, {"ServiceCode"}, {"QuotaCode"}, {"ContextId"});
