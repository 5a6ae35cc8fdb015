// The watcher of a node (AWI-959): answers of the metadata service become annotations of the Node.
#include "cloud/aws/provider_world.h"
#include "cloud/aws/watcher/fake_metadata.h"

#include "cloud/aws/watcher/node_watcher.h"

#define INTERRUPTION "{\"action\": \"terminate\", \"time\": \"2026-01-01T00:02:00Z\"}"
#define REBALANCE    "{\"noticeTime\": \"2026-01-01T00:00:05Z\"}"
#define EVENT(date, state, description)                                                            \
    "{\"NotBefore\": \"" date "\", \"NotAfter\": \"" date "\", \"Code\": \"system-reboot\", "      \
    "\"Description\": \"" description "\", \"EventId\": \"instance-event-0\", \"State\": \"" state \
    "\"}"

struct scene {
    struct loop *loop;
    struct store *store;
    struct api_server *api;
    struct kube_client *kube;
    struct fake_metadata metadata;
    struct node_watcher *watcher;
    uint32_t patches;
    bool forbidden;
    struct text lines;
};

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct scene *scene = context;
    assert_int_equal(request->verb, KUBE_PATCH); // the only permission of the ServiceAccount
    assert_string_equal(request->path, "/api/v1/nodes/node");
    scene->patches++;
    if (!scene->forbidden)
        return false;
    response->status = 403;
    error_set(&response->error, ERROR_FORBIDDEN, "forbidden");
    return true;
}

static void keep_line(void *context, const char *line)
{
    struct scene *scene = context;
    text_add(&scene->lines, line);
    text_add_char(&scene->lines, '\n');
}

static const struct store_resource *nodes_of(const struct scene *scene)
{
    return store_resource_of_kind(scene->store, "v1", "Node");
}

static const char *annotation(const struct scene *scene, enum node_announcement what)
{
    const json_t *node = store_get(scene->store, nodes_of(scene), NULL, "node");
    return json_string_value(
        json_object_get(json_object_get(json_object_get(node, "metadata"), "annotations"),
                        node_announcement_key(what)));
}

static struct scene *open_scene(void)
{
    struct scene *scene = memory_allocate(sizeof *scene);
    struct error error = {0};
    struct log_options log = {.level = LOG_INFO, .sink = keep_line, .sink_context = scene};
    assert_true(log_configure(&log, NULL));
    scene->loop = loop_create_virtual(WORLD_START_NS);
    scene->store = store_create(scene->loop, 1);
    resources_register(scene->store);
    scene->api = api_server_create(scene->loop, scene->store);
    struct sim_transport_options transport = {.seed = 1,
                                              .latency_min_ns = MILLISECOND,
                                              .latency_max_ns = 2 * MILLISECOND,
                                              .fault = on_request,
                                              .fault_context = scene};
    scene->kube =
        kube_client_create(scene->loop, sim_transport_create(scene->loop, scene->api, &transport),
                           &(struct kube_client_options){0});
    json_t *node = world_json("{'apiVersion':'v1','kind':'Node','metadata':{'name':'node',"
                              "'annotations':{'mine':'stays'}}}");
    assert_non_null(store_add(scene->store, nodes_of(scene), NULL, node, &error));
    json_decref(node);
    fake_metadata_init(&scene->metadata, scene->loop);
    scene->watcher =
        node_watcher_create(&(struct node_watcher_options){.loop = scene->loop,
                                                           .http = &scene->metadata.http,
                                                           .kube = scene->kube,
                                                           .node_name = "node",
                                                           .interval_ns = 5 * SECOND},
                            &error);
    assert_non_null(scene->watcher);
    return scene;
}

static void close_scene(struct scene *scene)
{
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    assert_false(scene->metadata.without_token);
    node_watcher_destroy(scene->watcher);
    kube_client_destroy(scene->kube);
    api_server_destroy(scene->api);
    store_destroy(scene->store);
    loop_destroy(scene->loop);
    text_free(&scene->lines);
    free(scene);
}

static void run(struct scene *scene, int seconds)
{
    loop_run_for(scene->loop, seconds * SECOND);
}

