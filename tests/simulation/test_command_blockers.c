// DIS-791: a blocker that appears while the replacements of a command launch - a
// PodDisruptionBudget that allows nothing any more, a pod with do-not-disrupt, a workload without
// other ready pods (DIS-761) - keeps its nodes.
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/scenario.h"

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(17);
    scenario->options.boot_delay_min = scenario->options.boot_delay_max = 30 * SECOND;
    *state = scenario;
    return 0;
}

// Another generation of the NodePool's template: the existing nodes have drifted.
static void apply_generation(struct scenario *scenario, const char *generation, const char *more)
{
    char manifest[2000];
    snprintf(manifest, sizeof manifest,
             "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
             "spec:\n"
             "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 0s, budgets: "
             "[{nodes: \"100%%\"}]}\n"
             "  template:\n"
             "    metadata: {labels: {generation: \"%s\"}}\n"
             "    spec:\n"
             "      expireAfter: Never\n%s"
             "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
             "      requirements:\n"
             "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: [\"9\"]}\n",
             generation, more);
    scenario_apply(scenario, manifest);
}

static void apply_budget(struct scenario *scenario, const char *spec)
{
    char manifest[400];
    struct error error = {0};
    (void)!simulation_delete(scenario->simulation, "policy/v1", "PodDisruptionBudget", "default",
                             "guard", &error);
    snprintf(
        manifest, sizeof manifest,
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: guard, namespace: "
        "default}, spec: {selector: {matchLabels: {app: inflate}}, %s}}",
        spec);
    scenario_apply(scenario, manifest);
}

static bool annotate(void *context, json_t *pod)
{
    char *manifest = context;
    snprintf(manifest, 400,
             "{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default, annotations: "
             "{karpenter.sh/do-not-disrupt: 'true'}}}",
             store_name(pod));
    return false;
}

static void protect_a_pod(struct scenario *scenario)
{
    struct store *store = simulation_store(scenario->simulation);
    char manifest[400] = "";
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, annotate, manifest);
    scenario_apply(scenario, manifest);
}

struct view {
    uint32_t old, marked;
};

static bool look(void *context, json_t *node)
{
    struct view *view = context;
    const char *generation =
        json_string_value(json_object_get(store_path(node, "metadata.labels"), "generation"));
    view->old += strcmp(generation != NULL ? generation : "", "a") == 0;
    view->marked += json_object_get(store_path(node, "metadata.annotations"),
                                    "adze.dev/disruption-command") != NULL &&
                    json_array_size(store_path(node, "spec.taints")) > 0;
    return true;
}

static struct view view_of(struct scenario *scenario)
{
    struct view view = {0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, look, &view);
    return view;
}

static bool replacement_comes(struct scenario *scenario)
{
    return simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim") > 1;
}

static bool replacement_of_pair_comes(struct scenario *scenario)
{
    return simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim") > 2;
}

static bool rolled(struct scenario *scenario)
{
    return view_of(scenario).old == 0 && scenario_settled(scenario);
}

static bool taken_back(struct scenario *scenario)
{
    return view_of(scenario).marked == 0 && scenario_settled(scenario) &&
           simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim") == 1;
}

// One node of generation "a" with three pods, and its replacement on the way.
static void begin(struct scenario *scenario, const char *more)
{
    scenario_begin(scenario);
    apply_generation(scenario, "a", more);
    scenario_scale(scenario, 3);
    scenario_expect_running(scenario, 3);
    assert_int_equal(view_of(scenario).old, 1);
    apply_generation(scenario, "b", more);
    scenario_until(scenario, 400, "a replacement", replacement_comes);
}

static void node_stays_while_a_budget_allows_nothing_DIS_791(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    apply_budget(scenario, "maxUnavailable: 0");
    scenario_run(scenario, 4 * 60);
    assert_int_equal(view_of(scenario).old, 1);
    assert_int_equal(simulation_pods_running(scenario->simulation), 3);
    apply_budget(scenario, "maxUnavailable: 3");
    scenario_until(scenario, 60, "the node to go", rolled);
}

static void command_ends_in_time_DIS_326_793(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    apply_budget(scenario, "maxUnavailable: 0");
    scenario_until(scenario, 11 * 60, "the command to be taken back", taken_back);
    assert_int_equal(view_of(scenario).old, 1);
}

