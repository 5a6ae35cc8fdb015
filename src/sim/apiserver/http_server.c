#include "sim/apiserver/http_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/manifest/input.h"
#include "sim/apiserver/api_watch.h"
#include "sim/printing/protobuf.h"
#include "sim/store/failure.h"

#define BODY_BYTES_MAX ((ev_ssize_t)16 << 20)

struct stream { // one watch
    LIST_ENTRY(stream) link;
    struct http_server *server;
    struct evhttp_request *request;
    struct api_watch *watch;
};

struct http_server {
    struct api_server *api;
    struct evhttp *http;
    uint16_t port;
    char *url, *private_url, *token;
    LIST_HEAD(, stream) streams;
    uint32_t streams_count;
};

static void on_request(struct evhttp_request *request, void *context);

static bool listen_on(struct http_server *server, const char *address, uint16_t port,
                      struct error *error)
{
    struct evhttp_bound_socket *bound = evhttp_bind_socket_with_handle(server->http, address, port);
    if (bound == NULL)
        return error_set(error, ERROR_UNAVAILABLE, "cannot listen on %s:%u: %s", address, port,
                         strerror(errno));
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    if (getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&name, &size) != 0)
        return error_set(error, ERROR_INTERNAL, "getsockname: %s", strerror(errno));
    bool six = name.ss_family == AF_INET6;
    server->port = ntohs(six ? ((struct sockaddr_in6 *)&name)->sin6_port
                             : ((struct sockaddr_in *)&name)->sin_port);
    struct text url = {0};
    text_format(&url, "http://%s%s%s:%u", six ? "[" : "", address, six ? "]" : "", server->port);
    server->url = text_take(&url);
    text_format(&url, "%s%s%s", server->url, server->token != NULL ? "/" : "",
                server->token != NULL ? server->token : "");
    server->private_url = text_take(&url);
    return true;
}

struct http_server *http_server_create(struct loop *loop, struct api_server *api,
                                       const struct http_server_options *options,
                                       struct error *error)
{
    static const struct http_server_options defaults = {0};
    options = options != NULL ? options : &defaults;
    if (loop_event_base(loop) == NULL) {
        error_set(error, ERROR_INTERNAL, "an HTTP server needs a real loop");
        return NULL;
    }
    struct http_server *server = memory_allocate(sizeof *server);
    server->api = api;
    server->token = memory_copy_string(options->token);
    LIST_INIT(&server->streams);
    server->http = evhttp_new(loop_event_base(loop));
    assert(server->http != NULL);
    evhttp_set_max_body_size(server->http, BODY_BYTES_MAX);
    evhttp_set_max_headers_size(server->http, 64 << 10);
    evhttp_set_allowed_methods(server->http, EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_PUT |
                                                 EVHTTP_REQ_PATCH | EVHTTP_REQ_DELETE);
    evhttp_set_gencb(server->http, on_request, server);
    if (!listen_on(server, options->address != NULL ? options->address : "127.0.0.1", options->port,
                   error)) {
        http_server_destroy(server);
        return NULL;
    }
    return server;
}

static void stream_free(struct stream *stream)
{
    LIST_REMOVE(stream, link);
    stream->server->streams_count--;
    api_watch_destroy(stream->watch);
    free(stream);
}

void http_server_destroy(struct http_server *server)
{
    if (server == NULL)
        return;
    while (!LIST_EMPTY(&server->streams)) {
        struct stream *stream = LIST_FIRST(&server->streams);
        struct evhttp_connection *connection = evhttp_request_get_connection(stream->request);
        if (connection != NULL)
            evhttp_connection_set_closecb(connection, NULL, NULL);
        stream_free(stream);
    }
    evhttp_free(server->http);
    free(server->url);
    free(server->private_url);
    free(server->token);
    free(server);
}

const char *http_server_private_url(const struct http_server *server)
{
    return server->private_url;
}

const char *http_server_url(const struct http_server *server)
{
    return server->url;
}

// --- requests ------------------------------------------------------------------------------------

