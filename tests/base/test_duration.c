#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"

static void duration_values_API_19(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t nanoseconds;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"+0", 0},
        {"0s", 0},
        {"5s", 5 * SECOND},
        {"1h30m", 90 * MINUTE},
        {"30m1h", 90 * MINUTE},
        {"1s1s", 2 * SECOND},
        {"720h", 720 * HOUR},
        {"-1.5h", -90 * MINUTE},
        {"+5s", 5 * SECOND},
        {".5s", SECOND / 2},
        {"5.s", 5 * SECOND},
        {"1.0000000005s", SECOND},
        {"300ms", 300 * MILLISECOND},
        {"12us", 12 * MICROSECOND},
        {"12\xC2\xB5s", 12 * MICROSECOND},
        {"12\xCE\xBCs", 12 * MICROSECOND},
        {"7ns", 7},
        {"0.3333333333333333333h", 20 * MINUTE},
        {"9007199254740993ns", INT64_C(9007199254740993)},
        {"9223372036854775807ns", INT64_MAX},
        {"-9223372036854775808ns", INT64_MIN},
        {"2562047h47m16.854775807s", INT64_MAX},
        {"0.100000000000000000000h", 6 * MINUTE},
        {"0.830103483285477580700h", INT64_C(2988372539827)},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        int64_t nanoseconds = 42;
        if (!duration_parse(cases[i].text, &nanoseconds, NULL) ||
            nanoseconds != cases[i].nanoseconds)
            fail_msg("%s gave %lld", cases[i].text, (long long)nanoseconds);
    }
}

static void duration_refusals_API_603(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "3",
        "-",
        "+",
        "s",
        ".",
        ".s",
        "-.s",
        "1d",
        "1 h",
        " 1h",
        "1h ",
        "1h-5m",
        "--1h",
        "1H",
        "Never",
        "00",
        "1h0",
        "1.1.1s",
        "1e3s",
        "0x1s",
        "2562048h",
        "9223372036854775808ns",
        "-9223372036854775809ns",
        "2562047h47m16.854775808s",
        "99999999999999999999999h",
        "9223372036854775808ns9223372036854775808ns",
        "-9223372036854775808ns9223372036854775808ns",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        int64_t nanoseconds = 42;
        struct error error = {0};
        if (duration_parse(texts[i], &nanoseconds, &error))
            fail_msg("\"%s\" gave %lld", texts[i], (long long)nanoseconds);
        assert_int_equal(error.kind, ERROR_INVALID);
        assert_int_equal(nanoseconds, 42);
    }
}

