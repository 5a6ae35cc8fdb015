// The HTTP transport against a server that misbehaves on purpose.
#include "support/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/loop_real.h"
#include "base/memory.h"
#include "kube/fake_server.h"
#include "kube/transport/http_transport.h"

#define GUARD_NS (30 * SECOND)
#define TOKEN    "sesame-4711"
#define HELD_MAX 256

struct world {
    struct loop *loop;
    struct fake_server *server;
    struct kube_config config;
    struct http_transport_options options;
    struct kube_transport *transport;
    struct timer *guard;
    void (*serve)(struct world *world, struct fake_connection *connection, const char *request);
    struct kube_call *call;
    // of the last answer
    unsigned done, events;
    int status;
    json_t *body;
    struct error error;
    int64_t retry_after_ns;
    unsigned cancel_after_events; // 0: never
    bool destroys;                // the handler ends the transport instead
    size_t cut;                   // for the test's own use
    char folder[64];
    struct fake_connection *held[HELD_MAX]; // answered by the test, not at once
    unsigned held_count, held_nodes;
};

static void serve(void *context, struct fake_connection *connection, const char *request)
{
    struct world *world = context;
    world->serve(world, connection, request);
}

static void guard_reached(void *context)
{
    (void)context;
    fail_msg("nothing happened for too long");
}

static void done(void *context, const struct kube_response *response)
{
    struct world *world = context;
    world->done++;
    world->status = response->status;
    world->error = response->error;
    world->retry_after_ns = response->retry_after_ns;
    json_decref(world->body);
    world->body = json_deep_copy(response->body);
    assert_null(strstr(response->error.message, TOKEN));
    assert_null(strchr(response->error.message, '\n'));
    if (world->destroys) {
        world->transport->operations->destroy(world->transport);
        world->transport = NULL;
    }
    loop_stop(world->loop);
}

static void event(void *context, const json_t *value)
{
    struct world *world = context;
    assert_true(json_is_string(json_object_get(value, "type")));
    world->events++;
    if (world->events == world->cancel_after_events) {
        if (world->destroys)
            world->transport->operations->destroy(world->transport);
        else
            world->transport->operations->cancel(world->transport, world->call);
        if (world->destroys)
            world->transport = NULL;
        loop_stop(world->loop);
    }
}

static struct world *world_create(const struct fake_identity *identity,
                                  void (*function)(struct world *, struct fake_connection *,
                                                   const char *))
{
    struct world *world = memory_allocate(sizeof *world);
    setenv("no_proxy", "127.0.0.1", 1); // overrides the machine's setting
    world->loop = loop_create();
    world->serve = function;
    world->server = fake_server_create(world->loop, identity, serve, world);
    world->config.server = memory_allocate(64);
    snprintf(world->config.server, 64, "%s://127.0.0.1:%d", identity != NULL ? "https" : "http",
             world->server->port);
    world->options.user_agent = "karpenter/1.2.3";
    world->guard = timer_create_on(world->loop, guard_reached, world);
    strcpy(world->folder, "/tmp/adze-http-XXXXXX");
    assert_non_null(mkdtemp(world->folder));
    return world;
}

static void world_destroy(struct world *world)
{
    if (world->transport != NULL)
        world->transport->operations->destroy(world->transport);
    fake_server_destroy(world->server);
    timer_destroy(world->guard);
    loop_destroy(world->loop);
    json_decref(world->body);
    free(world->config.server);
    char path[128];
    static const char *const files[] = {"token", "plugin", "count"};
    for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
        snprintf(path, sizeof path, "%s/%s", world->folder, files[i]);
        unlink(path);
    }
    rmdir(world->folder);
    free(world);
}

static void start(struct world *world, enum kube_verb verb, const char *path, json_t *body)
{
    struct error error = {0};
    if (world->transport == NULL)
        world->transport =
            http_transport_create(world->loop, &world->config, &world->options, &error);
    if (world->transport == NULL)
        fail_msg("%s", error.message);
    struct kube_request request = {.verb = verb,
                                   .path = path,
                                   .query = "limit=5",
                                   .body = body,
                                   .patch_type = PATCH_STRATEGIC};
    struct kube_handlers handlers = {.done = done, .event = event, .context = world};
    world->call = world->transport->operations->start(world->transport, &request, &handlers);
}

