// Many pods and little capacity: the number of NodeClaims, the independence of others, and the
// reports to users (LIF-440, STO-27). NodeClaims are counted, not seconds.
#include <string.h>

#include "simulation/story.h"

struct counted { // create calls of the provider for NodeClaims of a NodePool
    const char *pool;
    enum error_kind fails; // ERROR_NONE: nothing
    uint32_t calls;
};

static int setup(void **state)
{
    *state = scenario_create(10);
    return 0;
}

static enum sim_cloud_fault on_call(void *context, enum sim_cloud_call call,
                                    const struct node_claim *claim, struct error *error)
{
    struct counted *counted = context;
    if (call != SIM_CREATE || claim == NULL ||
        !text_equal(object_label((const struct object *)claim, LABEL_NODE_POOL), counted->pool))
        return SIM_FINE;
    counted->calls++;
    if (counted->fails == ERROR_NONE)
        return SIM_FINE;
    error_set(error, counted->fails, "there is none");
    return SIM_FAIL_BEFORE;
}

static void begin(struct scenario *scenario, struct counted *counted)
{
    scenario->options.cloud_fault = on_call;
    scenario->options.fault_context = counted;
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){
                             .name = counted->pool, .after = "Never", .labels = "team: scarce"});
}

// A node for each pod.
static void ask(struct scenario *scenario, uint32_t pods)
{
    story_app(scenario, &(struct story_app){.name = "scarce",
                                            .replicas = pods,
                                            .cpu = "7",
                                            .spec = "nodeSelector: {team: scarce}, "});
}

static void stock(struct scenario *scenario, int64_t machines)
{
    sim_instances_stock(simulation_park(scenario->simulation), NULL, NULL, NULL, machines);
}

static const char *pool_condition(struct scenario *scenario, const char *pool)
{
    return view_condition(view_object(scenario, KARPENTER, "NodePool", NULL, pool),
                          "LaunchBackOff");
}

// --- how many ------------------------------------------------------------------------------------
// The first wave finds out that there are three. From then on there is one NodeClaim at a time.
static void three_machines_for_fifty_pods_make_no_storm_LIF_440_STO_27(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce"};
    begin(scenario, &counted);
    stock(scenario, 3);
    ask(scenario, 50);
    scenario_run(scenario, 60);
    assert_in_range(counted.calls, 50, 60);
    assert_int_equal(story_launches(scenario), 3);
    uint32_t before = counted.calls;
    scenario_run(scenario, 3600);
    print_message("%u NodeClaims in an hour\n", counted.calls - before);
    assert_in_range(counted.calls - before, 5, 45);
    assert_int_equal(story_launches(scenario), 3);
}

// The provider remembers nothing: the controller excludes the offering itself.
static void forgetful_provider_is_asked_ever_more_seldom_LIF_440(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce", .fails = ERROR_INSUFFICIENT_CAPACITY};
    begin(scenario, &counted);
    ask(scenario, 50);
    scenario_run(scenario, 300); // after 10, 20, 40, 80 and 160 seconds
    assert_in_range(counted.calls, 50, 60);
    uint32_t before = counted.calls;
    scenario_run(scenario, 3600);
    assert_in_range(counted.calls - before, 15, 30); // each three minutes
}

// Returned capacity is released in steps, and completely.
static void capacity_that_returns_is_used_LIF_440_STO_27(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce"};
    begin(scenario, &counted);
    stock(scenario, 0);
    ask(scenario, 60);
    scenario_run(scenario, 1200);
    stock(scenario, -1);
    uint32_t before = counted.calls;
    scenario_run(scenario, 240); // three minutes at most, then steps of seconds
    scenario_expect_running(scenario, 60);
    assert_in_range(counted.calls - before, 60, 70);
    scenario_run(scenario, 660); // offerings without retries are reported for ten minutes
    assert_string_equal(pool_condition(scenario, "scarce"), "none");
}

// One machine becomes free: its success allows four launches, no more.
static void single_machine_opens_no_floodgate_LIF_440(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce"};
    begin(scenario, &counted);
    stock(scenario, 0);
    ask(scenario, 50);
    scenario_run(scenario, 600);
    stock(scenario, 1);
    uint32_t before = counted.calls;
    scenario_run(scenario, 300);
    assert_int_equal(story_launches(scenario), 1);
    assert_in_range(counted.calls - before, 2, 16);
}

static void restart_is_no_reason_for_a_wave_LIF_440_STO_18(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce"};
    begin(scenario, &counted);
    stock(scenario, 0);
    ask(scenario, 50);
    scenario_run(scenario, 600);
    uint32_t before = counted.calls;
    for (int i = 0; i < 5; i++) {
        simulation_kill_controller(scenario->simulation);
        simulation_start_controller(scenario->simulation);
        scenario_run(scenario, 60);
    }
    assert_in_range(counted.calls - before, 1, 40);
}

