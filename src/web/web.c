#include "web/web.h"

#include <assert.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/util.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/vector.h"
#include "web/http_head.h"

#define BACKLOG    128
#define PLAIN_TEXT "text/plain; charset=utf-8"
// A client that takes longer to send its request may lose its place to a newer one.
#define GRACE_NS (250 * MILLISECOND)
// The server reads and discards the client's bytes for this long after the last answer; a close
// with unread bytes could destroy the answer.
#define LINGER_NS SECOND

struct route {
    char *path;
    size_t length;
    bool below; // also everything below it
    web_function function;
    void *context;
};

enum connection_state {
    CONNECTION_READING, // the head of a request
    CONNECTION_WRITING, // its answer
    CONNECTION_CLOSING, // finished; further bytes are discarded
};
struct connection {
    TAILQ_ENTRY(connection) link;
    struct web_server *server;
    struct bufferevent *stream;
    struct timer *deadline; // of the state; incoming bytes do not extend it
    enum connection_state state;
    int64_t since_ns; // accepted, or answered last
    struct http_head head;
};

struct web_server {
    struct loop *loop;
    struct web_limits limits;
    int socket;
    struct event *acceptable;
    int port;
    VECTOR(struct route) routes;
    TAILQ_HEAD(connections, connection) connections; // by since_ns
    unsigned connection_count;
    struct timer *resume; // ends a pause in accepting
};

static int open_socket(const char *address, int port, struct error *error);
static int try_listen(const struct addrinfo *where);
static int port_of(int socket);
static void accept_connections(evutil_socket_t socket, short events, void *context);
static bool make_room(struct web_server *server);
static struct connection *oldest_connection(const struct web_server *server);
static void resume(void *context);
static void open_connection(struct web_server *server, int socket);
static void close_connection(struct connection *connection);
static void deadline_reached(void *context);
static void readable(struct bufferevent *stream, void *context);
static void written(struct bufferevent *stream, void *context);
static void happened(struct bufferevent *stream, short events, void *context);
static void read_head(struct connection *connection);
static void serve(struct connection *connection);
static void find_and_answer(struct connection *connection, const struct evhttp_uri *uri);
static const struct route *find_route(const struct web_server *server, const char *path);
static void answer(struct connection *connection, const struct route *route,
                   const struct evhttp_uri *uri, const char *path);
static void refuse(struct connection *connection, int status, const char *text);
static void send_answer(struct connection *connection, const struct web_response *response);

struct web_server *web_server_create(struct loop *loop, const char *address, int port,
                                     const struct web_limits *limits, struct error *error)
{
    assert(limits->connections_max > 0);
    assert(limits->request_ns > 0);
    assert(limits->next_request_ns > 0);
    assert(limits->answer_ns > 0);
    struct event_base *base = loop_event_base(loop);
    if (base == NULL) {
        error_set(error, ERROR_INTERNAL, "serving HTTP needs a real loop, not virtual time");
        return NULL;
    }
    int socket = open_socket(address, port, error);
    if (socket < 0)
        return NULL;
    signal(SIGPIPE, SIG_IGN); // a closed peer fails the write instead of killing the process
    struct web_server *server = memory_allocate(sizeof *server);
    server->loop = loop;
    server->limits = *limits;
    server->socket = socket;
    server->port = port_of(socket);
    TAILQ_INIT(&server->connections);
    server->resume = timer_create_on(loop, resume, server);
    server->acceptable = event_new(base, socket, EV_READ | EV_PERSIST, accept_connections, server);
    assert(server->acceptable != NULL);
    event_add(server->acceptable, NULL);
    return server;
}

void web_server_destroy(struct web_server *server)
{
    if (server == NULL)
        return;
    while (!TAILQ_EMPTY(&server->connections))
        close_connection(TAILQ_FIRST(&server->connections));
    event_free(server->acceptable);
    close(server->socket);
    timer_destroy(server->resume);
    vector_for_each (route, &server->routes)
        free(route->path);
    vector_free(&server->routes);
    free(server);
}

int web_server_port(const struct web_server *server)
{
    return server->port;
}

unsigned web_server_connections(const struct web_server *server)
{
    return server->connection_count;
}

void web_server_route(struct web_server *server, const char *path, web_function function,
                      void *context)
{
    assert(function != NULL);
    assert(path[0] == '/');
    size_t length = strlen(path);
    struct route route = {.path = memory_copy_string(path),
                          .length = length,
                          .below = length > 1 && path[length - 1] == '/',
                          .function = function,
                          .context = context};
    vector_push(&server->routes, route);
}

