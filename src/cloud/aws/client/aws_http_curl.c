#include "cloud/aws/client/aws_http_curl.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "base/url.h"
#include "base/vector.h"
#include "kube/transport/http_multi.h"

#define TIMEOUT_DEFAULT    (4 * MINUTE) // AWN-524
#define CONNECT_TIMEOUT_MS 10000L
#define IDLE_S             50L // AWS closes a connection after some 60 s
#define HEADERS_MAX        64
#define HEADERS_BYTES_MAX  ((size_t)64 << 10)

LIST_HEAD(calls, aws_http_call);
STAILQ_HEAD(ready, aws_http_call);

struct curl_http {
    struct aws_http base;
    struct http_multi *multi;
    char *ca_bundle;
    struct calls calls;
    // Ended calls are told from a timer of their own: there, unlike in libcurl's callbacks, calls
    // may be started and cancelled, and the transport destroyed.
    struct ready ready;
    struct timer *dispatcher;
};

struct aws_http_call {
    LIST_ENTRY(aws_http_call) link;
    STAILQ_ENTRY(aws_http_call) ready_link;
    bool has_ended; // in the ready list; see `result`
    CURLcode result;
    struct curl_http *http;
    CURL *easy;
    struct curl_slist *sent_headers;
    char *body;
    size_t body_bytes;
    struct text answer, header_text;
    VECTOR(struct aws_http_header) headers;
    bool is_too_large;
    char fault[CURL_ERROR_SIZE];
    char *shown_url;
    aws_http_done done;
    void *context;
};

static struct aws_http_call *curl_start(struct aws_http *base,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context);
static void curl_cancel(struct aws_http *base, struct aws_http_call *call);
static void curl_destroy(struct aws_http *base);
static void set_options(struct aws_http_call *call, const struct aws_http_request *request);
static void set_body(struct aws_http_call *call, const struct aws_http_request *request);
static void set_headers(struct aws_http_call *call, const struct aws_http_request *request);
static size_t receive_body(char *data, size_t size, size_t count, void *context);
static size_t receive_header(char *data, size_t size, size_t count, void *context);
static void transferred(void *context, CURLcode result);
static void dispatch(void *context);
static void fill_headers(struct aws_http_call *call, struct aws_http_response *response);
static void fill_error(const struct aws_http_call *call, CURLcode result, struct error *error);
static void call_free(struct aws_http_call *call);

static const struct aws_http_operations operations = {
    .start = curl_start, .cancel = curl_cancel, .destroy = curl_destroy};

struct aws_http *aws_http_curl_create(struct loop *loop, const char *ca_bundle, struct error *error)
{
    if (ca_bundle != NULL && access(ca_bundle, R_OK) != 0) {
        error_set(error, ERROR_INVALID, "AWS_CA_BUNDLE: %s cannot be read", ca_bundle);
        return NULL;
    }
    struct http_multi *multi = http_multi_create(loop, error);
    if (multi == NULL)
        return NULL;
    struct curl_http *http = memory_allocate(sizeof *http);
    http->base.operations = &operations;
    http->multi = multi;
    http->ca_bundle = memory_copy_string(ca_bundle);
    LIST_INIT(&http->calls);
    STAILQ_INIT(&http->ready);
    http->dispatcher = timer_create_on(loop, dispatch, http);
    return &http->base;
}

static void curl_destroy(struct aws_http *base)
{
    struct curl_http *http = (struct curl_http *)base;
    while (!LIST_EMPTY(&http->calls))
        curl_cancel(base, LIST_FIRST(&http->calls));
    timer_destroy(http->dispatcher);
    http_multi_destroy(http->multi);
    free(http->ca_bundle);
    free(http);
}

static struct aws_http_call *curl_start(struct aws_http *base,
                                        const struct aws_http_request *request, aws_http_done done,
                                        void *context)
{
    assert(done != NULL);
    struct curl_http *http = (struct curl_http *)base;
    struct aws_http_call *call = memory_allocate(sizeof *call);
    struct text shown = {0};
    url_show(&shown, request->url);
    call->shown_url = text_take(&shown);
    call->http = http;
    call->done = done;
    call->context = context;
    call->easy = curl_easy_init();
    assert(call->easy != NULL);
    set_options(call, request);
    set_body(call, request);
    set_headers(call, request);
    LIST_INSERT_HEAD(&http->calls, call, link);
    http_multi_add(http->multi, call->easy, transferred, call);
    return call;
}

