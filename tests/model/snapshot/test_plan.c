#include "model/helpers.h"

#include "model/snapshot/plan.h"
#include "model/snapshot/plan_encode.h"

// The example of FMT-10.
static struct pod pods[] = {
    {.meta = {.name = "web-0", .namespace = "default"}},
    {.meta = {.name = "web-1", .namespace = "default"}},
    {.meta = {.name = "web-2", .namespace = "default"}},
    {.meta = {.name = "web-3", .namespace = "default"}},
};
static const struct pod *claim_pods[] = {&pods[0], &pods[1]};
static const struct pod *node_pods[] = {&pods[2]};
static struct node_pool pool = {.meta = {.name = "default"}};
static struct instance_type types[] = {{.name = "m5.large"}, {.name = "m5a.large"}};

static struct plan *example(void)
{
    struct arena *arena = arena_create(1024);
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    plan->arena = arena;
    struct plan_claim *claim = arena_allocate(arena, sizeof *claim);
    struct plan_type *plan_types = arena_allocate_array(arena, 2, sizeof *plan_types);
    plan_types[0] = (struct plan_type){&types[0], 96000000};
    plan_types[1] = (struct plan_type){&types[1], 96000000};
    struct selector_requirement *requirement = arena_allocate(arena, sizeof *requirement);
    *requirement = (struct selector_requirement){.key = LABEL_ZONE, .operator= "In" };
    requirement->values.items = arena_allocate_array(arena, 1, sizeof(char *));
    requirement->values.items[0] = "us-west-2a";
    requirement->values.count = 1;
    struct resource_quantity *requests = arena_allocate_array(arena, 3, sizeof *requests);
    requests[0] = (struct resource_quantity){"cpu", 1500};
    requests[1] = (struct resource_quantity){"memory", INT64_C(2) << 30};
    requests[2] = (struct resource_quantity){"pods", 3};
    claim->node_pool = &pool;
    claim->types.items = plan_types;
    claim->types.count = 2;
    claim->requirements.items = requirement;
    claim->requirements.count = 1;
    claim->requests = (struct resource_map){requests, 3};
    claim->pods.items = claim_pods;
    claim->pods.count = 2;
    claim->price = 96000000;
    plan->claims.items = claim;
    plan->claims.count = 1;
    plan->placements.items = arena_allocate(arena, sizeof *plan->placements.items);
    plan->placements.items[0].name = "node-b";
    plan->placements.items[0].pods.items = node_pods;
    plan->placements.items[0].pods.count = 1;
    plan->placements.count = 1;
    plan->unschedulable.items = arena_allocate(arena, sizeof *plan->unschedulable.items);
    plan->unschedulable.count = 1;
    struct plan_unschedulable *entry = &plan->unschedulable.items[0];
    entry->pod = &pods[3];
    entry->message = "too large";
    entry->reasons.items = arena_allocate(arena, sizeof *entry->reasons.items);
    entry->reasons.items[0] =
        (struct plan_reason){REASON_INSUFFICIENT_RESOURCES, "default", "100 cpu"};
    entry->reasons.count = 1;
    plan->price = 96000000;
    plan->pods_placed = 3;
    return plan;
}

static void assert_plan(const struct plan *plan, const char *expected)
{
    json_t *json = plan_encode(plan);
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15));
    assert_string_equal(text, expected);
    free(text);
    json_decref(json);
}

#define CLAIMS                                                                                    \
    "{\"apiVersion\":\"adze/v1\",\"kind\":\"Plan\",\"newNodeClaims\":[{\"nodePool\":\"default\"," \
    "\"instanceTypes\":[\"m5.large\",\"m5a.large\"],\"requirements\":[{\"key\":"                  \
    "\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"us-west-2a\"]}],"          \
    "\"requests\":{\"cpu\":\"1500m\",\"memory\":\"2Gi\",\"pods\":\"3\"},\"pods\":["               \
    "\"default/web-0\",\"default/web-1\"],\"price\":0.096}],\"existingNodes\":[{\"name\":"        \
    "\"node-b\",\"pods\":[\"default/web-2\"]}],\"unschedulable\":[{\"pod\":\"default/web-3\","    \
    "\"message\":\"too large\",\"reasons\":[{\"code\":\"InsufficientResources\",\"nodePool\":"    \
    "\"default\",\"detail\":\"100 cpu\"}]}]"
#define TOTALS ",\"totals\":{\"newNodes\":1,\"pricePerHour\":0.096,\"pods\":3,\"unschedulable\":1}}"

static void a_plan_is_written_as_FMT_10(void **state)
{
    (void)state;
    struct plan *plan = example();
    assert_plan(plan, CLAIMS TOTALS);
    plan_destroy(plan);
    plan_destroy(NULL);
}

static void disruptions_appear_when_asked_for_FMT_13(void **state)
{
    (void)state;
    struct plan *plan = example();
    plan->has_disruptions = true;
    assert_plan(plan, CLAIMS ",\"disruptions\":[]" TOTALS);
    const char *candidates[] = {"node-a"};
    struct plan_disruption disruption = {.reason = DISRUPTION_UNDERUTILIZED,
                                         .consolidation = CONSOLIDATION_SINGLE,
                                         .candidates = {candidates, 1},
                                         .savings = 46000000};
    plan->disruptions.items = &disruption;
    plan->disruptions.count = 1;
    assert_plan(plan, CLAIMS ",\"disruptions\":[{\"method\":\"Underutilized\",\"consolidation\":"
                             "\"single\",\"candidates\":[\"node-a\"],\"replacements\":[],"
                             "\"savings\":0.046}]" TOTALS);
    plan_destroy(plan);
}

static void every_reason_has_a_name_SCH_530(void **state)
{
    (void)state;
    for (int code = 0; code < REASON_COUNT; code++)
        assert_non_null(reason_code_name((enum reason_code)code));
    assert_string_equal(reason_code_name(REASON_NO_POOL), "NoPool");
    assert_string_equal(reason_code_name(REASON_NOT_TRIED), "NotTried");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_written_as_FMT_10),
        cmocka_unit_test(disruptions_appear_when_asked_for_FMT_13),
        cmocka_unit_test(every_reason_has_a_name_SCH_530),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
