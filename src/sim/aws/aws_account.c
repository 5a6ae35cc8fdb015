#include "sim/aws/aws_account.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "sim/aws/account_dispatch.h"
#include "sim/aws/account_faults.h"
#include "sim/aws/account_instances.h"
#include "sim/aws/account_internal.h"
#include "sim/aws/account_policy.h"
#include "sim/aws/account_ports.h"
#include "sim/aws/account_types.h"
#include "sim/aws/built_in_account.h"
#include "sim/aws/ec2_templates.h"
#include "sim/aws/iam_api.h"
#include "sim/aws/sqs_api.h"

static bool environment_load(struct aws_account *account, struct error *error);
static bool environment_check(const struct aws_account *account, struct error *error);

struct aws_account *aws_account_create(const struct aws_account_options *options,
                                       struct error *error)
{
    struct aws_account *account = memory_allocate(sizeof *account);
    assert(options->loop != NULL);
    account->options = *options;
    account->loop = options->loop;
    account->start = loop_now_ns(options->loop);
    account->folder = memory_copy_string(options->folder);
    account->catalogue = memory_copy_string(options->catalogue);
    random_seed(&account->random, options->seed);
    random_seed(&account->latency, hash_mix(options->seed, 1));
    random_seed(&account->ids, hash_mix(options->seed, 2));
    account->instances = map_create();
    account->templates = map_create();
    account->profiles = map_create();
    account->tokens = map_create();
    account->statuses = map_create();
    account->zonal_shifts = json_array();
    account->policy_uses = json_object();
    account->denials = json_object();
    account->quotas = json_object();
    account_policy_set(account, options->policy);
    account->faults = account_faults_create();
    account->queue = account_queue_create(account);
    account->ports = account_ports_create(account);
    if (environment_load(account, error) && account_types_load(account, error))
        return account;
    aws_account_destroy(account);
    return NULL;
}

static void json_free(void *value)
{
    json_decref(value);
}

void aws_account_destroy(struct aws_account *account)
{
    if (account == NULL)
        return;
    account_ports_destroy(account->ports);
    account_queue_destroy(account->queue);
    account_faults_clear(account);
    account_faults_destroy(account->faults);
    map_destroy(account->instances, account_instance_free);
    map_destroy(account->templates, account_template_free);
    map_destroy(account->profiles, account_profile_free);
    account_tokens_destroy(account->tokens);
    map_destroy(account->statuses, json_free);
    account_types_destroy(account);
    json_decref(account->zonal_shifts);
    json_decref(account->quotas);
    account_policy_free(account);
    json_decref(account->environment);
    free(account->folder);
    free(account->catalogue);
    free(account);
}

static bool environment_load(struct aws_account *account, struct error *error)
{
    if (account->folder == NULL) {
        account->environment = built_in_environment(
            account->options.cluster != NULL ? account->options.cluster : "demo");
        return true;
    }
    struct text path = {0};
    json_error_t problem;
    text_format(&path, "%s/environment.json", account->folder);
    account->environment = json_load_file(path.data, 0, &problem);
    if (account->environment == NULL)
        error_set(error, ERROR_INVALID, "%s: %s", path.data, problem.text);
    text_free(&path);
    return account->environment != NULL && environment_check(account, error);
}

// A part that is absent is empty.
static bool environment_part(json_t *environment, const char *name, json_t *empty,
                             struct error *error)
{
    const json_t *part = json_object_get(environment, name);
    bool fits = part == NULL || json_typeof(part) == json_typeof(empty);
    if (part == NULL)
        json_object_set(environment, name, empty);
    if (!fits)
        error_set(error, ERROR_INVALID, "environment.json: %s is no %s", name,
                  json_is_array(empty) ? "list" : "object");
    json_decref(empty);
    return fits;
}

static bool environment_check(const struct aws_account *account, struct error *error)
{
    static const char *const lists[] = {"subnets",
                                        "securityGroups",
                                        "images",
                                        "capacityReservations",
                                        "placementGroups",
                                        "missingRoles",
                                        "missingInstanceProfiles"};
    static const char *const objects[] = {"zones", "ssmParameters", "cluster"};
    json_t *environment = account->environment;
    if (json_text(environment, "region")[0] == '\0')
        return error_set(error, ERROR_INVALID, "environment.json: region is missing");
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++)
        if (!environment_part(environment, lists[i], json_array(), error))
            return false;
    for (size_t i = 0; i < ARRAY_LENGTH(objects); i++)
        if (!environment_part(environment, objects[i], json_object(), error))
            return false;
    return true;
}

const char *aws_account_region(const struct aws_account *account)
{
    return account_region(account);
}

const char *account_region(const struct aws_account *account)
{
    return json_text(account->environment, "region");
}

const char *account_number(const struct aws_account *account)
{
    return json_text(account->environment, "account");
}

