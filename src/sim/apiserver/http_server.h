// The embedded API server over HTTP on the loopback interface, for kubectl and any other client:
// JSON, chunked watch streams, YAML bodies. Real loops only.
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"
#include "sim/apiserver/api_server.h"

struct http_server;

struct http_server_options {
    const char *address; // NULL: 127.0.0.1
    uint16_t port;       // 0: any free port
    // A token that every request must carry, as bearer token or as the path's first part; NULL:
    // none. kubectl sends bearer tokens over TLS only, but it keeps the path of the server's URL.
    const char *token;
};
// `api` is borrowed and must outlive the server. options NULL: all defaults.
struct http_server *http_server_create(struct loop *loop, struct api_server *api,
                                       const struct http_server_options *options,
                                       struct error *error);
void http_server_destroy(struct http_server *server);          // ends its streams
const char *http_server_url(const struct http_server *server); // "http://127.0.0.1:PORT"
// The URL with the token in it, for a kubeconfig: "http://127.0.0.1:PORT/TOKEN".
const char *http_server_private_url(const struct http_server *server);
