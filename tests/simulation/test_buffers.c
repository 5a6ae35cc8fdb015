// CapacityBuffers (LIF-240 to LIF-247; gate CapacityBuffer): room that is kept free for future
// pods.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/scenario.h"

#define BUFFERS "autoscaling.x-k8s.io/v1beta1"

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(34);
    scenario->settings.gate_capacity_buffer = true;
    *state = scenario;
    return 0;
}

// --- the world -----------------------------------------------------------------------------------
// A PodTemplate of 1 cpu.
static void apply_template(struct scenario *scenario)
{
    scenario_apply(scenario,
                   "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: one, namespace: default}\n"
                   "template:\n  metadata: {labels: {app: room}}\n  spec:\n    containers:\n"
                   "    - {name: c, image: pause, resources: {requests: {cpu: '1'}}}\n");
}

static void apply_buffer(struct scenario *scenario, const char *spec)
{
    char manifest[1000];
    snprintf(manifest, sizeof manifest,
             "apiVersion: " BUFFERS "\nkind: CapacityBuffer\n"
             "metadata: {name: room, namespace: default}\nspec: {%s}\n",
             spec);
    scenario_apply(scenario, manifest);
}

static json_t *the_buffer(struct scenario *scenario)
{
    struct store *store = simulation_store(scenario->simulation);
    return store_get(store, store_resource_of_kind(store, BUFFERS, "CapacityBuffer"), "default",
                     "room");
}

// "status reason: message", in a buffer of the caller's.
static const char *condition(struct scenario *scenario, const char *type, char out[300])
{
    size_t i;
    json_t *entry;
    out[0] = '\0';
    json_array_foreach (store_path(the_buffer(scenario), "status.conditions"), i, entry)
        if (text_equal(json_string_value(json_object_get(entry, "type")), type))
            snprintf(out, 300, "%s %s: %s", json_string_value(json_object_get(entry, "status")),
                     json_string_value(json_object_get(entry, "reason")),
                     json_string_value(json_object_get(entry, "message")));
    return out;
}

static void assert_condition(struct scenario *scenario, const char *type, const char *expected)
{
    char text[300];
    assert_string_equal(condition(scenario, type, text), expected);
}

static bool fits(struct scenario *scenario)
{
    char text[300];
    return text_starts_with(condition(scenario, "Provisioning", text), "True FitsExisting");
}

static int64_t told_replicas(struct scenario *scenario)
{
    json_t *replicas = store_path(the_buffer(scenario), "status.replicas");
    return replicas != NULL ? json_integer_value(replicas) : -1;
}

static void expect_replicas(struct scenario *scenario, double seconds, int64_t replicas)
{
    for (double passed = 0; told_replicas(scenario) != replicas; passed += 0.1) {
        assert_true(passed < seconds);
        scenario_run(scenario, 0.1);
    }
}

static uint64_t launches(struct scenario *scenario)
{
    return sim_instances_launches(simulation_park(scenario->simulation));
}

static int64_t running_cpu(struct scenario *scenario)
{
    struct sim_instances *park = simulation_park(scenario->simulation);
    int64_t cpu = 0;
    for (uint32_t i = 0; i < sim_instances_count(park); i++)
        cpu += resource_map_get(&sim_instances_at(park, i)->facts.capacity, "cpu");
    return cpu;
}

static bool about_placeholder(void *context, json_t *event)
{
    const char *name = json_string_value(store_path(event, "involvedObject.name"));
    const char *kind = json_string_value(store_path(event, "involvedObject.kind"));
    if (text_equal(kind, "Pod") && name != NULL && text_starts_with(name, "capacity-buffer-"))
        *(uint32_t *)context += 1;
    return true;
}

static uint32_t events_of_placeholders(struct scenario *scenario)
{
    uint32_t count = 0;
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, about_placeholder,
               &count);
    return count;
}