static bool look_for_pause(void *context, json_t *event)
{
    bool *paused = context;
    const char *message = json_string_value(store_path(event, "message"));
    *paused = *paused || (message != NULL && strstr(message, "drift backing off") != NULL);
    return true;
}

static bool drift_has_paused(struct scenario *scenario)
{
    bool paused = false;
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, look_for_pause, &paused);
    return paused;
}

static void node_stays_with_a_pod_that_wants_to_DIS_791_723_716(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    protect_a_pod(scenario);
    scenario_until(scenario, 3 * 60, "the command to be taken back", taken_back);
    assert_int_equal(view_of(scenario).old, 1);
    assert_int_equal(simulation_pods_running(scenario->simulation), 3);
    scenario_run(scenario, 60);
    assert_false(drift_has_paused(scenario)); // no replacement has failed (DIS-716)
}

static void drifted_node_with_a_grace_period_goes_DIS_34(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "      terminationGracePeriod: 2m\n");
    apply_budget(scenario, "maxUnavailable: 0");
    protect_a_pod(scenario);
    scenario_until(scenario, 5 * 60, "the node to go", rolled);
}

// --- DIS-761 -------------------------------------------------------------------------------------
// Two replicas with anti-affinity that are slow to become ready, on two drifted nodes.

static bool pair_is_ready(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) == 2 && scenario_settled(scenario);
}

static void begin_pair(struct scenario *scenario)
{
    scenario_begin(scenario);
    apply_generation(scenario, "a", "");
    scenario_apply(
        scenario,
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: pair, namespace: default}, spec: "
        "{replicas: 2, selector: {matchLabels: {app: pair}}, template: {metadata: {labels: {app: "
        "pair}, annotations: {adze.dev/sim-start-seconds: '120'}}, spec: {affinity: "
        "{podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
        "kubernetes.io/hostname, labelSelector: {matchLabels: {app: pair}}}]}}, containers: "
        "[{name: main, image: pause, resources: {requests: {cpu: 1}}}]}}}}");
    scenario_until(scenario, 400, "both to be ready", pair_is_ready);
    apply_generation(scenario, "b", "");
    scenario_until(scenario, 400, "a replacement", replacement_of_pair_comes);
}

struct pair { // the pods by the nodes that they run on
    struct store *store;
    char chosen[300], other[300]; // the node in a command; the pod on the one outside any command
};

static bool take_apart(void *context, json_t *pod)
{
    struct pair *pair = context;
    struct view view = {0};
    const char *name = json_string_value(store_path(pod, "spec.nodeName"));
    look(&view,
         store_get(pair->store, store_resource_of_kind(pair->store, "v1", "Node"), NULL, name));
    snprintf(view.marked > 0 ? pair->chosen : pair->other, sizeof pair->other, "%s",
             view.marked > 0 ? name : store_name(pod));
    return true;
}

static bool is_deleting(const struct pair *pair)
{
    return store_path(store_get(pair->store, store_resource_of_kind(pair->store, "v1", "Node"),
                                NULL, pair->chosen),
                      "metadata.deletionTimestamp") != NULL;
}

static void node_stays_while_nothing_else_is_ready_DIS_761(void **state)
{
    struct scenario *scenario = *state;
    begin_pair(scenario);
    struct pair pair = {.store = simulation_store(scenario->simulation)};
    struct error error = {0};
    store_each(pair.store, store_resource_of_kind(pair.store, "v1", "Pod"), NULL, take_apart,
               &pair);
    assert_true(
        simulation_delete(scenario->simulation, "v1", "Pod", "default", pair.other, &error));
    for (int i = 0; i < 100; i++) { // the replacement comes meanwhile, the other is not yet ready
        scenario_run(scenario, 1);
        assert_false(is_deleting(&pair));
    }
    scenario_until(scenario, 1200, "both nodes to go", rolled);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(node_stays_while_a_budget_allows_nothing_DIS_791),
        TEST(command_ends_in_time_DIS_326_793),
        TEST(node_stays_with_a_pod_that_wants_to_DIS_791_723_716),
        TEST(drifted_node_with_a_grace_period_goes_DIS_34),
        TEST(node_stays_while_nothing_else_is_ready_DIS_761),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
