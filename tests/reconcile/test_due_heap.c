#include "support/cmocka_all.h"

#include "reconcile/due_heap.h"

#define ENTRIES 200

static void the_earliest_comes_first_and_equal_ones_in_order(void **state)
{
    struct due_heap heap = {0};
    struct due entries[ENTRIES] = {0};
    (void)state;
    assert_null(due_heap_first(&heap));
    for (uint32_t i = 0; i < ENTRIES; i++)
        due_heap_put(&heap, &entries[i], i * 7919 % 50);
    for (uint32_t i = 0; i < ENTRIES; i += 3)
        due_heap_remove(&heap, &entries[i]);
    due_heap_remove(&heap, &entries[0]); // not in it
    const struct due *before = NULL;
    uint32_t count = 0;
    for (struct due *due; (due = due_heap_first(&heap)) != NULL; count++) {
        if (before != NULL)
            assert_true(before->at_ns < due->at_ns ||
                        (before->at_ns == due->at_ns && before->order < due->order));
        due_heap_remove(&heap, due);
        assert_int_equal(due->index, 0);
        before = due;
    }
    assert_int_equal(count, ENTRIES - (ENTRIES + 2) / 3);
    due_heap_free(&heap);
}

static void the_earliest_of_several_times_counts(void **state)
{
    struct due_heap heap = {0};
    struct due one = {0}, other = {0};
    (void)state;
    due_heap_put(&heap, &one, 5);
    due_heap_put(&heap, &other, 4);
    due_heap_put(&heap, &one, 9);
    assert_int_equal(one.at_ns, 5);
    due_heap_put(&heap, &one, 3);
    assert_ptr_equal(due_heap_first(&heap), &one);
    due_heap_remove(&heap, &one);
    assert_ptr_equal(due_heap_first(&heap), &other);
    due_heap_free(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_comes_first_and_equal_ones_in_order),
        cmocka_unit_test(the_earliest_of_several_times_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