// --- listening -----------------------------------------------------------------------------------
static int open_socket(const char *address, int port, struct error *error)
{
    char service[16];
    snprintf(service, sizeof service, "%d", port);
    bool everywhere = address == NULL || address[0] == '\0';
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(everywhere ? NULL : address, service, &hints, &found);
    if (code != 0) {
        error_set(error, ERROR_INVALID, "cannot listen on %s:%d: %s", everywhere ? "" : address,
                  port, gai_strerror(code));
        return -1;
    }
    int result = -1, why = 0;
    static const int families[] = {AF_INET6, AF_INET}; // the first takes IPv4 too
    for (size_t i = 0; i < ARRAY_LENGTH(families) && result < 0; i++)
        for (const struct addrinfo *at = found; at != NULL && result < 0; at = at->ai_next)
            if (at->ai_family == families[i] && (result = try_listen(at)) < 0)
                why = errno;
    freeaddrinfo(found);
    if (result < 0)
        error_set(error, ERROR_UNAVAILABLE, "cannot listen on %s:%d: %s", everywhere ? "" : address,
                  port, strerror(why));
    return result;
}

static int try_listen(const struct addrinfo *where)
{
    int descriptor = socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return -1;
    int on = 1, off = 0;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (where->ai_family == AF_INET6)
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(descriptor, where->ai_addr, where->ai_addrlen) == 0 &&
        listen(descriptor, BACKLOG) == 0)
        return descriptor;
    int why = errno;
    close(descriptor);
    errno = why;
    return -1;
}

static int port_of(int socket)
{
    struct sockaddr_storage name = {0};
    socklen_t length = sizeof name;
    getsockname(socket, (struct sockaddr *)&name, &length);
    return ntohs(name.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&name)->sin6_port
                                            : ((struct sockaddr_in *)&name)->sin_port);
}

// --- connections ---------------------------------------------------------------------------------
static void accept_connections(evutil_socket_t socket, short events, void *context)
{
    struct web_server *server = context;
    (void)events;
    while (make_room(server)) {
        int accepted = accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (accepted >= 0) {
            open_connection(server, accepted);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            if (server->connection_count > 0) // the process is out of descriptors
                close_connection(oldest_connection(server));
            event_del(server->acceptable);
            timer_start(server->resume, GRACE_NS);
            return;
        } else if (errno != ECONNABORTED && errno != EINTR) {
            return; // no more for now
        }
    }
}

// A full server gives the place of the connection that has waited longest without a request to the
// next client, so that silent clients block no others. Further clients wait in the kernel.
static bool make_room(struct web_server *server)
{
    if (server->connection_count < server->limits.connections_max)
        return true;
    assert(server->connection_count == server->limits.connections_max);
    struct connection *oldest = oldest_connection(server);
    int64_t age_ns = ns_subtract(loop_monotonic_ns(server->loop), oldest->since_ns);
    if (age_ns >= GRACE_NS) {
        close_connection(oldest);
        return true;
    }
    event_del(server->acceptable);
    timer_start(server->resume, ns_subtract(GRACE_NS, age_ns));
    return false;
}

// Connections still writing an answer come last.
static struct connection *oldest_connection(const struct web_server *server)
{
    assert(server->connection_count > 0);
    struct connection *connection;
    TAILQ_FOREACH(connection, &server->connections, link)
    if (connection->state != CONNECTION_WRITING)
        return connection;
    return TAILQ_FIRST(&server->connections);
}

static void resume(void *context)
{
    struct web_server *server = context;
    event_add(server->acceptable, NULL);
}

static void open_connection(struct web_server *server, int socket)
{
    assert(server->connection_count < server->limits.connections_max);
    struct bufferevent *stream =
        bufferevent_socket_new(loop_event_base(server->loop), socket, BEV_OPT_CLOSE_ON_FREE);
    assert(stream != NULL);
    struct connection *connection = memory_allocate(sizeof *connection);
    connection->server = server;
    connection->stream = stream;
    connection->since_ns = loop_monotonic_ns(server->loop);
    connection->deadline = timer_create_on(server->loop, deadline_reached, connection);
    timer_start(connection->deadline, server->limits.request_ns);
    TAILQ_INSERT_TAIL(&server->connections, connection, link);
    server->connection_count++;
    bufferevent_setcb(stream, readable, written, happened, connection);
    bufferevent_setwatermark(stream, EV_READ, 0, HTTP_HEAD_BYTES_MAX); // limits reading ahead
    bufferevent_enable(stream, EV_READ | EV_WRITE);
}

static void close_connection(struct connection *connection)
{
    assert(connection->server->connection_count > 0);
    TAILQ_REMOVE(&connection->server->connections, connection, link);
    connection->server->connection_count--;
    bufferevent_free(connection->stream);
    timer_destroy(connection->deadline);
    http_head_clear(&connection->head);
    free(connection);
}

static void deadline_reached(void *context)
{
    close_connection(context);
}

static void readable(struct bufferevent *stream, void *context)
{
    struct connection *connection = context;
    if (connection->state == CONNECTION_READING)
        read_head(connection);
    else if (connection->state == CONNECTION_CLOSING)
        evbuffer_drain(bufferevent_get_input(stream), SIZE_MAX);
}

