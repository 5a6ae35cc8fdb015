// Claims of devices from no nodes to running pods (SCH-422, LIF-22, LIF-64): a claim template leads
// to a machine of a type that a template of devices describes, and its node waits for the driver.
#include <stdio.h>
#include <string.h>

#include "simulation/cluster_view.h"

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(31);
    scenario->settings.ignore_dra_requests = false;
    *state = scenario;
    return 0;
}

static const char claims[] =
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
    "spec: {selectors: [{cel: {expression: device.driver == 'gpu.example.com'}}]}\n---\n"
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n"
    "metadata: {name: one, namespace: default}\n"
    "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}\n---\n"
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n"
    "metadata: {name: template, annotations: {adze.dev/instance-types: 'm-8x-amd64-linux'}}\n"
    "spec: {driver: gpu.example.com, nodeName: none, pool: {name: t, generation: 1, "
    "resourceSliceCount: 1}, devices: [{name: d0}, {name: d1}]}\n";

static const char pods[] =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: infer, namespace: default}\n"
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: infer}}\n"
    "  template:\n    metadata: {labels: {app: infer}}\n    spec:\n"
    "      resourceClaims: [{name: x, resourceClaimTemplateName: one}]\n"
    "      containers: [{name: c, image: i, resources: {requests: {cpu: '1'}, claims: [{name: "
    "x}]}}]\n";

static bool initialized(struct scenario *scenario)
{
    return strncmp(view_condition(view_claim(scenario), "Initialized"), "True", 4) == 0;
}

static bool waits_for_driver(struct scenario *scenario)
{
    return view_count(scenario, KARPENTER, "NodeClaim") > 0 &&
           strcmp(view_condition(view_claim(scenario), "Initialized"),
                  "Unknown/DRADriverPoolsNotPublished") == 0;
}

static void publish(struct scenario *scenario, const char *name, int count)
{
    char slice[800];
    const char *node = view_text(view_node(scenario), "metadata.name");
    snprintf(slice, sizeof slice,
             "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: %s}\n"
             "spec: {driver: gpu.example.com, nodeName: %s, pool: {name: %s, generation: 1, "
             "resourceSliceCount: %d}, devices: [{name: %s-0}, {name: %s-1}]}\n",
             name, node, node, count, name, name);
    scenario_apply(scenario, slice);
}

static void claims_of_devices_get_nodes_SCH_422_LIF_64(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(scenario, claims);
    scenario_apply(scenario, pods);
    scenario_until(scenario, 60, "a node waits for its driver", waits_for_driver);
    const json_t *claim = view_claim(scenario);
    assert_string_equal(view_annotation(claim, "karpenter.sh/requested-dra-drivers"),
                        "gpu.example.com");
    assert_string_equal(
        view_condition_message(claim, "Initialized"),
        "DRA driver \"gpu.example.com\" has not published a complete resource pool");
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
    publish(scenario, "first", 2); // one of two slices
    scenario_run(scenario, 5);
    assert_true(waits_for_driver(scenario));
    publish(scenario, "second", 2);
    scenario_until(scenario, 10, "the node is initialized", initialized);
    scenario_expect_running(scenario, 2);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
}

// --- the opening of nodes ------------------------------------------------------------------------

static const char other[] =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: other, namespace: default}\n"
    "spec:\n  replicas: 1\n  selector: {matchLabels: {app: other}}\n"
    "  template:\n    metadata: {labels: {app: other}}\n    spec:\n"
    "      resourceClaims: [{name: x, resourceClaimTemplateName: one}]\n"
    "      containers: [{name: c, image: i, resources: {requests: {cpu: '2'}, claims: [{name: "
    "x}]}}]\n";

static bool is_registered(struct scenario *scenario)
{
    return view_count(scenario, KARPENTER, "NodeClaim") > 0 &&
           strncmp(view_condition(view_claim(scenario), "Registered"), "True", 4) == 0;
}

static bool is_ready(struct scenario *scenario)
{
    return view_count(scenario, "v1", "Node") > 0 &&
           strncmp(view_condition(view_node(scenario), "Ready"), "True", 4) == 0;
}

static void await_machine(struct scenario *scenario)
{
    scenario_apply(scenario, claims);
    scenario_apply(scenario, other);
    scenario_apply(scenario, pods);
    scenario_until(scenario, 60, "a node that is ready", is_ready);
}

// Without its devices kube-scheduler would try the nominated pods in vain.
static void a_node_stays_closed_until_it_has_its_devices_SCH_516_LIF_64(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    await_machine(scenario);
    scenario_run(scenario, 5);
    assert_false(is_registered(scenario));
    publish(scenario, "only", 1);
    scenario_until(scenario, 5, "the node is open", is_registered);
}

static void a_driver_that_needs_an_open_node_is_not_awaited_for_long_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    await_machine(scenario);
    scenario_run(scenario, 5);
    assert_false(is_registered(scenario));
    scenario_until(scenario, 12, "the node is open", is_registered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(claims_of_devices_get_nodes_SCH_422_LIF_64, setup,
                                        scenario_teardown),
        cmocka_unit_test_setup_teardown(a_node_stays_closed_until_it_has_its_devices_SCH_516_LIF_64,
                                        setup, scenario_teardown),
        cmocka_unit_test_setup_teardown(
            a_driver_that_needs_an_open_node_is_not_awaited_for_long_SCH_516, setup,
            scenario_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
