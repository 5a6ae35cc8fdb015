// The wait of a pod wave for its first NodeClaim (SCH-13, SCH-527), and decisions while others are
// in flight (SCH-528).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "base/metrics_text.h"
#include "simulation/cluster_view.h"

#define PODS_SPEC                                                                                 \
    "{terminationGracePeriodSeconds: 0, restartPolicy: %s, containers: [{name: c, image: pause, " \
    "resources: {requests: {cpu: '1'}}}]}"

static int setup(void **state)
{
    *state = scenario_create(7);
    return 0;
}

static double first_claim(struct scenario *scenario)
{
    return scenario_until(scenario, 60, "a NodeClaim", view_any_claim);
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
    scenario_run(scenario, 0.2);
    uint32_t claims = simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim");
    scenario_expect_running(scenario, 25); // one plan had them all
    assert_int_equal(sim_instances_launches(simulation_park(scenario->simulation)), claims);
}

static void as_upstream_the_idle_window_is_waited_for_SCH_13(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
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

// --- SCH-528 -------------------------------------------------------------------------------------
static const char spread_manifest[] =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: spread, namespace: default}\n"
    "spec:\n  replicas: 14\n  selector: {matchLabels: {app: spread}}\n  template:\n"
    "    metadata: {labels: {app: spread}}\n    spec:\n      terminationGracePeriodSeconds: 0\n"
    "      topologySpreadConstraints:\n"
    "      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
    "DoNotSchedule, labelSelector: {matchLabels: {app: spread}}}\n"
    "      containers:\n"
    "      - {name: c, image: pause, resources: {requests: {cpu: '1'}}}\n";

static uint32_t zones_in_use(struct sim_instances *park)
{
    uint32_t zones = 0;
    for (uint32_t i = 0; i < sim_instances_count(park); i++) {
        bool is_first = true;
        for (uint32_t j = 0; j < i; j++)
            is_first = is_first && strcmp(sim_instances_at(park, i)->zone,
                                          sim_instances_at(park, j)->zone) != 0;
        zones += is_first;
    }
    return zones;
}

// A portion unaware of the other pods would have created too many nodes in a zone.
static void a_backlog_is_planned_in_portions_that_know_of_each_other_SCH_528(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.pass_pods_max = 4;
    scenario_begin(scenario);
    scenario_apply(scenario, spread_manifest);
    scenario_expect_running(scenario, 14);
    scenario_run(scenario, 30);
    struct sim_instances *park = simulation_park(scenario->simulation);
    assert_true(zones_in_use(park) >= 2);
    assert_int_equal(sim_instances_launches(park), sim_instances_count(park)); // none was in vain
}

static void portions_follow_each_other_at_once_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.pass_pods_max = 10;
    scenario_begin(scenario);
    scenario_scale(scenario, 60);
    assert_true(first_claim(scenario) < 0.7);
    scenario_run(scenario, 1);
    uint32_t claims = simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim");
    assert_true(claims >= 60 / 7);
    scenario_expect_running(scenario, 60);
    assert_int_equal(sim_instances_launches(simulation_park(scenario->simulation)), claims);
}

static const char dependent_manifest[] =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: follower, namespace: default}\n"
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: follower}}\n  template:\n"
    "    metadata: {labels: {app: follower}}\n    spec:\n      terminationGracePeriodSeconds: 0\n"
    "      affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: inflate}}}]}}\n"
    "      containers:\n"
    "      - {name: c, image: pause, resources: {requests: {cpu: '2'}}}\n";

static void who_depends_on_a_later_portion_is_tried_again_SCH_528(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.pass_pods_max = 2; // the followers are larger: first, and in vain
    scenario_begin(scenario);
    scenario_apply(scenario, dependent_manifest);
    scenario_scale(scenario, 3);
    scenario_expect_running(scenario, 5);
}

// SCH-519: a NodeClaim in flight counts as the largest machine that it may become.
static void portions_keep_limits_SCH_519(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.pass_pods_max = 5;
    scenario_begin(scenario);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
        "spec:\n  limits: {cpu: '20', nodes: '5'}\n  template:\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      expireAfter: Never\n"
        "      requirements:\n"
        "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
        "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['9']}\n"
        "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 0s}\n");
    scenario_scale(scenario, 60);
    struct sim_instances *park = simulation_park(scenario->simulation);
    for (int second = 0; second < 120; second++) {
        int64_t cpu = 0;
        scenario_run(scenario, 1);
        for (uint32_t i = 0; i < sim_instances_count(park); i++)
            cpu += resource_map_get(&sim_instances_at(park, i)->facts.capacity, "cpu");
        assert_true(cpu <= 20000);
        assert_true(sim_instances_count(park) <= 5);
    }
    assert_true(simulation_pods_running(scenario->simulation) > 8);
}

// --- SCH-526 -------------------------------------------------------------------------------------
static uint32_t passes(struct scenario *scenario)
{
    static const char needle[] =
        "karpenter_scheduler_scheduling_duration_seconds_count{controller=\"provisioner\"} ";
    struct text page = {0};
    metrics_write(simulation_metrics(scenario->simulation), &page);
    const char *found = strstr(page.data, needle);
    uint32_t count = found != NULL ? (uint32_t)strtol(found + strlen(needle), NULL, 10) : 0;
    text_free(&page);
    return count;
}

static const char too_large[] =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: large, namespace: default}\n"
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: large}}\n  template:\n"
    "    metadata: {labels: {app: large}}\n    spec:\n      terminationGracePeriodSeconds: 0\n"
    "      containers:\n"
    "      - {name: c, image: pause, resources: {requests: {cpu: '100'}}}\n";

