#include "cloud/aws/doctor/doctor_permissions.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/doctor/doctor_report.h"

#define IMAGE_PARAMETER                                                      \
    "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/" \
    "recommended/image_id"
#define NAME     "adze-doctor"
#define INSTANCE "i-00000000000000000" // of nobody

static json_t *dry_run(const struct doctor *doctor)
{
    (void)doctor;
    return json_pack("{s:b}", "DryRun", 1);
}

static json_t *image_parameter(const struct doctor *doctor)
{
    (void)doctor;
    return json_pack("{s:s}", "Name", IMAGE_PARAMETER);
}

static json_t *products(const struct doctor *doctor)
{
    (void)doctor;
    return json_pack("{s:s,s:i}", "ServiceCode", "AmazonEC2", "MaxResults", 1);
}

static json_t *no_parameters(const struct doctor *doctor)
{
    (void)doctor;
    return json_object();
}

static json_t *profile(const struct doctor *doctor)
{
    (void)doctor;
    return json_pack("{s:s}", "InstanceProfileName", NAME);
}

static json_t *encoded(const struct doctor *doctor)
{
    (void)doctor;
    return json_pack("{s:s}", "EncodedMessage", NAME);
}

static json_t *console(const struct doctor *doctor)
{
    return json_pack("{s:b,s:s}", "DryRun", 1, "InstanceId",
                     doctor->instance != NULL ? doctor->instance : INSTANCE);
}

// The tags that the policy asks for on what is created.
static json_t *tags_of(const struct doctor *doctor, const char *resource)
{
    struct text owned = {0};
    const char *cluster = doctor->options.settings->cluster_name;
    text_format(&owned, "kubernetes.io/cluster/%s", cluster);
    json_t *tags =
        json_pack("{s:s,s:[{s:s,s:s},{s:s,s:s},{s:s,s:s},{s:s,s:s}]}", "ResourceType", resource,
                  "Tags", "Key", owned.data, "Value", "owned", "Key", "eks:eks-cluster-name",
                  "Value", cluster, "Key", "karpenter.sh/nodepool", "Value", NAME, "Key",
                  "karpenter.k8s.aws/ec2nodeclass", "Value", NAME);
    text_free(&owned);
    return tags;
}

static json_t *template(const struct doctor *doctor)
{
    return json_pack("{s:b,s:s,s:{s:s},s:[o]}", "DryRun", 1, "LaunchTemplateName",
                     "karpenter.k8s.aws/doctor", "LaunchTemplateData", "InstanceType", "m5.large",
                     "TagSpecifications", tags_of(doctor, "launch-template"));
}

// As EC2 launches them for a fleet.
static json_t *instances(const struct doctor *doctor)
{
    if (doctor->image == NULL || doctor->subnet == NULL || doctor->group == NULL)
        return NULL;
    return json_pack("{s:b,s:s,s:s,s:i,s:i,s:[{s:i,s:s,s:[s]}],s:[o,o,o]}", "DryRun", 1, "ImageId",
                     doctor->image, "InstanceType", "m5.large", "MinCount", 1, "MaxCount", 1,
                     "NetworkInterfaces", "DeviceIndex", 0, "SubnetId", doctor->subnet, "Groups",
                     doctor->group, "TagSpecifications", tags_of(doctor, "instance"),
                     tags_of(doctor, "volume"), tags_of(doctor, "network-interface"));
}

static json_t *owned_instances(const struct doctor *doctor)
{
    struct text filter = {0};
    text_format(&filter, "tag:kubernetes.io/cluster/%s", doctor->options.settings->cluster_name);
    json_t *parameters =
        json_pack("{s:[{s:s,s:[s]},{s:s,s:[s]},{s:s,s:[s,s]}],s:i}", "Filters", "Name", filter.data,
                  "Values", "owned", "Name", "tag-key", "Values", "karpenter.sh/nodepool", "Name",
                  "instance-state-name", "Values", "pending", "running", "MaxResults", 5);
    text_free(&filter);
    return parameters;
}

static json_t *termination(const struct doctor *doctor)
{
    return doctor->instance == NULL
               ? NULL
               : json_pack("{s:b,s:[s]}", "DryRun", 1, "InstanceIds", doctor->instance);
}

static json_t *tagging(const struct doctor *doctor)
{
    return doctor->instance == NULL
               ? NULL
               : json_pack("{s:b,s:[s],s:[{s:s,s:s}]}", "DryRun", 1, "Resources", doctor->instance,
                           "Tags", "Key", "eks:eks-cluster-name", "Value",
                           doctor->options.settings->cluster_name);
}

static json_t *managed_resource(const struct doctor *doctor)
{
    struct text arn = {0};
    if (doctor->account == NULL)
        return NULL;
    text_format(&arn, "arn:%s:eks:%s:%s:cluster/%s", aws_client_partition(doctor->options.client),
                aws_client_region(doctor->options.client), doctor->account,
                doctor->options.settings->cluster_name);
    json_t *parameters = json_pack("{s:s}", "resourceIdentifier", arn.data);
    text_free(&arn);
    return parameters;
}

