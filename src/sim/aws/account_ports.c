#include "sim/aws/account_ports.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "sim/aws/account_dispatch.h"
#include "sim/aws/account_wire.h"
#include "sim/aws/sqs_api.h"

#define TIMEOUT_DEFAULT (4 * MINUTE)

enum exchange_phase { EXCHANGE_SENT, EXCHANGE_WAITING, EXCHANGE_ANSWERED };

struct port {
    struct aws_http http;
    struct account_ports *ports;
    struct port *next;
};
struct aws_http_call {
    struct port *port;
    struct aws_http_call *next;
    enum exchange_phase phase;
    struct timer *timer;
    struct aws_http_request request; // copied into the arena
    struct arena *arena;
    aws_http_done done;
    void *context;
    struct account_call call;
    struct account_body body;
    bool lost;
    int64_t latency;
    char request_id[37], date[INSTANT_TEXT_MAX];
};
struct account_ports {
    struct aws_account *account;
    struct port *ports;
    struct aws_http_call *calls;
};

static struct aws_http_call *port_start(struct aws_http *http,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context);
static void port_cancel(struct aws_http *http, struct aws_http_call *exchange);
static void port_destroy(struct aws_http *http);
static void exchange_steps(void *context);

static const struct aws_http_operations operations = {port_start, port_cancel, port_destroy};

struct account_ports *account_ports_create(struct aws_account *account)
{
    struct account_ports *ports = memory_allocate(sizeof *ports);
    ports->account = account;
    return ports;
}

void account_ports_destroy(struct account_ports *ports)
{
    if (ports == NULL)
        return;
    while (ports->ports != NULL)
        port_destroy(&ports->ports->http);
    assert(ports->calls == NULL);
    free(ports);
}

struct aws_http *account_ports_open(struct aws_account *account)
{
    struct port *port = memory_allocate(sizeof *port);
    port->http.operations = &operations;
    port->ports = account->ports;
    port->next = account->ports->ports;
    account->ports->ports = port;
    return &port->http;
}

static void request_copy(struct aws_http_call *exchange, const struct aws_http_request *request)
{
    struct arena *arena = exchange->arena = arena_create(1024);
    struct aws_http_header *headers =
        arena_allocate_array(arena, request->headers_count + 1, sizeof *headers);
    for (uint32_t i = 0; i < request->headers_count; i++) {
        headers[i].name = arena_copy_string(arena, request->headers[i].name);
        headers[i].value = arena_copy_string(arena, request->headers[i].value);
    }
    exchange->request = *request;
    exchange->request.headers = headers;
    exchange->request.method = arena_copy_string(arena, request->method);
    exchange->request.url = arena_copy_string(arena, request->url);
    if (request->body != NULL)
        exchange->request.body = arena_copy_bytes(arena, request->body, request->body_bytes);
}

static struct aws_http_call *port_start(struct aws_http *http,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context)
{
    struct port *port = (struct port *)http;
    struct aws_account *account = port->ports->account;
    struct aws_http_call *exchange = memory_allocate(sizeof *exchange);
    assert(request->url != NULL);
    request_copy(exchange, request);
    exchange->port = port;
    exchange->done = done;
    exchange->context = context;
    exchange->call.account = account;
    exchange->call.exchange = exchange;
    exchange->latency = random_between(&account->latency, account->options.latency_min,
                                       account->options.latency_max) /
                        2;
    exchange->next = port->ports->calls;
    port->ports->calls = exchange;
    exchange->timer = timer_create_on(account->loop, exchange_steps, exchange);
    timer_start(exchange->timer, exchange->latency);
    return exchange;
}

static void call_clear(struct account_call *call)
{
    json_decref(call->params);
    json_decref(call->reply);
    json_decref(call->count);
    json_decref(call->fleet_reply);
    text_free(&call->raw);
    free(call->message);
    *call = (struct account_call){.account = call->account, .exchange = call->exchange};
}

static void exchange_destroy(struct aws_http_call *exchange)
{
    struct aws_http_call **link = &exchange->port->ports->calls;
    while (*link != exchange)
        link = &(*link)->next;
    *link = exchange->next;
    if (exchange->phase == EXCHANGE_WAITING)
        account_queue_forget(exchange->call.account, &exchange->call);
    timer_destroy(exchange->timer);
    call_clear(&exchange->call);
    text_free(&exchange->body.text);
    arena_destroy(exchange->arena);
    free(exchange);
}

