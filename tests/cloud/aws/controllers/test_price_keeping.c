// The last known prices, across restarts: AWI-916.
#include "cloud/aws/provider_world.h"

#include "cloud/aws/controllers/price_keeping.h"
#include "cloud/aws/types/kept_prices.h"

#define FIRST_UPDATE_TAKES (6 * MINUTE)

struct scene {
    struct provider_world *world;
    struct cloud cloud;
    struct aws_controllers_environment environment;
    struct price_keeping *keeping;
};

static void open_scene(struct scene *scene, bool upstream)
{
    *scene = (struct scene){.world = world_open()};
    scene->world->settings.compatibility_upstream = upstream;
    scene->environment = (struct aws_controllers_environment){
        .client = scene->world->client,
        .prices = ec2_prices_create(&(struct ec2_prices_options){
            .loop = scene->world->loop, .region = "us-west-2", .upstream = upstream}),
        .cloud = &scene->cloud};
    world_begin(scene->world);
}

static void start(struct scene *scene)
{
    scene->keeping = price_keeping_create(&scene->world->manager, &scene->environment);
    world_lead(scene->world);
    loop_run_for(scene->world->loop, 5 * SECOND);
}

static void close_scene(struct scene *scene)
{
    price_keeping_destroy(scene->keeping);
    ec2_prices_destroy(scene->environment.prices);
    world_close(scene->world);
}

static void no_end(void *context, const struct error *error)
{
    (void)context;
    assert_int_equal(error->kind, ERROR_NONE);
}

// AWS tells this spot price of m5.large.
static void update(struct scene *scene, const char *price)
{
    fake_aws_reply(scene->world->aws, EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                   json_pack("{s:[{s:s, s:s, s:s, s:s}]}", "SpotPriceHistory", "InstanceType",
                             "m5.large", "AvailabilityZone", "us-west-2a", "SpotPrice", price,
                             "Timestamp", "2026-01-01T00:00:00Z"));
    ec2_prices_update_spot(scene->environment.prices, scene->world->client, no_end, NULL);
    loop_run_for(scene->world->loop, 5 * SECOND);
    price_keeping_updated(scene->keeping);
}

// The spot price that is kept; 0: nothing is.
static double kept_price(struct scene *scene)
{
    json_t *path =
        json_pack("{s:s, s:s, s:{}}", "apiVersion", "v1", "kind", "ConfigMap", "metadata");
    const json_t *object = store_get(scene->world->store, world_resource(scene->world, path),
                                     "kube-system", LAST_PRICES_NAME);
    json_decref(path);
    const char *text =
        json_string_value(json_object_get(json_object_get(object, "data"), "prices"));
    json_t *value = text != NULL ? json_loads(text, 0, NULL) : NULL;
    double price = 0;
    if (value != NULL)
        assert_int_equal(
            json_unpack(value, "{s:{s:{s:f}}}", "spot", "m5.large", "us-west-2a", &price), 0);
    json_decref(value);
    return price;
}

static int64_t spot(struct scene *scene)
{
    int64_t price;
    return ec2_price_spot(scene->environment.prices, "m5.large", "us-west-2a", &price) ? price : -1;
}

// Soon for the first time, then once an hour at most.
static void prices_are_written_rarely_AWI_916(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, false);
    start(&scene);
    assert_true(kept_price(&scene) == 0);
    update(&scene, "0.03");
    loop_run_for(scene.world->loop, FIRST_UPDATE_TAKES);
    assert_true(kept_price(&scene) == 0.03);
    update(&scene, "0.04");
    loop_run_for(scene.world->loop, 10 * MINUTE);
    update(&scene, "0.05");
    loop_run_for(scene.world->loop, 10 * MINUTE);
    assert_true(kept_price(&scene) == 0.03);
    loop_run_for(scene.world->loop, 45 * MINUTE);
    assert_true(kept_price(&scene) == 0.05);
    close_scene(&scene);
}

static void add_kept(struct scene *scene, double price)
{
    struct error error = {0};
    json_t *value = json_pack("{s:s, s:{s:{s:f}}}", "region", "us-west-2", "spot", "m5.large",
                              "us-west-2a", price);
    char *text = json_dumps(value, JSON_COMPACT);
    json_t *object = json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s}}", "apiVersion", "v1", "kind",
                               "ConfigMap", "metadata", "name", LAST_PRICES_NAME, "namespace",
                               "kube-system", "data", "prices", text);
    assert_non_null(store_add(scene->world->store, world_resource(scene->world, object),
                              "kube-system", object, &error));
    free(text);
    json_decref(object);
    json_decref(value);
}

// Unless AWS was faster.
static void a_start_reads_them_AWI_916(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, false);
    add_kept(&scene, 0.02);
    start(&scene);
    assert_int_equal(spot(&scene), 20000000);
    close_scene(&scene);

    open_scene(&scene, false);
    add_kept(&scene, 0.02);
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                   json_pack("{s:[{s:s, s:s, s:s, s:s}]}", "SpotPriceHistory", "InstanceType",
                             "m5.large", "AvailabilityZone", "us-west-2a", "SpotPrice", "0.07",
                             "Timestamp", "2026-01-01T00:00:00Z"));
    ec2_prices_update_spot(scene.environment.prices, scene.world->client, no_end, NULL);
    loop_run_for(scene.world->loop, 5 * SECOND);
    start(&scene);
    assert_int_equal(spot(&scene), 70000000);
    close_scene(&scene);
}

static void upstream_keeps_none_AWI_916(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, true);
    start(&scene);
    update(&scene, "0.03");
    loop_run_for(scene.world->loop, 2 * HOUR);
    assert_true(kept_price(&scene) == 0);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_written_rarely_AWI_916),
        cmocka_unit_test(a_start_reads_them_AWI_916),
        cmocka_unit_test(upstream_keeps_none_AWI_916),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
