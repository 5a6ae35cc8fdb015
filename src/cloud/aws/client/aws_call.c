#include "cloud/aws/client/aws_call.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "cloud/aws/client/aws_denial.h"
#include "cloud/aws/client/aws_fault.h"
#include "cloud/aws/client/sigv4.h"

#define PAGES_MAX        10000
#define CLOCK_SKEW_LEAST (4 * MINUTE) // AWS accepts 5 min
#define HEADERS_MAX      8

static void call_go(void *context);
static void call_has_credentials(void *context, const struct aws_credentials_result *result);
static void call_send(struct aws_call *call, const struct aws_credentials *credentials);
static void call_answered(void *context, const struct aws_http_response *response);
static void call_succeeded(struct aws_call *call, const struct aws_http_response *response);
static void call_take_page(struct aws_call *call, json_t *reply, const char *request_id,
                           int status);
static void call_failed(struct aws_call *call, const struct aws_http_response *response);
static bool call_retries(struct aws_call *call, const struct aws_http_response *response,
                         const char *code);
static bool call_again_later(struct aws_call *call, bool timed_out);
static void call_finish(struct aws_call *call, struct aws_result *result);

static bool call_is_unsigned(const struct aws_call *call)
{
    return call->action == STS_ASSUME_ROLE_WITH_WEB_IDENTITY;
}

static void call_end_with(struct aws_call *call, const struct error *error)
{
    call_finish(call, &(struct aws_result){.error = *error,
                                           .fault = AWS_FAULT_NO_ANSWER,
                                           .lacks_credentials = call->lacks_credentials,
                                           .code = "",
                                           .message = "",
                                           .request_id = ""});
}

void aws_call_begin(struct aws_call *call)
{
    if (call->error.kind != ERROR_NONE) {
        call_end_with(call, &call->error);
        return;
    }
    call->turn = (struct aws_turn){.action = call->action, .ready = call_go, .context = call};
    if (aws_throttle_enter(call->client->throttle, &call->turn))
        call_go(call);
}

static void call_go(void *context)
{
    struct aws_call *call = context;
    struct aws_credentials_source *source = call->client->credentials;
    call->attempt++;
    if (call_is_unsigned(call)) {
        call_send(call, NULL);
        return;
    }
    if (source == NULL) {
        error_set(&call->error, ERROR_UNAUTHORIZED, "%s: there are no AWS credentials",
                  call->info->permission);
        call_end_with(call, &call->error);
        return;
    }
    call->waits_for_credentials = true;
    source->operations->get(source, call_has_credentials, call);
}

static void call_has_credentials(void *context, const struct aws_credentials_result *result)
{
    struct aws_call *call = context;
    call->waits_for_credentials = false;
    if (result->credentials != NULL) {
        call_send(call, result->credentials);
        return;
    }
    call->error = result->error;
    call->lacks_credentials = true;
    assert(call->error.kind != ERROR_NONE);
    error_prefix(&call->error, "%s", call->info->permission);
    call_end_with(call, &call->error);
}

// Signs what the endpoint's own path and the action's make.
static void call_sign(struct aws_call *call, const struct aws_credentials *credentials,
                      const char *url, const struct aws_http_header *headers, uint32_t count,
                      char authorization[SIGV4_AUTHORIZATION_BYTES])
{
    const char *path = strchr(strstr(url, "://") + 3, '/');
    sigv4_sign(
        &(struct sigv4_request){.method = call->wire.method,
                                .host = call->endpoint.host,
                                .path = path,
                                .headers = headers,
                                .headers_count = count,
                                .body = call->wire.body.data,
                                .body_bytes = call->wire.body.length,
                                .region = call->endpoint.signing_region,
                                .service = aws_service_info(call->info->service)->signing_name,
                                .now = ns_add(call->signed_at, call->client->clock_skew)},
        credentials, authorization);
}

static void call_send(struct aws_call *call, const struct aws_credentials *credentials)
{
    struct aws_client *client = call->client;
    struct aws_http_header headers[HEADERS_MAX];
    uint32_t count = 0;
    char authorization[SIGV4_AUTHORIZATION_BYTES], date[SIGV4_DATE_BYTES];
    struct text url = {0};
    text_format(&url, "%s%s", call->endpoint.url, call->wire.path);
    call->signed_at = loop_now_ns(client->loop);
    call->attempt_began = loop_monotonic_ns(client->loop);
    if (call->wire.content_type != NULL)
        headers[count++] = (struct aws_http_header){"content-type", call->wire.content_type};
    if (call->wire.target[0] != '\0')
        headers[count++] = (struct aws_http_header){"x-amz-target", call->wire.target};
    if (credentials != NULL) {
        sigv4_date(ns_add(call->signed_at, client->clock_skew), date);
        call_sign(call, credentials, url.data, headers, count, authorization);
        headers[count++] = (struct aws_http_header){"x-amz-date", date};
        if (credentials->session_token != NULL)
            headers[count++] =
                (struct aws_http_header){"x-amz-security-token", credentials->session_token};
        headers[count++] = (struct aws_http_header){"authorization", authorization};
    }
    headers[count++] =
        (struct aws_http_header){"user-agent", "adze/" ADZE_VERSION " karpenter.sh-" ADZE_VERSION};
    headers[count++] = (struct aws_http_header){"host", call->endpoint.host};
    assert(count <= HEADERS_MAX);
    client->sent[call->action]++;
    call->exchange = client->http->operations->start(
        client->http,
        &(struct aws_http_request){.method = call->wire.method,
                                   .url = url.data,
                                   .headers = headers,
                                   .headers_count = count,
                                   .body = call->wire.body.data,
                                   .body_bytes = call->wire.body.length},
        call_answered, call);
    text_free(&url);
}

