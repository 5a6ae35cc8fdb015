// OpenAPI documents in the measure in which kubectl reads them: which operations take
// fieldValidation and dryRun, and schemas for kubectl explain, made from the tables. Strategic
// merge keys are not given, so that clients fall back on the ones that they know.
#pragma once

#include <jansson.h>

#include "sim/store/store.h"

json_t *openapi_v2(struct store *store);
json_t *openapi_v3_index(struct store *store);
// The document of "api/v1" or "apis/GROUP/VERSION"; NULL if that is not served.
json_t *openapi_v3(struct store *store, const char *group, const char *version);