static void ask(struct world *world, enum kube_verb verb, const char *path, json_t *body)
{
    unsigned before = world->done;
    start(world, verb, path, body);
    assert_int_equal(before, world->done); // never before returning
    timer_start(world->guard, GUARD_NS);
    loop_run(world->loop);
    timer_stop(world->guard);
}

// --- requests ------------------------------------------------------------------------------------
static void check_patch(struct world *world, struct fake_connection *connection,
                        const char *request)
{
    (void)world;
    assert_int_equal(strncmp(request, "PATCH /api/v1/nodes/n?limit=5 HTTP/1.1\r\n", 40), 0);
    assert_non_null(strstr(request, "User-Agent: karpenter/1.2.3\r\n"));
    assert_non_null(strstr(request, "Accept: application/json\r\n"));
    assert_non_null(strstr(request, "Content-Type: application/strategic-merge-patch+json\r\n"));
    assert_non_null(strstr(request, "Authorization: Bearer " TOKEN "\r\n"));
    assert_non_null(strstr(request, "Accept-Encoding: gzip\r\n"));
    assert_null(strstr(request, "Expect:"));
    assert_non_null(strstr(request, "\r\n\r\n{\"a\":1}"));
    fake_reply(connection, 200, "application/json; charset=utf-8", "", "{\"kind\":\"Node\"}");
}

static void a_request_carries_what_it_should_LIF_336(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, check_patch);
    world->config.token = (char *)TOKEN;
    json_t *body = json_pack("{s:i}", "a", 1);
    for (int i = 0; i < 3; i++)
        ask(world, KUBE_PATCH, "/api/v1/nodes/n", body);
    json_decref(body);
    assert_int_equal(world->error.kind, ERROR_NONE);
    assert_int_equal(world->status, 200);
    assert_string_equal(json_string_value(json_object_get(world->body, "kind")), "Node");
    assert_int_equal(world->server->connections, 1); // kept alive
    world_destroy(world);
}

static void check_basic(struct world *world, struct fake_connection *connection,
                        const char *request)
{
    (void)world;
    assert_non_null(strstr(request, "Authorization: Basic dTpw\r\n"));
    assert_int_equal(strncmp(request, "DELETE ", 7), 0);
    fake_reply(connection, 200, "application/json", "", "{}");
}

static void a_user_and_password_are_sent(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, check_basic);
    world->config.username = (char *)"u";
    world->config.password = (char *)"p";
    ask(world, KUBE_DELETE, "/api/v1/nodes/n", NULL);
    assert_int_equal(world->error.kind, ERROR_NONE);
    world_destroy(world);
}

static void reply_gzip(struct world *world, struct fake_connection *connection, const char *request)
{
    (void)world, (void)request;
    static const unsigned char packed[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x56,
        0xca, 0xce, 0xcc, 0x4b, 0x51, 0xb2, 0x52, 0xf2, 0xcb, 0x4f, 0x49, 0x55,
        0xaa, 0x05, 0x00, 0x0b, 0x8d, 0x58, 0x18, 0x0f, 0x00, 0x00, 0x00}; // {"kind":"Node"}
    fake_print(connection,
               "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
               "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n",
               sizeof packed);
    fake_write(connection, (const char *)packed, sizeof packed);
}

static void a_packed_answer_is_unpacked(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, reply_gzip);
    ask(world, KUBE_LIST, "/api/v1/nodes", NULL);
    assert_int_equal(world->error.kind, ERROR_NONE);
    assert_string_equal(json_string_value(json_object_get(world->body, "kind")), "Node");
    world_destroy(world);
}

static void check_proxied(struct world *world, struct fake_connection *connection,
                          const char *request)
{
    (void)world;
    assert_int_equal(strncmp(request, "GET http://api.test/prefix/api/v1/nodes?", 40), 0);
    fake_reply(connection, 200, "application/json", "", "{}");
}