// --- launches that fail otherwise ----------------------------------------------------------------
// Fifty NodeClaims are retried until each has timed out: once.
static void pool_that_cannot_launch_is_tried_by_one_LIF_440_STO_25(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce", .fails = ERROR_UNAVAILABLE};
    begin(scenario, &counted);
    ask(scenario, 50);
    scenario_run(scenario, 330); // the launch timeout, and a little
    uint32_t before = view_metric_sum(scenario, "karpenter_nodeclaims_created_total", "scarce");
    assert_int_equal(before, 50);
    scenario_run(scenario,
                 1800); // after 30 s, and 1, 2, 4 min, each with 5 min until its timeout
    uint32_t after = view_metric_sum(scenario, "karpenter_nodeclaims_created_total", "scarce");
    assert_in_range(after - before, 2, 5);
    assert_string_equal(pool_condition(scenario, "scarce"), "True/LaunchesFail");
    counted.fails = ERROR_NONE;
    scenario_run(scenario, 1000);
    scenario_expect_running(scenario, 50);
    assert_string_equal(pool_condition(scenario, "scarce"), "none");
}

// --- others never wait ---------------------------------------------------------------------------
// Pods with an alternative use it while the more expensive place exists, also during a probe of the
// other.
static void pods_with_another_pool_never_wait_LIF_440_STO_27(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce", .fails = ERROR_INSUFFICIENT_CAPACITY};
    begin(scenario, &counted);
    story_pool(scenario, &(struct story_pool){.name = "scarce",
                                              .after = "Never",
                                              .labels = "team: scarce",
                                              .spec = "weight: 50"});
    for (uint32_t pods = 10; pods <= 100; pods += 10) {
        scenario_scale(scenario, pods);
        scenario_run(scenario, 25); // a boot takes five seconds
        assert_int_equal(simulation_pods_running(scenario->simulation), pods);
        scenario_run(scenario, 35);
    }
    assert_in_range(counted.calls, 1, 40);
}

// A hanging attempt blocks its own offering, and nothing else.
static void attempt_that_hangs_holds_up_nobody_LIF_440_LIF_454(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce", .fails = ERROR_INSUFFICIENT_CAPACITY};
    begin(scenario, &counted);
    story_pool(scenario, &(struct story_pool){.name = "scarce",
                                              .after = "Never",
                                              .labels = "team: scarce",
                                              .spec = "weight: 50"});
    ask(scenario, 5);
    scenario_run(scenario, 8);
    counted.fails = ERROR_UNAVAILABLE; // tried again for five minutes
    scenario_run(scenario, 30);
    story_app(scenario, &(struct story_app){.name = "free", .replicas = 10, .cpu = "7"});
    scenario_run(scenario, 25);
    assert_int_equal(simulation_pods_running(scenario->simulation), 10);
}

// --- reports -------------------------------------------------------------------------------------
static void pods_and_the_pool_say_what_waits_LIF_440_STO_27(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce"};
    begin(scenario, &counted);
    stock(scenario, 0);
    ask(scenario, 5);
    scenario_run(scenario, 360);
    assert_string_equal(pool_condition(scenario, "scarce"), "True/InsufficientCapacity");
    assert_true(view_events(scenario, "Pod", "FailedScheduling",
                            "; NodePool scarce waits: there was no capacity in ") > 0);
    assert_int_equal(view_events(scenario, "Pod", "FailedScheduling", "NodePool default waits"), 0);
}

// --- as upstream ---------------------------------------------------------------------------------
// All launches recur each time the provider has forgotten the shortage.
static void upstream_makes_a_wave_each_three_minutes_LIF_36(void **state)
{
    struct scenario *scenario = *state;
    struct counted counted = {.pool = "scarce"};
    scenario->settings.compatibility_upstream = true;
    begin(scenario, &counted);
    stock(scenario, 3);
    ask(scenario, 50);
    scenario_run(scenario, 60);
    uint32_t before = counted.calls;
    scenario_run(scenario, 1800);
    assert_true(counted.calls - before >= 200);
    assert_string_equal(pool_condition(scenario, "scarce"), "none");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(three_machines_for_fifty_pods_make_no_storm_LIF_440_STO_27),
        TEST(forgetful_provider_is_asked_ever_more_seldom_LIF_440),
        TEST(capacity_that_returns_is_used_LIF_440_STO_27),
        TEST(single_machine_opens_no_floodgate_LIF_440),
        TEST(restart_is_no_reason_for_a_wave_LIF_440_STO_18),
        TEST(pool_that_cannot_launch_is_tried_by_one_LIF_440_STO_25),
        TEST(pods_with_another_pool_never_wait_LIF_440_STO_27),
        TEST(attempt_that_hangs_holds_up_nobody_LIF_440_LIF_454),
        TEST(pods_and_the_pool_say_what_waits_LIF_440_STO_27),
        TEST(upstream_makes_a_wave_each_three_minutes_LIF_36),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
