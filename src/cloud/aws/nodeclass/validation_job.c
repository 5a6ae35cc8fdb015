#include "cloud/aws/nodeclass/validation_job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/nodeclass/launch_failure.h"
#include "cloud/aws/nodeclass/node_class_tags.h"
#include "cloud/aws/nodeclass/refusal.h"
#include "model/tables/kinds.h"

struct validation_job {
    struct node_class_controllers *controllers;
    struct validation_job *next, *previous;
    struct aws_call *call;
    char *key, *template_name;
    const struct ec2_node_class *draft;
    const struct instance_type_catalog *catalog;
    struct instance_type type;
    const struct instance_type *types[1];
    struct node_claim claim; // without labels and requirements
    const char *tenancy;
    json_t *tags;
    uint32_t subnet;
    struct error first_error; // of RunInstances in the first subnet
    enum aws_fault first_fault;
    char *first_code, *first_message;
};
struct class_jobs {
    struct validation_job *first;
};

struct class_jobs *class_jobs_create(void)
{
    return memory_allocate(sizeof(struct class_jobs));
}

static void job_free(struct validation_job *job)
{
    struct class_jobs *jobs = job->controllers->jobs;
    if (job->previous != NULL)
        job->previous->next = job->next;
    else
        jobs->first = job->next;
    if (job->next != NULL)
        job->next->previous = job->previous;
    if (job->call != NULL)
        aws_call_cancel(job->call);
    object_release((const struct object *)job->draft);
    object_release((const struct object *)job->catalog);
    json_decref(job->tags);
    free(job->key);
    free(job->template_name);
    free(job->first_code);
    free(job->first_message);
    free(job);
}

void class_jobs_destroy(struct class_jobs *jobs)
{
    if (jobs == NULL)
        return;
    while (jobs->first != NULL)
        job_free(jobs->first);
    free(jobs);
}

// --- the end -------------------------------------------------------------------------------------
static void pass_verdict(struct validation_job *job, enum condition_reason reason,
                         const char *message)
{
    bool good = message == NULL;
    json_t *verdict = json_pack("{s:s, s:i, s:s}", "status", good ? "True" : "False", "reason",
                                (int)reason, "message", text_or_empty(message));
    answers_end(job->controllers->answers, job->key, verdict, VERDICT_LIFETIME);
    job_free(job);
}

static void fail(struct validation_job *job, const struct aws_result *failure)
{
    answers_fail(job->controllers->answers, job->key, failure);
    job_free(job);
}

// AWN-437: the refused action, and the policy statement that allows it.
static void refuse(struct validation_job *job, enum condition_reason reason, const char *permission,
                   const char *text)
{
    struct text message = {0};
    text_format(&message, "%s is refused: %s (%.600s)", permission, launch_failure_of(text).message,
                text_or_empty(text));
    refusal_explain(permission, text, &message);
    text_repair(message.data);
    pass_verdict(job, reason, message.data);
    text_free(&message);
}

static char *text_of(const struct aws_result *result)
{
    struct text text = {0};
    text_format(&text, "%s: %s", text_or_empty(result->code), text_or_empty(result->message));
    return text_take(&text);
}

static bool passed(const struct aws_result *result)
{
    return result->error.kind == ERROR_NONE || result->fault == AWS_FAULT_DRY_RUN_PASSED;
}

static json_t *tag_specifications(const struct validation_job *job, const char *const *types)
{
    json_t *list = json_array();
    for (; *types != NULL; types++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "ResourceType", *types, "Tags",
                                              tag_list_json(job->tags)));
    return list;
}

static json_t *template_reference(const struct validation_job *job)
{
    return json_pack("{s:s, s:s}", "LaunchTemplateName", job->template_name, "Version", "$Latest");
}

static void call(struct validation_job *job, enum aws_action action, json_t *parameters,
                 aws_done done)
{
    job->call = aws_client_start(job->controllers->environment.client,
                                 &(struct aws_request){.action = action,
                                                       .parameters = parameters,
                                                       .once = true,
                                                       .done = done,
                                                       .context = job});
}

// --- RunInstances --------------------------------------------------------------------------------
static void run_instances(struct validation_job *job);

static void judge_first(struct validation_job *job)
{
    struct aws_result failure = {.error = job->first_error,
                                 .fault = job->first_fault,
                                 .code = text_or_empty(job->first_code),
                                 .message = text_or_empty(job->first_message)};
    char *text CLEANUP_FREE = text_of(&failure);
    if (failure.fault == AWS_FAULT_UNAUTHORIZED) {
        refuse(job, CONDITION_REASON_RUN_INSTANCES_AUTH_CHECK_FAILED, "ec2:RunInstances", text);
        return;
    }
    if (strcmp(failure.code, "InvalidParameterValue") == 0 &&
        strstr(failure.message, "Invalid IAM Instance Profile name") != NULL)
        failure.code = CODE_PROFILE_NOT_FOUND;
    fail(job, &failure);
}

static void on_run(void *context, const struct aws_result *result)
{
    struct validation_job *job = context;
    job->call = NULL;
    if (passed(result)) {
        pass_verdict(job, 0, NULL);
        return;
    }
    if (job->subnet == 0) {
        job->first_error = result->error;
        job->first_fault = result->fault;
        job->first_code = memory_copy_string(result->code);
        job->first_message = memory_copy_string(result->message);
    }
    job->subnet++;
    if (job->subnet < job->draft->status.subnets.count)
        run_instances(job);
    else
        judge_first(job);
}