static void duration_texts_API_20(void **state)
{
    (void)state;
    static const struct {
        int64_t nanoseconds;
        const char *text;
    } cases[] = {
        {0, "0s"},
        {1, "1ns"},
        {-1, "-1ns"},
        {999, "999ns"},
        {1100, "1.1\xC2\xB5s"},
        {2200000, "2.2ms"},
        {300 * MILLISECOND, "300ms"},
        {1500 * MILLISECOND, "1.5s"},
        {90 * SECOND, "1m30s"},
        {48 * HOUR, "48h0m0s"},
        {90 * MINUTE, "1h30m0s"},
        {5 * MINUTE + 5 * SECOND + 1, "5m5.000000001s"},
        {-HOUR, "-1h0m0s"},
        {INT64_MAX, "2562047h47m16.854775807s"},
        {INT64_MIN, "-2562047h47m16.854775808s"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char text[DURATION_TEXT_MAX];
        duration_format(cases[i].nanoseconds, text);
        assert_string_equal(text, cases[i].text);
        int64_t again;
        assert_true(duration_parse(text, &again, NULL));
        assert_true(again == cases[i].nanoseconds);
    }
}

static void instant_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t nanoseconds;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01T00:00:00+00:00", 0},
        {"1970-01-01T00:00:00-00:00", 0},
        {"1970-01-01T01:30:00+01:30", 0},
        {"1969-12-31T18:00:00-06:00", 0},
        {"1969-12-31T23:59:59Z", -SECOND},
        {"1969-12-31T23:59:59.999999999Z", -1},
        {"2026-01-01T00:00:00Z", INT64_C(1767225600) * SECOND},
        {"2024-02-29T12:00:00Z", INT64_C(1709208000) * SECOND},
        {"2000-02-29T00:00:00Z", INT64_C(951782400) * SECOND},
        {"2026-01-01T00:00:00.5Z", INT64_C(1767225600) * SECOND + SECOND / 2},
        {"2026-01-01T00:00:00.1234567899Z", INT64_C(1767225600) * SECOND + 123456789},
        {"2026-01-01T00:00:00.000000000000000000001Z", INT64_C(1767225600) * SECOND},
        {"2262-04-11T23:47:16.854775807Z", INT64_MAX},
        {"1677-09-21T00:12:43.145224192Z", INT64_MIN},
        // Beyond the range of an instant: saturates.
        {"2262-04-11T23:47:16.854775808Z", INT64_MAX},
        {"2279-11-05T08:53:20Z", INT64_MAX},
        {"9999-12-31T23:59:59.999999999-23:59", INT64_MAX},
        {"1677-09-21T00:12:43.145224191Z", INT64_MIN},
        {"0001-01-01T00:00:00Z", INT64_MIN},
        {"0000-01-01T00:00:00+23:59", INT64_MIN},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        int64_t nanoseconds = 42;
        if (!instant_parse(cases[i].text, &nanoseconds, NULL) ||
            nanoseconds != cases[i].nanoseconds)
            fail_msg("%s gave %lld", cases[i].text, (long long)nanoseconds);
    }
}

static void instant_refusals(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "2026",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "2026-01-01t00:00:00Z",
        "2026-01-01T00:00:00z",
        "2026-1-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-32T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-12-31T23:59:60Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00,5Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+01:60",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00+01",
        "2026-01-01T00:00:00ZZ",
        "2026-01-01T00:00:00Z ",
        " 2026-01-01T00:00:00Z",
        "+2026-01-01T00:00:00Z",
        "20260101T000000Z",
        "2026-01-01T0:00:00Z",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        int64_t nanoseconds;
        struct error error = {0};
        if (instant_parse(texts[i], &nanoseconds, &error))
            fail_msg("\"%s\" gave %lld", texts[i], (long long)nanoseconds);
        assert_int_equal(error.kind, ERROR_INVALID);
    }
}

static void instant_texts(void **state)
{
    (void)state;
    char text[INSTANT_TEXT_MAX];
    int64_t instant = INT64_C(1767225600) * SECOND + 123456789;
    instant_format(instant, text);
    assert_string_equal(text, "2026-01-01T00:00:00Z");
    instant_format_milli(instant, text);
    assert_string_equal(text, "2026-01-01T00:00:00.123Z");
    instant_format_micro(instant, text);
    assert_string_equal(text, "2026-01-01T00:00:00.123456Z");
    instant_format_milli(-1, text);
    assert_string_equal(text, "1969-12-31T23:59:59.999Z");
    instant_format(INT64_MAX, text);
    assert_string_equal(text, "2262-04-11T23:47:16Z");
    instant_format_micro(INT64_MIN, text);
    assert_string_equal(text, "1677-09-21T00:12:43.145224Z");
}

static void instant_every_day_of_the_range_there_and_back(void **state)
{
    (void)state;
    for (int64_t day = -106751; day <= 106750; day++) {
        char text[INSTANT_TEXT_MAX];
        int64_t again;
        instant_format(day * 24 * HOUR + day % 24 * HOUR, text);
        assert_true(instant_parse(text, &again, NULL));
        assert_true(again == day * 24 * HOUR + day % 24 * HOUR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duration_values_API_19),
        cmocka_unit_test(duration_refusals_API_603),
        cmocka_unit_test(duration_texts_API_20),
        cmocka_unit_test(instant_values),
        cmocka_unit_test(instant_refusals),
        cmocka_unit_test(instant_texts),
        cmocka_unit_test(instant_every_day_of_the_range_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
