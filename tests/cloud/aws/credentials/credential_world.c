#include "cloud/aws/credentials/credential_world.h"

#include <sys/stat.h>
#include <unistd.h>

struct aws_http_call {
    struct fixture *fixture;
    struct timer *timer;
    aws_http_done done;
    void *context;
    struct route route;
};

static struct aws_http_call *http_start(struct aws_http *http,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context);
static void http_cancel(struct aws_http *http, struct aws_http_call *call);
static const struct aws_http_operations http_operations = {.start = http_start,
                                                           .cancel = http_cancel};

const char *environment(void *context, const char *name)
{
    struct fixture *fixture = context;
    size_t length = strlen(name);
    for (size_t i = 0; fixture->environment[i] != NULL; i++) {
        if (strncmp(fixture->environment[i], name, length) == 0 &&
            fixture->environment[i][length] == '=')
            return fixture->environment[i] + length + 1;
    }
    return strcmp(name, "HOME") == 0 ? fixture->folder : NULL;
}

static struct fixture *fixture_create(struct loop *loop)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->loop = loop;
    fixture->http.operations = &http_operations;
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/adze-aws-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    return fixture;
}

int set_up(void **state)
{
    *state = fixture_create(loop_create_virtual(INT64_C(1767225600) * SECOND));
    return 0;
}

int set_up_real(void **state)
{
    *state = fixture_create(loop_create());
    return 0;
}

int tear_down(void **state)
{
    struct fixture *fixture = *state;
    char path[128];
    if (fixture->chain != NULL)
        fixture->chain->operations->destroy(fixture->chain);
    for (int i = 0; i < CALLS_MAX; i++)
        assert_null(fixture->calls[i]);
    loop_destroy(fixture->loop);
    static const char *const names[] = {"config", "credentials", "token"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/.aws/%s", fixture->folder, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/.aws", fixture->folder);
    rmdir(path);
    rmdir(fixture->folder);
    free(fixture);
    return 0;
}

char *write_file(struct fixture *fixture, const char *name, const char *text)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/.aws", fixture->folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/.aws/%s", fixture->folder, name);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return path;
}

static void answer(void *context)
{
    struct aws_http_call *call = context;
    struct aws_http_response response = {.status = call->route.status,
                                         .body = text_or_empty(call->route.body)};
    response.body_bytes = strlen(response.body);
    if (response.status == 0)
        error_set(&response.error, ERROR_TIMEOUT, "no answer");
    aws_http_done done = call->done;
    void *done_context = call->context;
    http_cancel(&call->fixture->http, call);
    done(done_context, &response);
}

static struct aws_http_call *http_start(struct aws_http *http,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context)
{
    struct fixture *fixture = (struct fixture *)http;
    struct aws_http_call *call = calloc(1, sizeof *call);
    *call = (struct aws_http_call){.fixture = fixture, .done = done, .context = context};
    fixture->requests++;
    fixture->is_proxied |= strstr(request->url, "169.254.") != NULL && !request->direct;
    fixture->header[0] = '\0';
    for (uint32_t i = 0; i < request->headers_count; i++) {
        size_t length = strlen(fixture->header);
        snprintf(fixture->header + length, sizeof fixture->header - length, "%s: %s\n",
                 request->headers[i].name, request->headers[i].value);
    }
    snprintf(fixture->body, sizeof fixture->body, "%.*s", (int)request->body_bytes,
             text_or_empty(request->body));
    for (int i = 0; i < ROUTES_MAX && fixture->routes[i].url != NULL; i++) {
        if (strcmp(fixture->routes[i].method, request->method) == 0 &&
            strcmp(fixture->routes[i].url, request->url) == 0)
            call->route = fixture->routes[i];
    }
    if (call->route.url == NULL && fixture->serve != NULL) {
        fixture->served++;
        fixture->serve(fixture, request, &call->route);
    }
    call->timer = timer_create_on(fixture->loop, answer, call);
    timer_start(call->timer, MILLISECOND);
    for (int i = 0; i < CALLS_MAX; i++) {
        if (fixture->calls[i] == NULL) {
            fixture->calls[i] = call;
            break;
        }
    }
    return call;
}

static void http_cancel(struct aws_http *http, struct aws_http_call *call)
{
    struct fixture *fixture = (struct fixture *)http;
    for (int i = 0; i < CALLS_MAX; i++) {
        if (fixture->calls[i] == call)
            fixture->calls[i] = NULL;
    }
    timer_destroy(call->timer);
    free(call);
}

void note(void *context, const struct aws_credentials_result *result)
{
    struct fixture *fixture = context;
    fixture->done++;
    const struct aws_credentials *given = result->credentials;
    snprintf(fixture->key, sizeof fixture->key, "%s", given ? given->access_key_id : "");
    snprintf(fixture->token, sizeof fixture->token, "%s",
             given ? text_or_empty(given->session_token) : "");
    fixture->expires = given ? given->expires : 0;
    snprintf(fixture->error, sizeof fixture->error, "%s", result->error.message);
    if (strcmp(fixture->key, "destroy") == 0) {
        fixture->chain->operations->destroy(fixture->chain);
        fixture->chain = NULL;
    }
    if (!loop_is_virtual(fixture->loop))
        loop_stop(fixture->loop);
}

void open_chain(struct fixture *fixture)
{
    fixture->chain =
        credential_chain_create(&(struct credential_chain_options){.loop = fixture->loop,
                                                                   .http = &fixture->http,
                                                                   .region = "us-west-2",
                                                                   .environment = environment,
                                                                   .environment_context = fixture});
}

void get(struct fixture *fixture)
{
    if (fixture->chain == NULL)
        open_chain(fixture);
    int before = fixture->done;
    fixture->chain->operations->get(fixture->chain, note, fixture);
    if (fixture->done == before)
        loop_run(fixture->loop);
    assert_int_equal(fixture->done, before + 1);
}

void check(struct fixture *fixture, const char *key, const char *token)
{
    get(fixture);
    assert_string_equal(fixture->error, "");
    assert_string_equal(fixture->key, key);
    assert_string_equal(fixture->token, token);
}

void check_error(struct fixture *fixture, const char *part)
{
    get(fixture);
    if (strstr(fixture->error, part) == NULL)
        fail_msg("%s", fixture->error);
    assert_null(strstr(fixture->error, "secret"));
}

const char *sts_reply(enum aws_action action, const char *key, const char *expires)
{
    json_t *reply =
        json_pack("{s:{s:s, s:s, s:s, s:s}}", "Credentials", "AccessKeyId", key, "SecretAccessKey",
                  "secret", "SessionToken", "t", "Expiration", expires);
    static char text[2048];
    char *xml = aws_codec_encode_reply(action, reply, "id", NULL);
    snprintf(text, sizeof text, "%s", xml);
    free(xml);
    json_decref(reply);
    return text;
}

void script_instance(struct fixture *fixture, const char *keys)
{
    fixture->routes[0] = (struct route){"PUT", IMDS "api/token", 200, "imds-token"};
    fixture->routes[1] =
        (struct route){"GET", IMDS "meta-data/iam/security-credentials/", 200, "role\n"};
    fixture->routes[2] =
        (struct route){"GET", IMDS "meta-data/iam/security-credentials/role", 200, keys};
    fixture->routes[3] = (struct route){"GET", IMDS "meta-data/placement/region", 200, "eu-west-3"};
}
