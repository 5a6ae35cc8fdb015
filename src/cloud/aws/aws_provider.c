#include "cloud/aws/aws_provider.h"

#include <stdlib.h>

#include "cloud/aws/aws_access.h"
#include "cloud/aws/aws_cloud.h"
#include "cloud/aws/class_findings.h"
#include "cloud/aws/pool_findings.h"
#include "cloud/aws/types/built_in_types.h"
#include "cloud/aws/types/class_types.h"
#include "cloud/aws/types/priced_catalogue.h"
#include "cloud/aws/types/region_types.h"

static const struct instance_type_catalog *built_in(struct error *error)
{
    return ec2_catalog_create(NULL, error);
}

static struct cloud *create(const struct provider_environment *environment, struct error *error)
{
    struct aws_access access = {0};
    struct cloud *cloud = NULL;
    if (aws_access_find(&access, environment->loop, error)) {
        struct aws_cloud_options options = {.environment = environment,
                                            .http = access.http,
                                            .credentials = access.credentials,
                                            .region = access.region,
                                            .settings = access.settings};
        cloud = aws_cloud_create(&options, error);
        access.http = NULL; // taken over
        access.credentials = NULL;
        access.settings = NULL;
    }
    aws_access_close(&access);
    if (cloud != NULL)
        cloud->provider = &aws_provider;
    return cloud;
}

static const enum kind_id node_classes[] = {KIND_EC2_NODE_CLASS, KIND_COUNT};

const struct cloud_provider aws_provider = {
    .name = "aws",
    .node_class = KIND_EC2_NODE_CLASS,
    .serves = node_classes,
    .labels = &provider_labels_aws,
    .check_class = ec2_class_findings,
    .catalog = built_in,
    .catalog_text = EC2_CATALOG_TEXT,
    .regions = &ec2_regions,
    .check_pool = ec2_pool_findings,
    .class_catalog = ec2_class_catalog,
    .class_taken = ec2_class_taken,
    .reprice = ec2_catalogue_reprice,
    .machines = "EC2 instances",
    .create = create,
    .reconcilers_create = aws_cloud_reconcilers_create,
    .reconcilers_destroy = aws_cloud_reconcilers_destroy,
    .plain_condition_buckets = true,
};
