#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/duration.h"
#include "base/metrics.h"
#include "base/metrics_text.h"

static int64_t now_ns;
static int64_t clock_of_test(void *context)
{
    (void)context;
    return now_ns;
}

static char *written(const struct metrics *metrics)
{
    struct text text = {0};
    metrics_write(metrics, &text);
    return text_take(&text);
}

static void families_and_series_come_in_order(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create(clock_of_test, NULL);
    struct metric *b = metrics_register(
        metrics,
        &(struct metric_options){
            .name = "b_total", .help = "Bs.", .type = METRIC_COUNTER, .labels = {"pool", "zone"}});
    struct metric *a = metrics_register(
        metrics, &(struct metric_options){.name = "a", .help = "An a.", .type = METRIC_GAUGE});
    metric_add(b, 2, "y", NULL); // a missing value is empty (LIF-351)
    metric_add(b, 1, "x", "z1");
    metric_add(b, 1, "x", "z1");
    metric_set(a, 1.5);
    char *text = written(metrics);
    assert_string_equal(text, "# HELP a An a.\n# TYPE a gauge\na 1.5\n"
                              "# HELP b_total Bs.\n# TYPE b_total counter\n"
                              "b_total{pool=\"x\",zone=\"z1\"} 2\n"
                              "b_total{pool=\"y\",zone=\"\"} 2\n");
    free(text);
    struct text one = {0};
    metrics_write_family(metrics, "a", &one);
    metrics_write_family(metrics, "none", &one);
    assert_string_equal(one.data, "# HELP a An a.\n# TYPE a gauge\na 1.5\n");
    text_free(&one);
    metrics_destroy(metrics);
}

static void label_values_are_escaped(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create(clock_of_test, NULL);
    struct metric *a = metrics_register(
        metrics,
        &(struct metric_options){
            .name = "a", .help = "Back\\slash\nline", .type = METRIC_GAUGE, .labels = {"l"}});
    metric_set(a, 1, "q\"b\\n\n");
    char *text = written(metrics);
    assert_string_equal(text, "# HELP a Back\\\\slash\\nline\n# TYPE a gauge\n"
                              "a{l=\"q\\\"b\\\\n\\n\"} 1\n");
    free(text);
    metrics_destroy(metrics);
}

static void histogram_is_cumulative(void **state)
{
    (void)state;
    const double bounds[] = {0.5, 1};
    struct metrics *metrics = metrics_create(clock_of_test, NULL);
    struct metric *h = metrics_register(metrics, &(struct metric_options){.name = "h",
                                                                          .help = "",
                                                                          .type = METRIC_HISTOGRAM,
                                                                          .buckets = bounds,
                                                                          .buckets_count = 2});
    metric_observe(h, 0.5); // a bound belongs to its bucket
    metric_observe(h, 0.7);
    metric_observe(h, 3);
    char *text = written(metrics);
    assert_non_null(strstr(text, "h_bucket{le=\"0.5\"} 1\nh_bucket{le=\"1\"} 2\n"
                                 "h_bucket{le=\"+Inf\"} 3\nh_sum 4.2\nh_count 3\n"));
    assert_int_equal((int)metric_read(h), 3);
    free(text);
    metrics_destroy(metrics);
}

static void summary_forgets_after_its_window_LIF_350(void **state)
{
    (void)state;
    now_ns = HOUR;
    struct metrics *metrics = metrics_create(clock_of_test, NULL);
    struct metric *s = metrics_register(
        metrics, &(struct metric_options){.name = "s", .help = "", .type = METRIC_SUMMARY});
    for (int i = 1; i <= 100; i++)
        metric_observe(s, i);
    char *text = written(metrics);
    assert_non_null(strstr(text, "s{quantile=\"0\"} 1\ns{quantile=\"0.5\"} 50\ns{quantile=\"0.9\"} "
                                 "90\ns{quantile=\"0.99\"} 99\ns{quantile=\"1\"} 100\ns_sum 5050\n"
                                 "s_count 100\n"));
    free(text);
    now_ns += 11 * MINUTE;
    text = written(metrics);
    assert_non_null(strstr(text, "s{quantile=\"0.5\"} NaN\n"));
    assert_non_null(strstr(text, "s_count 100\n"));
    free(text);
    for (int i = 0; i < 5000; i++) // more than a window holds
        metric_observe(s, 7);
    text = written(metrics);
    assert_non_null(strstr(text, "s{quantile=\"0.99\"} 7\n"));
    free(text);
    metrics_destroy(metrics);
}

