#include "cloud/aws/fake_aws.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/vector.h"
#include "cloud/aws/client/aws_codec.h"

#define HEADERS_MAX 24

struct answer {
    STAILQ_ENTRY(answer) link;
    int status; // 0: lost
    char *body; // of an error or raw
    json_t *reply;
    char *header, *value;
};
STAILQ_HEAD(answers, answer);

struct script {
    struct answers once;
    struct answer *standing;
    fake_aws_handler handler;
    void *context;
    VECTOR(json_t *) calls;
};

struct aws_http_call {
    LIST_ENTRY(aws_http_call) link;
    struct fake_aws *fake;
    struct timer *timer;
    aws_http_done done;
    void *context;
    struct answer *answer;
    char *body;
    enum aws_action action;
};

struct fake_aws {
    struct aws_http http;
    struct loop *loop;
    int64_t latency_ns;
    uint64_t requests;
    struct script scripts[AWS_ACTION_COUNT];
    LIST_HEAD(, aws_http_call) calls;
    char *url;
    char *names[HEADERS_MAX], *values[HEADERS_MAX];
    uint32_t headers_count;
    bool decodes_denials;
    struct aws_client *client;
    struct aws_credentials_source *credentials;
};

static struct aws_http_call *fake_start(struct aws_http *http,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context);
static void fake_cancel(struct aws_http *http, struct aws_http_call *call);
static void fake_nothing(struct aws_http *http);
static void call_answer(void *context);

static const struct aws_http_operations operations = {
    .start = fake_start, .cancel = fake_cancel, .destroy = fake_nothing};

struct fake_aws *fake_aws_create(struct loop *loop)
{
    struct fake_aws *fake = memory_allocate(sizeof *fake);
    fake->http.operations = &operations;
    fake->loop = loop;
    fake->latency_ns = MILLISECOND;
    LIST_INIT(&fake->calls);
    for (enum aws_action action = 0; action < AWS_ACTION_COUNT; action++)
        STAILQ_INIT(&fake->scripts[action].once);
    return fake;
}

static void answer_free(struct answer *answer)
{
    if (answer == NULL)
        return;
    json_decref(answer->reply);
    free(answer->body);
    free(answer->header);
    free(answer->value);
    free(answer);
}

static void forget_headers(struct fake_aws *fake)
{
    for (uint32_t i = 0; i < fake->headers_count; i++) {
        free(fake->names[i]);
        free(fake->values[i]);
    }
    fake->headers_count = 0;
    free(fake->url);
    fake->url = NULL;
}

void fake_aws_forget_calls(struct fake_aws *fake)
{
    for (enum aws_action action = 0; action < AWS_ACTION_COUNT; action++) {
        struct script *script = &fake->scripts[action];
        vector_for_each (call, &script->calls)
            json_decref(*call);
        vector_free(&script->calls);
    }
}

void fake_aws_destroy(struct fake_aws *fake)
{
    if (fake == NULL)
        return;
    fake_aws_destroy_client(fake);
    while (!LIST_EMPTY(&fake->calls))
        fake_cancel(&fake->http, LIST_FIRST(&fake->calls));
    fake_aws_forget_calls(fake);
    for (enum aws_action action = 0; action < AWS_ACTION_COUNT; action++) {
        struct script *script = &fake->scripts[action];
        struct answer *answer;
        while ((answer = STAILQ_FIRST(&script->once)) != NULL) {
            STAILQ_REMOVE_HEAD(&script->once, link);
            answer_free(answer);
        }
        answer_free(script->standing);
    }
    forget_headers(fake);
    free(fake);
}

struct aws_http *fake_aws_http(struct fake_aws *fake)
{
    return &fake->http;
}

static const char *empty_environment(void *context, const char *name)
{
    (void)context, (void)name;
    return NULL;
}

struct aws_client *fake_aws_client(struct fake_aws *fake)
{
    if (fake->client != NULL)
        return fake->client;
    fake->credentials = aws_credentials_fixed(
        &(struct aws_credentials){"AKIAFAKE", "fake-secret", NULL, INT64_MAX});
    struct error error = {0};
    fake->client =
        aws_client_create(&(struct aws_client_options){.loop = fake->loop,
                                                       .http = &fake->http,
                                                       .credentials = fake->credentials,
                                                       .region = "us-west-2",
                                                       .environment = empty_environment,
                                                       .decodes_denials = fake->decodes_denials},
                          &error);
    assert(fake->client != NULL);
    return fake->client;
}

