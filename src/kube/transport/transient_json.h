// JSON values that are read once and dropped, such as those of a watch event: hundreds of tiny
// blocks, whose allocation on the heap would be the larger part of the effort. They come from one
// block, which is reused when all are freed.
#pragma once

#include <jansson.h>

// As json_loadb() with JSON_ALLOW_NUL. A long-lived value works too, but delays the reuse of the
// block; allocations that no longer fit come from the heap. Any thread may call it and free values.
json_t *transient_json(const char *text, size_t length, json_error_t *why);
