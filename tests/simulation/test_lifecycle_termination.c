// The end of NodeClaims, Nodes and machines (LIF-80 to LIF-107, LIF-130 to LIF-140).
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/cluster_view.h"

static uint32_t deletes; // calls of the provider
static int64_t deleted_at[20];
static bool forgets; // the provider, when it is asked for a machine

static enum sim_cloud_fault on_call(void *context, enum sim_cloud_call call,
                                    const struct node_claim *claim, struct error *error)
{
    struct scenario *scenario = context;
    (void)claim;
    if (call == SIM_GET && forgets) {
        error_set(error, ERROR_NOT_FOUND, "no such machine");
        return SIM_FAIL_BEFORE;
    }
    if (call == SIM_DELETE && deletes < ARRAY_LENGTH(deleted_at))
        deleted_at[deletes++] = loop_now_ns(scenario->loop) / MILLISECOND;
    return SIM_FINE;
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(23);
    deletes = 0;
    forgets = false;
    scenario->options.cloud_fault = on_call;
    scenario->options.fault_context = scenario;
    scenario->options.world.volumes = false; // attachments are the tests'
    *state = scenario;
    return 0;
}

static char claim_name[300], node_name[300];

// One node with one pod.
static void begin(struct scenario *scenario, const char *template_spec, const char *pod_metadata,
                  const char *pod_spec)
{
    scenario_begin(scenario);
    hand_pool(scenario, template_spec, "");
    hand_bound_volume(scenario);
    hand_pod(scenario, "web", "1", pod_metadata, pod_spec);
    scenario_expect_running(scenario, 1);
    snprintf(claim_name, sizeof claim_name, "%s", store_name(view_claim(scenario)));
    snprintf(node_name, sizeof node_name, "%s", store_name(view_node(scenario)));
}

static const json_t *claim(struct scenario *scenario)
{
    return view_object(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
}

static const json_t *node(struct scenario *scenario)
{
    return view_object(scenario, "v1", "Node", NULL, node_name);
}

static bool claim_gone(struct scenario *scenario)
{
    return claim(scenario) == NULL;
}

static bool node_gone(struct scenario *scenario)
{
    return node(scenario) == NULL;
}

static bool is_deleting(const json_t *object)
{
    return store_path(object, "metadata.deletionTimestamp") != NULL;
}

#define PROTECTED "annotations: {karpenter.sh/do-not-disrupt: 'true'}, "

// --- NodeClaims ----------------------------------------------------------------------------------
static void deadline_is_deletion_plus_grace_period_LIF_80_104(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "terminationGracePeriod: 2m, ", PROTECTED, "");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 3);
    const char *deadline = view_annotation(claim(scenario), ANNOTATION_TERMINATION_TIMESTAMP);
    int64_t instant;
    assert_non_null(deadline);
    assert_true(instant_parse(deadline, &instant, NULL));
    assert_int_equal(instant / SECOND,
                     view_instant(claim(scenario), "metadata.deletionTimestamp") + 120);
    assert_int_equal(view_events(scenario, "NodeClaim", "TerminationGracePeriodExpiring", deadline),
                     1);
    assert_int_equal(view_events(scenario, "Node", "TerminationGracePeriodExpiring", deadline), 1);
}

static void deadline_that_is_there_stays_LIF_80(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "terminationGracePeriod: 2m, ", PROTECTED, "");
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, claim_name, NULL,
               "metadata: {annotations: {karpenter.sh/nodeclaim-termination-timestamp: "
               "'2026-01-01T05:00:00Z'}}");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 5);
    assert_string_equal(view_annotation(claim(scenario), ANNOTATION_TERMINATION_TIMESTAMP),
                        "2026-01-01T05:00:00Z");
}

static void deadline_that_cannot_be_read_holds_the_node_LIF_104(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", "", "");
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, claim_name, NULL,
               "metadata: {annotations: {karpenter.sh/nodeclaim-termination-timestamp: soon}}");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 60);
    assert_true(is_deleting(node(scenario)));
    assert_null(store_path(view_object(scenario, "v1", "Pod", "default", "web"),
                           "metadata.deletionTimestamp"));
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, claim_name, NULL,
               "metadata: {annotations: {karpenter.sh/nodeclaim-termination-timestamp: null}}");
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

static void either_object_takes_the_other_along_LIF_81_86_102(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", PROTECTED, "");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 3);
    assert_true(is_deleting(node(scenario)));
    assert_true(is_deleting(claim(scenario))); // waits for its Node
    hand_delete(scenario, "v1", "Pod", "default", "web");
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
    hand_pod(scenario, "again", "1", PROTECTED, "");
    scenario_expect_running(scenario, 1);
    snprintf(claim_name, sizeof claim_name, "%s", store_name(view_claim(scenario)));
    hand_delete(scenario, "v1", "Node", NULL, store_name(view_node(scenario)));
    scenario_run(scenario, 3);
    assert_true(is_deleting(claim(scenario)));
}

