// From pending pods to running ones: bursts, failures, stock-outs, limits.
#include <stdio.h>
#include <string.h>

#include "simulation/scenario.h"

static int setup(void **state)
{
    *state = scenario_create(1);
    return 0;
}

static bool running_25(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) == 25;
}

static void burst_becomes_machines_and_goes_again(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 25);
    double took = scenario_until(scenario, 60, "25 running pods", running_25);
    assert_true(took < 30);
    assert_true(sim_instances_count(simulation_park(scenario->simulation)) >= 4);
    scenario_expect_running(scenario, 25);
    scenario_scale(scenario, 0);
    scenario_until(scenario, 60, "nothing to be left", scenario_empty);
}

// Scheduler and workload controllers take the time of live ones: 100 pods arrive over seconds, are
// rejected one by one, and their machines are removed again.
static void burst_at_the_pace_of_a_live_control_plane(void **state)
{
    struct scenario *scenario = *state;
    scenario_live_pace(scenario);
    assert_true(scenario->options.world.scheduler_rejection_ns >= SECOND / 50);
    scenario_begin(scenario);
    scenario_scale(scenario, 100);
    scenario_expect_running(scenario, 100);
    scenario_scale(scenario, 0);
    scenario_until(scenario, 120, "nothing to be left", scenario_empty);
}

static void growing_step_by_step_uses_what_is_there(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    for (uint32_t replicas = 2; replicas <= 12; replicas += 5) {
        scenario_scale(scenario, replicas);
        scenario_expect_running(scenario, replicas);
    }
    assert_true(sim_instances_launches(simulation_park(scenario->simulation)) <= 4);
}

static enum sim_cloud_fault fail_first_creates(void *context, enum sim_cloud_call call,
                                               const struct node_claim *claim, struct error *error)
{
    uint32_t *left = context;
    (void)claim;
    (void)error;
    if (call != SIM_CREATE || *left == 0)
        return SIM_FINE;
    (*left)--;
    return *left % 2 == 0 ? SIM_FAIL_BEFORE : SIM_FAIL_AFTER;
}

static void failing_launches_are_retried_LIF_35_and_never_doubled_LIF_445(void **state)
{
    struct scenario *scenario = *state;
    uint32_t failures = 6;
    scenario->options.cloud_fault = fail_first_creates;
    scenario->options.fault_context = &failures;
    scenario_begin(scenario);
    scenario_scale(scenario, 10);
    scenario_expect_running(scenario, 10);
    assert_int_equal(failures, 0);
    assert_int_equal(sim_instances_launches(simulation_park(scenario->simulation)),
                     simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim"));
}

static void stock_out_falls_back_to_other_offerings_STO_27(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    sim_instances_stock(simulation_park(scenario->simulation), NULL, NULL, "spot", 0);
    sim_instances_stock(simulation_park(scenario->simulation), "c-8x-amd64-linux", NULL, NULL, 0);
    scenario_scale(scenario, 20);
    scenario_expect_running(scenario, 20);
    struct sim_instances *park = simulation_park(scenario->simulation);
    for (uint32_t i = 0; i < sim_instances_count(park); i++) {
        assert_string_equal(sim_instances_at(park, i)->capacity_type, "on-demand");
        assert_string_not_equal(sim_instances_at(park, i)->instance_type, "c-8x-amd64-linux");
    }
}

static void nothing_in_stock_then_capacity_returns(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    sim_instances_stock(simulation_park(scenario->simulation), NULL, NULL, NULL, 0);
    scenario_scale(scenario, 3);
    scenario_run(scenario, 120);
    assert_int_equal(sim_instances_launches(simulation_park(scenario->simulation)), 0);
    sim_instances_stock(simulation_park(scenario->simulation), NULL, NULL, NULL, -1);
    scenario_run(scenario, 240); // a stock-out is remembered for three minutes
    scenario_expect_running(scenario, 3);
}

static uint32_t first_machine_never_registers(void *context, const struct sim_instance *machine)
{
    uint32_t *seen = context;
    (void)machine;
    return (*seen)++ == 0 ? MACHINE_NEVER_REGISTERS : 0;
}

static void machine_that_never_registers_is_replaced_after_15_minutes_LIF_72(void **state)
{
    struct scenario *scenario = *state;
    uint32_t seen = 0;
    scenario->options.boot_faults = first_machine_never_registers;
    scenario->options.fault_context = &seen;
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_run(scenario, 14 * 60);
    assert_int_equal(simulation_pods_running(scenario->simulation), 0);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)), 1);
    scenario_run(scenario, 2 * 60);
    scenario_expect_running(scenario, 1);
    assert_int_equal(seen, 2);
    scenario_run(scenario, 60);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)), 1);
}