static void call_answered(void *context, const struct aws_http_response *response)
{
    struct aws_call *call = context;
    call->exchange = NULL;
    aws_client_metrics_attempt(
        &call->client->metrics, call->info, response->status,
        ns_subtract(loop_monotonic_ns(call->client->loop), call->attempt_began));
    if (response->status >= 200 && response->status < 300)
        call_succeeded(call, response);
    else
        call_failed(call, response);
}

// --- replies -------------------------------------------------------------------------------------
// An answer that cannot be read was cut off or replaced on its way: it is as good as lost.
static void call_succeeded(struct aws_call *call, const struct aws_http_response *response)
{
    char request_id[AWS_ID_BYTES];
    struct error error = {0};
    json_t *reply = aws_codec_decode_reply(call->action, text_or_empty(response->body),
                                           response->body_bytes, request_id, &error);
    if (request_id[0] == '\0') {
        const char *header = aws_http_header_of(response, "x-amzn-requestid");
        snprintf(request_id, sizeof request_id, "%s", text_or_empty(header));
    }
    if (reply != NULL) {
        aws_retry_give_back(&call->client->retry, call->taken);
        call->taken = 0;
        call_take_page(call, reply, request_id, response->status);
    } else if (call->once || !call_again_later(call, false)) {
        call_finish(call, &(struct aws_result){.error = error,
                                               .fault = AWS_FAULT_NO_ANSWER,
                                               .status = response->status,
                                               .code = "",
                                               .message = "",
                                               .request_id = request_id});
    }
}

// The token of the next page; NULL if this one is the last.
static const char *next_token(const struct aws_call *call, const json_t *reply)
{
    if (!call->all_pages)
        return NULL;
    const char *more = call->info->page_more;
    if (more != NULL && !json_is_true(json_object_get(reply, more)))
        return NULL;
    const char *token = json_string_value(json_object_get(reply, call->info->page_token));
    return text_is_empty(token) ? NULL : token;
}

static void join(struct aws_call *call, json_t *reply)
{
    if (call->joined == NULL || call->page != NULL) {
        json_decref(call->joined);
        call->joined = json_incref(reply);
        return;
    }
    json_t *list = json_object_get(call->joined, call->info->page_list);
    json_t *further = json_object_get(reply, call->info->page_list);
    if (json_is_array(list))
        json_array_extend(list, further);
    else if (further != NULL)
        json_object_set(call->joined, call->info->page_list, further);
}

// Prepares the next page; false with the call's error set if that cannot be.
static bool turn_page(struct aws_call *call, const char *token)
{
    static char seen;
    const char *name = call->info->page_token;
    if (call->tokens == NULL)
        call->tokens = map_create();
    if (map_set(call->tokens, token, &seen) != NULL || call->pages >= PAGES_MAX)
        return error_set(&call->error, ERROR_INTERNAL, "%s: the pages of the answer do not end",
                         call->info->permission);
    json_object_set_new(call->parameters, name, json_string(token));
    aws_wire_clear(&call->wire);
    call->attempt = 0;
    call->has_new_credentials = call->has_new_clock = false;
    return aws_codec_encode_request(call->action, call->parameters, &call->wire, &call->error);
}

static void call_take_page(struct aws_call *call, json_t *reply, const char *request_id, int status)
{
    call->pages++;
    join(call, reply);
    bool goes_on = true;
    if (call->page != NULL) {
        call->is_paging = true;
        goes_on = call->page(call->context, reply);
        call->is_paging = false;
        if (call->is_cancelled) {
            json_decref(reply);
            aws_call_free(call);
            return;
        }
    }
    const char *token = goes_on ? next_token(call, reply) : NULL;
    if (token != NULL) {
        if (!turn_page(call, token))
            assert(call->error.kind != ERROR_NONE);
        json_decref(reply);
        aws_call_begin(call); // also ends it with the error
        return;
    }
    json_decref(reply);
    if (call->page == NULL && call->all_pages)
        json_object_del(call->joined, call->info->page_token);
    struct aws_result result = {.status = status,
                                .code = "",
                                .message = "",
                                .request_id = request_id,
                                .reply = call->joined};
    if (!aws_denial_explain(call, &result, call_finish))
        call_finish(call, &result);
}