static void curl_cancel(struct aws_http *base, struct aws_http_call *call)
{
    struct curl_http *http = (struct curl_http *)base;
    assert(call->http == http);
    if (call->has_ended)
        STAILQ_REMOVE(&http->ready, call, aws_http_call, ready_link);
    else
        http_multi_remove(http->multi, call->easy);
    LIST_REMOVE(call, link);
    call_free(call);
}

// Of this machine: a proxy would ask its own.
static bool is_loopback(const char *url)
{
    const char *host = strstr(url, "://");
    host = host != NULL ? host + 3 : url;
    size_t length = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?#");
    return (length == 9 && strncasecmp(host, "localhost", 9) == 0) ||
           (length == 5 && strncmp(host, "[::1]", 5) == 0) ||
           (text_starts_with(host, "127.") && strspn(host, "0123456789.") == length);
}

// HTTPS_PROXY, ALL_PROXY and NO_PROXY are libcurl's own affair. HTTP_PROXY it takes in small
// letters only, for the sake of CGI programs.
static void set_proxy(CURL *easy, const struct aws_http_request *request)
{
    const char *capital = getenv("HTTP_PROXY");
    if (request->direct || is_loopback(request->url))
        curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    else if (text_starts_with(request->url, "http://") && !text_is_empty(capital) &&
             text_is_empty(getenv("http_proxy")))
        curl_easy_setopt(easy, CURLOPT_PROXY, capital);
}

static void set_options(struct aws_http_call *call, const struct aws_http_request *request)
{
    CURL *easy = call->easy;
    int64_t timeout = request->timeout_ns > 0 ? request->timeout_ns : TIMEOUT_DEFAULT;
    long timeout_ms = (long)(timeout / MILLISECOND);
    curl_easy_setopt(easy, CURLOPT_URL, request->url);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->fault);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L); // the path is signed as it is
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, IDLE_S);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms > 0 ? timeout_ms : 1);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     timeout_ms < CONNECT_TIMEOUT_MS ? timeout_ms : CONNECT_TIMEOUT_MS);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    set_proxy(easy, request);
    if (call->http->ca_bundle != NULL)
        curl_easy_setopt(easy, CURLOPT_CAINFO, call->http->ca_bundle);
}

static void set_body(struct aws_http_call *call, const struct aws_http_request *request)
{
    CURL *easy = call->easy;
    if (strcmp(request->method, "GET") == 0) {
        curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
        return;
    }
    call->body = memory_copy(request->body_bytes > 0 ? request->body : "",
                             request->body_bytes > 0 ? request->body_bytes : 1);
    call->body_bytes = request->body_bytes;
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_bytes);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body); // not copied
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
}

static void add_header(struct aws_http_call *call, const char *name, const char *value)
{
    struct text line = {0};
    // An empty value needs a semicolon, or libcurl drops the header.
    text_format(&line, value[0] != '\0' ? "%s: %s" : "%s;", name, value);
    call->sent_headers = curl_slist_append(call->sent_headers, line.data);
    assert(call->sent_headers != NULL);
    explicit_bzero(line.data, line.length);
    text_free(&line);
}

static void set_headers(struct aws_http_call *call, const struct aws_http_request *request)
{
    bool has_content_type = false;
    for (uint32_t i = 0; i < request->headers_count; i++) {
        const struct aws_http_header *header = &request->headers[i];
        assert(strpbrk(header->value, "\r\n") == NULL); // the callers check theirs from outside
        has_content_type = has_content_type || strcasecmp(header->name, "content-type") == 0;
        add_header(call, header->name, header->value);
    }
    call->sent_headers = curl_slist_append(call->sent_headers, "Expect:");
    if (!has_content_type)
        call->sent_headers = curl_slist_append(call->sent_headers, "Content-Type:");
    curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER, call->sent_headers);
}

