#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/memory.h"
#include "base/vector.h"

static void memory_is_zeroed_and_copied(void **state)
{
    (void)state;
    CLEANUP_FREE unsigned char *bytes = memory_allocate(100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(bytes[i], 0);
    CLEANUP_FREE uint64_t *words = memory_allocate_array(10, sizeof *words);
    assert_true(words[9] == 0);
    CLEANUP_FREE char *copy = memory_copy_string("abc");
    assert_string_equal(copy, "abc");
    assert_null(memory_copy_string(NULL));
    CLEANUP_FREE char *part = memory_copy("abcdef", 3);
    assert_memory_equal(part, "abc", 3);
    CLEANUP_FREE void *nothing = memory_copy(NULL, 0);
    assert_non_null(nothing);
    copy = memory_resize(copy, 1000);
    assert_string_equal(copy, "abc");
}

static void arena_memory_is_aligned_and_zeroed(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(0);
    for (size_t size = 0; size < 700; size++) {
        unsigned char *bytes = arena_allocate(arena, size);
        assert_int_equal((uintptr_t)bytes % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xAB, size);
    }
}

static void arena_empty_requests_differ(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(64);
    assert_ptr_not_equal(arena_allocate(arena, 0), arena_allocate(arena, 0));
}

static void arena_reset_keeps_the_largest_block(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    assert_int_equal(arena_bytes(arena), 0);
    arena_allocate(arena, 10);
    arena_allocate(arena, 3 * 1024 * 1024);
    arena_allocate(arena, 5000);
    size_t before = arena_bytes(arena);
    assert_true(before > 3 * 1024 * 1024 + 5000);
    arena_reset(arena);
    size_t kept = arena_bytes(arena);
    assert_true(kept > 3 * 1024 * 1024 && kept < before);
    unsigned char *bytes = arena_allocate(arena, 3 * 1024 * 1024);
    for (size_t i = 0; i < 3 * 1024 * 1024; i += 4096)
        assert_int_equal(bytes[i], 0);
    assert_int_equal(arena_bytes(arena), kept);
}

static void arena_texts(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(256);
    assert_null(arena_copy_string(arena, NULL));
    assert_string_equal(arena_copy_string(arena, "pool"), "pool");
    assert_string_equal(arena_copy_bytes(arena, "abcdef", 3), "abc");
    assert_string_equal(arena_copy_bytes(arena, NULL, 0), "");
    assert_string_equal(arena_format(arena, "%s-%d", "node", 7), "node-7");
    char *wide = arena_format(arena, "%5000d", 1);
    assert_int_equal(strlen(wide), 5000);
    arena_destroy(NULL);
}

static void vector_grows(void **state)
{
    (void)state;
    VECTOR(int) numbers = {0};
    for (int i = 0; i < 10000; i++)
        vector_push(&numbers, i);
    assert_int_equal(numbers.count, 10000);
    int expected = 0;
    vector_for_each (number, &numbers)
        assert_int_equal(*number, expected++);
    assert_int_equal(expected, 10000);
    vector_free(&numbers);
    assert_null(numbers.items);
    assert_int_equal(numbers.count, 0);
    vector_for_each (number, &numbers)
        fail();
}

static void bitset_operations(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(256);
    struct bitset a = bitset_create(arena, 130), b = bitset_create(arena, 130);
    assert_true(bitset_empty(a));
    bitset_set(a, 0);
    bitset_set(a, 64);
    bitset_set(a, 129);
    assert_int_equal(bitset_count(a), 3);
    assert_true(bitset_has(a, 129));
    assert_false(bitset_has(a, 128));
    assert_false(bitset_has(a, 1000));
    uint32_t seen = 0, sum = 0;
    bitset_for_each (bit, a) {
        seen++;
        sum += bit;
    }
    assert_int_equal(seen, 3);
    assert_int_equal(sum, 193);
    bitset_fill(b);
    assert_int_equal(bitset_count(b), 130);
    bitset_clear(b, 64);
    bitset_and(b, a);
    assert_int_equal(bitset_count(b), 2);
    bitset_copy(b, a);
    assert_int_equal(bitset_count(b), 3);
    assert_int_equal(bitset_next(a, 65), 129);
    assert_int_equal(bitset_next(a, 130), 130);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_copied),
        cmocka_unit_test(arena_memory_is_aligned_and_zeroed),
        cmocka_unit_test(arena_empty_requests_differ),
        cmocka_unit_test(arena_reset_keeps_the_largest_block),
        cmocka_unit_test(arena_texts),
        cmocka_unit_test(vector_grows),
        cmocka_unit_test(bitset_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
