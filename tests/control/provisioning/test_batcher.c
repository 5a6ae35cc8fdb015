#include <stdio.h>

#include "support/cmocka_all.h"

#include "base/duration.h"
#include "control/provisioning/batcher.h"

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
    assert_false(batcher_close(&batcher, &window, 0));
    assert_true(batcher_due(&batcher, &window) == INT64_MAX);
    assert_true(batcher_trigger(&batcher, "a", 2 * SECOND)); // forgotten with the batch
    batcher_free(&batcher);
}

static void a_wave_is_looked_at_while_it_comes_SCH_527(void **state)
{
    (void)state;
    static const struct batcher_window eager = {SECOND, 10 * SECOND, true};
    struct batcher batcher;
    char uid[16];
    batcher_init(&batcher);
    int64_t now = 0;
    uint32_t early = 0;
    for (int i = 0; now < 30 * SECOND; i++, now += SECOND / 10) { // triggers never stop
        snprintf(uid, sizeof uid, "%d", i);
        batcher_trigger(&batcher, uid, now);
        if (now < batcher_due(&batcher, &eager))
            continue;
        if (batcher_close(&batcher, &eager, now))
            early++;
        else
            break;
    }
    assert_true(early >= 8);
    assert_true(now >= 10 * SECOND && now < 12 * SECOND); // as long as one batch may last
    batcher_trigger(&batcher, "last", now);
    assert_int_equal(batcher_due(&batcher, &eager), now + SECOND);
    assert_false(batcher_close(&batcher, &eager, now + SECOND)); // quiet: not early
    batcher_free(&batcher);
}

// Workloads applied together arrive in sequence: one plan for all justifies a wait.
static void a_wave_that_workloads_join_is_waited_for_SCH_527(void **state)
{
    (void)state;
    struct batcher_window joining = {SECOND, 10 * SECOND, true};
    struct batcher batcher;
    batcher_init(&batcher);
    char uid[16];
    for (int i = 0; i < 10; i++) { // pods come all the time
        snprintf(uid, sizeof uid, "%d", i);
        batcher_trigger(&batcher, uid, SECOND + i * SECOND / 2);
    }
    joining.settled_ns = 3500 * MILLISECOND;
    assert_int_equal(batcher_due(&batcher, &joining), 3500 * MILLISECOND);
    joining.settled_ns = INT64_MAX; // the end of the arrivals is unknown
    assert_int_equal(batcher_due(&batcher, &joining), 5 * SECOND);
    joining.settled_ns = 0;
    assert_int_equal(batcher_due(&batcher, &joining), 2 * SECOND);
    batcher_free(&batcher);
}

static void a_finished_wave_closes_after_a_tenth_SCH_527(void **state)
{
    (void)state;
    static const struct batcher_window finished = {SECOND, 10 * SECOND, true, true};
    struct batcher batcher;
    batcher_init(&batcher);
    batcher_trigger(&batcher, "a", 5 * SECOND);
    batcher_trigger(&batcher, "b", 5 * SECOND + 50 * MILLISECOND);
    assert_int_equal(batcher_due(&batcher, &finished), 5 * SECOND + 150 * MILLISECOND);
    // The wave is over: later pods form another one.
    assert_false(batcher_close(&batcher, &finished, 5 * SECOND + 150 * MILLISECOND));
    assert_int_equal(batcher.wave_ns, 0);
    batcher_free(&batcher);
}

static void a_timer_that_fires_first_closes_SCH_13_and_a_trigger_opens_again_SCH_15(void **state)
{
    (void)state;
    struct batcher batcher;
    batcher_init(&batcher);
    batcher_trigger(&batcher, "a", 0);
    assert_false(batcher_close(&batcher, &window, SECOND));
    assert_true(batcher_due(&batcher, &window) == INT64_MAX); // nothing without a trigger
    batcher_trigger(&batcher, "b", 3 * SECOND);
    assert_true(batcher_due(&batcher, &window) == 4 * SECOND);
    batcher_free(&batcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_is_looked_at_while_it_comes_SCH_527),
        cmocka_unit_test(a_wave_that_workloads_join_is_waited_for_SCH_527),
        cmocka_unit_test(a_finished_wave_closes_after_a_tenth_SCH_527),
        cmocka_unit_test(a_timer_that_fires_first_closes_SCH_13_and_a_trigger_opens_again_SCH_15),
        cmocka_unit_test(idle_window_closes_SCH_13),
        cmocka_unit_test(longest_window_closes_SCH_13),
        cmocka_unit_test(known_uid_does_not_extend_SCH_14),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
