// Nodes of a wave open together, and the pods are nominated (SCH-516).
#include "simulation/cluster_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "base/text.h"

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

static double metric(struct scenario *scenario, const char *name)
{
    struct text page = {0};
    metrics_write(simulation_metrics(scenario->simulation), &page);
    const char *found = strstr(page.data, name);
    double value = found != NULL ? strtod(found + strlen(name), NULL) : 0;
    text_free(&page);
    return value;
}

static double landed(struct scenario *scenario, const char *where)
{
    char name[120];
    snprintf(name, sizeof name,
             "adze_plan_divergence_pods_total{nodepool=\"default\",landed=\"%s\"} ", where);
    return metric(scenario, name);
}

static double kept(struct scenario *scenario)
{
    double planned = landed(scenario, "planned"), elsewhere = landed(scenario, "elsewhere");
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
    assert_true(landed(scenario, "planned") == 2);
    assert_true(landed(scenario, "elsewhere") == 0);
}

// The one way round both pods land as planned; the other way round they do not.
static void check_no_exchange(const char *cpu, const char *second_spec)
{
    uint32_t elsewhere = 0;
    for (uint32_t first = 0; first < 2; first++) {
        void *scenario = scenario_create(516);
        bind_pair(scenario, &(struct pair){first, cpu, second_spec});
        elsewhere += landed(scenario, "elsewhere") > 0;
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
static const char *begin_with_open_node(struct scenario *scenario)
{
    static char name[64];
    scenario->options.world.collector = false;
    scenario_begin(scenario);
    hand_pool(scenario,
              "requirements: [{key: karpenter.kwok.sh/instance-cpu, operator: In, "
              "values: ['8']}], ",
              "");
    pending_pod(scenario, "old", "2");
    scenario_until(scenario, 30, "an open node", node_is_open);
    snprintf(name, sizeof name, "%s", view_text(view_node(scenario), "metadata.name"));
    bind(scenario, "old", name);
    scenario_run(scenario, 200);
    return name;
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

// All nominations are lost again and again: the nodes open without them, after some seconds.
static void a_storm_of_attempts_keeps_no_node_closed_SCH_516(void **state)
{
    struct scenario *scenario = *state;
    begin_with_open_node(scenario);
    pending_pod(scenario, "large", "7");
    pending_pod(scenario, "huge", "7500m");
    scenario_until(scenario, 30, "three nodes", has_three_nodes);
    struct store *store = simulation_store(scenario->simulation);
    uint32_t tries = 0, closed = 3;
    for (; tries < 100 && closed > 0; tries++) {
        note_attempt(scenario, "large", tries);
        note_attempt(scenario, "huge", tries);
        scenario_run(scenario, 0.1);
        closed = 0;
        store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, count_closed, &closed);
    }
    assert_true(tries < 60);
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
        TEST(no_node_is_held_for_long_SCH_516),
        TEST(without_nominations_nodes_open_at_once_SCH_516),
        TEST(a_displaced_pod_that_was_nominated_is_planned_again_SCH_516),
        TEST(alike_pods_exchange_their_places_as_they_land_SCH_516),
        TEST(alike_pods_land_the_other_way_round_too_SCH_516),
        TEST(pods_are_nominated_to_open_nodes_by_turn_SCH_516),
        TEST(nominations_wait_for_a_quiet_scheduler_SCH_516),
        TEST(a_storm_of_attempts_keeps_no_node_closed_SCH_516),
        cmocka_unit_test(a_pod_with_a_volume_keeps_its_place_SCH_516),
        cmocka_unit_test(a_pod_of_another_size_keeps_its_place_SCH_516),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
