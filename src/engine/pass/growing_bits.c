#include "engine/pass/growing_bits.h"

#include <assert.h>
#include <string.h>

#include "base/bitset.h"
#include "base/memory.h"

void growing_bits_extend(struct growing_bits *bits, uint32_t count)
{
    assert(count > 0); // else the bit was NONE
    uint32_t needed = bitset_words(count);
    if (needed <= bits->words_count)
        return;
    uint32_t larger = 2 * bits->words_count > needed ? 2 * bits->words_count : needed;
    bits->words = memory_resize(bits->words, larger * sizeof *bits->words);
    memset(bits->words + bits->words_count, 0, (larger - bits->words_count) * sizeof *bits->words);
    bits->words_count = larger;
}
