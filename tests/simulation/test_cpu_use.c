// EXPECTED_CPU_USE (SCH-507) is learned from metrics.k8s.io: which pods are asked for and how
// often, what comes of it in decisions, record and metrics, and that nothing is noisy where the API
// is absent or forbidden.
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/metrics_text.h"
#include "model/reading/settings_read.h"
#include "sim/store/store.h"
#include "simulation/cluster_view.h"

#define METRICS "/apis/metrics.k8s.io/v1beta1/"
#define LEARNED "EXPECTED_CPU_USE is learned from metrics"
#define NOT     "EXPECTED_CPU_USE is not learned"

static struct {
    struct text lines;
    uint32_t requests; // of metrics
    uint32_t others;   // of paths below the API that are no single pod's
    int millicores;    // that a pod uses; -1: as the server says
    char *name;        // the first pod that is asked for
    uint32_t of_one;   // how often it is
    int status;        // of refusals; 0: none
    bool is_plain;     // they have no Status
} seen;

static void keep_line(void *context, const char *line)
{
    (void)context;
    text_add(&seen.lines, line);
    text_add_char(&seen.lines, '\n');
}

static bool refuse(struct kube_response *response)
{
    response->status = seen.status;
    response->body = seen.is_plain ? NULL : json_pack("{s:s}", "kind", "Status"); // taken over
    error_set(&response->error,
              seen.status == 403   ? ERROR_FORBIDDEN
              : seen.status == 404 ? ERROR_NOT_FOUND
                                   : ERROR_UNAVAILABLE,
              "refused by the test");
    return true;
}

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct scenario *scenario = context;
    if (strncmp(request->path, METRICS, strlen(METRICS)) != 0)
        return false;
    seen.requests++;
    if (seen.name == NULL)
        seen.name = memory_copy_string(request->path);
    seen.of_one += strcmp(seen.name, request->path) == 0;
    seen.others += strstr(request->path, "/pods/") == NULL || request->verb != KUBE_GET;
    if (seen.status != 0)
        return refuse(response);
    if (seen.millicores < 0)
        return false;
    char cpu[20], now[40];
    snprintf(cpu, sizeof cpu, "%dm", seen.millicores);
    instant_format(loop_now_ns(scenario->loop) / SECOND * SECOND, now);
    response->status = 200;
    response->body =
        json_pack("{s:s, s:[{s:{s:s}}]}", "timestamp", now, "containers", "usage", "cpu", cpu);
    return true;
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(11);
    memset(&seen, 0, sizeof seen);
    struct log_options log = {.level = LOG_INFO, .sink = keep_line};
    assert_true(log_configure(&log, NULL));
    scenario->options.learns_cpu_use = true;
    scenario->options.record_namespace = "kube-system";
    scenario->options.api_fault = on_request;
    scenario->options.fault_context = scenario;
    *state = scenario;
    return 0;
}

static int teardown(void **state)
{
    scenario_destroy(*state);
    text_free(&seen.lines);
    free(seen.name);
    return 0;
}