static void written(struct bufferevent *stream, void *context)
{
    struct connection *connection = context;
    if (connection->state != CONNECTION_WRITING)
        return;
    struct web_server *server = connection->server;
    connection->since_ns = loop_monotonic_ns(server->loop);
    TAILQ_REMOVE(&server->connections, connection, link);
    TAILQ_INSERT_TAIL(&server->connections, connection, link);
    if (connection->head.is_last) {
        connection->state = CONNECTION_CLOSING;
        shutdown(bufferevent_getfd(stream), SHUT_WR);
        timer_start(connection->deadline, LINGER_NS);
        evbuffer_drain(bufferevent_get_input(stream), SIZE_MAX);
        return;
    }
    http_head_clear(&connection->head);
    connection->state = CONNECTION_READING;
    timer_start(connection->deadline, server->limits.next_request_ns);
    read_head(connection); // the next request may have arrived already
}

static void happened(struct bufferevent *stream, short events, void *context)
{
    (void)stream;
    struct connection *connection = context;
    // A client that has closed its half still reads the answer to its request.
    if ((events & BEV_EVENT_EOF) != 0 && connection->state == CONNECTION_WRITING)
        connection->head.is_last = true;
    else
        close_connection(connection);
}

// --- requests ------------------------------------------------------------------------------------
static void read_head(struct connection *connection)
{
    assert(connection->state == CONNECTION_READING);
    struct evbuffer *input = bufferevent_get_input(connection->stream);
    int status = HTTP_HEAD_MORE;
    while (status == HTTP_HEAD_MORE) {
        size_t length = 0;
        CLEANUP_FREE char *line = evbuffer_readln(input, &length, EVBUFFER_EOL_CRLF);
        if (line != NULL)
            status = http_head_add_line(&connection->head, line, length);
        else if (evbuffer_get_length(input) + connection->head.bytes >= HTTP_HEAD_BYTES_MAX)
            status = 431;
        else
            return;
    }
    connection->state = CONNECTION_WRITING;
    timer_start(connection->deadline, connection->server->limits.answer_ns);
    if (status == HTTP_HEAD_COMPLETE) {
        serve(connection);
    } else {
        connection->head.is_last = true;
        refuse(connection, status, NULL);
    }
}

static void serve(struct connection *connection)
{
    assert(connection->state == CONNECTION_WRITING);
    struct http_head *head = &connection->head;
    assert(head->method != NULL);
    assert(head->target != NULL);
    if (head->has_body) // the body is not read, so no request can follow
        head->is_last = true;
    if (strcmp(head->method, "GET") != 0 && strcmp(head->method, "HEAD") != 0) {
        refuse(connection, HTTP_BADMETHOD, "405 method not allowed\n");
    } else if (head->has_body) {
        refuse(connection, HTTP_ENTITYTOOLARGE, NULL);
    } else {
        struct evhttp_uri *uri = evhttp_uri_parse(head->target);
        find_and_answer(connection, uri);
        if (uri != NULL)
            evhttp_uri_free(uri);
    }
}

static void find_and_answer(struct connection *connection, const struct evhttp_uri *uri)
{
    const char *encoded = uri != NULL ? evhttp_uri_get_path(uri) : NULL;
    size_t length = 0;
    CLEANUP_FREE char *path =
        encoded != NULL ? evhttp_uridecode(encoded, 0, &length) : NULL; // malloc'd by libevent
    if (path == NULL || path[0] != '/' || strlen(path) != length) {
        refuse(connection, HTTP_BADREQUEST, NULL);
        return;
    }
    const struct route *route = find_route(connection->server, path);
    if (route == NULL)
        refuse(connection, HTTP_NOTFOUND, "404 page not found\n");
    else
        answer(connection, route, uri, path);
}

static const struct route *find_route(const struct web_server *server, const char *path)
{
    const struct route *best = NULL;
    for (uint32_t i = 0; i < server->routes.count; i++) {
        const struct route *route = &server->routes.items[i];
        bool fits = route->below ? strncmp(path, route->path, route->length) == 0
                                 : strcmp(path, route->path) == 0;
        if (fits && (best == NULL || route->length > best->length))
            best = route;
    }
    return best;
}

static void answer(struct connection *connection, const struct route *route,
                   const struct evhttp_uri *uri, const char *path)
{
    struct web_request request = {.path = path, .head = &connection->head};
    if (!web_request_read_query(&request, evhttp_uri_get_query(uri))) {
        refuse(connection, HTTP_BADREQUEST, NULL);
        return;
    }
    struct web_response response = {.status = HTTP_OK, .content_type = PLAIN_TEXT};
    route->function(route->context, &request, &response);
    web_request_clear(&request);
    send_answer(connection, &response);
    text_free(&response.body);
}

// `text` NULL: status and phrase.
static void refuse(struct connection *connection, int status, const char *text)
{
    struct web_response response = {.status = status, .content_type = PLAIN_TEXT};
    if (text != NULL)
        text_add(&response.body, text);
    else
        text_format(&response.body, "%d %s\n", status, web_status_phrase(status));
    send_answer(connection, &response);
    text_free(&response.body);
}

static void send_answer(struct connection *connection, const struct web_response *response)
{
    assert(connection->state == CONNECTION_WRITING);
    web_response_write(response, &connection->head, loop_now_ns(connection->server->loop),
                       bufferevent_get_output(connection->stream));
}