static uint32_t lines_with(const struct scene *scene, const char *part)
{
    uint32_t count = 0;
    for (const char *at = text_or_empty(scene->lines.data); (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

// --- the watcher ---------------------------------------------------------------------------------

static void announcements_become_annotations_AWI_959(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    run(scene, 20);
    assert_int_equal(scene->patches, 1); // it removes what an earlier instance may have left
    for (int i = 0; i < NODE_ANNOUNCEMENTS_COUNT; i++)
        assert_null(annotation(scene, (enum node_announcement)i));
    scene->metadata.answers[NODE_REBALANCE_RECOMMENDED] = REBALANCE;
    scene->metadata.answers[NODE_MAINTENANCE] =
        "[" EVENT("21 Jan 2026 09:00:43 GMT", "active", "The instance is rebooted") "]";
    run(scene, 6);
    assert_string_equal(annotation(scene, NODE_REBALANCE_RECOMMENDED), "2026-01-01T00:00:05Z");
    assert_string_equal(annotation(scene, NODE_MAINTENANCE), "2026-01-21T09:00:43Z");
    assert_null(annotation(scene, NODE_SPOT_INTERRUPTION));
    scene->metadata.answers[NODE_SPOT_INTERRUPTION] = INTERRUPTION;
    scene->metadata.answers[NODE_MAINTENANCE] = "[]"; // cancelled
    run(scene, 6);
    assert_string_equal(annotation(scene, NODE_SPOT_INTERRUPTION), "2026-01-01T00:02:00Z");
    assert_null(annotation(scene, NODE_MAINTENANCE));
    run(scene, 60);
    assert_int_equal(scene->patches, 3); // only when something changes
    const json_t *node = store_get(scene->store, nodes_of(scene), NULL, "node");
    assert_string_equal(
        json_string_value(json_object_get(
            json_object_get(json_object_get(node, "metadata"), "annotations"), "mine")),
        "stays");
    close_scene(scene);
}

// A Node that is registered anew has lost it. The announcement itself is told once.
static void what_stands_is_written_again_AWI_959(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    struct error error = {0};
    scene->forbidden = true;
    scene->metadata.answers[NODE_SPOT_INTERRUPTION] = INTERRUPTION;
    run(scene, 60);
    scene->forbidden = false;
    run(scene, 10);
    assert_non_null(annotation(scene, NODE_SPOT_INTERRUPTION));
    assert_int_equal(lines_with(scene, "EC2 announces an interruption"), 1);
    uint32_t patches = scene->patches;
    json_t *node = json_deep_copy(store_get(scene->store, nodes_of(scene), NULL, "node"));
    json_object_del(json_object_get(node, "metadata"), "annotations");
    const struct store_target target = {nodes_of(scene), NULL, "node"};
    assert_non_null(store_replace(scene->store, &target, node, &error));
    json_decref(node);
    assert_null(annotation(scene, NODE_SPOT_INTERRUPTION));
    run(scene, 310);
    assert_non_null(annotation(scene, NODE_SPOT_INTERRUPTION));
    assert_in_range(scene->patches - patches, 1, 2);
    assert_int_equal(lines_with(scene, "EC2 announces an interruption"), 1);
    close_scene(scene);
}

static void silence_of_the_service_changes_nothing_AWI_959(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    scene->metadata.answers[NODE_SPOT_INTERRUPTION] = INTERRUPTION;
    run(scene, 6);
    assert_non_null(annotation(scene, NODE_SPOT_INTERRUPTION));
    scene->metadata.silent = true;
    run(scene, 120);
    assert_non_null(annotation(scene, NODE_SPOT_INTERRUPTION));
    assert_int_equal(lines_with(scene, "announcements of EC2 cannot be read"), 1);
    scene->metadata.silent = false;
    scene->metadata.answers[NODE_SPOT_INTERRUPTION] = "<html>";
    run(scene, 60);
    assert_non_null(annotation(scene, NODE_SPOT_INTERRUPTION));
    assert_int_equal(lines_with(scene, "announcements of EC2 cannot be read"), 1);
    scene->metadata.answers[NODE_SPOT_INTERRUPTION] = NULL;
    run(scene, 20);
    assert_null(annotation(scene, NODE_SPOT_INTERRUPTION));
    close_scene(scene);
}

static void missing_permission_is_told_once_AWI_959(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    scene->forbidden = true;
    run(scene, 60);
    assert_true(scene->patches > 5);
    assert_int_equal(lines_with(scene, "the Node cannot be annotated"), 1);
    assert_int_equal(lines_with(scene, "needs the permission to patch Nodes"), 1);
    scene->forbidden = false;
    scene->metadata.answers[NODE_SPOT_INTERRUPTION] = INTERRUPTION;
    run(scene, 10);
    assert_non_null(annotation(scene, NODE_SPOT_INTERRUPTION));
    close_scene(scene);
}

// --- answers -------------------------------------------------------------------------------------

static int64_t read_answer(enum node_announcement what, const char *body)
{
    struct error error = {0};
    int64_t instant;
    if (metadata_announcement_read(what, body, strlen(body), &instant, &error))
        return instant / SECOND;
    assert_int_equal(error.kind, ERROR_INVALID);
    return -1;
}

static void answers_are_read_AWI_959_955(void **state)
{
    (void)state;
    const int64_t start = WORLD_START_NS / SECOND;
    assert_int_equal(read_answer(NODE_SPOT_INTERRUPTION, INTERRUPTION), start + 120);
    assert_int_equal(read_answer(NODE_SPOT_INTERRUPTION,
                                 "{\"action\": \"hibernate\", \"time\": \"2026-01-01T00:00:01Z\"}"),
                     start + 1);
    assert_int_equal(read_answer(NODE_REBALANCE_RECOMMENDED, REBALANCE), start + 5);
    assert_int_equal(read_answer(NODE_MAINTENANCE, "[]"), 0);
    assert_int_equal(read_answer(NODE_MAINTENANCE,
                                 "[" EVENT("03 Jan 2026 00:00:00 GMT", "active", "x") "," EVENT(
                                     "2 Jan 2026 00:00:00 GMT", "active", "x") "]"),
                     start + 86400);
    assert_int_equal(read_answer(NODE_MAINTENANCE,
                                 "[" EVENT("03 Jan 2026 00:00:00 GMT", "completed", "x") "," EVENT(
                                     "2 Jan 2026 00:00:00 GMT", "active", "[Canceled] x") "]"),
                     0);
}

static void faulty_answers_are_refused_AWI_959(void **state)
{
    static const struct {
        enum node_announcement what;
        const char *body;
    } faulty[] = {
        {NODE_SPOT_INTERRUPTION, ""},
        {NODE_SPOT_INTERRUPTION, "null"},
        {NODE_SPOT_INTERRUPTION, "[1, 2]"},
        {NODE_SPOT_INTERRUPTION, "{\"action\": \"terminate\"}"},
        {NODE_SPOT_INTERRUPTION, "{\"action\": \"dance\", \"time\": \"2026-01-01T00:00:01Z\"}"},
        {NODE_SPOT_INTERRUPTION, "{\"action\": \"stop\", \"time\": \"soon\"}"},
        {NODE_SPOT_INTERRUPTION, "{\"action\": \"stop\", \"time\": \"1900-01-01T00:00:00Z\"}"},
        {NODE_REBALANCE_RECOMMENDED, "{\"noticeTime\": 7}"},
        {NODE_REBALANCE_RECOMMENDED, "[[[[[[[["},
        {NODE_MAINTENANCE, "{}"},
        {NODE_MAINTENANCE, "[7]"},
        {NODE_MAINTENANCE, "[{}]"},
        {NODE_MAINTENANCE, "[{\"NotBefore\": \"21 Jan 2026 09:00:43\"}]"},
        {NODE_MAINTENANCE, "[{\"NotBefore\": \"99 Jan 2026 09:00:43 GMT\"}]"},
        {NODE_MAINTENANCE, "[{\"NotBefore\": \"21 Jan 9999 09:00:43 GMT\"}]"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(faulty); i++)
        assert_int_equal(read_answer(faulty[i].what, faulty[i].body), -1);
    struct text many = {0};
    text_add(&many, "[");
    for (int i = 0; i <= METADATA_EVENTS_MAX; i++)
        text_format(&many, "%s{\"State\": \"completed\"}", i > 0 ? "," : "");
    text_add(&many, "]");
    assert_int_equal(read_answer(NODE_MAINTENANCE, many.data), -1);
    text_free(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(announcements_become_annotations_AWI_959),
        cmocka_unit_test(what_stands_is_written_again_AWI_959),
        cmocka_unit_test(silence_of_the_service_changes_nothing_AWI_959),
        cmocka_unit_test(missing_permission_is_told_once_AWI_959),
        cmocka_unit_test(answers_are_read_AWI_959_955),
        cmocka_unit_test(faulty_answers_are_refused_AWI_959),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
