#include "kube/transport/http_easy.h"

#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/url.h"

#define KEEPALIVE_IDLE_S     30
#define KEEPALIVE_INTERVAL_S 10
// A peer that acknowledges nothing for this long is gone, whatever the connection carries.
#define UNACKNOWLEDGED_MAX_MS 30000
// Bodies are some kilobytes. libcurl's defaults suit files: 64 KiB for each request with a body.
#define UPLOAD_BUFFER_BYTES (16 * 1024L) // the least
#define ANSWER_BUFFER_BYTES (8 * 1024L)  // of one object

static bool parse_server(struct http_target *target, struct error *error);
static void name_server(struct http_target *target, CURLU *url);
static void set_method(CURL *curl, enum kube_verb verb, const char *body);
static void set_headers(struct http_easy *easy, const struct http_target *target,
                        const struct http_request *request);
static void add_header(struct http_easy *easy, const char *header);
static void set_tls(CURL *curl, const struct kube_config *config,
                    const struct credential *credential);
static void set_blob(CURL *curl, CURLoption option, const char *text, unsigned flags);
static int socket_made(void *context, curl_socket_t socket, curlsocktype purpose);

bool http_target_init(struct http_target *target, const struct kube_config *config,
                      const struct http_transport_options *options, struct error *error)
{
    *target = (struct http_target){.config = config};
    int64_t connect_ns = options->connect_timeout_ns, request_ns = options->request_timeout_ns;
    target->connect_timeout_ms = (long)((connect_ns > 0 ? connect_ns : 10 * SECOND) / MILLISECOND);
    target->request_timeout_ms = (long)((request_ns > 0 ? request_ns : 60 * SECOND) / MILLISECOND);
    struct text agent = {0};
    text_format(&agent, "User-Agent: %s",
                options->user_agent != NULL ? options->user_agent : "karpenter/" ADZE_VERSION);
    target->user_agent_header = text_take(&agent);
    return parse_server(target, error);
}

static bool parse_server(struct http_target *target, struct error *error)
{
    const char *server = target->config->server;
    CURLU *url = curl_url();
    assert(url != NULL);
    char *scheme = NULL;
    bool good = server != NULL && curl_url_set(url, CURLUPART_URL, server, 0) == CURLUE_OK &&
                curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                (strcmp(scheme, "https") == 0 || strcmp(scheme, "http") == 0);
    curl_free(scheme);
    if (!good) {
        curl_url_cleanup(url);
        return error_set(error, ERROR_INVALID,
                         "the API server's address is not a URL of http or https");
    }
    target->base_url = memory_copy_string(server);
    if (target->config->tls_server_name != NULL)
        name_server(target, url);
    curl_url_cleanup(url);
    struct text shown = {0};
    url_show(&shown, server);
    target->shown_url = text_take(&shown);
    char *base = target->base_url;
    for (size_t length = strlen(base); length > 0 && base[length - 1] == '/';)
        base[--length] = '\0';
    return true;
}

// libcurl takes the name to verify from the URL. So the URL gets the name, the connection goes to
// the address, and the Host header (":authority") keeps the address.
static void name_server(struct http_target *target, CURLU *url)
{
    char *host = NULL, *port = NULL, *renamed = NULL;
    const char *name = target->config->tls_server_name;
    curl_url_get(url, CURLUPART_HOST, &host, 0);
    curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
    struct text line = {0};
    text_format(&line, "Host: %s:%s", host, port);
    target->host_header = text_take(&line);
    line = (struct text){0};
    text_format(&line, "%s:%s:%s:%s", name, port, host, port);
    target->connect_to = curl_slist_append(NULL, line.data);
    text_free(&line);
    if (curl_url_set(url, CURLUPART_HOST, name, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_URL, &renamed, 0) == CURLUE_OK) {
        free(target->base_url);
        target->base_url = memory_copy_string(renamed);
    }
    curl_free(renamed);
    curl_free(host);
    curl_free(port);
}

void http_target_clear(struct http_target *target)
{
    curl_slist_free_all(target->connect_to);
    free(target->base_url);
    free(target->shown_url);
    free(target->host_header);
    free(target->user_agent_header);
    *target = (struct http_target){0};
}

void http_easy_init(struct http_easy *easy, const struct http_target *target,
                    const struct http_request *request, curl_write_callback receive, void *context)
{
    assert(request->path_and_query[0] == '/');
    assert(request->credential != NULL);
    *easy = (struct http_easy){.curl = curl_easy_init()};
    CURL *curl = easy->curl;
    assert(curl != NULL);
    struct text url = {0};
    text_format(&url, "%s%s", target->base_url, request->path_and_query);
    curl_easy_setopt(curl, CURLOPT_URL, url.data);
    text_free(&url);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, easy->error);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(curl, CURLOPT_PIPEWAIT, 1L); // prefers a stream of an open connection to a new
                                                  // connection
    curl_easy_setopt(curl, CURLOPT_SOCKOPTFUNCTION, socket_made);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE_S);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_INTERVAL_S);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, target->connect_timeout_ms);
    if (request->verb != KUBE_WATCH) {
        curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, target->request_timeout_ms);
        curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
    }
    if (target->connect_to != NULL)
        curl_easy_setopt(curl, CURLOPT_CONNECT_TO, target->connect_to);
    if (target->config->proxy_url != NULL)
        curl_easy_setopt(curl, CURLOPT_PROXY, target->config->proxy_url);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, context);
    set_method(curl, request->verb, request->body);
    set_headers(easy, target, request);
    set_tls(curl, target->config, request->credential);
}