// --- room ----------------------------------------------------------------------------------------
static void room_comes_and_stays_LIF_244_245_246(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 10");
    scenario_until(scenario, 90, "room for 10 pods", fits);
    assert_condition(scenario, "ReadyForProvisioning", "True Resolved: ");
    assert_condition(scenario, "Provisioning",
                     "True FitsExistingCapacity: All 10 virtual pods fit on existing capacity");
    assert_int_equal(told_replicas(scenario), 10);
    assert_string_equal(
        json_string_value(store_path(the_buffer(scenario), "status.podTemplateRef.name")), "one");
    assert_string_equal(
        json_string_value(store_path(the_buffer(scenario), "status.provisioningStrategy")),
        "buffer.x-k8s.io/active-capacity");
    uint64_t bought = launches(scenario);
    assert_true(running_cpu(scenario) >= 10000 && running_cpu(scenario) < 20000);
    scenario_run(scenario, 400); // nothing more is launched, and no node counts as empty
    assert_int_equal(launches(scenario), bought);
    assert_true(fits(scenario));
    assert_int_equal(simulation_count(scenario->simulation, "v1", "Pod"), 0);
    assert_int_equal(events_of_placeholders(scenario), 0);
}

// The status reports the room as soon as it exists, not at the next evaluation.
static void new_room_is_told_at_once_LIF_246(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 10");
    scenario_until(scenario, 20, "room for 10 pods", fits);
}

static void without_the_gate_nothing_happens_LIF_381(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.gate_capacity_buffer = false;
    scenario_begin(scenario);
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 10");
    scenario_run(scenario, 90);
    assert_int_equal(launches(scenario), 0);
    assert_null(store_path(the_buffer(scenario), "status"));
}

static bool add_name(void *context, json_t *node)
{
    text_format(context, " %s ", store_name(node));
    return true;
}

static bool runs_on_one_of(void *context, json_t *pod)
{
    struct text node = {0};
    text_format(&node, " %s ", json_string_value(store_path(pod, "spec.nodeName")));
    assert_non_null(strstr(((struct text *)context)->data, node.data));
    text_free(&node);
    return true;
}

static bool four_run(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) == 4;
}

static void pods_take_the_room_and_it_is_made_up_for_LIF_247(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 4");
    scenario_until(scenario, 90, "room for 4 pods", fits);
    scenario_run(scenario, 30);
    uint64_t bought = launches(scenario);
    struct text nodes = {0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, add_name, &nodes);
    scenario_scale(scenario, 4);
    scenario_until(scenario, 60, "4 pods in the room", four_run);
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, runs_on_one_of, &nodes);
    text_free(&nodes);
    scenario_run(scenario, 15);
    assert_true(launches(scenario) > bought);
    scenario_run(scenario, 60);
    assert_true(fits(scenario));
    assert_true(running_cpu(scenario) >= 8000);
}

static void room_goes_with_the_buffer_LIF_245(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    scenario_begin(scenario);
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 20");
    scenario_until(scenario, 90, "room for 20 pods", fits);
    assert_true(running_cpu(scenario) >= 20000);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 3");
    scenario_run(scenario, 120);
    assert_true(running_cpu(scenario) >= 3000 && running_cpu(scenario) <= 9000);
    assert_true(fits(scenario));
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 0");
    scenario_run(scenario, 5);
    assert_condition(scenario, "Provisioning", "False BufferEmpty: Buffer has no replicas");
    scenario_until(scenario, 120, "nothing to be left", scenario_empty);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 3");
    scenario_until(scenario, 90, "room for 3 pods", fits);
    assert_true(simulation_delete(scenario->simulation, BUFFERS, "CapacityBuffer", "default",
                                  "room", &error));
    scenario_until(scenario, 120, "nothing to be left", scenario_empty);
}

static void a_restart_takes_no_room_away_LIF_455(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 10");
    scenario_until(scenario, 90, "room for 10 pods", fits);
    uint64_t bought = launches(scenario);
    uint32_t machines = sim_instances_count(simulation_park(scenario->simulation));
    for (int i = 0; i < 5; i++) {
        simulation_kill_controller(scenario->simulation);
        scenario_run(scenario, 7);
        simulation_start_controller(scenario->simulation);
        scenario_run(scenario, 40);
    }
    assert_int_equal(launches(scenario), bought);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)), machines);
}

