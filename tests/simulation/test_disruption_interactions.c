// Disruption together with other decisions about nodes: static capacity, overlaid prices, buffers.
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/moves.h"

// A stopping machine is no longer part of its NodePool (DIS-125).
static uint32_t running_machines(struct scenario *scenario)
{
    uint32_t count = 0;
    const struct sim_instance *machine;
    for (uint32_t i = 0;
         (machine = sim_instances_at(simulation_park(scenario->simulation), i)) != NULL; i++)
        count += machine->phase == MACHINE_RUNNING;
    return count;
}

// A replacement counts for its pool from its creation on, so that no further node is added for it.
static void static_drift_replaces_and_adds_nothing_DIS_303_433(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.gate_static_capacity = true;
    moves_begin(scenario, 0);
    struct story_pool pool = {.spec = "replicas: 2", .budgets = "[{nodes: '1'}]"};
    moves_pool(scenario, 0, pool);
    scenario_run(scenario, 90);
    assert_int_equal(view_count(scenario, "v1", "Node"), 2);
    uint64_t launches = story_launches(scenario);
    pool.labels = "generation: b";
    moves_pool(scenario, 0, pool);
    for (int i = 0; i < 3000; i++) {
        scenario_run(scenario, 0.1);
        assert_in_range(running_machines(scenario), 2, 3);
    }
    assert_int_equal(story_nodes_labelled(scenario, "generation", "b"), 2);
    assert_int_equal(view_count(scenario, "v1", "Node"), 2);
    assert_int_equal(story_launches(scenario) - launches, 2);
}

static void overlaid_price_decides_DIS_435(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.gate_node_overlay = true;
    moves_begin(scenario, 1);
    scenario_apply(
        scenario, "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: cheap}, "
                  "spec: {requirements: [{key: node.kubernetes.io/instance-type, operator: In, "
                  "values: [small]}], price: '0.45'}}");
    scenario_run(scenario, 10);
    moves_shrink(scenario, 0); // to medium: small costs more than the current type
    scenario_run(scenario, 180);
    json_t *line = json_loads(moves_last_line("\"message\":\"disrupting node(s)\""), 0, NULL);
    assert_string_equal(
        view_text(json_array_get(store_path(line, "replacement-nodes"), 0), "instance-types"),
        "medium");
    json_decref(line);
    assert_string_equal(view_label(moves_node(scenario, 0), LABEL_INSTANCE_TYPE), "medium");
}

// A large node with a pod of 1 cpu, and a buffer of a pod of `cpu` there.
static void begin_with_a_buffer(struct scenario *scenario, const char *cpu)
{
    char text[800];
    scenario->settings.gate_capacity_buffer = true;
    moves_begin(scenario, 1);
    snprintf(text, sizeof text,
             "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: room, namespace: default}\n"
             "template:\n  metadata: {labels: {app: room}}\n  spec:\n"
             "    nodeSelector: {place: '0'}\n    containers:\n"
             "    - {name: c, image: i, resources: {requests: {cpu: '%s'}}}\n---\n"
             "apiVersion: autoscaling.x-k8s.io/v1beta1\nkind: CapacityBuffer\n"
             "metadata: {name: room, namespace: default}\n"
             "spec: {podTemplateRef: {name: room}, replicas: 1}\n",
             cpu);
    scenario_apply(scenario, text);
    moves_shrink(scenario, 0);
    scenario_run(scenario, 240);
}

static void node_with_a_buffer_alone_moves_too_DIS_753(void **state)
{
    struct scenario *scenario = *state;
    begin_with_a_buffer(scenario, "1");
    assert_string_equal(view_label(moves_node(scenario, 0), LABEL_INSTANCE_TYPE), "medium");
    uint64_t launches = story_launches(scenario);
    moves_scale(scenario, "keep-0", 0);
    for (int i = 0; i < 1200; i++) {
        scenario_run(scenario, 0.5);
        assert_in_range(view_count(scenario, "v1", "Node"), 1, 2); // the room never disappears
        assert_in_range(view_count(scenario, KARPENTER, "NodeClaim"), 1, 2);
    }
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
    assert_string_equal(view_label(moves_node(scenario, 0), LABEL_INSTANCE_TYPE), "small");
    assert_int_equal(story_launches(scenario) - launches, 1);
}

