// A request as its handler sees it: path, query and headers.
#pragma once

#include <event2/keyvalq_struct.h>
#include <stdbool.h>

struct http_head;

struct web_request {
    const char *path; // decoded
    struct evkeyvalq query;
    const struct http_head *head;
};
const char *web_request_path(const struct web_request *request); // decoded: "/readyz/crd"
// The value of a query parameter, decoded: "" for "?verbose", NULL if absent or `index` (of those
// with the same name, from 0) is beyond the last.
const char *web_request_query(const struct web_request *request, const char *name, unsigned index);
const char *web_request_header(const struct web_request *request, const char *name); // or NULL

// --- the server's -------------------------------------------------------------------------------
// `query`: the encoded text behind the "?", or NULL. False: it is malformed, nothing is to be
// cleared.
bool web_request_read_query(struct web_request *request, const char *query);
void web_request_clear(struct web_request *request);
