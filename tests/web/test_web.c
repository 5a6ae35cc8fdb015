// The HTTP server and the probes, spoken to over plain sockets of the same loop.
#include "support/cmocka_all.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/loop_real.h"
#include "base/memory.h"
#include "web/health.h"
#include "web/web.h"

#define CONNECTIONS_MAX 64
static const struct web_limits limits = {.connections_max = CONNECTIONS_MAX,
                                         .request_ns = SECOND,
                                         .next_request_ns = SECOND,
                                         .answer_ns = SECOND};

struct world {
    struct loop *loop;
    struct web_server *server;
    struct health *health;
    struct timer *guard;
    struct text answer;
    bool closed;
    bool crd_known;
};

static void guard_reached(void *context)
{
    (void)context;
    fail_msg("nothing happened for too long");
}

static void show(void *context, const struct web_request *request, struct web_response *response)
{
    (void)context;
    const char *name = web_request_query(request, "name", 1);
    const char *agent = web_request_header(request, "User-Agent");
    text_format(&response->body, "%s|%s|%s", web_request_path(request),
                name != NULL ? name : "none", agent != NULL ? agent : "none");
    response->content_type = "text/html; charset=utf-8";
}

static bool crd_is_known(void *context, struct error *error)
{
    struct world *world = context;
    if (world->crd_known)
        return true;
    return error_set(error, ERROR_NOT_FOUND, "NodePool karpenter.sh/v1 is not known");
}

static struct world *world_create(void)
{
    struct world *world = memory_allocate(sizeof *world);
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    world->loop = loop_create();
    struct error error = {0};
    world->server = web_server_create(world->loop, "127.0.0.1", 0, &limits, &error);
    if (world->server == NULL)
        fail_msg("%s", error.message);
    web_server_route(world->server, "/", show, NULL);
    web_server_route(world->server, "/pages/", show, NULL);
    world->health = health_create();
    health_add(world->health, HEALTH_LIVE, "healthz", NULL, NULL);
    health_add(world->health, HEALTH_READY, "readyz", NULL, NULL);
    health_add(world->health, HEALTH_READY, "manager", NULL, NULL);
    health_add(world->health, HEALTH_READY, "crd", crd_is_known, world);
    health_serve(world->health, world->server);
    world->guard = timer_create_on(world->loop, guard_reached, world);
    return world;
}

static void world_destroy(struct world *world)
{
    web_server_destroy(world->server);
    health_destroy(world->health);
    timer_destroy(world->guard);
    loop_destroy(world->loop);
    text_free(&world->answer);
    free(world);
}

static void readable(struct bufferevent *stream, void *context)
{
    struct world *world = context;
    char piece[4096];
    size_t length;
    while ((length = bufferevent_read(stream, piece, sizeof piece)) > 0)
        text_add_bytes(&world->answer, piece, length);
}

static void happened(struct bufferevent *stream, short events, void *context)
{
    (void)stream;
    struct world *world = context;
    if (events & BEV_EVENT_CONNECTED)
        return;
    world->closed = true;
    loop_stop(world->loop);
}

static struct bufferevent *open_stream(struct world *world)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)web_server_port(world->server))};
    struct bufferevent *stream =
        bufferevent_socket_new(loop_event_base(world->loop), -1, BEV_OPT_CLOSE_ON_FREE);
    bufferevent_setcb(stream, readable, NULL, happened, world);
    bufferevent_enable(stream, EV_READ | EV_WRITE);
    bufferevent_socket_connect(stream, (struct sockaddr *)&address, sizeof address);
    return stream;
}

// Sends the bytes and gathers the answer until the server closes.
static const char *tell(struct world *world, const char *bytes, size_t length)
{
    text_clear(&world->answer);
    world->closed = false;
    struct bufferevent *stream = open_stream(world);
    bufferevent_write(stream, bytes, length);
    timer_start(world->guard, 30 * SECOND);
    while (!world->closed)
        loop_run(world->loop);
    timer_stop(world->guard);
    bufferevent_free(stream);
    return world->answer.data != NULL ? world->answer.data : "";
}