static void limits_are_never_exceeded_SCH_360(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
        "spec:\n  limits: {cpu: '20'}\n  template:\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      expireAfter: Never\n"
        "      requirements:\n"
        "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
        "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['9']}\n"
        "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 0s}\n");
    scenario_scale(scenario, 60);
    scenario_run(scenario, 180);
    struct sim_instances *park = simulation_park(scenario->simulation);
    int64_t cpu = 0;
    for (uint32_t i = 0; i < sim_instances_count(park); i++)
        cpu += resource_map_get(&sim_instances_at(park, i)->facts.capacity, "cpu");
    assert_true(cpu <= 20000);
    assert_true(cpu > 8000);
    assert_true(simulation_pods_running(scenario->simulation) > 8);
}

struct told { // events of the kind
    const char *begins;
    uint32_t count;
};

static bool tell(void *context, json_t *event)
{
    struct told *told = context;
    const char *message = json_string_value(json_object_get(event, "message"));
    if (text_equal(json_string_value(json_object_get(event, "reason")), "FailedScheduling") &&
        message != NULL && text_starts_with(message, told->begins))
        told->count++;
    return true;
}

static uint32_t failures_told(struct scenario *scenario, const char *begins)
{
    struct told told = {.begins = begins};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, tell, &told);
    return told.count;
}

static void tainted_pool(struct scenario *scenario, const char *key)
{
    char manifest[600];
    snprintf(manifest, sizeof manifest,
             "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
             "spec:\n  template:\n    spec:\n"
             "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
             "      taints: [{key: %s, effect: NoSchedule}]\n"
             "      requirements:\n"
             "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n",
             key);
    scenario_apply(scenario, manifest);
}

static void a_changed_reason_is_told_at_once_SCH_520(void **state)
{
    struct scenario *scenario = *state;
    const char *first = "Failed to schedule pod, did not tolerate taint (taint=first:NoSchedule)";
    const char *second = "Failed to schedule pod, did not tolerate taint (taint=second:NoSchedule)";
    const char *none = "Failed to schedule pod, no dynamic nodepools found";
    struct error error = {0};
    scenario_begin(scenario);
    tainted_pool(scenario, "first");
    scenario_scale(scenario, 1);
    scenario_run(scenario, 40);
    assert_int_equal(failures_told(scenario, first), 1); // the same reason: once in five minutes
    tainted_pool(scenario, "second");
    scenario_run(scenario, 40);
    assert_int_equal(failures_told(scenario, first), 1);
    assert_int_equal(failures_told(scenario, second), 1);
    assert_true(simulation_delete(scenario->simulation, "karpenter.sh/v1", "NodePool", NULL,
                                  "default", &error));
    scenario_run(scenario, 40);
    assert_int_equal(failures_told(scenario, none), 1); // although there is no pool to name
}

// The batch closes before the NodePool is ready: no pod is reported as without NodePool.
static void pods_applied_with_their_pool_wait_for_it_SCH_40(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    scenario_begin(scenario);
    assert_true(simulation_delete(scenario->simulation, "karpenter.sh/v1", "NodePool", NULL,
                                  "default", &error));
    scenario_run(scenario, 30);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: late}\n"
        "spec:\n  template:\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: late}\n"
        "      requirements:\n"
        "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n");
    scenario_scale(scenario, 3);
    scenario_run(scenario, 0.9);
    scenario_apply(scenario, "apiVersion: karpenter.kwok.sh/v1alpha1\nkind: KWOKNodeClass\n"
                             "metadata: {name: late}\n");
    scenario_expect_running(scenario, 3);
    assert_int_equal(failures_told(scenario, "Failed to schedule pod"), 0);
}

static void same_seed_same_run(void **state)
{
    (void)state;
    char first[256] = "", second[256] = "";
    for (int run = 0; run < 2; run++) {
        struct scenario *scenario = scenario_create(42);
        scenario_begin(scenario);
        scenario_scale(scenario, 17);
        scenario_expect_running(scenario, 17);
        struct sim_instances *park = simulation_park(scenario->simulation);
        snprintf(run == 0 ? first : second, sizeof first, "%lld %llu %s %llu",
                 (long long)loop_monotonic_ns(scenario->loop),
                 (unsigned long long)store_version(simulation_store(scenario->simulation)),
                 sim_instances_at(park, 0)->facts.provider_id,
                 (unsigned long long)sim_instances_launches(park));
        scenario_destroy(scenario);
    }
    assert_string_equal(first, second);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(burst_becomes_machines_and_goes_again),
        TEST(burst_at_the_pace_of_a_live_control_plane),
        TEST(growing_step_by_step_uses_what_is_there),
        TEST(failing_launches_are_retried_LIF_35_and_never_doubled_LIF_445),
        TEST(stock_out_falls_back_to_other_offerings_STO_27),
        TEST(nothing_in_stock_then_capacity_returns),
        TEST(machine_that_never_registers_is_replaced_after_15_minutes_LIF_72),
        TEST(limits_are_never_exceeded_SCH_360),
        TEST(a_changed_reason_is_told_at_once_SCH_520),
        TEST(pods_applied_with_their_pool_wait_for_it_SCH_40),
        cmocka_unit_test(same_seed_same_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
