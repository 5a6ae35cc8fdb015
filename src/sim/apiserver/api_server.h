// The API server of the embedded cluster: one handler for every transport. A request is a method, a
// path with its query, the two media types that matter, and a JSON body; the answer is a status and
// a JSON body, or a watch.
//
// Source: the Kubernetes API reference ("API concepts", "Resource Operations") and the observable
// answers of kube-apiserver.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/loop.h"
#include "sim/store/store.h"

struct api_server;
struct api_watch;

// The store is borrowed and must live longer.
struct api_server *api_server_create(struct loop *loop, struct store *store);
void api_server_destroy(struct api_server *server);

struct api_request {
    const char *method;       // "GET", "POST", "PUT", "PATCH", "DELETE"
    const char *path;         // "/api/v1/pods", without the query
    const char *query;        // escaped, or NULL
    const char *content_type; // of the body, or NULL: application/json
    const char *accept;       // or NULL
    const char *user_agent;   // or NULL; names the field manager if the query does not
    json_t *body;             // borrowed; NULL if none
};

struct api_response { // release with api_response_clear()
    int status;
    json_t *body;             // reference; NULL if `text` or `watch` is set
    char *text;               // plain text
    json_t *warnings;         // array of texts for Warning headers, or NULL
    int retry_after_seconds;  // 0: none
    const char *content_type; // static; NULL: application/json
    struct api_watch *watch;  // status 200 and a stream of events
};
void api_handle(struct api_server *server, const struct api_request *request,
                struct api_response *response);
void api_response_clear(struct api_response *response); // the watch included

// A watch belongs to whoever took it out of the response (which sets response->watch to NULL).
// Handlers are called from the loop only, after api_watch_start(); they may destroy the watch.
struct api_watch_handlers {
    void (*event)(void *context, json_t *event); // {"type", "object"}, borrowed
    void (*end)(void *context);                  // timeoutSeconds are over
    void *context;
};
