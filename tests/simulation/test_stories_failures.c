// Stories of failures: known failures of node autoscalers, reproduced in a simulated world, and the
// required behavior. tests/simulation/README.md has the list.
#include <stdio.h>
#include <string.h>

#include "simulation/story.h"

static int setup(void **state)
{
    *state = scenario_create(23);
    return 0;
}

struct faulty {             // injected faults, and their place
    const char *pool;       // with NodeClaims of this NodePool
    enum error_kind create; // the provider refuses to launch; ERROR_NONE: it does not
    const char *message;
    uint32_t calls;                                         // of create
    bool (*unreadable)(const struct kube_request *request); // the API server fails to answer it
};

static enum sim_cloud_fault on_call(void *context, enum sim_cloud_call call,
                                    const struct node_claim *claim, struct error *error)
{
    struct faulty *faulty = context;
    if (call != SIM_CREATE || claim == NULL ||
        !text_equal(object_label((const struct object *)claim, LABEL_NODE_POOL), faulty->pool))
        return SIM_FINE;
    faulty->calls++;
    if (faulty->create == ERROR_NONE)
        return SIM_FINE;
    error_set(error, faulty->create, "%s", faulty->message);
    return SIM_FAIL_BEFORE;
}

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct faulty *faulty = context;
    if (faulty->unreadable == NULL || !faulty->unreadable(request))
        return false;
    error_set(&response->error, ERROR_UNAVAILABLE, "the API server does not answer");
    return true;
}

static void begin(struct scenario *scenario, struct faulty *faulty)
{
    scenario->options.cloud_fault = on_call;
    scenario->options.api_fault = on_request;
    scenario->options.fault_context = faulty;
    scenario_begin(scenario);
}

struct first_of {
    const char *pool;
    char name[300];
};

static bool take_first(void *context, json_t *claim)
{
    struct first_of *first = context;
    if (!text_equal(view_label(claim, LABEL_NODE_POOL), first->pool))
        return true;
    snprintf(first->name, sizeof first->name, "%s", store_name(claim));
    return false;
}

// The first NodeClaim of the pool by name; "" if there is none.
static struct first_of claim_of(struct scenario *scenario, const char *pool)
{
    struct first_of first = {.pool = pool};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, KARPENTER, "NodeClaim"), NULL, take_first,
               &first);
    return first;
}

// --- STO-6 ---------------------------------------------------------------------------------------
static void restart(struct scenario *scenario)
{
    simulation_kill_controller(scenario->simulation);
    simulation_start_controller(scenario->simulation);
}

// A controller that ran out of memory under a backlog was killed every few minutes, and its timers
// were lost: nodes that were due for removal after ten quiet minutes stayed forever.
static void timers_outlive_a_controller_that_dies_every_two_minutes_STO_6(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.policy = "WhenEmpty", .after = "10m"});
    story_pool(scenario,
               &(struct story_pool){
                   .name = "old", .after = "Never", .labels = "team: old", .expire_after = "15m"});
    story_app(scenario, &(struct story_app){.name = "leaves", .replicas = 3, .cpu = "7"});
    story_app(scenario, &(struct story_app){.name = "ages",
                                            .replicas = 1,
                                            .cpu = "1",
                                            .spec = "nodeSelector: {team: old}, "});
    scenario_expect_running(scenario, 4);
    struct first_of first = claim_of(scenario, "old");
    story_app(scenario, &(struct story_app){.name = "leaves", .replicas = 0, .cpu = "7"});
    for (int i = 0; i < 4; i++) {
        scenario_run(scenario, 120);
        restart(scenario);
    }
    assert_int_equal(story_nodes(scenario), 4); // eight minutes: too early
    for (int i = 0; i < 2; i++) {
        scenario_run(scenario, 120);
        restart(scenario);
    }
    scenario_run(scenario, 30);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_NODE_POOL, "default"), 0);
    for (int i = 0; i < 2; i++) {
        scenario_run(scenario, 110);
        restart(scenario);
    }
    scenario_run(scenario, 60);
    assert_string_not_equal(claim_of(scenario, "old").name, first.name); // it expired on time
    scenario_expect_running(scenario, 1);
}