static void a_proxy_is_asked_instead(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, check_proxied);
    char proxy[64], server[] = "http://api.test/prefix", *own = world->config.server;
    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", world->server->port);
    world->config.proxy_url = proxy;
    world->config.server = server;
    ask(world, KUBE_LIST, "/api/v1/nodes", NULL);
    assert_int_equal(world->error.kind, ERROR_NONE);
    world->config.server = own;
    world_destroy(world);
}

// --- refusals and bad answers --------------------------------------------------------------------
static void reply_table(struct world *world, struct fake_connection *connection,
                        const char *request)
{
    (void)world;
    if (strstr(request, "/forbidden") != NULL)
        fake_reply(connection, 403, "application/json", "",
                   "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Forbidden\","
                   "\"message\":\"nodes is forbidden: User \\\"x\\\" cannot list\"}");
    else if (strstr(request, "/throttled") != NULL)
        fake_reply(connection, 429, "text/plain", "Retry-After: 7\r\n", "Too many requests");
    else if (strstr(request, "/notthere") != NULL)
        fake_reply(connection, 404, "text/plain", "", "404 page not found\n");
    else if (strstr(request, "/html") != NULL)
        fake_reply(connection, 200, "text/html", "", "<html>log in</html>");
    else if (strstr(request, "/bad") != NULL)
        fake_reply(connection, 200, "application/json", "", "{\"items\":[");
    else if (strstr(request, "/readyz") != NULL)
        fake_reply(connection, 200, "text/plain; charset=utf-8", "", "ok");
    else if (strstr(request, "/moved") != NULL)
        fake_reply(connection, 302, "text/html", "Location: http://127.0.0.1:1/\r\n", "moved");
    else if (strstr(request, "/long") != NULL)
        fake_print(connection,
                   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                   "Content-Length: 100000000\r\n\r\n%4000s",
                   "{");
    else
        fake_close(connection);
}

static void refusals_and_bad_answers_are_told_apart(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, reply_table);
    world->options.response_bytes_max = 1000;
    ask(world, KUBE_LIST, "/forbidden", NULL);
    assert_int_equal(world->error.kind, ERROR_FORBIDDEN);
    assert_int_equal(world->status, 403);
    assert_string_equal(world->error.message, "nodes is forbidden: User \"x\" cannot list");
    assert_non_null(world->body);
    ask(world, KUBE_LIST, "/throttled", NULL);
    assert_int_equal(world->error.kind, ERROR_TOO_MANY_REQUESTS);
    assert_int_equal(world->retry_after_ns, 7 * SECOND);
    ask(world, KUBE_LIST, "/notthere", NULL);
    assert_int_equal(world->error.kind, ERROR_NOT_FOUND);
    ask(world, KUBE_LIST, "/html", NULL);
    assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    assert_non_null(strstr(world->error.message, "text/html"));
    ask(world, KUBE_WATCH, "/html", NULL);
    assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    ask(world, KUBE_LIST, "/bad", NULL);
    assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    ask(world, KUBE_GET, "/readyz", NULL);
    assert_int_equal(world->error.kind, ERROR_NONE);
    assert_string_equal(json_string_value(world->body), "ok");
    ask(world, KUBE_GET, "/moved", NULL); // never followed: the token would be sent along
    assert_int_equal(world->error.kind, ERROR_INTERNAL);
    ask(world, KUBE_GET, "/long", NULL);
    assert_int_equal(world->error.kind, ERROR_INTERNAL);
    assert_non_null(strstr(world->error.message, "longer than 1000 bytes"));
    ask(world, KUBE_GET, "/closed", NULL);
    assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    assert_int_equal(world->status, 0);
    world_destroy(world);
}

static void an_unreachable_server_is_one_clear_line(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, reply_table);
    strcpy(world->config.server, "http://127.0.0.1:1");
    ask(world, KUBE_LIST, "/api/v1/nodes", NULL);
    assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    assert_non_null(strstr(world->error.message, "GET http://127.0.0.1:1/api/v1/nodes: "));
    assert_non_null(strstr(world->error.message, "connect"));
    world_destroy(world);
}

static void silent(struct world *world, struct fake_connection *connection, const char *request)
{
    (void)world, (void)connection, (void)request;
}

