// get and list: resourceVersion, paging, selectors, tables.
#pragma once

#include "sim/apiserver/api_internal.h"

// Each sets the answer in call->response, or returns false with call->failure set.
bool call_get(struct api_call *call);
bool call_list(struct api_call *call);
bool version_parse(const char *text, uint64_t *version); // a resourceVersion
