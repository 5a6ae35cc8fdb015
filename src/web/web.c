#include "web/web.h"

#include <assert.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/vector.h"

#define HEADER_BYTES_MAX (16 * 1024)
#define CONNECTIONS_MAX  256
#define IDLE_S           30
#define PLAIN_TEXT       "text/plain; charset=utf-8"

struct route {
    char *path;
    size_t length;
    bool below; // also everything below it
    web_function function;
    void *context;
};

// evhttp tells of a connection's end only once a request has come over it. Until then a connection
// is known by the time of its acceptance, and gone when the idle limit has passed: at most as many
// are open as are counted.
struct connection { // one over which a request has come
    TAILQ_ENTRY(connection) link;
    struct web_server *server;
    struct evhttp_connection *http;
};

struct web_server {
    struct loop *loop;
    struct evhttp *http;
    struct evconnlistener *listener;
    int port;
    VECTOR(struct route) routes;
    TAILQ_HEAD(, connection) known;
    unsigned known_count;
    int64_t silent_since_ns[CONNECTIONS_MAX]; // a ring: acceptance of those not yet known
    unsigned silent_first, silent_count;
    struct timer *reopen; // accepting has stopped
};

struct web_request {
    const char *path;
    struct evkeyvalq *query, *headers;
};

static int open_socket(const char *address, int port, struct error *error);
static int try_listen(const struct addrinfo *where);
static int port_of(int socket);
static struct bufferevent *accepted(struct event_base *base, void *context);
static void forget_silent(struct web_server *server);
static void limit_connections(struct web_server *server);
static void reopen(void *context);
static void know_connection(struct web_server *server, struct evhttp_connection *http);
static void connection_closed(struct evhttp_connection *http, void *context);
static void serve(struct evhttp_request *request, void *context);
static const struct route *find_route(const struct web_server *server, const char *path);
static void answer(const struct route *route, struct evhttp_request *request,
                   const struct evhttp_uri *uri, const char *path);
static void normalize_query(struct text *out, const char *query);
static void refuse(struct evhttp_request *request, int status, const char *text);
static void send_answer(struct evhttp_request *request, int status, const char *content_type,
                        const char *body, size_t length);

struct web_server *web_server_create(struct loop *loop, const char *address, int port,
                                     struct error *error)
{
    struct event_base *base = loop_event_base(loop);
    if (base == NULL) {
        error_set(error, ERROR_INTERNAL, "serving HTTP needs a real loop, not virtual time");
        return NULL;
    }
    int socket = open_socket(address, port, error);
    if (socket < 0)
        return NULL;
    signal(SIGPIPE, SIG_IGN); // a peer that has gone is an error of the write, not the end of us
    struct web_server *server = memory_allocate(sizeof *server);
    server->loop = loop;
    server->port = port_of(socket);
    TAILQ_INIT(&server->known);
    server->reopen = timer_create_on(loop, reopen, server);
    server->http = evhttp_new(base);
    server->listener = evconnlistener_new(base, NULL, NULL,
                                          LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, socket);
    assert(server->http != NULL && server->listener != NULL);
    // All methods come here, so that those not served are answered 405 and not 501.
    evhttp_set_allowed_methods(server->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST |
                                                 EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE |
                                                 EVHTTP_REQ_OPTIONS | EVHTTP_REQ_PATCH);
    evhttp_set_max_headers_size(server->http, HEADER_BYTES_MAX);
    evhttp_set_max_body_size(server->http, 0);
    evhttp_set_timeout(server->http, IDLE_S);
    evhttp_set_bevcb(server->http, accepted, server);
    evhttp_set_gencb(server->http, serve, server);
    struct evhttp_bound_socket *bound = evhttp_bind_listener(server->http, server->listener);
    assert(bound != NULL);
    (void)bound;
    return server;
}

void web_server_destroy(struct web_server *server)
{
    if (server == NULL)
        return;
    evhttp_free(server->http); // the listener and the connections go with it
    assert(TAILQ_EMPTY(&server->known));
    timer_destroy(server->reopen);
    vector_for_each (route, &server->routes)
        free(route->path);
    vector_free(&server->routes);
    free(server);
}

int web_server_port(const struct web_server *server)
{
    return server->port;
}