// --- failures ------------------------------------------------------------------------------------
static void call_failed(struct aws_call *call, const struct aws_http_response *response)
{
    struct aws_codec_error answer = {0};
    if (response->status != 0)
        aws_codec_decode_error(call->info->service, response, &answer);
    enum aws_fault fault =
        response->status == 0 ? AWS_FAULT_NO_ANSWER : aws_fault_of(answer.code, response->status);
    if (fault == AWS_FAULT_THROTTLED)
        aws_throttle_refused(call->client->throttle, call->action);
    if (call_retries(call, response, answer.code))
        return;
    struct aws_result result = {.fault = fault,
                                .status = response->status,
                                .code = answer.code,
                                .message = answer.message,
                                .request_id = answer.request_id};
    const char *permission = call->info->permission;
    if (response->status == 0) {
        result.error = response->error;
        if (result.error.kind == ERROR_NONE)
            error_set(&result.error, ERROR_UNAVAILABLE, "no answer");
        error_prefix(&result.error, "%s", permission);
    } else if (answer.code[0] == '\0') {
        error_set(&result.error, aws_fault_kind(fault, "", response->status), "%s: HTTP status %d",
                  permission, response->status);
    } else {
        error_set(&result.error, aws_fault_kind(fault, answer.code, response->status), "%s: %s: %s",
                  permission, answer.code, answer.message);
    }
    if (fault != AWS_FAULT_UNAUTHORIZED || !aws_denial_explain(call, &result, call_finish))
        call_finish(call, &result);
}

// AWS's clock by the answer's Date; whether it is far from the one of the signature.
static bool learn_clock(struct aws_call *call, const struct aws_http_response *response)
{
    const char *text = aws_http_header_of(response, "date");
    time_t seconds = text != NULL ? curl_getdate(text, NULL) : -1;
    if (seconds <= 0)
        return false;
    int64_t skew = ns_subtract(ns_multiply(seconds, SECOND), loop_now_ns(call->client->loop));
    int64_t change = ns_subtract(skew, call->client->clock_skew);
    if (change < CLOCK_SKEW_LEAST && change > -CLOCK_SKEW_LEAST)
        return false;
    call->client->clock_skew = skew;
    return true;
}

static void call_again(struct aws_call *call, int64_t delay)
{
    assert(call->exchange == NULL);
    timer_start(call->timer, delay);
}

// False: there is no further attempt.
static bool call_again_later(struct aws_call *call, bool timed_out)
{
    struct aws_client *client = call->client;
    if (!aws_retry_take(&client->retry, call->attempt, timed_out, &call->taken))
        return false;
    call_again(call, aws_retry_delay(call->attempt, &client->random));
    return true;
}

static bool call_retries(struct aws_call *call, const struct aws_http_response *response,
                         const char *code)
{
    struct aws_client *client = call->client;
    bool is_lost = response->status == 0;
    if (call->once)
        return false;
    if (!is_lost && aws_fault_is_of_clock(code) && !call->has_new_clock &&
        learn_clock(call, response)) {
        call->has_new_clock = true;
        call_again(call, 0);
        return true;
    }
    if (!is_lost && aws_fault_is_of_credentials(code) && !call->has_new_credentials &&
        !call_is_unsigned(call)) {
        call->has_new_credentials = true;
        client->credentials->operations->refused(client->credentials);
        call_again(call, 0);
        return true;
    }
    if (!is_lost && !aws_fault_is_transient(code, response->status))
        return false;
    return call_again_later(call, is_lost && response->error.kind == ERROR_TIMEOUT);
}

// --- the end -------------------------------------------------------------------------------------
static void call_finish(struct aws_call *call, struct aws_result *result)
{
    assert((result->error.kind == ERROR_NONE) == (result->reply != NULL));
    aws_client_metrics_call(&call->client->metrics, call->info, result->status,
                            call->attempt > 0 ? call->attempt - 1 : 0,
                            ns_subtract(loop_monotonic_ns(call->client->loop), call->began));
    aws_done done = call->done;
    void *context = call->context;
    struct error error = result->error; // may be the call's own
    json_t *reply = json_incref((json_t *)result->reply);
    aws_call_free(call);
    result->error = error;
    done(context, result);
    json_decref(reply);
}

void aws_call_free(struct aws_call *call)
{
    struct aws_client *client = call->client;
    if (call->decodes_for != NULL)
        call->decodes_for->decoding = NULL;
    if (call->decoding != NULL)
        aws_call_free(call->decoding);
    aws_denied_free(call->denied);
    if (!call->is_cancelled)
        LIST_REMOVE(call, link);
    if (call->exchange != NULL)
        client->http->operations->cancel(client->http, call->exchange);
    if (call->waits_for_credentials)
        client->credentials->operations->cancel(client->credentials, call);
    if (!call->is_cancelled)
        aws_throttle_leave(client->throttle, &call->turn);
    timer_destroy(call->timer);
    aws_wire_clear(&call->wire);
    json_decref(call->parameters);
    json_decref(call->joined);
    map_destroy(call->tokens, NULL);
    free(call);
}
