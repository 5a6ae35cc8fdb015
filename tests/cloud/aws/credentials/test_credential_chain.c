// Where credentials and the region come from (AWN-520, AWN-521, AWN-522).
#include "support/cmocka_all.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/loop_real.h"
#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_codec.h"
#include "cloud/aws/credentials/aws_region.h"
#include "cloud/aws/credentials/credential_chain.h"
#include "cloud/aws/credentials/credential_plan.h"

#define ROUTES_MAX 8
#define CALLS_MAX  16

struct route {
    const char *method, *url;
    int status; // 0: no answer
    const char *body;
};
struct aws_http_call {
    struct fixture *fixture;
    struct timer *timer;
    aws_http_done done;
    void *context;
    struct route route;
};
struct fixture {
    struct aws_http http;
    struct loop *loop;
    const char *environment[24]; // NAME=VALUE
    struct route routes[ROUTES_MAX];
    struct aws_http_call *calls[CALLS_MAX];
    uint32_t requests;
    char header[4096]; // of the last request: all of them
    char body[4096];
    char folder[64];
    struct aws_credentials_source *chain;
    int done;
    char key[64], token[64], error[1500];
};

static struct aws_http_call *http_start(struct aws_http *http,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context);
static void http_cancel(struct aws_http *http, struct aws_http_call *call);
static const struct aws_http_operations http_operations = {.start = http_start,
                                                           .cancel = http_cancel};

static const char *environment(void *context, const char *name)
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

static int set_up(void **state)
{
    *state = fixture_create(loop_create_virtual(INT64_C(1767225600) * SECOND));
    return 0;
}

static int set_up_real(void **state)
{
    *state = fixture_create(loop_create());
    return 0;
}

static int tear_down(void **state)
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

static char *write_file(struct fixture *fixture, const char *name, const char *text)
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

static void note(void *context, const struct aws_credentials_result *result)
{
    struct fixture *fixture = context;
    fixture->done++;
    const struct aws_credentials *given = result->credentials;
    snprintf(fixture->key, sizeof fixture->key, "%s", given ? given->access_key_id : "");
    snprintf(fixture->token, sizeof fixture->token, "%s",
             given ? text_or_empty(given->session_token) : "");
    snprintf(fixture->error, sizeof fixture->error, "%s", result->error.message);
    if (strcmp(fixture->key, "destroy") == 0) {
        fixture->chain->operations->destroy(fixture->chain);
        fixture->chain = NULL;
    }
    if (!loop_is_virtual(fixture->loop))
        loop_stop(fixture->loop);
}

static void get(struct fixture *fixture)
{
    if (fixture->chain == NULL)
        fixture->chain = credential_chain_create(
            &(struct credential_chain_options){.loop = fixture->loop,
                                               .http = &fixture->http,
                                               .region = "us-west-2",
                                               .environment = environment,
                                               .environment_context = fixture});
    int before = fixture->done;
    fixture->chain->operations->get(fixture->chain, note, fixture);
    if (fixture->done == before)
        loop_run(fixture->loop);
    assert_int_equal(fixture->done, before + 1);
}

static void check(struct fixture *fixture, const char *key, const char *token)
{
    get(fixture);
    assert_string_equal(fixture->error, "");
    assert_string_equal(fixture->key, key);
    assert_string_equal(fixture->token, token);
}

static void check_error(struct fixture *fixture, const char *part)
{
    get(fixture);
    if (strstr(fixture->error, part) == NULL)
        fail_msg("%s", fixture->error);
    assert_null(strstr(fixture->error, "secret"));
}

#define KEYS                                                                       \
    "{\"Code\":\"Success\",\"AccessKeyId\":\"%s\",\"SecretAccessKey\":\"secret\"," \
    "\"Token\":\"t\",\"Expiration\":\"%s\"}"
#define IMDS "http://169.254.169.254/latest/"
#define STS  "https://sts.us-west-2.amazonaws.com/"

static const char *sts_reply(enum aws_action action, const char *key, const char *expires)
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

static void keys_of_the_environment_come_first(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "credentials",
               "[default]\naws_access_key_id=file\n"
               "aws_secret_access_key=secret\n");
    fixture->environment[0] = "AWS_ACCESS_KEY_ID=env";
    fixture->environment[1] = "AWS_SECRET_ACCESS_KEY=secret";
    fixture->environment[2] = "AWS_SESSION_TOKEN=token";
    check(fixture, "env", "token");
    check(fixture, "env", "token");
    assert_int_equal(fixture->requests, 0);
}

static void half_of_the_keys_is_an_error(void **state)
{
    struct fixture *fixture = *state;
    fixture->environment[0] = "AWS_ACCESS_KEY_ID=env";
    check_error(fixture, "AWS_SECRET_ACCESS_KEY is not set");
}

