// Launches that fail: the rate of retries, and the independence of others (LIF-440, LIF-454, STO-8,
// STO-25).
#include <stdio.h>
#include <string.h>

#include "simulation/scenario.h"

struct faulty {             // faults of NodeClaims of the NodePool "faulty"
    enum error_kind create; // ERROR_NONE: nothing
    uint32_t machine;       // enum machine_faults
    uint32_t calls;
};

static int setup(void **state)
{
    *state = scenario_create(10);
    return 0;
}

static bool is_faulty(const struct node_claim *claim)
{
    return claim != NULL &&
           text_equal(object_label((const struct object *)claim, LABEL_NODE_POOL), "faulty");
}

static enum sim_cloud_fault fail_create(void *context, enum sim_cloud_call call,
                                        const struct node_claim *claim, struct error *error)
{
    struct faulty *faulty = context;
    if (call != SIM_CREATE || !is_faulty(claim))
        return SIM_FINE;
    faulty->calls++;
    if (faulty->create == ERROR_NONE)
        return SIM_FINE;
    error_set(error, faulty->create, "the provider refuses");
    return SIM_FAIL_BEFORE;
}

static uint32_t fail_boot(void *context, const struct sim_instance *machine)
{
    const struct faulty *faulty = context;
    return is_faulty(machine->claim) ? faulty->machine : 0;
}

static void begin(struct scenario *scenario, struct faulty *faulty)
{
    scenario->options.cloud_fault = fail_create;
    scenario->options.boot_faults = fail_boot;
    scenario->options.fault_context = faulty;
    scenario_begin(scenario);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: faulty}\n"
        "spec:\n  weight: 50\n  template:\n    metadata: {labels: {team: faulty}}\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      expireAfter: Never\n      requirements:\n"
        "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
        "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['9']}\n"
        "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: Never}\n");
    scenario_run(scenario, 3);
}

// Pods that fit no other pool.
static void apply_bound(struct scenario *scenario, unsigned replicas)
{
    char manifest[1000];
    snprintf(manifest, sizeof manifest,
             "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: bound, namespace: default}\n"
             "spec:\n  replicas: %u\n  selector: {matchLabels: {app: bound}}\n  template:\n"
             "    metadata: {labels: {app: bound}}\n    spec:\n"
             "      nodeSelector: {team: faulty}\n      terminationGracePeriodSeconds: 0\n"
             "      containers:\n"
             "      - {name: c, image: pause, resources: {requests: {cpu: '5'}}}\n",
             replicas);
    scenario_apply(scenario, manifest);
}

struct told {
    const char *begins;
    uint32_t count;
};

static bool tell(void *context, json_t *event)
{
    struct told *told = context;
    const char *message = json_string_value(json_object_get(event, "message"));
    told->count +=
        text_equal(json_string_value(json_object_get(event, "reason")), "LaunchBackOff") &&
        text_starts_with(message, told->begins);
    return true;
}

static uint32_t backoffs_told(struct scenario *scenario, const char *begins)
{
    struct told told = {begins, 0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, tell, &told);
    return told.count;
}

static uint64_t launches(struct scenario *scenario)
{
    return sim_instances_launches(simulation_park(scenario->simulation));
}

// --- no capacity ---------------------------------------------------------------------------------
// The provider keeps offering capacity that it does not have.
static void missing_capacity_is_asked_for_ever_more_seldom_LIF_33_36(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {.create = ERROR_INSUFFICIENT_CAPACITY};
    begin(scenario, &faulty);
    apply_bound(scenario, 1);
    scenario_run(scenario, 60);
    assert_in_range(faulty.calls, 1, 10);
    uint32_t before = faulty.calls;
    scenario_run(scenario, 600);
    print_message("%u and %u calls\n", before, faulty.calls - before);
    assert_in_range(faulty.calls - before, 2, 20);
    faulty.create = ERROR_NONE;
    scenario_run(scenario, 240); // three minutes at most
    scenario_expect_running(scenario, 1);
}

static void other_pools_take_what_one_cannot_launch_STO_8(void **state)
{
    static const enum error_kind kinds[] = {ERROR_INSUFFICIENT_CAPACITY,
                                            ERROR_NODE_CLASS_NOT_READY};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        struct scenario *scenario = *state;
        struct faulty faulty = {.create = kinds[i]};
        begin(scenario, &faulty);
        scenario_scale(scenario, 20); // "faulty" comes first, by weight
        scenario_run(scenario, 30);
        scenario_expect_running(scenario, 20);
        assert_true(faulty.calls > 0);
        scenario_teardown(state);
        setup(state);
    }
}

