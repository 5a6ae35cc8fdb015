// Liveness and readiness (LIF-333): named checks behind /healthz and /readyz, each also at its own
// path /healthz/NAME and /readyz/NAME. ?verbose lists them, ?exclude=NAME skips one. 200 "ok", or
// 500.
#pragma once

#include "web/web.h"

struct health;
struct health *health_create(void);
void health_destroy(struct health *health); // NULL is fine; after the server

enum health_endpoint { HEALTH_LIVE, HEALTH_READY }; // /healthz, /readyz
// False: unhealthy, with the reason (shown at the check's own path only). Runs for each request:
// must be quick.
typedef bool (*health_check)(void *context, struct error *error);
// `check` NULL always passes. `name` is copied. An endpoint without checks is healthy.
void health_add(struct health *health, enum health_endpoint endpoint, const char *name,
                health_check check, void *context);
void health_serve(struct health *health, struct web_server *server);
