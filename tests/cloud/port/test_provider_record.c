// The record of the cluster's provider (LIF-2): content, publication, reading.
#include "cloud/port/provider_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/types/built_in_types.h"
#include "cloud/kwok/kwok_catalog.h"
#include "cloud/kwok/kwok_provider.h"
#include "cloud/port/record_settings.h"
#include "cloud/sim/sim_provider.h"
#include "kube/fake_transport.h"
#include "model/reading/settings_read.h"
#include "model/schema/encode.h"
#include "support/cmocka_all.h"

#define MADE       "'namespace': 'n', 'creationTimestamp': '2026-01-01T00:00:00Z'"
#define LABELS     "'labels': {'adze.dev/provider': 'sim'}"
#define COLLECTION "/api/v1/namespaces/adze-system/configmaps"

// A cloud with a scripted catalog.
struct fake_cloud {
    struct cloud cloud;
    const struct instance_type_catalog *own;
};
static const struct instance_type_catalog *own_catalog(struct cloud *cloud)
{
    return ((struct fake_cloud *)cloud)->own;
}
static const struct cloud_operations operations = {.own_catalog = own_catalog};

struct world {
    struct loop *loop;
    struct fake_transport *transport;
    struct kube_client *client;
    struct provider_publisher *publisher;
    json_t *stored; // the ConfigMap; NULL: there is none
    int status;     // of every answer, unless 0
    unsigned requests;
    bool learns;
    char *restored; // what the publisher found
};

static void restored(void *context, const char *learned)
{
    struct world *world = context;
    assert_null(world->restored); // once
    world->restored = memory_copy_string(learned);
}

// The API server's answers to the two allowed requests.
static void serve(void *context, struct kube_call *call)
{
    struct world *world = context;
    world->requests++;
    if (world->status != 0) {
        fake_refuse(call, world->status, world->status == 403 ? "Forbidden" : "", "no");
    } else if (call->verb == KUBE_PATCH) {
        assert_string_equal(call->path, COLLECTION "/adze-provider");
        assert_int_equal(call->patch_type, PATCH_MERGE);
        if (world->stored == NULL) {
            fake_refuse(call, 404, "NotFound", "not found");
            return;
        }
        json_object_update_recursive(world->stored, call->body);
        fake_answer(call, 200, json_incref(world->stored));
    } else {
        assert_int_equal(call->verb, KUBE_CREATE);
        assert_string_equal(call->path, COLLECTION);
        world->stored = json_deep_copy(call->body);
        json_object_set_new(json_object_get(world->stored, "metadata"), "creationTimestamp",
                            json_string("2026-01-01T00:00:00Z"));
        fake_answer(call, 201, json_incref(world->stored));
    }
}

static struct world *world_create(void)
{
    struct world *world = memory_allocate(sizeof *world);
    struct kube_client_options unlimited = {0};
    world->loop = loop_create_virtual(INT64_C(1767225600) * SECOND); // 2026-01-01
    world->transport = fake_transport_create(world->loop, serve, world);
    world->client = kube_client_create(world->loop, &world->transport->base, &unlimited);
    return world;
}

static void publish(struct world *world, const struct cloud_provider *provider,
                    const struct instance_type_catalog *own)
{
    struct fake_cloud fake = {{.operations = &operations, .provider = provider}, own};
    struct settings settings;
    struct error error = {0};
    settings_defaults(&settings);
    assert_true(settings_set(&settings, "NODE_COST", "0.07", &error));
    assert_true(settings_set(&settings, "METRICS_PORT", "0", &error));
    assert_true(settings_set(&settings, "PRICES", "/etc/prices", &error));
    provider_publisher_destroy(world->publisher);
    world->publisher = provider_publisher_create(
        &(struct provider_publisher_options){.loop = world->loop,
                                             .client = world->client,
                                             .namespace = "adze-system",
                                             .cloud = &fake.cloud,
                                             .settings = &settings,
                                             .restored = world->learns ? restored : NULL,
                                             .context = world});
    settings_free(&settings);
    loop_run_for(world->loop, SECOND);
}

static void world_destroy(struct world *world)
{
    provider_publisher_destroy(world->publisher);
    kube_client_destroy(world->client);
    loop_destroy(world->loop);
    json_decref(world->stored);
    free(world->restored);
    free(world);
}

static void decode(const json_t *config_map, struct provider_record *record)
{
    struct error error = {0};
    if (!provider_record_decode(config_map, record, &error))
        fail_msg("%s", error.message);
}

