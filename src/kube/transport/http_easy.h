// One HTTP request to an API server as a libcurl easy handle, and libcurl's results as errors.
#pragma once

#include <curl/curl.h>

#include "kube/transport/credentials.h"
#include "kube/transport/http_options.h"
#include "kube/transport/transport.h"

// The API server in libcurl's terms.
struct http_target {
    const struct kube_config *config; // borrowed
    char *base_url;                   // of the request line, without trailing slash
    char *shown_url;                  // for messages, as url_show() writes it
    struct curl_slist *connect_to; // tls-server-name: requests name this host, the connection goes
                                   // to the address
    char *host_header;             // with it: "Host: address"
    char *user_agent_header;
    long connect_timeout_ms, request_timeout_ms;
};
bool http_target_init(struct http_target *target, const struct kube_config *config,
                      const struct http_transport_options *options, struct error *error) MUST_USE;
void http_target_clear(struct http_target *target);

struct http_easy { // belongs to one call
    CURL *curl;
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
};
struct http_request {
    enum kube_verb verb;
    enum patch_type patch_type;
    const char *path_and_query, *body; // body NULL: none; both stay until http_easy_clear()
    const struct credential *credential;
};
void http_easy_init(struct http_easy *easy, const struct http_target *target,
                    const struct http_request *request, curl_write_callback receive, void *context);
void http_easy_clear(struct http_easy *easy); // after it has left the multi

const char *http_method(enum kube_verb verb);
// "GET https://host/path: why"; kind UNAVAILABLE or TIMEOUT. Returns false.
bool http_easy_error(const struct http_easy *easy, const struct http_target *target,
                     enum kube_verb verb, const char *path, CURLcode result, struct error *error);
