// Reports of plan results: waves (SCH-516, SCH-527), disruption as a whole (DIS-749, DIS-778), and
// the price of a new plan (DIS-745).
#include <stdio.h>

#include "simulation/moves.h"

#define KEPT "karpenter.sh/do-not-disrupt: 'true'"

static double sum(struct scenario *scenario, const char *family)
{
    return view_metric_sum(scenario, family, "");
}

// --- waves ---------------------------------------------------------------------------------------

static void a_wave_is_told_when_its_pods_are_bound_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 0);
    story_app(scenario, &(struct story_app){.name = "wave", .replicas = 20, .cpu = "1"});
    scenario_expect_running(scenario, 20);
    assert_float_equal(sum(scenario, "adze_wave_passes_count"), 0, 0); // more may come
    scenario_run(scenario, 30);
    assert_float_equal(sum(scenario, "adze_wave_passes_count"), 1, 0);
    assert_float_equal(sum(scenario, "adze_wave_purchases_sum"), 1, 0);
    assert_true(sum(scenario, "adze_wave_passes_sum") >= 1);
    // Machines take 30 s; events after the last pod are not counted.
    assert_in_range((long)sum(scenario, "adze_wave_duration_seconds_sum"), 30, 60);
    assert_int_equal(view_events(scenario, "NodePool", "WavePlaced", "in 1 purchase(s)"), 1);
}

static void placements_that_were_kept_are_told_with_the_wave_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    char wanted[100];
    moves_begin(scenario, 0);
    story_app(scenario, &(struct story_app){.name = "wave", .replicas = 20, .cpu = "1"});
    scenario_expect_running(scenario, 20);
    scenario_run(scenario, 30);
    double planned = view_metric_sum(scenario, "adze_plan_divergence_pods_total", "planned");
    snprintf(wanted, sizeof wanted, "; %.0f of %.0f planned pods (", planned,
             sum(scenario, "adze_plan_divergence_pods_total"));
    assert_int_equal(view_events(scenario, "NodePool", "WavePlaced", wanted), 1);
}

// Pods that find room take part in no launch.
static void without_new_nodes_there_is_no_wave_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 0);
    story_app(scenario, &(struct story_app){.name = "first", .replicas = 1, .cpu = "1"});
    scenario_expect_running(scenario, 1);
    scenario_run(scenario, 30);
    story_app(scenario, &(struct story_app){.name = "second", .replicas = 1, .cpu = "500m"});
    scenario_expect_running(scenario, 2);
    scenario_run(scenario, 60);
    assert_float_equal(sum(scenario, "adze_wave_passes_count"), 1, 0);
}

static void as_upstream_waves_are_counted_without_events_SCH_527(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    moves_begin(scenario, 0);
    story_app(scenario, &(struct story_app){.name = "wave", .replicas = 20, .cpu = "1"});
    scenario_expect_running(scenario, 20);
    scenario_run(scenario, 40);
    assert_float_equal(sum(scenario, "adze_wave_passes_count"), 1, 0);
    assert_int_equal(view_events(scenario, "NodePool", "WavePlaced", NULL), 0);
}

// --- disruption ----------------------------------------------------------------------------------

static void evictions_stand_beside_what_they_save_DIS_778(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    moves_shrink(scenario, 0); // from 0.40 to 0.10
    moves_shrink(scenario, 1);
    scenario_run(scenario, 600);
    assert_float_equal(
        view_metric(scenario, "adze_consolidation_evicted_pods_total", "nodepool=\"place-0\""), 1,
        0);
    assert_float_equal(sum(scenario, "adze_consolidation_evicted_pods_total"), 2, 0);
    assert_float_equal(sum(scenario, "adze_target_duration_seconds_count"), 1, 0);
    assert_true(sum(scenario, "adze_target_duration_seconds_sum") >= 30); // both machines boot
    assert_int_equal(
        view_events(scenario, "NodePool", "DisruptionSettled",
                    "2 node(s) removed, 2 launched in their place, 0 more for pods that were "
                    "evicted; 2 pod(s) evicted, 3.3 for each dollar an hour of the $0.60 saved"),
        2);
    assert_float_equal(sum(scenario, "adze_unplanned_nodeclaims_total"), 0, 0);
}

