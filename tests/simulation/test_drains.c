// How the pods of a disruption command leave and come back (SCH-516, DIS-745, DIS-749).
#include "simulation/moves.h"

#include <stdio.h>
#include <string.h>

#include "model/schema/karpenter.h"
#include "simulation/cluster_view.h"

#define KEPT "karpenter.sh/do-not-disrupt: 'true'"

static struct scenario *current;
static char evicted[200];   // apps, in the order of their first eviction
static const char *refused; // app whose evictions are rejected; NULL: none
static uint32_t most_away;  // pods without a node at an eviction

static bool is_unbound(void *context, json_t *pod)
{
    uint32_t *count = context;
    *count += view_text(pod, "spec.nodeName") == NULL;
    return true;
}

static uint32_t unbound_pods(void)
{
    uint32_t count = 0;
    struct store *store = simulation_store(current->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, is_unbound, &count);
    return count;
}

static bool note_eviction(const struct kube_request *request, struct kube_response *response)
{
    static const char pods[] = "/pods/";
    const char *pod = strstr(request->path, pods);
    char app[20];
    if (strstr(request->path, "/eviction") == NULL || pod == NULL)
        return false;
    snprintf(app, sizeof app, "%.*s ", (int)strcspn(pod + strlen(pods), "-"), pod + strlen(pods));
    if (strstr(evicted, app) == NULL)
        strcat(evicted, app);
    uint32_t away = unbound_pods();
    most_away = away > most_away ? away : most_away;
    if (refused == NULL || strncmp(app, refused, strlen(refused)) != 0)
        return false;
    response->status = 429;
    return true;
}

static bool one_node(struct scenario *scenario)
{
    return story_nodes(scenario) == 1;
}

static bool two_have_moved(struct scenario *scenario)
{
    const char *anchor = moves_place_of(scenario, "anchor");
    const char *mid = moves_place_of(scenario, "mid"), *tiny = moves_place_of(scenario, "tiny");
    return mid != NULL && tiny != NULL && strcmp(mid, anchor) == 0 && strcmp(tiny, anchor) == 0;
}

static void begin_watching(struct scenario *scenario, const char *refused_app)
{
    current = scenario;
    evicted[0] = '\0';
    most_away = 0;
    refused = refused_app;
    moves_on_request = note_eviction;
    moves_begin(scenario, 0);
}

// A node that stays has room for the three pods of another one, which goes.
static void begin(struct scenario *scenario, const char *refused_app)
{
    begin_watching(scenario, refused_app);
    story_app(scenario, &(struct story_app){
                            .name = "anchor", .replicas = 1, .cpu = "4", .annotations = KEPT});
    story_app(scenario, &(struct story_app){.name = "filler", .replicas = 1, .cpu = "3500m"});
    scenario_expect_running(scenario, 2);
    assert_int_equal(story_nodes(scenario), 1);
    story_app(scenario, &(struct story_app){.name = "tiny", .replicas = 1, .cpu = "500m"});
    story_app(scenario, &(struct story_app){.name = "big", .replicas = 1, .cpu = "1500m"});
    story_app(scenario, &(struct story_app){.name = "mid", .replicas = 1, .cpu = "1"});
    scenario_expect_running(scenario, 5);
    assert_int_equal(story_nodes(scenario), 2);
    moves_scale(scenario, "filler", 0);
}

static void pods_leave_one_by_one_hardest_first_SCH_516_DIS_745(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, NULL);
    scenario_until(scenario, 300, "the other node to go", one_node);
    assert_string_equal(evicted, "big mid tiny ");
    assert_int_equal(most_away, 0);
    assert_int_equal(story_launches(scenario), 2);
}

static void a_rejected_eviction_holds_nobody_up_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "big");
    scenario_until(scenario, 300, "a node that goes", moves_any_deleting);
    scenario_until(scenario, 10, "the others to move", two_have_moved);
    assert_int_equal(story_nodes(scenario), 2);
    refused = NULL;
    scenario_until(scenario, 60, "the other node to go", one_node);
}

