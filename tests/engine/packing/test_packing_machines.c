// Machine choices of the LowestPrice packer (SCH-550 step 2, SCH-503, SCH-505, SCH-507, SCH-521).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/compile/compile.h"
#include "engine/packing/pack.h"
#include "engine/packing/pack_greedy.h"
#include "engine/packing/packing.h"
#include "engine/packing/packing_create.h"
#include "engine/packing/packing_machines.h"
#include "engine/placement/pass.h"
#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define MACHINE(name, cpu, memory, price)                                  \
    TYPE_OF(name, "", "cpu: '" cpu "', memory: " memory "Gi, pods: '110'", \
            OFFER("a", "on-base_group", price, ""))
#define PODS                                                                 \
    POD("a", "",                                                             \
        "containers: [{name: c, image: i, resources: {requests: {cpu: '1', " \
        "memory: 1Gi}}}]")

struct world {
    struct plan_fixture fixture;
    struct arena *arena;
    struct problem *problem;
    struct pass *greedy, *fresh;
    struct packing *packing;
};

static struct world world_of(const char *documents, const char *settings, double margin)
{
    struct world world = {.fixture = plan_yaml_bare(documents, settings)};
    world.arena = arena_create(4096);
    world.problem = problem_create(world.fixture.snapshot, world.arena, false);
    world.greedy = pack_greedy(world.problem);
    world.fresh = pass_create(world.problem, &world.greedy->input);
    world.packing = packing_create(world.greedy, world.fresh, margin);
    return world;
}

static void world_free(struct world *world)
{
    packing_destroy(world->packing);
    pass_destroy(world->fresh);
    pass_destroy(world->greedy);
    problem_destroy(world->problem);
    arena_destroy(world->arena);
    plan_fixture_free(&world->fixture);
}

static const struct packing_machines *machines_of(struct world *world)
{
    const struct node_template *template = world->problem->templates.items[0];
    return packing_machines_of(world->packing, template, template->set);
}

static void check_machine(const struct packing_machines *machines, uint32_t index, const char *name,
                          int64_t price)
{
    const struct packing_machine *machine = &machines->items[index];
    assert_true(index < machines->count);
    assert_string_equal(machines->template->table->rows[machine->row].type->name, name);
    assert_int_equal(machine->price, price);
}

// The room for a resource of the problem.
static int64_t room_for(const struct world *world, const struct packing_machine *machine,
                        uint32_t dimension)
{
    for (uint32_t d = 0; d < world->packing->dimensions_count; d++)
        if (world->packing->dimensions[d] == dimension)
            return machine->room[d];
    fail();
    return 0;
}

static void only_machines_worth_buying_SCH_505_550(void **state)
{
    (void)state;
    struct world world = world_of(
        CATALOG_OF(
            MACHINE("large", "8", "32", "0.2") ", " MACHINE("waste", "4", "16", "0.3") ", " MACHINE(
                "small", "4", "16", "0.1") ", " MACHINE("roomy", "4", "64",
                                                        "0.15") ", " MACHINE("same", "4", "16",
                                                                             "0.1")) POOL PODS,
        NULL, 0);
    const struct packing_machines *machines = machines_of(&world);
    // "waste" has no more than "small" for a higher price, "same" the same for the same; ties by
    // name.
    assert_int_equal(machines->count, 3);
    check_machine(machines, 0, "same", 100000000);
    check_machine(machines, 1, "roomy", 150000000);
    check_machine(machines, 2, "large", 200000000);
    assert_int_equal(machines->sold_count, 5);
    assert_ptr_equal(machines_of(&world), machines);
    world_free(&world);
}

