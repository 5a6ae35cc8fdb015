// What is learned of the use of cpu (SCH-507): a PodMetrics is read, shares are smoothed, the value
// in use follows in coarse steps.
#include "base/duration.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "control/learning/cpu_use_estimate.h"
#include "control/learning/pod_usage.h"
#include "support/cmocka_all.h"

#define NOW    (INT64_C(1767225600) * SECOND) // 2026-01-01T00:00:00Z
#define AT(t)  "'timestamp': '" t "', "
#define FRESH  AT("2025-12-31T23:59:30Z")
#define PERIOD (5 * MINUTE)

// --- PodMetrics ----------------------------------------------------------------------------------

static json_t *json_of(const char *text)
{
    CLEANUP_FREE char *copy = memory_copy_string(text);
    for (char *at = copy; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    return json_loads(copy, JSON_DECODE_ANY, NULL);
}

static bool reads(const char *text, int64_t *nanocores)
{
    json_t *json = json_of(text);
    bool fine = pod_usage_read(json, NOW, nanocores);
    json_decref(json);
    return fine;
}

static void usage_is_that_of_all_containers_SCH_507(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t nanocores;
    } table[] = {
        {"{" FRESH "'containers': [{'name': 'a', 'usage': {'cpu': '12345678n', 'memory': '1Ki'}}]}",
         12345678},
        {"{" FRESH "'containers': [{'usage': {'cpu': '0'}}, {'usage': {'cpu': '250m'}}, "
         "{'usage': {'cpu': '1500u'}}]}",
         251500000},
        // metrics-server's clock may differ by some minutes.
        {"{" AT("2026-01-01T00:05:00Z") "'containers': [{'usage': {'cpu': '2'}}]}", 2000000000},
        {"{" FRESH "'containers': [{'usage': {'cpu': '1e4'}}]}", INT64_C(10000000000000)},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
        int64_t nanocores;
        assert_true(reads(table[i].text, &nanocores));
        assert_true(nanocores == table[i].nanocores);
    }
}

static void whatever_else_is_answered_is_no_usage_SCH_507(void **state)
{
    (void)state;
#define OF(cpu) "{" FRESH "'containers': [{'usage': {'cpu': " cpu "}}]}"
    static const char *const table[] = {
        "[]", "{}", "null", "7", "'text'", "{" FRESH "'containers': []}",
        "{" FRESH "'containers': {'usage': {'cpu': '1'}}}", "{" FRESH "'containers': [1]}",
        "{" FRESH "'containers': [{'name': 'a'}]}",
        // One container without usage is reason enough: the pod uses more than the others do.
        "{" FRESH "'containers': [{'usage': {'cpu': '1'}}, {'usage': {'memory': '1'}}]}",
        "{'containers': [{'usage': {'cpu': '1'}}]}",
        "{" AT("yesterday") "'containers': [{'usage': {'cpu': '1'}}]}",
        "{" AT("2025-12-31T23:00:00Z") "'containers': [{'usage': {'cpu': '1'}}]}",
        "{" AT("2026-01-01T01:00:00Z") "'containers': [{'usage': {'cpu': '1'}}]}",
        "{" AT("0001-01-01T00:00:00Z") "'containers': [{'usage': {'cpu': '1'}}]}", OF("1"),
        OF("null"), OF("''"), OF("'-1'"), OF("'-5n'"), OF("'NaN'"), OF("'nan'"), OF("'inf'"),
        OF("'1 '"), OF("'1x'"), OF("'10001'"), OF("'9223372036854775807'"),
        OF("'99999999999999999999E'"), OF("'1e99'"),
        // Each is possible; their sum is not.
        "{" FRESH "'containers': [{'usage': {'cpu': '6k'}}, {'usage': {'cpu': '6k'}}]}"};
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
        int64_t nanocores;
        if (reads(table[i], &nanocores))
            fail_msg("%s is read as %lld", table[i], (long long)nanocores);
    }
    struct text many = {0};
    text_add(&many, "{" FRESH "'containers': [{'usage': {'cpu': '1'}}");
    for (int i = 0; i < 1000; i++)
        text_add(&many, ", {'usage': {'cpu': '0'}}");
    text_add(&many, "]}");
    int64_t nanocores;
    assert_false(reads(many.data, &nanocores));
    text_free(&many);
    assert_false(pod_usage_read(NULL, NOW, &nanocores)); // cut JSON
}

