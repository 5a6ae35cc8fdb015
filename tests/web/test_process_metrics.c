#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/metrics_text.h"
#include "web/process_metrics.h"

static int64_t clock_of_test(void *context)
{
    (void)context;
    return 0;
}

static double value_of(const struct metrics *metrics, const char *name)
{
    struct text text = {0}, start = {0};
    metrics_write(metrics, &text);
    text_format(&start, "\n%s ", name);
    const char *at = strstr(text.data, start.data);
    double value = at != NULL ? strtod(at + start.length, NULL) : -1;
    text_free(&text);
    text_free(&start);
    return value;
}

static void process_is_described(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create(clock_of_test, NULL);
    struct process_metrics *process = process_metrics_create(metrics);
    double cpu = value_of(metrics, "process_cpu_seconds_total");
    assert_true(cpu > 0);
    assert_true(value_of(metrics, "process_cpu_seconds_total") >= cpu);
    double resident = value_of(metrics, "process_resident_memory_bytes");
    assert_true(resident > 100e3 && resident < value_of(metrics, "process_virtual_memory_bytes"));
    assert_true(value_of(metrics, "process_open_fds") >= 3);
    assert_true(value_of(metrics, "process_open_fds") < value_of(metrics, "process_max_fds"));
    assert_true(value_of(metrics, "process_start_time_seconds") > 1.6e9);
    struct text text = {0};
    metrics_write(metrics, &text);
    assert_non_null(
        strstr(text.data, "karpenter_build_info{version=\"" ADZE_VERSION "\"")); // LIF-350
    assert_non_null(strstr(text.data, "# TYPE process_cpu_seconds_total counter"));
    text_free(&text);
    process_metrics_destroy(process);
    metrics_destroy(metrics);
}

static void leader_is_shown_LIF_358(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create(clock_of_test, NULL);
    struct process_metrics *process = process_metrics_create(metrics);
    process_metrics_lead(process, "lease", false);
    assert_true(value_of(metrics, "leader_election_master_status{name=\"lease\"}") == 0);
    process_metrics_lead(process, "lease", true);
    assert_true(value_of(metrics, "leader_election_master_status{name=\"lease\"}") == 1);
    process_metrics_slow_path(process, "lease", 0);
    process_metrics_slow_path(process, "lease", 2);
    assert_true(value_of(metrics, "leader_election_slowpath_total{name=\"lease\"}") == 2);
    process_metrics_destroy(process);
    metrics_destroy(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process_is_described),
        cmocka_unit_test(leader_is_shown_LIF_358),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