static void a_silent_server_times_out(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, silent);
    world->options.request_timeout_ns = 50 * MILLISECOND;
    ask(world, KUBE_GET, "/api/v1/nodes/n", NULL);
    assert_int_equal(world->error.kind, ERROR_TIMEOUT);
    world_destroy(world);
}

// --- watches -------------------------------------------------------------------------------------
static const char watched[] =
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"\xc3\xa9\"}}}\n"
    "{\"type\":\"BOOKMARK\",\"object\":{}}\n";

static void stream_head(struct fake_connection *connection)
{
    fake_print(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n");
}

static void stream_in_two(struct world *world, struct fake_connection *connection,
                          const char *request)
{
    (void)request;
    size_t length = sizeof watched - 1, cut = world->cut;
    stream_head(connection);
    if (cut > 0)
        fake_print(connection, "%zx\r\n%.*s\r\n", cut, (int)cut, watched);
    if (cut < length)
        fake_print(connection, "%zx\r\n%s\r\n", length - cut, watched + cut);
    fake_print(connection, "0\r\n\r\n");
}

static void events_may_be_cut_anywhere(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, stream_in_two);
    for (world->cut = 0; world->cut < sizeof watched; world->cut++) {
        world->events = 0;
        ask(world, KUBE_WATCH, "/api/v1/pods", NULL);
        assert_int_equal(world->error.kind, ERROR_NONE);
        assert_int_equal(world->status, 200);
        assert_int_equal(world->events, 2);
    }
    world_destroy(world);
}

static void stream_bytes(struct world *world, struct fake_connection *connection,
                         const char *request)
{
    (void)request, (void)world;
    stream_head(connection);
    for (const char *at = watched; *at != '\0'; at++)
        fake_print(connection, "1\r\n%c\r\n", *at);
    fake_print(connection, "0\r\n\r\n");
}

static void events_may_come_byte_by_byte(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, stream_bytes);
    ask(world, KUBE_WATCH, "/api/v1/pods", NULL);
    assert_int_equal(world->events, 2);
    assert_int_equal(world->error.kind, ERROR_NONE);
    world_destroy(world);
}

static void stream_truncated(struct world *world, struct fake_connection *connection,
                             const char *request)
{
    (void)request;
    stream_head(connection);
    fake_print(connection, "%zx\r\n%s\r\n", sizeof watched - 1, watched);
    fake_print(connection, "5\r\n{\"typ\r\n");
    if (world->cut == 0)
        fake_close(connection); // in the middle of the stream
    else
        fake_print(connection, "0\r\n\r\n"); // in the middle of an event
}

static void a_truncated_watch_may_be_retried(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, stream_truncated);
    for (world->cut = 0; world->cut < 2; world->cut++) {
        world->events = 0;
        ask(world, KUBE_WATCH, "/api/v1/pods", NULL);
        assert_int_equal(world->events, 2);
        assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    }
    world_destroy(world);
}

static void stream_gone(struct world *world, struct fake_connection *connection,
                        const char *request)
{
    (void)request;
    if (world->cut == 1) {
        fake_reply(connection, 410, "application/json", "",
                   "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Expired\","
                   "\"message\":\"too old\",\"code\":410}");
        return;
    }
    const char line[] =
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":\"Failure\","
        "\"reason\":\"Expired\",\"message\":\"too old\",\"code\":410}}\n";
    stream_head(connection);
    fake_print(connection, "%zx\r\n%s\r\n", sizeof watched - 1, watched);
    fake_print(connection, "%zx\r\n%s\r\n", sizeof line - 1, line); // and the stream stays open
}

static void a_watch_too_old_is_gone(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, stream_gone);
    for (world->cut = 0; world->cut < 2; world->cut++) {
        ask(world, KUBE_WATCH, "/api/v1/pods", NULL);
        assert_int_equal(world->error.kind, ERROR_GONE);
        assert_string_equal(world->error.message, "too old");
    }
    assert_int_equal(world->events, 2); // the error is none
    world_destroy(world);
}

static void stream_bad(struct world *world, struct fake_connection *connection, const char *request)
{
    (void)request;
    stream_head(connection);
    if (world->cut == 0)
        fake_print(connection, "a\r\n{\"secret\"\n\r\n");
    else
        fake_print(connection, "7d0\r\n%2000s\r\n", "{");
}

