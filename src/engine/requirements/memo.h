// Memo of pure functions: maps a pair of identifiers to one identifier. Open addressing; it grows
// and never evicts. `MEMO_NONE` cannot be stored.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MEMO_NONE UINT32_MAX

struct memo {
    uint64_t *keys; // key + 1; 0: empty
    uint32_t *values;
    uint32_t capacity, count;
};

void memo_free(struct memo *memo);
void memo_set(struct memo *memo, uint32_t a, uint32_t b, uint32_t value);

static inline uint64_t memo_slot(uint64_t key, uint32_t capacity)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (key ^ key >> 29) & (capacity - 1);
}

static inline uint32_t memo_get(const struct memo *memo, uint32_t a, uint32_t b)
{
    if (memo->capacity == 0)
        return MEMO_NONE;
    uint64_t key = ((uint64_t)a << 32 | b) + 1;
    for (uint64_t slot = memo_slot(key, memo->capacity);;
         slot = (slot + 1) & (memo->capacity - 1)) {
        if (memo->keys[slot] == key)
            return memo->values[slot];
        if (memo->keys[slot] == 0)
            return MEMO_NONE;
    }
}
