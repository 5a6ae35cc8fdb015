// OpenAPI documents to the extent that kubectl reads them: operations with fieldValidation and
// dryRun, and schemas for kubectl explain, made from the tables. Strategic merge keys are left out;
// clients then use their built-in ones.
#pragma once

#include <jansson.h>

#include "sim/store/store.h"

json_t *openapi_v2(void); // without definitions: clients that find no kind there ask discovery
char *openapi_v2_protobuf(void); // the same as gnostic's Document; the caller frees it
json_t *openapi_v3_index(struct store *store);
// The document of "api/v1" or "apis/GROUP/VERSION"; NULL if that group version is not served.
json_t *openapi_v3(struct store *store, const char *group, const char *version);
