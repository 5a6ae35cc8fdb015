// Interruptions from the queue and from status checks, on virtual time: an embedded API server and
// a scripted AWS.
#include "cloud/aws/interruption/interruption_scene.h"
#include "model/schema/karpenter.h"

#define POOL(annotations)                                                               \
    "{'apiVersion':'karpenter.sh/"                                                      \
    "v1','kind':'NodePool','metadata':{'name':'default','annotations':" annotations     \
    "},'spec':{'template':{'spec':{'nodeClassRef':{'group':'karpenter.k8s.aws','kind':" \
    "'EC2NodeClass','name':'default'},'requirements':[]}}}}"

static void open_scene_of(struct scene *scene, const char *queue, bool upstream,
                          struct cloud *cloud)
{
    scene_open(scene, queue, upstream, cloud);
    world_add(scene->world, world_claim_text("spot", "i-0abc",
                                             ",'karpenter.sh/capacity-type':'spot',"
                                             "'topology.kubernetes.io/zone':'us-west-2a',"
                                             "'node.kubernetes.io/instance-type':'m5.large'",
                                             ""));
    world_add(scene->world, world_claim_text("other", "i-0def", "", ""));
    world_add(scene->world, world_node_text("node", "i-0abc", ""));
}

static void open_scene(struct scene *scene, const char *queue, bool upstream)
{
    open_scene_of(scene, queue, upstream, NULL);
}

static uint32_t deletions(struct scene *scene)
{
    return fake_aws_calls(scene->world->aws, SQS_DELETE_MESSAGE_BATCH) +
           fake_aws_calls(scene->world->aws, SQS_DELETE_MESSAGE);
}

static void spot_interruption_AWI_551_565_570_953(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct scene scene;
        open_scene(&scene, "queue", upstream != 0);
        scene_send_event(&scene, "EC2 Spot Instance Interruption Warning", "i-0abc", "");
        scene_lead(&scene);
        assert_true(scene_is_deleting(&scene, "spot"));
        assert_false(scene_is_deleting(&scene, "other"));
        const char *deadline =
            object_annotation(world_claim(scene.world, "spot"), ANNOTATION_TERMINATION_TIMESTAMP);
        if (upstream)
            assert_null(deadline);
        else
            assert_string_equal(deadline, "2026-01-01T00:01:45Z");
        assert_int_equal(world_events(scene.world, "SpotInterrupted"), 2); // NodeClaim and Node
        assert_int_equal(world_events(scene.world, "TerminatingOnInterruption"), 2);
        struct unavailable_pool pool = {"m5.large", "us-west-2a", "spot", NULL, NULL};
        assert_true(unavailable_has_pool(scene.environment.unavailable, &pool));
        assert_int_equal(deletions(&scene), 1);
        struct metric *disrupted =
            metrics_find(scene.world->metrics, "karpenter_nodeclaims_disrupted_total");
        assert_int_equal(
            metric_read(disrupted, "spot_interrupted", "default", "spot", "", "graceful"), 1);
        assert_int_equal(metric_read(metrics_find(scene.world->metrics,
                                                  "karpenter_interruption_received_messages_total"),
                                     "spot_interrupted"),
                         1);
        scene_close(&scene);
    }
}

static void rebalance_is_an_event_alone_AWI_551(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "queue", false);
    scene_send_event(&scene, "EC2 Instance Rebalance Recommendation", "i-0abc", "");
    scene_lead(&scene);
    assert_false(scene_is_deleting(&scene, "spot"));
    assert_int_equal(world_events(scene.world, "SpotRebalanceRecommendation"), 2);
    assert_int_equal(deletions(&scene), 1);
    scene_close(&scene);
}

// The instance has the cluster's tags and no NodeClaim yet: the message stays in the queue.
static void unknown_instances_wait_AWI_951(void **state)
{
    (void)state;
    for (int ours = 0; ours < 2; ours++) {
        struct scene scene;
        open_scene(&scene, "queue", false);
        if (ours)
            fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCES,
                           json_pack("{s:[{s:[{s:s}]}]}", "Reservations", "Instances", "InstanceId",
                                     "i-0aaa"));
        scene_send_event(&scene, "EC2 Instance State-change Notification", "i-0aaa",
                         ",\"state\":\"terminated\"");
        scene_lead(&scene);
        assert_int_equal(fake_aws_calls(scene.world->aws, EC2_DESCRIBE_INSTANCES), 1);
        assert_int_equal(deletions(&scene), ours ? 0 : 1);
        scene_close(&scene);
    }
}

