// Announcements by annotations of Nodes (AWI-959), on virtual time: an embedded API server and a
// scripted AWS.
#include "cloud/aws/interruption/interruption_scene.h"
#include "cloud/aws/interruption/node_annotations.h"

static void open_scene(struct scene *scene, const char *queue, bool upstream)
{
    scene_open(scene, queue, upstream, NULL);
    struct provider_world *world = scene->world;
    world_add(world, world_claim_text("spot", "i-0abc",
                                      ",'karpenter.sh/capacity-type':'spot',"
                                      "'topology.kubernetes.io/zone':'us-west-2a',"
                                      "'node.kubernetes.io/instance-type':'m5.large'",
                                      ",'nodeName':'node'"));
    world_add(world,
              world_claim_text("demand", "i-0def", ",'karpenter.sh/capacity-type':'on-demand'",
                               ",'nodeName':'other'"));
    world_add(world, world_node_text("node", "i-0abc", ""));
    world_add(world, world_node_text("other", "i-0def", ""));
    world_lead(world);
}

static void annotate(struct scene *scene, const char *node, enum node_announcement what,
                     const char *value)
{
    struct provider_world *world = scene->world;
    struct error error = {0};
    json_t *patch =
        json_pack("{s:{s:{s:s}}}", "metadata", "annotations", node_announcement_key(what), value);
    struct store_target target = {store_resource_of_kind(world->store, "v1", "Node"), NULL, node,
                                  NULL};
    if (store_patch(world->store, &target, "merge", patch, &error) == NULL)
        fail_msg("%s", error.message);
    json_decref(patch);
    loop_run_for(world->loop, 3 * SECOND);
}

static int64_t disrupted(struct scene *scene)
{
    return (int64_t)metric_read(
        metrics_find(scene->world->metrics, "karpenter_nodeclaims_disrupted_total"),
        "spot_interrupted", "default", "spot", "", "graceful");
}

static void queue_tells(struct scene *scene)
{
    scene_send_event(scene, "EC2 Spot Instance Interruption Warning", "i-0abc", "");
    loop_run_for(scene->world->loop, 25 * SECOND);
}

static void expect_handled_once(struct scene *scene)
{
    assert_true(scene_is_deleting(scene, "spot"));
    assert_false(scene_is_deleting(scene, "demand"));
    assert_int_equal(disrupted(scene), 1);
    assert_int_equal(world_events(scene->world, "SpotInterrupted"), 2); // NodeClaim and Node
    assert_int_equal(world_events(scene->world, "TerminatingOnInterruption"), 2);
    assert_string_equal(
        object_annotation(world_claim(scene->world, "spot"), ANNOTATION_TERMINATION_TIMESTAMP),
        "2026-01-01T00:01:45Z");
    struct unavailable_pool pool = {"m5.large", "us-west-2a", "spot", NULL, NULL};
    assert_true(unavailable_has_pool(scene->environment.unavailable, &pool));
}

static void interruptions_are_handled_like_messages_AWI_959_953(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    annotate(&scene, "node", NODE_SPOT_INTERRUPTION, "2026-01-01T00:02:00Z");
    expect_handled_once(&scene);
    scene_close(&scene);
}

static void the_first_signal_wins_AWI_959(void **state)
{
    (void)state;
    for (int queue_first = 0; queue_first < 2; queue_first++) {
        struct scene scene;
        open_scene(&scene, "queue", false);
        if (queue_first)
            queue_tells(&scene);
        annotate(&scene, "node", NODE_SPOT_INTERRUPTION, "2026-01-01T00:02:00Z");
        if (!queue_first)
            queue_tells(&scene);
        expect_handled_once(&scene);
        scene_close(&scene);
    }
}

static void rebalance_is_an_event_alone_AWI_959_551(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    annotate(&scene, "node", NODE_REBALANCE_RECOMMENDED, "2026-01-01T00:00:01Z");
    assert_int_equal(world_events(scene.world, "SpotRebalanceRecommendation"), 2);
    assert_false(scene_is_deleting(&scene, "spot"));
    scene_close(&scene);
}

static const char *drift_of(struct scene *scene, const char *claim)
{
    return interruption_drift_reason(scene->interruption,
                                     (const struct node_claim *)world_claim(scene->world, claim));
}

