// Fixed-size bit sets over arena memory; sizes are in bits, storage in 64-bit words.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

struct bitset {
    uint64_t *words;
    uint32_t bits;
};

static inline uint32_t bitset_words(uint32_t bits)
{
    return (bits + 63) / 64;
}
static inline struct bitset bitset_create(struct arena *arena, uint32_t bits)
{
    return (struct bitset){arena_allocate_array(arena, bitset_words(bits) + 1, 8), bits};
}
static inline void bitset_set(struct bitset set, uint32_t bit)
{
    assert(bit < set.bits);
    set.words[bit >> 6] |= UINT64_C(1) << (bit & 63);
}
static inline void bitset_clear(struct bitset set, uint32_t bit)
{
    assert(bit < set.bits);
    set.words[bit >> 6] &= ~(UINT64_C(1) << (bit & 63));
}
static inline bool bitset_has(struct bitset set, uint32_t bit)
{
    return bit < set.bits && (set.words[bit >> 6] >> (bit & 63) & 1);
}
static inline void bitset_copy(struct bitset to, struct bitset from)
{
    assert(to.bits == from.bits);
    memcpy(to.words, from.words, bitset_words(from.bits) * 8);
}
static inline void bitset_fill(struct bitset set)
{
    for (uint32_t i = 0; i < set.bits; i++)
        bitset_set(set, i);
}
static inline void bitset_reset(struct bitset set)
{
    memset(set.words, 0, bitset_words(set.bits) * 8);
}
static inline void bitset_and(struct bitset set, struct bitset other)
{
    assert(set.bits == other.bits);
    for (uint32_t w = 0; w < bitset_words(set.bits); w++)
        set.words[w] &= other.words[w];
}
static inline void bitset_or(struct bitset set, struct bitset other)
{
    assert(set.bits == other.bits);
    for (uint32_t w = 0; w < bitset_words(set.bits); w++)
        set.words[w] |= other.words[w];
}
static inline uint32_t bitset_count(struct bitset set)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < bitset_words(set.bits); w++)
        count += (uint32_t)__builtin_popcountll(set.words[w]);
    return count;
}
static inline bool bitset_empty(struct bitset set)
{
    for (uint32_t w = 0; w < bitset_words(set.bits); w++)
        if (set.words[w] != 0)
            return false;
    return true;
}
// The first set bit at or after `from`, or set.bits if there is none.
static inline uint32_t bitset_next(struct bitset set, uint32_t from)
{
    for (uint32_t w = from >> 6; w < bitset_words(set.bits); w++) {
        uint64_t word = set.words[w];
        if (w == from >> 6)
            word &= ~UINT64_C(0) << (from & 63);
        if (word != 0)
            return w * 64 + (uint32_t)__builtin_ctzll(word);
    }
    return set.bits;
}
#define bitset_for_each(bit, set) \
    for (uint32_t bit = bitset_next((set), 0); bit < (set).bits; bit = bitset_next((set), bit + 1))
