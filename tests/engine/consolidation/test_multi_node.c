// Several nodes for several, the best moves first, and disjoint ones together (DIS-745, DIS-746).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/disruption/disrupt_fixture.h"

#define LOWEST        "PACKING_POLICY: LowestPrice"
#define UNDERUTILIZED "consolidationPolicy: WhenEmptyOrUnderutilized"
#define ON_DEMAND_ONLY \
    "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}], "

static void add_catalog(struct text *world)
{
    text_add(world, "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: types}\n"
                    "spec:\n  instanceTypes:\n");
}

// On demand in zones a and b.
static void add_type(struct text *world, const char *name, const char *cpu, const char *price)
{
    text_format(world,
                "  - name: %s\n    requirements:\n    - {key: kubernetes.io/arch, operator: In, "
                "values: [amd64]}\n    - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
                "    capacity: {cpu: '%s', memory: 256Gi, pods: '100'}\n    offerings:\n",
                name, cpu);
    for (int zone = 'a'; zone <= 'b'; zone++)
        text_format(world,
                    "    - {price: %s, available: true, requirements: [{key: "
                    "topology.kubernetes.io/zone, operator: In, values: [%c]}, {key: "
                    "karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}\n",
                    price, zone);
}

static void add_pods(struct text *world, const char *node, int count, const char *cpu,
                     const char *spec)
{
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%d", node, i);
        add_pod(world, (struct test_pod){.name = name, .node = node, .cpu = cpu, .spec = spec});
    }
}

static int64_t savings_of(const struct plan *plan)
{
    int64_t sum = 0;
    list_for_each (command, &plan->disruptions)
        sum += command->savings;
    return sum;
}

static uint32_t nodes_gone(const struct plan *plan)
{
    uint32_t sum = 0;
    list_for_each (command, &plan->disruptions)
        sum += command->candidates.count;
    return sum;
}

static uint32_t nodes_new(const struct plan *plan)
{
    uint32_t sum = 0;
    list_for_each (command, &plan->disruptions)
        sum += command->replacements.count;
    return sum;
}

// --- n for m -------------------------------------------------------------------------------------

static void one_large_node_becomes_two_small_ones_DIS_745(void **state)
{
    (void)state;
    static const char *const settings[] = {LOWEST, UPSTREAM};
    for (size_t i = 0; i < ARRAY_LENGTH(settings); i++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "huge", "64", "3.2");
        add_type(&world, "six", "6", "0.3");
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "x", .type = "huge", .cpu = "64"});
        add_pods(&world, "x", 2, "4500m", NULL);
        PLAN p = disrupt_bare(&world, NULL, settings[i]);
        assert_disrupts(
            p.plan, i == 0 ? "Underutilized/single: x -> six on-demand - -> six on-demand -" : "");
        if (i == 0)
            assert_int_equal(savings_of(p.plan), 2600000000);
    }
}

static void more_nodes_must_be_worth_their_cost_SCH_507(void **state)
{
    (void)state;
    // Two nodes for one save 0.03 USD an hour, and cost NODE_COST more.
    static const struct {
        const char *settings;
        bool taken;
    } cases[] = {
        {LOWEST ", NODE_COST: '0'", true},
        {LOWEST ", NODE_COST: '0.005'", true},
        {LOWEST ", NODE_COST: '0.02'", false}, // 0.01 an hour does not earn back the overlap in 4 h
        {LOWEST ", NODE_COST: '0.04'", false},
        {LOWEST ", NODE_COST: '0.04', CONSOLIDATION_HORIZON: '0'", false},
        {LOWEST ", NODE_COST: '0.02', CONSOLIDATION_HORIZON: '0'", true},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "large", "12", "1.23");
        add_type(&world, "six", "6", "0.6");
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){0});
        add_node(&world, (struct test_node){.name = "x", .type = "large", .cpu = "12"});
        add_pods(&world, "x", 2, "4500m", NULL);
        PLAN p = disrupt_bare(&world, NULL, cases[i].settings);
        assert_disrupts(p.plan, cases[i].taken
                                    ? "Underutilized/single: x -> six on-demand - -> six "
                                      "on-demand -"
                                    : "");
        if (cases[i].taken)
            assert_int_equal(savings_of(p.plan), 30000000); // reports show prices
    }
}