static void an_unchanged_world_is_not_planned_again_SCH_526(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(scenario, too_large);
    scenario_run(scenario, 20);
    uint32_t before = passes(scenario);
    assert_true(before > 0);
    scenario_run(scenario, 120);
    assert_int_equal(passes(scenario), before);
    scenario_scale(scenario, 3); // something new: planned at once
    scenario_run(scenario, 40);
    assert_true(passes(scenario) > before);
    assert_int_equal(simulation_pods_running(scenario->simulation), 3);
}

static void as_upstream_all_is_planned_every_10_seconds_SCH_11(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    scenario_begin(scenario);
    scenario_apply(scenario, too_large);
    scenario_run(scenario, 20);
    uint32_t before = passes(scenario);
    scenario_run(scenario, 120);
    assert_true(passes(scenario) >= before + 10);
}

// --- SCH-516 -------------------------------------------------------------------------------------
static void where_planned_pods_landed_is_counted_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 25);
    scenario_expect_running(scenario, 25);
    double planned = view_landed(scenario, "planned"),
           elsewhere = view_landed(scenario, "elsewhere");
    print_message("%.0f as planned, %.0f elsewhere\n", planned, elsewhere);
    assert_true(planned + elsewhere >= 25); // pods whose room others took are planned again
    assert_true(planned > 0);
}

// A pod of a StatefulSet is replaced by its namesake during its planning: the place belongs to no
// pod, and arrivals on its node count against the room of the existing ones.
static void place_of_a_pod_that_is_gone_is_not_kept_for_its_namesake_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    scenario_begin(scenario);
    loop_set_offload_time(scenario->loop, 5 * SECOND);
    apply_stateful_set(scenario);
    scenario_run(scenario, 3);
    char before[60];
    snprintf(before, sizeof before, "%s",
             store_uid(view_object(scenario, "v1", "Pod", "default", "s-0")));
    assert_true(simulation_delete(scenario->simulation, "v1", "Pod", "default", "s-0", &error));
    scenario_run(scenario, 1);
    json_t *namesake = view_object(scenario, "v1", "Pod", "default", "s-0");
    assert_non_null(namesake);
    assert_string_not_equal(store_uid(namesake), before);
    assert_int_equal(simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim"), 0);
    scenario_expect_running(scenario, 3);
    loop_set_offload_time(scenario->loop, 0);
    for (uint32_t i = 0; i < 3; i++) {
        char name[12];
        snprintf(name, sizeof name, "late-%u", i);
        apply_pod(scenario, name);
        scenario_expect_running(scenario, 4 + i);
    }
}

// Pods come, and are tried by kube-scheduler, while the NodeClaims of the first ones are still
// being created: each takes one place. `after`: seconds after another workload has gone.
static void check_wave(double after)
{
    struct scenario *scenario = scenario_create(7);
    scenario->options.api_latency_max = 600 * MILLISECOND;
    scenario->options.world.controller_requests_per_second = 150;
    scenario->options.world.controller_requests_burst = 30;
    scenario_begin(scenario);
    for (int64_t n = 1; n <= 2; n++) {
        scenario_scale(scenario, n);
        scenario_expect_running(scenario, (uint32_t)n);
    }
    scenario_run(scenario, 20);
    uint64_t before = sim_instances_launches(simulation_park(scenario->simulation));
    scenario_scale(scenario, 0);
    scenario_run(scenario, after);
    scenario_apply(scenario,
                   "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: wave, namespace: "
                   "default}\nspec:\n  replicas: 40\n  selector: {matchLabels: {app: wave}}\n"
                   "  template:\n    metadata: {labels: {app: wave}}\n    spec:\n"
                   "      affinity: {podAntiAffinity: "
                   "{requiredDuringSchedulingIgnoredDuringExecution: "
                   "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: "
                   "wave}}}]}}\n      containers:\n      - {name: c, image: pause, resources: "
                   "{requests: {cpu: 7600m}}}\n");
    scenario_run(scenario, 8);
    assert_int_equal(sim_instances_launches(simulation_park(scenario->simulation)) - before, 40);
    scenario_destroy(scenario);
}

static void each_pod_of_a_wave_takes_one_place_SCH_527(void **state)
{
    (void)state;
    check_wave(1.1);
    check_wave(1.5);
    check_wave(2.1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(finished_wave_closes_its_batch_SCH_527),
        TEST(as_upstream_the_idle_window_is_waited_for_SCH_13),
        TEST(jobs_and_stateful_sets_are_counted_SCH_527),
        TEST(a_stateful_set_that_starts_pod_by_pod_does_not_wait_for_the_next_SCH_527),
        TEST(pods_of_nobody_wait_for_the_window_SCH_527),
        TEST(one_pod_of_nobody_keeps_the_batch_open_SCH_527),
        TEST(without_permission_the_window_is_waited_for_SCH_527),
        TEST(a_backlog_is_planned_in_portions_that_know_of_each_other_SCH_528),
        TEST(portions_follow_each_other_at_once_SCH_527),
        TEST(who_depends_on_a_later_portion_is_tried_again_SCH_528),
        TEST(portions_keep_limits_SCH_519),
        TEST(an_unchanged_world_is_not_planned_again_SCH_526),
        TEST(as_upstream_all_is_planned_every_10_seconds_SCH_11),
        TEST(where_planned_pods_landed_is_counted_SCH_516),
        cmocka_unit_test(each_pod_of_a_wave_takes_one_place_SCH_527),
        TEST(place_of_a_pod_that_is_gone_is_not_kept_for_its_namesake_SCH_516),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