static void impaired_instances_AWI_560_583(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    scene_add_bystanders(&scene);
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS,
                   json_pack("{s:[{s:s, s:{s:s, s:[{s:s, s:s, s:s}]}}]}", "InstanceStatuses",
                             "InstanceId", "i-0abc", "SystemStatus", "Status", "impaired",
                             "Details", "Name", "reachability", "Status", "failed", "ImpairedSince",
                             "2025-12-31T23:00:00Z"));
    scene_lead(&scene);
    assert_true(scene_is_deleting(&scene, "spot"));
    assert_false(scene_is_deleting(&scene, "other"));
    assert_non_null(
        object_annotation(world_claim(scene.world, "spot"), ANNOTATION_TERMINATION_TIMESTAMP));
    assert_int_equal(
        metric_read(metrics_find(scene.world->metrics,
                                 "karpenter_interruption_instance_status_unhealthy_total"),
                    "SystemStatus"),
        1);
    assert_int_equal(fake_aws_calls(scene.world->aws, SQS_RECEIVE_MESSAGE), 0);
    scene_close(&scene);
}

static const char *drift_of(struct scene *scene, const char *claim)
{
    return interruption_drift_reason(scene->interruption,
                                     (const struct node_claim *)world_claim(scene->world, claim));
}

static void note_drift(void *context, const char *node_claim)
{
    struct text *told = context;
    text_join(told, " ", node_claim);
}

// The NodePool asks for the replacement of machines at risk; the other capacity types stay.
static void machines_at_risk_drift_AWI_954(void **state)
{
    (void)state;
    for (int asks = 0; asks < 2; asks++) {
        struct scene scene;
        struct cloud cloud = {0};
        struct text told = {0};
        text_add(&told, "");
        cloud_watch_drift(&cloud, note_drift, &told);
        open_scene_of(&scene, "queue", false, &cloud);
        world_add(scene.world,
                  asks ? POOL("{'adze.dev/replace-spot-at-risk':'true'}") : POOL("{}"));
        scene_send_event(&scene, "EC2 Instance Rebalance Recommendation", "i-0abc", "");
        scene_lead(&scene);
        assert_false(scene_is_deleting(&scene, "spot"));
        struct unavailable_pool pool = {"m5.large", "us-west-2a", "spot", NULL, NULL};
        assert_int_equal(unavailable_has_pool(scene.environment.unavailable, &pool), asks);
        assert_true(text_equal(drift_of(&scene, "spot"), asks ? "RebalanceRecommendation" : NULL));
        assert_null(drift_of(&scene, "other"));
        assert_string_equal(told.data, asks ? "spot" : "");
        scene_close(&scene);
        text_free(&told);
    }
}

static void show_events(struct scene *scene, const char *not_before, const char *description)
{
    fake_aws_reply(scene->world->aws, EC2_DESCRIBE_INSTANCE_STATUS,
                   json_pack("{s:[{s:s, s:[{s:s, s:s, s:s}]}]}", "InstanceStatuses", "InstanceId",
                             "i-0abc", "Events", "Code", "instance-retirement", "NotBefore",
                             not_before, "Description", description));
}

// Far events are drift, which the budgets limit; near ones drain; those that are over do not count.
static void scheduled_events_AWI_955(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    show_events(&scene, "2026-01-10T00:00:00Z", "The instance is running on degraded hardware");
    scene_lead(&scene);
    assert_false(scene_is_deleting(&scene, "spot"));
    assert_string_equal(drift_of(&scene, "spot"), "ScheduledEvent");
    show_events(&scene, "2026-01-10T00:00:00Z", "[Canceled] The instance is running");
    loop_run_for(scene.world->loop, 20 * MINUTE);
    assert_null(drift_of(&scene, "spot"));
    show_events(&scene, "2026-01-01T12:00:00Z", "The instance is running on degraded hardware");
    loop_run_for(scene.world->loop, 2 * MINUTE);
    assert_true(scene_is_deleting(&scene, "spot"));
    scene_close(&scene);
}

static void far_health_events_AWI_955(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "queue", false);
    scene_send(&scene, "{\"version\":\"0\",\"source\":\"aws.health\",\"detail-type\":\"AWS Health "
                       "Event\",\"time\":\"2026-01-01T00:00:00Z\",\"detail\":{\"service\":\"EC2\","
                       "\"eventTypeCategory\":\"scheduledChange\",\"startTime\":\"Sat, 10 Jan 2026 "
                       "00:00:00 GMT\",\"affectedEntities\":[{\"entityValue\":\"i-0abc\"}]}}");
    scene_lead(&scene);
    assert_false(scene_is_deleting(&scene, "spot"));
    assert_string_equal(drift_of(&scene, "spot"), "ScheduledEvent");
    assert_int_equal(deletions(&scene), 1);
    scene_close(&scene);
}

