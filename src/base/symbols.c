#include "base/symbols.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define SYMBOLS_SLOTS_FIRST 64 // a power of two

// Open addressing with linear probes over symbol + 1 (0: free); never more than half full.
struct symbols {
    struct arena *texts_arena;
    const char **texts;
    uint64_t *hashes;
    uint32_t count, capacity;
    uint32_t *slots;
    uint32_t slots_count;
};

static uint32_t symbols_slot(const struct symbols *symbols, const char *text, uint64_t hash);
static void symbols_grow_slots(struct symbols *symbols);

struct symbols *symbols_create(void)
{
    struct symbols *symbols = memory_allocate(sizeof *symbols);
    symbols->texts_arena = arena_create(1024);
    symbols->slots_count = SYMBOLS_SLOTS_FIRST;
    symbols->slots = memory_allocate_array(symbols->slots_count, sizeof *symbols->slots);
    return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    arena_destroy(symbols->texts_arena);
    free(symbols->texts);
    free(symbols->hashes);
    free(symbols->slots);
    free(symbols);
}

uint32_t symbols_intern(struct symbols *symbols, const char *text)
{
    assert(text != NULL);
    uint64_t hash = hash_string(text);
    uint32_t slot = symbols_slot(symbols, text, hash);
    if (symbols->slots[slot] != 0)
        return symbols->slots[slot] - 1;

    assert(symbols->count < UINT32_MAX / 4);
    if (symbols->count == symbols->capacity) {
        symbols->capacity = symbols->capacity == 0 ? 32 : symbols->capacity * 2;
        symbols->texts = memory_resize(symbols->texts, symbols->capacity * sizeof *symbols->texts);
        symbols->hashes =
            memory_resize(symbols->hashes, symbols->capacity * sizeof *symbols->hashes);
    }
    uint32_t symbol = symbols->count++;
    symbols->texts[symbol] = arena_copy_string(symbols->texts_arena, text);
    symbols->hashes[symbol] = hash;
    symbols->slots[slot] = symbol + 1;
    if (symbols->count > symbols->slots_count / 2)
        symbols_grow_slots(symbols);
    assert(symbols->count <= symbols->slots_count / 2);
    return symbol;
}

uint32_t symbols_find(const struct symbols *symbols, const char *text)
{
    assert(text != NULL);
    uint32_t slot = symbols_slot(symbols, text, hash_string(text));
    return symbols->slots[slot] == 0 ? SYMBOL_NONE : symbols->slots[slot] - 1;
}

// The slot that holds the text, or the free one where it belongs.
static uint32_t symbols_slot(const struct symbols *symbols, const char *text, uint64_t hash)
{
    assert(symbols->count < symbols->slots_count);
    uint32_t mask = symbols->slots_count - 1;
    uint32_t slot = (uint32_t)hash & mask;
    for (; symbols->slots[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t symbol = symbols->slots[slot] - 1;
        if (symbols->hashes[symbol] == hash && strcmp(symbols->texts[symbol], text) == 0)
            break;
    }
    return slot;
}

static void symbols_grow_slots(struct symbols *symbols)
{
    assert(symbols->slots_count <= UINT32_MAX / 2);
    free(symbols->slots);
    symbols->slots_count *= 2;
    assert((symbols->slots_count & (symbols->slots_count - 1)) == 0);
    symbols->slots = memory_allocate_array(symbols->slots_count, sizeof *symbols->slots);
    uint32_t mask = symbols->slots_count - 1;
    for (uint32_t symbol = 0; symbol < symbols->count; symbol++) {
        uint32_t slot = (uint32_t)symbols->hashes[symbol] & mask;
        while (symbols->slots[slot] != 0)
            slot = (slot + 1) & mask;
        symbols->slots[slot] = symbol + 1;
    }
}

const char *symbols_text(const struct symbols *symbols, uint32_t symbol)
{
    assert(symbol < symbols->count);
    return symbols->texts[symbol];
}

uint32_t symbols_count(const struct symbols *symbols)
{
    return symbols->count;
}
