// The start of passes, their creations, and their metrics and events (sections 1, 24, 25 of the
// scheduling rules).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "simulation/scenario.h"

#define COUNT(name) "karpenter_" name "{controller=\"provisioner\"} "
#define PASSES      COUNT("scheduler_scheduling_duration_seconds_count")
#define STUCK       COUNT("scheduler_unschedulable_pods_count")
#define ZONES(zone)                                                                        \
    "karpenter_scheduler_pending_pods_by_effective_zone_count{controller=\"provisioner\"," \
    "zone=\"" zone "\"} "
#define DECIDED "karpenter_pods_scheduling_decision_duration_seconds_count "
#define CREATED                                                                       \
    "karpenter_nodeclaims_created_total{reason=\"provisioned\",nodepool=\"default\"," \
    "min_values_relaxed=\"false\"} "

static int setup(void **state)
{
    *state = scenario_create(3);
    return 0;
}

static uint32_t metric(struct scenario *scenario, const char *series)
{
    struct text page = {0};
    metrics_write(simulation_metrics(scenario->simulation), &page);
    const char *found = strstr(page.data, series);
    uint32_t value = found != NULL ? (uint32_t)strtod(found + strlen(series), NULL) : 0;
    text_free(&page);
    return value;
}

static uint32_t claims(struct scenario *scenario)
{
    return simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim");
}

struct told {
    const char *reason, *begins;
    uint32_t count;
};

static bool tell(void *context, json_t *event)
{
    struct told *told = context;
    const char *message = json_string_value(json_object_get(event, "message"));
    if (text_equal(json_string_value(json_object_get(event, "reason")), told->reason) &&
        message != NULL && text_starts_with(message, told->begins))
        told->count++;
    return true;
}

static uint32_t events(struct scenario *scenario, const char *reason, const char *begins)
{
    struct told told = {.reason = reason, .begins = begins};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, tell, &told);
    return told.count;
}

static const char too_large[] =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: large, namespace: default}\n"
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: large}}\n  template:\n"
    "    metadata: {labels: {app: large}}\n    spec:\n      terminationGracePeriodSeconds: 0\n"
    "      containers:\n"
    "      - {name: c, image: pause, resources: {requests: {cpu: '100'}}}\n";

// --- the start of a pass -------------------------------------------------------------------------
static void nothing_but_pods_causes_a_pass_SCH_19_and_none_is_counted_without_SCH_18(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario); // a NodePool becomes ready
    scenario_apply(scenario,
                   "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d, namespace: default}\n"
                   "spec:\n  selector: {matchLabels: {app: d}}\n  template:\n"
                   "    metadata: {labels: {app: d}}\n    spec:\n      containers:\n"
                   "      - {name: c, image: pause, resources: {requests: {cpu: 100m}}}\n");
    scenario_run(scenario, 30);
    assert_int_equal(metric(scenario, PASSES), 0);
    assert_int_equal(claims(scenario), 0);
}

static void passes_follow_each_other_SCH_10_and_see_all_pods_SCH_16(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 3);
    scenario_run(scenario, 1);
    scenario_scale(scenario, 9); // while the first are launching
    scenario_expect_running(scenario, 9);
    assert_true(metric(scenario, PASSES) >= 2);
}

// --- creation ------------------------------------------------------------------------------------
static void created_claims_are_counted_SCH_380(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 25);
    scenario_expect_running(scenario, 25);
    assert_int_equal(metric(scenario, CREATED), claims(scenario));
}

static bool refuse_first_create(void *context, const struct kube_request *request,
                                struct kube_response *response)
{
    uint32_t *left = context;
    if (request->verb != KUBE_CREATE || strstr(request->path, "/nodeclaims") == NULL || *left == 0)
        return false;
    (*left)--;
    response->status = 500;
    response->body = json_pack("{s:s, s:s, s:s, s:i}", "kind", "Status", "reason", "InternalError",
                               "message", "out of order", "code", 500);
    return true;
}

