// The interruption queue and the polling of status checks by their rules (AWI-501 to 587, 710 to
// 713, 957, 960), on virtual time.
#include "cloud/aws/interruption/interruption_scene.h"
#include "model/schema/karpenter.h"
#include "sim/store/store_remove.h"

static void send_state(struct scene *scene, const char *instance, const char *state)
{
    char more[60];
    snprintf(more, sizeof more, ",\"state\":\"%s\"", state);
    scene_send_event(scene, "EC2 Instance State-change Notification", instance, more);
}

static int counted(struct scene *scene, const char *name, const char *label)
{
    struct metric *metric = metrics_find(scene->world->metrics, name);
    assert_non_null(metric);
    return (int)(label != NULL ? metric_read(metric, label) : metric_read(metric));
}

static bool has_logged(const struct scene *scene, const char *text)
{
    return strstr(scene->logged.data, text) != NULL;
}

// --- the queue -----------------------------------------------------------------------------------

static void the_queue_is_polled_AWI_501_502(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "queue", true, NULL);
    scene_lead(&scene);
    const json_t *asked = fake_aws_last(scene.world->aws, SQS_RECEIVE_MESSAGE);
    json_t *wanted =
        world_json("{'QueueUrl':'https://sqs.us-west-2.amazonaws.com/1/queue',"
                   "'MaxNumberOfMessages':10,'VisibilityTimeout':20,'WaitTimeSeconds':20,"
                   "'AttributeNames':['SentTimestamp'],'MessageAttributeNames':['All']}");
    assert_true(json_equal(wanted, asked));
    json_decref(wanted);
    assert_true(fake_aws_calls(scene.world->aws, SQS_RECEIVE_MESSAGE) > 5); // at once again
    assert_int_equal(fake_aws_calls(scene.world->aws, SQS_GET_QUEUE_URL), 1);
    assert_true(has_logged(&scene, "watching interruption queue"));
    assert_true(has_logged(&scene, "\"queue\":\"queue\""));
    scene.logged.data[scene.logged.length = 0] = '\0';
    loop_run_for(scene.world->loop, 10 * MINUTE);
    assert_false(has_logged(&scene, "watching interruption queue")); // once in 24 h
    fake_aws_error(scene.world->aws, SQS_RECEIVE_MESSAGE, 400, "QueueDoesNotExist", "gone");
    loop_run_for(scene.world->loop, MINUTE);
    assert_true(has_logged(&scene, "getting messages from queue"));
    scene_close(&scene);
}

static void messages_are_counted_AWI_503_504_710_to_712(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "queue", true, NULL);
    send_state(&scene, "i-0abc", "running");
    scene_send(&scene, "spot!");
    scene_lead(&scene);
    assert_int_equal(counted(&scene, "karpenter_interruption_received_messages_total", "no_op"),
                     1); // AWI-710
    assert_int_equal(counted(&scene, "karpenter_interruption_deleted_messages_total", NULL),
                     2); // AWI-711
    assert_int_equal(counted(&scene, "karpenter_interruption_message_queue_duration_seconds", NULL),
                     1); // AWI-712
    assert_true(has_logged(&scene, "failed parsing interruption message"));
    const json_t *deleted = fake_aws_last(scene.world->aws, SQS_DELETE_MESSAGE);
    if (deleted != NULL) {
        assert_string_equal(json_string_value(json_object_get(deleted, "ReceiptHandle")),
                            "receipt");
        assert_string_equal(json_string_value(json_object_get(deleted, "QueueUrl")),
                            "https://sqs.us-west-2.amazonaws.com/1/queue");
    }
    assert_int_equal(fake_aws_calls(scene.world->aws, SQS_DELETE_MESSAGE) +
                         fake_aws_calls(scene.world->aws, SQS_DELETE_MESSAGE_BATCH),
                     deleted != NULL ? 2 : 1);
    scene_close(&scene);
}

static void deletion_is_an_ordinary_one_AWI_550_552(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "queue", true, NULL);
    world_add(scene.world,
              world_claim_text("one", "i-0abc", ",'karpenter.sh/capacity-type':'spot'", ""));
    world_add(scene.world, world_claim_text("two", "i-0abc", "", "")); // the same instance
    world_add(scene.world, world_claim_text("other", "i-0def", "", ""));
    world_add(scene.world, world_node_text("node", "i-0abc", ""));
    send_state(&scene, "i-0abc", "stopping");
    scene_lead(&scene);
    assert_true(scene_is_deleting(&scene, "one"));
    assert_true(scene_is_deleting(&scene, "two"));
    assert_false(scene_is_deleting(&scene, "other"));
    const struct object *claim = world_claim(scene.world, "one");
    assert_null(object_annotation(claim, ANNOTATION_TERMINATION_TIMESTAMP)); // a graceful drain
    assert_true(has_logged(&scene, "initiating delete from interruption message"));
    assert_true(has_logged(&scene, "\"messageKind\":\"instance_stopped\""));
    assert_true(has_logged(&scene, "\"action\":\"CordonAndDrain\""));
    struct metric *disrupted =
        metrics_find(scene.world->metrics, "karpenter_nodeclaims_disrupted_total");
    assert_int_equal(
        (int)metric_read(disrupted, "instance_stopped", "default", "spot", "", "graceful"), 1);
    assert_int_equal(world_events(scene.world, "TerminatingOnInterruption"), 3);
    scene_close(&scene);
}

