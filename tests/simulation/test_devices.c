// Claims of devices from no nodes to running pods (SCH-422, LIF-22, LIF-64): a claim template leads
// to a machine of a type that a template of devices describes, and its node waits for the driver.
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "simulation/cluster_view.h"

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(31);
    scenario->settings.ignore_dra_requests = false;
    scenario->options.world.driver_start_ns = -1; // the tests publish what they want
    *state = scenario;
    return 0;
}

static int setup_with_drivers(void **state)
{
    setup(state);
    ((struct scenario *)*state)->options.world.driver_start_ns = 3 * SECOND;
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

// --- kube-scheduler allocates --------------------------------------------------------------------

// Boards of seven slices, parts of two: three parts fit. GPUs of two models.
static const char devices[] =
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
    "spec: {selectors: [{cel: {expression: device.driver == 'gpu.example.com'}}]}\n---\n"
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: board}\n"
    "spec: {selectors: [{cel: {expression: device.driver == 'board.example.com'}}]}\n---\n"
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n"
    "metadata: {name: gpus, annotations: {adze.dev/instance-types: m-8x-amd64-linux}}\n"
    "spec: {driver: gpu.example.com, nodeName: none, pool: {name: t, generation: 1, "
    "resourceSliceCount: 1}, devices: [{name: d0, attributes: {model: {string: a}}}, "
    "{name: d1, attributes: {model: {string: b}}}, {name: d2, attributes: {model: {string: a}}}]}"
    "\n---\n"
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n"
    "metadata: {name: counters, annotations: {adze.dev/instance-types: c-8x-amd64-linux}}\n"
    "spec: {driver: board.example.com, nodeName: none, pool: {name: b, generation: 1, "
    "resourceSliceCount: 2}, sharedCounters: [{name: s, counters: {slices: {value: '7'}}}]}\n---\n"
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n"
    "metadata: {name: parts, annotations: {adze.dev/instance-types: c-8x-amd64-linux}}\n"
    "spec: {driver: board.example.com, nodeName: none, pool: {name: b, generation: 1, "
    "resourceSliceCount: 2}, devices: ["
#define SIM_PART(name) \
    "{name: " name ", consumesCounters: [{counterSet: s, counters: {slices: {value: '2'}}}]}"
    SIM_PART("p0") ", " SIM_PART("p1") ", " SIM_PART("p2") ", " SIM_PART("p3") "]}\n---\n"
#define SIM_TEMPLATE(name, devices)                                 \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n" \
    "metadata: {name: " name ", namespace: default}\n"              \
    "spec: {spec: {devices: {" devices "}}}\n---\n"
    SIM_TEMPLATE("one", "requests: [{name: r, exactly: {deviceClassName: gpu}}]")
        SIM_TEMPLATE("pair", "requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}], "
                             "constraints: [{matchAttribute: gpu.example.com/model}]")
            SIM_TEMPLATE("part", "requests: [{name: r, exactly: {deviceClassName: board}}]")
                SIM_TEMPLATE("all", "requests: [{name: r, firstAvailable: [{name: many, "
                                    "deviceClassName: gpu, "
                                    "count: 9}, {name: all, deviceClassName: gpu, allocationMode: "
                                    "All}]}]") "apiVersion: resource.k8s.io/v1\nkind: "
                                               "ResourceClaim\nmetadata: {name: shared, namespace: "
                                               "default}\nspec: {devices: {requests: [{name: r, "
                                               "exactly: {deviceClassName: gpu, selectors: "
                                               "[{cel: {expression: "
                                               "\"device.attributes['gpu.example.com'].model == "
                                               "'b'\"}}]}}]}}\n";

static void apply_claiming(struct scenario *scenario, const char *name, int replicas,
                           const char *claim)
{
    char text[1000];
    snprintf(text, sizeof text,
             "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s, namespace: default}\n"
             "spec:\n  replicas: %d\n  selector: {matchLabels: {app: %s}}\n"
             "  template:\n    metadata: {labels: {app: %s}}\n    spec:\n"
             "      resourceClaims: [{name: x, %s}]\n"
             "      containers: [{name: c, image: i, resources: {requests: {cpu: 500m}, claims: "
             "[{name: x}]}}]\n",
             name, replicas, name, name, claim);
    scenario_apply(scenario, text);
}

struct devices_held {
    struct scenario *scenario;
    struct map *held; // by pool and device: the claim
    uint32_t claims, shared_by;
};

// No device is allocated twice, and each is of the node of the claim's pods.
static bool check_allocation(void *context, json_t *claim)
{
    struct devices_held *all = context;
    const char *pod = view_text(json_array_get(store_path(claim, "status.reservedFor"), 0), "name");
    assert_non_null(pod);
    const char *node =
        view_text(view_object(all->scenario, "v1", "Pod", "default", pod), "spec.nodeName");
    size_t index;
    json_t *result;
    json_array_foreach (store_path(claim, "status.allocation.devices.results"), index, result) {
        char key[400];
        const char *pool = view_text(result, "pool");
        snprintf(key, sizeof key, "%s/%s", pool, view_text(result, "device"));
        assert_null(map_set(all->held, key, claim));
        assert_non_null(node);
        assert_memory_equal(pool, node, strlen(node));
    }
    assert_true(index > 0);
    all->claims++;
    if (strcmp(view_text(claim, "metadata.name"), "shared") == 0)
        all->shared_by = (uint32_t)json_array_size(store_path(claim, "status.reservedFor"));
    return true;
}

static struct devices_held held_devices(struct scenario *scenario)
{
    struct devices_held all = {.scenario = scenario, .held = map_create()};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "resource.k8s.io/v1", "ResourceClaim"), NULL,
               check_allocation, &all);
    return all;
}

static bool no_claims(struct scenario *scenario)
{
    return view_count(scenario, "resource.k8s.io/v1", "ResourceClaim") == 1 &&
           json_array_size(store_path(view_first(scenario, "resource.k8s.io/v1", "ResourceClaim"),
                                      "status.reservedFor")) == 0;
}

// 3 GPUs a machine: 2 + 1, 3, and 1 that two pods share; parts: 3 + 1.
static void kube_scheduler_allocates_what_was_planned_SCH_428(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(scenario, devices);
    apply_claiming(scenario, "pair", 1, "resourceClaimTemplateName: pair");
    apply_claiming(scenario, "all", 1, "resourceClaimTemplateName: all");
    apply_claiming(scenario, "one", 2, "resourceClaimTemplateName: one");
    apply_claiming(scenario, "part", 4, "resourceClaimTemplateName: part");
    apply_claiming(scenario, "shared", 2, "resourceClaimName: shared");
    scenario_expect_running(scenario, 10);
    struct devices_held all = held_devices(scenario);
    assert_int_equal(all.claims, 9);
    assert_int_equal(all.shared_by, 2);
    assert_int_equal(map_count(all.held), 2 + 3 + 2 + 4 + 1);
    map_destroy(all.held, NULL);
    uint32_t nodes = view_count(scenario, "v1", "Node");
    print_message("%u nodes\n", nodes);
    assert_in_range(nodes, 5, 6);
    static const char *const names[] = {"pair", "all", "one", "part", "shared"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        hand_delete(scenario, "apps/v1", "Deployment", "default", names[i]);
    scenario_until(scenario, 60, "claims to be given up", no_claims);
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
        cmocka_unit_test_setup_teardown(kube_scheduler_allocates_what_was_planned_SCH_428,
                                        setup_with_drivers, scenario_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
