#include "cloud/aws/client/aws_client.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cloud/aws/client/aws_call.h"

static struct aws_call *call_create(struct aws_client *client, const struct aws_request *request);
static void call_prepare(struct aws_call *call, const char *region);
static void call_started(void *context);

struct aws_client *aws_client_create(const struct aws_client_options *options, struct error *error)
{
    assert(options->loop != NULL);
    assert(options->http != NULL);
    struct aws_environment environment = {options->environment, options->environment_context};
    struct aws_retry retry;
    if (!aws_region_is_valid(text_or_empty(options->region))) {
        error_set(error, ERROR_INVALID, "AWS region \"%.64s\" is no name of a region",
                  text_or_empty(options->region));
        return NULL;
    }
    if (!aws_retry_init(&retry, &environment, error))
        return NULL;
    struct aws_client *client = memory_allocate(sizeof *client);
    client->loop = options->loop;
    client->http = options->http;
    client->credentials = options->credentials;
    client->environment = environment;
    client->retry = retry;
    snprintf(client->region, sizeof client->region, "%s", options->region);
    client->decodes_denials = options->decodes_denials;
    client->start = aws_client_start;
    random_seed(&client->random, options->seed);
    client->throttle = aws_throttle_create(options->loop);
    LIST_INIT(&client->calls);
    if (options->metrics != NULL)
        aws_client_metrics_register(&client->metrics, options->metrics);
    return client;
}

void aws_client_destroy(struct aws_client *client)
{
    if (client == NULL)
        return;
    while (!LIST_EMPTY(&client->calls))
        aws_call_cancel(LIST_FIRST(&client->calls));
    aws_throttle_destroy(client->throttle);
    aws_denials_free(&client->denials);
    free(client);
}

const char *aws_client_region(const struct aws_client *client)
{
    return client->region;
}

const char *aws_client_partition(const struct aws_client *client)
{
    return aws_partition_of(client->region);
}

uint64_t aws_client_sent(const struct aws_client *client, enum aws_action action)
{
    assert(action < AWS_ACTION_COUNT);
    return client->sent[action];
}

struct aws_call *aws_client_start(struct aws_client *client, const struct aws_request *request)
{
    assert(request->done != NULL);
    assert(request->page == NULL || request->all_pages);
    struct aws_call *call = call_create(client, request);
    call_prepare(call, request->region != NULL ? request->region : client->region);
    LIST_INSERT_HEAD(&client->calls, call, link);
    timer_start(call->timer, 0);
    return call;
}

void aws_call_cancel(struct aws_call *call)
{
    assert(!call->is_cancelled);
    if (!call->is_paging) {
        aws_call_free(call);
        return;
    }
    call->is_cancelled = true; // aws_call_begin()'s side frees it after the callback
    LIST_REMOVE(call, link);
}

static struct aws_call *call_create(struct aws_client *client, const struct aws_request *request)
{
    struct aws_call *call = memory_allocate(sizeof *call);
    call->client = client;
    call->action = request->action;
    call->info = aws_action_info(request->action);
    call->parameters = request->parameters != NULL ? request->parameters : json_object();
    call->all_pages = request->all_pages && call->info->page_token != NULL;
    call->once = request->once;
    call->page = request->page;
    call->done = request->done;
    call->context = request->context;
    call->began = loop_monotonic_ns(client->loop);
    call->timer = timer_create_on(client->loop, call_started, call);
    return call;
}

// A fault of the request ends the call with its start.
static void call_prepare(struct aws_call *call, const char *region)
{
    struct aws_client *client = call->client;
    const char *token = call->info->client_token;
    if (token != NULL && json_object_get(call->parameters, token) == NULL) {
        char value[37];
        random_uuid(&client->random, value);
        json_object_set_new(call->parameters, token, json_string(value));
    }
    struct error error = {0};
    if (aws_endpoint_find(&client->environment, call->info->service, region, &call->endpoint,
                          &error) &&
        !aws_codec_encode_request(call->action, call->parameters, &call->wire, &error))
        assert(error.kind != ERROR_NONE);
    call->error = error;
}

static void call_started(void *context)
{
    aws_call_begin(context);
}
