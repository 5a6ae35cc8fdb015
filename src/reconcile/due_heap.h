// A heap of due times, the earliest first; equal times in order of insertion. An entry is embedded
// in its owner and knows its index, so removal is O(log n). An entry must not be copied while it is
// in the heap.
#pragma once

#include "base/vector.h"

struct due {
    int64_t at_ns;  // valid while it is in the heap
    uint64_t order; // equal times: first come, first served
    uint32_t index; // 1-based; 0: not in the heap
};
struct due_heap { // all 0: empty; release with due_heap_free()
    VECTOR(struct due *) entries;
    uint64_t orders;
};
void due_heap_free(struct due_heap *heap);

// An entry already in the heap keeps the earlier of both times.
void due_heap_put(struct due_heap *heap, struct due *due, int64_t at_ns);
void due_heap_remove(struct due_heap *heap, struct due *due); // which need not be in it
struct due *due_heap_first(const struct due_heap *heap);      // NULL: none