static uint32_t lines_with(const char *part)
{
    uint32_t count = 0;
    for (const char *at = seen.lines.data; at != NULL && (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

// Without looking at the invariants every 100 ms: nothing happens for hours.
static void pass_hours(struct scenario *scenario, double hours)
{
    loop_run_for(scenario->loop, (int64_t)(hours * (double)HOUR));
}

static void run_pods(struct scenario *scenario, uint32_t count)
{
    scenario_begin(scenario);
    scenario_scale(scenario, count);
    scenario_expect_running(scenario, count);
}

static double in_use(struct scenario *scenario)
{
    return view_metric(scenario, "adze_expected_cpu_use_ratio", "");
}

static const char *record(struct scenario *scenario)
{
    const char *text = view_text(
        view_object(scenario, "v1", "ConfigMap", "kube-system", "adze-provider"), "data.learned");
    return text != NULL ? text : "";
}

static void what_pods_use_is_learned_SCH_507(void **state)
{
    struct scenario *scenario = *state;
    seen.millicores = 200; // of the 1,000 that each requests
    run_pods(scenario, 12);
    assert_float_equal(in_use(scenario), 0.5, 0);
    // Pods that have just started do not count.
    loop_run_for(scenario->loop, 9 * MINUTE);
    assert_int_equal(seen.requests, 0);
    pass_hours(scenario, 1.9);
    assert_int_equal(lines_with(LEARNED), 0);
    assert_true(view_metric(scenario, "adze_measured_cpu_use_ratio", "") < 0.45);
    pass_hours(scenario, 0.4);
    assert_int_equal(lines_with(LEARNED), 1);
    assert_int_equal(lines_with("\"before\":\"0.50\",\"value\":\"0.40\""), 1);
    assert_float_equal(in_use(scenario), 0.4, 0);
    assert_non_null(strstr(record(scenario), "\"value\":\"0.40\""));
    // Twelve pods every five minutes, and nothing but single pods is asked for.
    assert_in_range(seen.requests, 12 * 20, 12 * 29);
    assert_int_equal(seen.others, 0);
    // The next controller takes it up.
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    loop_run_for(scenario->loop, 5 * SECOND);
    assert_float_equal(in_use(scenario), 0.4, 0);
    assert_non_null(strstr(record(scenario), "measuredHours"));
    assert_null(strstr(record(scenario), "999999")); // as people write numbers
}

// What was learned before goes from the record.
static void a_number_that_is_set_is_kept_SCH_507(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    assert_true(settings_set(&scenario->settings, "EXPECTED_CPU_USE", "0.7", &error));
    run_pods(scenario, 12);
    simulation_kill_controller(scenario->simulation);
    hand_patch(scenario, "v1", "ConfigMap", "kube-system", "adze-provider", NULL,
               "{data: {learned: '{}'}}");
    assert_string_equal(record(scenario), "{}");
    simulation_start_controller(scenario->simulation);
    pass_hours(scenario, 0.4);
    assert_int_equal(seen.requests, 0);
    assert_string_equal(record(scenario), "");
    assert_float_equal(in_use(scenario), 0.7, 0);
}

static void too_few_pods_are_no_evidence_nor_is_nonsense_SCH_507(void **state)
{
    struct scenario *scenario = *state;
    seen.millicores = 999999999; // beyond any machine
    run_pods(scenario, 9);
    pass_hours(scenario, 0.3);
    assert_int_equal(seen.requests, 0);
    scenario_scale(scenario, 12);
    pass_hours(scenario, 0.45);
    assert_true(seen.requests > 20);
    assert_float_equal(view_metric(scenario, "adze_measured_cpu_use_ratio", ""), -1, 0);
    assert_float_equal(in_use(scenario), 0.5, 0);
}

// Thirty of them at a time, and each has its turn.
static void many_pods_are_measured_in_turn_SCH_507(void **state)
{
    struct scenario *scenario = *state;
    seen.millicores = 700;
    run_pods(scenario, 45);
    loop_run_for(scenario->loop, 23 * MINUTE);
    assert_int_equal(seen.requests % 30, 0);
    uint32_t begun = seen.requests;
    assert_in_range(begun, 30, 90);
    free(seen.name);
    seen.name = NULL;
    seen.of_one = 0;
    for (uint32_t rounds = 1; rounds <= 3; rounds++) {
        loop_run_for(scenario->loop, 5 * MINUTE);
        assert_int_equal(seen.requests - begun, 30 * rounds);
    }
    // Twice each.
    assert_int_equal(seen.of_one, 2);
    assert_int_equal(seen.others, 0);
}

// --- no API --------------------------------------------------------------------------------------

static void expect_quiet(struct scenario *scenario, uint32_t requests_max)
{
    run_pods(scenario, 12);
    pass_hours(scenario, 0.6);
    assert_in_range(seen.requests, 2, requests_max);
    assert_int_equal(lines_with(NOT), 1); // told once
    assert_int_equal(lines_with("\"level\":\"ERROR\""), 0);
    assert_float_equal(in_use(scenario), 0.5, 0);
    assert_string_equal(record(scenario), "");
}

static void a_cluster_without_metrics_is_left_in_peace_SCH_507(void **state)
{
    seen.status = 404;
    seen.is_plain = true;
    expect_quiet(*state, 3); // one every 15 minutes
    assert_int_equal(lines_with("metrics.k8s.io is not served"), 1);
}

static void metrics_of_no_pod_are_none_SCH_507(void **state)
{
    seen.status = 404; // each with a Status
    expect_quiet(*state, 30);
}

static void what_is_missing_is_told_once_each_API_228(void **state)
{
    struct scenario *scenario = *state;
    seen.status = 503; // a metrics-server that is down
    expect_quiet(scenario, 3);
    assert_int_equal(lines_with("metrics.k8s.io is not served"), 1);
    seen.status = 403;
    pass_hours(scenario, 0.6);
    assert_int_equal(lines_with("may not get pods of metrics.k8s.io"), 1);
    assert_int_equal(lines_with(NOT), 2);
    seen.status = 0; // the role has come
    seen.millicores = 100;
    pass_hours(scenario, 0.4);
    assert_true(view_metric(scenario, "adze_measured_cpu_use_ratio", "") < 0.5);
}

static void upstream_measures_nothing_SCH_507(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    assert_true(settings_set(&scenario->settings, "COMPATIBILITY", "upstream", &error));
    assert_true(settings_finish(&scenario->settings, &error));
    run_pods(scenario, 12);
    pass_hours(scenario, 0.4);
    assert_int_equal(seen.requests, 0);
    assert_int_equal(lines_with(NOT), 0);
}

// --- simulations ---------------------------------------------------------------------------------

// Simulated pods use what they request, by the metrics; that must not change what a cluster does.
static void a_simulation_learns_nothing_by_itself_SCH_507(void **state)
{
    struct scenario *scenario = *state;
    seen.millicores = -1;
    scenario->options.learns_cpu_use = false;
    run_pods(scenario, 12);
    pass_hours(scenario, 0.4);
    assert_int_equal(seen.requests, 0);
    assert_float_equal(in_use(scenario), 0.5, 0);
}

static char *history(uint64_t seed)
{
    void *state;
    assert_int_equal(setup(&state), 0);
    struct scenario *scenario = state;
    scenario->options.seed = seed;
    seen.millicores = 300;
    run_pods(scenario, 40);
    pass_hours(scenario, 0.4);
    scenario_scale(scenario, 20);
    pass_hours(scenario, 0.2);
    struct text text = {0};
    text_format(&text, "%s\n%u\n", record(scenario), seen.requests);
    metrics_write(simulation_metrics(scenario->simulation), &text);
    assert_int_equal(teardown(&state), 0);
    return text_take(&text);
}

static void one_seed_is_one_history_SCH_507(void **state)
{
    (void)state;
    CLEANUP_FREE char *first = history(5);
    CLEANUP_FREE char *second = history(5);
    assert_string_equal(first, second);
    assert_non_null(strstr(first, "adze_measured_cpu_use_ratio"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_pods_use_is_learned_SCH_507),
        TEST(a_number_that_is_set_is_kept_SCH_507),
        TEST(too_few_pods_are_no_evidence_nor_is_nonsense_SCH_507),
        TEST(many_pods_are_measured_in_turn_SCH_507),
        TEST(a_cluster_without_metrics_is_left_in_peace_SCH_507),
        TEST(metrics_of_no_pod_are_none_SCH_507),
        TEST(what_is_missing_is_told_once_each_API_228),
        TEST(upstream_measures_nothing_SCH_507),
        TEST(a_simulation_learns_nothing_by_itself_SCH_507),
        cmocka_unit_test(one_seed_is_one_history_SCH_507),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
