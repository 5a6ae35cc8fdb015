// Discovery: /api, /apis and below (legacy and aggregated), /version, health, and the OpenAPI
// documents in the measure in which clients ask for them.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "sim/store/store.h"

// Answers a GET of a path that is no resource: *body (new reference) or *text (the caller frees),
// and *content_type (static) if it is not JSON's own. False: there is no such path.
bool discovery_answer(struct store *store, const char *path, const char *accept, json_t **body,
                      const char **content_type, char **text);