static void bad_and_oversize_events_end_the_watch(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, stream_bad);
    world->options.line_bytes_max = 1000;
    for (world->cut = 0; world->cut < 2; world->cut++) {
        ask(world, KUBE_WATCH, "/api/v1/pods", NULL);
        assert_int_equal(world->error.kind, ERROR_INTERNAL);
        assert_null(strstr(world->error.message, "secret"));
    }
    assert_int_equal(world->events, 0);
    world_destroy(world);
}

static void a_watch_may_be_cancelled_by_its_own_event(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, stream_bytes);
    world->cancel_after_events = 1;
    ask(world, KUBE_WATCH, "/api/v1/pods", NULL);
    loop_run_for(world->loop, 20 * MILLISECOND);
    assert_int_equal(world->events, 1);
    assert_int_equal(world->done, 0);
    world_destroy(world);
}

static void handlers_may_destroy_the_transport(void **state)
{
    (void)state;
    for (unsigned after = 0; after < 3; after++) { // 0: at the end
        struct world *world = world_create(NULL, stream_bytes);
        world->destroys = true;
        world->cancel_after_events = after;
        start(world, KUBE_WATCH, "/api/v1/pods", NULL);
        start(world, KUBE_WATCH, "/api/v1/pods", NULL);
        ask(world, KUBE_WATCH, "/api/v1/pods", NULL);
        loop_run_for(world->loop, 5 * MILLISECOND);
        assert_null(world->transport);
        assert_int_equal(world->done, after == 0);
        world_destroy(world);
    }
}

static void calls_may_be_cancelled_at_any_time(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, stream_truncated);
    for (int i = 0; i < 30; i++) {
        start(world, i % 2 ? KUBE_WATCH : KUBE_GET, "/api/v1/pods", NULL);
        for (int turn = 0; turn < i / 2; turn++)
            loop_run_for(world->loop, 50 * MICROSECOND);
        if (world->done == 0)
            world->transport->operations->cancel(world->transport, world->call);
        world->done = 0;
    }
    start(world, KUBE_GET, "/api/v1/pods", NULL); // left to the destruction
    world_destroy(world);
}

static void reply_later(struct world *world, struct fake_connection *connection,
                        const char *request)
{
    if (strstr(request, "/first?") != NULL)
        return; // never
    if (strstr(request, "/version?") != NULL) {
        fake_reply(connection, 200, "application/json", "", "{}");
        return;
    }
    assert_in_range(world->held_count, 0, HELD_MAX - 1);
    world->held_nodes += strstr(request, "/nodes/") != NULL;
    world->held[world->held_count++] = connection;
}

// Runs until the loop is idle; an answer stops the loop.
static void run_briefly(struct world *world)
{
    for (unsigned before = UINT32_MAX; before != world->server->requests + world->done;) {
        before = world->server->requests + world->done;
        loop_run_for(world->loop, 100 * MILLISECOND);
    }
}

static void a_burst_of_calls_waits_its_turn(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, reply_later);
    struct kube_call *calls[200];
    ask(world, KUBE_GET, "/version", NULL); // libcurl knows now that the server speaks HTTP/1.1
    for (size_t i = 0; i < ARRAY_LENGTH(calls); i++) {
        start(world, KUBE_PATCH, i == 0 ? "/api/v1/pods/first" : "/api/v1/pods/p", NULL);
        calls[i] = world->call;
    }
    world->server->requests = world->done = 0;
    run_briefly(world);
    unsigned first = world->server->requests;
    assert_in_range(first, 16, 100); // the streams of one connection
    // A lease, a watch and the opening of a node never wait; a queued call may be cancelled, and a
    // running one frees its place.
    start(world, KUBE_UPDATE, "/apis/coordination.k8s.io/v1/namespaces/n/leases/l", NULL);
    start(world, KUBE_WATCH, "/api/v1/pods", NULL);
    start(world, KUBE_PATCH, "/api/v1/nodes/n", NULL);
    run_briefly(world);
    assert_int_equal(world->server->requests, first + 3);
    world->transport->operations->cancel(world->transport, calls[199]);
    world->transport->operations->cancel(world->transport, calls[0]);
    run_briefly(world);
    assert_int_equal(world->server->requests, first + 4);
    // Each answer starts the next call, until all are done.
    for (unsigned answered = 0; answered < world->held_count; answered++) {
        fake_reply(world->held[answered], 200, "application/json", "", "{}");
        if (answered + 1 == world->held_count)
            run_briefly(world);
    }
    assert_int_equal(world->server->requests, 200 - 1 + 3);
    assert_int_equal(world->done, 198 + 3);
    world_destroy(world);
}