static void a_built_in_catalog_is_named_only(void **state)
{
    (void)state;
    struct world *world = world_create();
    struct provider_record record;
    publish(world, &sim_provider, NULL);
    assert_int_equal(world->requests, 2); // a patch that fails, then the creation
    assert_null(json_object_get(json_object_get(world->stored, "data"), "catalog"));
    decode(world->stored, &record);
    assert_string_equal(record.provider, "sim");
    assert_int_equal(record.source, TYPES_BUILT_IN);
    // What plans depend on, but for files of the controller's machine.
    struct settings settings = {.metrics_port = 1};
    record_settings_apply(record.settings, &settings);
    assert_true(settings.node_cost == 0.07 && settings.prices_file[0] == '\0');
    assert_int_equal(settings.metrics_port, 8080);
    record_settings_apply("{\"NODE_COST\": \"much\", \"LATER\": \"1\"}", &settings);
    assert_true(settings.node_cost == 0.02);
    record_settings_apply("no JSON", &settings);
    settings_free(&settings);
    assert_string_equal(record.namespace, "adze-system");
    assert_true(record.created == INT64_C(1767225600) * SECOND);
    assert_true(provider_record_serves(&record, "karpenter.kwok.sh", "KWOKNodeClass"));
    assert_true(provider_record_serves(&record, "karpenter.k8s.aws", "EC2NodeClass"));
    assert_false(provider_record_serves(&record, "karpenter.azure.com", "AKSNodeClass"));
    assert_false(provider_record_serves(&record, "karpenter.kwok", "KWOKNodeClass"));
    assert_false(provider_record_serves(&record, NULL, "KWOKNodeClass"));
    provider_record_free(&record);
    world_destroy(world);
}

static void a_catalog_of_its_own_is_published_and_taken_back(void **state)
{
    (void)state;
    struct world *world = world_create();
    struct provider_record record;
    const struct instance_type_catalog *own = kwok_catalog_generic();
    publish(world, &sim_provider, own);
    decode(world->stored, &record);
    assert_int_equal(record.source, TYPES_PUBLISHED);
    json_t *sent = object_encode((const struct object *)own);
    json_t *read = object_encode((const struct object *)record.catalog);
    assert_true(json_equal(sent, read)); // prices to the last digit
    json_decref(sent);
    json_decref(read);
    provider_record_free(&record);

    // The next controller has another name; every adze has its types.
    loop_run_for(world->loop, MINUTE);
    publish(world, &kwok_provider, NULL);
    assert_int_equal(world->requests, 3);
    assert_true(json_is_null(json_object_get(json_object_get(world->stored, "data"), "catalog")));
    decode(world->stored, &record);
    assert_string_equal(record.provider, "kwok");
    assert_int_equal(record.source, TYPES_BUILT_IN);
    assert_false(provider_record_serves(&record, "karpenter.k8s.aws", "EC2NodeClass"));
    provider_record_free(&record);
    object_release((const struct object *)own);
    world_destroy(world);
}

static void more_types_than_a_config_map_holds_are_not_sent(void **state)
{
    (void)state;
    struct world *world = world_create();
    struct provider_record record;
    struct error error = {0};
    const struct instance_type_catalog *own = ec2_catalog_create(NULL, &error);
    assert_non_null(own);
    publish(world, &sim_provider, own);
    decode(world->stored, &record);
    assert_int_equal(record.source, TYPES_TOO_LARGE);
    assert_null(record.catalog);
    provider_record_free(&record);
    object_release((const struct object *)own);
    world_destroy(world);
}

static void a_server_that_fails_is_asked_again_and_one_that_forbids_is_not(void **state)
{
    (void)state;
    struct world *world = world_create();
    world->status = 503;
    publish(world, &kwok_provider, NULL);
    unsigned asked = world->requests;
    loop_run_for(world->loop, 10 * SECOND);
    assert_int_equal(world->requests, asked);
    world->status = 403;
    loop_run_for(world->loop, 30 * SECOND);
    assert_int_equal(world->requests, asked + 1);
    loop_run_for(world->loop, HOUR);
    assert_int_equal(world->requests, asked + 1);
    world_destroy(world);
}