// --- smoothing -----------------------------------------------------------------------------------

static const char *value_of(const struct cpu_use_estimate *estimate)
{
    static char text[CPU_USE_TEXT_MAX];
    cpu_use_estimate_format(estimate, text);
    return text;
}

// Measures the share for so many hours; returns how often the value in use changed.
static int measure(struct cpu_use_estimate *estimate, double share, double hours)
{
    int changes = 0;
    for (int i = 0; i < (int)(hours * 12 + 0.5); i++)
        changes += cpu_use_estimate_add(estimate, share, PERIOD);
    return changes;
}

static void nothing_is_learned_before_there_is_evidence_SCH_507(void **state)
{
    (void)state;
    struct cpu_use_estimate estimate;
    cpu_use_estimate_begin(&estimate, 0.5);
    assert_string_equal(value_of(&estimate), "");
    assert_int_equal(measure(&estimate, 0.1, 23.0 / 12), 0);
    assert_string_equal(value_of(&estimate), "");
    // The default counts for as much as some hours, so that the first ones say not everything.
    assert_int_equal(measure(&estimate, 0.1, 2.0 / 12), 1);
    assert_string_equal(value_of(&estimate), "0.35");
}

static void it_comes_near_the_truth_in_few_changes_SCH_507(void **state)
{
    (void)state;
    struct cpu_use_estimate estimate;
    cpu_use_estimate_begin(&estimate, 0.5);
    int changes = measure(&estimate, 0.1, 24);
    assert_in_range(changes, 2, 4); // at most every six hours
    changes = measure(&estimate, 0.1, 10 * 24);
    assert_in_range(changes, 0, 3);
    assert_true(estimate.average > 0.0999 && estimate.average < 0.101);
    // Half a step and a margin may be left.
    assert_true(estimate.steps == 2 || (estimate.steps == 3 && estimate.average * 20 > 2.2));
}

static void a_day_and_its_night_are_one_SCH_507(void **state)
{
    (void)state;
    struct cpu_use_estimate estimate;
    cpu_use_estimate_begin(&estimate, 0.5);
    for (int day = 0; day < 7; day++) {
        measure(&estimate, 0.42, 12);
        measure(&estimate, 0.28, 12);
    }
    int changes = 0;
    for (int day = 0; day < 30; day++)
        changes += measure(&estimate, 0.42, 12) + measure(&estimate, 0.28, 12);
    assert_int_equal(changes, 0);
    assert_string_equal(value_of(&estimate), "0.35");
}

static void what_wavers_between_two_steps_stays_SCH_507(void **state)
{
    (void)state;
    struct cpu_use_estimate estimate;
    cpu_use_estimate_begin(&estimate, 0.375); // half-way between two
    assert_int_equal(measure(&estimate, 0.375, 3), 1);
    char before[CPU_USE_TEXT_MAX];
    cpu_use_estimate_format(&estimate, before);
    int changes = 0;
    for (int i = 0; i < 60; i++)
        changes += measure(&estimate, i % 2 == 0 ? 0.39 : 0.36, 24);
    assert_int_equal(changes, 0);
    assert_string_equal(value_of(&estimate), before);
}

static void bounds_hold_whatever_is_measured_SCH_507(void **state)
{
    (void)state;
    struct cpu_use_estimate estimate;
    cpu_use_estimate_begin(&estimate, 0.5);
    measure(&estimate, 0, 30 * 24);
    assert_string_equal(value_of(&estimate), "0.05");
    measure(&estimate, 1e9, 30 * 24);
    assert_string_equal(value_of(&estimate), "1.00");
    assert_true(estimate.average <= 2);
    // A single measurement moves little, however long the gap before it: it is no evidence of that.
    cpu_use_estimate_begin(&estimate, 0.5);
    assert_false(cpu_use_estimate_add(&estimate, 0, 30 * 24 * HOUR));
    assert_true(estimate.average > 0.46);
    assert_false(cpu_use_estimate_add(&estimate, 0, 0));
}

