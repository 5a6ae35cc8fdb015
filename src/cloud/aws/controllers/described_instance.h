// Instances as DescribeInstances shows them, uncached (AWI-406 step 3), for a reconcile.
#pragma once

#include "cloud/aws/controllers/aws_operations.h"

// Describes one instance, unless it has ended.
struct reconcile_result start_describe_instance(const struct operation_about *about,
                                                struct aws_client *client, const char *instance_id,
                                                aws_record record, void *context);
// The instance of a reply; NULL: there is none.
const json_t *described_instance(const json_t *reply);
const char *described_tag(const json_t *instance, const char *key); // NULL: it has no such tag