// A state change that the controller's own termination has caused.
static void own_terminations_AWI_571(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "queue", true, NULL);
    world_add(scene.world, world_claim_text("ending", "i-0abc", "", ""));
    struct error error = {0};
    json_t *kind = world_json("{'apiVersion':'karpenter.sh/v1','kind':'NodeClaim'}");
    assert_non_null(store_remove(scene.world->store, world_resource(scene.world, kind), NULL,
                                 "ending", &(struct store_delete_options){0}, &error));
    json_decref(kind);
    send_state(&scene, "i-0abc", "shutting-down");
    scene_lead(&scene);
    assert_int_equal(world_events(scene.world, "InstanceTerminating"), 1);
    assert_int_equal(world_events(scene.world, "TerminatingOnInterruption"), 0);
    assert_false(has_logged(&scene, "initiating delete"));
    scene_close(&scene);
}

static void pools_of_interrupted_claims_AWI_565_960(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct scene scene;
        struct unavailable_pool pool = {"m5.large", "us-west-2a", "spot", NULL, NULL};
        struct unavailable_pool scoped = {"c5.large", "us-west-2a", "spot", "pg-1", NULL};
        struct unavailable_pool unscoped = {"c5.large", "us-west-2a", "spot", NULL, NULL};
        scene_open(&scene, "queue", upstream != 0, NULL);
        world_add(scene.world, world_claim_text("od", "i-0abc",
                                                ",'karpenter.sh/capacity-type':'on-demand',"
                                                "'topology.kubernetes.io/zone':'us-west-2a',"
                                                "'node.kubernetes.io/instance-type':'m5.large'",
                                                ""));
        world_add(scene.world, world_claim_text("grouped", "i-0def",
                                                ",'karpenter.sh/capacity-type':'spot',"
                                                "'karpenter.k8s.aws/placement-group-id':'pg-1',"
                                                "'topology.kubernetes.io/zone':'us-west-2a',"
                                                "'node.kubernetes.io/instance-type':'c5.large'",
                                                ""));
        scene_send_event(&scene, "EC2 Spot Instance Interruption Warning", "i-0abc", "");
        scene_send_event(&scene, "EC2 Spot Instance Interruption Warning", "i-0def", "");
        scene_lead(&scene);
        const struct unavailable_offerings *unavailable = scene.environment.unavailable;
        assert_int_equal(unavailable_has_pool(unavailable, &pool), upstream != 0);
        assert_int_equal(unavailable_has_pool(unavailable, &scoped), upstream == 0);
        assert_int_equal(unavailable_has_pool(unavailable, &unscoped), upstream != 0);
        scene_close(&scene);
    }
}

// --- polling -------------------------------------------------------------------------------------

static json_t *impaired(const char *more)
{
    struct text text = {0};
    text_format(&text,
                "{'InstanceStatuses':[{'InstanceId':'i-0abc','SystemStatus':{'Status':'impaired',"
                "'Details':[{'Name':'reachability','Status':'failed','ImpairedSince':"
                "'2025-12-31T23:00:00Z'}]}%s}]}",
                more);
    json_t *reply = world_json(text.data);
    text_free(&text);
    return reply;
}

static void three_questions_each_minute_AWI_580_581(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "", true, NULL); // without a queue
    scene_lead(&scene);
    struct fake_aws *aws = scene.world->aws;
    assert_int_equal(fake_aws_calls(aws, EC2_DESCRIBE_INSTANCE_STATUS), 3);
    static const char *const filters[] = {
        "{'Filters':[{'Name':'instance-status.status','Values':['impaired']}]}",
        "{'Filters':[{'Name':'system-status.status','Values':['impaired']}]}",
        "{'Filters':[{'Name':'event.code','Values':['instance-reboot','system-reboot',"
        "'system-maintenance','instance-retirement','instance-stop']}]}"};
    for (uint32_t i = 0; i < ARRAY_LENGTH(filters); i++) {
        json_t *wanted = world_json(filters[i]);
        bool found = false;
        for (uint32_t k = 0; k < 3; k++)
            found = found ||
                    json_equal(wanted, fake_aws_parameters(aws, EC2_DESCRIBE_INSTANCE_STATUS, k));
        assert_true(found);
        json_decref(wanted);
    }
    loop_run_for(scene.world->loop, MINUTE);
    assert_int_equal(fake_aws_calls(aws, EC2_DESCRIBE_INSTANCE_STATUS), 6);
    fake_aws_error(aws, EC2_DESCRIBE_INSTANCE_STATUS, 400, "InvalidParameterValue", "no");
    loop_run_for(scene.world->loop, MINUTE);
    assert_true(has_logged(&scene, "getting instance statuses"));
    scene_close(&scene);
}

