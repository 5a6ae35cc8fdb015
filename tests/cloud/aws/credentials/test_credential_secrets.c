// No secret gets into a log line or an error, whatever goes wrong (AWN-520): every source of
// credentials, answers that quote the request, user data, at the level of debugging.
#include "cloud/aws/credentials/credential_world.h"

#include "base/log.h"
#include "cloud/aws/client/aws_client.h"

#define MARK "Zz9Secret" // in every secret of these tests
#define KEYS_                                                                            \
    "{\"Code\":\"Success\",\"AccessKeyId\":\"AKID" MARK "\",\"SecretAccessKey\":\"" MARK \
    "/+=\",\"Token\":\"token/" MARK "==\",\"Expiration\":\"2026-01-01T00:20:00Z\"}"

static struct text told; // log lines and errors

static void note_line(void *context, const char *line)
{
    (void)context;
    text_format(&told, "%s\n", line);
}

static int set_up_log(void **state)
{
    struct error error = {0};
    text_add(&told, "");
    if (!log_configure(&(struct log_options){.level = LOG_DEBUG, .sink = note_line}, &error))
        return 1;
    return set_up(state);
}

static int set_up_real_log(void **state)
{
    int result = set_up_log(state);
    tear_down(state);
    return result != 0 ? result : set_up_real(state);
}

static int tear_down_log(void **state)
{
    static const char *const secrets[] = {MARK, "AWS4-HMAC", "Signature=", "Authorization",
                                          "x-amz-security-token"};
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        if (strcasestr(told.data, secrets[i]) != NULL)
            fail_msg("%s is told: %s", secrets[i], told.data);
    }
    text_free(&told);
    return tear_down(state);
}

static void note_call(void *context, const struct aws_result *result)
{
    (void)context;
    text_format(&told, "%s\n%s\n%s\n", result->error.message, result->code, result->message);
}

// Credentials, then a call with them, an hour of renewals, and the call once more.
static void go(struct fixture *fixture, const char *expected)
{
    struct error error = {0};
    told.data[told.length = 0] = '\0';
    get(fixture);
    text_format(&told, "%s\n", fixture->error);
    if (strstr(fixture->error, expected) == NULL)
        fail_msg("\"%s\" is not in: %s", expected, fixture->error);
    struct aws_client *client =
        aws_client_create(&(struct aws_client_options){.loop = fixture->loop,
                                                       .http = &fixture->http,
                                                       .credentials = fixture->chain,
                                                       .region = "us-west-2",
                                                       .environment = environment,
                                                       .environment_context = fixture},
                          &error);
    for (int i = 0; i < 3; i++) {
        aws_client_start(client,
                         &(struct aws_request){.action = SSM_GET_PARAMETER,
                                               .parameters = json_pack("{s:s}", "Name", "a"),
                                               .done = note_call});
        aws_client_start(
            client, &(struct aws_request){.action = EC2_CREATE_LAUNCH_TEMPLATE,
                                          .parameters = json_pack("{s:{s:s}}", "LaunchTemplateData",
                                                                  "UserData", MARK),
                                          .done = note_call});
        aws_client_start(
            client, &(struct aws_request){.action = EC2_CREATE_LAUNCH_TEMPLATE,
                                          .parameters = json_pack("{s:{s:[s]}}",
                                                                  "LaunchTemplateData", "UserData",
                                                                  MARK), // of a wrong type
                                          .done = note_call});
        if (!loop_is_virtual(fixture->loop))
            loop_run_for(fixture->loop, 100 * MILLISECOND);
        else
            loop_run_for(fixture->loop, 20 * MINUTE);
    }
    aws_client_destroy(client);
    fixture->chain->operations->destroy(fixture->chain);
    fixture->chain = NULL;
}

// AWS explains refused signatures by the request that it has seen.
static void quote_request(struct fixture *fixture, const struct aws_http_request *request,
                          struct route *route)
{
    static char text[8192];
    static const char *const codes[] = {"SignatureDoesNotMatch", "IncompleteSignature",
                                        "UnauthorizedOperation", "InternalFailure"};
    const char *code = codes[fixture->served % 4];
    struct text headers = {0};
    for (const char *c = fixture->header; *c != '\0'; c++)
        text_format(&headers, *c == '\n' ? "\\n" : *c == '"' ? "'" : "%c", *c);
    const char *quote = fixture->served % 2 == 0
                            ? "The signature does not match.\\n\\nThe Canonical String for this "
                              "request should have been\\n'POST\\n/"
                            : "not a valid key=value pair (missing equal-sign): ";
    if (strstr(request->url, "ssm.") != NULL)
        snprintf(text, sizeof text, "{\"__type\":\"%s\",\"message\":\"%s%s\"}", code, quote,
                 headers.data);
    else
        snprintf(text, sizeof text,
                 "<Response><Errors><Error><Code>%s</Code><Message>%s%s</Message></Error></Errors>"
                 "</Response>",
                 code, quote, headers.data);
    text_free(&headers);
    *route = (struct route){.status = fixture->served % 3 == 0 ? 500 : 403, .body = text};
}

static const char *const answers[] = {
    // of sources of credentials
    KEYS_,
    MARK,
    "{\"AccessKeyId\":\"" MARK "\",\"SecretAccessKey\":\"" MARK,
    "{\"AccessKeyId\":\"" MARK "\\n\",\"SecretAccessKey\":\"" MARK "\"}",
    "{\"AccessKeyId\":\"" MARK "\"}",
    "{\"SecretAccessKey\":\"" MARK "\"}",
    "{\"AccessKeyId\":\"a\",\"SecretAccessKey\":\"" MARK "\",\"Expiration\":\"" MARK "\"}",
    "{\"AccessKeyId\":7,\"SecretAccessKey\":[\"" MARK "\"]}",
};
#define ANSWERS (sizeof answers / sizeof answers[0])

