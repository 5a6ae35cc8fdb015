// Pods of one workload on one node swap places with others (SCH-516).
#include "control/nomination/exchange_search.h"

#include <stdlib.h>

#include "support/cmocka_all.h"

#define NODES 4
#define PODS  16

struct world {
    struct exchange_node nodes[NODES];
    int64_t room[NODES];
    struct exchange exchange;
    struct {
        int64_t size;
        uint32_t node;
    } pods[PODS];
    uint32_t count;
};

// Nodes of one pool in one zone, with the given room each.
static struct world *world_create(uint32_t nodes, int64_t room)
{
    struct world *world = calloc(1, sizeof *world);
    for (uint32_t i = 0; i < nodes; i++) {
        world->room[i] = room;
        world->nodes[i].room = &world->room[i];
    }
    world->exchange = (struct exchange){
        .nodes = world->nodes, .node_count = nodes, .resource_count = 1, .steps_max = 100000};
    return world;
}

static void world_destroy(struct world *world)
{
    for (uint32_t i = 0; i < NODES; i++)
        vector_free(&world->nodes[i].pods);
    free(world);
}

static struct exchange_pod *add(struct world *world, uint32_t node, uint32_t workload, int64_t size)
{
    world->pods[world->count].size = size;
    world->pods[world->count].node = node;
    struct exchange_pod pod = {.object = &world->pods[world->count],
                               .workload = workload,
                               .may_move = true,
                               .requests = &world->pods[world->count].size};
    world->count++;
    vector_push(&world->nodes[node].pods, pod);
    return &world->nodes[node].pods.items[world->nodes[node].pods.count - 1];
}

// A node's contents and room are unchanged; and moved pods are marked.
static void check(const struct world *world, int64_t room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->exchange.node_count; i++) {
        int64_t change = 0;
        vector_for_each (pod, &world->nodes[i].pods) {
            for (uint32_t k = 0; k < world->count; k++)
                if (pod->object == &world->pods[k]) {
                    change += world->pods[k].node != i ? pod->requests[0] : 0;
                    assert_true(pod->has_moved || world->pods[k].node == i);
                }
            count++;
        }
        for (uint32_t k = 0; k < world->count; k++)
            if (world->pods[k].node == i) {
                bool stays = false;
                vector_for_each (pod, &world->nodes[i].pods)
                    stays |= pod->object == &world->pods[k];
                change -= stays ? 0 : world->pods[k].size;
            }
        assert_int_equal(world->room[i], room - change);
        assert_true(world->room[i] >= 0);
    }
    assert_int_equal(count, world->count);
}

static void search(struct world *world, int64_t room, uint32_t siblings)
{
    exchange_search(&world->exchange);
    assert_int_equal(exchange_siblings(&world->exchange), siblings);
    check(world, room);
    world_destroy(world);
}

static void siblings_move_into_free_room_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(2, 3);
    add(world, 0, 1, 3);
    add(world, 0, 1, 3);
    search(world, 3, 0);
}

static void siblings_swap_with_one_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(2, 0);
    add(world, 0, 1, 3);
    add(world, 0, 1, 3);
    add(world, 1, 2, 3);
    search(world, 0, 0);
}

static void a_sibling_swaps_with_two_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(2, 0);
    add(world, 0, 1, 3);
    add(world, 0, 1, 3);
    add(world, 1, 2, 1);
    add(world, 1, 3, 2);
    search(world, 0, 0);
}

static void a_sibling_and_another_swap_with_one_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(2, 0);
    add(world, 0, 1, 3);
    add(world, 0, 1, 3);
    add(world, 0, 2, 2);
    add(world, 1, 3, 5);
    search(world, 0, 0);
}

static void sets_of_three_change_places_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(2, 0);
    add(world, 0, 1, 4);
    add(world, 0, 1, 4);
    add(world, 0, 2, 5);
    add(world, 0, 3, 6);
    add(world, 1, 4, 1);
    add(world, 1, 5, 2);
    add(world, 1, 6, 12);
    search(world, 0, 0);
}

// Where siblings are unavoidable, few share a node: of four and one become three and two.
static void siblings_are_shared_out_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(2, 1);
    for (uint32_t i = 0; i < 4; i++)
        add(world, 0, 1, 2);
    add(world, 1, 1, 2);
    add(world, 1, 2, 2);
    add(world, 1, 3, 3);
    exchange_search(&world->exchange);
    uint32_t count = 0;
    vector_for_each (pod, &world->nodes[0].pods)
        count += pod->workload == 1;
    assert_int_equal(count, 3);
    check(world, 1);
    world_destroy(world);
}

static void nobody_leaves_the_zone_or_the_pool_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(3, 0);
    add(world, 0, 1, 3);
    add(world, 0, 1, 3);
    add(world, 1, 2, 3);
    add(world, 2, 3, 3);
    world->nodes[1].domains[0] = 1;
    world->nodes[2].pool = 1;
    search(world, 0, 2);
}

static void those_that_are_bound_stay_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(2, 3);
    add(world, 0, 1, 3)->may_move = false;
    add(world, 0, 1, 3)->may_move = false;
    search(world, 3, 2);
}

// Anti-affinity of other pods excludes one node.
static void nobody_goes_where_others_keep_it_away_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(3, 0);
    add(world, 0, 1, 3)->unwanted = 1;
    add(world, 0, 1, 3)->unwanted = 1;
    add(world, 1, 2, 3);
    add(world, 2, 3, 3)->unwanted = 4;
    world->nodes[0].rules = 4;
    world->nodes[1].rules = 3;
    search(world, 0, 2);
}

static void the_search_has_an_end_SCH_516(void **state)
{
    (void)state;
    struct world *world = world_create(2, 0);
    add(world, 0, 1, 3);
    add(world, 0, 1, 3);
    add(world, 1, 2, 3);
    world->exchange.steps_max = 1; // the first look finds no free room
    search(world, 0, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings_move_into_free_room_SCH_516),
        cmocka_unit_test(siblings_swap_with_one_SCH_516),
        cmocka_unit_test(a_sibling_swaps_with_two_SCH_516),
        cmocka_unit_test(a_sibling_and_another_swap_with_one_SCH_516),
        cmocka_unit_test(sets_of_three_change_places_SCH_516),
        cmocka_unit_test(siblings_are_shared_out_SCH_516),
        cmocka_unit_test(nobody_leaves_the_zone_or_the_pool_SCH_516),
        cmocka_unit_test(those_that_are_bound_stay_SCH_516),
        cmocka_unit_test(nobody_goes_where_others_keep_it_away_SCH_516),
        cmocka_unit_test(the_search_has_an_end_SCH_516),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