// The backlog was planned at once, whatever memory that took, and the controller was killed before
// its first launch, again and again. Here the limit allows a third of it at once.
static void backlog_is_worked_off_in_chunks_STO_6(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.memory_limit_bytes = 4 * 1024 * 1024;
    scenario_begin(scenario);
    scenario_scale(scenario, 1500);
    scenario_expect_running(scenario, 1500);
    double passes = view_metric(scenario, "karpenter_scheduler_scheduling_duration_seconds_count",
                                "controller=\"provisioner\"");
    print_message("%.0f passes\n", passes);
    assert_true(passes >= 3);
    assert_int_equal(story_launches(scenario), story_nodes(scenario));
}

// --- STO-8 ---------------------------------------------------------------------------------------
// One NodeClaim whose launch never ended blocked all: no other node was launched, without a report
// of the culprit.
static void one_launch_that_never_ends_holds_up_nobody_STO_8(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {.pool = "broken",
                            .create = ERROR_UNAVAILABLE,
                            .message = "resolving the image: no such parameter"};
    begin(scenario, &faulty);
    story_pool(scenario, &(struct story_pool){.name = "broken", .labels = "team: broken"});
    story_app(scenario, &(struct story_app){.name = "stuck",
                                            .replicas = 1,
                                            .cpu = "1",
                                            .spec = "nodeSelector: {team: broken}, "});
    scenario_run(scenario, 10);
    assert_true(faulty.calls > 0);
    scenario_scale(scenario, 20);
    scenario_run(scenario, 20);
    assert_int_equal(simulation_pods_running(scenario->simulation), 20);
    // Nor does it delay deletions.
    scenario_scale(scenario, 0);
    scenario_run(scenario, 60);
    assert_int_equal(story_nodes(scenario), 0);
    const json_t *claim = view_claim(scenario);
    assert_string_equal(view_label(claim, LABEL_NODE_POOL), "broken");
    assert_string_equal(view_condition(claim, "Launched"), "Unknown/LaunchFailed");
    assert_non_null(strstr(view_condition_message(claim, "Launched"), "resolving the image"));
}

// A Node of one NodePool without provider ID did the same to all others, worst at a start.
static void node_without_identity_holds_up_nobody_STO_8(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.name = "strange", .labels = "team: strange"});
    scenario_apply(scenario, "apiVersion: v1\nkind: Node\n"
                             "metadata: {name: stray, labels: {karpenter.sh/nodepool: strange}}\n"
                             "spec: {}\n");
    scenario_scale(scenario, 10);
    scenario_run(scenario, 30);
    assert_int_equal(simulation_pods_running(scenario->simulation), 10);
    restart(scenario);
    scenario_run(scenario, 5);
    scenario_scale(scenario, 20);
    scenario_run(scenario, 45); // a start waits for it, half a minute at most
    assert_int_equal(simulation_pods_running(scenario->simulation), 20);
}

// --- STO-17 --------------------------------------------------------------------------------------
static void set_class(struct scenario *scenario, const char *status, const char *reason)
{
    char patch[400];
    snprintf(patch, sizeof patch,
             "status: {conditions: [{type: Ready, status: '%s', reason: %s, message: m, "
             "lastTransitionTime: '2026-01-01T00:00:00Z'}]}",
             status, reason);
    hand_patch(scenario, "karpenter.kwok.sh/v1alpha1", "KWOKNodeClass", NULL, "default", "status",
               patch);
}

static bool all_run(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) == 10;
}

// A permission that was missing for a moment made the node class unready, and nothing was launched
// until a manual restart of the controller.
static void unready_class_heals_by_itself_STO_17(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_scale(scenario, 2);
    scenario_expect_running(scenario, 2);
    set_class(scenario, "False", "Forbidden");
    scenario_run(scenario, 5);
    scenario_scale(scenario, 10);
    scenario_run(scenario, 120);
    assert_true(simulation_pods_running(scenario->simulation) < 10);
    set_class(scenario, "True", "Ready");
    double took = scenario_until(scenario, 60, "the launch", all_run);
    print_message("%.1f s\n", took);
    assert_true(took <= 20);
}

