// The types of a plan's claims within the limits of their NodePool (SCH-365, SCH-519).
#include "engine/launch/limit_grants.h"

#include "support/cmocka_all.h"

#define CLAIMS 3

struct world {
    struct resource_quantity limits[2], sizes[2];
    struct instance_type types[2]; // of 2 and 8 CPUs
    struct plan_type offered[2];
    struct plan_claim claims[CLAIMS];
    struct node_pool pool;
    int64_t left[2];
    struct limit_room room, *rooms[CLAIMS];
    struct plan plan;
};

// The limit leaves `cpus` and `nodes` machines.
static struct world *world_of(struct arena *arena, int64_t cpus, int64_t nodes)
{
    struct world *world = arena_allocate(arena, sizeof *world);
    world->limits[0].name = "cpu";
    world->limits[1].name = "nodes";
    world->pool.spec.limits = (struct resource_map){world->limits, 2};
    for (int i = 0; i < 2; i++) {
        world->sizes[i] = (struct resource_quantity){"cpu", i == 0 ? 2 : 8};
        world->types[i].capacity = (struct resource_map){&world->sizes[i], 1};
        world->offered[i].instance_type = &world->types[i];
    }
    world->left[0] = cpus;
    world->left[1] = nodes;
    world->room = (struct limit_room){&world->pool, world->left};
    for (int i = 0; i < CLAIMS; i++) {
        world->claims[i].types.items = world->offered;
        world->claims[i].types.count = 2;
        world->rooms[i] = &world->room;
    }
    world->plan.claims.items = world->claims;
    world->plan.claims.count = CLAIMS;
    return world;
}

static void the_cheapest_of_each_before_larger_ones_of_any_SCH_519(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct world *world = world_of(arena, 12, 100);
    struct claim_types *types = limit_grants(arena, &world->plan, world->rooms);
    assert_int_equal(types[0].types.count, 2); // 8 and 2 and 2
    assert_int_equal(types[1].types.count, 1);
    assert_int_equal(types[2].types.count, 1);
    assert_ptr_equal(types[1].types.items[0], &world->types[0]);
    assert_int_equal(world->left[0], 0);
    assert_int_equal(world->left[1], 97);
}

static void no_types_where_nothing_is_left_SCH_365(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct world *world = world_of(arena, 100, 1);
    struct claim_types *types = limit_grants(arena, &world->plan, world->rooms);
    assert_int_equal(types[0].types.count, 2);
    assert_int_equal(types[1].types.count, 0);
    assert_int_equal(types[2].types.count, 0);
    world = world_of(arena, -1, 100);
    types = limit_grants(arena, &world->plan, world->rooms);
    for (int i = 0; i < CLAIMS; i++)
        assert_int_equal(types[i].types.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_of_each_before_larger_ones_of_any_SCH_519),
        cmocka_unit_test(no_types_where_nothing_is_left_SCH_365),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