// A pass for another pod buys nothing for the one that is still to leave.
static void a_pod_that_leaves_has_its_place_SCH_528_DIS_749(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "big");
    scenario_until(scenario, 300, "the others to move", two_have_moved);
    story_app(scenario, &(struct story_app){.name = "late", .replicas = 1, .cpu = "3"});
    scenario_run(scenario, 60);
    assert_int_equal(moves_logged("found provisionable pod(s)", "default/late-"), 1);
    assert_int_equal(moves_logged("will fit pod(s)", NULL), 0);
    refused = NULL;
    scenario_run(scenario, 60);
    assert_string_equal(moves_place_of(scenario, "big"), moves_place_of(scenario, "anchor"));
    assert_int_equal(story_launches(scenario), 3);
}

static bool is_replaced(struct scenario *scenario)
{
    return story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "medium") == 1 &&
           story_nodes(scenario) == 2;
}

// One pod has room on a node that stays, the other needs a new one, which opens when both have
// left.
static void pods_for_existing_nodes_leave_before_those_for_replacements_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    begin_watching(scenario, NULL);
    story_app(scenario, &(struct story_app){
                            .name = "anchor", .replicas = 1, .cpu = "6500m", .annotations = KEPT});
    story_app(scenario, &(struct story_app){.name = "plug", .replicas = 1, .cpu = "1"});
    scenario_expect_running(scenario, 2);
    story_app(scenario, &(struct story_app){.name = "filler", .replicas = 1, .cpu = "4"});
    story_app(scenario, &(struct story_app){.name = "big", .replicas = 1, .cpu = "3"});
    story_app(scenario, &(struct story_app){.name = "tiny", .replicas = 1, .cpu = "500m"});
    scenario_expect_running(scenario, 5);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "large"), 2);
    moves_scale(scenario, "plug", 0);
    moves_scale(scenario, "filler", 0);
    scenario_until(scenario, 300, "the replacement alone beside the node that stays", is_replaced);
    assert_string_equal(evicted, "tiny big ");
    assert_int_equal(most_away, 0);
    assert_string_equal(moves_place_of(scenario, "tiny"), moves_place_of(scenario, "anchor"));
    assert_string_not_equal(moves_place_of(scenario, "big"), moves_place_of(scenario, "anchor"));
    assert_int_equal(story_launches(scenario), 3);
}

// The empty node is where the pod is to go.
static void an_empty_node_is_kept_for_pods_on_their_way_DIS_755(void **state)
{
    struct scenario *scenario = *state;
    begin_watching(scenario, "wanderer");
    story_pool(scenario, &(struct story_pool){.spec = "weight: 50"});
    moves_pool(scenario, 1, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    story_app(scenario, &(struct story_app){.name = "gone",
                                            .replicas = 1,
                                            .cpu = "3500m",
                                            .spec = "nodeSelector: {place: '1'}, "});
    scenario_expect_running(scenario, 1);
    story_app(scenario, &(struct story_app){.name = "wanderer", .replicas = 1, .cpu = "1"});
    scenario_expect_running(scenario, 2);
    assert_int_equal(story_nodes(scenario), 2);
    moves_scale(scenario, "gone", 0);
    scenario_until(scenario, 300, "a node that goes", moves_any_deleting);
    scenario_run(scenario, 2);
    moves_pool(scenario, 1, (struct story_pool){0});
    scenario_run(scenario, 60);
    assert_int_equal(story_nodes_labelled(scenario, "place", "1"), 1);
    refused = NULL;
    scenario_until(scenario, 60, "the other node to go", one_node);
    assert_int_equal(story_nodes_labelled(scenario, "place", "1"), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(pods_leave_one_by_one_hardest_first_SCH_516_DIS_745),
        TEST(a_rejected_eviction_holds_nobody_up_SCH_516),
        TEST(a_pod_that_leaves_has_its_place_SCH_528_DIS_749),
        TEST(pods_for_existing_nodes_leave_before_those_for_replacements_SCH_516),
        TEST(an_empty_node_is_kept_for_pods_on_their_way_DIS_755),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
