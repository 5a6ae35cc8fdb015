// Which types and offerings a launch asks for (AWI-270 to 282).
#include "cloud/aws/instances/launch_filters.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/instances/fleet_answer.h"
#include "cloud/aws/instances/launch_support.h"
#include "cloud/aws/nodeclass/partition_choice.h"
#include "support/cmocka_all.h"

#define IN(key, values)  "{\"key\":\"" key "\",\"operator\":\"In\",\"values\":[" values "]}"
#define CAPACITY(values) IN("karpenter.sh/capacity-type", values)
#define BOTH             CAPACITY("\"spot\",\"on-demand\"")
#define RESERVED         CAPACITY("\"reserved\",\"on-demand\",\"spot\"")

struct outcome {
    struct arena *arena;
    const struct instance_type_catalog *catalog;
    const struct node_claim *claim;
    struct launch_candidates candidates;
    struct error error;
    bool passed;
    struct text names; // "m5.large m5.xlarge", in order
};

static void filter(struct outcome *outcome, const struct made_type *types, uint32_t count,
                   const char *requirements, const struct settings *settings)
{
    static const struct settings defaults;
    *outcome = (struct outcome){.arena = arena_create(4096)};
    outcome->catalog = make_catalog(types, count);
    outcome->claim = make_claim(requirements, NULL);
    outcome->passed = launch_filters_apply(outcome->arena, outcome->catalog, outcome->claim,
                                           settings != NULL ? settings : &defaults,
                                           &outcome->candidates, &outcome->error);
    text_add(&outcome->names, "");
    for (uint32_t i = 0; i < outcome->candidates.count && outcome->passed; i++)
        text_join(&outcome->names, " ", outcome->candidates.items[i]->name);
}

static void clear(struct outcome *outcome)
{
    arena_destroy(outcome->arena);
    object_release((const struct object *)outcome->catalog);
    object_release((const struct object *)outcome->claim);
    text_free(&outcome->names);
}

static void available_compatible_and_fitting_types_AWI_271(void **state)
{
    (void)state;
    static const struct made_type types[] = {
        {"m5.large", NULL, NULL, {"on-demand us-west-2a 0.096"}},
        {"m5.small", "{\"cpu\":\"500m\",\"memory\":\"1Gi\"}", NULL, {"on-demand us-west-2a 0.01"}},
        {"m5.gone", NULL, NULL, {"!on-demand us-west-2a 0.01"}},
        {"m5.there", NULL, NULL, {"on-demand us-west-2b 0.01"}},
        {"m5.spot", NULL, NULL, {"spot us-west-2a 0.01"}},
    };
    struct outcome outcome;
    filter(&outcome, types, ARRAY_LENGTH(types),
           CAPACITY("\"on-demand\"") "," IN("topology.kubernetes.io/zone", "\"us-west-2a\""), NULL);
    assert_string_equal(outcome.names.data, "m5.large");
    assert_string_equal(launch_capacity_type(&outcome.candidates, outcome.claim), "on-demand");
    clear(&outcome);
    filter(&outcome, types, ARRAY_LENGTH(types),
           IN("topology.kubernetes.io/zone", "\"us-west-2c\""), NULL);
    assert_false(outcome.passed);
    assert_int_equal(outcome.error.kind, ERROR_INSUFFICIENT_CAPACITY);
    assert_string_equal(outcome.error.message,
                        "all requested instance types were unavailable during launch");
    clear(&outcome);
}

static void exotic_types_unless_all_are_AWI_275(void **state)
{
    (void)state;
    static const struct made_type types[] = {
        {"m5.metal", NULL, NULL, {"on-demand us-west-2a 0.001"}},
        {"g4dn.xlarge",
         "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"nvidia.com/gpu\":\"1\"}",
         NULL,
         {"on-demand us-west-2a 0.002"}},
        {"m5.large", NULL, NULL, {"on-demand us-west-2a 0.096"}},
    };
    struct outcome outcome;
    filter(&outcome, types, 3, CAPACITY("\"on-demand\""), NULL);
    assert_string_equal(outcome.names.data, "m5.large");
    clear(&outcome);
    filter(&outcome, types, 2, CAPACITY("\"on-demand\""), NULL);
    assert_string_equal(outcome.names.data, "m5.metal g4dn.xlarge");
    clear(&outcome);
}