#define ATTACHMENT                                                                    \
    "{'apiVersion':'storage.k8s.io/v1','kind':'VolumeAttachment','metadata':{'name':" \
    "'a'},'spec':{'attacher':'ebs.csi.aws.com','nodeName':'node','source':"           \
    "{'persistentVolumeName':'pv'}}}"

// An impaired volume is the root volume where pods have none on the node.
static void impaired_root_volumes_AWI_958(void **state)
{
    (void)state;
    for (int attached = 0; attached < 2; attached++) {
        struct scene scene;
        open_scene(&scene, "", false);
        scene_add_bystanders(&scene);
        if (attached)
            world_add(scene.world, ATTACHMENT);
        fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS,
                       json_pack("{s:[{s:s, s:{s:s, s:[{s:s, s:s, s:s}]}}]}", "InstanceStatuses",
                                 "InstanceId", "i-0abc", "AttachedEbsStatus", "Status", "impaired",
                                 "Details", "Name", "reachability", "Status", "failed",
                                 "ImpairedSince", "2025-12-31T23:00:00Z"));
        mirror_watch(scene.world->mirror, KIND_VOLUME_ATTACHMENT, NULL, NULL, false);
        scene_lead(&scene);
        assert_int_equal(scene_is_deleting(&scene, "spot"), !attached);
        scene_close(&scene);
    }
}

static void missing_permission_is_tested_again_AWI_956(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    fake_aws_error(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS, 403, "UnauthorizedOperation",
                   "no");
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 9 * MINUTE);
    assert_int_equal(fake_aws_calls(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS), 1);
    loop_run_for(scene.world->loop, 3 * MINUTE);
    assert_int_equal(fake_aws_calls(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS), 2);
    scene_close(&scene);
}

static void spot_requests_without_a_queue_AWI_959(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "", false);
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS,
                   json_pack("{s:[{s:s, s:{s:s, s:s}}]}", "SpotInstanceRequests", "InstanceId",
                             "i-0abc", "Status", "Code", "marked-for-termination", "UpdateTime",
                             "2026-01-01T00:00:00Z"));
    scene_lead(&scene);
    assert_true(scene_is_deleting(&scene, "spot"));
    scene_close(&scene);
}

static void errors_of_the_queue_back_off_AWI_961(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "queue", false);
    fake_aws_error(scene.world->aws, SQS_RECEIVE_MESSAGE, 400, "QueueDoesNotExist", "gone");
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 5 * MINUTE);
    uint32_t calls = fake_aws_calls(scene.world->aws, SQS_RECEIVE_MESSAGE);
    assert_in_range(calls, 40, 100); // a call each 5.5 s; the second receiver rests
    scene_close(&scene);
}

static void queue_that_does_not_exist_AWI_959(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct scene scene;
        open_scene(&scene, "queue", upstream != 0);
        world_add(scene.world, POOL("{}"));
        fake_aws_error(scene.world->aws, SQS_GET_QUEUE_URL, 400, "QueueDoesNotExist", "gone");
        world_lead(scene.world);
        loop_run_for(scene.world->loop, 5 * MINUTE);
        assert_int_equal(world_events(scene.world, "InterruptionQueueMissing"), !upstream);
        scene_close(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spot_interruption_AWI_551_565_570_953),
        cmocka_unit_test(rebalance_is_an_event_alone_AWI_551),
        cmocka_unit_test(unknown_instances_wait_AWI_951),
        cmocka_unit_test(impaired_instances_AWI_560_583),
        cmocka_unit_test(machines_at_risk_drift_AWI_954),
        cmocka_unit_test(scheduled_events_AWI_955),
        cmocka_unit_test(far_health_events_AWI_955),
        cmocka_unit_test(impaired_root_volumes_AWI_958),
        cmocka_unit_test(missing_permission_is_tested_again_AWI_956),
        cmocka_unit_test(spot_requests_without_a_queue_AWI_959),
        cmocka_unit_test(errors_of_the_queue_back_off_AWI_961),
        cmocka_unit_test(queue_that_does_not_exist_AWI_959),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
