// Prefetches memory that is read soon. Objects are scattered, so a walk in any other order than
// theirs misses the cache at each. A loop that prefetches the next objects while it handles one
// hides the latency.
#pragma once

#include <stddef.h>

// In objects: enough to cover the latency of memory, few enough for the caches.
#define PREFETCH_AHEAD 6

static inline void prefetch_bytes(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)from + i);
}
