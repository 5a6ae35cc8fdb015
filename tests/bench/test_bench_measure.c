// The reports of `adze bench` on plans, with a scripted engine.
#include "bench/bench_measure.h"

#include <stdlib.h>
#include <string.h>

#include "bench/bench_report.h"
#include "engine/engine.h"
#include "support/cmocka_all.h"

#define SCRIPT_MAX 8

// The answers of the test engine, call by call.
static struct {
    struct {
        bool fails;
        uint32_t placed, unschedulable, nodes;
        int64_t price, lower_bound;
    } answers[SCRIPT_MAX];
    uint32_t calls;
    bool disrupts;
} script;

struct plan *engine_plan(const struct snapshot *snapshot, const struct plan_options *options,
                         struct error *error)
{
    (void)snapshot;
    assert_false(options->explain); // "zero cost unless asked"
    assert_int_equal(options->disrupt, script.disrupts);
    assert_true(script.calls < SCRIPT_MAX);
    uint32_t call = script.calls++;
    if (script.answers[call].fails) {
        error_set(error, ERROR_INVALID, "no plan");
        return NULL;
    }
    struct arena *arena = arena_create(4096);
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    plan->arena = arena;
    plan->pods_placed = script.answers[call].placed;
    plan->unschedulable.count = script.answers[call].unschedulable;
    plan->claims.count = script.answers[call].nodes;
    plan->price = script.answers[call].price;
    plan->lower_bound = script.answers[call].lower_bound;
    if (script.disrupts) {
        plan->disruptions.items = arena_allocate(arena, sizeof *plan->disruptions.items);
        plan->disruptions.items[plan->disruptions.count++] =
            (struct plan_disruption){.candidates.count = 3, .savings = 700000000};
    }
    return plan;
}

static int setup(void **state)
{
    memset(&script, 0, sizeof script);
    for (int i = 0; i < SCRIPT_MAX; i++) {
        script.answers[i].placed = 9;
        script.answers[i].unschedulable = 1;
        script.answers[i].nodes = 3;
        script.answers[i].price = 5000000000;
        script.answers[i].lower_bound = 4000000000;
    }
    *state = snapshot_create();
    return 0;
}

static int teardown(void **state)
{
    snapshot_destroy(*state);
    return 0;
}

static void result_is_that_of_the_plan_FMT_15(void **state)
{
    struct error error = {0};
    struct bench_result result;
    assert_true(bench_measure(*state, 10, 5, &result, &error));
    assert_int_equal(script.calls, 5);
    assert_int_equal(result.runs, 5);
    assert_int_equal(result.nodes, 3);
    assert_int_equal(result.unschedulable, 1);
    assert_int_equal(result.price_nanousd, 5000000000);
    assert_int_equal(result.lower_bound_nanousd, 4000000000);
    assert_true(result.wall_min_ns >= 0 && result.wall_min_ns <= result.wall_ns);
    assert_true(result.cpu_ns >= 0);
}

static void failure_of_the_engine_is_passed_on(void **state)
{
    struct error error = {0};
    struct bench_result result;
    script.answers[1].fails = true;
    assert_false(bench_measure(*state, 10, 3, &result, &error));
    assert_string_equal(error.message, "no plan");
    assert_int_equal(script.calls, 2);
}

static void forgotten_pod_is_a_failure(void **state)
{
    struct error error = {0};
    struct bench_result result;
    assert_false(bench_measure(*state, 11, 1, &result, &error));
    assert_string_equal(error.message, "the plan accounts for 10 of 11 pods");
}

static void plans_that_differ_are_a_failure_SCH_540(void **state)
{
    struct error error = {0};
    struct bench_result result;
    script.answers[2].price++;
    assert_false(bench_measure(*state, 10, 3, &result, &error));
    assert_non_null(strstr(error.message, "differ"));
}

static void disruptions_are_counted_FMT_15(void **state)
{
    struct error error = {0};
    struct bench_result result;
    script.disrupts = true;
    assert_true(bench_measure_disruption(*state, 10, 3, &result, &error));
    assert_int_equal(result.commands, 1);
    assert_int_equal(result.disrupted, 3);
    assert_int_equal(result.savings_nanousd, 700000000);
}

// --- reports -------------------------------------------------------------------------------------

static char *print(const json_t *rows, enum bench_format format)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    bench_report_print(stream, rows, format);
    fclose(stream);
    return text;
}

static json_t *two_rows(void)
{
    json_t *rows = json_pack("[{s:s, s:i, s:o, s:n}, {s:s, s:i, s:o, s:o}]", "mix", "web", "pods",
                             7, "ms", bench_real(0.12345), "gap", "mix", "constrained", "pods",
                             12345, "ms", bench_real(2), "gap", bench_real(0.5));
    assert_non_null(rows);
    return rows;
}

static void report_as_table(void **state)
{
    (void)state;
    json_t *rows = two_rows();
    CLEANUP_FREE char *text = print(rows, BENCH_TABLE);
    assert_string_equal(text, "mix           pods     ms    gap\n"
                              "web              7  0.123      -\n"
                              "constrained  12345  2.000  0.500\n");
    json_decref(rows);
}

static void report_as_csv(void **state)
{
    (void)state;
    json_t *rows = two_rows();
    CLEANUP_FREE char *text = print(rows, BENCH_CSV);
    assert_string_equal(text, "mix,pods,ms,gap\nweb,7,0.123,\nconstrained,12345,2.000,0.500\n");
    json_decref(rows);
}

static void report_as_json_is_an_object_or_an_array_FMT_15(void **state)
{
    (void)state;
    json_t *rows = two_rows();
    CLEANUP_FREE char *both = print(rows, BENCH_JSON);
    json_t *read = json_loads(both, 0, NULL);
    assert_true(json_equal(read, rows));
    json_decref(read);
    json_array_remove(rows, 1);
    CLEANUP_FREE char *one = print(rows, BENCH_JSON);
    read = json_loads(one, 0, NULL);
    assert_true(json_equal(read, json_array_get(rows, 0)));
    assert_non_null(strstr(one, "0.123,")); // not 0.12300000000000000111
    json_decref(read);
    json_decref(rows);
}

static void formats_have_names(void **state)
{
    (void)state;
    enum bench_format format = BENCH_TABLE;
    assert_true(bench_format_parse("csv", &format));
    assert_int_equal(format, BENCH_CSV);
    assert_true(bench_format_parse("json", &format));
    assert_int_equal(format, BENCH_JSON);
    assert_false(bench_format_parse("yaml", &format));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(result_is_that_of_the_plan_FMT_15, setup, teardown),
        cmocka_unit_test_setup_teardown(failure_of_the_engine_is_passed_on, setup, teardown),
        cmocka_unit_test_setup_teardown(forgotten_pod_is_a_failure, setup, teardown),
        cmocka_unit_test_setup_teardown(plans_that_differ_are_a_failure_SCH_540, setup, teardown),
        cmocka_unit_test_setup_teardown(disruptions_are_counted_FMT_15, setup, teardown),
        cmocka_unit_test(report_as_table),
        cmocka_unit_test(report_as_csv),
        cmocka_unit_test(report_as_json_is_an_object_or_an_array_FMT_15),
        cmocka_unit_test(formats_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