static void a_chosen_profile_comes_first(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "config",
               "# comment\n[profile  \"my one\"]\n region = eu-west-1\naws_access_key_id = config\n"
               "[profile other]\n");
    write_file(fixture, "credentials",
               "[my one]\nAWS_ACCESS_KEY_ID = file\naws_secret_access_key = secret # note\n");
    fixture->environment[0] = "AWS_ACCESS_KEY_ID=env";
    fixture->environment[1] = "AWS_SECRET_ACCESS_KEY=secret";
    fixture->environment[2] = "AWS_PROFILE=my one";
    check(fixture, "file", "");
}

static void the_null_device_is_an_absent_file(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "credentials",
               "[default]\naws_access_key_id = file\naws_secret_access_key = secret\n");
    fixture->environment[0] = "AWS_CONFIG_FILE=/dev/null";
    check(fixture, "file", "");
}

static void faulty_profiles_are_errors(void **state)
{
    struct fixture *fixture = *state;
    static const char *const cases[][3] = {
        {"AWS_PROFILE=none", "", "profile \"none\" is not in the shared files"},
        {"AWS_PROFILE=a", "[profile a]\nsso_session = x\n", "SSO"},
        {"AWS_PROFILE=a", "[profile a]\nregion = x\n", "has no credentials"},
        {"AWS_PROFILE=a", "[profile a]\naws_access_key_id = x\n", "one half"},
        {"AWS_PROFILE=a", "[profile a]\nrole_arn = x\n", "neither source_profile nor"},
        {"AWS_PROFILE=a", "[profile a]\nrole_arn = x\nsource_profile = b\n", "\"b\" is a source"},
        {"AWS_PROFILE=a",
         "[profile a]\nrole_arn = x\nsource_profile = b\n[profile b]\nrole_arn = y\n"
         "source_profile = a\n",
         "too long a chain"},
        {"AWS_PROFILE=a", "[profile a]\nrole_arn = x\nmfa_serial = 1\n", "MFA"},
        {"AWS_PROFILE=a", "[profile a]\nrole_arn = x\ncredential_source = Moon\n", "unknown"},
        {"AWS_PROFILE=a", "[profile a]\nrole_arn = x\ncredential_source = Environment\n",
         "not there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct aws_environment own = {environment, fixture};
        struct error error = {0};
        fixture->environment[0] = cases[i][0];
        write_file(fixture, "config", cases[i][1]);
        assert_null(credential_plan_create(&own, &error));
        if (strstr(error.message, cases[i][2]) == NULL)
            fail_msg("%s", error.message);
    }
}

static void roles_are_assumed_from_the_origin_on(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "config",
               "[profile a]\nrole_arn = arn:last\nsource_profile = b\nexternal_id = x y\n"
               "[profile b]\nrole_arn = arn:first\nsource_profile = c\n"
               "[profile c]\naws_access_key_id = origin\naws_secret_access_key = secret\n");
    fixture->environment[0] = "AWS_PROFILE=a";
    struct aws_environment own = {environment, fixture};
    struct error error = {0};
    struct credential_plan *plan = credential_plan_create(&own, &error);
    assert_non_null(plan);
    assert_int_equal(plan->roles_count, 2);
    assert_string_equal(plan->roles[0].arn, "arn:first");
    assert_string_equal(plan->roles[1].arn, "arn:last");
    credential_plan_destroy(plan);
    fixture->routes[0] = (struct route){
        "POST", STS, 200, sts_reply(STS_ASSUME_ROLE, "assumed", "2026-01-01T01:00:00Z")};
    check(fixture, "assumed", "t");
    assert_int_equal(fixture->requests, 2);
    assert_non_null(strstr(fixture->body, "RoleArn=arn%3Alast"));
    assert_non_null(strstr(fixture->body, "ExternalId=x%20y"));
    assert_non_null(strstr(fixture->header, "Credential=assumed/"));
}

static void web_identity_is_unsigned_and_renewed(void **state)
{
    struct fixture *fixture = *state;
    char variable[160];
    snprintf(variable, sizeof variable, "AWS_WEB_IDENTITY_TOKEN_FILE=%s",
             write_file(fixture, "token", "first-token\n"));
    fixture->environment[0] = variable;
    fixture->environment[1] = "AWS_ROLE_ARN=arn:role";
    fixture->environment[2] = "AWS_ROLE_SESSION_NAME=session";
    fixture->routes[0] =
        (struct route){"POST", STS, 200,
                       sts_reply(STS_ASSUME_ROLE_WITH_WEB_IDENTITY, "web", "2026-01-01T01:00:00Z")};
    check(fixture, "web", "t");
    assert_null(strstr(fixture->header, "authorization"));
    assert_non_null(strstr(fixture->body, "WebIdentityToken=first-token"));
    assert_non_null(strstr(fixture->body, "RoleSessionName=session"));
    write_file(fixture, "token", "second-token");
    loop_run_for(fixture->loop, 56 * MINUTE); // within the margin
    check(fixture, "web", "t");               // the old ones, at once
    loop_run(fixture->loop);
    assert_non_null(strstr(fixture->body, "WebIdentityToken=second-token"));
    assert_int_equal(fixture->requests, 2);
}

