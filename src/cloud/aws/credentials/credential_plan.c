#include "cloud/aws/credentials/credential_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/credentials/shared_config.h"

#define AGENT_URL "http://169.254.170.2" // of Amazon ECS

struct maker {
    const struct aws_environment *environment;
    const struct shared_config *files;
    struct credential_plan *plan;
    struct error *error;
};

// Each: 1 the plan is made, 0 not configured, -1 faulty (the error is set).
static int from_profile(struct maker *maker, const char *profile, bool chosen);
static int from_environment(struct maker *maker);
static int from_web_identity(struct maker *maker);
static int from_container(struct maker *maker);
static int from_instance(struct maker *maker);
static int profile_role(struct maker *maker, const char *profile);

static const char *variable(const struct maker *maker, const char *name)
{
    return aws_environment_get(maker->environment, name);
}

static int fault(struct maker *maker, const char *text, const char *detail)
{
    error_set(maker->error, ERROR_UNAUTHORIZED, "AWS credentials: %s%s", text, detail);
    return -1;
}

static int make(struct maker *maker)
{
    bool chosen;
    const char *profile = shared_config_profile(maker->environment, &chosen);
    int result = chosen ? from_profile(maker, profile, true) : 0;
    if (result == 0)
        result = from_environment(maker);
    if (result == 0)
        result = from_web_identity(maker);
    if (result == 0 && !chosen)
        result = from_profile(maker, profile, false);
    if (result == 0)
        result = from_container(maker);
    if (result == 0)
        result = from_instance(maker);
    if (result == 0)
        fault(maker,
              "there are none: AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE and "
              "AWS_CONTAINER_CREDENTIALS_FULL_URI are not set, the shared files have no profile "
              "\"default\" with credentials, and AWS_EC2_METADATA_DISABLED is set",
              "");
    return result;
}

struct credential_plan *credential_plan_create(const struct aws_environment *environment,
                                               struct error *error)
{
    struct shared_config *files = shared_config_read(environment, error);
    if (files == NULL) {
        error_prefix(error, "AWS credentials");
        return NULL;
    }
    struct credential_plan *plan = memory_allocate(sizeof *plan);
    struct maker maker = {environment, files, plan, error};
    int result = make(&maker);
    shared_config_destroy(files);
    if (result == 1)
        return plan;
    credential_plan_destroy(plan);
    return NULL;
}

static void role_clear(struct credential_role *role)
{
    free(role->arn);
    free(role->external_id);
    free(role->session_name);
}

void credential_plan_destroy(struct credential_plan *plan)
{
    if (plan == NULL)
        return;
    held_credentials_clear(&plan->keys);
    free(plan->name);
    free(plan->process);
    free(plan->token_file);
    free(plan->container_url);
    role_clear(&plan->web);
    for (uint32_t i = 0; i < plan->roles_count; i++)
        role_clear(&plan->roles[i]);
    free(plan);
}

static void name_plan(struct maker *maker, const char *name)
{
    free(maker->plan->name);
    maker->plan->name = memory_copy_string(name);
}

static int from_environment(struct maker *maker)
{
    const char *key = variable(maker, "AWS_ACCESS_KEY_ID");
    const char *secret = variable(maker, "AWS_SECRET_ACCESS_KEY");
    if (key == NULL && secret == NULL)
        return 0;
    if (key == NULL || secret == NULL)
        return fault(maker, key == NULL ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                     " is not set, though its other half is");
    maker->plan->origin = CREDENTIAL_KEYS;
    held_credentials_set(&maker->plan->keys, key, secret, variable(maker, "AWS_SESSION_TOKEN"),
                         INT64_MAX);
    name_plan(maker, "the environment");
    return 1;
}

static int from_web_identity(struct maker *maker)
{
    const char *file = variable(maker, "AWS_WEB_IDENTITY_TOKEN_FILE");
    const char *role = variable(maker, "AWS_ROLE_ARN");
    if (file == NULL)
        return 0;
    if (role == NULL)
        return fault(maker, "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not", "");
    maker->plan->origin = CREDENTIAL_WEB_IDENTITY;
    maker->plan->token_file = memory_copy_string(file);
    maker->plan->web.arn = memory_copy_string(role);
    maker->plan->web.session_name = memory_copy_string(variable(maker, "AWS_ROLE_SESSION_NAME"));
    name_plan(maker, "AWS_WEB_IDENTITY_TOKEN_FILE");
    return 1;
}

