// The input of both decisions: Nodes joined with NodeClaims, their pods, and whether all is known
// (LIF-300 to LIF-317).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "simulation/cluster_view.h"

static bool refuse_nodes; // lists of them

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    (void)context;
    if (!refuse_nodes || strcmp(request->path, "/api/v1/nodes") != 0)
        return false;
    response->status = 500;
    return true;
}

static uint32_t never_registers(void *context, const struct sim_instance *machine)
{
    (void)context;
    (void)machine;
    return MACHINE_NEVER_REGISTERS;
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(28);
    refuse_nodes = false;
    scenario->options.api_fault = on_request;
    *state = scenario;
    return 0;
}

static double tracked(struct scenario *scenario)
{
    scenario_run(scenario, 6); // the gauges follow every five seconds
    return view_metric(scenario, "karpenter_cluster_state_node_count", "");
}

// --- entries -------------------------------------------------------------------------------------
static void nodes_are_tracked_once_they_can_be_told_apart_LIF_300(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.world.node_lifecycle = false;
    scenario_begin(scenario);
    scenario_apply(scenario, "apiVersion: v1\nkind: Node\nmetadata: {name: theirs}\nspec: {}\n");
    assert_true(tracked(scenario) == 1); // unmanaged, without provider ID
    scenario_apply(scenario, "apiVersion: v1\nkind: Node\nmetadata: {name: ours, labels: "
                             "{karpenter.sh/nodepool: default}}\nspec: {}\n");
    assert_true(tracked(scenario) == 1); // no provider ID yet
    hand_patch(scenario, "v1", "Node", NULL, "ours", NULL, "spec: {providerID: 'x:///1'}");
    assert_true(tracked(scenario) == 1); // no instance type yet
    hand_patch(scenario, "v1", "Node", NULL, "ours", NULL,
               "metadata: {labels: {node.kubernetes.io/instance-type: large}}");
    assert_true(tracked(scenario) == 2);
    hand_delete(scenario, "v1", "Node", NULL, "theirs");
    assert_true(tracked(scenario) == 1);
}

static void claim_is_an_entry_from_its_launch_to_its_end_LIF_301_302(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.boot_faults = never_registers;
    scenario_begin(scenario);
    scenario_apply(scenario, "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: one}\n"
                             "spec: {expireAfter: Never, requirements: [], nodeClassRef: {group: "
                             "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}\n");
    assert_true(tracked(scenario) == 1); // without a Node
    const char *provider_id =
        view_text(view_object(scenario, KARPENTER, "NodeClaim", NULL, "one"), "status.providerID");
    char manifest[500];
    snprintf(manifest, sizeof manifest,
             "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {providerID: '%s', taints: "
             "[{key: karpenter.sh/unregistered, effect: NoExecute}]}\n",
             provider_id);
    scenario_apply(scenario, manifest);
    assert_true(tracked(scenario) == 1); // both are one
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, "one");
    scenario_run(scenario, 20);
    assert_true(tracked(scenario) == 0);
}

// --- pods ----------------------------------------------------------------------------------------
static double requested(struct scenario *scenario, const char *family)
{
    char name[200];
    snprintf(name, sizeof name, "karpenter_nodes_total_%s_requests", family);
    scenario_run(scenario, 6);
    return view_metric_sum(scenario, name, "resource_type=\"cpu\"");
}

static void pods_count_on_their_node_until_they_end_LIF_307_308(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    hand_pod(scenario, "web", "1", "", "terminationGracePeriodSeconds: 0, ");
    hand_pod(scenario, "job", "500m", "annotations: {adze.dev/sim-run-seconds: '60'}, ",
             "restartPolicy: Never, ");
    scenario_expect_running(scenario, 2);
    assert_true(requested(scenario, "pod") == 1.5);
    assert_true(requested(scenario, "daemon") == 0);
    scenario_apply(scenario, "apiVersion: apps/v1\nkind: DaemonSet\n"
                             "metadata: {name: agent, namespace: default}\n"
                             "spec: {selector: {matchLabels: {app: agent}}, template: {metadata: "
                             "{labels: {app: agent}}, spec: {containers: [{name: c, image: i, "
                             "resources: {requests: {cpu: 250m}}}]}}}\n");
    assert_true(requested(scenario, "daemon") == 0.25);
    scenario_run(scenario, 60);
    assert_true(requested(scenario, "pod") < 1.5); // the job has ended
    hand_delete(scenario, "v1", "Pod", "default", "web");
    hand_pod(scenario, "web", "2", "", ""); // of the same name, on another node
    scenario_run(scenario, 30);
    double all = requested(scenario, "pod");
    assert_true(all >= 2 && all <= 2.5);
}

