// get and list: resourceVersion, paging, selectors, tables.
#pragma once

#include "sim/apiserver/api_internal.h"

// Each ends with an answer in call->response or false with call->failure set.
bool call_get(struct api_call *call);
bool call_list(struct api_call *call);
bool version_parse(const char *text, uint64_t *version); // a resourceVersion
// The continue token: version and key. The caller frees the text.
char *continue_encode(uint64_t version, const char *key);
bool continue_decode(const char *token, uint64_t *version, char **key);
