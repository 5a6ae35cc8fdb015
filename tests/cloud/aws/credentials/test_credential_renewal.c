// Renewal of credentials: before their end, after AWS has refused them, without a storm (AWN-520,
// AWN-521, AWN-524); and what the metadata service may answer.
#include "cloud/aws/credentials/credential_world.h"

#include "base/duration.h"
#include "cloud/aws/client/aws_client.h"

#define HOUR  (60 * MINUTE)
#define AT_06 "2026-01-01T06:00:00Z"

struct calls {
    int done, good;
    struct error error;
    int status;
};
static const char *accepted, *code; // of the account: the key it takes, how it refuses others
static char keys[256];

static void serve_account(struct fixture *fixture, const struct aws_http_request *request,
                          struct route *route)
{
    static char refusal[512];
    (void)request;
    snprintf(refusal, sizeof refusal,
             "<Response><Errors><Error><Code>%s</Code><Message>refused</Message></Error></Errors>"
             "</Response>",
             code);
    *route = (struct route){.status = 400, .body = refusal};
    if (accepted != NULL && strstr(fixture->header, accepted) != NULL)
        *route = (struct route){.status = 200, .body = "<DescribeImagesResponse/>"};
}

static void give(struct fixture *fixture, const char *key, const char *expires)
{
    snprintf(keys, sizeof keys, KEYS, key, expires);
    script_instance(fixture, keys);
}

static void note_call(void *context, const struct aws_result *result)
{
    struct calls *calls = context;
    calls->done++;
    calls->good += result->error.kind == ERROR_NONE;
    if (result->error.kind != ERROR_NONE)
        calls->error = result->error;
    calls->status = result->status;
}

static struct aws_client *open_client(struct fixture *fixture)
{
    struct error error = {0};
    if (fixture->chain == NULL)
        open_chain(fixture);
    struct aws_client *client =
        aws_client_create(&(struct aws_client_options){.loop = fixture->loop,
                                                       .http = &fixture->http,
                                                       .credentials = fixture->chain,
                                                       .region = "us-west-2",
                                                       .environment = environment,
                                                       .environment_context = fixture},
                          &error);
    assert_non_null(client);
    return client;
}

static void call(struct fixture *fixture, struct aws_client *client, struct calls *calls, int count)
{
    for (int i = 0; i < count; i++)
        aws_client_start(client, &(struct aws_request){.action = EC2_DESCRIBE_IMAGES,
                                                       .done = note_call,
                                                       .context = calls});
    loop_run(fixture->loop);
}

static void one_renewal_serves_all_refused_calls(void **state)
{
    struct fixture *fixture = *state;
    static const char *const codes[] = {"ExpiredToken", "ExpiredTokenException", "RequestExpired",
                                        "InvalidClientTokenId", "AuthFailure"};
    fixture->serve = serve_account;
    struct aws_client *client = open_client(fixture);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct calls calls = {0};
        char old[32], new[32], signature[48];
        snprintf(old, sizeof old, "key%zu", i);
        snprintf(new, sizeof new, "key%zu", i + 1);
        code = codes[i];
        accepted = signature;
        snprintf(signature, sizeof signature, "Credential=%s/", old);
        give(fixture, old, AT_06);
        call(fixture, client, &calls, 1);
        assert_int_equal(calls.good, 1);
        loop_run_for(fixture->loop, MINUTE);
        snprintf(signature, sizeof signature, "Credential=%s/", new); // the old ones end early
        give(fixture, new, AT_06);
        fixture->requests = fixture->served = 0;
        call(fixture, client, &calls, 5);
        assert_int_equal(calls.good, 6);
        assert_int_equal(fixture->served, 5 + 5);                 // each once more
        assert_int_equal(fixture->requests - fixture->served, 3); // one visit to the metadata
        loop_run_for(fixture->loop, MINUTE);
    }
    aws_client_destroy(client);
}

static void credentials_refused_for_good_are_no_storm(void **state)
{
    struct fixture *fixture = *state;
    struct calls calls = {0};
    fixture->serve = serve_account;
    code = "ExpiredToken";
    accepted = NULL;
    give(fixture, "old", AT_06);
    struct aws_client *client = open_client(fixture);
    call(fixture, client, &calls, 1);
    assert_int_equal(fixture->served, 2); // one retry
    assert_int_equal(calls.error.kind, ERROR_UNAUTHORIZED);
    assert_string_equal(calls.error.message, "ec2:DescribeImages: ExpiredToken: refused");
    uint32_t asked = fixture->requests - fixture->served;
    for (int i = 0; i < 40; i++) { // for ten seconds
        call(fixture, client, &calls, 1);
        loop_run_for(fixture->loop, 250 * MILLISECOND);
    }
    assert_int_equal(calls.done, 41);
    assert_int_equal(fixture->served, 2 * 41);
    assert_true(fixture->requests - fixture->served - asked <= 3 * 3);
    aws_client_destroy(client);
}

static void a_refusal_waits_for_the_renewal_under_way(void **state)
{
    struct fixture *fixture = *state;
    give(fixture, "old", "2026-01-01T00:10:00Z");
    check(fixture, "old", "t");
    loop_run_for(fixture->loop, 6 * MINUTE);
    give(fixture, "new", AT_06);
    check(fixture, "old", "t"); // begins the renewal, and goes on meanwhile
    fixture->chain->operations->refused(fixture->chain);
    check(fixture, "new", "t");
}