static void nodes_that_go_do_not_count_for_their_pool_LIF_309_316(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    hand_pod(scenario, "web", "1", "annotations: {karpenter.sh/do-not-disrupt: 'true'}, ", "");
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 6);
    const json_t *pool = view_object(scenario, KARPENTER, "NodePool", NULL, "default");
    assert_int_equal(json_integer_value(store_path(pool, "status.nodes")), 1);
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, store_name(view_claim(scenario)));
    scenario_run(scenario, 10);
    pool = view_object(scenario, KARPENTER, "NodePool", NULL, "default");
    assert_int_equal(json_integer_value(store_path(pool, "status.nodes")), 0);
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
}

// A node with fresh nominations is not removed, though it is empty (LIF-313).
static void nominated_node_stays_LIF_313(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    hand_pod(scenario, "web", "1", "", "terminationGracePeriodSeconds: 0, ");
    scenario_expect_running(scenario, 1);
    // A second pod is planned onto the node, the first one leaves: the second is bound before the
    // node could be removed.
    hand_pod(scenario, "next", "100m", "", "");
    scenario_run(scenario, 0.2);
    hand_delete(scenario, "v1", "Pod", "default", "web");
    scenario_run(scenario, 30);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
    scenario_expect_running(scenario, 1);
}

// --- synced --------------------------------------------------------------------------------------
static uint32_t late_lines;

static void count_late(void *context, const char *line)
{
    (void)context;
    late_lines += strstr(line, "\"cluster is waiting on sync for extended duration\"") != NULL &&
                  strstr(line, "\"ERROR\"") != NULL;
}

static int64_t now_ns(void *loop)
{
    return loop_now_ns(loop);
}

static void what_cannot_be_listed_holds_everything_and_is_told_LIF_310_311_312(void **state)
{
    struct scenario *scenario = *state;
    struct log_options log = {
        .level = LOG_INFO, .sink = count_late, .now_ns = now_ns, .now_context = scenario->loop};
    assert_true(log_configure(&log, NULL));
    late_lines = 0;
    refuse_nodes = true;
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_run(scenario, 20);
    assert_int_equal(late_lines, 0);
    assert_true(view_metric(scenario, "karpenter_cluster_state_synced", "") == 0);
    assert_true(view_metric(scenario, "karpenter_cluster_state_unsynced_time_seconds", "") > 15);
    scenario_run(scenario, 40);
    assert_true(late_lines >= 3 && late_lines <= 4);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 0);
    refuse_nodes = false;
    scenario_run(scenario, 70); // the list's back-off
    assert_true(view_metric(scenario, "karpenter_cluster_state_synced", "") == 1);
    assert_true(view_metric(scenario, "karpenter_cluster_state_unsynced_time_seconds", "") == 0);
    scenario_expect_running(scenario, 1);
}

// A predecessor's NodeClaim that does not launch delays the start for half a minute, no longer.
static void unlaunched_claim_holds_the_start_for_a_while_LIF_310_454(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 600 * SECOND;
    scenario_begin(scenario);
    scenario_apply(scenario, "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: one}\n"
                             "spec: {expireAfter: Never, requirements: [], nodeClassRef: {group: "
                             "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}\n");
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    scenario_scale(scenario, 1);
    scenario_run(scenario, 20);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
    assert_true(view_metric(scenario, "karpenter_cluster_state_synced", "") == 0);
    scenario_run(scenario, 30);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 2);
    assert_true(view_metric(scenario, "karpenter_cluster_state_synced", "") == 1);
}

// --- foreign objects -----------------------------------------------------------------------------
#define OTHERS "nodeClassRef: {group: other.example.com, kind: OtherClass, name: default}"
#define READY                                                                        \
    "{type: Ready, status: 'True', reason: Ready, message: '', lastTransitionTime: " \
    "'2026-01-01T00:00:00Z', "                                                       \
    "observedGeneration: 1}"
