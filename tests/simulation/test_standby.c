// A replica that does not lead, and its reactions (LIF-331).
#include <stdio.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "base/metrics_text.h"
#include "simulation/cluster_view.h"

static int setup(void **state)
{
    *state = scenario_create(57);
    return 0;
}

static uint32_t lines_of(struct scenario *scenario, const char *start)
{
    struct text text = {0};
    uint32_t lines = 0;
    metrics_write(simulation_metrics(scenario->simulation), &text);
    char *rest = text.data;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        lines += strncmp(line, start, strlen(start)) == 0;
    text_free(&text);
    return lines;
}

// Families that are large, counted or observed: a sum over all replicas must not have them twice.
static const char *const told_once[] = {
    "karpenter_pods_state{",
    "karpenter_nodes_allocatable{",
    "karpenter_nodes_current_lifetime_seconds{",
    "karpenter_cluster_utilization_percent{",
    "karpenter_nodepools_cost_total{",
    "operator_nodeclaim_status_condition_count{",
    "operator_nodeclaim_status_condition_transitions_total{",
    "operator_status_condition_count{",
};

static void expect_series(struct scenario *scenario, bool any)
{
    for (size_t i = 0; i < ARRAY_LENGTH(told_once); i++)
        if ((lines_of(scenario, told_once[i]) > 0) != any)
            fail_msg("%u series of %s", lines_of(scenario, told_once[i]), told_once[i]);
}

static void become_standby(struct scenario *scenario)
{
    scenario_begin(scenario);
    scenario_scale(scenario, 5);
    scenario_expect_running(scenario, 5);
    scenario_run(scenario, 30);
    simulation_start_standby(scenario->simulation);
    scenario_run(scenario, 5);
}

static void standby_begins_nothing_DIS_23_LIF_331(void **state)
{
    struct scenario *scenario = *state;
    become_standby(scenario);
    uint64_t launches = sim_instances_launches(simulation_park(scenario->simulation));
    scenario_scale(scenario, 40);
    scenario_run(scenario, 120);
    assert_int_equal(sim_instances_launches(simulation_park(scenario->simulation)), launches);
    scenario_scale(scenario, 0);
    scenario_run(scenario, 120);
    assert_true(view_count(scenario, "v1", "Node") > 0);
    simulation_lead(scenario->simulation);
    scenario_until(scenario, 120, "the world to be empty", scenario_empty);
}

static void standby_says_and_counts_nothing_LIF_331(void **state)
{
    struct scenario *scenario = *state;
    become_standby(scenario);
    expect_series(scenario, false);
    assert_int_equal(lines_of(scenario, "karpenter_pods_bound_duration_seconds_count"), 0);
    char name[200];
    snprintf(name, sizeof name, "%s", store_name(view_claim(scenario)));
    uint32_t before = view_events(scenario, "NodeClaim", "Consolidatable", NULL);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, name, "status",
               "{conditions: [{type: Registered, status: 'False', reason: Test, message: '', "
               "lastTransitionTime: '2026-01-01T00:00:00Z'}]}");
    scenario_run(scenario, 10);
    assert_int_equal(view_events(scenario, "NodeClaim", "Registered", "True -> False"), 0);
    assert_int_equal(view_events(scenario, "NodeClaim", "Consolidatable", NULL), before);
}

static void leader_counts_what_is_there_LIF_331_355(void **state)
{
    struct scenario *scenario = *state;
    become_standby(scenario);
    simulation_lead(scenario->simulation);
    scenario_run(scenario, 1);
    expect_series(scenario, true);
    assert_true(view_metric_sum(scenario, "operator_nodeclaim_status_condition_transitions_total",
                                "type=\"Registered\",status=\"True\"") ==
                view_count(scenario, KARPENTER, "NodeClaim"));
}

// --- the lease runs out --------------------------------------------------------------------------

// Leaves requests unanswered; counts the controller's requests since `watching`.
struct witness {
    struct scenario *scenario;
    bool watching;
    uint32_t writes, launches;
    char first[300];
};

static bool note_request(void *context, const struct kube_request *request,
                         struct kube_response *response)
{
    struct witness *witness = context;
    (void)response;
    bool reads =
        request->verb == KUBE_GET || request->verb == KUBE_LIST || request->verb == KUBE_WATCH;
    if (!witness->watching || reads || strstr(request->path, "/leases") != NULL)
        return false;
    if (witness->writes++ == 0)
        snprintf(witness->first, sizeof witness->first, "%s", request->path);
    return false;
}

