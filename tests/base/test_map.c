#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/symbols.h"

static void map_sets_gets_and_removes(void **state)
{
    (void)state;
    struct map *map = map_create();
    int one = 1, two = 2;
    assert_null(map_get(map, "a"));
    assert_null(map_remove(map, "a"));
    assert_null(map_set(map, "a", &one));
    assert_ptr_equal(map_set(map, "a", &two), &one);
    assert_ptr_equal(map_get(map, "a"), &two);
    assert_ptr_equal(map_get_bytes(map, "abc", 1), &two);
    assert_null(map_get_bytes(map, "abc", 2));
    assert_null(map_set(map, "", &one));
    assert_ptr_equal(map_get(map, ""), &one);
    assert_int_equal(map_count(map), 2);
    assert_ptr_equal(map_remove(map, "a"), &two);
    assert_int_equal(map_count(map), 1);
    map_destroy(map, NULL);
    map_destroy(NULL, NULL);
}

static void map_ensures_a_value(void **state)
{
    (void)state;
    struct map *map = map_create();
    int *one = map_ensure(map, "a", sizeof *one);
    assert_int_equal(*one, 0);
    *one = 1;
    assert_ptr_equal(map_ensure(map, "a", sizeof *one), one);
    assert_ptr_not_equal(map_ensure(map, "b", sizeof *one), one);
    assert_int_equal(map_count(map), 2);
    map_destroy(map, free);
}

static void map_keeps_the_order_of_insertion(void **state)
{
    (void)state;
    struct map *map = map_create();
    char key[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key-%d", i * 7919 % 5000);
        map_set(map, key, memory_copy_string(key));
    }
    assert_int_equal(map_count(map), 5000);
    int index = 0;
    for (struct map_entry *entry = map_first(map), *next; entry != NULL; entry = next) {
        next = map_next(entry);
        snprintf(key, sizeof key, "key-%d", index * 7919 % 5000);
        assert_string_equal(map_key(entry), key);
        assert_string_equal(map_value(entry), key);
        if (index++ % 2 == 0)
            free(map_remove(map, map_key(entry)));
    }
    assert_int_equal(map_count(map), 2500);
    // A removed key comes last when it is set again; an overwritten key keeps its place.
    free(map_set(map, "key-0", memory_copy_string("again")));
    free(map_set(map, "key-2919", memory_copy_string("over")));
    const char *last = NULL;
    for (struct map_entry *entry = map_first(map); entry != NULL; entry = map_next(entry))
        last = map_key(entry);
    assert_string_equal(last, "key-0");
    map_destroy(map, free);
}

static void symbols_are_dense_and_stable(void **state)
{
    (void)state;
    struct symbols *symbols = symbols_create();
    char text[32];
    assert_int_equal(symbols_find(symbols, "t0"), SYMBOL_NONE);
    for (uint32_t i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "t%u", i);
        assert_int_equal(symbols_intern(symbols, text), i);
    }
    const char *first = symbols_text(symbols, 0);
    for (uint32_t i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "t%u", i);
        assert_int_equal(symbols_intern(symbols, text), i);
        assert_int_equal(symbols_find(symbols, text), i);
        assert_string_equal(symbols_text(symbols, i), text);
    }
    assert_ptr_equal(symbols_text(symbols, 0), first);
    assert_int_equal(symbols_intern(symbols, ""), 3000);
    assert_int_equal(symbols_count(symbols), 3001);
    assert_int_equal(symbols_find(symbols, "t3000"), SYMBOL_NONE);
    symbols_destroy(symbols);
    symbols_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_sets_gets_and_removes),
        cmocka_unit_test(map_ensures_a_value),
        cmocka_unit_test(map_keeps_the_order_of_insertion),
        cmocka_unit_test(symbols_are_dense_and_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
