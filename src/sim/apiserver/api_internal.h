// Shared by the files of the API server. Not for others.
#pragma once

#include <event2/http.h>
#include <event2/keyvalq_struct.h>

#include "base/loop.h"
#include "base/random.h"
#include "sim/apiserver/api_request.h"
#include "sim/store/failure.h"
#include "sim/store/managed_fields.h"
#include "sim/store/store_write.h"

#define API_VIEWS 2

struct api_server {
    struct loop *loop;
    struct store *store;
    struct random random; // of watch timeouts
    // Other versions of stored objects (api_views.h).
    struct store_resource views[API_VIEWS];
};

// --- api_path.c: the target of a request. --------------------------------------------------------
#define API_SEGMENTS_MAX 12
struct api_path {
    char *segments[API_SEGMENTS_MAX]; // decoded
    uint32_t count;
    // Of resource paths, else NULL; pointers into segments or static.
    const char *group, *version, *namespace, *plural, *name, *subresource;
};

// --- api_selector.c: label and field selectors. --------------------------------------------------
struct api_selector;

struct api_call { // one request under way
    struct api_server *server;
    struct store *store;
    const struct api_request *request;
    struct api_path path;
    struct evkeyvalq query;
    const struct store_resource *resource; // of the store
    const struct store_resource *view;     // as requested (differs for views)
    struct field_manager manager;          // of write, if the request records it
    char manager_name[129];
    bool checks_fields; // of built-in kinds: strictly, or with a warning (write.lenient)
    struct write_options write;
    struct failure failure;
    struct api_response *response;
};
const char *call_query(const struct api_call *call, const char *key); // NULL if absent or empty
bool call_query_is_true(const struct api_call *call, const char *key);

// Answers with an object (borrowed), as a Table if the client requests one.
bool answer_object(struct api_call *call, int status, json_t *object);
bool answer_value(struct api_call *call, int status, json_t *value /* stolen */);
bool wants_table(const struct api_call *call);

// --- api_events.c: the two shapes of Event. ------------------------------------------------------
