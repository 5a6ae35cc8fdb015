// Converts an API server's refusal, a Status object or a bare HTTP status, into a struct error.
// Shared by every transport, so that the simulated API server and a real one give the same errors.
#pragma once

#include <jansson.h>

#include "base/error.h"

// Fills *error: the kind by Status.reason, then by the code (HTTP status, or Status.code if that is
// 0); the message is Status.message, or "<what> answered <code>" if there is none. Returns false.
bool status_to_error(int http_status, const json_t *body, const char *what, struct error *error);
// Status.details.retryAfterSeconds in nanoseconds, 0 if absent.
int64_t status_retry_after_ns(const json_t *body);