static bool reads_classes(const struct kube_request *request)
{
    return strstr(request->path, "kwoknodeclasses") != NULL;
}

// Node classes that cannot be listed again after the connection was lost: launches continue with
// the last read state.
static void unreadable_class_is_used_as_it_was_STO_17(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {.pool = "none"};
    begin(scenario, &faulty);
    faulty.unreadable = reads_classes;
    simulation_cut_api(scenario->simulation, true);
    scenario_run(scenario, 60);
    simulation_cut_api(scenario->simulation, false);
    scenario_run(scenario, 300);
    scenario_scale(scenario, 10);
    scenario_until(scenario, 20, "the launch", all_run);
}

// --- STO-23 --------------------------------------------------------------------------------------
static const char database[] =
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: disks}\n"
    "provisioner: disks.example.com\nvolumeBindingMode: WaitForFirstConsumer\n"
    "---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: default}\n"
    "spec:\n  replicas: 1\n  serviceName: db\n  selector: {matchLabels: {app: db}}\n"
    "  template:\n    metadata: {labels: {app: db}}\n    spec:\n"
    "      terminationGracePeriodSeconds: 0\n"
    "      containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]\n"
    "  volumeClaimTemplates:\n  - metadata: {name: data}\n"
    "    spec: {accessModes: [ReadWriteOnce], storageClassName: disks, "
    "resources: {requests: {storage: 1Gi}}}\n";

struct attachments {
    const char *node;
    uint32_t count;
};

static bool count_attachment(void *context, json_t *attachment)
{
    struct attachments *attachments = context;
    attachments->count += text_equal(view_text(attachment, "spec.nodeName"), attachments->node);
    return true;
}

static uint32_t attachments_of(struct scenario *scenario, const char *node)
{
    struct attachments attachments = {node, 0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "storage.k8s.io/v1", "VolumeAttachment"), NULL,
               count_attachment, &attachments);
    return attachments.count;
}

// Deletes a node with a volume whose detachment takes `detach`; returns whether the machine existed
// until then.
static bool machine_waits_for_volumes(struct scenario *scenario, int64_t detach,
                                      const char *template_spec)
{
    scenario->options.world.volume_detach_ns = detach;
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.template_spec = template_spec});
    scenario_apply(scenario, database);
    scenario_expect_running(scenario, 1);
    char claim[300], node[300], machine[300];
    snprintf(claim, sizeof claim, "%s", store_name(view_claim(scenario)));
    snprintf(node, sizeof node, "%s", store_name(view_node(scenario)));
    snprintf(machine, sizeof machine, "%s", view_text(view_claim(scenario), "status.providerID"));
    assert_int_equal(attachments_of(scenario, node), 1);
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim);
    bool waited = true;
    for (int i = 0; i < 10 * 240; i++) {
        scenario_run(scenario, 0.1);
        const struct sim_instance *found =
            sim_instances_find(simulation_park(scenario->simulation), machine);
        bool runs = found != NULL && found->phase == MACHINE_RUNNING;
        waited = waited && (runs || attachments_of(scenario, node) == 0);
    }
    assert_null(sim_instances_find(simulation_park(scenario->simulation), machine));
    scenario_expect_running(scenario, 1);
    return waited;
}

// The machine was terminated while its volumes were attached: the next pod waited six minutes for
// them, and one in a thousand was damaged.
static void volumes_are_detached_before_the_machine_goes_STO_23(void **state)
{
    assert_true(machine_waits_for_volumes(*state, 30 * SECOND, NULL));
}

static void grace_period_ends_the_wait_for_volumes_STO_23(void **state)
{
    assert_false(machine_waits_for_volumes(*state, 120 * SECOND, "terminationGracePeriod: 40s, "));
}

