// The API server of the embedded cluster: one handler for every transport. A request is a method, a
// path with its query, the two media types that matter, and a JSON body. The answer is a status and
// a JSON body, or a watch.
//
// Source: the Kubernetes API reference ("API concepts", "Resource Operations") and the observable
// answers of kube-apiserver.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/loop.h"
#include "sim/apiserver/api_request.h"
#include "sim/store/store.h"

struct api_server;

// The store is borrowed and must outlive the server.
struct api_server *api_server_create(struct loop *loop, struct store *store);
void api_server_destroy(struct api_server *server);

void api_handle(struct api_server *server, const struct api_request *request,
                struct api_response *response);
void api_response_clear(struct api_response *response); // including the watch