static void series_are_removed(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create(clock_of_test, NULL);
    struct metric *g = metrics_register(
        metrics, &(struct metric_options){
                     .name = "g", .help = "", .type = METRIC_GAUGE, .labels = {"type", "pool"}});
    metric_set(g, 1, "cpu", "a");
    metric_set(g, 1, "memory", "a");
    metric_set(g, 1, "cpu", "b");
    metric_remove_matching(g, "pool", "a");
    assert_int_equal((int)metric_series_count(g), 1);
    metric_remove_matching(g, "type", "cpu");
    assert_int_equal((int)metric_series_count(g), 0);
    char *text = written(metrics); // a family without series prints nothing
    assert_string_equal(text, "");
    free(text);
    assert_ptr_equal(metrics_find(metrics, "g"), g);
    metrics_destroy(metrics);
}

static void collect(void *context, const struct metric *metric, struct text *out)
{
    for (int i = 0; i < *(int *)context; i++) {
        const char *values[] = {i == 0 ? "x" : NULL};
        metric_emit(metric, out, i, values, 1);
    }
}

static void collected_series_are_not_kept_LIF_468(void **state)
{
    (void)state;
    int count = 2;
    struct metrics *metrics = metrics_create(clock_of_test, NULL);
    struct metric *g = metrics_register(
        metrics,
        &(struct metric_options){.name = "g", .help = "G.", .type = METRIC_GAUGE, .labels = {"l"}});
    metric_collect(g, collect, &count);
    char *text = written(metrics);
    assert_string_equal(text, "# HELP g G.\n# TYPE g gauge\ng{l=\"x\"} 0\ng{l=\"\"} 1\n");
    free(text);
    assert_int_equal((int)metric_series_count(g), 0);
    count = 0;
    text = written(metrics);
    assert_string_equal(text, "");
    free(text);
    metrics_destroy(metrics);
}

struct source {
    struct metric *total;
    double value;
};

static void refresh(void *context)
{
    const struct source *source = context;
    metric_set(source->total, source->value);
}

// Detailed families are left out on demand; totals are set anew before each writing.
static void totals_stand_for_details_LIF_468(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create(clock_of_test, NULL);
    struct metric *detailed = metrics_register(
        metrics, &(struct metric_options){
                     .name = "d", .help = "D.", .type = METRIC_GAUGE, .detailed = true});
    metric_set(detailed, 1);
    metrics_alias(metrics, "older", "d");
    char *text = written(metrics);
    assert_non_null(strstr(text, "\nd 1\n"));
    assert_non_null(strstr(text, "\nolder 1\n"));
    free(text);
    metrics_serve_detailed(metrics, false);
    struct source source = {
        metrics_register(
            metrics, &(struct metric_options){.name = "total", .help = "T.", .type = METRIC_GAUGE}),
        3};
    metrics_before_write(metrics, refresh, &source);
    text = written(metrics);
    assert_string_equal(text, "# HELP total T.\n# TYPE total gauge\ntotal 3\n");
    free(text);
    metrics_before_write(metrics, NULL, &source);
    source.value = 4;
    text = written(metrics);
    assert_non_null(strstr(text, "total 3"));
    free(text);
    metrics_destroy(metrics);
}

static void bucket_sets_LIF_350(void **state)
{
    (void)state;
    double doubling[4];
    metric_exponential_buckets(0.5, 4, doubling);
    assert_true(doubling[0] == 0.5 && doubling[3] == 4);
    assert_int_equal((int)metric_duration_buckets_count, 45);
    for (uint32_t i = 1; i < metric_duration_buckets_count; i++)
        assert_true(metric_duration_buckets[i] > metric_duration_buckets[i - 1]);
    assert_int_equal((int)metric_plain_buckets_count, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_and_series_come_in_order),
        cmocka_unit_test(label_values_are_escaped),
        cmocka_unit_test(histogram_is_cumulative),
        cmocka_unit_test(summary_forgets_after_its_window_LIF_350),
        cmocka_unit_test(series_are_removed),
        cmocka_unit_test(collected_series_are_not_kept_LIF_468),
        cmocka_unit_test(totals_stand_for_details_LIF_468),
        cmocka_unit_test(bucket_sets_LIF_350),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
