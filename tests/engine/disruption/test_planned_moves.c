// Destinations of the pods of a command's nodes (DIS-749, DIS-755).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_fixture.h"
#include "model/snapshot/plan_encode.h"

#define CHEAP "controller.kubernetes.io/pod-deletion-cost: '-134217728'"
#define ON_DEMAND_ONLY \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "

static void assert_moves(const struct plan_disruption *command, const char *expected)
{
    struct text text = {0};
    plan_moves_describe(&command->moves, &text);
    assert_string_equal(text.data != NULL ? text.data : "", expected);
    text_free(&text);
}

// Two nodes are empty but for pods without cost; a third has room for one of their pods.
static void add_cheap_pods(struct text *world)
{
    add_pool(world, (struct test_pool){.template = ON_DEMAND_ONLY});
    add_node(world, (struct test_node){.name = "a"});
    add_node(world, (struct test_node){.name = "b"});
    add_node(world, (struct test_node){.name = "c"});
    add_pod(world, (struct test_pod){.name = "p", .node = "a", .annotations = CHEAP});
    add_pod(world, (struct test_pod){.name = "q", .node = "b", .cpu = "2", .annotations = CHEAP});
    add_pod(world, (struct test_pod){.name = "r",
                                     .node = "b",
                                     .annotations = CHEAP,
                                     .spec = "nodeSelector: "
                                             "{a: b}, "});
    add_pod(world, (struct test_pod){.name = "s", .node = "c", .cpu = "14"});
}

static void pods_of_empty_nodes_have_places_planned_DIS_755_DIS_57(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_cheap_pods(&world);
        PLAN p = disrupt(&world, "emptiness", upstream ? UPSTREAM : NULL);
        assert_disrupts(p.plan, "Empty/empty: a b");
        assert_moves(p.plan->disruptions.items,
                     upstream ? ""
                              : "pods: default/p to node c, default/q to a new node "
                                "of pool, default/r without a place");
    }
}

static void pods_of_empty_nodes_take_room_that_is_there_DIS_755(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x"});
    add_node(&world, (struct test_node){.name = "z"});
    add_pod(&world, (struct test_pod){.name = "p", .node = "x", .annotations = CHEAP});
    add_pod(&world, (struct test_pod){.name = "d", .node = "x", .owner = "DaemonSet"});
    add_pod(&world, (struct test_pod){.name = "s", .node = "z", .cpu = "4"});
    PLAN p = disrupt(&world, NULL, NULL);
    assert_disrupts(p.plan, "Empty/empty: x");
    assert_moves(p.plan->disruptions.items, "pods: default/p to node z");
    json_t *json = plan_disruption_encode(p.plan->disruptions.items);
    json_t *expected = json_loads("[{\"pod\": \"default/p\", \"node\": \"z\"}]", 0, NULL);
    assert_true(json_equal(json_object_get(json, "moves"), expected));
    json_decref(expected);
    json_decref(json);
}

static void moves_of_consolidation_are_planned_DIS_749(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
        add_node(&world, (struct test_node){.name = "x"});
        add_node(&world, (struct test_node){.name = "z", .type = "medium", .cpu = "3900m"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x"});
        add_pod(&world, (struct test_pod){.name = "q", .node = "x", .cpu = "1500m"});
        add_pod(&world, (struct test_pod){.name = "s", .node = "z", .cpu = "2500m"});
        PLAN p = disrupt(&world, NULL, upstream ? UPSTREAM : NULL);
        assert_int_equal(p.plan->disruptions.count, 1);
        assert_string_equal(p.plan->disruptions.items[0].candidates.items[0], "x");
        assert_moves(p.plan->disruptions.items,
                     upstream ? "" : "pods: default/p to node z, default/q to replacement 1");
    }
}

// The pods of x fit exactly: the one of 3 cpu into d, the one of 3.5 cpu into e. Unless the first
// one goes to e, as observed, or because e is the emptier one.
static void add_exact_room(struct text *world)
{
    static const char kept[] = "karpenter.sh/do-not-disrupt: 'true'";
    add_pool(world, (struct test_pool){.template = ON_DEMAND_ONLY});
    add_node(world, (struct test_node){.name = "x", .type = "medium", .cpu = "7"});
    add_node(world,
             (struct test_node){.name = "d", .type = "medium", .cpu = "4", .annotations = kept});
    add_node(world, (struct test_node){.name = "e", .cpu = "8", .annotations = kept});
    add_pod(world,
            (struct test_pod){.name = "p", .node = "x", .cpu = "3", .owner_name = "wanderer"});
    add_pod(world, (struct test_pod){.name = "q", .node = "x", .cpu = "3500m"});
    add_pod(world, (struct test_pod){.name = "s", .node = "d", .cpu = "1"});
    add_pod(world, (struct test_pod){.name = "t", .node = "e", .cpu = "4"});
}

static void check_followed(const struct scheduled_list *list, const char *settings,
                           const char *expected)
{
    struct text world = {0};
    add_exact_room(&world);
    const struct disruption_inputs inputs = {.scheduled = list};
    PLAN p = disrupt_running(&world, NULL, settings, &inputs);
    assert_disrupts(p.plan, expected);
}

static void workloads_go_where_the_scheduler_puts_them_DIS_749(void **state)
{
    (void)state;
    static const char *const names[] = {"gone", "e"}, *const other[] = {"d"};
    struct scheduled_workload workloads[] = {{.uid = "another"}, {.uid = "wanderer"}};
    const struct scheduled_list list = {workloads, ARRAY_LENGTH(workloads)};
    const struct scheduled_list others = {workloads, 1};
    check_followed(NULL, NULL, "Underutilized/single: x");
    check_followed(&others, NULL, "Underutilized/single: x");
    check_followed(&list, NULL, ""); // to the emptier one
    workloads[1].nodes = (struct string_list){(const char **)(uintptr_t)names, 2};
    check_followed(&list, NULL, ""); // to its observed node
    check_followed(&list, UPSTREAM, "Underutilized/single: x");
    workloads[1].nodes = (struct string_list){(const char **)(uintptr_t)other, 1};
    check_followed(&list, NULL, "Underutilized/single: x");
}

static void pods_of_drifted_nodes_go_to_their_replacements_DIS_224_SCH_516(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
        add_node(&world, (struct test_node){.name = "x", .drifted = "2025-12-10T00:00:00Z"});
        add_pod(&world, (struct test_pod){.name = "p", .node = "x", .cpu = "3"});
        PLAN p = disrupt(&world, "drift", upstream ? UPSTREAM : NULL);
        assert_int_equal(p.plan->disruptions.items[0].replacements.count, 1);
        assert_moves(p.plan->disruptions.items, upstream ? "" : "pods: default/p to replacement 1");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_of_drifted_nodes_go_to_their_replacements_DIS_224_SCH_516),
        cmocka_unit_test(pods_of_empty_nodes_have_places_planned_DIS_755_DIS_57),
        cmocka_unit_test(pods_of_empty_nodes_take_room_that_is_there_DIS_755),
        cmocka_unit_test(moves_of_consolidation_are_planned_DIS_749),
        cmocka_unit_test(workloads_go_where_the_scheduler_puts_them_DIS_749),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