static void room_is_what_daemon_sets_leave_SCH_507_521(void **state)
{
    (void)state;
    struct world world = world_of(
        CATALOG_OF(MACHINE("small", "4", "16", "0.1") ", " MACHINE("tiny", "1", "4", "0.01"))
            POOL DAEMON_SET("agent", CPU("1500m")) PODS,
        NULL, 0);
    const struct packing_machines *machines = machines_of(&world);
    assert_int_equal(machines->count, 1); // the agent does not fit the tiny one
    assert_int_equal(room_for(&world, &machines->items[0], DIMENSION_CPU), 2500);
    assert_int_equal(room_for(&world, &machines->items[0], DIMENSION_PODS), 109);
    world_free(&world);
    world = world_of(
        CATALOG_OF(MACHINE(
            "small", "4", "16",
            "0.1")) "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p, "
                    "annotations: {adze.dev/max-pods-per-node: '7'}}, spec: {template: {spec: "
                    "{nodeClassRef: {group: g, kind: Class, name: c}}}}}\n---\n" PODS,
        NULL, 0);
    machines = machines_of(&world);
    assert_int_equal(room_for(&world, &machines->items[0], DIMENSION_PODS), 7);
    world_free(&world);
}

static void the_cheapest_that_is_large_enough_SCH_550(void **state)
{
    (void)state;
    struct world world =
        world_of(CATALOG_OF(MACHINE("small", "4", "16", "0.1") ", " MACHINE(
                     "roomy", "4", "64", "0.15") ", " MACHINE("large", "8", "32", "0.2")) POOL PODS,
                 NULL, 0);
    const struct packing_machines *machines = machines_of(&world);
    int64_t used[8] = {0};
    assert_true(world.packing->dimensions_count <= 8);
    assert_int_equal(packing_machines_find(world.packing, machines, used, 0), 0);
    assert_int_equal(packing_machines_find(world.packing, machines, used, 1), 1);
    for (uint32_t d = 0; d < world.packing->dimensions_count; d++)
        if (world.packing->dimensions[d] == DIMENSION_CPU)
            used[d] = 4001;
    assert_int_equal(packing_machines_find(world.packing, machines, used, 0), 2);
    for (uint32_t d = 0; d < world.packing->dimensions_count; d++)
        if (world.packing->dimensions[d] == DIMENSION_CPU)
            used[d] = 8001;
    assert_int_equal(packing_machines_find(world.packing, machines, used, 0), machines->count);
    world_free(&world);
}

static void what_choice_and_nodes_count_for_SCH_503_507(void **state)
{
    (void)state;
#define SIX                                                                                       \
    CATALOG_OF(MACHINE("a", "4", "16", "0.10") ", " MACHINE("b", "4", "16", "0.11") ", " MACHINE( \
        "c", "4", "16",                                                                           \
        "0.12") ", " MACHINE("d", "4", "16",                                                      \
                             "0.13") ", " MACHINE("e", "4", "16",                                 \
                                                  "0.14") ", " MACHINE("lone", "8", "32", "0.20"))
    // Five are substitutes for "a", none for the lone one.
    struct world world = world_of(SIX POOL PODS, NULL, 0.05);
    check_machine(machines_of(&world), 0, "a", 100000000);
    check_machine(machines_of(&world), 1, "lone", 210000000);
    assert_int_equal(machines_of(&world)->prices[machines_of(&world)->items[1].row], 200000000);
    world_free(&world);
    // Each node costs 0.01 more, and a tenth of its price where it might carry everything.
    world = world_of(SIX POOL PODS, "PACKING_POLICY: LowestPrice, NODE_COST: '0.01'", 0);
    check_machine(machines_of(&world), 0, "a", 120000000);
    check_machine(machines_of(&world), 1, "lone", 230000000);
    world_free(&world);
    // 40 cpu cost some USD: the loss of one of ten nodes is a hundredth.
    world = world_of(SIX POOL DEPLOYMENT("web", "40", "",
                                         "containers: [{name: c, image: i, "
                                         "resources: {requests: {cpu: '1', memory: 1Gi}}}]"),
                     "PACKING_POLICY: LowestPrice, NODE_COST: '0.01'", 0);
    assert_true(world.packing->price_scale == 1e9);
    check_machine(machines_of(&world), 0, "a", 111000000);
    check_machine(machines_of(&world), 1, "lone", 214000000);
    world_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_machines_worth_buying_SCH_505_550),
        cmocka_unit_test(room_is_what_daemon_sets_leave_SCH_507_521),
        cmocka_unit_test(the_cheapest_that_is_large_enough_SCH_550),
        cmocka_unit_test(what_choice_and_nodes_count_for_SCH_503_507),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
