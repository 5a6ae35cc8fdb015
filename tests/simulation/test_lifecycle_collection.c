// NodeClaims and machines that are removed automatically, and times of pod events (LIF-150 to
// LIF-162, LIF-185).
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"
#include "simulation/cluster_view.h"

static uint32_t lists; // of machines, answered or not
static bool lists_fail;
static uint32_t refused; // deletions of NodeClaims
static bool refuses;

static bool lags;         // the mirror's NodeClaims: an old list, and a watch without events
static uint32_t listings; // of NodeClaims since then

// The first list is the mirror's.
static bool answer_late(const struct kube_request *request, struct kube_response *response)
{
    if (strstr(request->path, "/nodeclaims") == NULL)
        return false;
    if (request->verb == KUBE_LIST && listings++ == 0)
        response->body =
            json_pack("{s:s, s:s, s:{s:s}, s:[]}", "kind", "NodeClaimList", "apiVersion", KARPENTER,
                      "metadata", "resourceVersion", "1", "items");
    else if (request->verb != KUBE_WATCH)
        return false;
    response->status = 200;
    return true;
}

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    (void)context;
    if (lags)
        return answer_late(request, response);
    if (!refuses || request->verb != KUBE_DELETE || strstr(request->path, "/nodeclaims/") == NULL)
        return false;
    refused++;
    response->status = 500;
    return true;
}

static enum sim_cloud_fault on_call(void *context, enum sim_cloud_call call,
                                    const struct node_claim *claim, struct error *error)
{
    (void)context;
    (void)claim;
    (void)error;
    if (call != SIM_LIST)
        return SIM_FINE;
    lists++;
    return lists_fail ? SIM_FAIL_BEFORE : SIM_FINE;
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(27);
    lists = 0;
    lists_fail = refuses = lags = false;
    listings = 0;
    refused = 0;
    scenario->options.cloud_fault = on_call;
    scenario->options.api_fault = on_request;
    *state = scenario;
    return 0;
}

static void begin_with_pod(struct scenario *scenario, const char *template_spec,
                           const char *pool_spec)
{
    scenario_begin(scenario);
    hand_pool(scenario, template_spec, pool_spec);
    hand_pod(scenario, "web", "1", "", "terminationGracePeriodSeconds: 0, ");
    scenario_expect_running(scenario, 1);
}

#define DISRUPTED "karpenter_nodeclaims_disrupted_total"
#define PODS      "karpenter_pods_disruption_initiated_total"
#define KEEP                                                                                   \
    "disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: Never, budgets: [{nodes: " \
    "'0'}]}, "

static bool no_claim(struct scenario *scenario)
{
    return view_count(scenario, KARPENTER, "NodeClaim") == 0;
}

// --- expiration ----------------------------------------------------------------------------------
// The value is the NodeClaim's; protection and budgets are ignored.
static void expiry_is_the_claims_own_and_asks_nobody_LIF_150(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    hand_pool(scenario, "expireAfter: 10m, terminationGracePeriod: 1m, ", KEEP);
    hand_pod(scenario, "web", "1", "annotations: {karpenter.sh/do-not-disrupt: 'true'}, ", "");
    scenario_expect_running(scenario, 1);
    int64_t created = view_instant(view_claim(scenario), "metadata.creationTimestamp");
    hand_pool(scenario, "expireAfter: Never, ", "");
    scenario_run(scenario, (double)(created + 10 * 60 - 2 - view_now(scenario)));
    assert_null(store_path(view_claim(scenario), "metadata.deletionTimestamp"));
    scenario_run(scenario, 5);
    assert_int_equal(view_instant(view_claim(scenario), "metadata.deletionTimestamp"),
                     created + 10 * 60);
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"expired\"") == 1);
    assert_true(view_metric_sum(scenario, DISRUPTED, "termination_mode=\"eventual\"") == 1);
    assert_true(view_metric_sum(scenario, PODS, "reason=\"expired\"") == 1);
}

static void zero_expires_at_once_LIF_150(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(scenario, "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: one}\n"
                             "spec: {expireAfter: 0s, requirements: [], nodeClassRef: {group: "
                             "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}\n");
    scenario_until(scenario, 20, "the claim to be gone", no_claim);
    scenario_run(scenario, 1);
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"expired\"") == 1);
}

