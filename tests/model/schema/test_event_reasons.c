// The table of events (LIF-370). tests/rules-coverage checks that the book has the rules.
#include "model/helpers.h"

#include <ctype.h>

#include "model/schema/event_reasons.h"

static void assert_camel_case(const char *name)
{
    assert_true(isupper((unsigned char)*name));
    for (const char *at = name; *at != '\0'; at++)
        assert_true(isalnum((unsigned char)*at));
}

static void every_event_has_a_whole_row_LIF_370(void **state)
{
    (void)state;
    for (int i = 0; i < EVENT_REASONS_COUNT; i++) {
        const enum event_reason reason = (enum event_reason)i;
        const struct event_row *row = event_row(reason);
        if (reason != EVENT_CONDITION_TRANSITIONED)
            assert_camel_case(event_name(reason));
        assert_true(row->kinds != 0 && row->window_ns > 0);
        assert_true(row->meaning != NULL && strlen(row->meaning) > 20);
        assert_true(row->rule != NULL && row->rule[3] == '-');
        assert_true((row->rate > 0) == (row->burst > 0));
    }
}

// A name has one limiter and one series of windows.
static void rows_of_one_name_are_about_different_kinds(void **state)
{
    (void)state;
    for (int i = 0; i < EVENT_REASONS_COUNT; i++)
        for (int k = 0; k < i; k++) {
            const struct event_row *a = event_row((enum event_reason)i);
            const struct event_row *b = event_row((enum event_reason)k);
            if (a->name == NULL || b->name == NULL || strcmp(a->name, b->name) != 0)
                continue;
            assert_int_equal(a->type, b->type);
            assert_true((a->kinds & b->kinds) == 0);
        }
}

static void windows_and_limits_are_those_of_the_rules_LIF_370_SCH_392(void **state)
{
    (void)state;
    assert_int_equal(event_row(EVENT_EVICTED)->window_ns, 2 * MINUTE);
    assert_int_equal(event_row(EVENT_FAILED_SCHEDULING)->window_ns, 5 * MINUTE);
    assert_int_equal(event_row(EVENT_DISRUPTION_BLOCKED)->window_ns, 2 * MINUTE);
    assert_int_equal(event_row(EVENT_DISRUPTION_BLOCKED_POOL)->window_ns, MINUTE);
    assert_int_equal(event_row(EVENT_NODE_REPAIR_BLOCKED)->window_ns, 15 * MINUTE);
    assert_true(event_row(EVENT_NOMINATED)->rate == 5 && event_row(EVENT_NOMINATED)->burst == 10);
    assert_true(event_row(EVENT_EVICTED)->rate == 0);
    assert_int_equal(event_row(EVENT_FAILED_DRAINING)->type, EVENT_WARNING);
    assert_int_equal(event_row(EVENT_UNCONSOLIDATABLE)->type, EVENT_NORMAL);
}

static void kinds_are_those_that_events_are_about(void **state)
{
    (void)state;
    assert_true(event_is_of(EVENT_NOMINATED, KIND_POD));
    assert_false(event_is_of(EVENT_NOMINATED, KIND_NODE));
    for (int kind = 0; kind < KIND_COUNT; kind++)
        assert_true(event_is_of(EVENT_UNREADABLE, (enum kind_id)kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_has_a_whole_row_LIF_370),
        cmocka_unit_test(rows_of_one_name_are_about_different_kinds),
        cmocka_unit_test(windows_and_limits_are_those_of_the_rules_LIF_370_SCH_392),
        cmocka_unit_test(kinds_are_those_that_events_are_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