// Twelve nodes at 40 %, in three pools that take any pod.
static void twelve_nodes_in_three_pools_become_five_DIS_745(void **state)
{
    (void)state;
    static const char *const pools[] = {"p1", "p2", "p3"};
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "ten", "10", "0.5");
    text_add(&world, "---\n");
    for (size_t i = 0; i < ARRAY_LENGTH(pools); i++)
        add_pool(&world, (struct test_pool){.name = pools[i]});
    for (int i = 0; i < 12; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%02d", i);
        add_node(&world, (struct test_node){
                             .name = name, .pool = pools[i % 3], .type = "ten", .cpu = "10"});
        add_pods(&world, name, 4, "1", NULL);
    }
    PLAN p = disrupt_bare(&world, NULL, LOWEST);
    assert_int_equal(12 - nodes_gone(p.plan) + nodes_new(p.plan), 5);
    assert_int_equal(savings_of(p.plan), 7 * INT64_C(500000000));
}

// Pods of one pool cannot run on the other's nodes, and no node has room for one more.
static void full_nodes_of_dear_shapes_become_more_of_cheap_ones_DIS_745(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "dear", "12", "1.2");
        add_type(&world, "cheap", "8", "0.4");
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){0});
        static const char *const names[] = {"a", "b", "c"};
        for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
            add_node(&world, (struct test_node){.name = names[i], .type = "dear", .cpu = "12"});
            add_pods(&world, names[i], 3, "3500m", NULL);
        }
        // Nine pods of 3.5 cpu, two on each cheap machine: five machines, or one node for two
        // alone.
        PLAN p = disrupt_bare(&world, "multi", upstream ? UPSTREAM : LOWEST);
        assert_int_equal(nodes_gone(p.plan), upstream ? 0 : 3);
        assert_int_equal(nodes_new(p.plan), upstream ? 0 : 4 + 1);
        assert_int_equal(savings_of(p.plan), upstream ? 0 : INT64_C(1600000000));
    }
}

static void at_most_one_node_more_comes_than_goes_DIS_745(void **state)
{
    (void)state;
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "huge", "64", "3.2");
    add_type(&world, "six", "6", "0.3");
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "x", .type = "huge", .cpu = "64"});
    add_pods(&world, "x", 3, "4500m", NULL);
    PLAN p = disrupt_bare(&world, NULL, LOWEST);
    assert_disrupts(p.plan, "");
}

// A node like its replacement stays.
static void nothing_is_replaced_by_its_like_DIS_745_DIS_203(void **state)
{
    (void)state;
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "ten", "10", "0.5");
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){0});
    static const char *const names[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        add_node(&world, (struct test_node){.name = names[i], .type = "ten", .cpu = "10"});
        add_pods(&world, names[i], 5, "1", NULL);
    }
    PLAN p = disrupt_bare(&world, NULL, LOWEST);
    assert_int_equal(nodes_gone(p.plan), 2);
    assert_int_equal(nodes_new(p.plan), 0);
}

// Two of the new nodes are like old ones, but full.
static void nodes_are_filled_anew_where_that_pays_DIS_745(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "ten", "10", "0.5");
        add_type(&world, "seven", "7", "0.2");
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){0});
        static const char *const names[] = {"a", "b", "c"};
        for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
            add_node(&world, (struct test_node){.name = names[i], .type = "ten", .cpu = "10"});
        for (size_t i = 0; i < 2; i++) {
            add_pods(&world, names[i], 1, "8", NULL);
            add_pod(&world, (struct test_pod){
                                .name = i == 0 ? "p" : "q", .node = names[i], .cpu = "1500m"});
        }
        add_pods(&world, "c", 2, "2", NULL);
        add_pod(&world, (struct test_pod){.name = "r", .node = "c", .cpu = "4"});
        // 8 + 2, 8 + 2, 4 + 1.5 + 1.5
        PLAN p = disrupt_bare(&world, NULL, upstream ? UPSTREAM : LOWEST);
        assert_int_equal(nodes_gone(p.plan), upstream ? 0 : 3);
        assert_int_equal(nodes_new(p.plan), upstream ? 0 : 3);
        assert_int_equal(savings_of(p.plan), upstream ? 0 : 300000000);
    }
}

