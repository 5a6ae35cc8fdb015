#include "control/cmocka_all.h"

#include "base/duration.h"
#include "control/batcher.h"

static const struct batcher_window window = {SECOND, 10 * SECOND};

static void idle_window_closes_SCH_13(void **state)
{
    (void)state;
    struct batcher batcher;
    batcher_init(&batcher);
    assert_true(batcher_due(&batcher, &window) == INT64_MAX);
    assert_true(batcher_trigger(&batcher, "a", 5 * SECOND));
    assert_true(batcher_due(&batcher, &window) == 6 * SECOND);
    assert_true(batcher_trigger(&batcher, "b", 5 * SECOND + 900 * MILLISECOND));
    assert_true(batcher_due(&batcher, &window) == 6 * SECOND + 900 * MILLISECOND);
    batcher_free(&batcher);
}

static void longest_window_closes_SCH_13(void **state)
{
    (void)state;
    struct batcher batcher;
    batcher_init(&batcher);
    char uid[16];
    for (int i = 0; i < 20; i++) {
        snprintf(uid, sizeof uid, "%d", i);
        batcher_trigger(&batcher, uid, i * 900 * MILLISECOND);
    }
    assert_true(batcher_due(&batcher, &window) == 10 * SECOND);
    batcher_free(&batcher);
}

static void known_uid_does_not_extend_SCH_14(void **state)
{
    (void)state;
    struct batcher batcher;
    batcher_init(&batcher);
    batcher_trigger(&batcher, "a", 0);
    assert_false(batcher_trigger(&batcher, "a", 900 * MILLISECOND));
    assert_true(batcher_due(&batcher, &window) == SECOND);
    batcher_close(&batcher);
    assert_true(batcher_due(&batcher, &window) == INT64_MAX);
    assert_true(batcher_trigger(&batcher, "a", 2 * SECOND)); // forgotten with the batch
    batcher_free(&batcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_window_closes_SCH_13),
        cmocka_unit_test(longest_window_closes_SCH_13),
        cmocka_unit_test(known_uid_does_not_extend_SCH_14),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
