// Places of pods that were made by hand: they are nominated to open nodes, exchange their places,
// and lose them (SCH-516).
#include "simulation/cluster_view.h"

#include <stdio.h>
#include <string.h>

static bool has_claims(struct scenario *scenario, uint32_t count)
{
    return view_count(scenario, KARPENTER, "NodeClaim") == count;
}

static bool two_claims(struct scenario *scenario)
{
    return has_claims(scenario, 2);
}

static bool three_claims(struct scenario *scenario)
{
    return has_claims(scenario, 3);
}

static void mark_unschedulable(struct scenario *scenario, const char *name)
{
    hand_patch(
        scenario, "v1", "Pod", "default", name, "status",
        "{status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}");
}

static void pending_pod(struct scenario *scenario, const char *name, const char *cpu)
{
    hand_pod(scenario, name, cpu, "", "schedulerName: other, tolerations: [{operator: Exists}], ");
    mark_unschedulable(scenario, name);
}

static void bind(struct scenario *scenario, const char *pod, const char *node)
{
    char place[200];
    snprintf(place, sizeof place, "{spec: {nodeName: %s}}", node);
    hand_patch(scenario, "v1", "Pod", "default", pod, "binding", place);
}

// Binds the small pod to the node of the large one, for which kube-scheduler's own nomination then
// begins and ends.
static void displace_large(struct scenario *scenario)
{
    char nomination[200];
    const char *node = view_text(view_node(scenario), "metadata.name"); // of 4 cpu
    snprintf(nomination, sizeof nomination, "{status: {nominatedNodeName: %s}}", node);
    bind(scenario, "small", node);
    scenario_run(scenario, 0.1);
    hand_patch(scenario, "v1", "Pod", "default", "large", "status", nomination);
    scenario_run(scenario, 1);
    hand_patch(scenario, "v1", "Pod", "default", "large", "status",
               "{status: {nominatedNodeName: null}}");
}

// The planned room of a pod is taken by another one, and the periodic pass (every 10 s) finds no
// pod to plan, since kube-scheduler has nominated it to that node. When the nomination ends, the
// pod still counts as displaced for a moment.
static void a_displaced_pod_that_was_nominated_is_planned_again_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    hand_pool(
        scenario,
        "requirements: [{key: karpenter.kwok.sh/instance-cpu, operator: In, values: ['2', '4']}], ",
        "");
    pending_pod(scenario, "large", "3");
    pending_pod(scenario, "small", "1500m");
    scenario_until(scenario, 20, "two NodeClaims", two_claims);
    scenario_run(scenario, 9);
    displace_large(scenario);
    scenario_until(scenario, 5, "a third NodeClaim", three_claims);
}

static void pod_of_a_set(struct scenario *scenario, const char *name, const char *cpu,
                         const char *spec)
{
    char text[300];
    snprintf(text, sizeof text, "schedulerName: other, %s", spec);
    hand_pod(scenario, name, cpu,
             "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: set, uid: abc, "
             "controller: true}], ",
             text);
    mark_unschedulable(scenario, name);
}

struct node_names {
    char names[2][64];
    uint32_t count;
};

static bool add_name(void *context, json_t *node)
{
    struct node_names *nodes = context;
    if (nodes->count < 2)
        snprintf(nodes->names[nodes->count++], sizeof *nodes->names, "%s",
                 view_text(node, "metadata.name"));
    return true;
}

struct pair {
    uint32_t first; // the node that the first pod comes to
    const char *cpu, *second_spec;
};

// Two pods of a workload come to the two nodes that were made for them.
static void bind_pair(struct scenario *scenario, const struct pair *pair)
{
    scenario->options.world.collector = false;
    scenario_begin(scenario);
    hand_pool(scenario,
              "requirements: [{key: karpenter.kwok.sh/instance-cpu, operator: In, "
              "values: ['2']}], ",
              "");
    hand_bound_volume(scenario);
    pod_of_a_set(scenario, "one", "1500m", "");
    pod_of_a_set(scenario, "two", pair->cpu, pair->second_spec);
    scenario_until(scenario, 20, "two NodeClaims", two_claims);
    scenario_run(scenario, 6);
    struct node_names nodes = {0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, add_name, &nodes);
    assert_int_equal(nodes.count, 2);
    bind(scenario, "one", nodes.names[pair->first]);
    scenario_run(scenario, 1);
    bind(scenario, "two", nodes.names[1 - pair->first]);
    scenario_run(scenario, 5);
    assert_true(two_claims(scenario));
}

