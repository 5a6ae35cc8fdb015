#include "cloud/aws/credentials/instance_metadata.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"

#define TIMEOUT      (2 * SECOND)
#define ATTEMPTS_MAX 3
#define TOKEN_TTL_S  "21600"
#define TOKEN_BYTES  512

struct instance_metadata {
    struct loop *loop;
    struct aws_http *http;
    struct aws_http_call *exchange;
    struct timer *timer; // before another attempt
    char *base;          // "http://169.254.169.254"
    char token[TOKEN_BYTES];
    char *path;
    uint32_t attempt;
    bool token_refused; // once in this read
    instance_metadata_done done;
    void *context;
};

static void next_attempt(void *context);
static void token_answered(void *context, const struct aws_http_response *response);
static void path_answered(void *context, const struct aws_http_response *response);
static bool try_again(struct instance_metadata *metadata, const struct aws_http_response *response);
static void finish(struct instance_metadata *metadata, const struct aws_http_response *response,
                   const struct error *error);

struct instance_metadata *instance_metadata_create(struct loop *loop, struct aws_http *http,
                                                   const struct aws_environment *environment,
                                                   struct error *error)
{
    const char *disabled = aws_environment_get(environment, "AWS_EC2_METADATA_DISABLED");
    const char *endpoint = aws_environment_get(environment, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
    const char *mode = aws_environment_get(environment, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
    bool is_ipv6 = mode != NULL && strcasecmp(mode, "IPv6") == 0;
    if (disabled != NULL && strcasecmp(disabled, "true") == 0) {
        error_set(error, ERROR_UNAVAILABLE, "AWS_EC2_METADATA_DISABLED is set");
        return NULL;
    }
    if (endpoint == NULL)
        endpoint = is_ipv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
    bool good = text_starts_with(endpoint, "http://") || text_starts_with(endpoint, "https://");
    for (const char *c = endpoint; *c != '\0'; c++)
        good = good && (unsigned char)*c > ' ' && (unsigned char)*c < 127 && *c != '@';
    if (!good) {
        error_set(error, ERROR_INVALID, "AWS_EC2_METADATA_SERVICE_ENDPOINT is no URL of http");
        return NULL;
    }
    struct instance_metadata *metadata = memory_allocate(sizeof *metadata);
    metadata->loop = loop;
    metadata->http = http;
    metadata->base = memory_copy_string(endpoint);
    for (size_t length = strlen(metadata->base); metadata->base[length - 1] == '/';)
        metadata->base[--length] = '\0';
    metadata->timer = timer_create_on(loop, next_attempt, metadata);
    return metadata;
}

void instance_metadata_destroy(struct instance_metadata *metadata)
{
    if (metadata == NULL)
        return;
    if (metadata->exchange != NULL)
        metadata->http->operations->cancel(metadata->http, metadata->exchange);
    timer_destroy(metadata->timer);
    explicit_bzero(metadata->token, sizeof metadata->token);
    free(metadata->path);
    free(metadata->base);
    free(metadata);
}

void instance_metadata_read(struct instance_metadata *metadata, const char *path,
                            instance_metadata_done done, void *context)
{
    assert(metadata->exchange == NULL);
    assert(path[0] == '/');
    free(metadata->path);
    metadata->path = memory_copy_string(path);
    metadata->attempt = 0;
    metadata->token_refused = false;
    metadata->done = done;
    metadata->context = context;
    timer_start(metadata->timer, 0);
}

static void send(struct instance_metadata *metadata, const char *method, const char *path,
                 struct aws_http_header header, aws_http_done done)
{
    struct text url = {0};
    text_format(&url, "%s%s", metadata->base, path);
    metadata->exchange =
        metadata->http->operations->start(metadata->http,
                                          &(struct aws_http_request){.method = method,
                                                                     .url = url.data,
                                                                     .headers = &header,
                                                                     .headers_count = 1,
                                                                     .direct = true,
                                                                     .timeout_ns = TIMEOUT},
                                          done, metadata);
    text_free(&url);
}

static void next_attempt(void *context)
{
    struct instance_metadata *metadata = context;
    metadata->attempt++;
    if (metadata->token[0] == '\0')
        send(metadata, "PUT", "/latest/api/token",
             (struct aws_http_header){"X-aws-ec2-metadata-token-ttl-seconds", TOKEN_TTL_S},
             token_answered);
    else
        send(metadata, "GET", metadata->path,
             (struct aws_http_header){"X-aws-ec2-metadata-token", metadata->token}, path_answered);
}

static void token_answered(void *context, const struct aws_http_response *response)
{
    struct instance_metadata *metadata = context;
    metadata->exchange = NULL;
    struct error error = {0};
    bool good =
        response->status == 200 && response->body_bytes > 0 && response->body_bytes < TOKEN_BYTES;
    for (size_t i = 0; good && i < response->body_bytes; i++)
        good = response->body[i] > ' ' && response->body[i] < 127; // it goes into a header
    if (good) {
        memcpy(metadata->token, response->body, response->body_bytes);
        metadata->token[response->body_bytes] = '\0';
        metadata->attempt = 0;
        timer_start(metadata->timer, 0);
    } else if (!try_again(metadata, response)) {
        error_set(&error, ERROR_UNAVAILABLE,
                  response->status == 0 ? "the instance metadata service does not answer; in a "
                                          "container it may be more hops away than "
                                          "HttpPutResponseHopLimit allows"
                                        : "the instance metadata service gives no token");
        finish(metadata, NULL, &error);
    }
}

static void path_answered(void *context, const struct aws_http_response *response)
{
    struct instance_metadata *metadata = context;
    metadata->exchange = NULL;
    struct error error = {0};
    if (response->status == 200) {
        finish(metadata, response, &error);
        return;
    }
    bool is_new = metadata->token_refused;
    if (response->status == 401) { // the token has expired
        metadata->token[0] = '\0';
        metadata->token_refused = true;
    }
    if (!(response->status == 401 && is_new) && try_again(metadata, response))
        return;
    if (response->status == 404)
        error_set(&error, ERROR_NOT_FOUND, "the instance metadata service has no %s",
                  metadata->path);
    else
        error_set(&error, ERROR_UNAVAILABLE, "the instance metadata service answers with %d",
                  response->status);
    finish(metadata, NULL, &error);
}

static bool try_again(struct instance_metadata *metadata, const struct aws_http_response *response)
{
    bool is_transient = response->status == 0 || response->status == 401 || response->status >= 500;
    if (!is_transient || metadata->attempt >= ATTEMPTS_MAX)
        return false;
    timer_start(metadata->timer, ns_multiply(metadata->attempt, 200 * MILLISECOND));
    return true;
}

static void finish(struct instance_metadata *metadata, const struct aws_http_response *response,
                   const struct error *error)
{
    const char *body = response != NULL ? text_or_empty(response->body) : NULL;
    metadata->done(metadata->context, body, response != NULL ? response->body_bytes : 0, error);
}
