// Sorts long lists of texts, where following a pointer at each comparison dominates the cost.
#pragma once

#include <stdint.h>

#include "base/text.h"

struct text_sort_item {
    const char *first, *second; // never NULL
    uint32_t item;              // the caller's; different ones
};
// Orders by the first text, then the second, both by bytes, then by `item`. Linear if already in
// order; otherwise reads each text once or a few times, eight bytes at a time.
void text_sort(struct text_sort_item *items, uint32_t count);
// Appends each line after a newline, in byte order, and frees the lines, not the array.
void text_add_sorted_lines(struct text *text, char **lines, uint32_t count);