// Far ahead under budgets, as drift; within a day at once.
static void maintenance_far_and_near_AWI_959_955(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    annotate(&scene, "other", NODE_MAINTENANCE, "2026-01-02T01:00:00Z");
    assert_string_equal(drift_of(&scene, "demand"), "ScheduledEvent");
    loop_run_for(scene.world->loop, 50 * MINUTE);
    assert_string_equal(drift_of(&scene, "demand"), "ScheduledEvent");
    assert_false(scene_is_deleting(&scene, "demand"));
    loop_run_for(scene.world->loop, 20 * MINUTE);
    assert_true(scene_is_deleting(&scene, "demand"));
    scene_close(&scene);
}

// The annotation is taken back: the event was cancelled.
static void cancelled_maintenance_is_forgotten_AWI_959_955(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    annotate(&scene, "other", NODE_MAINTENANCE, "2026-01-09T00:00:00Z");
    assert_non_null(drift_of(&scene, "demand"));
    annotate(&scene, "other", NODE_MAINTENANCE, "");
    loop_run_for(scene.world->loop, 16 * MINUTE);
    assert_null(drift_of(&scene, "demand"));
    scene_close(&scene);
}

static void implausible_annotations_do_nothing_AWI_959(void **state)
{
    static const char *const values[] = {
        "2026-01-01T01:00:00Z", // EC2 warns two minutes ahead
        "2025-12-31T23:50:00Z", // of an earlier instance
        "now",
        "",
        "true",
        "{\"time\": \"2026-01-01T00:02:00Z\"}",
        "1700-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "2026-01-01T00:02:00Z2026-01-01T00:02:00Z2026-01-01T00:02:00Z",
    };
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
        annotate(&scene, "node", NODE_SPOT_INTERRUPTION, values[i]);
        annotate(&scene, "node", NODE_REBALANCE_RECOMMENDED,
                 i == 0 ? "2025-12-01T00:00:00Z" : values[i]);
    }
    assert_false(scene_is_deleting(&scene, "spot"));
    assert_int_equal(world_events(scene.world, "SpotInterrupted"), 0);
    // On demand there is no interruption of spot.
    annotate(&scene, "other", NODE_SPOT_INTERRUPTION, "2026-01-01T00:02:00Z");
    annotate(&scene, "other", NODE_REBALANCE_RECOMMENDED, "2026-01-01T00:00:01Z");
    assert_false(scene_is_deleting(&scene, "demand"));
    assert_int_equal(world_events(scene.world, "SpotRebalanceRecommendation"), 0);
    scene_close(&scene);
}

// A kubelet may register a Node of any name with any provider id.
static void nodes_speak_for_their_own_nodeclaim_alone_AWI_959(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    world_add(scene.world, world_node_text("impostor", "i-0abc", ""));
    annotate(&scene, "impostor", NODE_SPOT_INTERRUPTION, "2026-01-01T00:02:00Z");
    annotate(&scene, "impostor", NODE_MAINTENANCE, "2026-01-01T00:02:00Z");
    assert_false(scene_is_deleting(&scene, "spot"));
    scene_close(&scene);
}

static void upstream_ignores_annotations_AWI_959(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", true);
    annotate(&scene, "node", NODE_SPOT_INTERRUPTION, "2026-01-01T00:02:00Z");
    annotate(&scene, "other", NODE_MAINTENANCE, "2026-01-01T00:02:00Z");
    assert_false(scene_is_deleting(&scene, "spot"));
    assert_false(scene_is_deleting(&scene, "demand"));
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interruptions_are_handled_like_messages_AWI_959_953),
        cmocka_unit_test(the_first_signal_wins_AWI_959),
        cmocka_unit_test(rebalance_is_an_event_alone_AWI_959_551),
        cmocka_unit_test(maintenance_far_and_near_AWI_959_955),
        cmocka_unit_test(cancelled_maintenance_is_forgotten_AWI_959_955),
        cmocka_unit_test(implausible_annotations_do_nothing_AWI_959),
        cmocka_unit_test(nodes_speak_for_their_own_nodeclaim_alone_AWI_959),
        cmocka_unit_test(upstream_ignores_annotations_AWI_959),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
