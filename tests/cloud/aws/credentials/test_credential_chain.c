// Where credentials and the region come from (AWN-520, AWN-521, AWN-522).
#include "cloud/aws/credentials/credential_world.h"

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
    open_chain(fixture);
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
    open_chain(fixture);
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
