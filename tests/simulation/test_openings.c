// Nodes of a wave open together, and the pods are nominated (SCH-516).
#include "simulation/moves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simulation/story.h"

struct shape {
    const char *name;
    uint32_t pods;
    const char *cpu, *memory;
    bool zonal;
};

static void apply(struct scenario *scenario, const struct shape *shape)
{
    struct text manifest = {0};
    text_format(&manifest,
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s, namespace: default}\n"
                "spec:\n  replicas: %u\n  selector: {matchLabels: {app: %s}}\n  template:\n"
                "    metadata: {labels: {app: %s}}\n    spec:\n"
                "      terminationGracePeriodSeconds: 0\n"
                "      containers:\n      - {name: c, image: pause, resources: {requests: "
                "{cpu: %s, memory: %s}}}\n",
                shape->name, shape->pods, shape->name, shape->name, shape->cpu, shape->memory);
    if (shape->zonal)
        text_format(&manifest,
                    "      topologySpreadConstraints:\n"
                    "      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
                    "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: %s}}}\n",
                    shape->name);
    scenario_apply(scenario, manifest.data);
    text_free(&manifest);
}

static uint32_t apply_all(struct scenario *scenario, const struct shape *shapes, size_t count)
{
    uint32_t pods = 0;
    for (size_t i = 0; i < count; i++) {
        apply(scenario, &shapes[i]);
        pods += shapes[i].pods;
    }
    return pods;
}

static double kept(struct scenario *scenario)
{
    double planned = view_landed(scenario, "planned"),
           elsewhere = view_landed(scenario, "elsewhere");
    print_message("%.0f as planned, %.0f elsewhere\n", planned, elsewhere);
    return planned / (planned + elsewhere);
}

static const struct shape two[] = {{"small", 40, "900m", "3100Mi", false},
                                   {"large", 40, "3500m", "12Gi", false}};
static const struct shape zonal[] = {{"a", 18, "450m", "750Mi", true},
                                     {"b", 18, "1", "2Gi", true},
                                     {"c", 18, "1400m", "4Gi", true},
                                     {"d", 18, "2300m", "6Gi", true},
                                     {"e", 18, "3300m", "8Gi", true}};

static const struct shape mixed[] = {{"a", 30, "250m", "300Mi", false},
                                     {"b", 25, "700m", "900Mi", false},
                                     {"c", 20, "1300m", "6Gi", false},
                                     {"d", 20, "2300m", "3Gi", false},
                                     {"e", 15, "3300m", "13Gi", false}};

static void pods_of_several_sizes_go_where_they_were_planned_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_all(scenario, two, ARRAY_LENGTH(two)));
    assert_true(kept(scenario) >= 0.95);
}

// At the pace of a live control plane most pods were tried in vain before the nodes came.
static void at_a_live_pace_too_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario_live_pace(scenario);
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_all(scenario, two, ARRAY_LENGTH(two)));
    assert_true(kept(scenario) >= 0.9);
}

// The spread must hold after each binding, whichever pod comes first.
static void zones_fill_evenly_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_all(scenario, zonal, ARRAY_LENGTH(zonal)));
    assert_true(kept(scenario) >= 0.5);
}

// Two of a workload on each node, and one node with room and a pod with anti-affinity to them.
static void nobody_is_sent_to_a_pod_that_keeps_it_away_SCH_516(void **state)
{
    static const char pool[] =
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
        "spec:\n  template:\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      expireAfter: Never\n"
        "      requirements:\n"
        "      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}\n"
        "      - {key: topology.kubernetes.io/zone, operator: In, values: [test-zone-a]}\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: In, values: ['8']}\n";
    static const char guard[] =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: guard, namespace: default}\n"
        "spec:\n  replicas: 1\n  selector: {matchLabels: {app: guard}}\n  template:\n"
        "    metadata: {labels: {app: guard}}\n    spec:\n"
        "      containers:\n      - {name: c, image: pause, resources: {requests: {cpu: 4}}}\n"
        "      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}}]}}\n";
    static const struct shape a = {"a", 6, "3", "1Gi", true};
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(scenario, pool);
    scenario_apply(scenario, guard);
    apply(scenario, &a);
    scenario_expect_running(scenario, 7);
    assert_true(kept(scenario) == 1);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 4);
}