static void node_with_a_buffer_and_a_pod_moves_with_room_for_both_DIS_434(void **state)
{
    struct scenario *scenario = *state;
    begin_with_a_buffer(scenario, "2");
    scenario_expect_running(scenario, 1);
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
    assert_string_equal(view_label(moves_node(scenario, 0), LABEL_INSTANCE_TYPE), "medium");
    // With the placeholder alone it is not empty.
    moves_scale(scenario, "keep-0", 0);
    scenario_run(scenario, 240);
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
}

// Capacity on the way for the pods of a manually deleted node is enough, launched or not.
static void force_delete(struct scenario *scenario, const char *claim)
{
    struct error error = {0};
    assert_true(
        simulation_delete(scenario->simulation, KARPENTER, "NodeClaim", NULL, claim, &error));
}

static void replacement_takes_the_pods_of_a_deleted_candidate_DIS_306_332(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 20 * SECOND;
    moves_begin(scenario, 1);
    uint64_t launches = story_launches(scenario);
    char claim[300];
    snprintf(claim, sizeof claim, "%s", view_text(moves_claim(scenario, 0), "metadata.name"));
    moves_shrink(scenario, 0);
    scenario_until(scenario, 120, "a replacement", moves_replacement_there);
    scenario_run(scenario, 3); // it takes 20 s to launch
    force_delete(scenario, claim);
    scenario_run(scenario, 240);
    scenario_expect_running(scenario, 1);
    assert_int_equal(story_launches(scenario) - launches, 1);
}

static void a_deleted_node_is_replaced_by_one_SCH_528(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 20 * SECOND;
    moves_begin(scenario, 1);
    uint64_t launches = story_launches(scenario);
    force_delete(scenario, view_text(moves_claim(scenario, 0), "metadata.name"));
    scenario_run(scenario, 240);
    scenario_expect_running(scenario, 2);
    assert_int_equal(story_launches(scenario) - launches, 1);
}

static void check_deadlines(struct scenario *scenario, const char *expires, const char *grace)
{
    const json_t *claim = moves_claim(scenario, 0);
    assert_string_equal(view_text(claim, "spec.expireAfter"), expires);
    const char *given = view_text(claim, "spec.terminationGracePeriod");
    assert_string_equal(given != NULL ? given : "", grace);
}

static bool is_drifted(struct scenario *scenario)
{
    return strcmp(view_condition(moves_claim(scenario, 0), "Drifted"), "True/NodePoolDrifted") == 0;
}

// A node's termination settings are fixed at its launch; later edits drift the nodes.
static void deadlines_are_copied_and_drift_DIS_100(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    check_deadlines(scenario, "Never", ""); // as the pool has it
    struct story_pool pool = {.budgets = "[{nodes: '0'}]", .expire_after = "720h"};
    moves_pool(scenario, 0, pool);
    scenario_until(scenario, 30, "the node to drift", is_drifted);
    check_deadlines(scenario, "Never", "");
    pool.expire_after = NULL;
    moves_pool(scenario, 0, pool);
    scenario_run(scenario, 30);
    assert_false(is_drifted(scenario));
    moves_pool(scenario, 0, (struct story_pool){.template_spec = "terminationGracePeriod: 90s, "});
    scenario_run(scenario, 300);
    assert_false(is_drifted(scenario));          // replaced
    check_deadlines(scenario, "Never", "1m30s"); // as Go writes it, API-20
}

// The machine of the place registers a second Node.
static void register_again(struct scenario *scenario)
{
    char manifest[400];
    snprintf(manifest, sizeof manifest,
             "{apiVersion: v1, kind: Node, metadata: {name: twin}, spec: {providerID: '%s'}}",
             view_text(moves_node(scenario, 0), "spec.providerID"));
    scenario_apply(scenario, manifest);
}

static bool replaced(struct scenario *scenario)
{
    return moves_chosen(scenario) == 0 && scenario_settled(scenario) &&
           view_count(scenario, KARPENTER, "NodeClaim") == 1;
}

// A controller that takes over finds both Nodes of the machine, and the one that was chosen.
static void command_of_a_node_with_a_twin_goes_on_DIS_724(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 120, "a replacement", moves_replacement_there);
    scenario_run(scenario, 3);
    register_again(scenario);
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 5);
    assert_true(moves_logged("\"message\":\"resuming disruption command\"", "\"nodes\":1"));
    scenario_until(scenario, 300, "the node to be replaced", replaced);
}

