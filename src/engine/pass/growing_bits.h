// A bit set that grows as needed; heap memory. Bits beyond its end are 0.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct growing_bits {
    uint64_t *words;
    uint32_t words_count;
};
void growing_bits_extend(struct growing_bits *bits, uint32_t count); // makes room for `count` bits
static inline void growing_bits_free(struct growing_bits *bits)
{
    free(bits->words);
}
static inline bool growing_bits_have(const struct growing_bits *bits, uint32_t bit)
{
    return bit >> 6 < bits->words_count && (bits->words[bit >> 6] >> (bit & 63) & 1);
}
static inline void growing_bits_set(struct growing_bits *bits, uint32_t bit)
{
    growing_bits_extend(bits, bit + 1);
    bits->words[bit >> 6] |= UINT64_C(1) << (bit & 63);
}
