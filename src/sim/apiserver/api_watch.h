// Watches: initial events, selectors over changing objects, bookmarks, timeoutSeconds.
#pragma once

#include "sim/apiserver/api_internal.h"
#include "sim/apiserver/api_request.h"

bool call_watch(struct api_call *call);
void api_watch_start(struct api_watch *watch, const struct api_watch_handlers *handlers);
void api_watch_destroy(struct api_watch *watch); // NULL is fine