static void what_has_no_place_is_dropped_and_the_rest_goes_on_DIS_713(void **state)
{
    (void)state;
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "ten", "10", "0.5");
    add_type(&world, "two", "2", "0.1");
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){.spec = "limits: {cpu: 102}, "});
    for (int i = 0; i < 10; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        add_node(&world, (struct test_node){.name = name, .type = "ten", .cpu = "10"});
        add_pods(&world, name, 1, i == 0 ? "10" : "200m",
                 i == 0 ? "nodeSelector: {kubernetes.io/hostname: n0}, " : NULL);
    }
    PLAN p = disrupt_bare(&world, "multi", LOWEST);
    assert_true(nodes_gone(p.plan) >= 8);
    list_for_each (command, &p.plan->disruptions)
        list_for_each (name, &command->candidates)
            assert_string_not_equal(*name, "n0");
}

// --- the best first, and others in parallel ------------------------------------------------------

static void the_best_move_is_made_not_the_first_DIS_746(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "dear", "16", "1.6");
        add_type(&world, "less", "16", "1.5");
        add_type(&world, "middle", "12", "1.2");
        add_type(&world, "cheap", "4", "0.2");
        text_add(&world, "---\n");
        add_pool(&world,
                 (struct test_pool){.disruption = "budgets: [{nodes: '1'}], consolidateAfter: 0s, "
                                                  "consolidationPolicy: WhenEmptyOrUnderutilized"});
        // The first by merit becomes a little cheaper, the second much.
        add_node(&world, (struct test_node){.name = "a", .type = "dear", .cpu = "16"});
        add_pods(&world, "a", 1, "11", NULL);
        add_node(&world, (struct test_node){.name = "b", .type = "less", .cpu = "4"});
        add_pods(&world, "b", 1, "3900m", NULL);
        PLAN p = disrupt_bare(&world, "single", upstream ? UPSTREAM : LOWEST);
        assert_int_equal(p.plan->disruptions.count, 1);
        assert_string_equal(p.plan->disruptions.items[0].candidates.items[0], upstream ? "a" : "b");
    }
}

static void moves_that_have_nothing_in_common_go_together_DIS_746(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "dear", "10", "1.0");
        add_type(&world, "cheap", "10", "0.4");
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){0});
        for (int i = 0; i < 20; i++) {
            char name[8];
            snprintf(name, sizeof name, "n%02d", i);
            add_node(&world, (struct test_node){.name = name, .type = "dear", .cpu = "10"});
            add_pods(&world, name, 1, "9", NULL);
        }
        PLAN p = disrupt_bare(&world, NULL, upstream ? UPSTREAM : LOWEST);
        assert_int_equal(p.plan->disruptions.count, upstream ? 1 : 20);
        list_for_each (command, &p.plan->disruptions) {
            assert_int_equal(command->candidates.count, 1);
            assert_int_equal(command->replacements.count, 1);
        }
    }
}

// Room for one of the pods is not room for both.
static void no_two_moves_rely_on_the_same_room_DIS_746(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL, "multi", "single"};
    for (size_t m = 0; m < ARRAY_LENGTH(methods); m++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "ten", "10", "0.5");
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){0});
        static const char *const names[] = {"a", "b", "c"};
        for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
            add_node(&world, (struct test_node){.name = names[i], .type = "ten", .cpu = "10"});
            add_pods(&world, names[i], 1, "6", NULL);
        }
        add_node(&world, (struct test_node){.name = "room", .unmanaged = true, .cpu = "7"});
        PLAN p = disrupt_bare(&world, methods[m], LOWEST);
        assert_int_equal(nodes_gone(p.plan), m == 1 ? 0 : 1);
    }
}

// --- by the fit into free room, and around destinations ------------------------------------------

#define BUDGET(nodes)                                                              \
    "budgets: [{nodes: '" nodes "'}], consolidateAfter: 0s, consolidationPolicy: " \
    "WhenEmptyOrUnderutilized"
#define KEPT "karpenter.sh/do-not-disrupt: 'true'"