#define IS_TRUE(type)                                                                        \
    "{type: " type                                                                           \
    ", status: 'True', reason: r, message: '', lastTransitionTime: '2026-01-01T00:00:00Z', " \
    "observedGeneration: 1}"

static void add_others_pool(struct scenario *scenario)
{
    scenario_apply(scenario,
                   "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: others}\n"
                   "spec: {weight: 100, disruption: {consolidateAfter: 0s, budgets: "
                   "[{nodes: '100%'}]}, template: {spec: {" OTHERS ", expireAfter: "
                   "Never, requirements: []}}}\n");
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "others", "status",
               "status: {conditions: [" READY "]}");
    scenario_run(scenario, 3);
}

// Two Karpenters share the cluster: the other one's NodePool gets none of our NodeClaims.
static void pools_of_others_are_not_used_LIF_2_206(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    add_others_pool(scenario);
    scenario_scale(scenario, 3);
    scenario_expect_running(scenario, 3);
    assert_string_equal(view_label(view_claim(scenario), "karpenter.sh/nodepool"), "default");
    assert_string_equal(view_condition(view_object(scenario, KARPENTER, "NodePool", NULL, "others"),
                                       "ValidationSucceeded"),
                        "none");
}

// A foreign empty node stays, and counts nowhere; our pods may use it.
static void nodes_of_others_are_left_alone_LIF_2_300(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.world.node_lifecycle = false;
    scenario_begin(scenario);
    add_others_pool(scenario);
    scenario_apply(scenario,
                   "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: theirs, "
                   "labels: {karpenter.sh/nodepool: others}}\n"
                   "spec: {expireAfter: Never, requirements: [], " OTHERS "}\n");
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, "theirs", "status",
               "status: {providerID: 'other:///1', nodeName: theirs, capacity: {cpu: '8'}, "
               "conditions: [" READY ", " IS_TRUE("Launched") ", " IS_TRUE(
                   "Registered") ", " IS_TRUE("Initialized") ", " IS_TRUE("Consolidatable") "]}");
    scenario_apply(scenario, "apiVersion: v1\nkind: Node\nmetadata: {name: theirs, labels: "
                             "{karpenter.sh/nodepool: others, karpenter.sh/registered: 'true', "
                             "karpenter.sh/initialized: 'true', "
                             "node.kubernetes.io/instance-type: large}}\n"
                             "spec: {providerID: 'other:///1'}\n"
                             "status: {capacity: {cpu: '8', memory: 16Gi, pods: '110'}, "
                             "allocatable: {cpu: '8', memory: 16Gi, pods: '110'}, conditions: "
                             "[{type: Ready, status: 'True', reason: r, lastTransitionTime: "
                             "'2026-01-01T00:00:00Z'}]}\n");
    scenario_run(scenario, 400);
    const json_t *theirs = view_object(scenario, KARPENTER, "NodeClaim", NULL, "theirs");
    assert_non_null(theirs);
    assert_null(store_path(theirs, "metadata.deletionTimestamp"));
    assert_null(store_path(theirs, "metadata.finalizers"));
    assert_false(view_has_taint(view_object(scenario, "v1", "Node", NULL, "theirs"),
                                "karpenter.sh/disrupted", "NoSchedule"));
    assert_true(view_metric_sum(scenario, "karpenter_voluntary_disruption_decisions_total", "") <=
                0);
    scenario_scale(scenario, 1);
    scenario_run(scenario, 20);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1); // there is room
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(nodes_are_tracked_once_they_can_be_told_apart_LIF_300),
        TEST(claim_is_an_entry_from_its_launch_to_its_end_LIF_301_302),
        TEST(pods_count_on_their_node_until_they_end_LIF_307_308),
        TEST(nodes_that_go_do_not_count_for_their_pool_LIF_309_316),
        TEST(nominated_node_stays_LIF_313),
        TEST(what_cannot_be_listed_holds_everything_and_is_told_LIF_310_311_312),
        TEST(pools_of_others_are_not_used_LIF_2_206),
        TEST(nodes_of_others_are_left_alone_LIF_2_300),
        TEST(unlaunched_claim_holds_the_start_for_a_while_LIF_310_454),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