// Whichever of two alike pods comes to whichever of their nodes: the other has its place.
static void check_places(struct scenario *scenario, uint32_t first)
{
    bind_pair(scenario, &(struct pair){first, "1500m", ""});
    assert_true(view_landed(scenario, "planned") == 2);
    assert_true(view_landed(scenario, "elsewhere") == 0);
}

// The one way round both pods land as planned; the other way round they do not.
static void check_no_exchange(const char *cpu, const char *second_spec)
{
    uint32_t elsewhere = 0;
    for (uint32_t first = 0; first < 2; first++) {
        void *scenario = scenario_create(516);
        bind_pair(scenario, &(struct pair){first, cpu, second_spec});
        elsewhere += view_landed(scenario, "elsewhere") > 0;
        scenario_teardown(&scenario);
    }
    assert_int_equal(elsewhere, 1);
}

static void a_pod_with_a_volume_keeps_its_place_SCH_516(void **state)
{
    (void)state;
    check_no_exchange("1500m", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], ");
}

static void a_pod_of_another_size_keeps_its_place_SCH_516(void **state)
{
    (void)state;
    check_no_exchange("1400m", "");
}

static void alike_pods_exchange_their_places_as_they_land_SCH_516(void **state)
{
    check_places(*state, 0);
}

static void alike_pods_land_the_other_way_round_too_SCH_516(void **state)
{
    check_places(*state, 1);
}

static bool node_is_open(struct scenario *scenario)
{
    return view_count(scenario, KARPENTER, "NodeClaim") == 1 &&
           strcmp(view_condition(view_claim(scenario), "Initialized"), "True/Initialized") == 0;
}

// A node of 8 cpu with a pod of 2, which has been there for a while.
static const char *begin_with_open_node_of(struct scenario *scenario, const char *requirements)
{
    static char name[64];
    char spec[300];
    snprintf(spec, sizeof spec,
             "requirements: [{key: karpenter.kwok.sh/instance-cpu, operator: In, "
             "values: ['8']}%s], ",
             requirements);
    scenario->options.world.collector = false;
    scenario_begin(scenario);
    hand_pool(scenario, spec, "");
    pending_pod(scenario, "old", "2");
    scenario_until(scenario, 30, "an open node", node_is_open);
    snprintf(name, sizeof name, "%s", view_text(view_node(scenario), "metadata.name"));
    bind(scenario, "old", name);
    scenario_run(scenario, 200);
    return name;
}

static const char *begin_with_open_node(struct scenario *scenario)
{
    return begin_with_open_node_of(scenario, "");
}

static const char *begin_with_two_zones(struct scenario *scenario)
{
    return begin_with_open_node_of(
        scenario, ", {key: topology.kubernetes.io/zone, operator: In, values: [test-zone-a, "
                  "test-zone-b]}");
}

static const char *nominated_to(struct scenario *scenario, const char *pod)
{
    const char *node =
        view_text(view_object(scenario, "v1", "Pod", "default", pod), "status.nominatedNodeName");
    return node != NULL ? node : "";
}

// The pods of a workload that are tried first get the room of the open node, whatever their names.
static void pods_are_nominated_to_open_nodes_by_turn_SCH_516(void **state)
{
    static const char *const names[] = {"f", "e", "d", "c", "b", "a"};
    struct scenario *scenario = *state;
    const char *node = begin_with_open_node(scenario);
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        pod_of_a_set(scenario, names[i], "1700m", "");
    pending_pod(scenario, "other", "7");
    scenario_run(scenario, 3);
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        assert_string_equal(nominated_to(scenario, names[i]), i < 3 ? node : "");
}

static void spread_pod(struct scenario *scenario, const char *app, const char *name,
                       const char *cpu)
{
    char metadata[200], spec[300];
    snprintf(metadata, sizeof metadata,
             "labels: {app: %s}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: "
             "%s, uid: %s, controller: true}], ",
             app, app, app);
    snprintf(spec, sizeof spec,
             "schedulerName: other, topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
             "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
             "{matchLabels: {app: %s}}}], ",
             app);
    hand_pod(scenario, name, cpu, metadata, spec);
    mark_unschedulable(scenario, name);
}

static bool both_are_nominated(struct scenario *scenario)
{
    return nominated_to(scenario, "first")[0] != '\0' &&
           nominated_to(scenario, "second")[0] != '\0';
}