// A second Node with the provider ID that came after registration: both are deleted, both are
// waited for.
static void all_nodes_of_a_claim_are_waited_for_LIF_81(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", "", "");
    char manifest[600];
    snprintf(manifest, sizeof manifest,
             "apiVersion: v1\nkind: Node\nmetadata: {name: second, finalizers: [example.com/hold], "
             "labels: {karpenter.kwok.sh/kwoknodeclass: default}}\n"
             "spec: {providerID: '%s'}\n",
             view_text(claim(scenario), "status.providerID"));
    scenario_apply(scenario, manifest);
    scenario_run(scenario, 1);
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 30);
    assert_true(is_deleting(view_object(scenario, "v1", "Node", NULL, "second")));
    assert_non_null(claim(scenario));
    hand_patch(scenario, "v1", "Node", NULL, "second", NULL, "metadata: {finalizers: null}");
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

static void end_of_a_claim_is_counted_LIF_83_85_106_107(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", "", "terminationGracePeriodSeconds: 5, ");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_until(scenario, 90, "the claim to be gone", claim_gone);
    scenario_run(scenario, 1);
    static const char *const once[] = {
        "karpenter_nodeclaims_terminated_total",
        "karpenter_nodeclaims_termination_duration_seconds_count",
        "karpenter_nodeclaims_instance_termination_duration_seconds_count",
        "karpenter_nodes_terminated_total",
        "karpenter_nodes_drained_total",
        "karpenter_nodes_termination_duration_seconds_count",
        "karpenter_nodes_lifetime_duration_seconds_count",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(once); i++)
        if (view_metric_sum(scenario, once[i], "nodepool=\"default\"") != 1)
            fail_msg("%s is not 1", once[i]);
}

// --- Nodes ---------------------------------------------------------------------------------------
static void node_is_tainted_and_taken_off_balancers_LIF_100_105(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", PROTECTED, "");
    hand_patch(scenario, "v1", "Node", NULL, node_name, NULL,
               "spec: {taints: [{key: karpenter.sh/disrupted, value: old, effect: NoExecute}, "
               "{key: other, effect: NoSchedule}]}");
    hand_delete(scenario, "v1", "Node", NULL, node_name);
    scenario_run(scenario, 3);
    assert_true(view_has_taint(node(scenario), TAINT_DISRUPTED, "NoSchedule"));
    assert_true(view_has_taint(node(scenario), "other", "NoSchedule"));
    assert_int_equal(json_array_size(store_path(node(scenario), "spec.taints")), 2);
    assert_string_equal(
        view_label(node(scenario), "node.kubernetes.io/exclude-from-external-load-balancers"),
        "karpenter");
}

static void node_without_our_finalizer_is_left_alone_LIF_100(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", PROTECTED, "");
    hand_patch(scenario, "v1", "Node", NULL, node_name, NULL,
               "metadata: {finalizers: [example.com/hold]}");
    hand_delete(scenario, "v1", "Node", NULL, node_name);
    scenario_run(scenario, 20);
    assert_false(view_has_taint(node(scenario), TAINT_DISRUPTED, "NoSchedule"));
    assert_false(is_deleting(claim(scenario)));
    hand_patch(scenario, "v1", "Node", NULL, node_name, NULL, "metadata: {finalizers: null}");
}

static void machine_of_a_node_without_claim_goes_too_LIF_101_447(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", "", "terminationGracePeriodSeconds: 5, ");
    hand_delete(scenario, "v1", "Node", NULL, node_name);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, claim_name, NULL,
               "metadata: {finalizers: null}");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    assert_null(claim(scenario));
    scenario_until(scenario, 60, "the node to be gone", node_gone);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)), 0);
    assert_true(deletes > 0);
}

// Pods on a vanished machine are not drained.
static void unready_node_of_a_vanished_machine_goes_at_once_LIF_103(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", PROTECTED, "");
    char provider_id[300];
    snprintf(provider_id, sizeof provider_id, "%s",
             view_text(claim(scenario), "status.providerID"));
    hand_delete(scenario, "v1", "Node", NULL, node_name);
    scenario_run(scenario, 10);
    assert_non_null(node(scenario)); // Ready: drained, however long it takes
    world_machine_set_state(simulation_world(scenario->simulation), provider_id, MACHINE_NOT_READY);
    scenario_run(scenario, 10);
    assert_non_null(node(scenario)); // the machine is there
    sim_instances_reclaim(simulation_park(scenario->simulation), provider_id);
    scenario_until(scenario, 60, "the node to be gone", node_gone);
}