// --- for the next controller ---------------------------------------------------------------------

static void the_next_controller_goes_on_SCH_507(void **state)
{
    (void)state;
    struct cpu_use_estimate estimate, read;
    cpu_use_estimate_begin(&estimate, 0.5);
    cpu_use_estimate_begin(&read, 0.5);
    // Also before there is a value.
    measure(&estimate, 0.2, 1);
    json_t *json = cpu_use_estimate_encode(&estimate, NOW);
    assert_true(cpu_use_estimate_decode(&read, json, NOW + HOUR));
    assert_int_equal(measure(&read, 0.2, 1.1), 1);
    json_decref(json);
    measure(&estimate, 0.2, 30);
    json = cpu_use_estimate_encode(&estimate, NOW + MILLISECOND);
    assert_true(cpu_use_estimate_decode(&read, json, NOW + 6 * 24 * HOUR));
    assert_int_equal(read.steps, estimate.steps);
    assert_true(read.average > estimate.average - 0.001 && read.average < estimate.average + 0.001);
    assert_true(read.weight > estimate.weight - 0.01 && read.rest > estimate.rest - 0.01);
    // What is older says nothing of today.
    assert_false(cpu_use_estimate_decode(&read, json, NOW + 8 * 24 * HOUR));
    json_decref(json);
}

static void what_another_has_written_is_not_believed_SCH_507(void **state)
{
    (void)state;
#define STATE(value, average, weight, time)                               \
    "{'value': " value ", 'average': " average ", 'weightHours': " weight \
    ", 'measuredHours': 3, 'restHours': 1, 'time': " time "}"
#define TODAY "'2026-01-01T00:00:00Z'"
    static const char *const bad[] = {"[]",
                                      "{}",
                                      "3",
                                      STATE("'0.36'", "0.3", "4", TODAY),
                                      STATE("'9'", "0.3", "4", TODAY),
                                      STATE("'0.00'", "0.3", "4", TODAY),
                                      STATE("'1.05'", "0.3", "4", TODAY),
                                      STATE("'0.35'", "-1", "4", TODAY),
                                      STATE("'0.35'", "'0.3'", "4", TODAY),
                                      STATE("'0.35'", "1e300", "4", TODAY),
                                      STATE("'0.35'", "0.3", "25", TODAY),
                                      STATE("'0.35'", "0.3", "4", "'soon'"),
                                      STATE("'0.35'", "0.3", "4", "3")};
    struct cpu_use_estimate estimate;
    cpu_use_estimate_begin(&estimate, 0.5);
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        json_t *json = json_of(bad[i]);
        assert_non_null(json);
        assert_false(cpu_use_estimate_decode(&estimate, json, NOW));
        json_decref(json);
    }
    assert_string_equal(value_of(&estimate), "");
    json_t *json = json_of(STATE("'0.35'", "0.3", "4", TODAY));
    assert_true(cpu_use_estimate_decode(&estimate, json, NOW));
    assert_string_equal(value_of(&estimate), "0.35");
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_is_that_of_all_containers_SCH_507),
        cmocka_unit_test(whatever_else_is_answered_is_no_usage_SCH_507),
        cmocka_unit_test(nothing_is_learned_before_there_is_evidence_SCH_507),
        cmocka_unit_test(it_comes_near_the_truth_in_few_changes_SCH_507),
        cmocka_unit_test(a_day_and_its_night_are_one_SCH_507),
        cmocka_unit_test(what_wavers_between_two_steps_stays_SCH_507),
        cmocka_unit_test(bounds_hold_whatever_is_measured_SCH_507),
        cmocka_unit_test(the_next_controller_goes_on_SCH_507),
        cmocka_unit_test(what_another_has_written_is_not_believed_SCH_507),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