static void a_wave_of_nodes_opens_on_one_connection(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, reply_later);
    ask(world, KUBE_GET, "/version", NULL); // libcurl knows now that the server speaks HTTP/1.1
    for (int i = 0; i < 80; i++)
        start(world, KUBE_PATCH, "/api/v1/pods/p", NULL);
    for (int i = 0; i < 120; i++)
        start(world, KUBE_PATCH, "/api/v1/nodes/n", NULL);
    world->server->requests = world->done = 0;
    run_briefly(world);
    unsigned first = world->server->requests;
    assert_int_equal(first, 96); // one connection of HTTP/2 has room for all of them
    assert_int_equal(world->held_nodes, 96 - 64);
    // The nodes that wait go before the pods.
    for (unsigned answered = 0; answered < world->held_count; answered++) {
        fake_reply(world->held[answered], 200, "application/json", "", "{}");
        if (answered + 1 < world->held_count)
            continue;
        run_briefly(world);
        assert_int_equal(world->held_nodes, 120);
    }
    assert_int_equal(world->done, 200);
    world_destroy(world);
}

// --- credentials ---------------------------------------------------------------------------------
static void write_file(const struct world *world, const char *name, const char *text, int mode)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", world->folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

static void want_new_token(struct world *world, struct fake_connection *connection,
                           const char *request)
{
    if (strstr(request, "Bearer new\r\n") != NULL) {
        fake_reply(connection, 200, "application/json", "", "{}");
        return;
    }
    if (world->cut == 1) // the file is rotated during the request
        write_file(world, "token", "new\n", 0600);
    fake_reply(connection, 401, "application/json", "",
               "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Unauthorized\","
               "\"message\":\"Unauthorized\"}");
}

static void a_refused_token_is_read_again(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, want_new_token);
    char path[128];
    snprintf(path, sizeof path, "%s/token", world->folder);
    world->config.token_file = path;
    ask(world, KUBE_GET, "/api/v1/nodes/n", NULL); // missing altogether
    assert_int_equal(world->error.kind, ERROR_UNAUTHORIZED);
    assert_non_null(strstr(world->error.message, path));
    assert_int_equal(world->server->requests, 0);
    write_file(world, "token", "old\n", 0600);
    ask(world, KUBE_GET, "/api/v1/nodes/n", NULL);
    assert_int_equal(world->error.kind, ERROR_UNAUTHORIZED);
    assert_int_equal(world->server->requests, 1); // the same token: a retry is useless
    world->cut = 1;
    ask(world, KUBE_GET, "/api/v1/nodes/n", NULL);
    assert_int_equal(world->error.kind, ERROR_NONE);
    assert_int_equal(world->server->requests, 3);
    world_destroy(world);
}

static void want_plugin_token(struct world *world, struct fake_connection *connection,
                              const char *request)
{
    (void)world;
    bool good = strstr(request, "Bearer t-1\r\n") != NULL;
    fake_reply(connection, good ? 200 : 401, "application/json", "", "{}");
}

static void use_plugin(struct world *world, char *path, size_t size, const char *script)
{
    write_file(world, "plugin", script, 0700);
    snprintf(path, size, "%s/plugin", world->folder);
    world->config.exec_command = path;
    world->config.exec_api_version = (char *)"client.authentication.k8s.io/v1";
}

#define COUNT "cd \"${0%/*}\"; echo x >>count; n=$(wc -l <count)\n"
#define GIVE(more)                                                                           \
    "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\"," \
    "\"status\":{\"token\":\"t-'$n'\"" more "}}'\n"