static bool host_is(const char *host, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(host, name, length) == 0;
}

bool credential_url_is_allowed(const char *url)
{
    for (const char *c = url; *c != '\0'; c++) {
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 127 || *c == '\\')
            return false;
    }
    bool is_plain = text_starts_with(url, "http://");
    if (!is_plain && !text_starts_with(url, "https://"))
        return false;
    const char *host = strstr(url, "://") + 3;
    size_t length = strcspn(host, "/?#");
    if (length == 0 || memchr(host, '@', length) != NULL)
        return false;
    if (!is_plain)
        return true;
    const char *end = host[0] == '[' ? memchr(host, ']', length) : memchr(host, ':', length);
    size_t name = end == NULL ? length : (size_t)(end - host) + (host[0] == '[');
    if (host[0] == '[' && (end == NULL || (name < length && host[name] != ':')))
        return false;
    static const char *const hosts[] = {"localhost",     "127.0.0.1",      "[::1]",
                                        "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
    for (size_t i = 0; i < ARRAY_LENGTH(hosts); i++) {
        if (host_is(host, name, hosts[i]))
            return true;
    }
    // The rest of 127.0.0.0/8.
    return name > 4 && strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == name;
}

static int from_container(struct maker *maker)
{
    const char *relative = variable(maker, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char *full = variable(maker, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
    if (relative == NULL && full == NULL)
        return 0;
    struct text url = {0};
    if (relative != NULL)
        text_format(&url, AGENT_URL "%s%s", relative[0] == '/' ? "" : "/", relative);
    else
        text_add(&url, full);
    maker->plan->origin = CREDENTIAL_CONTAINER;
    maker->plan->container_url = text_take(&url);
    name_plan(maker, "the container's endpoint");
    if (credential_url_is_allowed(maker->plan->container_url))
        return 1;
    return fault(maker,
                 relative != NULL ? "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
                                  : "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                 " is neither https nor an address of this machine or of its container agent");
}

static int from_instance(struct maker *maker)
{
    const char *disabled = variable(maker, "AWS_EC2_METADATA_DISABLED");
    if (disabled != NULL && strcasecmp(disabled, "true") == 0)
        return 0;
    maker->plan->origin = CREDENTIAL_INSTANCE;
    name_plan(maker, "the instance's metadata");
    return 1;
}

// --- profiles ------------------------------------------------------------------------------------
static const char *value_of(const struct maker *maker, const char *profile, const char *key)
{
    return shared_config_get(maker->files, profile, key);
}

static int profile_fault(struct maker *maker, const char *profile, const char *text)
{
    error_set(maker->error, ERROR_UNAUTHORIZED, "AWS credentials: profile \"%.100s\" %s", profile,
              text);
    return -1;
}

static int profile_keys(struct maker *maker, const char *profile)
{
    const char *key = value_of(maker, profile, "aws_access_key_id");
    const char *secret = value_of(maker, profile, "aws_secret_access_key");
    if (key == NULL && secret == NULL)
        return 0;
    if (key == NULL || secret == NULL)
        return profile_fault(maker, profile, "has only one half of its keys");
    maker->plan->origin = CREDENTIAL_KEYS;
    held_credentials_set(&maker->plan->keys, key, secret,
                         value_of(maker, profile, "aws_session_token"), INT64_MAX);
    return 1;
}

// The sources of a profile other than a role of another one's.
static int profile_own(struct maker *maker, const char *profile)
{
    const char *process = value_of(maker, profile, "credential_process");
    int result = profile_keys(maker, profile);
    if (result != 0 || process == NULL)
        return result;
    maker->plan->origin = CREDENTIAL_PROCESS;
    maker->plan->process = memory_copy_string(process);
    return 1;
}

static int profile_web_identity(struct maker *maker, const char *profile)
{
    struct credential_plan *plan = maker->plan;
    plan->origin = CREDENTIAL_WEB_IDENTITY;
    plan->token_file = memory_copy_string(value_of(maker, profile, "web_identity_token_file"));
    plan->web.arn = memory_copy_string(value_of(maker, profile, "role_arn"));
    plan->web.session_name = memory_copy_string(value_of(maker, profile, "role_session_name"));
    return 1;
}

static int from_profile(struct maker *maker, const char *profile, bool chosen)
{
    struct text name = {0};
    text_format(&name, "profile \"%.100s\"", profile);
    name_plan(maker, name.data);
    text_free(&name);
    if (!shared_config_has(maker->files, profile))
        return chosen ? profile_fault(maker, profile, "is not in the shared files") : 0;
    int result = 0;
    if (value_of(maker, profile, "role_arn") != NULL)
        result = profile_role(maker, profile);
    else
        result = profile_own(maker, profile);
    if (result != 0)
        return result;
    if (value_of(maker, profile, "sso_session") != NULL ||
        value_of(maker, profile, "sso_start_url") != NULL)
        return profile_fault(maker, profile, "uses SSO, which is not for controllers");
    return chosen ? profile_fault(maker, profile, "has no credentials") : 0;
}

static void add_role(struct maker *maker, const char *profile)
{
    struct credential_role *role = &maker->plan->roles[maker->plan->roles_count++];
    const char *duration = value_of(maker, profile, "duration_seconds");
    *role = (struct credential_role){
        .arn = memory_copy_string(value_of(maker, profile, "role_arn")),
        .external_id = memory_copy_string(value_of(maker, profile, "external_id")),
        .session_name = memory_copy_string(value_of(maker, profile, "role_session_name"))};
    if (duration != NULL && !text_parse_int64(duration, &role->duration_s))
        role->duration_s = 0;
}

static int named_source(struct maker *maker, const char *profile, const char *source)
{
    int result = 0;
    if (strcasecmp(source, "Environment") == 0)
        result = from_environment(maker);
    else if (strcasecmp(source, "Ec2InstanceMetadata") == 0)
        result = from_instance(maker);
    else if (strcasecmp(source, "EcsContainer") == 0)
        result = from_container(maker);
    else
        return profile_fault(maker, profile, "has an unknown credential_source");
    return result != 0 ? result
                       : profile_fault(maker, profile, "has a credential_source that is not there");
}

// Follows source_profile to the origin. The roles are found last first.
static int profile_role(struct maker *maker, const char *profile)
{
    struct credential_plan *plan = maker->plan;
    int result = 0;
    for (const char *at = profile; result == 0;) {
        const char *source = value_of(maker, at, "credential_source");
        const char *next = value_of(maker, at, "source_profile");
        if (value_of(maker, at, "mfa_serial") != NULL)
            return profile_fault(maker, at, "wants an MFA code, which nobody can enter here");
        if (value_of(maker, at, "web_identity_token_file") != NULL) {
            result = profile_web_identity(maker, at);
            break;
        }
        if (plan->roles_count == CREDENTIAL_ROLES_MAX)
            return profile_fault(maker, profile, "has too long a chain of source_profile");
        add_role(maker, at);
        if (source != NULL && next == NULL) {
            result = named_source(maker, at, source);
        } else if (next == NULL) {
            result = profile_fault(maker, at, "has neither source_profile nor credential_source");
        } else if (!shared_config_has(maker->files, next)) {
            result = profile_fault(maker, next, "is a source_profile, but not in the shared files");
        } else if (value_of(maker, next, "role_arn") == NULL || strcmp(next, at) == 0) {
            result = profile_own(maker, next);
            if (result == 0)
                result = profile_fault(maker, next, "has no credentials");
        }
        at = next;
    }
    for (uint32_t i = 0, j = plan->roles_count; i + 1 < j; i++) {
        struct credential_role role = plan->roles[i];
        plan->roles[i] = plan->roles[--j];
        plan->roles[j] = role;
    }
    return result;
}
