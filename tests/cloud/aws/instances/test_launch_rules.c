// What a launch's filters leave alone and tell (AWI-15, 110, 270, 280).
#include "cloud/aws/instances/launch_filters.h"

#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cloud/aws/instances/fleet_request.h"
#include "cloud/aws/instances/launch_support.h"
#include "support/cmocka_all.h"

#define CAPACITY(values) \
    "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[" values "]}"

static struct text logged;

static void keep_line(void *context, const char *line)
{
    (void)context;
    text_format(&logged, "%s\n", line);
}

static void rejected_types_are_logged_AWI_15_270(void **state)
{
    (void)state;
    static char names[8][16];
    struct made_type types[8];
    for (int i = 0; i < 7; i++) {
        snprintf(names[i], sizeof names[i], "m%d.metal", i);
        types[i] = (struct made_type){names[i], NULL, NULL, {"on-demand us-west-2a 0.01"}};
    }
    types[7] = (struct made_type){
        "m5.large", NULL, NULL, {"on-demand us-west-2a 0.096", "spot us-west-2a 0.2"}};
    struct log_options log = {.level = LOG_DEBUG, .sink = keep_line};
    assert_true(log_configure(&log, NULL));
    struct arena *arena = arena_create(4096);
    const struct instance_type_catalog *catalog = make_catalog(types, 8);
    const struct node_claim *claim = make_claim(CAPACITY("\"on-demand\",\"spot\""), NULL);
    const struct settings settings = {.compatibility_upstream = true};
    struct launch_candidates candidates;
    struct error error = {0};
    assert_true(launch_filters_apply(arena, catalog, claim, &settings, &candidates, &error));
    assert_int_equal(candidates.count, 1);
    assert_int_equal(candidates.items[0]->offerings.count, 1);
    assert_string_equal(launch_capacity_type(&candidates, claim), "on-demand"); // AWI-280
    assert_int_equal(catalog->spec.instance_types.items[7].offerings.count, 2); // the list's stay
    assert_non_null(strstr(logged.data, "filtered out instance types from launch"));
    assert_non_null(strstr(logged.data, "\"filter\":\"exotic-instance-filter\""));
    assert_non_null(strstr(logged.data, "m0.metal, m1.metal, m2.metal, m3.metal, m4.metal and 2 "
                                        "other(s)"));
    object_release((const struct object *)claim);
    claim = make_claim(CAPACITY("\"other\""), NULL);
    assert_false(launch_filters_apply(arena, catalog, claim, &settings, &candidates, &error));
    assert_string_equal(error.message,
                        "all requested instance types were unavailable during launch");
    object_release((const struct object *)claim);
    object_release((const struct object *)catalog);
    arena_destroy(arena);
    text_free(&logged);
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
}

static void less_than_nothing_fits_nothing_AWI_110(void **state)
{
    (void)state;
    static const struct made_type types[] = {
        {"t1.tiny",
         "{\"cpu\":\"1\",\"memory\":\"-100Mi\",\"pods\":\"4\"}",
         NULL,
         {"on-demand us-west-2a 0.001"}},
        {"m5.large", NULL, NULL, {"on-demand us-west-2a 0.096"}}};
    struct arena *arena = arena_create(4096);
    const struct instance_type_catalog *catalog = make_catalog(types, 2);
    const struct node_claim *claim = make_claim(CAPACITY("\"on-demand\""), "{}");
    const struct settings settings = {0};
    struct launch_candidates candidates;
    struct error error = {0};
    assert_true(launch_filters_apply(arena, catalog, claim, &settings, &candidates, &error));
    assert_int_equal(candidates.count, 1);
    assert_string_equal(candidates.items[0]->name, "m5.large");
    object_release((const struct object *)claim);
    object_release((const struct object *)catalog);
    arena_destroy(arena);
}

// Without a subnet in the zone of any offering no request is left.
static void no_override_is_left_AWI_293(void **state)
{
    (void)state;
    static const struct made_type types[] = {{"m5.large", NULL, NULL, {"spot us-west-2a 0.04"}}};
    struct arena *arena = arena_create(4096);
    const struct instance_type_catalog *catalog = make_catalog(types, 1);
    const struct node_claim *claim = make_claim(CAPACITY("\"spot\""), NULL);
    const struct object *node_class =
        make_object("karpenter.k8s.aws/v1", "EC2NodeClass", "{}", NULL);
    const struct settings settings = {0};
    struct launch_candidates candidates;
    struct error error = {0};
    assert_true(launch_filters_apply(arena, catalog, claim, &settings, &candidates, &error));
    struct launch_template template = {.name = "t",
                                       .image_id = "ami-1",
                                       .types = candidates.items,
                                       .types_count = candidates.count};
    struct ec2_subnet subnet = {.id = "subnet-b", .zone = "us-west-2b"};
    struct subnet_choice choice = {.subnet = &subnet};
    struct fleet_inputs inputs = {.node_class = (const struct ec2_node_class *)node_class,
                                  .claim = claim,
                                  .capacity_type = "spot",
                                  .templates = &template,
                                  .templates_count = 1,
                                  .subnets = &choice,
                                  .subnets_count = 1};
    assert_null(fleet_request_build(&inputs));
    subnet.zone = "us-west-2a";
    json_t *request = fleet_request_build(&inputs);
    assert_non_null(request);
    json_decref(request);
    object_release(node_class);
    object_release((const struct object *)claim);
    object_release((const struct object *)catalog);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejected_types_are_logged_AWI_15_270),
        cmocka_unit_test(less_than_nothing_fits_nothing_AWI_110),
        cmocka_unit_test(no_override_is_left_AWI_293),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
