// A request for its handler: path, query and headers.
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
// The decoded value of a query parameter: "" for "?verbose", NULL if absent or `index` (among those
// of the same name, from 0) is beyond the last.
const char *web_request_query(const struct web_request *request, const char *name, unsigned index);
const char *web_request_header(const struct web_request *request, const char *name); // or NULL

// --- for the server ------------------------------------------------------------------------------
// `query`: the encoded text after the "?", or NULL. Returns false if it is malformed; nothing needs
// clearing then.
bool web_request_read_query(struct web_request *request, const char *query);
void web_request_clear(struct web_request *request);