static void they_are_renewed_before_their_end(void **state)
{
    struct fixture *fixture = *state;
    int64_t least = INT64_MAX, most = 0;
    for (int i = 0; i < 30; i++) {
        int64_t began = loop_now_ns(fixture->loop);
        char end[INSTANT_TEXT_MAX];
        instant_format(ns_add(began, HOUR), end);
        give(fixture, "old", end);
        check(fixture, "old", "t");
        uint32_t requests = fixture->requests;
        while (fixture->requests == requests) {
            loop_run_for(fixture->loop, SECOND);
            check(fixture, "old", "t"); // never without
        }
        int64_t early = ns_subtract(ns_add(began, HOUR), loop_now_ns(fixture->loop));
        least = early < least ? early : least;
        most = early > most ? early : most;
        loop_run(fixture->loop);
        loop_run_for(fixture->loop, HOUR);
    }
    assert_true(least > 4 * MINUTE + 50 * SECOND);
    assert_true(most <= 6 * MINUTE);
    assert_true(most - least > 20 * SECOND); // not all at once
}

static void short_lived_ones_are_no_storm(void **state)
{
    struct fixture *fixture = *state;
    fixture->routes[0] = (struct route){"GET", "http://169.254.170.2/c", 200, keys};
    fixture->environment[0] = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/c";
    snprintf(keys, sizeof keys, KEYS, "short", "2026-01-01T00:04:00Z");
    for (int i = 0; i < 225; i++) {
        check(fixture, "short", "t");
        loop_run_for(fixture->loop, SECOND);
    }
    assert_true(fixture->requests < 10);
    assert_false(fixture->is_proxied);
    loop_run_for(fixture->loop, MINUTE);
    check_error(fixture, "have expired already");
}

// Those of the instance hold beyond their end: the metadata service has no others then.
static void the_instances_are_used_on(void **state)
{
    struct fixture *fixture = *state;
    give(fixture, "old", "2025-12-31T23:00:00Z");
    check(fixture, "old", "t");
    assert_true(fixture->expires >= loop_now_ns(fixture->loop) + 10 * MINUTE - SECOND);
    assert_true(fixture->expires <= loop_now_ns(fixture->loop) + 15 * MINUTE);
    uint32_t requests = fixture->requests;
    for (int i = 0; i < 60; i++) {
        check(fixture, "old", "t");
        loop_run_for(fixture->loop, MINUTE);
    }
    assert_true(fixture->requests - requests <= 3 * 12);
    give(fixture, "new", AT_06);
    loop_run_for(fixture->loop, 15 * MINUTE);
    get(fixture);
    loop_run(fixture->loop);
    check(fixture, "new", "t");
    for (int i = 0; i < 4; i++)
        fixture->routes[i].status = 0; // and now it answers no more
    loop_run_for(fixture->loop, 10 * HOUR);
    check(fixture, "new", "t");
    assert_false(fixture->is_proxied);
}

static void answers_of_the_metadata_service(void **state) // IMDSv2 alone: no fall-back
{
    struct fixture *fixture = *state;
    static const struct {
        int token, role;
        const char *text, *part;
        uint32_t requests;
    } cases[] = {
        {405, 200, "t", "gives no token", 1},
        {403, 200, "t", "gives no token", 1},
        {404, 200, "t", "gives no token", 1},
        {200, 200, "", "gives no token", 1},
        {200, 200, "a\nb: c", "gives no token", 1},
        {0, 200, "t", "HttpPutResponseHopLimit", 3},
        {503, 200, "t", "gives no token", 3},
        {200, 404, "t", "", 2},
        {200, 503, "t", "answers with 503", 4},
        {200, 401, "t", "answers with 401", 4}, // a new token does not help
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        give(fixture, "a", AT_06);
        fixture->routes[0].status = cases[i].token;
        fixture->routes[0].body = cases[i].text;
        fixture->routes[1].status = cases[i].role;
        fixture->requests = 0;
        check_error(fixture, cases[i].part);
        assert_string_equal(fixture->key, "");
        if (fixture->requests != cases[i].requests)
            fail_msg("case %zu: %u requests", i, fixture->requests);
        loop_run_for(fixture->loop, MINUTE);
    }
    assert_false(fixture->is_proxied);
}

static void the_containers_endpoint_is_asked_again(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        int status;
        uint32_t requests;
    } cases[] = {{0, 3}, {503, 3}, {429, 3}, {401, 1}, {403, 1}, {302, 1}};
    fixture->environment[0] = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.170.23/v1/c";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture->routes[0] =
            (struct route){"GET", "http://169.254.170.23/v1/c", cases[i].status, "{}"};
        fixture->requests = 0;
        check_error(fixture, "the container's endpoint");
        assert_int_equal(fixture->requests, cases[i].requests);
        loop_run_for(fixture->loop, MINUTE);
    }
    assert_false(fixture->is_proxied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_renewal_serves_all_refused_calls),
        TEST(credentials_refused_for_good_are_no_storm),
        TEST(a_refusal_waits_for_the_renewal_under_way),
        TEST(they_are_renewed_before_their_end),
        TEST(short_lived_ones_are_no_storm),
        TEST(the_instances_are_used_on),
        TEST(answers_of_the_metadata_service),
        TEST(the_containers_endpoint_is_asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
