#include "support/cmocka_all.h"

#include "reconcile/manager.h"
#include "reconcile/wake.h"

enum target { TARGET_FIRST, TARGET_OTHER };

struct woken {
    uint32_t count;
    const char *key;
};

static void note(void *context, const char *key)
{
    struct woken *woken = context;
    woken->count++;
    woken->key = key;
}

// A key reaches the target's receiver alone.
static void test_wakes_its_target(void **state)
{
    (void)state;
    struct manager manager = {0};
    struct woken first = {0}, second = {0};
    wake_register(&manager, TARGET_FIRST, note, &first);
    wake_register(&manager, TARGET_OTHER, note, &second);
    wake(&manager, TARGET_OTHER, "a");
    assert_int_equal(first.count, 0);
    assert_int_equal(second.count, 1);
    assert_string_equal(second.key, "a");
}

// A target that is disabled or destroyed receives nothing.
static void test_nobody_is_there(void **state)
{
    (void)state;
    struct manager manager = {0};
    struct woken first = {0};
    wake(&manager, TARGET_FIRST, "a");
    wake_register(&manager, TARGET_FIRST, note, &first);
    wake_register(&manager, TARGET_FIRST, NULL, NULL);
    wake(&manager, TARGET_FIRST, "b");
    assert_int_equal(first.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wakes_its_target),
        cmocka_unit_test(test_nobody_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
