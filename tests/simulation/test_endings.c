// Ends of NodeClaims and pods with other events at the same time.
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/metrics_text.h"
#include "cloud/sim/sim_instances.h"
#include "sim/store/store.h"
#include "simulation/cluster_view.h"
#include "simulation/scenario.h"

static int setup(void **state)
{
    *state = scenario_create(4);
    return 0;
}

struct names {
    char text[20][300];
    uint32_t count;
};

static bool note_name(void *context, json_t *object)
{
    struct names *names = context;
    const char *name =
        json_string_value(json_object_get(json_object_get(object, "metadata"), "name"));
    if (names->count < 20)
        snprintf(names->text[names->count++], sizeof names->text[0], "%s", name);
    return true;
}

static struct names node_claims(struct scenario *scenario)
{
    struct names names = {0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim"), NULL,
               note_name, &names);
    return names;
}

static void delete (struct scenario *scenario, const char *api_version, const char *kind,
                    const char *name)
{
    struct error error = {0};
    if (!simulation_delete(scenario->simulation, api_version, kind, NULL, name, &error))
        fail_msg("%s", error.message);
}

static bool claims_exist(struct scenario *scenario)
{
    return node_claims(scenario).count > 0;
}

static bool no_machine(struct scenario *scenario)
{
    return sim_instances_count(simulation_park(scenario->simulation)) == 0;
}

// The machine comes after the NodeClaim's deletion: no status has its provider ID.
static void claim_deleted_while_launching_takes_its_machine_along_LIF_84(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 5 * SECOND;
    scenario_begin(scenario);
    scenario_scale(scenario, 3);
    scenario_until(scenario, 10, "a NodeClaim", claims_exist);
    scenario_run(scenario, 2);
    struct names names = node_claims(scenario);
    scenario_scale(scenario, 0);
    for (uint32_t i = 0; i < names.count; i++)
        delete (scenario, "karpenter.sh/v1", "NodeClaim", names.text[i]);
    scenario_run(scenario, 5); // create answers
    assert_true(sim_instances_launches(simulation_park(scenario->simulation)) > 0);
    // Well before an instance is old enough for garbage collection.
    scenario_until(scenario, 20, "the machine to go", no_machine);
}

static bool claim_gone(struct scenario *scenario)
{
    return node_claims(scenario).count == 0;
}

// A pod with a foreign finalizer outlives the deadline: deleted past its budget, counted once.
static void overdue_pod_that_stays_is_counted_once_LIF_450(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(scenario,
                   "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
                   "spec:\n  template:\n    spec:\n"
                   "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: "
                   "default}\n"
                   "      terminationGracePeriod: 20s\n"
                   "      requirements:\n"
                   "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
                   "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
                   "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\n"
                   "metadata: {name: pdb, namespace: default}\n"
                   "spec: {maxUnavailable: 0, selector: {matchLabels: {app: held}}}\n"
                   "---\napiVersion: v1\nkind: Pod\n"
                   "metadata: {name: held, namespace: default, labels: {app: held}, finalizers: "
                   "[example.com/hold]}\n"
                   "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "
                   "\"1\"}}}]}\n");
    scenario_expect_running(scenario, 1);
    struct names names = node_claims(scenario);
    assert_int_equal(names.count, 1);
    delete (scenario, "karpenter.sh/v1", "NodeClaim", names.text[0]);
    // Deadline 20 s, stuck a minute after the pod's end: then the machine is terminated without it.
    scenario_until(scenario, 150, "the NodeClaim to go", claim_gone);
    assert_true(view_metric_sum(scenario, "karpenter_pods_drained_total", "") == 1);
}

static uint32_t count_lines(const char *text, const char *start, const char *part)
{
    uint32_t count = 0;
    for (const char *at = strstr(text, start); at != NULL; at = strstr(at + 1, start)) {
        const char *end = strchr(at + 1, '\n'), *found = strstr(at, part);
        count += found != NULL && found < end;
    }
    return count;
}

static void passes_and_conditions_have_metrics_SCH_397_LIF_355_LIF_356(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 3);
    scenario_expect_running(scenario, 3);
    struct text text = {0};
    metrics_write(simulation_metrics(scenario->simulation), &text);
    assert_int_equal(count_lines(text.data, "\noperator_nodeclaim_status_condition_count{",
                                 "type=\"Initialized\",status=\"True\",reason=\"Initialized\""),
                     1);
    assert_int_equal(count_lines(text.data, "\noperator_nodeclaim_status_condition_count{",
                                 "karpenter_sh_nodepool=\"default\""),
                     count_lines(text.data, "\noperator_nodeclaim_status_condition_count{", ""));
    assert_int_equal(count_lines(text.data,
                                 "\noperator_nodeclaim_status_condition_transitions_total{",
                                 "type=\"Launched\",status=\"True\""),
                     1);
    assert_int_equal(count_lines(text.data, "\noperator_node_status_condition_count{",
                                 "type=\"Ready\",status=\"True\""),
                     1);
    assert_int_equal(count_lines(text.data, "\noperator_nodepool_status_condition_count{",
                                 "type=\"Ready\",status=\"True\""),
                     1);
    assert_int_equal(count_lines(text.data, "\nkarpenter_scheduler_queue_depth{", "\"} 0"), 1);
    assert_int_equal(count_lines(text.data, "\nkarpenter_scheduler_unfinished_work_seconds{", ""),
                     0);
    text_clear(&text);
    scenario_scale(scenario, 0);
    scenario_until(scenario, 60, "nothing to be left", scenario_empty);
    scenario_run(scenario, 1); // until the controller has seen it
    metrics_write(simulation_metrics(scenario->simulation), &text);
    assert_int_equal(count_lines(text.data, "\noperator_nodeclaim_status_condition_count{", ""), 0);
    assert_int_equal(
        count_lines(text.data, "\noperator_nodeclaim_termination_duration_seconds_count{", "} 1"),
        1);
    text_free(&text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(claim_deleted_while_launching_takes_its_machine_along_LIF_84),
        TEST(overdue_pod_that_stays_is_counted_once_LIF_450),
        TEST(passes_and_conditions_have_metrics_SCH_397_LIF_355_LIF_356),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
