// Values that are read once and dropped, as those of a watch event are: hundreds of tiny blocks an
// event, for which the heap would be the larger part of the effort. They come from one block that
// is begun anew when all are gone.
#pragma once

#include <jansson.h>

// As json_loadb() with JSON_ALLOW_NUL. A value that stays for long is right, too, but keeps that
// block from being begun anew: what does not fit any more comes from the heap. Any thread may call
// it, and drop values.
json_t *transient_json(const char *text, size_t length, json_error_t *why);
