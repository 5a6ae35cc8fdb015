#include "cloud/aws/credentials/credential_fetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/credentials/instance_metadata.h"
#include "kube/transport/process.h"
#include "kube/transport/secret_file.h"

#define ENDPOINT_TIMEOUT  (5 * SECOND)
#define PROCESS_TIMEOUT   (1 * MINUTE)
#define OUTPUT_BYTES_MAX  ((size_t)64 << 10)
#define TOKEN_BYTES_MAX   ((size_t)20000) // AWS takes no longer ones
#define ROLES_PATH        "/latest/meta-data/iam/security-credentials/"
#define ROLE_NAME_BYTES   128
#define ENDPOINT_ATTEMPTS 3

struct credential_fetch {
    struct credential_fetch_options options;
    struct credential_plan *plan;
    credential_fetched done;
    void *context;
    struct timer *timer; // the start, and before another attempt
    struct held_credentials held;
    uint32_t roles_done, attempt;
    // What is under way; at most one.
    struct aws_http_call *exchange;
    struct process *process;
    struct instance_metadata *metadata;
    struct aws_client *client;
    struct aws_credentials_source *client_credentials;
};

static void begin(void *context);
static void ask_container(struct credential_fetch *fetch);
static void container_answered(void *context, const struct aws_http_response *response);
static void ask_instance(struct credential_fetch *fetch);
static void role_name_read(void *context, const char *body, size_t length,
                           const struct error *error);
static void role_read(void *context, const char *body, size_t length, const struct error *error);
static void run_process(struct credential_fetch *fetch);
static void process_ended(void *context, const struct process_result *result);
static void assume_by_token(struct credential_fetch *fetch);
static void assume_next(struct credential_fetch *fetch);
static void role_assumed(void *context, const struct aws_result *result);
static void fail(struct credential_fetch *fetch, const struct error *error);

struct credential_fetch *credential_fetch_start(const struct credential_fetch_options *options,
                                                credential_fetched done, void *context)
{
    struct credential_fetch *fetch = memory_allocate(sizeof *fetch);
    fetch->options = *options;
    fetch->done = done;
    fetch->context = context;
    fetch->timer = timer_create_on(options->loop, begin, fetch);
    timer_start(fetch->timer, 0);
    return fetch;
}

static void stop_client(struct credential_fetch *fetch)
{
    aws_client_destroy(fetch->client);
    fetch->client = NULL;
    if (fetch->client_credentials != NULL)
        fetch->client_credentials->operations->destroy(fetch->client_credentials);
    fetch->client_credentials = NULL;
}

void credential_fetch_cancel(struct credential_fetch *fetch)
{
    if (fetch->exchange != NULL)
        fetch->options.http->operations->cancel(fetch->options.http, fetch->exchange);
    if (fetch->process != NULL)
        process_cancel(fetch->process);
    instance_metadata_destroy(fetch->metadata);
    stop_client(fetch);
    timer_destroy(fetch->timer);
    held_credentials_clear(&fetch->held);
    credential_plan_destroy(fetch->plan);
    free(fetch);
}

static void fail(struct credential_fetch *fetch, const struct error *error)
{
    struct error copy = *error;
    if (fetch->plan != NULL && !text_starts_with(copy.message, "AWS credentials"))
        error_prefix(&copy, "AWS credentials from %s", fetch->plan->name);
    credential_fetched done = fetch->done;
    void *context = fetch->context;
    credential_fetch_cancel(fetch);
    done(context, NULL, &copy);
}

static void succeed(struct credential_fetch *fetch)
{
    struct held_credentials held = fetch->held;
    fetch->held = (struct held_credentials){0};
    credential_fetched done = fetch->done;
    void *context = fetch->context;
    credential_fetch_cancel(fetch);
    done(context, &held, NULL);
    held_credentials_clear(&held);
}

static void begin(void *context)
{
    struct credential_fetch *fetch = context;
    struct error error = {0};
    if (fetch->plan == NULL)
        fetch->plan = credential_plan_create(fetch->options.environment, &error);
    if (fetch->plan == NULL) {
        fail(fetch, &error);
        return;
    }
    switch (fetch->plan->origin) {
    case CREDENTIAL_KEYS:
        fetch->held = fetch->plan->keys;
        fetch->plan->keys = (struct held_credentials){0};
        assume_next(fetch);
        break;
    case CREDENTIAL_PROCESS:
        run_process(fetch);
        break;
    case CREDENTIAL_WEB_IDENTITY:
        assume_by_token(fetch);
        break;
    case CREDENTIAL_CONTAINER:
        ask_container(fetch);
        break;
    case CREDENTIAL_INSTANCE:
        ask_instance(fetch);
        break;
    }
}

// The file's text without white space at its end; NULL with the error set.
static char *read_token(const char *path, struct error *error)
{
    size_t length = 0;
    char *token = secret_file_read(path, &length, error);
    if (token == NULL)
        return NULL;
    while (length > 0 && strchr(" \r\n\t", token[length - 1]) != NULL)
        token[--length] = '\0';
    bool good = length > 0 && length <= TOKEN_BYTES_MAX && strlen(token) == length;
    for (size_t i = 0; good && i < length; i++)
        good = (unsigned char)token[i] >= ' ' && (unsigned char)token[i] < 127;
    if (good)
        return token;
    secret_wipe(&token);
    error_set(error, ERROR_UNAUTHORIZED, "%s holds no token", path);
    return NULL;
}

