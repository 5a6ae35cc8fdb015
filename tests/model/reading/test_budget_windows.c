// The windows of budgets, and their changes (DIS-110 to DIS-119, DIS-705, DIS-777).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/reading/budget_windows.h"

static int64_t at(const char *text)
{
    int64_t instant;
    assert_true(instant_parse(text, &instant, NULL));
    return instant;
}

static struct node_pool_budget scheduled(const char *schedule, const char *duration)
{
    struct node_pool_budget budget = {.nodes = "0", .schedule = schedule};
    budget.duration.text = duration;
    assert_true(duration_parse(duration, &budget.duration.nanoseconds, NULL));
    return budget;
}

static void check(const char *schedule, const char *duration, const char *now, const char *start,
                  const char *end)
{
    struct node_pool_budget budget = scheduled(schedule, duration);
    struct budget_window window;
    assert_true(budget_next_window(&budget, at(now), &window));
    assert_true(window.start == at(start));
    assert_true(window.end == (end != NULL ? at(end) : INT64_MAX));
}

static void windows_of_schedules_DIS_111_DIS_112(void **state)
{
    (void)state;
    check("0 22 * * *", "8h", "2026-01-01T12:00:00Z", "2026-01-01T22:00:00Z",
          "2026-01-02T06:00:00Z");
    check("0 22 * * *", "8h", "2026-01-02T05:59:59Z", "2026-01-01T22:00:00Z",
          "2026-01-02T06:00:00Z");
    check("0 22 * * *", "8h", "2026-01-02T06:00:00Z", "2026-01-02T22:00:00Z",
          "2026-01-03T06:00:00Z"); // the end is exclusive
    check("0 9 * * mon-fri", "24h", "2026-01-05T12:00:00Z", "2026-01-05T09:00:00Z",
          "2026-01-10T09:00:00Z"); // five adjacent windows
    check("*/10 9-10 * * *", "10m", "2026-01-05T12:00:00Z", "2026-01-06T09:00:00Z",
          "2026-01-06T11:00:00Z");
    check("*/10 9-10 * * *", "9m", "2026-01-05T12:00:00Z", "2026-01-06T09:00:00Z",
          "2026-01-06T09:09:00Z");
    check("* * * 1-11 *", "1m", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z",
          "2026-12-01T00:00:00Z");
}

static void windows_without_end_DIS_110_DIS_111_DIS_113(void **state)
{
    (void)state;
    struct budget_window window;
    check("* * * * *", "1m", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z", NULL);
    check("@daily", "24h", "2026-03-01T12:00:00Z", "2026-03-01T00:00:00Z", NULL);
    check("@monthly", "745h", "2026-03-01T12:00:00Z", "2026-02-01T00:00:00Z", NULL);
    struct node_pool_budget never_hits = scheduled("0 0 31 2 *", "1h");
    assert_true(budget_next_window(&never_hits, at("2026-01-01T00:00:00Z"), &window));
    assert_true(window.start == INT64_MIN && window.end == INT64_MAX);
    struct node_pool_budget plain = {.nodes = "1"};
    assert_true(budget_next_window(&plain, 0, &window));
    assert_true(window.start == INT64_MIN && window.end == INT64_MAX);
    struct node_pool_budget nothing = scheduled("@daily", "0h");
    assert_false(budget_next_window(&nothing, 0, &window));
    struct node_pool_budget bad = scheduled("TZ=UTC 0 0 * * *", "1h"); // DIS-116
    assert_false(budget_next_window(&bad, 0, &window));
}

// A part of a schedule: a star, a step, a number or a range.
static void add_field(struct random *random, char *out, size_t size, int low, int high)
{
    size_t length = strlen(out);
    int from = low + (int)random_below(random, (uint64_t)(high - low + 1));
    int to = from + (int)random_below(random, (uint64_t)(high - from + 1));
    const char *space = length > 0 ? " " : "";
    switch (random_below(random, 4)) {
    case 0:
        snprintf(out + length, size - length, "%s*", space);
        break;
    case 1:
        snprintf(out + length, size - length, "%s*/%d", space, 1 + from);
        break;
    case 2:
        snprintf(out + length, size - length, "%s%d", space, from);
        break;
    default:
        snprintf(out + length, size - length, "%s%d-%d", space, from, to);
    }
}

// The window agrees with a walk over all minutes.
static void check_against_a_walk(const struct node_pool_budget *budget, int64_t now)
{
    struct budget_window window;
    struct error error;
    bool active, found = budget_next_window(budget, now, &window);
    for (int64_t minute = 0; minute < 3 * 24 * 60; minute++) {
        int64_t instant = now + minute * MINUTE;
        assert_true(budget_is_active(budget, instant, &active, &error));
        if (found && instant >= window.end)
            return (void)assert_false(active);
        assert_int_equal(active, found && instant >= window.start);
    }
}

static void windows_agree_with_a_plain_search_DIS_111(void **state)
{
    (void)state;
    static const char *const durations[] = {"1m", "7m", "1h", "90m", "12h", "24h", "100h"};
    struct random random;
    random_seed(&random, 7);
    for (int i = 0; i < 300; i++) {
        char schedule[100] = "";
        add_field(&random, schedule, sizeof schedule, 0, 59);
        add_field(&random, schedule, sizeof schedule, 0, 23);
        add_field(&random, schedule, sizeof schedule, 1, 28);
        strcat(schedule, " * *");
        struct node_pool_budget budget =
            scheduled(schedule, durations[random_below(&random, ARRAY_LENGTH(durations))]);
        check_against_a_walk(&budget, at("2026-01-01T00:00:00Z") +
                                          (int64_t)random_below(&random, 31 * 24 * 60) * MINUTE);
    }
}

static void values_DIS_118_DIS_777(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        int64_t total, expected; // -1: an error
    } cases[] = {{"10%", 1, 1},
                 {"10%", 11, 2},
                 {"3", 1, 3},
                 {"4294967296", 5, 0},
                 {"4294967299", 5, 3},
                 {"2147483648", 5, 0},
                 {"2147483647", 5, 2147483647},
                 {"9223372036854775808", 5, -1},
                 {"", 5, -1},
                 {"x", 5, -1}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct node_pool_budget budget = {.nodes = cases[i].nodes};
        struct error error;
        int64_t nodes;
        bool fine = budget_nodes(&budget, cases[i].total, &nodes, &error);
        assert_int_equal(fine, cases[i].expected >= 0);
        if (fine)
            assert_true(nodes == cases[i].expected);
    }
}

// The same words for any order of the reasons in the NodePool.
static void reasons_are_told_in_one_order_DIS_796(void **state)
{
    (void)state;
    static const char *orders[][3] = {{"Underutilized", "Empty", "Drifted"},
                                      {"Drifted", "Underutilized", "Empty"}};
    for (size_t i = 0; i < 2; i++) {
        struct node_pool_budget budget = {.nodes = "3", .reasons = {orders[i], 3}};
        struct text text = {0};
        budget_describe(&budget, &text);
        assert_string_equal(text.data, "nodes \"3\" for Drifted, Empty and Underutilized");
        text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_of_schedules_DIS_111_DIS_112),
        cmocka_unit_test(windows_without_end_DIS_110_DIS_111_DIS_113),
        cmocka_unit_test(windows_agree_with_a_plain_search_DIS_111),
        cmocka_unit_test(values_DIS_118_DIS_777),
        cmocka_unit_test(reasons_are_told_in_one_order_DIS_796),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
