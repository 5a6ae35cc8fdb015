#include "base/text_sort.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct chunked {
    uint64_t chunk; // the next bytes of the text, the first one weighing most; zeroes after its end
    const char *at; // after the chunk
    uint32_t index; // in `items`
};

static int compare_items(const struct text_sort_item *x, const struct text_sort_item *y)
{
    int order = strcmp(x->first, y->first);
    if (order == 0)
        order = strcmp(x->second, y->second);
    return order != 0 ? order : x->item < y->item ? -1 : x->item > y->item;
}

static bool is_sorted(const struct text_sort_item *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (compare_items(&items[i - 1], &items[i]) > 0)
            return false;
    return true;
}

static void read_chunk(struct chunked *entry)
{
    entry->chunk = 0;
    for (int shift = 56; shift >= 0 && *entry->at != '\0'; shift -= 8)
        entry->chunk |= (uint64_t)(unsigned char)*entry->at++ << shift;
}

static int compare_chunks(const void *a, const void *b)
{
    const struct chunked *x = a, *y = b;
    return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static int compare_numbers(const void *a, const void *b, void *context)
{
    const struct text_sort_item *items = context;
    uint32_t x = items[((const struct chunked *)a)->index].item;
    uint32_t y = items[((const struct chunked *)b)->index].item;
    return x < y ? -1 : x > y;
}

// Sorts entries that are equal up to `at`, in the first texts or, if `second`, in the second ones.
static void sort_run(struct text_sort_item *items, struct chunked *run, uint32_t count, bool second)
{
    assert(count > 0);
    for (uint32_t i = 0; i < count; i++)
        read_chunk(&run[i]);
    qsort(run, count, sizeof *run, compare_chunks);
    for (uint32_t from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && run[end].chunk == run[from].chunk; end++)
            ;
        bool ended = (run[from].chunk & 0xff) == 0;
        if (end - from == 1)
            continue;
        if (ended && second) {
            qsort_r(&run[from], end - from, sizeof *run, compare_numbers, items);
            continue;
        }
        for (uint32_t i = from; ended && i < end; i++)
            run[i].at = items[run[i].index].second;
        sort_run(items, &run[from], end - from, second || ended);
    }
}

void text_sort(struct text_sort_item *items, uint32_t count)
{
    assert(items != NULL || count == 0);
    if (is_sorted(items, count))
        return;
    assert(count > 1);
    CLEANUP_FREE struct chunked *run = memory_allocate_array(count, sizeof *run);
    CLEANUP_FREE struct text_sort_item *copy = memory_copy(items, count * sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        run[i] = (struct chunked){.at = items[i].first, .index = i};
    sort_run(copy, run, count, false);
    for (uint32_t i = 0; i < count; i++)
        items[i] = copy[run[i].index];
    assert(compare_items(&items[0], &items[1]) < 0);
    assert(compare_items(&items[count - 2], &items[count - 1]) < 0);
}

void text_add_sorted_lines(struct text *text, char **lines, uint32_t count)
{
    if (count > 0)
        qsort(lines, count, sizeof *lines, text_compare);
    for (uint32_t i = 0; i < count; i++) {
        text_format(text, "\n%s", lines[i]);
        free(lines[i]);
    }
}
