// Asks for memory that will be read soon. Objects lie scattered: who walks through many of them in
// an order of his own waits for each, unless he asks for the next ones while he looks at this one.
#pragma once

#include <stddef.h>

#define PREFETCH_AHEAD 6 // objects; further than memory is away, not as far as caches reach

static inline void prefetch_bytes(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)from + i);
}