void http_easy_clear(struct http_easy *easy)
{
    if (easy->curl != NULL)
        curl_easy_cleanup(easy->curl);
    for (struct curl_slist *line = easy->headers; line != NULL; line = line->next)
        explicit_bzero(line->data, strlen(line->data)); // one of them is the token
    curl_slist_free_all(easy->headers);
    *easy = (struct http_easy){0};
}

const char *http_method(enum kube_verb verb)
{
    switch (verb) {
    case KUBE_GET:
    case KUBE_LIST:
    case KUBE_WATCH:
        return "GET";
    case KUBE_CREATE:
        return "POST";
    case KUBE_UPDATE:
        return "PUT";
    case KUBE_PATCH:
        return "PATCH";
    case KUBE_DELETE:
        return "DELETE";
    }
    return "GET";
}

static void set_method(CURL *curl, enum kube_verb verb, const char *body)
{
    const char *method = http_method(verb);
    if (strcmp(method, "GET") == 0) {
        curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
        return;
    }
    if (body == NULL && verb != KUBE_DELETE)
        body = "";
    curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BUFFER_BYTES);
    curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, ANSWER_BUFFER_BYTES);
    if (body != NULL) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body); // not copied
    }
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
}

static void set_headers(struct http_easy *easy, const struct http_target *target,
                        const struct http_request *request)
{
    assert(request->patch_type <= PATCH_APPLY);
    static const char *const patch_headers[] = {
        [PATCH_MERGE] = "Content-Type: application/merge-patch+json",
        [PATCH_JSON] = "Content-Type: application/json-patch+json",
        [PATCH_STRATEGIC] = "Content-Type: application/strategic-merge-patch+json",
        [PATCH_APPLY] = "Content-Type: application/apply-patch+yaml", // JSON is YAML
    };
    add_header(easy, "Accept: application/json");
    add_header(easy, target->user_agent_header);
    add_header(easy, "Expect:"); // no waiting for 100 Continue
    if (target->host_header != NULL)
        add_header(easy, target->host_header);
    if (request->body != NULL)
        add_header(easy, request->verb == KUBE_PATCH ? patch_headers[request->patch_type]
                                                     : "Content-Type: application/json");
    if (request->credential->token != NULL) {
        struct text line = {0};
        text_format(&line, "Authorization: Bearer %s", request->credential->token);
        add_header(easy, line.data);
        explicit_bzero(line.data, line.length);
        text_free(&line);
    } else if (request->credential->username != NULL) {
        curl_easy_setopt(easy->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        curl_easy_setopt(easy->curl, CURLOPT_USERNAME, request->credential->username);
        curl_easy_setopt(easy->curl, CURLOPT_PASSWORD,
                         request->credential->password != NULL ? request->credential->password
                                                               : "");
    }
    curl_easy_setopt(easy->curl, CURLOPT_HTTPHEADER, easy->headers);
}

static void add_header(struct http_easy *easy, const char *header)
{
    easy->headers = curl_slist_append(easy->headers, header);
    assert(easy->headers != NULL);
}

// libcurl makes OpenSSL release its buffers after each record, to keep idle connections small.
// Every watch event then allocates and frees a block of 17 KiB, and the heap is trimmed for it.
// There are few connections, so they keep their buffers.
static CURLcode tls_made(CURL *curl, void *settings, void *context)
{
    (void)curl, (void)context;
    SSL_CTX_clear_mode(settings, SSL_MODE_RELEASE_BUFFERS);
    return CURLE_OK;
}

static bool tls_is_openssl(void)
{
    const char *name = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return name != NULL && strncmp(name, "OpenSSL/", 8) == 0;
}

static void set_tls(CURL *curl, const struct kube_config *config,
                    const struct credential *credential)
{
    if (tls_is_openssl())
        curl_easy_setopt(curl, CURLOPT_SSL_CTX_FUNCTION, tls_made);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (config->insecure_skip_tls_verify) {
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    } else if (config->ca_data != NULL) {
        set_blob(curl, CURLOPT_CAINFO_BLOB, config->ca_data, CURL_BLOB_NOCOPY);
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL); // trusts this authority only
    }
    if (credential->certificate != NULL) { // a plugin may replace its own while the call is under
                                           // way
        set_blob(curl, CURLOPT_SSLCERT_BLOB, credential->certificate, CURL_BLOB_COPY);
        set_blob(curl, CURLOPT_SSLKEY_BLOB, credential->key, CURL_BLOB_COPY);
    }
}

static void set_blob(CURL *curl, CURLoption option, const char *text, unsigned flags)
{
    assert(text != NULL);
    struct curl_blob blob = {.data = (void *)text, .len = strlen(text), .flags = flags};
    curl_easy_setopt(curl, option, &blob);
}

static int socket_made(void *context, curl_socket_t socket, curlsocktype purpose)
{
    (void)context, (void)purpose;
    unsigned timeout_ms = UNACKNOWLEDGED_MAX_MS;
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
    return CURL_SOCKOPT_OK;
}

bool http_easy_error(const struct http_easy *easy, const struct http_target *target,
                     enum kube_verb verb, const char *path, CURLcode result, struct error *error)
{
    const char *why = easy->error[0] != '\0' ? easy->error : curl_easy_strerror(result);
    int length = (int)strcspn(why, "\r\n");
    enum error_kind kind = result == CURLE_OPERATION_TIMEDOUT ? ERROR_TIMEOUT : ERROR_UNAVAILABLE;
    return error_set(error, kind, "%s %s%s: %.*s", http_method(verb), target->shown_url, path,
                     length, why);
}