// One zone has a pod of the workload, and an open node with room for another. That one fits only
// when the pod before it is bound in the other zone: so the first is for the node that is still to
// open. The large pods are at the head of the queue.
static void pods_for_open_nodes_take_turns_with_the_others_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    const char *node = begin_with_two_zones(scenario);
    spread_pod(scenario, "small", "running", "2");
    bind(scenario, "running", node);
    scenario_run(scenario, 5);
    spread_pod(scenario, "large", "a", "7");
    spread_pod(scenario, "large", "b", "7");
    spread_pod(scenario, "small", "first", "2");
    spread_pod(scenario, "small", "second", "2");
    scenario_until(scenario, 30, "nominations", both_are_nominated);
    scenario_run(scenario, 1);
    assert_string_not_equal(nominated_to(scenario, "first"), node);
    assert_string_equal(nominated_to(scenario, "second"), node);
}

static const char *zone_of(struct scenario *scenario, const char *node)
{
    return view_label(view_object(scenario, "v1", "Node", NULL, node),
                      "topology.kubernetes.io/zone");
}

// A pod for one zone comes to the other. There the spread has no room left for the next, which gets
// its place.
static void a_place_in_another_zone_goes_to_a_sibling_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    const char *node = begin_with_two_zones(scenario);
    spread_pod(scenario, "small", "first", "6");
    spread_pod(scenario, "small", "second", "6");
    pending_pod(scenario, "other", "7");
    scenario_until(scenario, 30, "nominations", both_are_nominated);
    bool first_is_here =
        strcmp(zone_of(scenario, nominated_to(scenario, "first")), zone_of(scenario, node)) == 0;
    const char *here = first_is_here ? "first" : "second";
    const char *there = first_is_here ? "second" : "first";
    char place[64];
    snprintf(place, sizeof place, "%s", nominated_to(scenario, there));
    bind(scenario, there, node);
    scenario_run(scenario, 1);
    assert_string_equal(nominated_to(scenario, here), place);
}

// The pod was tried in vain, or so it seems.
static void note_attempt(struct scenario *scenario, const char *pod, uint32_t number)
{
    char status[200];
    snprintf(
        status, sizeof status,
        "{status: {nominatedNodeName: null, conditions: [{type: PodScheduled, status: 'False', "
        "reason: Unschedulable, message: 'attempt %u'}]}}",
        number);
    hand_patch(scenario, "v1", "Pod", "default", pod, "status", status);
}

static bool has_three_nodes(struct scenario *scenario)
{
    return view_count(scenario, "v1", "Node") == 3;
}

// While kube-scheduler tries pods there are no nominations, but not for long.
static void nominations_wait_for_a_quiet_scheduler_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    begin_with_open_node(scenario);
    pending_pod(scenario, "large", "7");
    pending_pod(scenario, "huge", "7500m");
    scenario_until(scenario, 30, "three nodes", has_three_nodes);
    uint32_t tries = 0, nominated = 0;
    for (; tries < 50 && nominated == 0; tries++) {
        note_attempt(scenario, "large", tries);
        scenario_run(scenario, 0.1);
        nominated += nominated_to(scenario, "huge")[0] != '\0';
    }
    assert_true(tries > 10 && tries < 50);
}

static bool count_closed(void *context, json_t *node)
{
    *(uint32_t *)context += view_has_taint(node, "karpenter.sh/unregistered", "NoExecute");
    return true;
}

static uint32_t closed_nodes(struct scenario *scenario)
{
    struct store *store = simulation_store(scenario->simulation);
    uint32_t closed = 0;
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, count_closed, &closed);
    return closed;
}

// All nominations are lost again and again: the nodes open without them, after some seconds.
static void a_storm_of_attempts_keeps_no_node_closed_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    begin_with_open_node(scenario);
    pending_pod(scenario, "large", "7");
    pending_pod(scenario, "huge", "7500m");
    scenario_until(scenario, 30, "three nodes", has_three_nodes);
    uint32_t tries = 0, closed = 3;
    for (; tries < 100 && closed > 0; tries++) {
        note_attempt(scenario, "large", tries);
        note_attempt(scenario, "huge", tries);
        scenario_run(scenario, 0.1);
        closed = closed_nodes(scenario);
    }
    assert_true(tries < 60);
}

static bool are_thirty_closed(struct scenario *scenario)
{
    return closed_nodes(scenario) == 30;
}