static void a_relapse_counts_again_AWI_584_586_713(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "", true, NULL);
    world_add(scene.world, world_claim_text("sick", "i-0abc", "", ""));
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS, impaired(""));
    scene_lead(&scene);
    const char *name = "karpenter_interruption_instance_status_unhealthy_total";
    assert_true(scene_is_deleting(&scene, "sick")); // the only one: there is no breaker
    assert_int_equal(counted(&scene, name, "SystemStatus"), 1);
    assert_true(has_logged(&scene, "detected unhealthy instance owned by cluster"));
    assert_true(has_logged(&scene, "\"instanceID\":\"i-0abc\""));
    loop_run_for(scene.world->loop, 2 * MINUTE);
    assert_int_equal(counted(&scene, name, "SystemStatus"), 1);
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS, json_object());
    loop_run_for(scene.world->loop, 2 * MINUTE);
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS, impaired(""));
    loop_run_for(scene.world->loop, 2 * MINUTE);
    assert_int_equal(counted(&scene, name, "SystemStatus"), 2);
    scene_close(&scene);
}

static void polling_stops_without_permission_AWI_585(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "", true, NULL);
    fake_aws_error(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS, 403, "UnauthorizedOperation",
                   "no");
    scene_lead(&scene);
    uint32_t calls = fake_aws_calls(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS);
    assert_true(has_logged(&scene, "ec2:DescribeInstanceStatus permission is not allowed, update "
                                   "the IAM policy and restart the Karpenter deployment"));
    loop_run_for(scene.world->loop, 2 * HOUR);
    assert_int_equal(fake_aws_calls(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS), calls);
    scene_close(&scene);
}

static void events_alone_are_not_forceful_AWI_587(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        struct scene scene;
        scene_open(&scene, "", true, NULL);
        world_add(scene.world, world_claim_text("sick", "i-0abc", "", ""));
        json_t *event = world_json("{'InstanceStatuses':[{'InstanceId':'i-0abc','Events':["
                                   "{'Code':'system-reboot'}]}]}");
        fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS,
                       both ? impaired(",'Events':[{'Code':'system-reboot'}]") : event);
        if (both)
            json_decref(event);
        scene_lead(&scene);
        assert_true(scene_is_deleting(&scene, "sick"));
        const char *deadline =
            object_annotation(world_claim(scene.world, "sick"), ANNOTATION_TERMINATION_TIMESTAMP);
        assert_int_equal(deadline != NULL, both);
        scene_close(&scene);
    }
}

// A NodeClaim that drains until a far deadline.
static void the_earlier_deadline_counts_AWI_957(void **state)
{
    (void)state;
    static const char *const far = "2026-01-02T00:00:00Z";
    for (int upstream = 0; upstream < 2; upstream++) {
        struct scene scene;
        scene_open(&scene, "", upstream != 0, NULL);
        scene_add_bystanders(&scene);
        json_t *claim = world_json(world_claim_text("sick", "i-0abc", "", ""));
        json_object_set_new(json_object_get(claim, "metadata"), "annotations",
                            json_pack("{s:s}", ANNOTATION_TERMINATION_TIMESTAMP, far));
        char *text = json_dumps(claim, JSON_COMPACT);
        world_add(scene.world, text);
        free(text);
        json_decref(claim);
        fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCE_STATUS, impaired(""));
        scene_lead(&scene);
        const char *deadline =
            object_annotation(world_claim(scene.world, "sick"), ANNOTATION_TERMINATION_TIMESTAMP);
        assert_int_equal(text_equal(deadline, far), upstream != 0);
        scene_close(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_is_polled_AWI_501_502),
        cmocka_unit_test(messages_are_counted_AWI_503_504_710_to_712),
        cmocka_unit_test(deletion_is_an_ordinary_one_AWI_550_552),
        cmocka_unit_test(own_terminations_AWI_571),
        cmocka_unit_test(pools_of_interrupted_claims_AWI_565_960),
        cmocka_unit_test(three_questions_each_minute_AWI_580_581),
        cmocka_unit_test(a_relapse_counts_again_AWI_584_586_713),
        cmocka_unit_test(polling_stops_without_permission_AWI_585),
        cmocka_unit_test(events_alone_are_not_forceful_AWI_587),
        cmocka_unit_test(the_earlier_deadline_counts_AWI_957),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
