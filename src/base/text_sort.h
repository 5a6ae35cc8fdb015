// Sorting by texts, for lists so long that following pointers at each comparison is what it costs.
#pragma once

#include <stdint.h>

struct text_sort_item {
    const char *first, *second; // never NULL
    uint32_t item;              // the caller's; different ones
};
// By the first text, then the second, both by bytes, then by `item`. Linear if they are in order
// already; else each text is read once or a few times, eight bytes at a time.
void text_sort(struct text_sort_item *items, uint32_t count);
