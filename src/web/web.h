// A small HTTP server over libevent, for metrics, probes and pages: GET and HEAD only, bounded in
// headers, connections and time. The whole request has one deadline. When all connections are
// taken, the next client replaces the one that has waited longest without sending a request. So a
// probe that sends its request at once is answered, however many clients are slow or silent.
//
// Handlers run on the loop's thread and answer at once. A server must be destroyed before its loop.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/loop.h"
#include "web/web_request.h"
#include "web/web_response.h"

struct web_limits { // of one server; servers share none of them
    unsigned connections_max;
    int64_t request_ns;      // from acceptance to the whole request
    int64_t next_request_ns; // for each further request, from the last answer on
    int64_t answer_ns;       // until the client has read the answer
};
struct web_server;
// `address` NULL or "": all interfaces, IPv6 and IPv4. `port` 0: any free port. Real loops only.
// The process ignores SIGPIPE from here on.
struct web_server *web_server_create(struct loop *loop, const char *address, int port,
                                     const struct web_limits *limits, struct error *error);
void web_server_destroy(struct web_server *server); // NULL is fine; open requests are cut
int web_server_port(const struct web_server *server);
unsigned web_server_connections(const struct web_server *server); // open ones

typedef void (*web_function)(void *context, const struct web_request *request,
                             struct web_response *response);
// A path that ends in '/' also takes everything below it, except "/" itself; the longest match
// wins. Unknown paths are answered 404, other methods 405.
void web_server_route(struct web_server *server, const char *path, web_function function,
                      void *context);
