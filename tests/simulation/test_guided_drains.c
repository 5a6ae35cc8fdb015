// Pods of large deletions are led to their planned nodes (DIS-749).
#include "simulation/moves.h"

#include <stdio.h>
#include <string.h>

#include "model/schema/karpenter.h"
#include "simulation/cluster_view.h"

static struct scenario *current;
static uint32_t evictions, most_open; // Nodes that stay and draw pods, at an eviction

static bool has_taint(json_t *node, const char *key)
{
    json_t *taint;
    size_t i;
    json_array_foreach (json_object_get(json_object_get(node, "spec"), "taints"), i, taint)
        if (strcmp(view_text(taint, "key"), key) == 0)
            return true;
    return false;
}

static bool count_led_away(void *context, json_t *node)
{
    *(uint32_t *)context += has_taint(node, TAINT_FILLED_LATER);
    return true;
}

static bool count_open(void *context, json_t *node)
{
    *(uint32_t *)context +=
        !has_taint(node, TAINT_DISRUPTED) && !has_taint(node, TAINT_FILLED_LATER);
    return true;
}

static uint32_t count_nodes(bool (*visit)(void *context, json_t *node))
{
    uint32_t count = 0;
    struct store *store = simulation_store(current->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, visit, &count);
    return count;
}

static bool note_eviction(const struct kube_request *request, struct kube_response *response)
{
    (void)response;
    if (strstr(request->path, "/eviction") == NULL)
        return false;
    uint32_t open = count_nodes(count_open);
    most_open = open > most_open ? open : most_open;
    evictions++;
    return false;
}

static bool is_guided(struct scenario *scenario)
{
    (void)scenario;
    return count_nodes(count_led_away) > 0 && evictions > 3;
}

static bool is_at_rest(struct scenario *scenario)
{
    return evictions > 0 && !moves_any_chosen(scenario) && scenario_settled(scenario);
}

static bool no_taint_is_left(struct scenario *scenario)
{
    (void)scenario;
    return count_nodes(count_led_away) == 0;
}

// Nodes full of pods of three sizes, a third of which goes.
static void begin(struct scenario *scenario)
{
    static const char *const cpus[] = {"1300m", "700m", "300m"};
    static const char *const names[] = {"large", "middle", "little"};
    current = scenario;
    evictions = most_open = 0;
    moves_on_request = note_eviction;
    moves_begin(scenario, 0);
    for (size_t i = 0; i < 3; i++)
        story_app(scenario, &(struct story_app){.name = names[i], .replicas = 30, .cpu = cpus[i]});
    scenario_expect_running(scenario, 90);
    for (size_t i = 0; i < 3; i++)
        moves_scale(scenario, names[i], 18);
}

static void other_nodes_have_a_soft_taint_meanwhile_DIS_749(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario);
    uint64_t launches = story_launches(scenario);
    scenario_until(scenario, 300, "the cluster to rest", is_at_rest);
    assert_true(evictions >= 10);
    assert_true(most_open <= 1);
    assert_true(moves_logged("led evicted pods", NULL) >= 1);
    scenario_until(scenario, 10, "the taints to go", no_taint_is_left);
    assert_int_equal(story_launches(scenario), launches);
}

static void nothing_is_tainted_where_it_is_turned_off_DIS_749(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.drain_guidance = false;
    begin(scenario);
    scenario_until(scenario, 300, "the cluster to rest", is_at_rest);
    assert_true(most_open > 1);
    assert_int_equal(moves_logged("led evicted pods", NULL), 0);
}

// A controller that ends in the middle leaves taints, which the next one removes.
static void a_successor_removes_the_taints_DIS_749(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario);
    scenario_until(scenario, 300, "a guided drain", is_guided);
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    scenario_until(scenario, 10, "the taints to go", no_taint_is_left);
    scenario_until(scenario, 300, "the cluster to rest", is_at_rest);
    assert_int_equal(count_nodes(count_led_away), 0);
}

// --- the second look -----------------------------------------------------------------------------
static bool find_moving(void *context, json_t *pod)
{
    const char *name = view_text(pod, "spec.nodeName");
    json_t *node = name != NULL ? view_object(current, "v1", "Node", NULL, name) : NULL;
    if (node != NULL && has_taint(node, TAINT_DISRUPTED))
        *(json_t **)context = pod;
    return true;
}

static bool is_decided(struct scenario *scenario)
{
    return moves_chosen(scenario) >= 3;
}

// A node that can no longer go stays, and the others go at once.
static void a_deletion_goes_on_without_a_node_that_must_stay_DIS_763(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario);
    scenario_until(scenario, 300, "a command of several nodes", is_decided);
    uint32_t chosen = moves_chosen(scenario), nodes = story_nodes(scenario);
    json_t *pod = NULL;
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, find_moving, &pod);
    assert_non_null(pod);
    char stays[100];
    snprintf(stays, sizeof stays, "%s", view_text(pod, "spec.nodeName"));
    hand_patch(scenario, "v1", "Pod", "default", store_name(pod), NULL,
               "metadata: {annotations: {karpenter.sh/do-not-disrupt: 'true'}}");
    scenario_until(scenario, 60, "the cluster to rest", is_at_rest);
    assert_int_equal(moves_logged("abandoning disruption attempt", NULL), 1);
    assert_int_equal(moves_logged("abandoning disruption attempt", stays), 1);
    json_t *node = view_object(scenario, "v1", "Node", NULL, stays);
    assert_non_null(node);
    assert_false(has_taint(node, TAINT_DISRUPTED));
    assert_true(story_nodes(scenario) <= nodes - chosen + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(other_nodes_have_a_soft_taint_meanwhile_DIS_749,
                                        moves_setup, moves_teardown),
        cmocka_unit_test_setup_teardown(nothing_is_tainted_where_it_is_turned_off_DIS_749,
                                        moves_setup, moves_teardown),
        cmocka_unit_test_setup_teardown(a_deletion_goes_on_without_a_node_that_must_stay_DIS_763,
                                        moves_setup, moves_teardown),
        cmocka_unit_test_setup_teardown(a_successor_removes_the_taints_DIS_749, moves_setup,
                                        moves_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
