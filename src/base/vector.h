// Growable typed arrays. `struct { T *items; uint32_t count, capacity; }` declared by VECTOR(T).
#pragma once

#include <stdint.h>

#include "base/memory.h"

#define VECTOR(type)       \
    struct {               \
        type *items;       \
        uint32_t count;    \
        uint32_t capacity; \
    }

// Returns memory for one more item than `count`; used by the macros below.
void *vector_grow(void *items, uint32_t count, uint32_t *capacity, size_t item_size);

#define vector_push(vector, ...)                                                                 \
    do {                                                                                         \
        if ((vector)->count == (vector)->capacity)                                               \
            (vector)->items = vector_grow((vector)->items, (vector)->count, &(vector)->capacity, \
                                          sizeof *(vector)->items);                              \
        (vector)->items[(vector)->count++] = __VA_ARGS__;                                        \
    } while (0)

#define vector_free(vector)                       \
    do {                                          \
        free((vector)->items);                    \
        (vector)->items = NULL;                   \
        (vector)->count = (vector)->capacity = 0; \
    } while (0)

#define vector_for_each(item, vector)                            \
    for (__typeof__((vector)->items + 0) item = (vector)->items; \
         (vector)->count != 0 && item < (vector)->items + (vector)->count; item++)