// All nodes drift at once: their pods go to the replacements, and no other node is launched.
static void pods_of_drifted_nodes_need_no_node_that_was_not_planned_SCH_528(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_all(scenario, mixed, ARRAY_LENGTH(mixed)));
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "default", NULL,
               "{spec: {template: {metadata: {labels: {generation: second}}}}}");
    scenario_run(scenario, 120);
    scenario_until(scenario, 60, "a settled world", scenario_settled);
    assert_true(view_metric_sum(scenario, "adze_unplanned_nodeclaims_total", "") <= 0);
}

static void drift_by_halves(struct scenario *scenario)
{
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "default", NULL,
               "{spec: {disruption: {budgets: [{nodes: '50%'}]}, template: {metadata: {labels: "
               "{generation: second}}}}}");
}

static uint32_t first_generation(struct scenario *scenario)
{
    return (uint32_t)(view_count(scenario, "v1", "Node") -
                      story_nodes_labelled(scenario, "generation", "second"));
}

static bool first_generation_is_gone(struct scenario *scenario)
{
    return first_generation(scenario) == 0;
}

// Consolidation waits until the nodes have come to rest, which a round of drift disturbs. The next
// round of drift does not wait.
static void drift_does_not_wait_for_rest_DIS_717(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_all(scenario, mixed, ARRAY_LENGTH(mixed)));
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "default", NULL,
               "{spec: {disruption: {consolidateAfter: 50s, budgets: [{nodes: '25%'}]}, template: "
               "{metadata: {labels: {generation: second}}}}}");
    double took = scenario_until(scenario, 600, "all nodes to go", first_generation_is_gone);
    print_message("drifted in %.0f s\n", took);
    assert_true(took < 60);
}

static uint32_t apply_many(struct scenario *scenario, bool is_zonal)
{
    uint32_t pods = 0;
    for (uint32_t i = 0; i < 20; i++) {
        char name[8], cpu[16], memory[16];
        snprintf(name, sizeof name, "s%u", i);
        snprintf(cpu, sizeof cpu, "%um", 250 + i * 7 % 20 * 180);
        snprintf(memory, sizeof memory, "%uMi", 400 + i * 11 % 20 * 1400);
        struct shape shape = {name, 16, cpu, memory, is_zonal};
        apply(scenario, &shape);
        pods += shape.pods;
    }
    return pods;
}

// Half of the nodes drift at a time: at least `times` as many pods go where they were planned as
// go elsewhere.
static void expect_drifted_pods_as_planned(struct scenario *scenario, double times)
{
    double planned = view_landed(scenario, "planned"),
           elsewhere = view_landed(scenario, "elsewhere");
    drift_by_halves(scenario);
    scenario_until(scenario, 600, "all nodes to go", first_generation_is_gone);
    scenario_until(scenario, 60, "a settled world", scenario_settled);
    planned = view_landed(scenario, "planned") - planned;
    elsewhere = view_landed(scenario, "elsewhere") - elsewhere;
    print_message("%.0f as planned, %.0f elsewhere\n", planned, elsewhere);
    assert_true(planned >= times * elsewhere);
}

// At the pace of a live control plane, half of the nodes at a time: what kube-scheduler has yet to
// try, and a node that opens meanwhile, do not upset the order. No command begins that the pods on
// their way would end at once.
static void drifted_pods_go_where_they_were_planned_SCH_516_DIS_725(void **state)
{
    struct scenario *scenario = *state;
    scenario_live_pace(scenario);
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_many(scenario, true));
    expect_drifted_pods_as_planned(scenario, 9);
    assert_true(view_metric_sum(scenario, "karpenter_voluntary_disruption_failed_validations_total",
                                "") <= 0);
}

// Workload controllers need forty seconds for the pods of a round, longer than its nodes live: full
// replacements open before the others, and places are kept until the pods have come.
static void successors_that_come_late_have_their_places_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario_live_pace(scenario);
    scenario->options.world.controller_requests_per_second = 4;
    scenario->options.world.controller_requests_burst = 4;
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_many(scenario, false));
    expect_drifted_pods_as_planned(scenario, 9);
}

// Workload controllers need almost a minute for the pods of a round, longer than a node waits for
// more after its first pod. The wait begins with that pod, not with the command.
static void nodes_wait_from_their_first_pod_on_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario_live_pace(scenario);
    scenario->options.world.controller_requests_per_second = 3;
    scenario->options.world.controller_requests_burst = 3;
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_many(scenario, false));
    expect_drifted_pods_as_planned(scenario, 4);
}