#define FLEXIBLE \
    "{\"key\":\"node.kubernetes.io/instance-type\",\"operator\":\"Exists\",\"minValues\":%d}"

static void min_values_and_the_filters_AWI_277_931(void **state)
{
    (void)state;
    static const struct made_type types[] = {
        {"m5.metal", NULL, NULL, {"on-demand us-west-2a 0.001"}},
        {"c5.large", NULL, NULL, {"on-demand us-west-2a 0.085"}},
        {"m5.large", NULL, NULL, {"on-demand us-west-2a 0.096"}},
    };
    static const struct settings upstream = {.compatibility_upstream = true};
    static const struct settings best_effort = {.min_values_best_effort = true};
    char requirement[200];
    struct outcome outcome;
    snprintf(requirement, sizeof requirement, FLEXIBLE, 2);
    filter(&outcome, types, 3, requirement, NULL);
    assert_string_equal(outcome.names.data, "c5.large m5.large"); // enough without metal
    clear(&outcome);
    filter(&outcome, types, 3, requirement, &upstream);
    assert_string_equal(outcome.names.data, "m5.metal c5.large m5.large");
    clear(&outcome);
    snprintf(requirement, sizeof requirement, FLEXIBLE, 3);
    filter(&outcome, types, 3, requirement, NULL);
    assert_string_equal(outcome.names.data, "m5.metal c5.large m5.large");
    clear(&outcome);
    snprintf(requirement, sizeof requirement, FLEXIBLE, 4);
    filter(&outcome, types, 3, requirement, NULL);
    assert_false(outcome.passed);
    assert_int_equal(outcome.error.kind, ERROR_INSUFFICIENT_CAPACITY);
    assert_non_null(strstr(outcome.error.message, "minValues requirement is not met"));
    clear(&outcome);
    filter(&outcome, types, 3, requirement, &best_effort);
    assert_true(outcome.passed);
    clear(&outcome);
}

static void spot_dearer_than_on_demand_AWI_276_345(void **state)
{
    (void)state;
    static const struct made_type types[] = {
        {"m5.large",
         NULL,
         NULL,
         {"on-demand us-west-2a 0.096", "on-demand us-west-2b 0.096", "spot us-west-2a 0.04",
          "spot us-west-2b 0.12"}},
        {"m5.xlarge",
         NULL,
         NULL,
         {"on-demand us-west-2a 0.192", "spot us-west-2a 0.07", "spot us-west-2b 0.08"}},
        {"m5.dear", NULL, NULL, {"spot us-west-2a 0.097"}},
        {"m5.equal", NULL, NULL, {"spot us-west-2a 0.096"}},
    };
    struct outcome outcome;
    filter(&outcome, types, ARRAY_LENGTH(types), BOTH, NULL);
    assert_string_equal(outcome.names.data, "m5.large m5.xlarge m5.equal");
    assert_int_equal(outcome.candidates.items[0]->offerings.count, 3);
    assert_string_equal(launch_capacity_type(&outcome.candidates, outcome.claim), "spot");
    clear(&outcome);
}

static void spot_dearer_than_on_demand_and_min_values_AWI_931(void **state)
{
    (void)state;
    static const struct made_type types[] = {
        {"m5.large", NULL, NULL, {"on-demand us-west-2a 0.096", "spot us-west-2a 0.04"}},
        {"m5.xlarge", NULL, NULL, {"on-demand us-west-2a 0.192", "spot us-west-2a 0.11"}},
        {"m5.dear", NULL, NULL, {"spot us-west-2a 0.2"}},
    };
    char requirements[400];
    struct outcome outcome;
    snprintf(requirements, sizeof requirements, FLEXIBLE "," BOTH, 2);
    filter(&outcome, types, ARRAY_LENGTH(types), requirements, NULL);
    assert_string_equal(outcome.names.data, "m5.large m5.xlarge");
    assert_int_equal(outcome.candidates.items[1]->offerings.count, 1); // not its spot
    clear(&outcome);
    snprintf(requirements, sizeof requirements, FLEXIBLE "," BOTH, 3);
    filter(&outcome, types, ARRAY_LENGTH(types), requirements, NULL);
    assert_string_equal(outcome.names.data, "m5.large m5.xlarge m5.dear"); // all are needed
    assert_int_equal(outcome.candidates.items[1]->offerings.count, 2);
    clear(&outcome);
}