// SCH-507: what is learned outlives the controller, and plans of the live cluster count with it.
static void what_is_learned_is_kept_in_the_record(void **state)
{
    (void)state;
    struct world *world = world_create();
    struct provider_record record;
    world->learns = true;
    publish(world, &sim_provider, NULL);
    assert_null(json_object_get(json_object_get(world->stored, "data"), "learned"));
    // The last one counts, also of several while a write is under way.
    provider_publisher_learn(world->publisher, "{}");
    provider_publisher_learn(world->publisher, "[]");
    provider_publisher_learn(world->publisher,
                             "{\"EXPECTED_CPU_USE\": {\"value\": \"0.35\", \"more\": 1}}");
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->requests, 4);
    decode(world->stored, &record);
    struct settings settings = {.metrics_port = 1};
    record_settings_apply(record.settings, &settings);
    record_learned_apply(record.learned, &settings);
    assert_true(settings.expected_cpu_use == 0.35);
    struct text text = {0};
    settings_describe_learned(&settings, &text);
    assert_string_equal(text.data, "EXPECTED_CPU_USE 0.35, learned from metrics");
    text_free(&text);
    // A number that was set wins; what anybody may write into a ConfigMap is no number.
    record_settings_apply("{\"EXPECTED_CPU_USE\": \"0.6\"}", &settings);
    record_learned_apply(record.learned, &settings);
    assert_true(settings.expected_cpu_use == 0.6);
    record_settings_apply("{}", &settings);
    static const char *const odd[] = {"",
                                      "{",
                                      "[]",
                                      "{\"EXPECTED_CPU_USE\": \"0.35\"}",
                                      "{\"EXPECTED_CPU_USE\": {\"value\": \"7\"}}",
                                      "{\"NODE_COST\": {\"value\": \"7\"}}"};
    for (size_t i = 0; i < ARRAY_LENGTH(odd); i++)
        record_learned_apply(odd[i], &settings);
    record_learned_apply(NULL, &settings);
    assert_true(settings.expected_cpu_use == 0.5 && settings.node_cost == 0.02);
    settings_free(&settings);
    provider_record_free(&record);
    // The next controller is told at its first write; one that learns nothing takes it back.
    publish(world, &sim_provider, NULL);
    assert_non_null(strstr(world->restored, "0.35"));
    assert_non_null(json_object_get(json_object_get(world->stored, "data"), "learned"));
    world->learns = false;
    publish(world, &sim_provider, NULL);
    assert_true(json_is_null(json_object_get(json_object_get(world->stored, "data"), "learned")));
    // Where it may not write it tries no more.
    world->status = 403;
    world->learns = true;
    publish(world, &sim_provider, NULL);
    unsigned asked = world->requests;
    provider_publisher_learn(world->publisher, "{}");
    loop_run_for(world->loop, HOUR);
    assert_int_equal(world->requests, asked);
    world_destroy(world);
}

static void what_cannot_be_read_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *complaint;
    } table[] = {
        {"{}", "API server"},
        {"{'metadata': {'namespace': 'n', 'creationTimestamp': 'today'}}", "API server"},
        {"{'metadata': {" MADE "}}", "provider"},
        {"{'metadata': {" MADE ", " LABELS "}}", "node classes"},
        {"{'metadata': {" MADE ", " LABELS "}, 'data': {'nodeClasses': 'A.b', "
         "'instanceTypes': 'many'}}",
         "data.instanceTypes: \"many\""},
        {"{'metadata': {" MADE ", " LABELS "}, 'data': {'nodeClasses': 'A.b', "
         "'instanceTypes': 'published', 'catalog': '['}}",
         "data.catalog"},
        {"{'metadata': {" MADE ", " LABELS "}, 'data': {'nodeClasses': 'A.b', "
         "'instanceTypes': 'published', 'catalog': '{\\\"spec\\\": {\\\"instanceTypes\\\": 3}}'}}",
         "data.catalog"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
        char text[400];
        snprintf(text, sizeof text, "%s", table[i].text);
        for (char *at = text; *at != '\0'; at++)
            *at = *at == '\'' ? '"' : *at;
        json_t *config_map = json_loads(text, 0, NULL);
        assert_non_null(config_map);
        struct provider_record record;
        struct error error = {0};
        assert_false(provider_record_decode(config_map, &record, &error));
        assert_non_null(strstr(error.message, table[i].complaint));
        json_decref(config_map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_built_in_catalog_is_named_only),
        cmocka_unit_test(a_catalog_of_its_own_is_published_and_taken_back),
        cmocka_unit_test(more_types_than_a_config_map_holds_are_not_sent),
        cmocka_unit_test(a_server_that_fails_is_asked_again_and_one_that_forbids_is_not),
        cmocka_unit_test(what_is_learned_is_kept_in_the_record),
        cmocka_unit_test(what_cannot_be_read_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