// Workload controllers need forty seconds for the pods of a wave. It is planned in parts: nodes for
// the rest of it would stand open when that comes, and the wrong pods would take their room.
static void a_wave_that_comes_slowly_is_planned_in_parts_SCH_516_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    scenario_live_pace(scenario);
    scenario->options.world.controller_requests_per_second = 8;
    scenario->options.world.controller_requests_burst = 8;
    scenario_begin(scenario);
    uint32_t pods = apply_many(scenario, false);
    assert_true(scenario_until(scenario, 60, "a NodeClaim", view_any_claim) < 6);
    scenario_expect_running(scenario, pods);
    assert_true(kept(scenario) >= 0.8);
}

static void scale(struct scenario *scenario, const char *name, uint32_t pods)
{
    struct error error = {0};
    if (!simulation_scale(scenario->simulation, name, pods, &error))
        fail_msg("%s", error.message);
}

// Nodes of a wave and replacements take turns; neither waits for long.
static void a_wave_meets_replacements_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario_live_pace(scenario);
    scenario_begin(scenario);
    uint32_t pods = apply_many(scenario, true);
    scenario_expect_running(scenario, pods);
    drift_by_halves(scenario);
    scenario_until(scenario, 60, "an eviction", moves_any_deleting);
    static const struct shape late = {"late", 40, "1700m", "3Gi", true};
    apply(scenario, &late);
    double took = scenario_until(scenario, 300, "all nodes to go", first_generation_is_gone);
    print_message("drifted in %.0f s\n", took);
    assert_true(took < 120);
    scenario_expect_running(scenario, pods + late.pods);
}

// Small pods come and go all the time, each bound within a moment: they hold up no drift but that
// of their own node.
static void busy_workloads_hold_no_drift_up_DIS_725(void **state)
{
    static const struct shape busy = {"busy", 1, "100m", "64Mi", false};
    struct scenario *scenario = *state;
    scenario_live_pace(scenario);
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_all(scenario, mixed, ARRAY_LENGTH(mixed)));
    apply(scenario, &busy);
    scenario_run(scenario, 30);
    drift_by_halves(scenario);
    double took = 0;
    for (; took < 300 && first_generation(scenario) > 1; took += 2) {
        scale(scenario, "busy", 3);
        scenario_run(scenario, 1);
        scale(scenario, "busy", 1);
        scenario_run(scenario, 1);
    }
    print_message("drifted in %.0f s\n", took);
    assert_true(took < 120);
}

static bool any_pod_runs(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) > 0;
}

static bool refuse_nominations(void *context, const struct kube_request *request,
                               struct kube_response *response)
{
    (void)context;
    if (request->verb != KUBE_PATCH || strstr(request->path, "/pods/") == NULL)
        return false;
    response->status = 500;
    return true;
}

// Nominations fail one after another: the nodes open all the same.
static void no_node_is_held_for_long_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.api_fault = refuse_nominations;
    scenario_begin(scenario);
    uint32_t pods = apply_all(scenario, two, ARRAY_LENGTH(two));
    scenario_until(scenario, 40, "a pod that runs", any_pod_runs);
    scenario_expect_running(scenario, pods);
}

static void without_nominations_nodes_open_at_once_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.pod_nomination = false;
    scenario_begin(scenario);
    scenario_expect_running(scenario, apply_all(scenario, two, ARRAY_LENGTH(two)));
}

static int setup(void **state)
{
    *state = scenario_create(516);
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(pods_of_several_sizes_go_where_they_were_planned_SCH_516),
        TEST(at_a_live_pace_too_SCH_516),
        TEST(zones_fill_evenly_SCH_516),
        TEST(nobody_is_sent_to_a_pod_that_keeps_it_away_SCH_516),
        TEST(pods_of_drifted_nodes_need_no_node_that_was_not_planned_SCH_528),
        TEST(drift_does_not_wait_for_rest_DIS_717),
        TEST(drifted_pods_go_where_they_were_planned_SCH_516_DIS_725),
        TEST(successors_that_come_late_have_their_places_SCH_516),
        TEST(nodes_wait_from_their_first_pod_on_SCH_516),
        TEST(a_wave_that_comes_slowly_is_planned_in_parts_SCH_516_SCH_527),
        TEST(a_wave_meets_replacements_SCH_516),
        TEST(busy_workloads_hold_no_drift_up_DIS_725),
        TEST(no_node_is_held_for_long_SCH_516),
        TEST(without_nominations_nodes_open_at_once_SCH_516),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
