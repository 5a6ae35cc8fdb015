// A small HTTP server over libevent, for metrics, probes and pages: GET and HEAD only, bounded in
// headers, connections and time. A client that sends its request slowly has a deadline for all of
// it, and when all connections are taken, the one that waits longest for a request makes room for
// the next: however many clients are slow or silent, a probe that sends its request at once is
// answered.
//
// Handlers run on the loop's thread and answer at once. A server lives as long as its loop at most.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/loop.h"
#include "web/web_request.h"
#include "web/web_response.h"

struct web_limits { // of one server; none touches another's
    unsigned connections_max;
    int64_t request_ns;      // from acceptance until a whole request is here
    int64_t next_request_ns; // the same for each further one, from the answer before
    int64_t answer_ns;       // until the client has read the answer
};
struct web_server;
// `address` NULL or "": all interfaces, IPv6 and IPv4. `port` 0: one that is free. Real loops only.
// The process ignores SIGPIPE from here on.
struct web_server *web_server_create(struct loop *loop, const char *address, int port,
                                     const struct web_limits *limits, struct error *error);
void web_server_destroy(struct web_server *server); // NULL is fine; open requests are cut
int web_server_port(const struct web_server *server);
unsigned web_server_connections(const struct web_server *server); // open ones

typedef void (*web_function)(void *context, const struct web_request *request,
                             struct web_response *response);
// A path that ends in '/' also takes everything below it, other than "/" itself; the longest that
// fits wins. Unknown paths are answered 404, other methods 405.
void web_server_route(struct web_server *server, const char *path, web_function function,
                      void *context);