void web_server_route(struct web_server *server, const char *path, web_function function,
                      void *context)
{
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
    if (bind(descriptor, where->ai_addr, where->ai_addrlen) == 0 && listen(descriptor, 128) == 0)
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
static struct bufferevent *accepted(struct event_base *base, void *context)
{
    (void)base;
    struct web_server *server = context;
    forget_silent(server);
    if (server->silent_count < CONNECTIONS_MAX) {
        unsigned slot = (server->silent_first + server->silent_count++) % CONNECTIONS_MAX;
        server->silent_since_ns[slot] = loop_monotonic_ns(server->loop);
    }
    limit_connections(server);
    return NULL; // an ordinary one
}

static void forget_silent(struct web_server *server)
{
    int64_t limit_ns = loop_monotonic_ns(server->loop) - IDLE_S * SECOND;
    while (server->silent_count > 0 && server->silent_since_ns[server->silent_first] < limit_ns) {
        server->silent_first = (server->silent_first + 1) % CONNECTIONS_MAX;
        server->silent_count--;
    }
}

static void limit_connections(struct web_server *server)
{
    if (server->known_count + server->silent_count < CONNECTIONS_MAX) {
        timer_stop(server->reopen);
        evconnlistener_enable(server->listener);
        return;
    }
    evconnlistener_disable(server->listener); // the others wait in the kernel's queue
    timer_start(server->reopen, SECOND);
}

static void reopen(void *context)
{
    forget_silent(context);
    limit_connections(context);
}

static void know_connection(struct web_server *server, struct evhttp_connection *http)
{
    struct connection *connection;
    TAILQ_FOREACH(connection, &server->known, link)
    if (connection->http == http)
        return;
    connection = memory_allocate(sizeof *connection);
    connection->server = server;
    connection->http = http;
    TAILQ_INSERT_TAIL(&server->known, connection, link);
    server->known_count++;
    evhttp_connection_set_closecb(http, connection_closed, connection);
    if (server->silent_count > 0) { // whichever it was: counting the youngest errs to the safe side
        server->silent_first = (server->silent_first + 1) % CONNECTIONS_MAX;
        server->silent_count--;
    }
}

static void connection_closed(struct evhttp_connection *http, void *context)
{
    (void)http;
    struct connection *connection = context;
    TAILQ_REMOVE(&connection->server->known, connection, link);
    connection->server->known_count--;
    free(connection);
}

// --- requests ------------------------------------------------------------------------------------
static void serve(struct evhttp_request *request, void *context)
{
    struct web_server *server = context;
    know_connection(server, evhttp_request_get_connection(request));
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    evhttp_add_header(headers, "X-Content-Type-Options", "nosniff");
    evhttp_add_header(headers, "Cache-Control", "no-store");
    enum evhttp_cmd_type method = evhttp_request_get_command(request);
    if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD) {
        evhttp_add_header(headers, "Allow", "GET, HEAD");
        refuse(request, HTTP_BADMETHOD, "405 method not allowed\n");
        return;
    }
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
    const char *encoded = uri != NULL ? evhttp_uri_get_path(uri) : NULL;
    size_t length = 0;
    CLEANUP_FREE char *path =
        encoded != NULL ? evhttp_uridecode(encoded, 0, &length) : NULL; // malloc'd by libevent
    if (path == NULL || path[0] != '/' || strlen(path) != length) {
        refuse(request, HTTP_BADREQUEST, "400 bad request\n");
        return;
    }
    const struct route *route = find_route(server, path);
    if (route == NULL)
        refuse(request, HTTP_NOTFOUND, "404 page not found\n");
    else
        answer(route, request, uri, path);
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

static void answer(const struct route *route, struct evhttp_request *request,
                   const struct evhttp_uri *uri, const char *path)
{
    struct evkeyvalq query;
    struct text encoded = {0};
    normalize_query(&encoded, evhttp_uri_get_query(uri));
    int code = evhttp_parse_query_str(encoded.data != NULL ? encoded.data : "", &query);
    text_free(&encoded);
    if (code != 0) {
        refuse(request, HTTP_BADREQUEST, "400 bad request\n");
        return;
    }
    struct web_request view = {
        .path = path, .query = &query, .headers = evhttp_request_get_input_headers(request)};
    struct web_response response = {.status = HTTP_OK, .content_type = PLAIN_TEXT};
    route->function(route->context, &view, &response);
    evhttp_clear_headers(&query);
    send_answer(request, response.status, response.content_type, response.body.data,
                response.body.length);
    text_free(&response.body);
}

// libevent knows no parameters without a value ("?verbose"), nor empty ones ("a=1&&b=2").
static void normalize_query(struct text *out, const char *query)
{
    for (const char *at = query; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, "&");
        if (length > 0 && at[0] != '=') {
            if (out->length > 0)
                text_add_char(out, '&');
            text_add_bytes(out, at, length);
            if (memchr(at, '=', length) == NULL)
                text_add_char(out, '=');
        }
        at += length + (at[length] == '&' ? 1 : 0);
    }
}

static void refuse(struct evhttp_request *request, int status, const char *text)
{
    send_answer(request, status, PLAIN_TEXT, text, strlen(text));
}

static void send_answer(struct evhttp_request *request, int status, const char *content_type,
                        const char *body, size_t length)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    char length_text[24];
    snprintf(length_text, sizeof length_text, "%zu", length);
    evhttp_add_header(headers, "Content-Type", content_type);
    evhttp_add_header(headers, "Content-Length", length_text);
    struct evbuffer *buffer = evbuffer_new();
    // libevent would send the body of an answer to HEAD.
    if (length > 0 && evhttp_request_get_command(request) != EVHTTP_REQ_HEAD)
        evbuffer_add(buffer, body, length);
    evhttp_send_reply(request, status, NULL, buffer);
    evbuffer_free(buffer);
}

const char *web_request_path(const struct web_request *request)
{
    return request->path;
}

const char *web_request_query(const struct web_request *request, const char *name, unsigned index)
{
    const struct evkeyval *pair;
    TAILQ_FOREACH(pair, request->query, next)
    if (strcmp(pair->key, name) == 0 && index-- == 0)
        return pair->value;
    return NULL;
}

const char *web_request_header(const struct web_request *request, const char *name)
{
    return evhttp_find_header(request->headers, name);
}
