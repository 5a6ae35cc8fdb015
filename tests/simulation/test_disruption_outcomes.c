// Plans for the pods of disrupted nodes, and their outcomes (DIS-749, DIS-755).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "model/reading/pool_annotations.h"
#include "simulation/moves.h"

static bool one_node(struct scenario *scenario)
{
    return story_nodes(scenario) == 1 && scenario_settled(scenario);
}

// The pod costs nothing: its node is empty and is removed; the command names the pod's destination.
static void places_of_cheap_pods_are_planned_DIS_755(void **state)
{
    struct scenario *scenario = *state;
    char wanted[300];
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    story_app(scenario,
              &(struct story_app){.name = "cheap",
                                  .replicas = 1,
                                  .cpu = "3",
                                  .spec = "nodeSelector: {place: '0'}, ",
                                  .annotations =
                                      "controller.kubernetes.io/pod-deletion-cost: '-134217728'"});
    scenario_expect_running(scenario, 3);
    assert_int_equal(story_nodes(scenario), 2);
    moves_shrink(scenario, 0);
    scenario_run(scenario, 30);
    assert_int_equal(story_nodes(scenario), 2);
    char pod[100], node[100];
    snprintf(pod, sizeof pod, "%s", store_name(moves_pod(scenario, "cheap")));
    snprintf(node, sizeof node, "%s", moves_place_of(scenario, "keep-0"));
    moves_pool(scenario, 0, (struct story_pool){.policy = "WhenEmpty"});
    scenario_until(scenario, 120, "the empty node to go", one_node);
    snprintf(wanted, sizeof wanted, ", pods: default/%s to node %s\"", pod, node);
    assert_int_equal(moves_logged("disrupting node(s)", wanted), 1);
    assert_string_equal(moves_place_of(scenario, "cheap"), node);
}

// --- pods elsewhere ------------------------------------------------------------------------------

#define KEPT "karpenter.sh/do-not-disrupt: 'true'"

static uint32_t outcomes(struct scenario *scenario, const char *outcome)
{
    char label[60];
    snprintf(label, sizeof label, "outcome=\"%s\"", outcome);
    return (uint32_t)view_metric_sum(scenario, "adze_consolidation_outcomes_total", label);
}

// A preference of others, which no decision knows of.
#define DRAWS_ROAMER                                                                            \
    "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, " \
    "podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: "      \
    "{app: roamer}}}}]}}, "

static void app(struct scenario *scenario, const char *name, const char *cpu, const char *node)
{
    char spec[400];
    snprintf(spec, sizeof spec, "nodeSelector: {kubernetes.io/hostname: %s}, %s", node,
             strcmp(name, "extra") == 0 ? DRAWS_ROAMER : "");
    story_app(scenario, &(struct story_app){.name = name,
                                            .replicas = 1,
                                            .cpu = cpu,
                                            .spec = node != NULL ? spec : NULL,
                                            .annotations = KEPT});
}

// Two nodes that stay, with 2 and 3 of their 8 cpu free. By its room kube-scheduler would prefer
// the emptier one, but a pod on the other wishes the roamer beside it. Both are filled up.
static void begin_with_two_rooms(struct scenario *scenario)
{
    moves_begin(scenario, 0);
    app(scenario, "one", "5", NULL);
    app(scenario, "two", "5", NULL);
    scenario_expect_running(scenario, 2);
    char first[100], second[100];
    snprintf(first, sizeof first, "%s", moves_place_of(scenario, "one"));
    snprintf(second, sizeof second, "%s", moves_place_of(scenario, "two"));
    app(scenario, "extra", "1", first);
    app(scenario, "filler-1", "1500m", first);
    app(scenario, "filler-2", "2500m", second);
    scenario_expect_running(scenario, 5);
    story_app(scenario, &(struct story_app){.name = "roamer", .replicas = 0, .cpu = "1500m"});
}

// A pod gets its own node, then room appears elsewhere.
static void roam(struct scenario *scenario)
{
    moves_scale(scenario, "roamer", 0);
    scenario_run(scenario, 120);
    moves_scale(scenario, "filler-1", 1);
    moves_scale(scenario, "filler-2", 1);
    scenario_expect_running(scenario, 5);
    moves_scale(scenario, "roamer", 1);
    scenario_expect_running(scenario, 6);
    assert_int_equal(story_nodes(scenario), 3);
    moves_scale(scenario, "filler-1", 0);
    moves_scale(scenario, "filler-2", 0);
    scenario_run(scenario, 800);
    assert_int_equal(story_nodes(scenario), 2);
}

static void workloads_that_go_elsewhere_twice_are_planned_so_DIS_749(void **state)
{
    struct scenario *scenario = *state;
    begin_with_two_rooms(scenario);
    roam(scenario);
    roam(scenario);
    assert_int_equal(outcomes(scenario, "elsewhere"), 2);
    assert_int_equal(outcomes(scenario, "as_planned"), 0);
    roam(scenario);
    roam(scenario);
    assert_int_equal(outcomes(scenario, "elsewhere"), 2);
    assert_int_equal(outcomes(scenario, "as_planned"), 2);
}

static void upstream_compares_nothing_DIS_749(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    begin_with_two_rooms(scenario);
    roam(scenario);
    assert_int_equal(view_metric_sum(scenario, "adze_consolidation_outcomes_total", ""), 0);
}

// --- empty replacements --------------------------------------------------------------------------