static void port_cancel(struct aws_http *http, struct aws_http_call *exchange)
{
    assert(exchange->port == (struct port *)http);
    exchange_destroy(exchange);
}

static void port_destroy(struct aws_http *http)
{
    struct port *port = (struct port *)http;
    struct account_ports *ports = port->ports;
    for (struct aws_http_call *call = ports->calls, *next; call != NULL; call = next) {
        next = call->next;
        if (call->port == port)
            exchange_destroy(call);
    }
    struct port **link = &ports->ports;
    while (*link != port)
        link = &(*link)->next;
    *link = port->next;
    free(port);
}

// --- the steps of an exchange --------------------------------------------------------------------

// "Mon, 02 Jan 2006 15:04:05 GMT", by which clients correct their clock.
static void date_format(int64_t now, char *out, size_t size)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    char text[INSTANT_TEXT_MAX]; // 2026-01-01T00:00:00Z
    instant_format(now, text);
    int month = atoi(text + 5);
    assert(month >= 1 && month <= 12);
    int64_t weekday = (now / (24 * HOUR) + 4) % 7;
    snprintf(out, size, "%s, %.2s %s %.4s %.8s GMT", days[(weekday + 7) % 7], text + 8,
             months[month - 1], text, text + 11);
}

static void answer_prepare(struct aws_http_call *exchange)
{
    struct aws_account *account = exchange->call.account;
    random_uuid(&account->ids, exchange->request_id);
    date_format(ns_add(loop_now_ns(account->loop), account->clock_skew), exchange->date,
                sizeof exchange->date);
    account_wire_write(&exchange->call, exchange->request_id, &exchange->body);
    exchange->phase = EXCHANGE_ANSWERED;
    int64_t delay = exchange->latency;
    if (account->options.lost_share > 0)
        exchange->lost = random_chance(&account->random, account->options.lost_share);
    // Some losses show at once as a broken connection, others only by the time-out.
    if (exchange->lost && random_chance(&account->random, 0.5))
        delay = exchange->request.timeout_ns > 0 ? exchange->request.timeout_ns : TIMEOUT_DEFAULT;
    timer_start(exchange->timer, delay);
}

static void exchange_deliver(struct aws_http_call *exchange)
{
    const struct account_body *body = &exchange->body;
    struct aws_http_header headers[5] = {
        {"Content-Type", body->content_type},
        {"Date", exchange->date},
        {"x-amzn-RequestId", exchange->request_id},
    };
    struct aws_http_response response = {.status = exchange->call.status, .headers = headers};
    response.headers_count = 3;
    if (body->error_type[0] != '\0')
        headers[response.headers_count++] =
            (struct aws_http_header){"x-amzn-ErrorType", body->error_type};
    if (body->query_error[0] != '\0')
        headers[response.headers_count++] =
            (struct aws_http_header){"x-amzn-query-error", body->query_error};
    response.body = text_or_empty(body->text.data);
    response.body_bytes = body->text.length;
    if (exchange->lost) {
        response = (struct aws_http_response){.body = ""};
        error_set(&response.error, ERROR_UNAVAILABLE, "the connection broke");
    }
    // The exchange leaves the list first: the callback may destroy the port.
    struct aws_http_call **link = &exchange->port->ports->calls;
    while (*link != exchange)
        link = &(*link)->next;
    *link = exchange->next;
    exchange->done(exchange->context, &response);
    timer_destroy(exchange->timer);
    call_clear(&exchange->call);
    text_free(&exchange->body.text);
    arena_destroy(exchange->arena);
    free(exchange);
}

// The answer of a call that waited.
static void call_answer(struct account_call *call)
{
    assert(call->exchange->phase == EXCHANGE_WAITING);
    call->waits = false;
    answer_prepare(call->exchange);
}

static void exchange_steps(void *context)
{
    struct aws_http_call *exchange = context;
    if (exchange->phase == EXCHANGE_ANSWERED) {
        exchange_deliver(exchange);
        return;
    }
    assert(exchange->phase == EXCHANGE_SENT);
    exchange->call.answer = call_answer;
    if (account_wire_read(&exchange->call, &exchange->request))
        account_dispatch(&exchange->call, &exchange->request);
    if (exchange->call.waits)
        exchange->phase = EXCHANGE_WAITING;
    else
        answer_prepare(exchange);
}