void fake_aws_decode_denials(struct fake_aws *fake)
{
    assert(fake->client == NULL);
    fake->decodes_denials = true;
}

void fake_aws_destroy_client(struct fake_aws *fake)
{
    aws_client_destroy(fake->client);
    fake->client = NULL;
    if (fake->credentials != NULL)
        fake->credentials->operations->destroy(fake->credentials);
    fake->credentials = NULL;
}

void fake_aws_latency(struct fake_aws *fake, int64_t latency_ns)
{
    fake->latency_ns = latency_ns;
}

// --- scripts -------------------------------------------------------------------------------------
static void script_push(struct fake_aws *fake, enum aws_action action, struct answer *answer)
{
    assert(action < AWS_ACTION_COUNT);
    STAILQ_INSERT_TAIL(&fake->scripts[action].once, answer, link);
}

static void script_stand(struct fake_aws *fake, enum aws_action action, struct answer *answer)
{
    answer_free(fake->scripts[action].standing);
    fake->scripts[action].standing = answer;
}

static struct answer *answer_reply(enum aws_action action, json_t *reply)
{
    assert(json_is_object(reply));
    struct error error = {0};
    char *text = aws_codec_encode_reply(action, reply, "check", &error);
    if (text == NULL)
        fprintf(stderr, "fake AWS: %s\n", error.message);
    assert(text != NULL);
    free(text);
    struct answer *answer = memory_allocate(sizeof *answer);
    answer->status = 200;
    answer->reply = reply;
    return answer;
}

static struct answer *answer_error(enum aws_action action, int status, const char *code,
                                   const char *message)
{
    struct answer *answer = memory_allocate(sizeof *answer);
    answer->status = status;
    answer->body = aws_codec_encode_error(aws_action_service(action), code, message, "req-error");
    return answer;
}

void fake_aws_reply(struct fake_aws *fake, enum aws_action action, json_t *reply)
{
    script_stand(fake, action, answer_reply(action, reply));
}

void fake_aws_reply_once(struct fake_aws *fake, enum aws_action action, json_t *reply)
{
    script_push(fake, action, answer_reply(action, reply));
}

void fake_aws_error(struct fake_aws *fake, enum aws_action action, int status, const char *code,
                    const char *message)
{
    script_stand(fake, action, answer_error(action, status, code, message));
}

void fake_aws_error_once(struct fake_aws *fake, enum aws_action action, int status,
                         const char *code, const char *message)
{
    script_push(fake, action, answer_error(action, status, code, message));
}

void fake_aws_lose_once(struct fake_aws *fake, enum aws_action action)
{
    script_push(fake, action, memory_allocate(sizeof(struct answer)));
}

void fake_aws_raw_once(struct fake_aws *fake, enum aws_action action, int status, const char *body,
                       const char *header, const char *value)
{
    struct answer *answer = memory_allocate(sizeof *answer);
    answer->status = status;
    answer->body = memory_copy_string(body);
    answer->header = memory_copy_string(header);
    answer->value = memory_copy_string(value);
    script_push(fake, action, answer);
}

void fake_aws_handle(struct fake_aws *fake, enum aws_action action, fake_aws_handler handler,
                     void *context)
{
    fake->scripts[action].handler = handler;
    fake->scripts[action].context = context;
}

// --- the port ------------------------------------------------------------------------------------
static void remember(struct fake_aws *fake, const struct aws_http_request *request)
{
    forget_headers(fake);
    fake->url = memory_copy_string(request->url);
    for (uint32_t i = 0; i < request->headers_count && i < HEADERS_MAX; i++) {
        fake->names[i] = memory_copy_string(request->headers[i].name);
        fake->values[i] = memory_copy_string(request->headers[i].value);
        fake->headers_count = i + 1;
    }
}

