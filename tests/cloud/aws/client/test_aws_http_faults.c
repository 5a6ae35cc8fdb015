// Answers that are cut, huge, packed or point elsewhere; proxies and certificates (AWN-523,
// AWN-524), over real sockets.
#include "support/cmocka_all.h"

#include <unistd.h>
#include <zlib.h>

#include "base/loop_real.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_http_curl.h"
#include "kube/fake_server.h"

#define BOMB_BYTES (AWS_BODY_BYTES_MAX + 1)

struct fixture {
    struct loop *loop;
    struct fake_server *server;
    struct aws_http *http;
    char line[256]; // the first of the last request
    const char *mode;
    struct text bomb;
    int status;
    size_t bytes;
    char error[1500];
    enum error_kind kind;
};

static const char *const variables[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
                                        "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY"};

static void serve_huge(struct fixture *fixture, struct fake_connection *connection)
{
    static char block[1 << 20];
    memset(block, 'a', sizeof block);
    fake_print(connection, "HTTP/1.1 200 OK\r\n\r\n");
    for (int i = 0; i < 65; i++)
        fake_write(connection, block, sizeof block);
    fake_close(connection);
    (void)fixture;
}

static void serve(void *context, struct fake_connection *connection, const char *request)
{
    struct fixture *fixture = context;
    snprintf(fixture->line, sizeof fixture->line, "%.*s", (int)strcspn(request, "\r"), request);
    if (strcmp(fixture->mode, "cut") == 0) {
        fake_print(connection, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<Describe");
        fake_close(connection);
    } else if (strcmp(fixture->mode, "cut chunk") == 0) {
        fake_print(connection,
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n<Describe");
        fake_close(connection);
    } else if (strcmp(fixture->mode, "bad gzip") == 0) {
        fake_reply(connection, 200, "text/xml", "Content-Encoding: gzip\r\n", "no gzip");
    } else if (strcmp(fixture->mode, "bomb") == 0) {
        fake_print(connection,
                   "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n",
                   fixture->bomb.length);
        fake_write(connection, fixture->bomb.data, fixture->bomb.length);
    } else if (strcmp(fixture->mode, "huge") == 0) {
        serve_huge(fixture, connection);
    } else if (strcmp(fixture->mode, "redirect") == 0) {
        char location[128];
        snprintf(location, sizeof location, "Location: http://127.0.0.1:%d/elsewhere\r\n",
                 fixture->server->port);
        fake_reply(connection, 307, "text/html", location, "");
    } else {
        fake_reply(connection, 200, "text/xml", "", "<a/>");
    }
}

static void pack_bomb(struct text *out)
{
    static unsigned char zeros[1 << 16], packed[1 << 17];
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (size_t done = 0; done < BOMB_BYTES; done += sizeof zeros) {
        stream.next_in = zeros;
        stream.avail_in = sizeof zeros;
        stream.next_out = packed;
        stream.avail_out = sizeof packed;
        deflate(&stream, done + sizeof zeros < BOMB_BYTES ? Z_NO_FLUSH : Z_FINISH);
        text_add_bytes(out, (const char *)packed, sizeof packed - stream.avail_out);
    }
    deflateEnd(&stream);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error = {0};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
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
    fixture->http->operations->destroy(fixture->http);
    fake_server_destroy(fixture->server);
    loop_destroy(fixture->loop);
    text_free(&fixture->bomb);
    free(fixture);
    return 0;
}

static void note(void *context, const struct aws_http_response *response)
{
    struct fixture *fixture = context;
    fixture->status = response->status;
    fixture->kind = response->error.kind;
    fixture->bytes = response->body_bytes;
    snprintf(fixture->error, sizeof fixture->error, "%s", response->error.message);
    loop_stop(fixture->loop);
}

static void ask(struct fixture *fixture, const char *url, bool direct)
{
    struct aws_http_header header = {"authorization", "AWS4-HMAC-SHA256 x"};
    fixture->line[0] = '\0';
    fixture->http->operations->start(fixture->http,
                                     &(struct aws_http_request){.method = "GET",
                                                                .url = url,
                                                                .headers = &header,
                                                                .headers_count = 1,
                                                                .direct = direct,
                                                                .timeout_ns = 20 * SECOND},
                                     note, fixture);
    loop_run(fixture->loop);
}

static void ask_server(struct fixture *fixture, const char *mode)
{
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/a", fixture->server->port);
    fixture->mode = mode;
    ask(fixture, url, false);
}

static void cut_answers_are_no_answers(void **state)
{
    struct fixture *fixture = *state;
    static const char *const modes[] = {"cut", "cut chunk", "bad gzip"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        ask_server(fixture, modes[i]);
        assert_int_equal(fixture->status, 0);
        assert_int_equal(fixture->kind, ERROR_UNAVAILABLE);
    }
    ask_server(fixture, "");
    assert_int_equal(fixture->status, 200);
}

static void huge_answers_are_refused(void **state)
{
    struct fixture *fixture = *state;
    pack_bomb(&fixture->bomb);
    assert_true(fixture->bomb.length < (1 << 20));
    ask_server(fixture, "bomb"); // unpacked it is too large
    assert_int_equal(fixture->status, 0);
    assert_non_null(strstr(fixture->error, "larger than 64 MiB"));
    ask_server(fixture, "huge");
    assert_int_equal(fixture->status, 0);
    assert_non_null(strstr(fixture->error, "larger than 64 MiB"));
    ask_server(fixture, "");
    assert_int_equal(fixture->status, 200);
}

static void redirects_are_not_followed(void **state)
{
    struct fixture *fixture = *state;
    ask_server(fixture, "redirect"); // the signature is for one host and path
    assert_int_equal(fixture->status, 307);
    assert_int_equal(fixture->server->requests, 1);
}

static void proxies_of_the_environment(void **state) // AWN-523
{
    struct fixture *fixture = *state;
    char proxy[64];
    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", fixture->server->port);
    static const char *const names[] = {"http_proxy", "HTTP_PROXY", "ALL_PROXY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        setenv(names[i], proxy, 1);
        ask(fixture, "http://aws.test/a", false);
        assert_string_equal(fixture->line, "GET http://aws.test/a HTTP/1.1");
        unsetenv(names[i]);
    }
    setenv("HTTPS_PROXY", proxy, 1);
    fixture->mode = "redirect"; // refuses the tunnel
    ask(fixture, "https://ec2.test/", false);
    assert_string_equal(fixture->line, "CONNECT ec2.test:443 HTTP/1.1");
    assert_int_equal(fixture->status, 0);
    fixture->mode = "";
    setenv("HTTP_PROXY", proxy, 1);
    static const char *const near[] = {"http://127.0.0.1:1/", "http://127.1.2.3:1/",
                                       "http://localhost:1/", "http://[::1]:1/",
                                       "https://localhost:1/"};
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
        ask(fixture, near[i], false);
        assert_string_equal(fixture->line, ""); // not the proxy's affair
        assert_int_equal(fixture->status, 0);
    }
    ask(fixture, "http://127.0.0.1.test/", false);
    assert_string_equal(fixture->line, "GET http://127.0.0.1.test/ HTTP/1.1");
    ask(fixture, "http://metadata.invalid/", true); // credentials
    assert_string_equal(fixture->line, "");
    setenv("NO_PROXY", "other.invalid,.aws.invalid", 1);
    ask(fixture, "http://ec2.aws.invalid/", false);
    assert_string_equal(fixture->line, "");
    ask(fixture, "http://iam.test/", false);
    assert_string_equal(fixture->line, "GET http://iam.test/ HTTP/1.1");
}

static void the_bundle_of_certificates_counts(void **state) // AWN-523: AWS_CA_BUNDLE
{
    struct fixture *fixture = *state;
    struct error error = {0};
    char url[64], path[] = "/tmp/adze-ca-XXXXXX";
    struct fake_identity identity = fake_identity_create("localhost", "localhost");
    struct fake_server *server = fake_server_create(fixture->loop, &identity, serve, fixture);
    snprintf(url, sizeof url, "https://localhost:%d/", server->port);
    ask(fixture, url, false);
    assert_int_equal(fixture->status, 0);
    int file = mkstemp(path);
    assert_int_equal(write(file, identity.certificate, strlen(identity.certificate)),
                     strlen(identity.certificate));
    close(file);
    fixture->http->operations->destroy(fixture->http);
    fixture->http = aws_http_curl_create(fixture->loop, path, &error);
    ask(fixture, url, false);
    if (fixture->status != 200)
        fail_msg("%s", fixture->error);
    unlink(path);
    fake_server_destroy(server);
    fake_identity_clear(&identity);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cut_answers_are_no_answers),        TEST(huge_answers_are_refused),
        TEST(redirects_are_not_followed),        TEST(proxies_of_the_environment),
        TEST(the_bundle_of_certificates_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