static size_t receive_body(char *data, size_t size, size_t count, void *context)
{
    struct aws_http_call *call = context;
    size_t length = size * count;
    if (length > AWS_BODY_BYTES_MAX - call->answer.length) {
        call->is_too_large = true;
        return CURL_WRITEFUNC_ERROR;
    }
    text_add_bytes(&call->answer, data, length);
    return length;
}

// Keeps the lines of the last answer; a proxy's or an interim answer's are dropped.
static size_t receive_header(char *data, size_t size, size_t count, void *context)
{
    struct aws_http_call *call = context;
    size_t length = size * count;
    if (length >= 5 && strncmp(data, "HTTP/", 5) == 0)
        text_clear(&call->header_text);
    if (length > HEADERS_BYTES_MAX - call->header_text.length) {
        call->is_too_large = true;
        return CURL_WRITEFUNC_ERROR;
    }
    text_add_bytes(&call->header_text, data, length);
    return length;
}

static void transferred(void *context, CURLcode result)
{
    struct aws_http_call *call = context;
    call->has_ended = true;
    call->result = result;
    STAILQ_INSERT_TAIL(&call->http->ready, call, ready_link);
    timer_start(call->http->dispatcher, 0);
}

// Tells of one call; nothing of the transport is touched after that.
static void dispatch(void *context)
{
    struct curl_http *http = context;
    struct aws_http_call *call = STAILQ_FIRST(&http->ready);
    if (call == NULL)
        return;
    STAILQ_REMOVE_HEAD(&http->ready, ready_link);
    LIST_REMOVE(call, link);
    if (!STAILQ_EMPTY(&http->ready))
        timer_start(http->dispatcher, 0);
    struct aws_http_response response = {.body = ""};
    if (call->result == CURLE_OK) {
        long status = 0;
        curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
        response.status = (int)status;
        fill_headers(call, &response);
        response.body = call->answer.data != NULL ? call->answer.data : "";
        response.body_bytes = call->answer.length;
        if (status == 0)
            error_set(&response.error, ERROR_UNAVAILABLE, "%s: no answer", call->shown_url);
    } else {
        fill_error(call, call->result, &response.error);
    }
    call->done(call->context, &response);
    call_free(call);
}

static void fill_headers(struct aws_http_call *call, struct aws_http_response *response)
{
    char *rest = call->header_text.data;
    for (char *line; rest != NULL && (line = strsep(&rest, "\n")) != NULL;) {
        char *value = strchr(line, ':');
        if (value == NULL || call->headers.count == HEADERS_MAX)
            continue;
        *value++ = '\0';
        value += strspn(value, " \t");
        for (size_t length = strlen(value);
             length > 0 && isspace((unsigned char)value[length - 1]);)
            value[--length] = '\0';
        vector_push(&call->headers, (struct aws_http_header){line, value});
    }
    response->headers = call->headers.items;
    response->headers_count = call->headers.count;
}

static void fill_error(const struct aws_http_call *call, CURLcode result, struct error *error)
{
    const char *fault = call->fault[0] != '\0' ? call->fault : curl_easy_strerror(result);
    if (call->is_too_large)
        error_set(error, ERROR_UNAVAILABLE, "%s: the answer is larger than %zu MiB",
                  call->shown_url, AWS_BODY_BYTES_MAX >> 20);
    else
        error_set(error, result == CURLE_OPERATION_TIMEDOUT ? ERROR_TIMEOUT : ERROR_UNAVAILABLE,
                  "%s: %s", call->shown_url, fault);
    text_repair(error->message);
}

static void call_free(struct aws_http_call *call)
{
    curl_easy_cleanup(call->easy);
    for (struct curl_slist *line = call->sent_headers; line != NULL; line = line->next)
        explicit_bzero(line->data, strlen(line->data)); // signatures and tokens
    curl_slist_free_all(call->sent_headers);
    if (call->body != NULL)
        explicit_bzero(call->body, call->body_bytes);
    free(call->body);
    text_free(&call->answer);
    text_free(&call->header_text);
    vector_free(&call->headers);
    free(call->shown_url);
    free(call);
}