static unsigned plugin_runs(const struct world *world)
{
    char path[128], text[64] = "";
    snprintf(path, sizeof path, "%s/count", world->folder);
    int file = open(path, O_RDONLY);
    if (file < 0)
        return 0;
    ssize_t length = read(file, text, sizeof text);
    close(file);
    return (unsigned)length / 2;
}

static void a_plugin_gives_the_token_once(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, want_plugin_token);
    char path[128];
    use_plugin(world, path, sizeof path,
               "#!/bin/sh\ncase $KUBERNETES_EXEC_INFO in *'\"kind\":\"ExecCredential\"'*) ;; "
               "*) exit 9;; esac\n[ \"$1$EXTRA\" = argvalue ] || exit 8\n" COUNT GIVE(
                   ",\"expirationTimestamp\":\"2099-01-01T00:00:00Z\""));
    char *arguments[] = {(char *)"arg", NULL}, *environment[] = {(char *)"EXTRA=value", NULL};
    world->config.exec_arguments = arguments;
    world->config.exec_environment = environment;
    start(world, KUBE_GET, "/api/v1/nodes/a", NULL); // two at once: one run
    ask(world, KUBE_GET, "/api/v1/nodes/b", NULL);
    while (world->done < 2)
        loop_run(world->loop);
    assert_int_equal(world->error.kind, ERROR_NONE);
    ask(world, KUBE_GET, "/api/v1/nodes/c", NULL);
    assert_int_equal(world->error.kind, ERROR_NONE);
    assert_int_equal(plugin_runs(world), 1);
    world_destroy(world);
}

static void an_expired_credential_is_renewed_but_not_for_every_request(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, want_plugin_token);
    char path[128];
    use_plugin(world, path, sizeof path,
               "#!/bin/sh\n" COUNT GIVE(",\"expirationTimestamp\":\"2020-01-01T00:00:00Z\""));
    for (int i = 0; i < 5; i++) {
        ask(world, KUBE_GET, "/api/v1/nodes/a", NULL);
        assert_int_equal(world->error.kind, ERROR_NONE);
    }
    assert_int_equal(plugin_runs(world), 1); // expired from the start: not before some seconds
    loop_run_for(world->loop, 5100 * MILLISECOND);
    ask(world, KUBE_GET, "/api/v1/nodes/a", NULL);
    assert_int_equal(plugin_runs(world), 2);
    assert_int_equal(world->error.kind, ERROR_UNAUTHORIZED); // this server accepts the first only
    world_destroy(world);
}

static void a_failing_plugin_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *script, *message;
    } table[] = {
        {"#!/bin/sh\necho first >&2; echo 'no session: log in' >&2; echo " TOKEN "; exit 3\n",
         "failed with status 3: no session: log in"},
        {"#!/bin/sh\necho " TOKEN "\n", "no ExecCredential"},
        {"#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":\"x/v9\"}'\n", "x/v9"},
        {"#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":"
         "\"client.authentication.k8s.io/v1\",\"status\":{}}'\n",
         "neither token nor clientCertificateData"},
        {"#!/nowhere/sh\n", "cannot be run"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
        struct world *world = world_create(NULL, want_plugin_token);
        char path[128];
        use_plugin(world, path, sizeof path, table[i].script);
        ask(world, KUBE_GET, "/api/v1/nodes/a", NULL);
        assert_int_equal(world->error.kind, ERROR_UNAUTHORIZED);
        assert_non_null(strstr(world->error.message, table[i].message));
        assert_non_null(strstr(world->error.message, path));
        assert_int_equal(world->server->requests, 0);
        world_destroy(world);
    }
}

static void a_hanging_plugin_ends_with_the_transport(void **state)
{
    (void)state;
    struct world *world = world_create(NULL, want_plugin_token);
    char path[128];
    use_plugin(world, path, sizeof path, "#!/bin/sh\nsleep 1000\n");
    start(world, KUBE_GET, "/api/v1/nodes/a", NULL);
    loop_run_for(world->loop, 20 * MILLISECOND);
    world_destroy(world);
}