static void the_containers_endpoint_wants_a_token(void **state)
{
    struct fixture *fixture = *state;
    char keys[256], variable[160];
    snprintf(keys, sizeof keys, KEYS, "pod", "2026-01-01T06:00:00Z");
    snprintf(variable, sizeof variable, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=%s",
             write_file(fixture, "token", "pod-token\n"));
    fixture->environment[0] = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.170.23/v1/creds";
    fixture->environment[1] = variable;
    fixture->routes[0] = (struct route){"GET", "http://169.254.170.23/v1/creds", 200, keys};
    check(fixture, "pod", "t");
    assert_non_null(strstr(fixture->header, "Authorization: pod-token\n"));
}

static void plain_http_goes_nowhere_else(void **state)
{
    (void)state;
    static const char *const good[] = {
        "http://127.0.0.1/x",     "http://127.1.2.3:80/",     "http://localhost:8080/a?b",
        "http://169.254.170.2/v", "http://[fd00:ec2::23]/v1", "https://anywhere.example/x",
        "http://[::1]:80/",
    };
    static const char *const bad[] = {
        "http://example.com/",
        "http://127.0.0.1@evil/",
        "http://127.0.0.1.evil.com/",
        "http://169.254.169.254/",
        "ftp://127.0.0.1/",
        "http://localhost.evil/",
        "http://[fd00:ec2::24]/",
        "http:///x",
        "http://127.0.0.1\\@evil/",
        "http://[fd00:ec2::23]evil/",
        "https://u:p@x/",
        "http://localhost\n/",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(credential_url_is_allowed(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(credential_url_is_allowed(bad[i]));
}

static void script_instance(struct fixture *fixture, const char *keys)
{
    fixture->routes[0] = (struct route){"PUT", IMDS "api/token", 200, "imds-token"};
    fixture->routes[1] =
        (struct route){"GET", IMDS "meta-data/iam/security-credentials/", 200, "role\n"};
    fixture->routes[2] =
        (struct route){"GET", IMDS "meta-data/iam/security-credentials/role", 200, keys};
    fixture->routes[3] = (struct route){"GET", IMDS "meta-data/placement/region", 200, "eu-west-3"};
}

static void the_instances_role_comes_last(void **state)
{
    struct fixture *fixture = *state;
    char keys[256];
    snprintf(keys, sizeof keys, KEYS, "instance", "2026-01-01T06:00:00Z");
    script_instance(fixture, keys);
    check(fixture, "instance", "t");
    assert_non_null(strstr(fixture->header, "X-aws-ec2-metadata-token: imds-token"));
    assert_int_equal(fixture->requests, 3);
    fixture->chain->operations->refused(fixture->chain); // too soon after the last time
    check(fixture, "instance", "t");
    assert_int_equal(fixture->requests, 3);
    loop_run_for(fixture->loop, 10 * SECOND);
    fixture->chain->operations->refused(fixture->chain);
    check(fixture, "instance", "t");
    assert_int_equal(fixture->requests, 6);
}

static void without_anything_the_error_says_so(void **state)
{
    struct fixture *fixture = *state;
    check_error(fixture, "neither environment nor shared files");
    uint32_t requests = fixture->requests;
    assert_true(requests <= 3);
    check_error(fixture, "HttpPutResponseHopLimit"); // told again, not asked again
    assert_int_equal(fixture->requests, requests);
    loop_run_for(fixture->loop, 5 * SECOND);
    fixture->environment[0] = "AWS_EC2_METADATA_DISABLED=true";
    check_error(fixture, "AWS_EC2_METADATA_DISABLED is set");
}

static void faulty_answers_are_errors(void **state)
{
    struct fixture *fixture = *state;
    static const char *const bodies[] = {
        "",
        "secret",
        "[]",
        "{}",
        "{\"Code\":\"AssumeRoleUnauthorizedAccess\"}",
        "{\"AccessKeyId\":\"a\",\"SecretAccessKey\":\"secret\",\"Expiration\":\"soon\"}",
        "{\"AccessKeyId\":\"a\\nb\",\"SecretAccessKey\":\"secret\"}",
        "{\"AccessKeyId\":\"a\",\"SecretAccessKey\":\"secret\","
        "\"Expiration\":\"2025-01-01T00:00:00Z\"}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        script_instance(fixture, bodies[i]);
        check_error(fixture, "AWS credentials");
        assert_string_equal(fixture->key, "");
        loop_run_for(fixture->loop, 5 * SECOND);
    }
}

static void many_share_one_fetch(void **state)
{
    struct fixture *fixture = *state;
    char keys[256];
    int others = 0;
    snprintf(keys, sizeof keys, KEYS, "destroy", "2026-01-01T06:00:00Z");
    script_instance(fixture, keys);
    fixture->chain =
        credential_chain_create(&(struct credential_chain_options){.loop = fixture->loop,
                                                                   .http = &fixture->http,
                                                                   .region = "us-west-2",
                                                                   .environment = environment,
                                                                   .environment_context = fixture});
    for (int i = 0; i < 5; i++)
        fixture->chain->operations->get(fixture->chain, note, i == 2 ? (void *)&others : fixture);
    fixture->chain->operations->cancel(fixture->chain, &others);
    loop_run(fixture->loop);
    assert_int_equal(fixture->done, 1); // the first of them destroys the chain
    assert_int_equal(fixture->requests, 3);
}

static void a_fetch_ends_with_the_chain(void **state)
{
    struct fixture *fixture = *state;
    script_instance(fixture, "");
    fixture->chain =
        credential_chain_create(&(struct credential_chain_options){.loop = fixture->loop,
                                                                   .http = &fixture->http,
                                                                   .region = "us-west-2",
                                                                   .environment = environment,
                                                                   .environment_context = fixture});
    fixture->chain->operations->get(fixture->chain, note, fixture);
    loop_run_for(fixture->loop, 500 * MICROSECOND);
    assert_int_equal(fixture->requests, 1);
    fixture->chain->operations->destroy(fixture->chain);
    fixture->chain = NULL;
    loop_run(fixture->loop);
    assert_int_equal(fixture->done, 0);
}

static void a_process_gives_keys(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "config",
               "[default]\ncredential_process = echo '{\"Version\": 1, \"AccessKeyId\": "
               "\"process\", \"SecretAccessKey\": \"secret\", \"SessionToken\": \"s\"}'\n");
    check(fixture, "process", "s");
}

static void a_failing_process_is_an_error(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "config", "[default]\ncredential_process = echo secret; exit 3\n");
    check_error(fixture, "credential_process ends with status 3");
}

static void region_found(void *context, const char *region, const struct error *error)
{
    struct fixture *fixture = context;
    fixture->done++;
    snprintf(fixture->key, sizeof fixture->key, "%s", text_or_empty(region));
    snprintf(fixture->error, sizeof fixture->error, "%s", error->message);
}

static void check_region(struct fixture *fixture, const char *region)
{
    struct aws_environment own = {environment, fixture};
    aws_region_find(fixture->loop, &fixture->http, &own, region_found, fixture);
    loop_run(fixture->loop);
    assert_string_equal(fixture->key, region);
    assert_int_equal(region[0] == '\0', fixture->error[0] != '\0');
}

static void the_region_is_looked_for(void **state) // AWN-522
{
    struct fixture *fixture = *state;
    check_region(fixture, "");
    script_instance(fixture, "");
    check_region(fixture, "eu-west-3");
    write_file(fixture, "config", "[default]\nregion = eu-north-1\n");
    check_region(fixture, "eu-north-1");
    fixture->environment[0] = "AWS_DEFAULT_REGION=us-east-2";
    check_region(fixture, "us-east-2");
    fixture->environment[1] = "AWS_REGION=us-west-2";
    check_region(fixture, "us-west-2");
    fixture->environment[1] = "AWS_REGION=no.region/";
    check_region(fixture, "");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
#define REAL(function) cmocka_unit_test_setup_teardown(function, set_up_real, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keys_of_the_environment_come_first),
        TEST(half_of_the_keys_is_an_error),
        TEST(a_chosen_profile_comes_first),
        TEST(the_null_device_is_an_absent_file),
        TEST(faulty_profiles_are_errors),
        TEST(roles_are_assumed_from_the_origin_on),
        TEST(web_identity_is_unsigned_and_renewed),
        TEST(the_containers_endpoint_wants_a_token),
        TEST(plain_http_goes_nowhere_else),
        TEST(the_instances_role_comes_last),
        TEST(without_anything_the_error_says_so),
        TEST(faulty_answers_are_errors),
        TEST(many_share_one_fetch),
        TEST(a_fetch_ends_with_the_chain),
        REAL(a_process_gives_keys),
        REAL(a_failing_process_is_an_error),
        TEST(the_region_is_looked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
