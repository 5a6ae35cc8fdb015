#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "base/cron.h"
#include "base/duration.h"
#include "base/memory.h"
#include "base/random.h"

static int64_t instant(const char *text)
{
    int64_t nanoseconds = 0;
    assert_true(instant_parse(text, &nanoseconds, NULL));
    return nanoseconds;
}

static void cron_next_hits_DIS_114_DIS_115_DIS_116(void **state)
{
    (void)state;
    static const struct {
        const char *schedule, *after, *next; // NULL: none
    } cases[] = {
        {"* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"},
        {"* * * * *", "2026-01-01T00:00:59.999999999Z", "2026-01-01T00:01:00Z"},
        {"* * * * *", "1969-12-31T23:58:30Z", "1969-12-31T23:59:00Z"},
        {"0 9 * * *", "2026-01-01T08:59:59.999999999Z", "2026-01-01T09:00:00Z"},
        {"0 9 * * *", "2026-01-01T09:00:00Z", "2026-01-02T09:00:00Z"},
        {"0 9 * * mon-fri", "2026-01-02T09:00:00Z", "2026-01-05T09:00:00Z"},
        {"0 9 * * MON-FRI", "2026-01-02T09:00:00Z", "2026-01-05T09:00:00Z"},
        {"0 0 * * sun", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
        {"*/15 * * * *", "2026-01-01T00:46:00Z", "2026-01-01T01:00:00Z"},
        {"5/20 * * * *", "2026-01-01T00:06:00Z", "2026-01-01T00:25:00Z"},
        {"10-30/10 * * * *", "2026-01-01T00:30:00Z", "2026-01-01T01:10:00Z"},
        {"0 22-23,1 * * *", "2026-01-01T01:00:00Z", "2026-01-01T22:00:00Z"},
        {"59 23 31 12 *", "2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z"},
        {"0 0 29 feb *", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
        {"0 0 31 2 *", "2026-01-01T00:00:00Z", NULL},
        {", * * * *", "2026-01-01T00:00:00Z", NULL},
        {"0 0 29 2 *", "2096-02-29T00:00:00Z", NULL}, // 2100 is no leap year: over five years
        {"0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},
        {"0 0 13 * *", "2026-01-01T00:00:00Z", "2026-01-13T00:00:00Z"},
        {"0 0 ? * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},
        {"0 0 */1 * 1", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z"}, // */1 is a star
        {"0 0 */2 * 1", "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"}, // */2 is none
        {"0 0 1,* * 1", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z"},
        {"0 0 1 1/3 *", "2026-01-02T00:00:00Z", "2026-04-01T00:00:00Z"},
        {"0 0 1 */100 *", "2026-01-02T00:00:00Z", "2027-01-01T00:00:00Z"},
        {"30 1-23/22 * * *", "2026-01-01T01:30:00Z", "2026-01-01T23:30:00Z"},
        {"  0\t9  *\n* * ", "2026-01-01T00:00:00Z", "2026-01-01T09:00:00Z"},
        {"1,,2 * * * *", "2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"},
        {"+5 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z"},
        {"@yearly", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
        {"@annually", "2026-06-01T00:00:00Z", "2027-01-01T00:00:00Z"},
        {"@monthly", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
        {"@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
        {"@daily", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},
        {" @midnight ", "2026-01-01T23:59:59Z", "2026-01-02T00:00:00Z"},
        {"@hourly", "2026-12-31T23:00:00Z", "2027-01-01T00:00:00Z"},
        {"* * * * *", "2262-04-11T23:47:16Z", NULL}, // beyond what an instant holds
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct cron cron;
        struct error error;
        if (!cron_parse(cases[i].schedule, &cron, &error))
            fail_msg("%s: %s", cases[i].schedule, error.message);
        int64_t wanted = cases[i].next == NULL ? INT64_MAX : instant(cases[i].next);
        int64_t next = cron_next(&cron, instant(cases[i].after));
        char text[INSTANT_TEXT_MAX];
        instant_format(next, text);
        if (next != wanted)
            fail_msg("%s after %s gave %s", cases[i].schedule, cases[i].after, text);
    }
}

static void cron_refusals_API_34_DIS_116_DIS_117(void **state)
{
    (void)state;
    static const struct {
        const char *schedule, *why;
    } cases[] = {
        {"", "empty spec string"},
        {"  ", "empty spec string"},
        {"* * * *", "expected exactly 5 fields, found 4: * * * *"},
        {"0 0 0 * * *", "expected exactly 5 fields, found 6"},
        {"TZ=UTC 0 0 * * *", "expected exactly 5 fields, found 6"},
        {"CRON_TZ=UTC 0 0 * * *", "expected exactly 5 fields"},
        {"TZ=UTC * * * *", "failed to parse int: TZ=UTC"},
        {"@dailyfoo", "unrecognized descriptor: @dailyfoo"},
        {"@daily foo", "unrecognized descriptor"},
        {"@Daily", "unrecognized descriptor"},
        {"@every 1h", "unrecognized descriptor"},
        {"@reboot", "unrecognized descriptor"},
        {"60 * * * *", "end of range (60) above maximum (59): 60"},
        {"* 24 * * *", "end of range (24) above maximum (23): 24"},
        {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
        {"* * 32 * *", "above maximum (31)"},
        {"* * * 13 *", "above maximum (12)"},
        {"* * * 0 *", "below minimum (1)"},
        {"* * * * 7", "end of range (7) above maximum (6): 7"},
        {"* * * * tue-mon", "beginning of range (2) beyond end of range (1): tue-mon"},
        {"* * * * monday", "failed to parse int: monday"},
        {"jan * * * *", "failed to parse int: jan"},
        {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
        {"1/2/3 * * * *", "too many slashes: 1/2/3"},
        {"*/0 * * * *", "step of range should be a positive number: */0"},
        {"*/-1 * * * *", "negative number"},
        {"*/ * * * *", "failed to parse int"},
        {"1- * * * *", "failed to parse int"},
        {"-1 * * * *", "failed to parse int"},
        {"a * * * *", "failed to parse int: a"},
        {"** * * * *", "failed to parse int: **"},
        {"99999999999999999999 * * * *", "failed to parse int"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct cron cron;
        struct error error = {0};
        if (cron_parse(cases[i].schedule, &cron, &error))
            fail_msg("%s was accepted", cases[i].schedule);
        assert_int_equal(error.kind, ERROR_INVALID);
        if (strstr(error.message, cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].schedule, error.message);
    }
}

static bool hits(const struct cron *cron, int64_t minute)
{
    time_t seconds = (time_t)(minute / SECOND);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    bool day = cron->days >> tm.tm_mday & 1, weekday = cron->weekdays >> tm.tm_wday & 1;
    bool any_star = cron->any_day || cron->any_weekday;
    return (cron->minutes >> tm.tm_min & 1) && (cron->hours >> tm.tm_hour & 1) &&
           (cron->months >> (tm.tm_mon + 1) & 1) && (any_star ? day && weekday : day || weekday);
}

// Compared with the plainest search: every minute in turn, by the C library's calendar.
static void cron_next_agrees_with_a_plain_search_DIS_114(void **state)
{
    (void)state;
    static const char *const schedules[] = {"7,33 3-9/3 * * *", "*/7 */5 */9 * *",
                                            "0 12 1-7 * 1",     "59 23 * jan-mar/2 0,6",
                                            "0 0 31 * *",       "15 6 ? * 3"};
    struct random random;
    random_seed(&random, 1);
    for (size_t i = 0; i < ARRAY_LENGTH(schedules); i++) {
        struct cron cron;
        assert_true(cron_parse(schedules[i], &cron, NULL));
        for (int round = 0; round < 10; round++) {
            int64_t at = instant("2026-01-01T00:00:00Z") +
                         (int64_t)random_below(&random, 3 * 366 * 24 * 60) * MINUTE;
            int64_t minute = at + MINUTE;
            while (!hits(&cron, minute))
                minute += MINUTE;
            assert_true(cron_next(&cron, at) == minute);
            assert_true(cron_next(&cron, minute - 1) == minute);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cron_next_hits_DIS_114_DIS_115_DIS_116),
        cmocka_unit_test(cron_refusals_API_34_DIS_116_DIS_117),
        cmocka_unit_test(cron_next_agrees_with_a_plain_search_DIS_114),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