static enum sim_cloud_fault note_call(void *context, enum sim_cloud_call call,
                                      const struct node_claim *claim, struct error *error)
{
    struct witness *witness = context;
    (void)claim, (void)error;
    if (witness->watching && (call == SIM_CREATE || call == SIM_DELETE))
        witness->launches++;
    return SIM_FINE;
}

static void begin_with_lease(struct scenario *scenario, struct witness *witness)
{
    witness->scenario = scenario;
    scenario->options.leader_election = true;
    // No request is in flight when time stops: later arrivals were sent later.
    scenario->options.api_latency_min = scenario->options.api_latency_max = 0;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 0;
    scenario->options.api_fault = note_request;
    scenario->options.cloud_fault = note_call;
    scenario->options.fault_context = witness;
    scenario_begin(scenario);
    scenario_scale(scenario, 5);
    scenario_expect_running(scenario, 5);
    scenario_run(scenario, 30);
}

static void expect_nothing_sent(const struct witness *witness, int tenths)
{
    if (witness->writes > 0)
        fail_msg("after a pause %d tenths of a second later: %u writes, the first to %s", tenths,
                 witness->writes, witness->first);
    assert_int_equal(witness->launches, 0);
}

// Another replica takes the lease in the pause.
static void take_lease(struct scenario *scenario)
{
    char now[INSTANT_TEXT_MAX], patch[300];
    instant_format_micro(loop_now_ns(scenario->loop), now);
    snprintf(patch, sizeof patch, "{spec: {holderIdentity: other, renewTime: '%s'}}", now);
    hand_patch(scenario, "coordination.k8s.io/v1", "Lease", "kube-system", "leader-election", NULL,
               patch);
}

// Due work at the process's return - passes, launches, drains, deletions - is not written.
static void paused_leader_writes_nothing_LIF_330(void **state)
{
    (void)state;
    for (int tenths = 0; tenths < 60; tenths++) {
        struct witness witness = {0};
        struct scenario *scenario = scenario_create(58);
        begin_with_lease(scenario, &witness);
        scenario_scale(scenario, tenths % 2 == 0 ? 30 : 1);
        scenario_run(scenario, tenths / 2 * 0.2);
        loop_pause(scenario->loop, 20 * SECOND);
        witness.watching = true;
        take_lease(scenario);
        loop_run_for(scenario->loop, 10 * SECOND);
        expect_nothing_sent(&witness, tenths);
        assert_null(simulation_controller(scenario->simulation)); // its process has ended
        scenario_destroy(scenario);
    }
}

static bool lease_is_fresh(struct scenario *scenario)
{
    const json_t *lease =
        view_object(scenario, "coordination.k8s.io/v1", "Lease", "kube-system", "leader-election");
    const char *renewed = view_text(lease, "spec.renewTime");
    int64_t renewed_ns = 0;
    assert_true(renewed != NULL && instant_parse(renewed, &renewed_ns, NULL));
    return loop_now_ns(scenario->loop) - renewed_ns < 10 * SECOND;
}

static bool thirty_pods_run(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) == 30;
}

// The machine was paused: the monotonic clock stood still. Once the lease is renewed, all work
// resumes.
static void leader_writes_nothing_after_a_jump_of_the_clock_until_renewed_LIF_330(void **state)
{
    (void)state;
    for (int tenths = 0; tenths < 20; tenths++) {
        struct witness witness = {0};
        struct scenario *scenario = scenario_create(59);
        begin_with_lease(scenario, &witness);
        scenario_scale(scenario, 30);
        scenario_run(scenario, tenths * 0.1);
        loop_skew_wall_clock(scenario->loop, MINUTE);
        witness.watching = true;
        for (int i = 0; i < 400 && !lease_is_fresh(scenario); i++) {
            expect_nothing_sent(&witness, tenths);
            loop_run_for(scenario->loop, 10 * MILLISECOND);
        }
        assert_true(lease_is_fresh(scenario));
        scenario_until(scenario, 120, "30 pods to run", thirty_pods_run);
        scenario_destroy(scenario);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(standby_begins_nothing_DIS_23_LIF_331),
        TEST(standby_says_and_counts_nothing_LIF_331),
        TEST(leader_counts_what_is_there_LIF_331_355),
        cmocka_unit_test(paused_leader_writes_nothing_LIF_330),
        cmocka_unit_test(leader_writes_nothing_after_a_jump_of_the_clock_until_renewed_LIF_330),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