static void drain_lasts_five_seconds_at_least_LIF_111(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    begin(scenario, "", "", "terminationGracePeriodSeconds: 0, ");
    hand_delete(scenario, "v1", "Pod", "default", "web");
    hand_delete(scenario, "v1", "Node", NULL, node_name);
    scenario_run(scenario, 4);
    assert_string_equal(view_condition(claim(scenario), "Drained"), "Unknown/Draining");
    assert_string_equal(view_condition_message(claim(scenario), "Drained"), "Draining");
    scenario_until(scenario, 60, "the node to be gone", node_gone);
}

// --- machines ------------------------------------------------------------------------------------
static void provider_is_asked_every_five_seconds_until_it_has_no_machine_LIF_83_140(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.stop_delay_min = scenario->options.stop_delay_max = 18 * SECOND;
    begin(scenario, "", "", "terminationGracePeriodSeconds: 0, ");
    hand_delete(scenario, "v1", "Pod", "default", "web");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 12);
    assert_true(deletes >= 2);
    assert_string_equal(view_condition(claim(scenario), "Drained"), "True/Drained");
    assert_string_equal(view_condition(claim(scenario), "VolumesDetached"), "True/VolumesDetached");
    assert_string_equal(view_condition(claim(scenario), "InstanceTerminating"),
                        "True/InstanceTerminating");
    assert_string_equal(view_condition(claim(scenario), "Ready"), "True/Ready"); // LIF-15
    assert_non_null(node(scenario)); // it outlives its machine
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
    for (uint32_t i = 1; i + 1 < deletes; i++) {
        int64_t pause = deleted_at[i] - deleted_at[i - 1];
        assert_true(pause >= 4800 && pause <= 5600);
    }
}

static void claim_without_machine_asks_nobody_LIF_84(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    simulation_kill_controller(scenario->simulation); // which sees it only during its deletion
    scenario_apply(
        scenario, "apiVersion: karpenter.sh/v1\nkind: NodeClaim\n"
                  "metadata: {name: one, finalizers: [karpenter.sh/termination]}\n"
                  "spec:\n"
                  "  nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
                  "  requirements: [{key: kubernetes.io/arch, operator: In, values: [none]}]\n");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, "one");
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 5);
    assert_null(view_object(scenario, KARPENTER, "NodeClaim", NULL, "one"));
    assert_int_equal(deletes, 0);
}

// --- volumes -------------------------------------------------------------------------------------
static void attach(struct scenario *scenario, const char *name, const char *source)
{
    char manifest[700];
    snprintf(manifest, sizeof manifest,
             "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: %s}\n"
             "spec: {attacher: ebs.csi.aws.com, nodeName: %s, source: {%s}}\n",
             name, node_name, source);
    scenario_apply(scenario, manifest);
}

static void volumes_are_waited_for_LIF_130_131(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", "", "terminationGracePeriodSeconds: 0, ");
    attach(scenario, "va-1", "persistentVolumeName: pv-1");
    attach(scenario, "va-inline", ""); // no PersistentVolume: not waited for
    hand_delete(scenario, "v1", "Pod", "default", "web");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 60);
    assert_string_equal(view_condition(claim(scenario), "Drained"), "True/Drained");
    assert_string_equal(view_condition(claim(scenario), "VolumesDetached"),
                        "Unknown/AwaitingVolumeDetachment");
    assert_string_equal(view_condition_message(claim(scenario), "VolumesDetached"),
                        "AwaitingVolumeDetachment");
    assert_int_equal(view_events(scenario, "Node", "AwaitingVolumeDetachment",
                                 "Awaiting deletion of bound volumeattachments (va-1)"),
                     1);
    assert_int_equal(deletes, 0);
    hand_delete(scenario, "storage.k8s.io/v1", "VolumeAttachment", NULL, "va-1");
    scenario_until(scenario, 30, "the claim to be gone", claim_gone);
}

// Bound by hand during the wait for volumes: the machine does not end with it.
static void pod_that_comes_after_the_drain_is_drained_LIF_106_112(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", "", "terminationGracePeriodSeconds: 0, ");
    attach(scenario, "va-1", "persistentVolumeName: pv-1");
    hand_delete(scenario, "v1", "Pod", "default", "web");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 20);
    assert_string_equal(view_condition(claim(scenario), "Drained"), "True/Drained");
    char spec[400];
    snprintf(spec, sizeof spec, "nodeName: %s, terminationGracePeriodSeconds: 1, ", node_name);
    hand_pod(scenario, "late", "100m", PROTECTED, spec);
    scenario_run(scenario, 5);
    assert_string_equal(view_condition(claim(scenario), "Drained"), "Unknown/Draining");
    hand_delete(scenario, "storage.k8s.io/v1", "VolumeAttachment", NULL, "va-1");
    scenario_run(scenario, 20);
    assert_int_equal(deletes, 0);
    hand_patch(scenario, "v1", "Pod", "default", "late", NULL, "metadata: {annotations: null}");
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