static void what_limits_forbid_fails_without_events_LIF_247_465(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
        "spec:\n  limits: {cpu: '8'}\n  template:\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      requirements:\n"
        "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
        "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['9']}\n");
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 50");
    scenario_run(scenario, 120);
    assert_true(running_cpu(scenario) > 0 && running_cpu(scenario) <= 8000);
    char text[300];
    assert_true(text_starts_with(condition(scenario, "Provisioning", text),
                                 "False RequiresNewCapacity: 0/50 virtual pods"));
    assert_int_equal(events_of_placeholders(scenario), 0);
    uint64_t bought = launches(scenario);
    scenario_run(scenario, 300);
    assert_int_equal(launches(scenario), bought);
}

// --- resolving -----------------------------------------------------------------------------------
static void sizes_LIF_241(void **state)
{
    static const struct {
        const char *spec;
        int64_t size;
    } cases[] = {
        {"podTemplateRef: {name: one}, replicas: 10, limits: {cpu: '3'}", 3},
        {"podTemplateRef: {name: one}, limits: {cpu: '5'}", 5},
        {"podTemplateRef: {name: one}, limits: {example.com/gpu: '5'}", 0},
        {"scalableRef: {apiGroup: apps, kind: Deployment, name: inflate}, percentage: 80, "
         "replicas: 5",
         8},
        {"scalableRef: {kind: Deployment, name: inflate}, percentage: 80, replicas: 5, limits: "
         "{cpu: '4'}",
         4},
        {"scalableRef: {kind: Deployment, name: inflate}, percentage: 1", 1},
        {"scalableRef: {kind: Deployment, name: inflate}, percentage: 0, replicas: 2", 2},
        {"scalableRef: {kind: Deployment, name: inflate}, percentage: 150", 15},
    };
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_template(scenario);
    scenario_scale(scenario, 10);
    scenario_expect_running(scenario, 10);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct error error = {0};
        apply_buffer(scenario, cases[i].spec);
        scenario_run(scenario, 2);
        assert_int_equal(told_replicas(scenario), cases[i].size);
        assert_condition(scenario, "ReadyForProvisioning", "True Resolved: ");
        bool by_template = strstr(cases[i].spec, "podTemplateRef") != NULL;
        assert_int_equal(store_path(the_buffer(scenario), "status.podTemplateRef") != NULL,
                         by_template);
        if (i == 2)
            assert_condition(scenario, "Provisioning", "False BufferEmpty: Buffer has no replicas");
        assert_true(simulation_delete(scenario->simulation, BUFFERS, "CapacityBuffer", "default",
                                      "room", &error));
    }
}

static void follows_its_workload_LIF_243_466(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 2);
    apply_buffer(scenario, "scalableRef: {kind: Deployment, name: inflate}, percentage: 50");
    expect_replicas(scenario, 40, 1);
    scenario_run(scenario, 5);
    scenario_scale(scenario, 20);
    expect_replicas(scenario, 3, 10); // not only after half a minute
    scenario_scale(scenario, 0);
    expect_replicas(scenario, 3, 0);
}

static void upstream_looks_every_30_seconds_LIF_243(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    scenario_begin(scenario);
    scenario_scale(scenario, 2);
    apply_buffer(scenario, "scalableRef: {kind: Deployment, name: inflate}, percentage: 50");
    expect_replicas(scenario, 40, 1);
    scenario_run(scenario, 5);
    scenario_scale(scenario, 20);
    scenario_run(scenario, 10);
    assert_int_equal(told_replicas(scenario), 1);
    expect_replicas(scenario, 31, 10);
}

