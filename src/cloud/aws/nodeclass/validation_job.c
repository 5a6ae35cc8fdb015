#include "cloud/aws/nodeclass/validation_job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/nodeclass/launch_failure.h"
#include "cloud/aws/nodeclass/node_class_tags.h"
#include "cloud/aws/nodeclass/refusal.h"
#include "model/tables/kinds.h"

#define SUBNET_ERRORS_MAX 600 // bytes; further subnets are not named

struct validation_job {
    struct node_class_controllers *controllers;
    struct validation_job *next, *previous;
    struct aws_call *call;
    char *key, *template_name;
    const struct ec2_node_class *draft;
    const struct instance_type_catalog *catalog;
    struct instance_type types[VALIDATION_TYPES_MAX];
    const struct instance_type *type[1]; // of the present attempt
    uint32_t types_count, attempt;
    struct node_claim claim; // without labels and requirements
    const char *tenancy, *capacity_type;
    json_t *tags;
    uint32_t subnet;
    // Of the first type: of CreateFleet, or of RunInstances in the first subnet.
    struct error first_error;
    enum aws_fault first_fault;
    char *first_code, *first_message;
    struct text subnet_errors; // those that differ, each with its subnet (AWN-713)
};
struct class_jobs {
    struct validation_job *first;
};

struct class_jobs *class_jobs_create(void)
{
    return memory_allocate(sizeof(struct class_jobs));
}

// AWN-713: upstream leaves the template until it expires.
static void release_template(struct validation_job *job)
{
    const struct node_class_controllers *controllers = job->controllers;
    if (job->template_name != NULL && !controllers->manager->settings->compatibility_upstream)
        launch_templates_release(controllers->environment.templates, job->template_name);
    free(job->template_name);
    job->template_name = NULL;
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
    text_free(&job->subnet_errors);
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
    release_template(job);
    job_free(job);
}