static json_t *interfaces(const struct validation_job *job, const char *subnet)
{
    json_t *list = json_array();
    list_for_each (given, &job->draft->spec.network_interfaces)
        json_array_append_new(list,
                              json_pack("{s:I, s:I, s:s, s:s}", "NetworkCardIndex",
                                        (json_int_t)given->network_card_index, "DeviceIndex",
                                        (json_int_t)given->device_index, "InterfaceType",
                                        text_or_empty(given->interface_type), "SubnetId", subnet));
    if (json_array_size(list) == 0)
        json_array_append_new(list, json_pack("{s:i, s:s}", "DeviceIndex", 0, "SubnetId", subnet));
    return list;
}

static void run_instances(struct validation_job *job)
{
    static const char *const tagged[] = {"instance", "volume", "network-interface", NULL};
    const char *subnet = job->draft->status.subnets.items[job->subnet].id;
    call(job, EC2_RUN_INSTANCES,
         json_pack("{s:b, s:s, s:o, s:i, s:i, s:o, s:o}", "DryRun", 1, "InstanceType",
                   job->type.name, "LaunchTemplate", template_reference(job), "MinCount", 1,
                   "MaxCount", 1, "NetworkInterfaces", interfaces(job, subnet), "TagSpecifications",
                   tag_specifications(job, tagged)),
         on_run);
}

// --- CreateFleet ---------------------------------------------------------------------------------
static void on_fleet(void *context, const struct aws_result *result)
{
    struct validation_job *job = context;
    job->call = NULL;
    if (passed(result)) {
        run_instances(job);
    } else if (result->fault == AWS_FAULT_UNAUTHORIZED) {
        char *text CLEANUP_FREE = text_of(result);
        refuse(job, CONDITION_REASON_CREATE_FLEET_AUTH_CHECK_FAILED, "ec2:CreateFleet", text);
    } else {
        fail(job, result);
    }
}

static void create_fleet(struct validation_job *job)
{
    static const char *const tagged[] = {"fleet", "instance", "volume", NULL};
    json_t *overrides = json_array();
    list_for_each (subnet, &job->draft->status.subnets)
        json_array_append_new(overrides, json_pack("{s:s, s:s}", "InstanceType", job->type.name,
                                                   "SubnetId", subnet->id));
    json_t *configuration = json_pack("{s:o, s:o}", "LaunchTemplateSpecification",
                                      template_reference(job), "Overrides", overrides);
    call(job, EC2_CREATE_FLEET,
         json_pack("{s:b, s:s, s:[o], s:{s:s}, s:{s:s, s:i}, s:o}", "DryRun", 1, "Type", "instant",
                   "LaunchTemplateConfigs", configuration, "OnDemandOptions", "AllocationStrategy",
                   "lowest-price", "TargetCapacitySpecification", "DefaultTargetCapacityType",
                   "on-demand", "TotalTargetCapacity", 1, "TagSpecifications",
                   tag_specifications(job, tagged)),
         on_fleet);
}

// --- the launch template -------------------------------------------------------------------------
static void on_template(void *context, const struct launch_templates_result *result)
{
    struct validation_job *job = context;
    const char *text = result->aws_text;
    if (result->error.kind == ERROR_NONE) {
        assert(result->count > 0);
        job->template_name = memory_copy_string(result->items[0].name);
        create_fleet(job);
    } else if (result->fault == AWS_FAULT_UNAUTHORIZED) {
        refuse(job, CONDITION_REASON_CREATE_LAUNCH_TEMPLATE_AUTH_CHECK_FAILED,
               "ec2:CreateLaunchTemplate", text);
    } else if (text_starts_with(text, "InvalidUserData.Malformed") &&
               strstr(text, "User data is limited to") != NULL) {
        struct text message = {0};
        text_format(&message, "ec2:CreateLaunchTemplate is refused: %s",
                    launch_failure_of(text).message);
        pass_verdict(job, CONDITION_REASON_USER_DATA_SIZE_LIMIT_EXCEEDED, message.data);
        text_free(&message);
    } else {
        char *code CLEANUP_FREE = memory_copy_string(text_or_empty(text));
        code[strcspn(code, ":")] = '\0';
        fail(job, &(struct aws_result){.error = result->error,
                                       .fault = result->fault,
                                       .code = code,
                                       .message = text_or_empty(text)});
    }
}

void validation_job_begin(struct node_class_controllers *controllers,
                          const struct validation_job_options *options)
{
    assert(options->draft->status.subnets.count > 0);
    struct validation_job *job = memory_allocate(sizeof *job);
    job->controllers = controllers;
    job->next = controllers->jobs->first;
    if (job->next != NULL)
        job->next->previous = job;
    controllers->jobs->first = job;
    job->key = memory_copy_string(options->key);
    job->draft =
        (const struct ec2_node_class *)object_acquire((const struct object *)options->draft);
    job->catalog = (const struct instance_type_catalog *)object_acquire(
        (const struct object *)options->catalog);
    job->type = *options->type;
    job->types[0] = &job->type;
    job->tenancy = options->tenancy;
    job->tags = node_class_launch_tags(job->draft, controllers->environment.cluster, "");
    answers_begin(controllers->answers, job->key);
    const struct placement_group *group = NULL;
    placement_groups_of(controllers->environment.groups, job->draft, &group);
    launch_templates_ensure(
        controllers->environment.templates,
        &(struct launch_template_request){.node_class = job->draft,
                                          .claim = &job->claim,
                                          .types = job->types,
                                          .types_count = 1,
                                          .capacity_type = CAPACITY_TYPE_ON_DEMAND,
                                          .tenancy = job->tenancy,
                                          .tags = job->tags,
                                          .group = group},
        on_template, job);
}