// A budget of two. The expensive nodes promise most, and two of them become one cheaper machine;
// but the pods of two others, which save little on new machines, fit into the free room of nodes
// that stay.
static void nodes_whose_pods_fit_into_holes_go_first_DIS_745(void **state)
{
    (void)state;
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "eight", "8", "0.8");
    add_type(&world, "dear", "10", "1.0");
    add_type(&world, "twelve", "12", "1.2");
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){.disruption = BUDGET("2")});
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "a%d", i);
        add_node(&world, (struct test_node){.name = name, .type = "dear", .cpu = "10"});
        add_pods(&world, name, 1, "6", NULL);
    }
    for (int i = 0; i < 2; i++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        add_node(&world, (struct test_node){.name = name, .type = "eight", .cpu = "8"});
        add_pods(&world, name, 8, "900m", NULL);
    }
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "d%d", i);
        add_node(&world, (struct test_node){
                             .name = name, .type = "eight", .cpu = "8", .annotations = KEPT});
        add_pods(&world, name, 1, "4100m", NULL);
    }
    PLAN p = disrupt_bare(&world, NULL, LOWEST);
    assert_disrupts(p.plan, "Underutilized/multi: b0 b1");
    assert_int_equal(savings_of(p.plan), 1600000000);
}

// Small nodes give more for the room that they need; large ones give more where only two may go.
static void where_budgets_allow_few_nodes_the_dearest_go_DIS_746(void **state)
{
    (void)state;
    static const char *const budgets[] = {
        "budgets: [{nodes: '2'}], consolidateAfter: 0s, " UNDERUTILIZED,
        "budgets: [{nodes: '4'}], consolidateAfter: 0s, " UNDERUTILIZED,
    };
    for (uint32_t b = 0; b < ARRAY_LENGTH(budgets); b++) {
        struct text world = {0};
        add_catalog(&world);
        add_type(&world, "ten", "10", "0.5");
        add_type(&world, "two", "2", "0.1");
        text_add(&world, "---\n");
        add_pool(&world, (struct test_pool){.disruption = budgets[b]});
        add_node(&world, (struct test_node){.name = "room", .type = "ten", .cpu = "10"});
        add_pods(&world, "room", 1, "7500m", NULL);
        static const char *const large[] = {"large-1", "large-2"};
        static const char *const small[] = {"small-1", "small-2"};
        for (size_t n = 0; n < ARRAY_LENGTH(large); n++) {
            add_node(&world, (struct test_node){.name = large[n], .type = "ten", .cpu = "10"});
            add_pods(&world, large[n], 1, "1", NULL);
            add_node(&world, (struct test_node){.name = small[n], .type = "two", .cpu = "2"});
            add_pods(&world, small[n], 1, "150m", NULL);
        }
        PLAN p = disrupt_bare(&world, "multi", LOWEST);
        assert_int_equal(nodes_gone(p.plan), b == 0 ? 2 : 4);
        assert_int_equal(nodes_new(p.plan), 0);
        assert_int_equal(savings_of(p.plan), b == 0 ? 1000000000 : 1200000000);
    }
}

// A budget of three, and four nodes that promise more than they save. The pods of three others all
// target the same room: one node's pods fit, those of the other two share a new machine.
static void nodes_that_want_the_same_room_are_looked_at_together_DIS_745(void **state)
{
    (void)state;
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "three", "3", "0.8");
    add_type(&world, "six", "6", "0.6");
    add_type(&world, "twelve", "12", "2.0");
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){.disruption = BUDGET("3")});
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        add_node(&world, (struct test_node){.name = name, .type = "twelve", .cpu = "12"});
        add_pods(&world, name, 1, "9500m", NULL);
    }
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "a%d", i);
        add_node(&world, (struct test_node){.name = name, .type = "three", .cpu = "3"});
        add_pods(&world, name, 1, "2800m", NULL);
    }
    add_node(&world,
             (struct test_node){.name = "d", .type = "six", .cpu = "6", .annotations = KEPT});
    add_pods(&world, "d", 1, "3", NULL);
    PLAN p = disrupt_bare(&world, NULL, LOWEST);
    assert_int_equal(nodes_gone(p.plan), 3);
    assert_int_equal(nodes_new(p.plan), 1);
    assert_int_equal(savings_of(p.plan), 1800000000);
}