static void failures_are_told_and_end_LIF_242(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 2");
    scenario_run(scenario, 3);
    assert_condition(scenario, "ReadyForProvisioning",
                     "False PodTemplateNotFound: podtemplates \"one\" not found");
    assert_condition(scenario, "Provisioning",
                     "False NotReadyForProvisioning: Buffer is not ready for provisioning");
    assert_int_equal(told_replicas(scenario), -1);
    apply_template(scenario);
    expect_replicas(scenario, 3, 2);
    assert_condition(scenario, "ReadyForProvisioning", "True Resolved: ");
    struct error error = {0};
    assert_true(
        simulation_delete(scenario->simulation, "v1", "PodTemplate", "default", "one", &error));
    scenario_run(scenario, 3);
    assert_int_equal(told_replicas(scenario), 2); // the last value stays
    char text[300];
    assert_true(text_starts_with(condition(scenario, "ReadyForProvisioning", text),
                                 "False PodTemplateNotFound"));
    assert_true(simulation_delete(scenario->simulation, BUFFERS, "CapacityBuffer", "default",
                                  "room", &error));
    apply_buffer(scenario, "scalableRef: {kind: StatefulSet, name: none}, percentage: 10");
    scenario_run(scenario, 3);
    assert_true(text_starts_with(condition(scenario, "ReadyForProvisioning", text),
                                 "False ScalableRefNotFound: "));
    assert_true(simulation_delete(scenario->simulation, BUFFERS, "CapacityBuffer", "default",
                                  "room", &error));
    apply_buffer(scenario, "scalableRef: {kind: Job, name: none}, replicas: 1");
    scenario_run(scenario, 3);
    assert_true(text_starts_with(condition(scenario, "ReadyForProvisioning", text),
                                 "False ResolutionFailed: scalableRef of unsupported kind Job"));
    assert_true(simulation_delete(scenario->simulation, BUFFERS, "CapacityBuffer", "default",
                                  "room", &error));
    apply_buffer(scenario, "replicas: 1");
    scenario_run(scenario, 3);
    assert_condition(scenario, "ReadyForProvisioning",
                     "False ResolutionFailed: Neither podTemplateRef nor scalableRef is set");
}

static void unknown_strategies_are_refused_LIF_466(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 2, provisioningStrategy: slow");
    scenario_run(scenario, 60);
    char text[300];
    assert_true(text_starts_with(condition(scenario, "ReadyForProvisioning", text),
                                 "False ResolutionFailed: provisioningStrategy \"slow\""));
    assert_int_equal(launches(scenario), 0);
}

// --- drift ---------------------------------------------------------------------------------------
// The NodePool of the world with machines of 2 cpu, one pod each.
static void apply_small_pool(struct scenario *scenario, const char *generation, const char *limits)
{
    char manifest[1000];
    snprintf(manifest, sizeof manifest,
             "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\nspec:\n"
             "  limits: {%s}\n"
             "  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 0s, "
             "budgets: [{nodes: '100%%'}]}\n"
             "  template:\n    metadata: {labels: {generation: '%s'}}\n    spec:\n"
             "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
             "      requirements: [{key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: "
             "['3']}]\n",
             limits, generation);
    scenario_apply(scenario, manifest);
}

static bool is_of_the_first(void *context, json_t *node)
{
    *(uint32_t *)context += text_equal(
        json_string_value(json_object_get(store_path(node, "metadata.labels"), "generation")), "a");
    return true;
}

static bool first_is_gone(struct scenario *scenario)
{
    struct store *store = simulation_store(scenario->simulation);
    uint32_t left = 0;
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, is_of_the_first, &left);
    return left == 0;
}

// New room comes before the old is removed, once, and the decision stays.
static void drift_replaces_nodes_that_only_buffers_hold_DIS_222_434(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_small_pool(scenario, "a", "");
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 2");
    scenario_until(scenario, 90, "room for 2 pods", fits);
    scenario_run(scenario, 60);
    uint64_t bought = launches(scenario);
    assert_int_equal(simulation_count(scenario->simulation, "v1", "Node"), 2);
    apply_small_pool(scenario, "b", "");
    scenario_until(scenario, 120, "the drifted nodes to go", first_is_gone);
    scenario_run(scenario, 120);
    assert_true(fits(scenario));
    assert_int_equal(launches(scenario), bought + 2);
    assert_int_equal(simulation_count(scenario->simulation, "v1", "Node"), 2);
}

// The limit allows two machines, also at later evaluations of the buffer.
static void upstream_keeps_to_limits_LIF_247(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    scenario_begin(scenario);
    apply_small_pool(scenario, "a", "cpu: '4'");
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 10");
    scenario_run(scenario, 150);
    assert_int_equal(launches(scenario), 2);
}