// Some pods lose their nominations again and again, the others hold theirs: a longer wait would
// only make it worse.
static void a_storm_near_the_end_is_not_waited_out_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    char name[8];
    begin_with_open_node(scenario);
    for (uint32_t i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "p%02u", i);
        pending_pod(scenario, name, "7");
    }
    scenario_until(scenario, 30, "closed nodes", are_thirty_closed);
    uint32_t since_nominated = 0;
    for (uint32_t tries = 0; tries < 500 && closed_nodes(scenario) > 0; tries++) {
        for (uint32_t i = 0; i < 5; i++) {
            snprintf(name, sizeof name, "p%02u", i);
            note_attempt(scenario, name, tries);
        }
        loop_run_for(scenario->loop, 20 * MILLISECOND);
        since_nominated += nominated_to(scenario, "p29")[0] != '\0';
    }
    assert_int_equal(closed_nodes(scenario), 0);
    assert_true(since_nominated < 8);
}

static int setup(void **state)
{
    *state = scenario_create(516);
    return 0;
}

static bool late_is_bound(struct scenario *scenario)
{
    json_t *pod = view_object(scenario, "v1", "Pod", "default", "late");
    const char *node = pod != NULL ? view_text(pod, "spec.nodeName") : NULL;
    return node != NULL && *node != '\0';
}

// A node with room for one more pod, which a pod holds by a nomination that adze has not written.
static void hold_room(struct scenario *scenario)
{
    char nomination[200];
    scenario_begin(scenario);
    hand_pool(
        scenario,
        "requirements: [{key: karpenter.kwok.sh/instance-cpu, operator: In, values: ['4']}], ",
        "limits: {cpu: '4'}, ");
    hand_pod(scenario, "first", "3", "", "");
    scenario_expect_running(scenario, 1);
    hand_pod(scenario, "holder", "800m", "", "schedulingGates: [{name: hold}], ");
    snprintf(nomination, sizeof nomination, "{status: {nominatedNodeName: %s}}",
             view_text(view_node(scenario), "metadata.name"));
    hand_patch(scenario, "v1", "Pod", "default", "holder", "status", nomination);
    scenario_run(scenario, 1);
}

static const char *nomination_of(struct scenario *scenario, const char *pod)
{
    return view_text(view_object(scenario, "v1", "Pod", "default", pod),
                     "status.nominatedNodeName");
}

static void a_nomination_of_somebody_else_is_left_alone_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    hold_room(scenario);
    scenario_run(scenario, 60);
    assert_string_equal(nomination_of(scenario, "holder"),
                        view_text(view_node(scenario), "metadata.name"));
}

// kube-scheduler has tried the pod while another one held the room, and does not notice that this
// one was bound elsewhere: it would try again after five minutes.
static void an_overlooked_pod_is_tried_again_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    hold_room(scenario);
    hand_pod(scenario, "late", "700m", "", "");
    scenario_run(scenario, 10);
    assert_false(late_is_bound(scenario));
    scenario_apply(scenario, "{apiVersion: v1, kind: Node, metadata: {name: elsewhere}}");
    scenario_run(scenario, 5);
    assert_false(late_is_bound(scenario));
    bind(scenario, "holder", "elsewhere");
    scenario_until(scenario, 30, "the pod on the node", late_is_bound);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_displaced_pod_that_was_nominated_is_planned_again_SCH_516),
        TEST(alike_pods_exchange_their_places_as_they_land_SCH_516),
        TEST(alike_pods_land_the_other_way_round_too_SCH_516),
        TEST(pods_are_nominated_to_open_nodes_by_turn_SCH_516),
        TEST(pods_for_open_nodes_take_turns_with_the_others_SCH_516),
        TEST(a_place_in_another_zone_goes_to_a_sibling_SCH_516),
        TEST(nominations_wait_for_a_quiet_scheduler_SCH_516),
        TEST(a_storm_of_attempts_keeps_no_node_closed_SCH_516),
        TEST(a_storm_near_the_end_is_not_waited_out_SCH_516),
        TEST(a_nomination_of_somebody_else_is_left_alone_SCH_516),
        TEST(an_overlooked_pod_is_tried_again_SCH_516),
        cmocka_unit_test(a_pod_with_a_volume_keeps_its_place_SCH_516),
        cmocka_unit_test(a_pod_of_another_size_keeps_its_place_SCH_516),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
