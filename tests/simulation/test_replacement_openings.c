// The node of a replacement is kept closed for the evicted pods of its command (SCH-516, DIS-792).
#include "simulation/moves.h"

#include <stdio.h>
#include <string.h>

#include "model/schema/karpenter.h"
#include "simulation/cluster_view.h"

static json_t *replacement_node(struct scenario *scenario)
{
    json_t *claim =
        view_object(scenario, "karpenter.sh/v1", "NodeClaim", NULL, moves_replacement(scenario));
    const char *name = claim != NULL ? view_text(claim, "status.nodeName") : NULL;
    return name != NULL ? view_object(scenario, "v1", "Node", NULL, name) : NULL;
}

static bool is_closed(struct scenario *scenario)
{
    json_t *node = replacement_node(scenario);
    return node != NULL && view_has_taint(node, TAINT_AWAITING_PODS, "NoSchedule");
}

static bool is_closed_and_initialized(struct scenario *scenario)
{
    json_t *claim =
        view_object(scenario, "karpenter.sh/v1", "NodeClaim", NULL, moves_replacement(scenario));
    return is_closed(scenario) &&
           strcmp(view_condition(claim, "Initialized"), "True/Initialized") == 0;
}

static bool is_open(struct scenario *scenario)
{
    json_t *node = replacement_node(scenario);
    return node != NULL && !view_has_taint(node, TAINT_AWAITING_PODS, "NoSchedule");
}

static bool has_landed(struct scenario *scenario)
{
    json_t *node = replacement_node(scenario);
    const char *place = moves_place_of(scenario, "keep-0");
    return node != NULL && place != NULL && strcmp(place, view_text(node, "metadata.name")) == 0;
}

static void it_opens_when_its_pods_have_come_SCH_516_DIS_792(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 120, "a closed replacement", is_closed_and_initialized);
    scenario_until(scenario, 20, "the pod on the replacement", has_landed);
    assert_true(is_open(scenario));
}

// Evictions are refused: no node stays closed for pods that do not come.
static bool refuse_evictions(const struct kube_request *request, struct kube_response *response)
{
    if (strstr(request->path, "/eviction") == NULL)
        return false;
    response->status = 429;
    return true;
}

static void it_does_not_wait_long_for_pods_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    moves_on_request = refuse_evictions;
    moves_begin(scenario, 1);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 120, "a closed replacement", is_closed);
    scenario_until(scenario, 30, "the eviction", moves_any_deleting);
    assert_true(scenario_until(scenario, 10, "an open replacement", is_open) < 2);
}

// The node drifts.
static void those_of_drift_are_kept_as_well_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(scenario, 0, (struct story_pool){.template_spec = "terminationGracePeriod: 1h, "});
    scenario_until(scenario, 120, "a closed replacement", is_closed_and_initialized);
    scenario_until(scenario, 20, "the pod on the replacement", has_landed);
    assert_true(is_open(scenario));
}

// An agent that removes them may count the node's taints.
static void startup_taints_stand_alone_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_pool(
        scenario, 0,
        (struct story_pool){.template_spec = "startupTaints: [{key: boot, effect: NoSchedule}], "});
    scenario_until(scenario, 120, "the replacement's node", is_open);
    for (uint32_t i = 0; i < 300; i++) {
        assert_false(is_closed(scenario));
        scenario_run(scenario, 0.1);
    }
}

// The process that closed the node has forgotten it.
static void a_node_that_nobody_keeps_is_opened_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    char name[80], patch[200];
    moves_begin(scenario, 1);
    snprintf(name, sizeof name, "%s", view_text(moves_node(scenario, 0), "metadata.name"));
    snprintf(patch, sizeof patch, "spec: {taints: [{key: %s, effect: NoSchedule}]}",
             TAINT_AWAITING_PODS);
    hand_patch(scenario, "v1", "Node", NULL, name, NULL, patch);
    scenario_run(scenario, 5);
    assert_false(view_has_taint(moves_node(scenario, 0), TAINT_AWAITING_PODS, "NoSchedule"));
}

static void without_nominations_it_is_open_from_the_start_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.pod_nomination = false;
    moves_begin(scenario, 1);
    moves_shrink(scenario, 0);
    for (uint32_t i = 0; i < 1200 && !has_landed(scenario); i++) {
        scenario_run(scenario, 0.1);
        assert_false(is_closed(scenario));
    }
    assert_true(has_landed(scenario));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(it_opens_when_its_pods_have_come_SCH_516_DIS_792),
        TEST(it_does_not_wait_long_for_pods_SCH_516),
        TEST(those_of_drift_are_kept_as_well_SCH_516),
        TEST(startup_taints_stand_alone_SCH_516),
        TEST(a_node_that_nobody_keeps_is_opened_SCH_516),
        TEST(without_nominations_it_is_open_from_the_start_SCH_516),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
