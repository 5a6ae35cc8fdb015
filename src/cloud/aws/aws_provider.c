#include "cloud/aws/aws_provider.h"

#include "cloud/aws/types/built_in_types.h"

static const struct instance_type_catalog *built_in(struct error *error)
{
    return ec2_catalog_create(NULL, error);
}

static const enum kind_id node_classes[] = {KIND_EC2_NODE_CLASS, KIND_COUNT};

const struct cloud_provider aws_provider = {
    .name = "aws",
    .node_class = KIND_EC2_NODE_CLASS,
    .serves = node_classes,
    .labels = &provider_labels_aws,
    .catalog = built_in,
    .catalog_text = EC2_CATALOG_TEXT,
    .plain_condition_buckets = true,
};