static const char *method_name(struct evhttp_request *request)
{
    switch (evhttp_request_get_command(request)) {
    case EVHTTP_REQ_POST:
        return "POST";
    case EVHTTP_REQ_PUT:
        return "PUT";
    case EVHTTP_REQ_PATCH:
        return "PATCH";
    case EVHTTP_REQ_DELETE:
        return "DELETE";
    case EVHTTP_REQ_GET:
    case EVHTTP_REQ_HEAD:
    case EVHTTP_REQ_OPTIONS:
    case EVHTTP_REQ_TRACE:
    case EVHTTP_REQ_CONNECT:
        break;
    }
    return "GET";
}

static const char *header_of(struct evhttp_request *request, const char *name)
{
    return evhttp_find_header(evhttp_request_get_input_headers(request), name);
}

static json_t *read_yaml(const char *text, size_t length, struct error *error)
{
    struct documents documents = {0};
    json_t *value = NULL;
    if (documents_read_text(&documents, text, length, "the body", false, error) &&
        documents.count == 1)
        value = json_incref(documents.items[0].value);
    else if (error->kind == ERROR_NONE)
        error_set(error, ERROR_INVALID, "the body must be one YAML document");
    documents_free(&documents);
    return value;
}

// Returns false, with the reason in failure, for an unreadable body. An empty body is NULL.
static bool read_body(struct evhttp_request *request, json_t **body, struct failure *failure)
{
    struct evbuffer *buffer = evhttp_request_get_input_buffer(request);
    size_t length = evbuffer_get_length(buffer);
    *body = NULL;
    if (length == 0)
        return true;
    const char *media_type = header_of(request, "Content-Type");
    const char *text = (const char *)evbuffer_pullup(buffer, -1);
    if (media_type != NULL && strstr(media_type, "protobuf") != NULL) {
        *body = protobuf_read(text, length, failure);
        return *body != NULL;
    }
    json_error_t json_error;
    *body = json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &json_error);
    if (*body != NULL)
        return true;
    struct error error = {0};
    if (media_type != NULL && strstr(media_type, "yaml") != NULL) {
        *body = read_yaml(text, length, &error);
        return *body != NULL || failure_bad_request(failure, "%s", error.message);
    }
    return failure_bad_request(failure, "the body is not JSON: %s (line %d, column %d)",
                               json_error.text, json_error.line, json_error.column);
}

static void add_warnings(struct evhttp_request *request, const json_t *warnings)
{
    size_t i;
    json_t *warning;
    json_array_foreach (warnings, i, warning) {
        struct text text = {0};
        text_add(&text, "299 - \"");
        for (const char *c = json_string_value(warning); c != NULL && *c != '\0'; c++) {
            if (*c == '"' || *c == '\\')
                text_add_char(&text, '\\');
            text_add_char(&text, (unsigned char)*c < ' ' ? ' ' : *c);
        }
        text_add_char(&text, '"');
        evhttp_add_header(evhttp_request_get_output_headers(request), "Warning", text.data);
        text_free(&text);
    }
}

static int write_chunk(const char *text, size_t size, void *context)
{
    return evbuffer_add(context, text, size);
}

static void reply(struct evhttp_request *request, const struct api_response *response)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    struct evbuffer *buffer = evbuffer_new();
    const char *media_type = response->content_type;
    if (response->body != NULL) {
        json_dump_callback(response->body, write_chunk, buffer, JSON_COMPACT | JSON_ENCODE_ANY);
        evbuffer_add(buffer, "\n", 1);
        media_type = media_type != NULL ? media_type : "application/json";
    } else {
        evbuffer_add_printf(buffer, "%s", response->text != NULL ? response->text : "");
        media_type = media_type != NULL ? media_type : "text/plain";
    }
    evhttp_add_header(headers, "Content-Type", media_type);
    evhttp_add_header(headers, "Cache-Control", "no-cache, private");
    if (response->retry_after_seconds > 0) {
        char text[24];
        snprintf(text, sizeof text, "%d", response->retry_after_seconds);
        evhttp_add_header(headers, "Retry-After", text);
    }
    add_warnings(request, response->warnings);
    evhttp_send_reply(request, response->status, NULL, buffer);
    evbuffer_free(buffer);
}

static void reply_failure(struct evhttp_request *request, struct failure *failure)
{
    struct api_response response = {.status = failure->code, .body = failure_status(failure)};
    reply(request, &response);
    api_response_clear(&response);
    failure_clear(failure);
}