static uint32_t fail_boot(void *context, const struct sim_instance *machine)
{
    (void)machine;
    return *(const bool *)context ? MACHINE_NEVER_REGISTERS : 0;
}

// Each takeover used to give the replacement ten minutes more.
static void restarts_do_not_lengthen_a_command_DIS_326_724(void **state)
{
    struct scenario *scenario = *state;
    bool never_registers = false;
    scenario->options.boot_faults = fail_boot;
    scenario->options.fault_context = &never_registers;
    moves_begin(scenario, 1);
    never_registers = true;
    moves_shrink(scenario, 0);
    scenario_until(scenario, 120, "a replacement", moves_replacement_there);
    for (int i = 0; i < 2; i++) {
        scenario_run(scenario, 240);
        simulation_kill_controller(scenario->simulation);
        simulation_start_controller(scenario->simulation);
    }
    scenario_run(scenario, 30);
    assert_int_equal(moves_chosen(scenario), 1);
    assert_int_equal(moves_logged("command reached timeout", NULL), 0);
    scenario_run(scenario, 150); // ten and a half minutes
    assert_int_equal(moves_logged("command reached timeout, waiting for replacement", NULL), 1);
    never_registers = false;
}

static bool refuse_new_claims(const struct kube_request *request, struct kube_response *response)
{
    if (request->verb != KUBE_CREATE || strstr(request->path, "/nodeclaims") == NULL)
        return false;
    response->status = 429;
    return true;
}

struct claim_names {
    char items[16][64];
    uint32_t count;
};

static bool add_name(void *context, json_t *object)
{
    struct claim_names *names = context;
    assert_true(names->count < ARRAY_LENGTH(names->items));
    snprintf(names->items[names->count++], sizeof names->items[0], "%s",
             view_text(object, "metadata.name"));
    return true;
}

// Each second NodeClaim, from the one with that number on.
static void drift_half(struct scenario *scenario, uint32_t first)
{
    struct store *store = simulation_store(scenario->simulation);
    struct claim_names names = {0};
    store_each(store, store_resource_of_kind(store, KARPENTER, "NodeClaim"), NULL, add_name,
               &names);
    for (uint32_t i = first; i < names.count; i += 2)
        hand_patch(scenario, KARPENTER, "NodeClaim", NULL, names.items[i], NULL,
                   "{metadata: {annotations: {karpenter.sh/nodepool-hash: '1'}}}");
}

// The first command has yet to launch its replacements, and its pods have no other place: the
// second one buys nothing for them.
static void replacements_are_for_the_pods_of_their_command_DIS_310(void **state)
{
    struct scenario *scenario = *state;
    story_catalog(scenario, &(struct story_type){"cube", 4, 16, 0.2}, 1);
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.policy = "WhenEmpty"});
    story_app(scenario, &(struct story_app){.name = "web", .replicas = 24, .cpu = "1200m"});
    scenario_expect_running(scenario, 24);
    scenario_run(scenario, 60);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 8);
    uint64_t launches = story_launches(scenario);
    moves_on_request = refuse_new_claims;
    drift_half(scenario, 0);
    scenario_until(scenario, 20, "the first command", moves_any_chosen);
    drift_half(scenario, 1);
    scenario_run(scenario, 5);
    moves_on_request = NULL;
    scenario_run(scenario, 240);
    scenario_expect_running(scenario, 24);
    assert_int_equal(story_launches(scenario) - launches, 8);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 8);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(static_drift_replaces_and_adds_nothing_DIS_303_433),
        TEST(overlaid_price_decides_DIS_435),
        TEST(replacement_takes_the_pods_of_a_deleted_candidate_DIS_306_332),
        TEST(a_deleted_node_is_replaced_by_one_SCH_528),
        TEST(command_of_a_node_with_a_twin_goes_on_DIS_724),
        TEST(restarts_do_not_lengthen_a_command_DIS_326_724),
        TEST(node_with_a_buffer_and_a_pod_moves_with_room_for_both_DIS_434),
        TEST(node_with_a_buffer_alone_moves_too_DIS_753),
        TEST(deadlines_are_copied_and_drift_DIS_100),
        TEST(replacements_are_for_the_pods_of_their_command_DIS_310),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