static const char *ask(struct world *world, const char *method, const char *target)
{
    struct text request = {0};
    text_format(&request, "%s %s HTTP/1.1\r\nHost: x\r\nUser-Agent: t\r\nConnection: close\r\n\r\n",
                method, target);
    const char *answer = tell(world, request.data, request.length);
    text_free(&request);
    return answer;
}

static const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    return end != NULL ? end + 4 : "";
}

static void assert_status(const char *answer, const char *status)
{
    if (strncmp(answer, "HTTP/1.1 ", 9) != 0 || strncmp(answer + 9, status, 3) != 0)
        fail_msg("expected %s: %s", status, answer);
}

static void routes_find_their_handlers(void **state)
{
    (void)state;
    struct world *world = world_create();
    const char *answer = ask(world, "GET", "/?name=a&name=b%20c");
    assert_status(answer, "200");
    assert_non_null(strstr(answer, "Content-Type: text/html; charset=utf-8\r\n"));
    assert_non_null(strstr(answer, "X-Content-Type-Options: nosniff\r\n"));
    assert_string_equal(body_of(answer), "/|b c|t");
    assert_string_equal(body_of(ask(world, "GET", "/pages/a%2Fb/../c")), "/pages/a/b/../c|none|t");
    assert_status(ask(world, "GET", "/pages"), "404");
    assert_status(ask(world, "GET", "/elsewhere"), "404");
    assert_status(ask(world, "GET", "/%00"), "400");
    world_destroy(world);
}

static void only_reading_is_served(void **state)
{
    (void)state;
    struct world *world = world_create();
    const char *answer = ask(world, "HEAD", "/");
    assert_status(answer, "200");
    assert_string_equal(body_of(answer), "");
    assert_non_null(strstr(answer, "Content-Length: 8\r\n"));
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"};
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++) {
        answer = ask(world, methods[i], "/");
        assert_status(answer, "405");
        assert_non_null(strstr(answer, "Allow: GET, HEAD\r\n"));
    }
    world_destroy(world);
}

static void requests_are_bounded(void **state)
{
    (void)state;
    struct world *world = world_create();
    struct text request = {0};
    text_add(&request, "GET / HTTP/1.1\r\nConnection: close\r\nX: ");
    for (int i = 0; i < 40000; i++)
        text_add_char(&request, 'x');
    text_add(&request, "\r\n\r\n");
    assert_null(strstr(tell(world, request.data, request.length), " 200 "));
    text_free(&request);
    static const char body[] =
        "GET / HTTP/1.1\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";
    assert_null(strstr(tell(world, body, sizeof body - 1), " 200 "));
    static const char bad[] = "\x16\x03\x01\r\n\r\n";
    assert_null(strstr(tell(world, bad, sizeof bad - 1), " 200 "));
    assert_status(ask(world, "GET", "/"), "200"); // still healthy
    world_destroy(world);
}

static void further_requests_come_over_the_same_connection(void **state)
{
    (void)state;
    struct world *world = world_create();
    static const char three[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n\r\nHEAD /pages/ HTTP/1.1\n\n"
                                "GET /nowhere HTTP/1.0\r\n\r\nGET /not-read HTTP/1.1\r\n\r\n";
    const char *answer = tell(world, three, sizeof three - 1);
    assert_status(answer, "200");
    const char *second = strstr(answer, "/|none|noneHTTP/1.1 200 OK\r\n");
    assert_non_null(second);
    assert_non_null(strstr(second, "\r\n\r\nHTTP/1.1 404 Not Found\r\n"));
    assert_non_null(strstr(second, "Connection: close\r\n"));
    assert_null(strstr(second, "not-read"));
    world_destroy(world);
}

static void heads_are_refused_for_what_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *head, *status;
    } cases[] = {
        {"GET / HTTP/2.0\r\n", "505"},
        {"GET /\r\n", "400"},
        {"GET  HTTP/1.1\r\n", "400"},
        {"G\"T / HTTP/1.1\r\n", "400"},
        {"GET / HTTP/1.1\r\nno colon\r\n", "400"},
        {"GET / HTTP/1.1\r\nA: b\r\n c\r\n", "400"},
        {"GET / HTTP/1.1\r\nA: \x01\r\n", "400"},
        {"GET / FTP/1.1\r\n", "400"},
        {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "405"},
        {"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "413"},
    };
    struct world *world = world_create();
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_status(tell(world, cases[i].head, strlen(cases[i].head)), cases[i].status);
    world_destroy(world);
}