static void fail(struct validation_job *job, const struct aws_result *failure)
{
    answers_fail(job->controllers->answers, job->key, failure);
    release_template(job);
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

// --- failures ------------------------------------------------------------------------------------
static void begin_attempt(struct validation_job *job);

static bool is_of_the_profile(const struct aws_result *result)
{
    return strcmp(text_or_empty(result->code), "InvalidParameterValue") == 0 &&
           strstr(text_or_empty(result->message), "Invalid IAM Instance Profile name") != NULL;
}

static void keep_first(struct validation_job *job, const struct aws_result *result)
{
    if (job->first_code != NULL)
        return;
    job->first_error = result->error;
    job->first_fault = result->fault;
    job->first_code = memory_copy_string(text_or_empty(result->code));
    job->first_message = memory_copy_string(text_or_empty(result->message));
}

// AWN-713: the type may be what is wrong: EC2 does not offer it there, or not with these options.
static bool tries_next_type(struct validation_job *job, const struct aws_result *result)
{
    if (job->attempt + 1 >= job->types_count || result->fault == AWS_FAULT_UNAUTHORIZED ||
        result->fault == AWS_FAULT_THROTTLED || result->fault == AWS_FAULT_SERVER ||
        result->fault == AWS_FAULT_NO_ANSWER || is_of_the_profile(result))
        return false;
    keep_first(job, result);
    job->attempt++;
    job->subnet = 0;
    release_template(job);
    begin_attempt(job);
    return true;
}

// The first failure decides; its text names all subnets with another one.
static void judge(struct validation_job *job)
{
    struct aws_result failure = {.error = job->first_error,
                                 .fault = job->first_fault,
                                 .code = job->first_code,
                                 .message = job->first_message};
    if (is_of_the_profile(&failure))
        failure.code = CODE_PROFILE_NOT_FOUND;
    if (job->subnet_errors.length > 0)
        error_set(&failure.error, failure.error.kind, "%s; %s", job->first_error.message,
                  job->subnet_errors.data);
    fail(job, &failure);
}

// --- RunInstances --------------------------------------------------------------------------------
static void run_instances(struct validation_job *job);

static const char *subnet_of(const struct validation_job *job)
{
    return job->draft->status.subnets.items[job->subnet].id;
}

// AWN-713: of the first type; messages of the same text are told once.
static void note_subnet(struct validation_job *job, const struct aws_result *result)
{
    if (job->subnet == 0)
        keep_first(job, result);
    else if (job->attempt == 0 && job->subnet_errors.length < SUBNET_ERRORS_MAX &&
             !job->controllers->manager->settings->compatibility_upstream &&
             !text_equal(job->first_message, text_or_empty(result->message)) &&
             (job->subnet_errors.data == NULL ||
              strstr(job->subnet_errors.data, text_or_empty(result->message)) == NULL))
        text_format(&job->subnet_errors, "%sin %s: %s: %.300s",
                    job->subnet_errors.length > 0 ? "; " : "", text_or_empty(subnet_of(job)),
                    text_or_empty(result->code), text_or_empty(result->message));
}

static void on_run(void *context, const struct aws_result *result)
{
    struct validation_job *job = context;
    job->call = NULL;
    if (passed(result)) {
        pass_verdict(job, 0, NULL);
        return;
    }
    note_subnet(job, result);
    job->subnet++;
    if (job->subnet < job->draft->status.subnets.count) {
        run_instances(job);
        return;
    }
    struct aws_result first = {
        .fault = job->first_fault, .code = job->first_code, .message = job->first_message};
    if (job->first_fault == AWS_FAULT_UNAUTHORIZED) {
        char *text CLEANUP_FREE = text_of(&first);
        refuse(job, CONDITION_REASON_RUN_INSTANCES_AUTH_CHECK_FAILED, "ec2:RunInstances", text);
    } else if (!tries_next_type(job, result)) {
        judge(job);
    }
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
    const char *subnet = subnet_of(job);
    call(job, EC2_RUN_INSTANCES,
         json_pack("{s:b, s:s, s:o, s:i, s:i, s:o, s:o}", "DryRun", 1, "InstanceType",
                   job->type[0]->name, "LaunchTemplate", template_reference(job), "MinCount", 1,
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
    } else if (!tries_next_type(job, result)) {
        keep_first(job, result);
        judge(job);
    }
}

static void create_fleet(struct validation_job *job)
{
    static const char *const tagged[] = {"fleet", "instance", "volume", NULL};
    json_t *overrides = json_array();
    list_for_each (subnet, &job->draft->status.subnets)
        json_array_append_new(overrides, json_pack("{s:s, s:s}", "InstanceType", job->type[0]->name,
                                                   "SubnetId", subnet->id));
    json_t *configuration = json_pack("{s:o, s:o}", "LaunchTemplateSpecification",
                                      template_reference(job), "Overrides", overrides);
    bool spot = strcmp(job->capacity_type, CAPACITY_TYPE_SPOT) == 0;
    call(job, EC2_CREATE_FLEET,
         json_pack("{s:b, s:s, s:[o], s:{s:s}, s:{s:s, s:i}, s:o}", "DryRun", 1, "Type", "instant",
                   "LaunchTemplateConfigs", configuration, spot ? "SpotOptions" : "OnDemandOptions",
                   "AllocationStrategy", spot ? "price-capacity-optimized" : "lowest-price",
                   "TargetCapacitySpecification", "DefaultTargetCapacityType", job->capacity_type,
                   "TotalTargetCapacity", 1, "TagSpecifications", tag_specifications(job, tagged)),
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

static void begin_attempt(struct validation_job *job)
{
    const struct node_class_environment *environment = &job->controllers->environment;
    const struct placement_group *group = NULL;
    assert(job->attempt < job->types_count);
    job->type[0] = &job->types[job->attempt];
    placement_groups_of(environment->groups, job->draft, &group);
    launch_templates_ensure(environment->templates,
                            &(struct launch_template_request){.node_class = job->draft,
                                                              .claim = &job->claim,
                                                              .types = job->type,
                                                              .types_count = 1,
                                                              .capacity_type = job->capacity_type,
                                                              .tenancy = job->tenancy,
                                                              .tags = job->tags,
                                                              .group = group,
                                                              .validation = true},
                            on_template, job);
}

void validation_job_begin(struct node_class_controllers *controllers,
                          const struct validation_job_options *options)
{
    assert(options->draft->status.subnets.count > 0);
    assert(options->types->count > 0);
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
    for (; job->types_count < options->types->count; job->types_count++)
        job->types[job->types_count] = *options->types->items[job->types_count];
    job->tenancy = options->tenancy;
    job->capacity_type = options->capacity_type;
    job->tags =
        node_class_launch_tags(job->draft, controllers->environment.cluster, options->node_pool);
    answers_begin(controllers->answers, job->key);
    begin_attempt(job);
}