// --- TLS -----------------------------------------------------------------------------------------
static void reply_ok(struct world *world, struct fake_connection *connection, const char *request)
{
    char host[64];
    snprintf(host, sizeof host, "Host: 127.0.0.1:%d\r\n", world->server->port);
    assert_non_null(strstr(request, host));
    fake_reply(connection, 200, "application/json", "", "{}");
}

static void certificates_are_verified_and_shown(void **state)
{
    (void)state;
    struct fake_identity server = fake_identity_create("server", "IP:127.0.0.1");
    struct fake_identity user = fake_identity_create("karpenter-user", NULL);
    struct world *world = world_create(&server, reply_ok);
    world->config.ca_data = server.certificate;
    world->config.client_certificate = user.certificate;
    world->config.client_key = user.key;
    ask(world, KUBE_GET, "/api/v1/nodes/a", NULL);
    assert_int_equal(world->error.kind, ERROR_NONE);
    assert_string_equal(world->server->client_name, "karpenter-user");
    world_destroy(world);

    world = world_create(&server, reply_ok); // an authority that has not signed it
    world->config.ca_data = user.certificate;
    ask(world, KUBE_GET, "/api/v1/nodes/a", NULL);
    assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    assert_non_null(strstr(world->error.message, "certificate"));
    world_destroy(world);

    world = world_create(&server, reply_ok); // the system's authorities
    ask(world, KUBE_GET, "/api/v1/nodes/a", NULL);
    assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    world_destroy(world);

    world = world_create(&server, reply_ok);
    world->config.insecure_skip_tls_verify = true;
    ask(world, KUBE_GET, "/api/v1/nodes/a", NULL);
    assert_int_equal(world->error.kind, ERROR_NONE);
    world_destroy(world);
    fake_identity_clear(&server);
    fake_identity_clear(&user);
}

static void the_server_name_may_be_another(void **state)
{
    (void)state;
    struct fake_identity server = fake_identity_create("server", "DNS:apiserver.test");
    struct world *world = world_create(&server, reply_ok);
    world->config.ca_data = server.certificate;
    ask(world, KUBE_GET, "/api/v1/nodes/a", NULL);
    assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    world_destroy(world);
    world = world_create(&server, reply_ok);
    world->config.ca_data = server.certificate;
    world->config.tls_server_name = (char *)"apiserver.test";
    ask(world, KUBE_GET, "/api/v1/nodes/a", NULL);
    assert_int_equal(world->error.kind, ERROR_NONE);
    world_destroy(world);
    fake_identity_clear(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_carries_what_it_should_LIF_336),
        cmocka_unit_test(a_user_and_password_are_sent),
        cmocka_unit_test(a_packed_answer_is_unpacked),
        cmocka_unit_test(a_proxy_is_asked_instead),
        cmocka_unit_test(refusals_and_bad_answers_are_told_apart),
        cmocka_unit_test(an_unreachable_server_is_one_clear_line),
        cmocka_unit_test(a_silent_server_times_out),
        cmocka_unit_test(events_may_be_cut_anywhere),
        cmocka_unit_test(events_may_come_byte_by_byte),
        cmocka_unit_test(a_truncated_watch_may_be_retried),
        cmocka_unit_test(a_watch_too_old_is_gone),
        cmocka_unit_test(bad_and_oversize_events_end_the_watch),
        cmocka_unit_test(a_watch_may_be_cancelled_by_its_own_event),
        cmocka_unit_test(handlers_may_destroy_the_transport),
        cmocka_unit_test(calls_may_be_cancelled_at_any_time),
        cmocka_unit_test(a_burst_of_calls_waits_its_turn),
        cmocka_unit_test(a_wave_of_nodes_opens_on_one_connection),
        cmocka_unit_test(a_refused_token_is_read_again),
        cmocka_unit_test(a_plugin_gives_the_token_once),
        cmocka_unit_test(an_expired_credential_is_renewed_but_not_for_every_request),
        cmocka_unit_test(a_failing_plugin_is_named),
        cmocka_unit_test(a_hanging_plugin_ends_with_the_transport),
        cmocka_unit_test(certificates_are_verified_and_shown),
        cmocka_unit_test(the_server_name_may_be_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