static void the_environments_keys(void **state)
{
    struct fixture *fixture = *state;
    fixture->serve = quote_request;
    fixture->environment[0] = "AWS_SECRET_ACCESS_KEY=" MARK;
    go(fixture, "AWS_ACCESS_KEY_ID is not set");
    fixture->environment[1] = "AWS_ACCESS_KEY_ID=AKID" MARK;
    fixture->environment[2] = "AWS_SESSION_TOKEN=" MARK;
    go(fixture, "");
}

static void shared_files(void **state)
{
    struct fixture *fixture = *state;
    fixture->serve = quote_request;
    static const char *const texts[][2] = {
        {"[default]\naws_access_key_id = " MARK "\naws_secret_access_key = " MARK "\n", ""},
        {"[default]\naws_secret_access_key = " MARK "\n", "one half"},
        {"[default]\naws_access_key_id = " MARK "\n  aws_secret_access_key = " MARK "\n",
         "one half"},
        {"[default]\n" MARK " = " MARK "\n= " MARK "\nrole_arn = a\nsource_profile = b\n",
         "is a source_profile"},
        {"[default\naws_secret_access_key = " MARK "\n", ""},
    };
    fixture->environment[0] = "AWS_EC2_METADATA_DISABLED=true";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_file(fixture, "credentials", texts[i][0]);
        go(fixture, texts[i][1]);
    }
}

static void the_containers_endpoint(void **state)
{
    struct fixture *fixture = *state;
    fixture->serve = quote_request;
    fixture->environment[0] = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1/c";
    fixture->environment[1] = "AWS_CONTAINER_AUTHORIZATION_TOKEN=" MARK;
    static const int statuses[] = {200, 403, 500, 0};
    for (size_t i = 0; i < ANSWERS * 4; i++) {
        fixture->routes[0] =
            (struct route){"GET", "http://127.0.0.1/c", statuses[i % 4], answers[i / 4]};
        go(fixture, i == 0 ? "" : "AWS credentials");
    }
    fixture->environment[1] = "AWS_CONTAINER_AUTHORIZATION_TOKEN=" MARK "\n";
    go(fixture, "AWS_CONTAINER_AUTHORIZATION_TOKEN is no token");
    fixture->environment[1] = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=/dev/null";
    go(fixture, "AWS credentials");
}

static void the_instances_metadata(void **state)
{
    struct fixture *fixture = *state;
    fixture->serve = quote_request;
    static const int statuses[] = {200, 401, 403, 500};
    for (size_t i = 0; i < ANSWERS * 4; i++) {
        script_instance(fixture, answers[i / 4]);
        fixture->routes[0].body = MARK; // the session's token
        fixture->routes[2].status = statuses[i % 4];
        go(fixture, i == 0 ? "" : "AWS credentials");
    }
}

static void web_identity_and_roles(void **state)
{
    struct fixture *fixture = *state;
    char variable[160];
    snprintf(variable, sizeof variable, "AWS_WEB_IDENTITY_TOKEN_FILE=%s",
             write_file(fixture, "token", "eyJ" MARK ".a.b\n"));
    fixture->environment[0] = variable;
    fixture->environment[1] = "AWS_ROLE_ARN=arn:aws:iam::1:role/r";
    fixture->serve = quote_request;
    go(fixture, "AWS credentials"); // STS refuses, and quotes
    char reply[2048];
    snprintf(reply, sizeof reply, "%s",
             sts_reply(STS_ASSUME_ROLE_WITH_WEB_IDENTITY, MARK, "2026-01-01T01:00:00Z"));
    fixture->routes[0] = (struct route){"POST", STS, 200, reply};
    go(fixture, "");
    reply[strlen(reply) / 2] = '\0'; // cut off
    go(fixture, "cannot be read");
    write_file(fixture, "token", "eyJ" MARK "\x01");
    go(fixture, "holds no token");
    write_file(fixture, "config",
               "[profile a]\nrole_arn = arn:a\nsource_profile = b\nexternal_id = " MARK
               "\n[profile b]\naws_access_key_id = " MARK "\naws_secret_access_key = " MARK "\n");
    fixture->environment[2] = "AWS_PROFILE=a";
    fixture->routes[0].url = "none";
    go(fixture, "AWS credentials");
}

static void processes(void **state)
{
    struct fixture *fixture = *state;
    static const char *const commands[] = {
        "echo " MARK,
        "echo " MARK " >&2; exit 1",
        "echo '{\\\"AccessKeyId\\\": \\\"" MARK "\\\"'",
    };
    fixture->serve = quote_request;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char config[256];
        snprintf(config, sizeof config, "[default]\ncredential_process = %s\n", commands[i]);
        write_file(fixture, "config", config);
        go(fixture, "credential_process");
    }
}

#define QUIET(function, begin) cmocka_unit_test_setup_teardown(function, begin, tear_down_log)

int main(void)
{
    const struct CMUnitTest tests[] = {
        QUIET(the_environments_keys, set_up_log),   QUIET(shared_files, set_up_log),
        QUIET(the_containers_endpoint, set_up_log), QUIET(the_instances_metadata, set_up_log),
        QUIET(web_identity_and_roles, set_up_log),  QUIET(processes, set_up_real_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
