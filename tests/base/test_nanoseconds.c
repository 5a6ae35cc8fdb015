#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/memory.h"
#include "base/nanoseconds.h"

// The same sums in 128 bits, truncated.
static int64_t cut(__int128 exact)
{
    return exact > INT64_MAX ? INT64_MAX : exact < INT64_MIN ? INT64_MIN : (int64_t)exact;
}

static const int64_t values[] = {
    INT64_MIN,
    INT64_MIN + 1,
    -INT64_C(9000000000000000000),
    -HOUR,
    -SECOND,
    -1,
    0,
    1,
    2,
    SECOND,
    HOUR,
    INT64_C(1767225600) * SECOND,
    INT64_C(9000000000000000000),
    INT64_MAX - 1,
};

static void sums_saturate(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++)
        for (size_t j = 0; j < ARRAY_LENGTH(values); j++) {
            int64_t a = values[i], b = values[j];
            assert_true(ns_add(a, b) == cut((__int128)a + b));
            assert_true(ns_subtract(a, b) == cut((__int128)a - b));
            assert_true(ns_multiply(a, b) == cut((__int128)a * b));
        }
}

static void never_stays_never(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
        assert_true(ns_add(NS_NEVER, values[i]) == NS_NEVER);
        assert_true(ns_add(values[i], NS_NEVER) == NS_NEVER);
        assert_true(ns_subtract(NS_NEVER, values[i]) == NS_NEVER);
        assert_true(ns_minimum(NS_NEVER, values[i]) == values[i]);
        assert_true(ns_maximum(NS_NEVER, values[i]) == NS_NEVER);
    }
    assert_true(ns_subtract(0, NS_NEVER) <
                -INT64_C(9000000000000000000)); // before any real instant
}

static void seconds_there_and_back(void **state)
{
    (void)state;
    assert_true(ns_from_seconds(1.5) == 3 * SECOND / 2);
    assert_true(ns_from_seconds(-1.5) == -3 * SECOND / 2);
    assert_true(ns_from_seconds(1e300) == INT64_MAX);
    assert_true(ns_from_seconds(-1e300) == INT64_MIN);
    assert_true(ns_from_seconds(NAN) == INT64_MAX);
    assert_true(ns_to_seconds(1500 * MILLISECOND) == 1.5);
    assert_true(ns_truncate(3 * SECOND + 1, SECOND) == 3 * SECOND);
    assert_true(ns_truncate(-3 * SECOND - 1, SECOND) == -3 * SECOND);
    assert_true(ns_truncate(INT64_MIN, SECOND) == -INT64_C(9223372036) * SECOND);
}

// A condition may have a time in the year 1.
static void seconds_between_far_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++)
        for (size_t j = 0; j < ARRAY_LENGTH(values); j++) {
            int64_t span = cut((__int128)values[j] - values[i]);
            assert_true(seconds_between(values[i], values[j]) ==
                        (span > 0 ? (double)span / SECOND : 0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_saturate),
        cmocka_unit_test(never_stays_never),
        cmocka_unit_test(seconds_there_and_back),
        cmocka_unit_test(seconds_between_far_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
