// The transport over real sockets (AWN-523, AWN-524).
#include "support/cmocka_all.h"

#include "base/loop_real.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_http_curl.h"
#include "kube/fake_server.h"

struct fixture {
    struct loop *loop;
    struct fake_server *server;
    struct aws_http *http;
    char request[8192];
    const char *mode;
    int done, status;
    char body[256], header[64], error[1500];
    enum error_kind kind;
    bool destroys;
};

static void serve(void *context, struct fake_connection *connection, const char *request)
{
    struct fixture *fixture = context;
    snprintf(fixture->request, sizeof fixture->request, "%s", request);
    if (strcmp(fixture->mode, "silent") == 0)
        return;
    if (strcmp(fixture->mode, "close") == 0)
        fake_close(connection);
    else if (strcmp(fixture->mode, "huge") == 0)
        for (int i = 0; i < 1000; i++)
            fake_print(connection, "%sX: %0900d\r\n", i == 0 ? "HTTP/1.1 200 OK\r\n" : "", i);
    else
        fake_reply(connection, 418, "text/xml", "X-Amzn-RequestId:  r-1 \r\n", "<a>body</a>");
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error = {0};
    fixture->loop = loop_create();
    fixture->mode = "";
    fixture->server = fake_server_create(fixture->loop, NULL, serve, fixture);
    fixture->http = aws_http_curl_create(fixture->loop, NULL, &error);
    assert_non_null(fixture->http);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    if (fixture->http != NULL)
        fixture->http->operations->destroy(fixture->http);
    fake_server_destroy(fixture->server);
    loop_destroy(fixture->loop);
    free(fixture);
    return 0;
}

static void note(void *context, const struct aws_http_response *response)
{
    struct fixture *fixture = context;
    fixture->done++;
    fixture->status = response->status;
    fixture->kind = response->error.kind;
    snprintf(fixture->error, sizeof fixture->error, "%s", response->error.message);
    snprintf(fixture->body, sizeof fixture->body, "%s", text_or_empty(response->body));
    snprintf(fixture->header, sizeof fixture->header, "%s",
             text_or_empty(aws_http_header_of(response, "x-amzn-requestid")));
    if (fixture->destroys) {
        fixture->http->operations->destroy(fixture->http);
        fixture->http = NULL;
    }
    loop_stop(fixture->loop);
}

static struct aws_http_call *start(struct fixture *fixture, const char *method, const char *body,
                                   int64_t timeout_ns)
{
    char url[128];
    struct aws_http_header headers[] = {{"x-amz-target", "A.B"}, {"empty", ""}};
    snprintf(url, sizeof url, "http://127.0.0.1:%d/a%%2Fb/../c", fixture->server->port);
    return fixture->http->operations->start(
        fixture->http,
        &(struct aws_http_request){.method = method,
                                   .url = url,
                                   .headers = headers,
                                   .headers_count = 2,
                                   .body = body,
                                   .body_bytes = body != NULL ? strlen(body) : 0,
                                   .timeout_ns = timeout_ns},
        note, fixture);
}

static void requests_arrive_as_they_are(void **state)
{
    struct fixture *fixture = *state;
    start(fixture, "POST", "Action=X", 0);
    loop_run(fixture->loop);
    assert_int_equal(fixture->status, 418);
    assert_string_equal(fixture->body, "<a>body</a>");
    assert_string_equal(fixture->header, "r-1");
    assert_true(text_starts_with(fixture->request, "POST /a%2Fb/../c HTTP/1.1\r\n"));
    assert_non_null(strstr(fixture->request, "x-amz-target: A.B\r\n"));
    assert_non_null(strstr(fixture->request, "Action=X"));
    assert_null(strstr(fixture->request, "Expect"));
    start(fixture, "PUT", NULL, 0);
    loop_run(fixture->loop);
    assert_true(text_starts_with(fixture->request, "PUT "));
    assert_non_null(strstr(fixture->request, "Content-Length: 0\r\n"));
    start(fixture, "GET", NULL, 0);
    loop_run(fixture->loop);
    assert_true(text_starts_with(fixture->request, "GET "));
    assert_int_equal(fixture->server->connections, 1); // kept
}

static void faults_are_errors(void **state)
{
    struct fixture *fixture = *state;
    fixture->mode = "close";
    start(fixture, "GET", NULL, 0);
    loop_run(fixture->loop);
    assert_int_equal(fixture->status, 0);
    assert_int_equal(fixture->kind, ERROR_UNAVAILABLE);
    fixture->mode = "silent";
    start(fixture, "GET", NULL, 50 * MILLISECOND);
    loop_run(fixture->loop);
    assert_int_equal(fixture->kind, ERROR_TIMEOUT);
    fixture->mode = "huge";
    start(fixture, "GET", NULL, 0);
    loop_run(fixture->loop);
    assert_int_equal(fixture->kind, ERROR_UNAVAILABLE);
    assert_int_equal(fixture->done, 3);
}

static void calls_can_be_cancelled(void **state)
{
    struct fixture *fixture = *state;
    struct aws_http_call *call = start(fixture, "GET", NULL, 0);
    fixture->http->operations->cancel(fixture->http, call);
    start(fixture, "GET", NULL, 0);
    fixture->destroys = true; // with the second one under way
    start(fixture, "GET", NULL, 0);
    loop_run(fixture->loop);
    loop_run_for(fixture->loop, 20 * MILLISECOND);
    assert_int_equal(fixture->done, 1);
}

static void the_bundle_of_certificates_must_be_there(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    assert_null(aws_http_curl_create(fixture->loop, "/nowhere/ca.pem", &error));
    assert_string_equal(error.message, "AWS_CA_BUNDLE: /nowhere/ca.pem cannot be read");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(requests_arrive_as_they_are),
        TEST(faults_are_errors),
        TEST(calls_can_be_cancelled),
        TEST(the_bundle_of_certificates_must_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
