// Credentials from any texts: the shared files, and answers of the metadata service, of a
// container's endpoint and of STS through the whole chain. The first byte chooses; answers are
// parted by the byte 255, and each begins with a byte for its status.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/credentials/credential_chain.h"
#include "cloud/aws/credentials/credential_plan.h"
#include "cloud/aws/credentials/profile_settings.h"
#include "cloud/aws/credentials/shared_config.h"

#define REQUESTS_MAX 1000 // of one search for credentials

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct world {
    struct aws_http http;
    struct loop *loop;
    unsigned origin;
    const uint8_t *next, *end; // what is left of the input
    unsigned requests, answers;
    char file[32]; // with the input
};
struct aws_http_call {
    struct world *world;
    struct timer *timer;
    aws_http_done done;
    void *context;
};

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void call_cancel(struct aws_http *http, struct aws_http_call *call)
{
    (void)http;
    timer_destroy(call->timer);
    free(call);
}

static void call_answer(void *context)
{
    static const int statuses[] = {200, 200, 200, 0, 401, 403, 404, 503};
    struct aws_http_call *call = context;
    struct world *world = call->world;
    struct aws_http_response response = {0};
    struct text body = {0};
    text_add(&body, "");
    if (world->next < world->end)
        response.status = statuses[*world->next++ % 8];
    while (world->next < world->end && *world->next != 255)
        text_add_char(&body, (char)*world->next++);
    world->next += world->next < world->end;
    if (response.status == 0)
        error_set(&response.error, ERROR_UNAVAILABLE, "no answer");
    response.body = body.data;
    response.body_bytes = body.length;
    aws_http_done done = call->done;
    void *done_context = call->context;
    call_cancel(&world->http, call);
    done(done_context, &response);
    text_free(&body);
}

static struct aws_http_call *call_start(struct aws_http *http,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context)
{
    struct world *world = (struct world *)http;
    for (uint32_t i = 0; i < request->headers_count; i++)
        require(strpbrk(request->headers[i].value, "\r\n") == NULL);
    require(++world->requests < REQUESTS_MAX);
    struct aws_http_call *call = memory_allocate(sizeof *call);
    *call = (struct aws_http_call){.world = world, .done = done, .context = context};
    call->timer = timer_create_on(world->loop, call_answer, call);
    timer_start(call->timer, MILLISECOND);
    return call;
}

static const char *variable(void *context, const char *name)
{
    const struct world *world = context;
    bool from_file = world->origin == 3;
    if (strcmp(name, "AWS_CONFIG_FILE") == 0 || strcmp(name, "AWS_SHARED_CREDENTIALS_FILE") == 0)
        return from_file ? world->file : "/dev/null";
    if (strcmp(name, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") == 0)
        return world->origin == 1 ? "/c" : NULL;
    if (strcmp(name, "AWS_WEB_IDENTITY_TOKEN_FILE") == 0)
        return world->origin == 2 ? world->file : NULL;
    if (strcmp(name, "AWS_ROLE_ARN") == 0)
        return "arn:aws:iam::1:role/r";
    return NULL;
}

static void got(void *context, const struct aws_credentials_result *result)
{
    struct world *world = context;
    world->answers++;
    require((result->credentials == NULL) == (result->error.kind != ERROR_NONE));
    if (result->credentials == NULL)
        return;
    const char *texts[] = {result->credentials->access_key_id,
                           result->credentials->secret_access_key,
                           result->credentials->session_token};
    for (size_t i = 0; i < 3; i++) {
        for (const char *c = texts[i]; c != NULL && *c != '\0'; c++)
            require((unsigned char)*c > ' ' && (unsigned char)*c < 127);
    }
}

static void search(struct world *world)
{
    static const struct aws_http_operations operations = {.start = call_start,
                                                          .cancel = call_cancel};
    world->http.operations = &operations;
    world->loop = loop_create_virtual(INT64_C(1767225600) * SECOND);
    struct aws_credentials_source *chain =
        credential_chain_create(&(struct credential_chain_options){.loop = world->loop,
                                                                   .http = &world->http,
                                                                   .region = "us-west-2",
                                                                   .environment = variable,
                                                                   .environment_context = world});
    for (unsigned i = 0; i < 3; i++) {
        chain->operations->get(chain, got, world);
        loop_run(world->loop);
        require(world->answers == i + 1);
        loop_run_for(world->loop, 10 * MINUTE);
        chain->operations->refused(chain);
    }
    chain->operations->destroy(chain);
    loop_destroy(world->loop);
}

static void read_settings(const struct aws_environment *environment)
{
    struct error error = {0};
    struct profile_settings *settings = profile_settings_create(environment, &error);
    if (settings == NULL)
        return;
    struct aws_environment all = profile_settings_environment(settings);
    for (enum aws_service service = 0; service < AWS_SERVICE_COUNT; service++) {
        struct aws_endpoint endpoint;
        if (!aws_endpoint_find(&all, service, "us-west-2", &endpoint, &error))
            require(error.kind != ERROR_NONE);
        else
            require(strpbrk(endpoint.host, "/\r\n @") == NULL);
    }
    profile_settings_destroy(settings);
}

static void read_files(struct world *world)
{
    struct aws_environment environment = {variable, world};
    struct error error = {0};
    struct credential_plan *plan = credential_plan_create(&environment, &error);
    require((plan == NULL) == (error.kind != ERROR_NONE));
    credential_plan_destroy(plan);
    read_settings(&environment);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    struct error error = {0};
    if (size == 0 || size > 8192)
        return 0;
    if (file < 0) {
        file = memfd_create("input", 0);
        require(log_configure(&(struct log_options){.level = LOG_NONE}, &error));
    }
    struct world world = {.origin = data[0] % 4, .next = data + 1, .end = data + size};
    snprintf(world.file, sizeof world.file, "/proc/self/fd/%d", file);
    const char *token = world.origin == 2 ? "token" : (const char *)data + 1;
    size_t length = world.origin == 2 ? 5 : size - 1;
    require(ftruncate(file, 0) == 0 && pwrite(file, token, length, 0) == (ssize_t)length);
    char *url = strndup((const char *)data, size);
    (void)credential_url_is_allowed(url);
    free(url);
    if (world.origin == 3)
        read_files(&world);
    else
        search(&world);
    return 0;
}