static void failing_pool_does_not_hold_up_pods_of_others_LIF_454(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {.create = ERROR_UNAVAILABLE}; // retried, until the launch times out
    begin(scenario, &faulty);
    apply_bound(scenario, 5);
    scenario_run(scenario, 5);
    scenario_apply(
        scenario,
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: free, namespace: default}\n"
        "spec:\n  replicas: 10\n  selector: {matchLabels: {app: free}}\n  template:\n"
        "    metadata: {labels: {app: free}}\n    spec:\n"
        "      nodeSelector: {karpenter.sh/nodepool: default}\n      containers:\n"
        "      - {name: c, image: pause, resources: {requests: {cpu: '1'}}}\n");
    scenario_run(scenario, 20);
    assert_int_equal(simulation_pods_running(scenario->simulation), 10);
}

// --- launches and registrations that never succeed -----------------------------------------------
static void pods_go_elsewhere_after_a_launch_that_took_too_long_LIF_71(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {.create = ERROR_UNAVAILABLE};
    begin(scenario, &faulty);
    scenario_scale(scenario, 4);
    scenario_run(scenario, 5 * 60 - 10);
    assert_int_equal(simulation_pods_running(scenario->simulation), 0);
    scenario_run(scenario, 60);
    scenario_expect_running(scenario, 4);
    assert_int_equal(backoffs_told(scenario, "Nothing is launched for 30s, after 1 attempt(s)"), 1);
}

static void machines_that_never_register_are_tried_ever_more_seldom_STO_25_LIF_440(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {.machine = MACHINE_NEVER_REGISTERS};
    begin(scenario, &faulty);
    apply_bound(scenario, 1);
    scenario_run(scenario, 3 * 3600); // at 0, 15, 35, 60, 95 and 150 minutes
    assert_in_range(launches(scenario), 5, 6);
    assert_int_equal(backoffs_told(scenario,
                                   "Nothing is launched for 5m0s, after 2 attempt(s) in a "
                                   "row that failed (registration_timeout)"),
                     1);
    faulty.machine = 0;
    scenario_run(scenario, 2 * 3600);
    scenario_expect_running(scenario, 1);
}

static void machines_that_need_longer_get_it_LIF_440_STO_25(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {0};
    scenario->settings.registration_timeout = 30 * MINUTE;
    scenario->options.boot_delay_min = scenario->options.boot_delay_max = 16 * MINUTE;
    begin(scenario, &faulty);
    apply_bound(scenario, 1);
    scenario_run(scenario, 17 * 60);
    scenario_expect_running(scenario, 1);
    assert_int_equal(launches(scenario), 1);
}

static void wave_of_failures_counts_once_LIF_440(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {.machine = MACHINE_NEVER_REGISTERS};
    begin(scenario, &faulty);
    apply_bound(scenario, 8);
    scenario_run(scenario, 14 * 60);
    uint64_t first = launches(scenario);
    faulty.machine = 0;
    scenario_run(scenario, 2 * 60); // all are replaced at once
    scenario_expect_running(scenario, 8);
    assert_true(launches(scenario) > first);
    assert_int_equal(backoffs_told(scenario, ""), 0);
}

static void upstream_tries_at_once_for_ever_LIF_36(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {.machine = MACHINE_NEVER_REGISTERS};
    scenario->settings.compatibility_upstream = true;
    begin(scenario, &faulty);
    apply_bound(scenario, 1);
    scenario_run(scenario, 3 * 3600);
    assert_true(launches(scenario) >= 11);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(missing_capacity_is_asked_for_ever_more_seldom_LIF_33_36),
        TEST(other_pools_take_what_one_cannot_launch_STO_8),
        TEST(failing_pool_does_not_hold_up_pods_of_others_LIF_454),
        TEST(pods_go_elsewhere_after_a_launch_that_took_too_long_LIF_71),
        TEST(machines_that_never_register_are_tried_ever_more_seldom_STO_25_LIF_440),
        TEST(machines_that_need_longer_get_it_LIF_440_STO_25),
        TEST(wave_of_failures_counts_once_LIF_440),
        TEST(upstream_tries_at_once_for_ever_LIF_36),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