// --- features ------------------------------------------------------------------------------------

static bool without_queue(const struct doctor *doctor)
{
    const struct settings *settings = doctor->options.settings;
    return text_is_empty(settings->interruption_queue) && !settings->compatibility_upstream;
}

static bool with_prices(const struct doctor *doctor)
{
    return !doctor->options.settings->isolated_vpc;
}

static bool as_adze(const struct doctor *doctor)
{
    return !doctor->options.settings->compatibility_upstream;
}

static bool with_zonal_shift(const struct doctor *doctor)
{
    return doctor->options.settings->enable_zonal_shift;
}

const struct doctor_permission doctor_permissions[] = {
    {EC2_DESCRIBE_SUBNETS, dry_run},
    {EC2_DESCRIBE_SECURITY_GROUPS, dry_run},
    {EC2_DESCRIBE_IMAGES, dry_run},
    {EC2_DESCRIBE_INSTANCES, owned_instances},
    {EC2_DESCRIBE_INSTANCE_TYPES, dry_run},
    {EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS, dry_run},
    {EC2_DESCRIBE_LAUNCH_TEMPLATES, dry_run},
    {EC2_DESCRIBE_SPOT_PRICE_HISTORY, dry_run},
    {EC2_DESCRIBE_CAPACITY_RESERVATIONS, dry_run},
    {EC2_DESCRIBE_PLACEMENT_GROUPS, dry_run},
    {EC2_DESCRIBE_INSTANCE_STATUS, dry_run, .optional = true},
    {EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS, dry_run, without_queue, .optional = true},
    {SSM_GET_PARAMETER, image_parameter},
    {EC2_CREATE_LAUNCH_TEMPLATE, template},
    {EC2_RUN_INSTANCES, instances},
    {EC2_TERMINATE_INSTANCES, termination},
    {EC2_CREATE_TAGS, tagging},
    {PRICING_GET_PRODUCTS, products, with_prices, .optional = true},
    {IAM_GET_INSTANCE_PROFILE, profile},
    {IAM_LIST_INSTANCE_PROFILES, no_parameters},
    {ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE, managed_resource, with_zonal_shift,
     "ResourceNotFoundException"},
    {EC2_GET_CONSOLE_OUTPUT, console, as_adze, .optional = true},
    {STS_DECODE_AUTHORIZATION_MESSAGE, encoded, as_adze, "InvalidAuthorizationMessageException",
     .optional = true},
};
const uint32_t doctor_permissions_count = ARRAY_LENGTH(doctor_permissions);

// --- the check -----------------------------------------------------------------------------------

// Answers that later dry runs need.
static void learn(struct doctor *doctor, enum aws_action action, const json_t *reply)
{
    const json_t *reservation = json_array_get(json_object_get(reply, "Reservations"), 0);
    const json_t *instance = json_array_get(json_object_get(reservation, "Instances"), 0);
    const json_t *parameter = json_object_get(reply, "Parameter");
    if (action == SSM_GET_PARAMETER)
        doctor->image = memory_copy_string(json_string_value(json_object_get(parameter, "Value")));
    if (action == EC2_DESCRIBE_INSTANCES)
        doctor->instance =
            memory_copy_string(json_string_value(json_object_get(instance, "InstanceId")));
}

static void permission_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const struct doctor_permission *permission = &doctor_permissions[doctor->part];
    const char *name = aws_action_permission(permission->action);
    bool granted = result->fault == AWS_FAULT_NONE || result->fault == AWS_FAULT_NOT_FOUND ||
                   result->fault == AWS_FAULT_DRY_RUN_PASSED ||
                   text_equal(permission->granted_by, result->code);
    if (granted)
        doctor_report(doctor, DOCTOR_PASSED, name, "granted", NULL);
    else
        doctor_report_failure(
            doctor,
            result->fault != AWS_FAULT_UNAUTHORIZED || permission->optional ? DOCTOR_WARNING
                                                                            : DOCTOR_FAILED,
            name, permission->action, result, "it could not be tried: see AWS's answer");
    learn(doctor, permission->action, result->reply);
    doctor_next_part(doctor);
}

bool doctor_check_permissions(struct doctor *doctor)
{
    for (; doctor->part < doctor_permissions_count; doctor->part++) {
        const struct doctor_permission *permission = &doctor_permissions[doctor->part];
        if (permission->is_used != NULL && !permission->is_used(doctor))
            continue;
        json_t *parameters = permission->parameters(doctor);
        if (parameters != NULL)
            return doctor_call(doctor, permission->action, parameters, permission_told);
        doctor_report(doctor, DOCTOR_SKIPPED, aws_action_permission(permission->action),
                      "there is nothing here to try it on", NULL);
    }
    return false;
}