// --- garbage collection --------------------------------------------------------------------------
static void take_machine_away(struct scenario *scenario, bool node_knows)
{
    char provider_id[300];
    snprintf(provider_id, sizeof provider_id, "%s",
             view_text(view_claim(scenario), "status.providerID"));
    if (node_knows)
        world_machine_gone(simulation_world(scenario->simulation), provider_id);
    sim_instances_reclaim(simulation_park(scenario->simulation), provider_id);
}

static void claim_whose_machine_is_gone_goes_with_its_pods_counted_LIF_160(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.world.node_lifecycle = false; // the Node stays until a manual deletion
    begin_with_pod(scenario, "", KEEP);
    char name[300];
    snprintf(name, sizeof name, "%s", store_name(view_claim(scenario)));
    hand_patch(scenario, "v1", "Node", NULL, store_name(view_node(scenario)), "status",
               "status: {conditions: [{type: Ready, status: 'False', reason: r, "
               "lastTransitionTime: '2026-01-01T00:00:00Z'}]}");
    take_machine_away(scenario, true);
    hand_patch(scenario, "v1", "Node", NULL, store_name(view_node(scenario)), "status",
               "status: {conditions: [{type: Ready, status: 'False', reason: r, "
               "lastTransitionTime: '2026-01-01T00:00:00Z'}]}");
    scenario_run(scenario, 125);
    assert_null(view_object(scenario, KARPENTER, "NodeClaim", NULL, name));
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"garbage_collected\"") == 1);
    assert_true(view_metric_sum(scenario, PODS, "reason=\"garbage_collected\"") == 1);
}

static void failing_list_says_nothing_LIF_160(void **state)
{
    struct scenario *scenario = *state;
    begin_with_pod(scenario, "", KEEP);
    lists_fail = true;
    uint32_t before = lists;
    scenario_run(scenario, 300);
    assert_true(lists > before);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)), 1);
}

// By then there may be NodeClaims with machines newer than the old list.
static void refused_deletion_is_tried_with_a_new_list_LIF_160(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.world.node_lifecycle = false;
    begin_with_pod(scenario, "", KEEP);
    scenario_run(scenario, 250); // the other collector lists every two minutes, too
    char name[300];
    snprintf(name, sizeof name, "%s", store_name(view_claim(scenario)));
    take_machine_away(scenario, true);
    hand_patch(scenario, "v1", "Node", NULL, store_name(view_node(scenario)), "status",
               "status: {conditions: [{type: Ready, status: 'False', reason: r, "
               "lastTransitionTime: '2026-01-01T00:00:00Z'}]}");
    refuses = true;
    lists = 0;
    scenario_run(scenario, 150);
    assert_true(refused > 3);
    assert_true(lists >= refused);
    refuses = false;
    scenario_run(scenario, 120);
    assert_null(view_object(scenario, KARPENTER, "NodeClaim", NULL, name));
}

// A predecessor's launch is not in a new leader's mirror yet: the API server is asked before a
// deletion.
static void new_leader_asks_before_an_instance_goes_LIF_161_331(void **state)
{
    struct scenario *scenario = *state;
    begin_with_pod(scenario, "", KEEP);
    scenario_run(scenario, 60);
    lags = true;
    simulation_start_standby(scenario->simulation);
    simulation_lead(scenario->simulation);
    scenario_run(scenario, 60);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)), 1);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
    assert_true(listings > 1);
}

// Every ten seconds for the first twenty passes, then every two minutes; the reverse
// check always every two minutes.
static void provider_is_listed_often_at_first_LIF_160_161(void **state)
{
    struct scenario *scenario = *state;
    begin_with_pod(scenario, "", KEEP);
    lists = 0;
    scenario_run(scenario, 100);
    assert_true(lists >= 9 && lists <= 12);
    scenario_run(scenario, 120);
    lists = 0;
    scenario_run(scenario, 600);
    assert_true(lists >= 9 && lists <= 12); // five each
}

static void unregistered_claims_are_left_to_liveness_LIF_160(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.boot_delay_min = scenario->options.boot_delay_max = 600 * SECOND;
    scenario_begin(scenario);
    hand_pod(scenario, "web", "1", "", "");
    scenario_run(scenario, 10);
    take_machine_away(scenario, false);
    scenario_run(scenario, 250);
    assert_null(store_path(view_claim(scenario), "metadata.deletionTimestamp"));
}

