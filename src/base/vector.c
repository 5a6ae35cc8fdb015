#include "base/vector.h"

#include <assert.h>

#define VECTOR_CAPACITY_FIRST 8

void *vector_grow(void *items, uint32_t count, uint32_t *capacity, size_t item_size)
{
    assert(item_size > 0);
    assert(count <= *capacity);
    assert(count < UINT32_MAX);
    uint32_t grown = *capacity == 0               ? VECTOR_CAPACITY_FIRST
                     : *capacity > UINT32_MAX / 2 ? UINT32_MAX
                                                  : *capacity * 2;
    size_t bytes;
    bool overflow = __builtin_mul_overflow((size_t)grown, item_size, &bytes);
    assert(!overflow);
    *capacity = grown;
    return memory_resize(items, bytes);
}
