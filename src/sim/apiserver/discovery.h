// Discovery: /api, /apis and below (legacy and aggregated), /version, health, and as much of the
// OpenAPI documents as clients request.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "sim/store/store.h"

// Answers a GET of a path that is no resource: *body (new reference) or *text (the caller frees),
// and *content_type (static) unless it is JSON. Returns false for an unknown path.
bool discovery_answer(struct store *store, const char *path, const char *accept, json_t **body,
                      const char **content_type, char **text);