static void machine_is_old_enough_before_it_goes_LIF_161(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    struct sim_instances *park = simulation_park(scenario->simulation);
    const struct instance_type *type = &sim_instances_catalog(park)->spec.instance_types.items[0];
    struct node_claim stranger = {.kind = kind_get(KIND_NODE_CLAIM)};
    stranger.meta.name = "lost";
    stranger.meta.uid = "lost-uid";
    struct object *claim = object_copy((struct object *)&stranger);
    sim_instances_launch(park, (struct node_claim *)claim, type, &type->offerings.items[0]);
    object_release(claim);
    scenario_run(scenario, 29);
    assert_int_equal(sim_instances_count(park), 1);
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
    scenario_run(scenario, 25);
    assert_int_equal(sim_instances_count(park), 0);
    assert_int_equal(view_count(scenario, "v1", "Node"), 0);
}

// A NodeClaim that vanished before its launch delays nothing.
static void claim_that_vanished_unlaunched_blocks_nothing_LIF_162_454(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 10 * SECOND;
    scenario_begin(scenario);
    scenario_apply(scenario, "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: one}\n"
                             "spec: {expireAfter: Never, requirements: [], nodeClassRef: {group: "
                             "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}\n");
    scenario_run(scenario, 1);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, "one", NULL, "metadata: {finalizers: null}");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, "one");
    hand_pod(scenario, "web", "1", "", "");
    scenario_run(scenario, 5);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
    assert_true(view_metric(scenario, "karpenter_cluster_state_synced", "") == 1);
    scenario_expect_running(scenario, 1);
}

// --- pod events ----------------------------------------------------------------------------------
static int64_t last_event(struct scenario *scenario)
{
    return view_instant(view_claim(scenario), "status.lastPodEventTime");
}

#define LATER "disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 1h}, "

static void last_event_of_a_window_counts_LIF_185_453(void **state)
{
    struct scenario *scenario = *state;
    begin_with_pod(scenario, "", LATER);
    scenario_run(scenario, 30);
    int64_t bound = last_event(scenario);
    assert_true(bound > 0 && bound < view_now(scenario) - 20);
    hand_pod(scenario, "second", "100m", "", "terminationGracePeriodSeconds: 0, ");
    scenario_run(scenario, 5);
    hand_delete(scenario, "v1", "Pod", "default",
                "second"); // gone at once, without terminating (LIF-475)
    int64_t gone = view_now(scenario);
    scenario_run(scenario, 15);
    assert_true(last_event(scenario) >= gone - 1 && last_event(scenario) <= gone + 1);
}

static void a_new_process_makes_no_events_LIF_185_453(void **state)
{
    struct scenario *scenario = *state;
    begin_with_pod(scenario, "", LATER);
    scenario_run(scenario, 30);
    int64_t before = last_event(scenario);
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 30);
    assert_int_equal(last_event(scenario), before);
}

static void pods_of_daemon_sets_are_no_events_LIF_185(void **state)
{
    struct scenario *scenario = *state;
    begin_with_pod(scenario, "", LATER);
    scenario_run(scenario, 30);
    int64_t before = last_event(scenario);
    scenario_apply(scenario,
                   "apiVersion: apps/v1\nkind: DaemonSet\n"
                   "metadata: {name: agent, namespace: default}\n"
                   "spec: {selector: {matchLabels: {app: agent}}, template: {metadata: "
                   "{labels: {app: agent}}, spec: {containers: [{name: c, image: i}]}}}\n");
    scenario_expect_running(scenario, 2);
    scenario_run(scenario, 30);
    assert_int_equal(last_event(scenario), before);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(expiry_is_the_claims_own_and_asks_nobody_LIF_150),
        TEST(zero_expires_at_once_LIF_150),
        TEST(claim_whose_machine_is_gone_goes_with_its_pods_counted_LIF_160),
        TEST(failing_list_says_nothing_LIF_160),
        TEST(refused_deletion_is_tried_with_a_new_list_LIF_160),
        TEST(new_leader_asks_before_an_instance_goes_LIF_161_331),
        TEST(provider_is_listed_often_at_first_LIF_160_161),
        TEST(unregistered_claims_are_left_to_liveness_LIF_160),
        TEST(machine_is_old_enough_before_it_goes_LIF_161),
        TEST(claim_that_vanished_unlaunched_blocks_nothing_LIF_162_454),
        TEST(last_event_of_a_window_counts_LIF_185_453),
        TEST(a_new_process_makes_no_events_LIF_185_453),
        TEST(pods_of_daemon_sets_are_no_events_LIF_185),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