// --- clients that send little, late or nothing ---------------------------------------------------
enum { MANY = 300 };
struct crowd {
    struct world *world;
    struct bufferevent *streams[MANY];
    struct timer *beat;
};

static void send_one_byte_each(void *context)
{
    struct crowd *crowd = context;
    for (int i = 0; i < MANY; i++)
        bufferevent_write(crowd->streams[i], "x", 1);
    timer_start(crowd->beat, 50 * MILLISECOND);
}

static void ignore(struct bufferevent *stream, short events, void *context)
{
    (void)stream;
    (void)events;
    (void)context;
}

static struct crowd *crowd_create(struct world *world, const char *first)
{
    struct crowd *crowd = memory_allocate(sizeof *crowd);
    crowd->world = world;
    for (int i = 0; i < MANY; i++) {
        crowd->streams[i] = open_stream(world);
        bufferevent_setcb(crowd->streams[i], NULL, NULL, ignore, NULL);
        bufferevent_write(crowd->streams[i], first, strlen(first));
    }
    crowd->beat = timer_create_on(world->loop, send_one_byte_each, crowd);
    return crowd;
}

static void crowd_destroy(struct crowd *crowd)
{
    timer_destroy(crowd->beat);
    for (int i = 0; i < MANY; i++)
        bufferevent_free(crowd->streams[i]);
    free(crowd);
}

static void assert_probes_are_answered(struct world *world, int times)
{
    for (int i = 0; i < times; i++) {
        int64_t begun_ns = loop_monotonic_ns(world->loop);
        assert_status(ask(world, "GET", "/healthz"), "200");
        // A kubelet waits for a second; sanitizers and busy machines get more.
        assert_true(loop_monotonic_ns(world->loop) - begun_ns < 3 * SECOND);
        assert_true(web_server_connections(world->server) <= CONNECTIONS_MAX);
    }
}

static void run_until_empty(struct world *world)
{
    for (int i = 0; i < 300 && web_server_connections(world->server) > 0; i++)
        loop_run_for(world->loop, 50 * MILLISECOND);
    assert_int_equal(web_server_connections(world->server), 0);
}

static void slow_clients_do_not_starve_probes_LIF_333(void **state)
{
    (void)state;
    struct world *world = world_create();
    struct crowd *crowd = crowd_create(world, "GET /healthz HTTP/1.1\r\nX: ");
    send_one_byte_each(crowd);
    loop_run_for(world->loop, 200 * MILLISECOND);
    assert_true(web_server_connections(world->server) >= CONNECTIONS_MAX / 2);
    assert_probes_are_answered(world, 20);
    run_until_empty(world); // although bytes keep arriving
    crowd_destroy(crowd);
    world_destroy(world);
}

static void silent_clients_do_not_starve_probes_LIF_333(void **state)
{
    (void)state;
    struct world *world = world_create();
    struct crowd *crowd = crowd_create(world, "");
    loop_run_for(world->loop, 200 * MILLISECOND);
    assert_probes_are_answered(world, 20);
    crowd_destroy(crowd);
    world_destroy(world); // unaccepted connections are no leak
}

static void idle_clients_do_not_starve_probes_LIF_333(void **state)
{
    (void)state;
    struct world *world = world_create();
    struct crowd *crowd = crowd_create(world, "GET /healthz HTTP/1.1\r\n\r\n");
    loop_run_for(world->loop, 200 * MILLISECOND);
    assert_probes_are_answered(world, 20);
    run_until_empty(world);
    crowd_destroy(crowd);
    world_destroy(world);
}