static void a_failed_creation_does_not_stop_the_others_SCH_381(void **state)
{
    struct scenario *scenario = *state;
    uint32_t left = 1;
    scenario->options.api_fault = refuse_first_create;
    scenario->options.fault_context = &left;
    scenario_begin(scenario);
    scenario_scale(scenario, 25);
    scenario_run(scenario, 0.7);
    assert_int_equal(left, 0);
    assert_true(claims(scenario) > 0);
    scenario_expect_running(scenario, 25);
}

static void launches_under_way_hold_nobody_back_SCH_382_SCH_528(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 20 * SECOND;
    scenario_begin(scenario);
    scenario_scale(scenario, 5);
    scenario_run(scenario, 2);
    uint32_t first = claims(scenario);
    assert_true(first > 0);
    scenario_scale(scenario, 25);
    scenario_run(scenario, 2);
    assert_true(claims(scenario) > first);
    assert_int_equal(simulation_pods_running(scenario->simulation), 0);
    scenario_expect_running(scenario, 25);
    assert_int_equal(sim_instances_launches(simulation_park(scenario->simulation)),
                     metric(scenario, CREATED)); // no pod was planned for twice
}

// --- recording -----------------------------------------------------------------------------------
static void each_pod_has_one_first_decision_SCH_12_SCH_394(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 25);
    scenario_apply(scenario, too_large);
    scenario_run(scenario, 60);
    assert_int_equal(metric(scenario, DECIDED), 27);
}

static void pods_without_a_place_are_counted_and_told_SCH_390_SCH_395(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    scenario_begin(scenario);
    scenario_apply(scenario, too_large);
    scenario_run(scenario, 30);
    assert_int_equal(metric(scenario, STUCK), 2);
    assert_int_equal(metric(scenario, ZONES("flexible")), 2); // SCH-398
    assert_int_equal(events(scenario, "FailedScheduling", "Failed to schedule pod, "), 2);
    if (!simulation_delete(scenario->simulation, "apps/v1", "Deployment", "default", "large",
                           &error))
        fail_msg("%s", error.message);
    scenario_run(scenario, 30);
    assert_int_equal(metric(scenario, STUCK), 0); // also without a pass (SCH-395)
    assert_int_equal(metric(scenario, ZONES("flexible")), 0);
}

static void pods_are_told_where_to_go_but_not_all_at_once_SCH_391_SCH_392(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 60);
    scenario_run(scenario, 1);
    uint32_t told = events(scenario, "Nominated", "Pod should schedule on: nodeclaim/default-");
    assert_true(told >= 10 && told <= 15); // ten at once, five a second
    scenario_expect_running(scenario, 60);
}

static void a_pass_is_observed_once_and_its_depth_has_an_id_SCH_396_SCH_397_SCH_58(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 5);
    scenario_run(scenario, 1);
    assert_int_equal(metric(scenario, PASSES), 1);
    struct text page = {0};
    metrics_write(simulation_metrics(scenario->simulation), &page);
    assert_non_null(strstr(page.data, "karpenter_scheduler_queue_depth{controller=\"provisioner\","
                                      "scheduling_id=\""));
    text_free(&page);
    scenario_expect_running(scenario, 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(nothing_but_pods_causes_a_pass_SCH_19_and_none_is_counted_without_SCH_18),
        TEST(passes_follow_each_other_SCH_10_and_see_all_pods_SCH_16),
        TEST(created_claims_are_counted_SCH_380),
        TEST(a_failed_creation_does_not_stop_the_others_SCH_381),
        TEST(launches_under_way_hold_nobody_back_SCH_382_SCH_528),
        TEST(each_pod_has_one_first_decision_SCH_12_SCH_394),
        TEST(pods_without_a_place_are_counted_and_told_SCH_390_SCH_395),
        TEST(pods_are_told_where_to_go_but_not_all_at_once_SCH_391_SCH_392),
        TEST(a_pass_is_observed_once_and_its_depth_has_an_id_SCH_396_SCH_397_SCH_58),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
