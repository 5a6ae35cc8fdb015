// Liveness and readiness (LIF-333): named checks behind /healthz and /readyz, each also by itself
// at /healthz/NAME and /readyz/NAME; ?verbose lists them, ?exclude=NAME leaves one out. 200 "ok",
// or 500.
#pragma once

#include "web/web.h"

struct health;
struct health *health_create(void);
void health_destroy(struct health *health); // NULL is fine; after the server

enum health_endpoint { HEALTH_LIVE, HEALTH_READY }; // /healthz, /readyz
// False: not well, and why (shown at the check's own path only). Called for each request: be quick.
typedef bool (*health_check)(void *context, struct error *error);
// `check` NULL is always well. `name` is copied. An endpoint without checks is well.
void health_add(struct health *health, enum health_endpoint endpoint, const char *name,
                health_check check, void *context);
void health_serve(struct health *health, struct web_server *server);