// The provider has forgotten the machine for a moment; the Node proves that it exists.
static void machine_of_a_node_that_came_back_is_ended_LIF_103_140(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.stop_delay_min = scenario->options.stop_delay_max = 10 * SECOND;
    begin(scenario, "terminationGracePeriod: 60s, ", PROTECTED, "");
    char provider_id[300];
    snprintf(provider_id, sizeof provider_id, "%s",
             view_text(claim(scenario), "status.providerID"));
    attach(scenario, "va-1", "persistentVolumeName: pv-1");
    hand_delete(scenario, "v1", "Node", NULL, node_name);
    scenario_run(scenario, 3);
    forgets = true;
    world_machine_set_state(simulation_world(scenario->simulation), provider_id, MACHINE_NOT_READY);
    scenario_run(scenario, 20);
    assert_int_equal(deletes, 0);
    forgets = false;
    world_machine_set_state(simulation_world(scenario->simulation), provider_id, MACHINE_HEALTHY);
    scenario_until(scenario, 120, "the node to be gone", node_gone);
    assert_true(deletes > 0);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)), 0);
}

static void volumes_of_pods_that_stay_are_not_waited_for_LIF_130(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "", "",
          "tolerations: [{key: karpenter.sh/disrupted, operator: Exists}], "
          "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}], "
          "terminationGracePeriodSeconds: 0, ");
    attach(scenario, "va-1", "persistentVolumeName: pv-1");
    scenario_run(scenario, 1);
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

static void deadline_ends_the_wait_for_volumes_LIF_132(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.stop_delay_min = scenario->options.stop_delay_max = 10 * SECOND;
    begin(scenario, "terminationGracePeriod: 40s, ", "", "terminationGracePeriodSeconds: 0, ");
    attach(scenario, "va-1", "persistentVolumeName: pv-1");
    scenario_run(scenario, 1);
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    scenario_run(scenario, 37);
    assert_int_equal(deletes, 0);
    scenario_run(scenario, 8);
    assert_string_equal(view_condition(claim(scenario), "VolumesDetached"),
                        "False/TerminationGracePeriodElapsed");
    assert_string_equal(view_condition(claim(scenario), "InstanceTerminating"),
                        "True/InstanceTerminating");
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

// The machine is gone, the attachment is not: its pod may still write.
static void volumes_of_a_vanished_machine_are_waited_for_LIF_448(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "terminationGracePeriod: 60s, ", PROTECTED, "");
    char provider_id[300];
    snprintf(provider_id, sizeof provider_id, "%s",
             view_text(claim(scenario), "status.providerID"));
    attach(scenario, "va-1", "persistentVolumeName: pv-1");
    hand_delete(scenario, "v1", "Node", NULL, node_name);
    world_machine_set_state(simulation_world(scenario->simulation), provider_id, MACHINE_NOT_READY);
    sim_instances_reclaim(simulation_park(scenario->simulation), provider_id);
    scenario_run(scenario, 40);
    assert_non_null(node(scenario));
    scenario_until(scenario, 40, "the node to be gone", node_gone);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(deadline_is_deletion_plus_grace_period_LIF_80_104),
        TEST(deadline_that_is_there_stays_LIF_80),
        TEST(deadline_that_cannot_be_read_holds_the_node_LIF_104),
        TEST(either_object_takes_the_other_along_LIF_81_86_102),
        TEST(all_nodes_of_a_claim_are_waited_for_LIF_81),
        TEST(end_of_a_claim_is_counted_LIF_83_85_106_107),
        TEST(node_is_tainted_and_taken_off_balancers_LIF_100_105),
        TEST(node_without_our_finalizer_is_left_alone_LIF_100),
        TEST(machine_of_a_node_without_claim_goes_too_LIF_101_447),
        TEST(unready_node_of_a_vanished_machine_goes_at_once_LIF_103),
        TEST(drain_lasts_five_seconds_at_least_LIF_111),
        TEST(provider_is_asked_every_five_seconds_until_it_has_no_machine_LIF_83_140),
        TEST(claim_without_machine_asks_nobody_LIF_84),
        TEST(volumes_are_waited_for_LIF_130_131),
        TEST(pod_that_comes_after_the_drain_is_drained_LIF_106_112),
        TEST(machine_of_a_node_that_came_back_is_ended_LIF_103_140),
        TEST(volumes_of_pods_that_stay_are_not_waited_for_LIF_130),
        TEST(deadline_ends_the_wait_for_volumes_LIF_132),
        TEST(volumes_of_a_vanished_machine_are_waited_for_LIF_448),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
