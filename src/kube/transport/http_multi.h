// libcurl's multi interface on the loop: its sockets and its timeout become events of the loop's
// libevent base. Connections are kept and shared within a multi; HTTP/2 streams are multiplexed
// over one of them.
#pragma once

#include <curl/curl.h>

#include "base/error.h"
#include "base/loop.h"

struct http_multi;
struct http_multi *http_multi_create(struct loop *loop, struct error *error); // real loops only
// Every easy handle must have been removed or be done.
void http_multi_destroy(struct http_multi *multi); // NULL is fine

// Begins the transfer. `done` is called once at its end, on the loop's thread and never before this
// function has returned; the handle is removed by then, and still belongs to the caller. `done`
// must not destroy the multi. Not callable from libcurl's own callbacks (write, header).
typedef void (*http_multi_done)(void *context, CURLcode result);
void http_multi_add(struct http_multi *multi, CURL *easy, http_multi_done done, void *context);
// Ends a transfer early; `done` is not called. The same restriction.
void http_multi_remove(struct http_multi *multi, CURL *easy);