// 65 types of one family, and five dearer ones of others: these are among the sixty for spot.
static void pools_of_spot_are_spread_AWI_932(void **state)
{
    (void)state;
    static const struct settings upstream = {.compatibility_upstream = true};
    static char names[70][12], offerings[70][30];
    struct made_type types[70];
    for (int i = 0; i < 70; i++) {
        if (i < 65)
            snprintf(names[i], sizeof names[i], "m5.x%02d", i);
        else
            snprintf(names[i], sizeof names[i], "c%d.large", i - 60);
        snprintf(offerings[i], sizeof offerings[i], "spot us-west-2a 0.%03d", 100 + i);
        types[i] = (struct made_type){names[i], NULL, NULL, {offerings[i]}};
    }
    struct outcome outcome;
    filter(&outcome, types, 70, CAPACITY("\"spot\""), NULL);
    assert_int_equal(outcome.candidates.count, 60);
    assert_string_equal(outcome.candidates.items[54]->name, "m5.x54"); // still by price
    assert_string_equal(outcome.candidates.items[55]->name, "c5.large");
    assert_string_equal(outcome.candidates.items[59]->name, "c9.large");
    clear(&outcome);
    filter(&outcome, types, 70, CAPACITY("\"spot\""), &upstream);
    assert_string_equal(outcome.candidates.items[59]->name, "m5.x59");
    clear(&outcome);
}

static void sixty_cheapest_by_price_then_name_AWI_277(void **state)
{
    (void)state;
    static char names[70][12];
    struct made_type types[70];
    for (int i = 0; i < 70; i++) {
        snprintf(names[i], sizeof names[i], "m%02d.x", 69 - i);
        types[i] = (struct made_type){
            names[i], NULL, NULL, {i == 0 ? "on-demand us-west-2a 0.01" : "on-demand z 0.02"}};
    }
    struct outcome outcome;
    filter(&outcome, types, 70, CAPACITY("\"on-demand\""), NULL);
    assert_int_equal(outcome.candidates.count, 60);
    assert_string_equal(outcome.candidates.items[0]->name, "m69.x");
    assert_string_equal(outcome.candidates.items[1]->name, "m00.x");
    assert_string_equal(outcome.candidates.items[59]->name, "m58.x");
    clear(&outcome);
}

static void reservations_of_one_kind_AWI_272(void **state)
{
    (void)state;
    static const struct made_type types[] = {
        {"m5.large",
         NULL,
         NULL,
         {"on-demand us-west-2a 0.096", "reserved us-west-2a 0.0 cr-1 default 2",
          "reserved us-west-2a 0.0 cr-2 default 5", "reserved us-west-2b 0.0 cr-3 default 1"}},
        {"c5.large",
         NULL,
         NULL,
         {"on-demand us-west-2a 0.085", "reserved us-west-2a 0.0 cr-4 default-interruptible 2"}},
        {"r5.large", NULL, NULL, {"on-demand us-west-2a 0.02"}},
    };
    struct outcome outcome;
    // The interruptible one is cheaper: its kind alone stays.
    filter(&outcome, types, 3, RESERVED, NULL);
    assert_string_equal(outcome.names.data, "c5.large");
    assert_string_equal(launch_capacity_type(&outcome.candidates, outcome.claim), "reserved");
    clear(&outcome);
    // AWI-274: the roomiest reservation of each zone, nothing else.
    filter(&outcome, types, 1, RESERVED, NULL);
    assert_int_equal(outcome.candidates.items[0]->offerings.count, 2);
    assert_int_equal(outcome.candidates.items[0]->offerings.items[0].reservation_capacity.value, 5);
    assert_int_equal(outcome.candidates.items[0]->offerings.items[1].reservation_capacity.value, 1);
    clear(&outcome);
    // Without one that is available nothing is filtered.
    filter(&outcome, &types[2], 1, RESERVED, NULL);
    assert_string_equal(outcome.names.data, "r5.large");
    assert_string_equal(launch_capacity_type(&outcome.candidates, outcome.claim), "on-demand");
    clear(&outcome);
}