const char *account_zone_id(const struct aws_account *account, const char *zone)
{
    return json_text(json_object_get(account->environment, "zones"), zone);
}

const json_t *aws_account_environment(const struct aws_account *account)
{
    return account->environment;
}

bool account_refuse(struct account_call *call, int status, const char *code, const char *format,
                    ...)
{
    assert(call->code == NULL);
    struct text message = {0};
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&message, format, arguments);
    va_end(arguments);
    call->code = code;
    call->message = text_take(&message);
    call->status = status;
    json_decref(call->reply);
    call->reply = NULL;
    return false;
}

bool account_refuse_dry_run(struct account_call *call)
{
    return account_refuse(call, 412, "DryRunOperation",
                          "Request would have succeeded, but DryRun flag is set.");
}

char *account_id(struct aws_account *account, const char *prefix)
{
    struct text id = {0};
    text_format(&id, "%s0%016llx", prefix, (unsigned long long)random_next(&account->ids));
    return text_take(&id);
}

// --- resources of the environment ----------------------------------------------------------------

json_t *account_resource(const struct aws_account *account, const char *kind, const char *id)
{
    size_t i;
    json_t *resource;
    json_array_foreach (json_object_get(account->environment, kind), i, resource)
        if (strcmp(json_text(resource, "id"), id) == 0)
            return resource;
    return NULL;
}

static bool list_is_known(const struct aws_account *account, const char *kind)
{
    return json_is_array(json_object_get(account->environment, kind));
}

bool aws_account_put(struct aws_account *account, const char *kind, const json_t *resource,
                     struct error *error)
{
    json_t *environment = account->environment;
    if (strcmp(kind, "ssmParameters") == 0) {
        if (!json_is_object(resource))
            return error_set(error, ERROR_INVALID, "SSM parameters must be an object");
        json_object_update(json_object_get(environment, kind), (json_t *)resource);
        return true;
    }
    const char *id = json_text(resource, "id");
    if (!list_is_known(account, kind) || id[0] == '\0')
        return error_set(error, ERROR_INVALID, "no kind %s, or a resource without id", kind);
    json_t *old = account_resource(account, kind, id), *copy = json_deep_copy(resource);
    if (old != NULL) {
        json_object_clear(old);
        json_object_update(old, copy);
        json_decref(copy);
    } else
        json_array_append_new(json_object_get(environment, kind), copy);
    return true;
}

// --- from outside --------------------------------------------------------------------------------

struct aws_http *aws_account_http(struct aws_account *account)
{
    return account_ports_open(account);
}

void aws_account_add_fault(struct aws_account *account, const struct aws_account_fault *fault)
{
    account_faults_add(account, fault);
}

void aws_account_clear_faults(struct aws_account *account)
{
    account_faults_clear(account);
}

void aws_account_skew_clock(struct aws_account *account, int64_t nanoseconds)
{
    account->clock_skew = nanoseconds;
}

void aws_account_set_policy(struct aws_account *account, const json_t *policy)
{
    account_policy_set(account, policy);
}

const json_t *aws_account_policy_uses(const struct aws_account *account)
{
    return account->policy_uses;
}

void aws_account_set_quota(struct aws_account *account, const char *code, double value)
{
    json_object_set_new(account->quotas, code, json_real(value));
}

void aws_account_send_message(struct aws_account *account, const char *body)
{
    account_queue_send(account, body);
}

void aws_account_set_status(struct aws_account *account, const char *id, const json_t *status)
{
    json_t *old = status != NULL ? map_set(account->statuses, id, json_deep_copy(status))
                                 : map_remove(account->statuses, id);
    json_decref(old);
}

void aws_account_set_zonal_shifts(struct aws_account *account, const json_t *shifts)
{
    json_decref(account->zonal_shifts);
    account->zonal_shifts = json_deep_copy(shifts);
}

// --- templates and profiles ----------------------------------------------------------------------

uint32_t aws_account_templates(const struct aws_account *account)
{
    return (uint32_t)map_count(account->templates);
}

uint32_t aws_account_profiles(const struct aws_account *account)
{
    return (uint32_t)map_count(account->profiles);
}

void aws_account_lose_templates(struct aws_account *account)
{
    map_destroy(account->templates, account_template_free);
    account->templates = map_create();
}

void aws_account_calm(struct aws_account *account)
{
    struct aws_account_options *options = &account->options;
    options->throttle_share = options->lost_share = options->server_error_share = 0;
    options->stock_out_share = options->interruptions_per_hour = 0;
    for (struct map_entry *e = map_first(account->instances); e != NULL; e = map_next(e)) {
        const struct aws_instance *instance = map_value(e);
        if (instance->warned_at == 0)
            timer_stop(instance->reclaim);
    }
}
