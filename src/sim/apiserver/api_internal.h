// What the files of the API server share. Not for others.
#pragma once

#include <event2/http.h>
#include <event2/keyvalq_struct.h>

#include "base/random.h"
#include "sim/apiserver/api_server.h"
#include "sim/store/failure.h"
#include "sim/store/store_write.h"

struct api_server {
    struct loop *loop;
    struct store *store;
    struct random random; // of watch timeouts
    struct store_resource event_view;  // events.k8s.io/v1: the same objects in another shape
};

// --- api_path.c: where a request goes.
#define API_SEGMENTS_MAX 12
struct api_path {
    char *segments[API_SEGMENTS_MAX]; // decoded
    uint32_t count;
    // Of resource paths, else NULL; pointers into segments or static.
    const char *group, *version, *namespace, *plural, *name, *subresource;
};
bool api_path_parse(const char *text, struct api_path *path); // false: not a path that can exist
void api_path_clear(struct api_path *path);

// --- api_selector.c: label and field selectors.
struct api_selector;
struct api_selector *api_selector_parse(const char *labels, const char *fields, bool custom,
                                        struct failure *failure); // NULL: failure
void api_selector_destroy(struct api_selector *selector);
bool api_selector_matches(const struct api_selector *selector, const json_t *object);
bool api_selector_is_empty(const struct api_selector *selector);

struct api_call { // one request under way
    struct api_server *server;
    struct store *store;
    const struct api_request *request;
    struct api_path path;
    struct evkeyvalq query;
    const struct store_resource *resource; // of the store
    const struct store_resource *view;     // as it was asked for (differs for events.k8s.io)
    struct write_options write;
    struct failure failure;
    struct api_response *response;
};
const char *call_query(const struct api_call *call, const char *key); // NULL if absent or empty
bool call_query_is_true(const struct api_call *call, const char *key);

// Each ends with an answer in call->response or false with call->failure set.
bool call_get(struct api_call *call);
bool call_list(struct api_call *call);
bool call_watch(struct api_call *call);
bool call_create(struct api_call *call);
bool call_update(struct api_call *call);
bool call_patch(struct api_call *call);
bool call_delete(struct api_call *call);
bool call_delete_collection(struct api_call *call);
bool call_scale(struct api_call *call);
bool call_evict(struct api_call *call);
bool call_bind(struct api_call *call);
bool call_log(struct api_call *call);
bool call_review(struct api_call *call, bool *handled);
bool call_token(struct api_call *call);
bool call_apply(struct api_call *call); // server-side apply
// Answers an object (borrowed), as a Table if the client asks for one.
bool answer_object(struct api_call *call, int status, json_t *object);
bool answer_value(struct api_call *call, int status, json_t *value /* stolen */);
bool wants_table(const struct api_call *call);

// --- api_events.c: the two shapes of Event.
json_t *event_to_view(const json_t *event);   // core/v1 -> events.k8s.io/v1; new reference
json_t *event_from_view(const json_t *event); // and back
// The object as the client asked to see it; new reference.
json_t *view_of(const struct store_resource *view, json_t *object);
json_t *view_read(const struct store_resource *view, json_t *object); // the way back; new reference

bool version_parse(const char *text, uint64_t *version); // a resourceVersion
// The continue token: version and key. The caller frees the text.
char *continue_encode(uint64_t version, const char *key);
bool continue_decode(const char *token, uint64_t *version, char **key);
