#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text_sort.h"

#define ITEMS 500

static int compare(const void *a, const void *b)
{
    const struct text_sort_item *x = a, *y = b;
    int order = strcmp(x->first, y->first);
    if (order == 0)
        order = strcmp(x->second, y->second);
    return order != 0 ? order : x->item < y->item ? -1 : x->item > y->item;
}

static void check(struct text_sort_item *items, uint32_t count)
{
    struct text_sort_item *expected = memory_copy(items, count * sizeof *items);
    qsort(expected, count, sizeof *expected, compare);
    text_sort(items, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(items[i].item, expected[i].item);
    text_sort(items, count); // in order already
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(items[i].item, expected[i].item);
    free(expected);
}

// Lengths around that of a chunk, common beginnings, equal texts, and bytes above ASCII.
static void texts_are_sorted_by_bytes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "a",
        "aaaaaaa",
        "aaaaaaaa",
        "aaaaaaaaa",
        "aaaaaaab",
        "aaaaaaaaaaaaaaaa",
        "aaaaaaaaaaaaaaaab",
        "b",
        "\xc3\xa9",
        "\xff",
        "aaaaaaaa\xff",
        "-",
        "web-1",
        "web-10",
        "web-2",
        "aaaaaaaaaaaaaaaaaaaaaaaaa",
    };
    struct random random = {0};
    random_seed(&random, 1);
    struct text_sort_item items[ITEMS];
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < ITEMS; i++)
            items[i] = (struct text_sort_item){texts[random_below(&random, ARRAY_LENGTH(texts))],
                                               texts[random_below(&random, ARRAY_LENGTH(texts))],
                                               ITEMS - i};
        check(items, 1 + (uint32_t)random_below(&random, ITEMS));
    }
    check(items, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_sorted_by_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
