#include "engine/requirements/memo.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

void memo_free(struct memo *memo)
{
    free(memo->keys);
    free(memo->values);
    *memo = (struct memo){0};
}

static void insert(struct memo *memo, uint64_t key, uint32_t value)
{
    uint64_t slot = memo_slot(key, memo->capacity);
    while (memo->keys[slot] != 0 && memo->keys[slot] != key)
        slot = (slot + 1) & (memo->capacity - 1);
    memo->count += memo->keys[slot] == 0;
    memo->keys[slot] = key;
    memo->values[slot] = value;
}

static void grow(struct memo *memo)
{
    struct memo larger = {.capacity = memo->capacity == 0 ? 16 : 2 * memo->capacity};
    larger.keys = memory_allocate_array(larger.capacity, sizeof *larger.keys);
    larger.values = memory_allocate_array(larger.capacity, sizeof *larger.values);
    for (uint32_t i = 0; i < memo->capacity; i++)
        if (memo->keys[i] != 0)
            insert(&larger, memo->keys[i], memo->values[i]);
    assert(larger.count == memo->count);
    memo_free(memo);
    *memo = larger;
}

void memo_set(struct memo *memo, uint32_t a, uint32_t b, uint32_t value)
{
    assert(value != MEMO_NONE);
    if (2 * memo->count >= memo->capacity)
        grow(memo);
    insert(memo, ((uint64_t)a << 32 | b) + 1, value);
}