// --- container -----------------------------------------------------------------------------------
static void ask_container(struct credential_fetch *fetch)
{
    const struct aws_environment *environment = fetch->options.environment;
    const char *file = aws_environment_get(environment, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    const char *given = aws_environment_get(environment, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
    struct error error = {0};
    char *token = NULL;
    if (file != NULL) // read each time: it is rotated
        token = read_token(file, &error);
    else if (given != NULL && strpbrk(given, "\r\n") == NULL)
        token = memory_copy_string(given);
    else if (given != NULL)
        error_set(&error, ERROR_UNAUTHORIZED, "AWS_CONTAINER_AUTHORIZATION_TOKEN is no token");
    if (error.kind != ERROR_NONE) {
        fail(fetch, &error);
        return;
    }
    fetch->attempt++;
    struct aws_http_header headers[] = {{"Accept", "application/json"}, {"Authorization", token}};
    struct aws_http *http = fetch->options.http;
    fetch->exchange =
        http->operations->start(http,
                                &(struct aws_http_request){.method = "GET",
                                                           .url = fetch->plan->container_url,
                                                           .headers = headers,
                                                           .headers_count = token != NULL ? 2 : 1,
                                                           .direct = true,
                                                           .timeout_ns = ENDPOINT_TIMEOUT},
                                container_answered, fetch);
    secret_wipe(&token);
}

static void container_answered(void *context, const struct aws_http_response *response)
{
    struct credential_fetch *fetch = context;
    fetch->exchange = NULL;
    struct error error = {0};
    bool is_transient = response->status == 0 || response->status >= 500 || response->status == 429;
    if (is_transient && fetch->attempt < ENDPOINT_ATTEMPTS) {
        timer_start(fetch->timer, ns_multiply(fetch->attempt, 500 * MILLISECOND));
        return;
    }
    if (response->status == 0)
        error = response->error;
    else if (response->status != 200)
        error_set(&error, ERROR_UNAUTHORIZED, "it answers with status %d", response->status);
    else
        (void)!held_credentials_parse(response->body, response->body_bytes,
                                      "AWS credentials from the container's endpoint", &fetch->held,
                                      &error);
    if (error.kind != ERROR_NONE)
        fail(fetch, &error);
    else
        assume_next(fetch);
}

// --- instance ------------------------------------------------------------------------------------
static void ask_instance(struct credential_fetch *fetch)
{
    struct error error = {0};
    fetch->metadata = instance_metadata_create(fetch->options.loop, fetch->options.http,
                                               fetch->options.environment, &error);
    if (fetch->metadata == NULL)
        fail(fetch, &error);
    else
        instance_metadata_read(fetch->metadata, ROLES_PATH, role_name_read, fetch);
}

static void instance_failed(struct credential_fetch *fetch, const struct error *error)
{
    struct error copy = *error;
    if (fetch->plan->roles_count == 0)
        error_prefix(&copy, "AWS credentials: neither environment nor shared files nor a "
                            "container's endpoint are configured, and the instance gives "
                            "none");
    fail(fetch, &copy);
}

static void role_name_read(void *context, const char *body, size_t length,
                           const struct error *error)
{
    struct credential_fetch *fetch = context;
    struct error own = {0};
    if (body == NULL) {
        if (error->kind == ERROR_NOT_FOUND) {
            error_set(&own, ERROR_UNAUTHORIZED, "the instance has no role");
            error = &own;
        }
        instance_failed(fetch, error);
        return;
    }
    size_t name = strcspn(body, "\r\n");
    bool good = name > 0 && name <= length && name < ROLE_NAME_BYTES;
    for (size_t i = 0; good && i < name; i++) // IAM's characters of names
        good = strchr("+=,.@_-/", body[i]) != NULL || (body[i] >= '0' && body[i] <= '9') ||
               (body[i] >= 'a' && body[i] <= 'z') || (body[i] >= 'A' && body[i] <= 'Z');
    if (!good) {
        error_set(&own, ERROR_UNAUTHORIZED, "the instance metadata service names no role");
        instance_failed(fetch, &own);
        return;
    }
    struct text path = {0};
    text_format(&path, ROLES_PATH "%.*s", (int)name, body);
    instance_metadata_read(fetch->metadata, path.data, role_read, fetch);
    text_free(&path);
}

static void role_read(void *context, const char *body, size_t length, const struct error *error)
{
    struct credential_fetch *fetch = context;
    struct error own = {0};
    if (body != NULL &&
        held_credentials_parse(body, length, "AWS credentials from the instance's metadata",
                               &fetch->held, &own)) {
        fetch->held.is_of_instance = true;
        instance_metadata_destroy(fetch->metadata);
        fetch->metadata = NULL;
        assume_next(fetch);
    } else {
        instance_failed(fetch, body == NULL ? error : &own);
    }
}

// --- process -------------------------------------------------------------------------------------
static void run_process(struct credential_fetch *fetch)
{
    struct error error = {0};
    if (loop_is_virtual(fetch->options.loop)) {
        error_set(&error, ERROR_UNAUTHORIZED, "credential_process does not run on virtual time");
        fail(fetch, &error);
        return;
    }
    const char *const arguments[] = {"/bin/sh", "-c", fetch->plan->process, NULL};
    fetch->process =
        process_start(fetch->options.loop,
                      &(struct process_request){.arguments = arguments,
                                                .environment = (const char *const *)environ,
                                                .timeout_ns = PROCESS_TIMEOUT,
                                                .output_bytes_max = OUTPUT_BYTES_MAX},
                      process_ended, fetch);
}

static void process_ended(void *context, const struct process_result *result)
{
    struct credential_fetch *fetch = context;
    fetch->process = NULL;
    struct error error = {0};
    if (!result->started)
        error = result->error;
    else if (result->timed_out || result->too_much)
        error_set(&error, ERROR_UNAUTHORIZED, "credential_process %s",
                  result->timed_out ? "runs for more than a minute" : "writes too much");
    else if (result->exit_status != 0)
        error_set(&error, ERROR_UNAUTHORIZED, "credential_process ends with status %d",
                  result->exit_status);
    else
        (void)!held_credentials_parse(result->output, result->output_bytes,
                                      "AWS credentials from credential_process", &fetch->held,
                                      &error);
    if (error.kind != ERROR_NONE)
        fail(fetch, &error);
    else
        assume_next(fetch);
}

// --- roles ---------------------------------------------------------------------------------------
// A client for one call; `keys` NULL: unsigned.
static bool start_client(struct credential_fetch *fetch, const struct held_credentials *keys,
                         enum aws_action action, json_t *parameters)
{
    const struct credential_fetch_options *options = &fetch->options;
    struct error error = {0};
    if (keys != NULL) {
        struct aws_credentials view = held_credentials_view(keys);
        fetch->client_credentials = aws_credentials_fixed(&view);
    }
    fetch->client = aws_client_create(
        &(struct aws_client_options){.loop = options->loop,
                                     .http = options->http,
                                     .credentials = fetch->client_credentials,
                                     .region = options->region,
                                     .environment = options->environment->get,
                                     .environment_context = options->environment->context,
                                     .seed = options->seed},
        &error);
    if (fetch->client == NULL) {
        json_decref(parameters);
        fail(fetch, &error);
        return false;
    }
    aws_client_start(fetch->client, &(struct aws_request){.action = action,
                                                          .parameters = parameters,
                                                          .done = role_assumed,
                                                          .context = fetch});
    return true;
}

static json_t *role_parameters(const struct credential_fetch *fetch,
                               const struct credential_role *role)
{
    char session[64];
    snprintf(session, sizeof session, "adze-%lld",
             (long long)(loop_now_ns(fetch->options.loop) / SECOND));
    json_t *parameters = json_pack("{s:s, s:s}", "RoleArn", role->arn, "RoleSessionName",
                                   role->session_name != NULL ? role->session_name : session);
    if (parameters == NULL) // no UTF-8
        parameters = json_object();
    if (role->external_id != NULL)
        json_object_set_new(parameters, "ExternalId", json_string(role->external_id));
    if (role->duration_s > 0)
        json_object_set_new(parameters, "DurationSeconds", json_integer(role->duration_s));
    return parameters;
}

static void assume_by_token(struct credential_fetch *fetch)
{
    struct error error = {0};
    char *token = read_token(fetch->plan->token_file, &error); // each time: it is rotated
    if (token == NULL) {
        fail(fetch, &error);
        return;
    }
    json_t *parameters = role_parameters(fetch, &fetch->plan->web);
    json_object_set_new(parameters, "WebIdentityToken", json_string(token));
    secret_wipe(&token);
    start_client(fetch, NULL, STS_ASSUME_ROLE_WITH_WEB_IDENTITY, parameters);
}

static void assume_next(struct credential_fetch *fetch)
{
    assert(fetch->held.access_key_id != NULL);
    if (fetch->roles_done == fetch->plan->roles_count) {
        succeed(fetch);
        return;
    }
    const struct credential_role *role = &fetch->plan->roles[fetch->roles_done++];
    start_client(fetch, &fetch->held, STS_ASSUME_ROLE, role_parameters(fetch, role));
}

static void role_assumed(void *context, const struct aws_result *result)
{
    struct credential_fetch *fetch = context;
    struct error error = result->error;
    if (error.kind == ERROR_NONE) {
        const json_t *credentials = json_object_get(result->reply, "Credentials");
        char *text = json_dumps(credentials, JSON_COMPACT);
        (void)!held_credentials_parse(text_or_empty(text), text != NULL ? strlen(text) : 0,
                                      "AWS credentials from STS", &fetch->held, &error);
        secret_wipe(&text);
    }
    stop_client(fetch);
    if (error.kind != ERROR_NONE)
        fail(fetch, &error);
    else
        assume_next(fetch);
}