// Each command alone would be at rest in between.
static void what_follows_soon_belongs_to_the_same_target_DIS_749(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 300, "a replacement", moves_replacement_node);
    scenario_run(scenario, 30);
    moves_shrink(scenario, 1);
    scenario_run(scenario, 600);
    assert_float_equal(sum(scenario, "adze_target_duration_seconds_count"), 1, 0);
    moves_scale(scenario, "keep-0", 0); // an empty node, after a rest
    scenario_run(scenario, 600);
    assert_float_equal(sum(scenario, "adze_target_duration_seconds_count"), 2, 0);
    assert_int_equal(view_events(scenario, "NodePool", "DisruptionSettled", "2 command(s)"), 2);
    assert_int_equal(view_events(scenario, "NodePool", "DisruptionSettled", "1 command(s)"), 0);
}

// --- unplanned NodeClaims ------------------------------------------------------------------------

// The pod "roamer" has its own node and is about to move to another, where room appeared.
static void begin_with_a_move(struct scenario *scenario)
{
    moves_begin(scenario, 0);
    story_app(scenario, &(struct story_app){
                            .name = "stays", .replicas = 1, .cpu = "4500m", .annotations = KEPT});
    story_app(scenario, &(struct story_app){.name = "filler", .replicas = 1, .cpu = "3"});
    scenario_expect_running(scenario, 2);
    assert_int_equal(story_nodes(scenario), 1);
    story_app(scenario, &(struct story_app){.name = "roamer", .replicas = 1, .cpu = "1500m"});
    scenario_expect_running(scenario, 3);
    assert_int_equal(story_nodes(scenario), 2);
    scenario_run(scenario, 120);
    moves_scale(scenario, "filler", 0);
    scenario_until(scenario, 300, "the move", moves_any_deleting);
}

static void a_move_that_comes_true_buys_nothing_DIS_749(void **state)
{
    struct scenario *scenario = *state;
    begin_with_a_move(scenario);
    scenario_run(scenario, 300);
    assert_int_equal(story_nodes(scenario), 1);
    assert_float_equal(sum(scenario, "adze_unplanned_nodeclaims_total"), 0, 0);
}

static void nodes_that_evicted_pods_need_after_all_are_counted_DIS_749(void **state)
{
    struct scenario *scenario = *state;
    char target[100];
    begin_with_a_move(scenario);
    snprintf(target, sizeof target, "%s", moves_place_of(scenario, "stays"));
    hand_patch(scenario, "v1", "Node", NULL, target, NULL, "spec: {unschedulable: true}");
    scenario_run(scenario, 300);
    assert_int_equal(story_nodes(scenario), 2);
    assert_float_equal(
        view_metric(scenario, "adze_unplanned_nodeclaims_total", "nodepool=\"default\""), 1, 0);
    assert_int_equal(
        moves_logged("evicted pods needed a node that no command had planned", "roamer"), 1);
    assert_int_equal(
        view_events(scenario, "NodePool", "DisruptionSettled", "1 more for pods that were evicted"),
        1);
    // A workload that grows later was not evicted.
    story_app(scenario, &(struct story_app){.name = "roamer", .replicas = 6, .cpu = "1500m"});
    scenario_run(scenario, 120);
    assert_true(story_nodes(scenario) > 2);
    assert_float_equal(sum(scenario, "adze_unplanned_nodeclaims_total"), 1, 0);
}

// --- the target ----------------------------------------------------------------------------------

static void the_price_is_told_beside_that_of_a_new_plan_DIS_745(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 2);
    moves_shrink(scenario, 0);
    moves_shrink(scenario, 1);
    scenario_run(scenario, 900);
    const char *family = "adze_repack_price_dollars_per_hour";
    assert_float_equal(view_metric(scenario, family, "kind=\"now\""), 0.20, 1e-9);
    assert_float_equal(view_metric(scenario, family, "kind=\"target\""), 0.20, 1e-9);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_wave_is_told_when_its_pods_are_bound_SCH_527),
        TEST(placements_that_were_kept_are_told_with_the_wave_SCH_516),
        TEST(without_new_nodes_there_is_no_wave_SCH_527),
        TEST(as_upstream_waves_are_counted_without_events_SCH_527),
        TEST(evictions_stand_beside_what_they_save_DIS_778),
        TEST(what_follows_soon_belongs_to_the_same_target_DIS_749),
        TEST(a_move_that_comes_true_buys_nothing_DIS_749),
        TEST(nodes_that_evicted_pods_need_after_all_are_counted_DIS_749),
        TEST(the_price_is_told_beside_that_of_a_new_plan_DIS_745),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