static void one_capacity_block_AWI_273(void **state)
{
    (void)state;
    static const struct made_type types[] = {
        {"p4d.24xlarge",
         NULL,
         NULL,
         {"on-demand us-west-2a 32", "reserved us-west-2a 0.0 cr-1 capacity-block 2",
          "reserved us-west-2b 0.0 cr-2 capacity-block 2"}},
        {"p3.2xlarge",
         NULL,
         NULL,
         {"on-demand us-west-2a 3", "reserved us-west-2b 0.0 cr-3 capacity-block 1"}},
    };
    struct outcome outcome;
    filter(&outcome, types, 2, RESERVED, NULL);
    assert_string_equal(outcome.names.data, "p3.2xlarge");
    assert_int_equal(outcome.candidates.items[0]->offerings.count, 1);
    const struct launch_candidate *candidate = launch_candidate_of(outcome.candidates.items[0]);
    double price = launch_price(candidate, &candidate->type.offerings.items[0]);
    assert_true(price > 2.9e-7 && price < 3.1e-7); // AWI-176
    clear(&outcome);
}

static void tenancy_AWI_282(void **state)
{
    (void)state;
    const struct node_claim *none = make_claim("", NULL);
    const struct node_claim *both =
        make_claim(IN("karpenter.k8s.aws/instance-tenancy", "\"dedicated\",\"default\""), NULL);
    const struct node_claim *dedicated =
        make_claim(IN("karpenter.k8s.aws/instance-tenancy", "\"dedicated\""), NULL);
    assert_string_equal(launch_tenancy(none), "default");
    assert_string_equal(launch_tenancy(both), "default");
    assert_string_equal(launch_tenancy(dedicated), "dedicated");
    object_release((const struct object *)none);
    object_release((const struct object *)both);
    object_release((const struct object *)dedicated);
}

static void expect_partition(const char *requirements, int64_t partitions, bool upstream,
                             const char *expected)
{
    const struct placement_group group = {.strategy = "partition", .partitions = partitions};
    const struct node_claim *claim = make_claim(requirements, NULL);
    const char *found = partition_choice(claim, &group, upstream);
    assert_true(text_equal(found, expected));
    object_release((const struct object *)claim);
}

#define PARTITION_KEY "karpenter.k8s.aws/placement-group-partition"

// The lowest by number, complements resolved.
static void partition_of_a_launch_AWI_905(void **state)
{
    (void)state;
    expect_partition(IN(PARTITION_KEY, "\"2\",\"10\",\"3\""), 12, false, "2");
    expect_partition("{\"key\":\"" PARTITION_KEY
                     "\",\"operator\":\"NotIn\",\"values\":[\"1\",\"2\"]}",
                     3, false, "3");
    expect_partition("{\"key\":\"" PARTITION_KEY "\",\"operator\":\"Exists\"}", 3, false, "1");
    expect_partition(IN(PARTITION_KEY, "\"5\""), 3, false, NULL); // the group has no such one
    expect_partition("", 3, false, NULL);
}

static void partition_of_a_launch_AWI_671(void **state)
{
    (void)state;
    expect_partition(IN(PARTITION_KEY, "\"2\",\"10\",\"3\""), 12, true, "10");
    expect_partition("", 12, true, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(available_compatible_and_fitting_types_AWI_271),
        cmocka_unit_test(exotic_types_unless_all_are_AWI_275),
        cmocka_unit_test(min_values_and_the_filters_AWI_277_931),
        cmocka_unit_test(spot_dearer_than_on_demand_AWI_276_345),
        cmocka_unit_test(sixty_cheapest_by_price_then_name_AWI_277),
        cmocka_unit_test(reservations_of_one_kind_AWI_272),
        cmocka_unit_test(one_capacity_block_AWI_273),
        cmocka_unit_test(tenancy_AWI_282),
        cmocka_unit_test(partition_of_a_launch_AWI_905),
        cmocka_unit_test(spot_dearer_than_on_demand_and_min_values_AWI_931),
        cmocka_unit_test(pools_of_spot_are_spread_AWI_932),
        cmocka_unit_test(partition_of_a_launch_AWI_671),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
