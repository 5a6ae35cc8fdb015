// How long a wave of pods waits for its first NodeClaim (SCH-13, SCH-527), and what is decided while
// others are on their way (SCH-528).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/scenario.h"

#define PODS_SPEC                                                                                  \
    "{terminationGracePeriodSeconds: 0, restartPolicy: %s, containers: [{name: c, image: pause, "  \
    "resources: {requests: {cpu: '1'}}}]}"

static struct settings settings;

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(7);
    settings_defaults(&settings);
    scenario->options.settings = &settings;
    *state = scenario;
    return 0;
}

static int teardown(void **state)
{
    scenario_destroy(*state);
    settings_free(&settings);
    return 0;
}

static bool any_claim(struct scenario *scenario)
{
    return simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim") > 0;
}

static double first_claim(struct scenario *scenario)
{
    return scenario_until(scenario, 60, "a NodeClaim", any_claim);
}

static void apply_job(struct scenario *scenario)
{
    char manifest[600];
    snprintf(manifest, sizeof manifest,
             "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: default}\n"
             "spec: {parallelism: 4, completions: 4, template: {spec: " PODS_SPEC "}}\n",
             "Never");
    scenario_apply(scenario, manifest);
}

static void apply_stateful_set(struct scenario *scenario)
{
    char manifest[600];
    snprintf(manifest, sizeof manifest,
             "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s, namespace: default}\n"
             "spec: {replicas: 3, serviceName: s, selector: {matchLabels: {app: s}}, template: "
             "{metadata: {labels: {app: s}}, spec: " PODS_SPEC "}}\n",
             "Always");
    scenario_apply(scenario, manifest);
}

static void apply_pod(struct scenario *scenario, const char *name)
{
    char manifest[600];
    snprintf(manifest, sizeof manifest,
             "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: default}\n"
             "spec: " PODS_SPEC "\n",
             name, "Always");
    scenario_apply(scenario, manifest);
}

// --- SCH-527 -------------------------------------------------------------------------------------
static void finished_wave_closes_its_batch_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 25);
    assert_true(first_claim(scenario) < 0.7);
    scenario_run(scenario, 3);
    assert_true(simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim") <= 4);
    scenario_expect_running(scenario, 25);
}

static void as_upstream_the_idle_window_is_waited_for_SCH_13(void **state)
{
    struct scenario *scenario = *state;
    settings.compatibility_upstream = true;
    scenario_begin(scenario);
    scenario_scale(scenario, 25);
    assert_true(first_claim(scenario) >= 1);
    scenario_expect_running(scenario, 25);
}

static void jobs_and_stateful_sets_are_counted_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_job(scenario);
    assert_true(first_claim(scenario) < 0.7);
    scenario_expect_running(scenario, 4);
}

static void a_stateful_set_that_starts_pod_by_pod_does_not_wait_for_the_next_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_stateful_set(scenario);
    assert_true(first_claim(scenario) < 0.7);
    scenario_expect_running(scenario, 3);
}

static void pods_of_nobody_wait_for_the_window_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pod(scenario, "alone");
    assert_true(first_claim(scenario) >= 1);
    scenario_expect_running(scenario, 1);
}

static void one_pod_of_nobody_keeps_the_batch_open_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pod(scenario, "alone");
    scenario_scale(scenario, 2);
    assert_true(first_claim(scenario) >= 1);
    scenario_expect_running(scenario, 3);
}

static bool refuse_replica_sets(void *context, const struct kube_request *request,
                                struct kube_response *response)
{
    (void)context;
    if (strstr(request->path, "/replicasets") == NULL)
        return false;
    response->status = 403;
    response->body = json_pack("{s:s, s:s, s:s, s:i}", "kind", "Status", "reason", "Forbidden",
                               "message", "may not list replicasets", "code", 403);
    return true;
}

static void without_permission_the_window_is_waited_for_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.api_fault = refuse_replica_sets;
    scenario_begin(scenario);
    scenario_scale(scenario, 5);
    assert_true(first_claim(scenario) >= 1);
    scenario_expect_running(scenario, 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(finished_wave_closes_its_batch_SCH_527),
        TEST(as_upstream_the_idle_window_is_waited_for_SCH_13),
        TEST(jobs_and_stateful_sets_are_counted_SCH_527),
        TEST(a_stateful_set_that_starts_pod_by_pod_does_not_wait_for_the_next_SCH_527),
        TEST(pods_of_nobody_wait_for_the_window_SCH_527),
        TEST(one_pod_of_nobody_keeps_the_batch_open_SCH_527),
        TEST(without_permission_the_window_is_waited_for_SCH_527),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
