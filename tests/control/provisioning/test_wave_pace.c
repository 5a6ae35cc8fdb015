// The pace at which a wave is created, and in what time the rest of it comes (SCH-527).
#include "support/cmocka_all.h"

#include "base/nanoseconds.h"
#include "control/provisioning/wave_pace.h"

// So many pods, evenly from one instant to the other.
static void create(struct wave_pace *pace, uint32_t pods, int64_t from_ns, int64_t to_ns)
{
    for (uint32_t i = 0; i < pods; i++)
        wave_pace_note(pace, from_ns + (to_ns - from_ns) * i / pods);
}

static void a_young_wave_says_nothing_SCH_527(void **state)
{
    (void)state;
    struct wave_pace pace = {0};
    assert_int_equal(wave_pace_left_ns(&pace, HOUR, 1000), 0);
    wave_pace_note(&pace, HOUR);
    assert_int_equal(wave_pace_left_ns(&pace, HOUR + 100 * MILLISECOND, 1000), 0);
    assert_int_equal(wave_pace_left_ns(&pace, HOUR + SECOND, 0), 0);
}

static void an_even_pace_goes_on_SCH_527(void **state)
{
    (void)state;
    struct wave_pace pace = {0};
    create(&pace, 100, HOUR, HOUR + 5 * SECOND);
    assert_int_equal(wave_pace_left_ns(&pace, HOUR + 5 * SECOND, 200), 10 * SECOND);
}

// A controller that may send thirty requests at once seems to be quick at first.
static void only_the_last_moments_count_SCH_527(void **state)
{
    (void)state;
    struct wave_pace pace = {0};
    create(&pace, 30, HOUR, HOUR + 10 * MILLISECOND);
    create(&pace, 20, HOUR + 10 * MILLISECOND, HOUR + SECOND);
    int64_t left_ns = wave_pace_left_ns(&pace, HOUR + SECOND, 1000);
    assert_in_range(left_ns, 40 * SECOND, 60 * SECOND);
    create(&pace, 400, HOUR + SECOND, HOUR + 3 * SECOND);
    assert_int_equal(wave_pace_left_ns(&pace, HOUR + 3 * SECOND, 1000), 5 * SECOND);
}

static void a_pause_begins_another_wave_SCH_527(void **state)
{
    (void)state;
    struct wave_pace pace = {0};
    create(&pace, 100, HOUR, HOUR + SECOND);
    int64_t later_ns = HOUR + 10 * SECOND;
    wave_pace_note(&pace, later_ns);
    assert_int_equal(pace.begun_ns, later_ns);
    assert_int_equal(wave_pace_left_ns(&pace, later_ns + 100 * MILLISECOND, 1000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_young_wave_says_nothing_SCH_527),
        cmocka_unit_test(an_even_pace_goes_on_SCH_527),
        cmocka_unit_test(only_the_last_moments_count_SCH_527),
        cmocka_unit_test(a_pause_begins_another_wave_SCH_527),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
