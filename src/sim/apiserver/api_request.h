// Requests to the API server, its responses, and the handlers of a watch.
#pragma once

#include <jansson.h>
#include <stdbool.h>

struct api_watch;

struct api_request {
    const char *method;       // "GET", "POST", "PUT", "PATCH", "DELETE"
    const char *path;         // "/api/v1/pods", without the query
    const char *query;        // escaped, or NULL
    const char *content_type; // of the body, or NULL: application/json
    const char *accept;       // or NULL
    const char *user_agent;   // or NULL; names the field manager if the query does not
    json_t *body;             // borrowed; NULL if none
    // Of people's tools: managedFields tell what it has changed, and its fields are checked.
    bool from_user;
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
// The code that takes a watch out of the response owns it (and sets response->watch to NULL).
// Handlers are called from the loop only, after api_watch_start(); they may destroy the watch.
struct api_watch_handlers {
    void (*event)(void *context, json_t *event); // {"type", "object"}, borrowed
    void (*end)(void *context);                  // timeoutSeconds have passed
    void *context;
};