// The pod's node is replaced by a small one; while that boots, room appears on another node, where
// kube-scheduler binds the pod.
static void replace_in_vain(struct scenario *scenario)
{
    moves_scale(scenario, "roamer", 0);
    scenario_run(scenario, 120);
    moves_scale(scenario, "filler", 1);
    scenario_expect_running(scenario, 2);
    moves_scale(scenario, "pad", 1);
    moves_scale(scenario, "roamer", 1);
    scenario_expect_running(scenario, 4);
    assert_int_equal(story_nodes(scenario), 2);
    moves_scale(scenario, "pad", 0);
    scenario_until(scenario, 60, "a replacement", moves_replacement_there);
    moves_scale(scenario, "filler", 0);
    scenario_run(scenario, 900);
    assert_int_equal(story_nodes(scenario), 1);
}

static void empty_replacements_feed_the_ledger_DIS_749_DIS_748(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 0);
    app(scenario, "stays", "4400m", NULL);
    app(scenario, "filler", "3300m", NULL);
    scenario_expect_running(scenario, 2);
    assert_int_equal(story_nodes(scenario), 1);
    story_app(scenario, &(struct story_app){.name = "roamer", .replicas = 0, .cpu = "1800m"});
    story_app(scenario, &(struct story_app){.name = "pad", .replicas = 0, .cpu = "6"});
    replace_in_vain(scenario);
    assert_int_equal(view_events(scenario, "NodePool", "ConsolidationLoop", NULL), 0);
    replace_in_vain(scenario);
    assert_int_equal(view_events(scenario, "NodePool", "ConsolidationLoop", NULL), 1);
}

// --- until the load changes ----------------------------------------------------------------------

// Of 8 cpu that all pods request, 0.1 leave and make room for the pod on the node that was launched
// for it, then 0.5.
static void launched_node_stays_until_the_load_changes_DIS_794(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 0);
    story_app(
        scenario,
        &(struct story_app){
            .name = "stays", .replicas = 1, .cpu = "6350m", .memory = "4Gi", .annotations = KEPT});
    app(scenario, "tiny", "100m", NULL);
    app(scenario, "part", "500m", NULL);
    scenario_expect_running(scenario, 3);
    assert_int_equal(story_nodes(scenario), 1);
    story_app(scenario, &(struct story_app){.name = "roamer", .replicas = 1, .cpu = "1"});
    story_app(scenario, &(struct story_app){.name = "pad", .replicas = 1, .cpu = "6"});
    scenario_expect_running(scenario, 5);
    moves_scale(scenario, "pad", 0);
    scenario_until(scenario, 60, "a replacement", moves_replacement_there);
    scenario_expect_running(scenario, 4);
    assert_int_equal(story_nodes(scenario), 2);
    moves_scale(scenario, "tiny", 0);
    scenario_run(scenario, 1200);
    assert_int_equal(story_nodes(scenario), 2);
    moves_scale(scenario, "part", 0);
    scenario_run(scenario, 300);
    assert_int_equal(story_nodes(scenario), 1);
}

// --- interruptions -------------------------------------------------------------------------------

struct wanted {
    struct scenario *scenario;
    const char *part;
    bool found;
};

static bool find_annotation(void *context, json_t *pool)
{
    struct wanted *wanted = context;
    const char *text = view_annotation(pool, ANNOTATION_SPOT_INTERRUPTIONS);
    wanted->found = wanted->found || (text != NULL && strstr(text, wanted->part) != NULL);
    return true;
}

static bool is_written(struct scenario *scenario, const char *part)
{
    struct wanted wanted = {.part = part};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, KARPENTER, "NodePool"), NULL, find_annotation,
               &wanted);
    return wanted.found;
}

static bool one_is_written(struct scenario *scenario)
{
    return is_written(scenario, "/1/");
}

static bool two_are_written(struct scenario *scenario)
{
    return is_written(scenario, "/2/");
}

static void interrupt(struct scenario *scenario)
{
    struct sim_instances *park = simulation_park(scenario->simulation);
    assert_string_equal(sim_instances_at(park, 0)->capacity_type, "spot");
    sim_instances_reclaim(park, sim_instances_at(park, 0)->facts.provider_id);
}

static void interruptions_outlive_the_controller_DIS_751(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.gate_spot_to_spot_consolidation = true;
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 3700);
    assert_true(is_written(scenario, "/0/3"));
    interrupt(scenario);
    scenario_until(scenario, 600, "the interruption to be written", one_is_written);
    scenario_expect_running(scenario, 1);
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 60);
    interrupt(scenario);
    scenario_until(scenario, 600, "both to be written", two_are_written);
}

static void interruptions_are_nobodys_matter_without_the_gate_DIS_751(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_expect_running(scenario, 1);
    interrupt(scenario);
    scenario_run(scenario, 4000);
    assert_false(is_written(scenario, ""));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(places_of_cheap_pods_are_planned_DIS_755),
        TEST(workloads_that_go_elsewhere_twice_are_planned_so_DIS_749),
        TEST(upstream_compares_nothing_DIS_749),
        TEST(launched_node_stays_until_the_load_changes_DIS_794),
        TEST(interruptions_outlive_the_controller_DIS_751),
        TEST(interruptions_are_nobodys_matter_without_the_gate_DIS_751),
        TEST(empty_replacements_feed_the_ledger_DIS_749_DIS_748),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
