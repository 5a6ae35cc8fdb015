#include "cloud/aws/doctor_permissions.h"

#include "base/memory.h"

static json_t *dry_run(const struct settings *settings)
{
    (void)settings;
    return json_pack("{s:b}", "DryRun", 1);
}

static json_t *image_parameter(const struct settings *settings)
{
    (void)settings;
    return json_pack("{s:s}", "Name",
                     "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/"
                     "recommended/image_id");
}

static json_t *products(const struct settings *settings)
{
    (void)settings;
    return json_pack("{s:s,s:i}", "ServiceCode", "AmazonEC2", "MaxResults", 1);
}

static json_t *template(const struct settings *settings)
{
    return json_pack("{s:b,s:s,s:{s:s},s:[{s:s,s:[{s:s,s:s},{s:s,s:s},{s:s,s:s}]}]}", "DryRun", 1,
                     "LaunchTemplateName", "karpenter.k8s.aws/doctor", "LaunchTemplateData",
                     "InstanceType", "m5.large", "TagSpecifications", "ResourceType",
                     "launch-template", "Tags", "Key", "eks:eks-cluster-name", "Value",
                     settings->cluster_name, "Key", "karpenter.sh/nodepool", "Value", "doctor",
                     "Key", "karpenter.k8s.aws/ec2nodeclass", "Value", "doctor");
}

static json_t *no_parameters(const struct settings *settings)
{
    (void)settings;
    return json_object();
}

const struct doctor_permission doctor_permissions[] = {
    {EC2_DESCRIBE_SUBNETS, dry_run, false},
    {EC2_DESCRIBE_SECURITY_GROUPS, dry_run, false},
    {EC2_DESCRIBE_IMAGES, dry_run, false},
    {EC2_DESCRIBE_INSTANCES, dry_run, false},
    {EC2_DESCRIBE_INSTANCE_TYPES, dry_run, false},
    {EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS, dry_run, false},
    {EC2_DESCRIBE_LAUNCH_TEMPLATES, dry_run, false},
    {EC2_DESCRIBE_SPOT_PRICE_HISTORY, dry_run, false},
    {EC2_DESCRIBE_CAPACITY_RESERVATIONS, dry_run, false},
    {EC2_DESCRIBE_PLACEMENT_GROUPS, dry_run, false},
    {EC2_DESCRIBE_INSTANCE_STATUS, dry_run, true},
    {EC2_CREATE_LAUNCH_TEMPLATE, template, false},
    {SSM_GET_PARAMETER, image_parameter, false},
    {PRICING_GET_PRODUCTS, products, true},
    {IAM_LIST_INSTANCE_PROFILES, no_parameters, false},
};
const uint32_t doctor_permissions_count = ARRAY_LENGTH(doctor_permissions);