// --- failures ------------------------------------------------------------------------------------
static void unreliable_api_LIF_242(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.api_faults = (struct sim_faults){.internal_error = 0.1,
                                                       .conflict = 0.2,
                                                       .lost_answer = 0.05,
                                                       .reset = 0.1,
                                                       .watch_dropped = 0.02};
    scenario_begin(scenario);
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 10");
    scenario_until(scenario, 300, "room for 10 pods", fits);
    struct sim_faults none = {0};
    simulation_set_api_faults(scenario->simulation, &none);
    scenario_scale(scenario, 10);
    scenario_expect_running(scenario, 10);
    scenario_run(scenario, 120);
    assert_true(fits(scenario));
}

static uint32_t never_registers_first(void *context, const struct sim_instance *machine)
{
    uint32_t *seen = context;
    (void)machine;
    return (*seen)++ == 0 ? MACHINE_NEVER_REGISTERS : 0;
}

static void a_machine_that_never_comes_is_made_up_for(void **state)
{
    struct scenario *scenario = *state;
    uint32_t seen = 0;
    scenario->options.boot_faults = never_registers_first;
    scenario->options.fault_context = &seen;
    scenario_begin(scenario);
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 2");
    scenario_run(scenario, 17 * 60);
    scenario_until(scenario, 120, "room for 2 pods", fits);
    assert_int_equal(launches(scenario), 2);
}

// The writes to NodeClaims and buffers.
static bool concerns(const struct kube_request *request)
{
    return (request->verb == KUBE_CREATE || request->verb == KUBE_PATCH) &&
           (strstr(request->path, "nodeclaims") != NULL ||
            strstr(request->path, "capacitybuffers") != NULL);
}

static bool life(uint32_t kill_at, bool after_effect)
{
    void *state = NULL;
    setup(&state);
    struct scenario *scenario = state;
    struct assassin assassin = {
        .concerns = concerns, .kill_at = kill_at, .after_effect = after_effect};
    scenario_hire(scenario, &assassin);
    scenario_begin(scenario);
    assassin.armed = true;
    apply_template(scenario);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 5");
    scenario_until(scenario, 120, "room for 5 pods, whatever dies", fits);
    scenario_run(scenario, 60);
    assert_true(fits(scenario));
    // The plan is forgotten, and launched a second time at most; then the node is empty and
    // removed.
    assert_true(running_cpu(scenario) < 2 * 8000);
    apply_buffer(scenario, "podTemplateRef: {name: one}, replicas: 0");
    scenario_until(scenario, 180, "nothing to be left, whatever dies", scenario_empty);
    scenario_teardown(&state);
    return assassin.pulled;
}

static void killed_at_every_write_STO_18(void **state)
{
    (void)state;
    assert_true(scenario_lives(life, false, 60) >= 5);
    assert_true(scenario_lives(life, true, 60) >= 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(room_comes_and_stays_LIF_244_245_246),
        TEST(new_room_is_told_at_once_LIF_246),
        TEST(without_the_gate_nothing_happens_LIF_381),
        TEST(pods_take_the_room_and_it_is_made_up_for_LIF_247),
        TEST(room_goes_with_the_buffer_LIF_245),
        TEST(a_restart_takes_no_room_away_LIF_455),
        TEST(what_limits_forbid_fails_without_events_LIF_247_465),
        TEST(sizes_LIF_241),
        TEST(follows_its_workload_LIF_243_466),
        TEST(upstream_looks_every_30_seconds_LIF_243),
        TEST(failures_are_told_and_end_LIF_242),
        TEST(unknown_strategies_are_refused_LIF_466),
        TEST(drift_replaces_nodes_that_only_buffers_hold_DIS_222_434),
        TEST(upstream_keeps_to_limits_LIF_247),
        TEST(unreliable_api_LIF_242),
        TEST(a_machine_that_never_comes_is_made_up_for),
        cmocka_unit_test(killed_at_every_write_STO_18),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