static void show_much(void *context, const struct web_request *request,
                      struct web_response *response)
{
    (void)context;
    (void)request;
    for (int i = 0; i < 1000000; i++)
        text_add(&response->body, "0123456789abcdef");
}

static void clients_that_do_not_read_are_cut(void **state)
{
    (void)state;
    struct world *world = world_create();
    web_server_route(world->server, "/much", show_much, NULL);
    struct bufferevent *stream = open_stream(world);
    bufferevent_disable(stream, EV_READ);
    bufferevent_setcb(stream, NULL, NULL, ignore, NULL);
    static const char request[] = "GET /much HTTP/1.1\r\n\r\n";
    bufferevent_write(stream, request, sizeof request - 1);
    loop_run_for(world->loop, 300 * MILLISECOND);
    assert_int_equal(web_server_connections(world->server), 1);
    run_until_empty(world);
    bufferevent_free(stream);
    world_destroy(world);
}

static void probes_answer_as_kubelets_expect_LIF_333(void **state)
{
    (void)state;
    struct world *world = world_create();
    const char *answer = ask(world, "GET", "/healthz");
    assert_status(answer, "200");
    assert_string_equal(body_of(answer), "ok");
    assert_status(ask(world, "GET", "/healthz/healthz"), "200");
    answer = ask(world, "GET", "/readyz"); // the CRDs are missing
    assert_status(answer, "500");
    assert_string_equal(body_of(answer), "[-]crd failed: reason withheld\n[+]manager ok\n"
                                         "[+]readyz ok\nhealthz check failed\n");
    answer = ask(world, "GET", "/readyz/crd");
    assert_status(answer, "500");
    assert_string_equal(body_of(answer),
                        "internal server error: NodePool karpenter.sh/v1 is not known\n");
    assert_status(ask(world, "GET", "/readyz/manager"), "200");
    assert_status(ask(world, "GET", "/readyz/nothing"), "404");
    answer = ask(world, "GET", "/readyz?exclude=crd");
    assert_status(answer, "200");
    assert_string_equal(body_of(answer), "ok");
    answer = ask(world, "GET", "/readyz?verbose&exclude=crd&exclude=typo");
    assert_status(answer, "200");
    assert_string_equal(body_of(answer),
                        "[+]crd excluded: ok\n[+]manager ok\n[+]readyz ok\n"
                        "warn: some health checks cannot be excluded: no matches for \"typo\"\n"
                        "healthz check passed\n");
    world->crd_known = true;
    assert_string_equal(body_of(ask(world, "GET", "/readyz")), "ok");
    assert_status(ask(world, "GET", "/readyz/crd"), "200");
    assert_string_equal(body_of(ask(world, "GET", "/healthz?verbose")),
                        "[+]healthz ok\nhealthz check passed\n");
    world_destroy(world);
}

static void a_port_in_use_is_an_error(void **state)
{
    (void)state;
    struct world *world = world_create();
    struct error error = {0};
    assert_null(web_server_create(world->loop, "127.0.0.1", web_server_port(world->server), &limits,
                                  &error));
    assert_non_null(strstr(error.message, "cannot listen on 127.0.0.1:"));
    struct web_server *everywhere = web_server_create(world->loop, NULL, 0, &limits, &error);
    assert_non_null(everywhere);
    assert_int_not_equal(web_server_port(everywhere), 0);
    web_server_destroy(everywhere);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_find_their_handlers),
        cmocka_unit_test(only_reading_is_served),
        cmocka_unit_test(requests_are_bounded),
        cmocka_unit_test(further_requests_come_over_the_same_connection),
        cmocka_unit_test(heads_are_refused_for_what_they_are),
        cmocka_unit_test(slow_clients_do_not_starve_probes_LIF_333),
        cmocka_unit_test(silent_clients_do_not_starve_probes_LIF_333),
        cmocka_unit_test(idle_clients_do_not_starve_probes_LIF_333),
        cmocka_unit_test(clients_that_do_not_read_are_cut),
        cmocka_unit_test(probes_answer_as_kubelets_expect_LIF_333),
        cmocka_unit_test(a_port_in_use_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