// Removes the token from the path if it is there.
static bool is_authorized(const struct http_server *server, struct evhttp_request *request,
                          const char **path)
{
    if (server->token == NULL)
        return true;
    size_t length = strlen(server->token);
    if ((*path)[0] == '/' && strncmp(*path + 1, server->token, length) == 0 &&
        ((*path)[1 + length] == '/' || (*path)[1 + length] == '\0')) {
        *path += 1 + length;
        return true;
    }
    const char *header = header_of(request, "Authorization");
    return header != NULL && text_starts_with(header, "Bearer ") &&
           strcmp(header + strlen("Bearer "), server->token) == 0;
}

// Probes and scripts ask for these without credentials (the role system:public-info-viewer).
static bool is_public(const char *path)
{
    static const char *const paths[] = {"/healthz", "/livez", "/readyz", "/version"};
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        size_t length = strlen(paths[i]);
        if (strncmp(path, paths[i], length) == 0 &&
            (path[length] == '\0' || strcmp(path + length, "/") == 0))
            return true;
    }
    return false;
}

// --- watches -------------------------------------------------------------------------------------

static void on_event(void *context, json_t *event)
{
    struct stream *stream = context;
    struct evbuffer *buffer = evbuffer_new();
    json_dump_callback(event, write_chunk, buffer, JSON_COMPACT);
    evbuffer_add(buffer, "\n", 1);
    evhttp_send_reply_chunk(stream->request, buffer);
    evbuffer_free(buffer);
}

static void on_end(void *context)
{
    struct stream *stream = context;
    struct evhttp_request *request = stream->request;
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    if (connection != NULL)
        evhttp_connection_set_closecb(connection, NULL, NULL);
    stream_free(stream);
    evhttp_send_reply_end(request);
}

// The client has gone. evhttp has released a request whose answer was under way; ending the request
// frees it.
static void on_close(struct evhttp_connection *connection, void *context)
{
    (void)connection;
    struct stream *stream = context;
    struct evhttp_request *request = stream->request;
    stream_free(stream);
    if (evhttp_request_get_connection(request) == NULL)
        evhttp_send_reply_end(request);
}

static void stream_begin(struct http_server *server, struct evhttp_request *request,
                         struct api_response *response)
{
    struct stream *stream = memory_allocate(sizeof *stream);
    stream->server = server;
    stream->request = request;
    stream->watch = response->watch;
    response->watch = NULL;
    LIST_INSERT_HEAD(&server->streams, stream, link);
    server->streams_count++;
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    evhttp_add_header(headers, "Content-Type", "application/json");
    evhttp_add_header(headers, "Cache-Control", "no-cache, private");
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    evhttp_connection_set_closecb(connection, on_close, stream);
    evhttp_send_reply_start(request, 200, "OK");
    // evhttp stops reading while it answers a request; without this a client that leaves goes
    // unnoticed.
    bufferevent_enable(evhttp_connection_get_bufferevent(connection), EV_READ);
    api_watch_start(stream->watch, &(struct api_watch_handlers){on_event, on_end, stream});
}

static void on_request(struct evhttp_request *request, void *context)
{
    struct http_server *server = context;
    struct failure failure = {0};
    json_t *body;
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
    const char *path = evhttp_uri_get_path(uri);
    if (path == NULL)
        path = "/";
    if (!is_authorized(server, request, &path) && !is_public(path))
        failure_set(&failure, 401, "Unauthorized", "Unauthorized");
    if (failure.code != 0 || !read_body(request, &body, &failure)) {
        reply_failure(request, &failure);
        return;
    }
    struct api_request asked = {
        .method = method_name(request),
        .path = path[0] != '\0' ? path : "/",
        .query = evhttp_uri_get_query(uri),
        .content_type = header_of(request, "Content-Type"),
        .accept = header_of(request, "Accept"),
        .user_agent = header_of(request, "User-Agent"),
        .body = body,
        .from_user = true,
    };
    struct api_response response;
    api_handle(server->api, &asked, &response);
    json_decref(body);
    if (response.watch != NULL)
        stream_begin(server, request, &response);
    else
        reply(request, &response);
    api_response_clear(&response);
}