// --- the bounds of the search --------------------------------------------------------------------
// More nodes than the sets of one decision cover, all of them full but the last in any order: the
// nodes beyond the search for sets are evaluated singly, in the same decision.
static void what_the_search_leaves_out_is_looked_at_singly_DIS_706(void **state)
{
    (void)state;
    static const char *const zones[] = {"a", "b", "c"};
    struct text world = {0};
    add_pool(&world, (struct test_pool){.template = ON_DEMAND_ONLY});
    add_node(&world, (struct test_node){.name = "room", .cpu = "1600m", .unmanaged = true});
    for (int i = 0; i < 300; i++) {
        char node[16], pod[16];
        bool last = i == 299;
        snprintf(node, sizeof node, "n%03d", i);
        snprintf(pod, sizeof pod, "p%03d", i);
        add_node(&world, (struct test_node){.name = node,
                                            .zone = zones[i % 3],
                                            .type = last ? "small" : "medium",
                                            .cpu = last ? "1900m" : "3900m"});
        add_pod(&world,
                (struct test_pod){
                    .name = pod, .node = node, .owner_name = pod, .cpu = last ? "1500m" : "3400m"});
    }
    PLAN p = disrupt(&world, NULL, NULL);
    assert_disrupts(p.plan, "Underutilized/single: n299");
}

// Either pod finds room on the existing node, not both: the larger one takes it, so the node that
// was to be deleted first gets a replacement.
static void what_goes_along_leaves_the_room_to_later_moves_DIS_746(void **state)
{
    (void)state;
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "dear", "16", "0.8");
    add_type(&world, "cheap", "2", "0.1");
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){0});
    add_node(&world, (struct test_node){.name = "room", .cpu = "1900m", .unmanaged = true});
    for (int i = 0; i < 2; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        add_node(&world, (struct test_node){.name = name, .type = "dear"});
        add_pod(&world,
                (struct test_pod){.name = name, .node = name, .cpu = i == 0 ? "1500m" : "1700m"});
    }
    PLAN p = disrupt_bare(&world, "single", NULL);
    assert_disrupts(p.plan,
                    "Underutilized/single: a -> cheap on-demand -; Underutilized/single: b");
    assert_int_equal(savings_of(p.plan), 1500000000);
    const struct plan_disruption *first = &p.plan->disruptions.items[0];
    assert_int_equal(first->moves.items[0].where, MOVE_TO_REPLACEMENT);
    assert_int_equal((first + 1)->moves.items[0].where, MOVE_TO_NODE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_along_leaves_the_room_to_later_moves_DIS_746),
        cmocka_unit_test(nodes_whose_pods_fit_into_holes_go_first_DIS_745),
        cmocka_unit_test(where_budgets_allow_few_nodes_the_dearest_go_DIS_746),
        cmocka_unit_test(nodes_that_want_the_same_room_are_looked_at_together_DIS_745),
        cmocka_unit_test(what_the_search_leaves_out_is_looked_at_singly_DIS_706),
        cmocka_unit_test(one_large_node_becomes_two_small_ones_DIS_745),
        cmocka_unit_test(more_nodes_must_be_worth_their_cost_SCH_507),
        cmocka_unit_test(twelve_nodes_in_three_pools_become_five_DIS_745),
        cmocka_unit_test(full_nodes_of_dear_shapes_become_more_of_cheap_ones_DIS_745),
        cmocka_unit_test(at_most_one_node_more_comes_than_goes_DIS_745),
        cmocka_unit_test(nothing_is_replaced_by_its_like_DIS_745_DIS_203),
        cmocka_unit_test(nodes_are_filled_anew_where_that_pays_DIS_745),
        cmocka_unit_test(what_has_no_place_is_dropped_and_the_rest_goes_on_DIS_713),
        cmocka_unit_test(the_best_move_is_made_not_the_first_DIS_746),
        cmocka_unit_test(moves_that_have_nothing_in_common_go_together_DIS_746),
        cmocka_unit_test(no_two_moves_rely_on_the_same_room_DIS_746),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
