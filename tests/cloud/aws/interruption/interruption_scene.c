#include "cloud/aws/interruption/interruption_scene.h"

static void keep_line(void *context, const char *line)
{
    text_format(&((struct scene *)context)->logged, "%s\n", line);
}

static void script_aws(struct fake_aws *aws)
{
    fake_aws_reply(aws, SQS_GET_QUEUE_URL,
                   json_pack("{s:s}", "QueueUrl", "https://sqs.us-west-2.amazonaws.com/1/queue"));
    fake_aws_reply(aws, SQS_RECEIVE_MESSAGE, json_object());
    fake_aws_reply(aws, SQS_DELETE_MESSAGE_BATCH, json_object());
    fake_aws_reply(aws, SQS_DELETE_MESSAGE, json_object());
    fake_aws_reply(aws, EC2_DESCRIBE_INSTANCE_STATUS, json_object());
    fake_aws_reply(aws, EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS, json_object());
    fake_aws_reply(aws, EC2_DESCRIBE_INSTANCES, json_object());
    fake_aws_latency(aws, 500 * MILLISECOND);
}

void scene_open(struct scene *scene, const char *queue, bool upstream, struct cloud *cloud)
{
    *scene = (struct scene){.world = world_open()};
    struct provider_world *world = scene->world;
    struct log_options log = {.level = LOG_DEBUG, .sink = keep_line, .sink_context = scene};
    assert_true(log_configure(&log, NULL));
    text_add(&scene->logged, "");
    world->settings.interruption_queue = queue;
    world->settings.compatibility_upstream = upstream;
    world_begin(world);
    metrics_register(world->metrics, &(struct metric_options){
                                         .name = "karpenter_nodeclaims_disrupted_total",
                                         .help = "NodeClaims deleted by a controller.",
                                         .type = METRIC_COUNTER,
                                         .labels = {"reason", "nodepool", "capacity_type",
                                                    "consolidation_policy", "termination_mode"}});
    scene->environment = (struct interruption_environment){
        .client = world->client,
        .unavailable = unavailable_offerings_create(
            &(struct unavailable_options){.loop = world->loop, .upstream = upstream}),
        .reservations = reservation_counts_create(world->loop),
        .cloud = cloud};
    scene->interruption = interruption_create(&world->manager, &scene->environment);
    script_aws(world->aws);
}

void scene_close(struct scene *scene)
{
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    interruption_destroy(scene->interruption);
    unavailable_offerings_destroy(scene->environment.unavailable);
    reservation_counts_destroy(scene->environment.reservations);
    world_close(scene->world);
    text_free(&scene->logged);
}

void scene_lead(struct scene *scene)
{
    world_lead(scene->world);
    loop_run_for(scene->world->loop, 5 * SECOND);
}

void scene_add_bystanders(struct scene *scene)
{
    for (int i = 0; i < 8; i++) {
        char text[1000];
        snprintf(text, sizeof text, world_claim_text("more-%d", "i-1%d", "", ""), i, i);
        world_add(scene->world, text);
    }
}

bool scene_is_deleting(const struct scene *scene, const char *claim)
{
    const struct object *object = world_claim(scene->world, claim);
    return object == NULL || object_is_deleting(object);
}

void scene_send(struct scene *scene, const char *body)
{
    static int count;
    char id[20];
    snprintf(id, sizeof id, "m-%d", ++count);
    fake_aws_reply_once(scene->world->aws, SQS_RECEIVE_MESSAGE,
                        json_pack("{s:[{s:s, s:s, s:s}]}", "Messages", "MessageId", id,
                                  "ReceiptHandle", "receipt", "Body", body));
}

void scene_send_event(struct scene *scene, const char *detail_type, const char *instance,
                      const char *more)
{
    struct text body = {0};
    text_format(&body,
                "{\"version\":\"0\",\"source\":\"aws.ec2\",\"detail-type\":\"%s\","
                "\"time\":\"2026-01-01T00:00:00Z\",\"detail\":{\"instance-id\":\"%s\"%s}}",
                detail_type, instance, more);
    scene_send(scene, body.data);
    text_free(&body);
}