static struct aws_http_call *fake_start(struct aws_http *http,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context)
{
    struct fake_aws *fake = (struct fake_aws *)http;
    remember(fake, request);
    struct aws_http_call *call = memory_allocate(sizeof *call);
    call->fake = fake;
    call->done = done;
    call->context = context;
    call->action = aws_codec_identify(request);
    if (call->action != AWS_ACTION_COUNT) {
        struct error error = {0};
        json_t *parameters = aws_codec_decode_request(call->action, request, &error);
        if (parameters == NULL)
            fprintf(stderr, "fake AWS: %s\n", error.message);
        assert(parameters != NULL);
        vector_push(&fake->scripts[call->action].calls, parameters);
    }
    call->timer = timer_create_on(fake->loop, call_answer, call);
    timer_start(call->timer, fake->latency_ns);
    LIST_INSERT_HEAD(&fake->calls, call, link);
    return call;
}

static void call_free(struct aws_http_call *call)
{
    LIST_REMOVE(call, link);
    timer_destroy(call->timer);
    free(call->body);
    free(call);
}

static void fake_cancel(struct aws_http *http, struct aws_http_call *call)
{
    assert(&call->fake->http == http);
    call_free(call);
}

static void fake_nothing(struct aws_http *http) // the test owns it
{
    (void)http;
}

// The next answer of the script; *owned says whether it is used up.
static struct answer *script_next(struct script *script, enum aws_action action, bool *owned)
{
    *owned = true;
    if (script->handler != NULL && STAILQ_EMPTY(&script->once)) {
        const json_t *parameters = script->calls.items[script->calls.count - 1];
        json_t *reply = script->handler(script->context, action, parameters);
        if (reply != NULL)
            return answer_reply(action, reply);
    }
    struct answer *answer = STAILQ_FIRST(&script->once);
    if (answer != NULL) {
        STAILQ_REMOVE_HEAD(&script->once, link);
        return answer;
    }
    *owned = script->standing == NULL;
    return *owned ? answer_error(action, 400, "NoAnswerScripted", "the test has none")
                  : script->standing;
}

static void call_answer(void *context)
{
    struct aws_http_call *call = context;
    struct fake_aws *fake = call->fake;
    struct aws_http_response response = {.status = 404, .body = ""};
    struct aws_http_header header;
    struct answer *answer = NULL;
    bool owned = false;
    if (call->action != AWS_ACTION_COUNT) {
        answer = script_next(&fake->scripts[call->action], call->action, &owned);
        char id[32];
        snprintf(id, sizeof id, "req-%llu", (unsigned long long)++fake->requests);
        response.status = answer->status;
        if (answer->reply != NULL)
            call->body = aws_codec_encode_reply(call->action, answer->reply, id, NULL);
        response.body = call->body != NULL ? call->body : text_or_empty(answer->body);
        header = (struct aws_http_header){answer->header, answer->value};
        response.headers = &header;
        response.headers_count = answer->header != NULL;
    }
    response.body_bytes = strlen(response.body);
    if (response.status == 0)
        error_set(&response.error, ERROR_UNAVAILABLE, "the connection was reset");
    aws_http_done done = call->done;
    void *done_context = call->context;
    char *body = call->body;
    call->body = NULL;
    call_free(call);
    done(done_context, &response);
    free(body);
    if (owned)
        answer_free(answer);
}

// --- the record ----------------------------------------------------------------------------------
uint32_t fake_aws_calls(const struct fake_aws *fake, enum aws_action action)
{
    return fake->scripts[action].calls.count;
}

const json_t *fake_aws_parameters(const struct fake_aws *fake, enum aws_action action,
                                  uint32_t index)
{
    const struct script *script = &fake->scripts[action];
    return index < script->calls.count ? script->calls.items[index] : NULL;
}

const json_t *fake_aws_last(const struct fake_aws *fake, enum aws_action action)
{
    return fake_aws_parameters(fake, action, fake->scripts[action].calls.count - 1);
}

const char *fake_aws_header(const struct fake_aws *fake, const char *name)
{
    for (uint32_t i = 0; i < fake->headers_count; i++) {
        if (strcasecmp(fake->names[i], name) == 0)
            return fake->values[i];
    }
    return NULL;
}

const char *fake_aws_url(const struct fake_aws *fake)
{
    return fake->url;
}