// --- STO-24 --------------------------------------------------------------------------------------
// One of three nodes was permanently unhealthy: a fifth of three rounds down to 0, so that none was
// ever repaired.
static void one_ill_node_of_three_is_repaired_STO_24(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.gate_node_repair = true;
    scenario_begin(scenario);
    story_app(scenario, &(struct story_app){.name = "web", .replicas = 3, .cpu = "7"});
    scenario_expect_running(scenario, 3);
    assert_int_equal(story_nodes(scenario), 3);
    char ill[200];
    snprintf(ill, sizeof ill, "%s",
             sim_instances_at(simulation_park(scenario->simulation), 0)->facts.provider_id);
    world_machine_set_state(simulation_world(scenario->simulation), ill, MACHINE_NOT_READY);
    scenario_run(scenario, 15 * 60);
    assert_null(sim_instances_find(simulation_park(scenario->simulation), ill));
    scenario_expect_running(scenario, 3);
}

// --- STO-25 --------------------------------------------------------------------------------------
// Machines that need 16 minutes to register were terminated after 15, one after another, day and
// night.
static void machines_that_are_always_late_are_not_stormed_STO_25(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.boot_delay_min = scenario->options.boot_delay_max = 16 * MINUTE;
    scenario_begin(scenario);
    scenario_scale(scenario, 1);
    scenario_run(scenario, 6 * 3600);
    print_message("%u launches in six hours\n", (unsigned)story_launches(scenario));
    assert_in_range(story_launches(scenario), 4, 9); // 24 without a pause
    const json_t *pool = view_object(scenario, KARPENTER, "NodePool", NULL, "default");
    assert_string_equal(view_condition(pool, "NodeRegistrationHealthy"),
                        "False/RegistrationFailed");
    assert_true(view_events(scenario, "NodePool", "LaunchBackOff", "registration_timeout") >= 1);
}

// --- STO-27 --------------------------------------------------------------------------------------
// There was no capacity in the NodePool of the greatest weight: the next one was tried minutes
// later, and the first with every pass.
static void next_pool_launches_in_the_same_breath_and_the_first_is_probed_STO_27(void **state)
{
    struct scenario *scenario = *state;
    struct faulty faulty = {
        .pool = "first", .create = ERROR_INSUFFICIENT_CAPACITY, .message = "there is none"};
    begin(scenario, &faulty);
    story_pool(scenario, &(struct story_pool){.name = "first", .spec = "weight: 50"});
    scenario_run(scenario, 2);
    scenario_scale(scenario, 10);
    double took = scenario_until(scenario, 60, "all pods to run", all_run);
    print_message("%.1f s, %u calls\n", took, faulty.calls);
    assert_true(took <= 15); // a boot takes five seconds
    assert_in_range(faulty.calls, 1, 16);
    uint32_t before = faulty.calls;
    for (uint32_t replicas = 20; replicas <= 60; replicas += 5) {
        scenario_scale(scenario, replicas);
        scenario_run(scenario, 60);
    }
    print_message("%u calls more\n", faulty.calls - before);
    assert_in_range(faulty.calls - before, 1, 50); // it is probed, without a storm
    assert_int_equal(simulation_pods_running(scenario->simulation), 60);
    faulty.create = ERROR_NONE;
    scenario_run(scenario, 240);
    scenario_scale(scenario, 90);
    scenario_expect_running(scenario, 90);
    assert_true(story_nodes_labelled(scenario, LABEL_NODE_POOL, "first") > 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(timers_outlive_a_controller_that_dies_every_two_minutes_STO_6),
        TEST(backlog_is_worked_off_in_chunks_STO_6),
        TEST(one_launch_that_never_ends_holds_up_nobody_STO_8),
        TEST(node_without_identity_holds_up_nobody_STO_8),
        TEST(unready_class_heals_by_itself_STO_17),
        TEST(unreadable_class_is_used_as_it_was_STO_17),
        TEST(volumes_are_detached_before_the_machine_goes_STO_23),
        TEST(grace_period_ends_the_wait_for_volumes_STO_23),
        TEST(one_ill_node_of_three_is_repaired_STO_24),
        TEST(machines_that_are_always_late_are_not_stormed_STO_25),
        TEST(next_pool_launches_in_the_same_breath_and_the_first_is_probed_STO_27),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
