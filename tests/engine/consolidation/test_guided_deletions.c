// Deletions whose pods are led to their places (DIS-749, engine/placement/drain_guidance.h).
#include "engine/disruption/disrupt_fixture.h"

#include <stdio.h>

#define UNGUIDED "DRAIN_GUIDANCE: Off"
#define PAIRS    4

struct case_of_room {
    const char *pods_spec; // of the pods that move
    const char *owner;     // of them; NULL: ReplicaSet
    bool has_stranger;     // a node without NodeClaim has much room
};

static void add_stayer(struct text *world, const char *name, const char *cpu, const char *anchor)
{
    add_node(world, (struct test_node){.name = name, .type = "ten", .cpu = cpu});
    add_pod(world, (struct test_pod){.name = name,
                                     .node = name,
                                     .cpu = anchor,
                                     .owner_name = name,
                                     .annotations = "karpenter.sh/do-not-disrupt: 'true'"});
}

static void add_mover(struct text *world, const struct case_of_room *room, const char *size,
                      int number, const char *cpu)
{
    char name[24];
    snprintf(name, sizeof name, "%s-%d", size, number);
    add_pod(world, (struct test_pod){.name = name,
                                     .node = "x",
                                     .cpu = cpu,
                                     .owner = room->owner,
                                     .owner_name = name,
                                     .spec = room->pods_spec});
}

// Four nodes have 1.9 cpu left, four 1 cpu; node x has four pods of 1 cpu and eight of 950m. These
// fit if each node with 1 cpu gets a pod of 1 cpu; kube-scheduler puts them on the others, which
// are emptier.
static struct plan_fixture decide(const struct case_of_room *room, const char *settings)
{
    struct text world = {0};
    add_catalog(&world);
    add_type(&world, "ten", "10", "0.5");
    text_add(&world, "---\n");
    add_pool(&world, (struct test_pool){0});
    for (int i = 0; i < PAIRS; i++) {
        char name[8];
        snprintf(name, sizeof name, "wide%d", i);
        add_stayer(&world, name, "9900m", "8");
        snprintf(name, sizeof name, "tight%d", i);
        add_stayer(&world, name, "9", "8");
    }
    add_node(&world, (struct test_node){.name = "x", .type = "ten", .cpu = "12"});
    if (room->has_stranger)
        add_node(&world, (struct test_node){.name = "y", .cpu = "940m", .unmanaged = true});
    for (int i = 0; i < PAIRS; i++)
        add_mover(&world, room, "one", i, "1");
    for (int i = 0; i < 2 * PAIRS; i++)
        add_mover(&world, room, "less", i, "950m");
    return disrupt_bare(&world, "multi", settings);
}

static void pods_are_led_to_the_fullest_nodes_DIS_749(void **state)
{
    (void)state;
    PLAN p = decide(&(struct case_of_room){0}, NULL);
    assert_disrupts(p.plan, "Underutilized/single: x");
    const struct plan_moves *moves = &p.plan->disruptions.items[0].moves;
    assert_int_equal(moves->count, 3 * PAIRS);
    list_for_each (move, moves) {
        assert_int_equal(move->where, MOVE_TO_NODE);
        assert_true(move->is_led);
        assert_true((strncmp(move->pod->meta.name, "one", 3) == 0) ==
                    (strncmp(move->name, "tight", 5) == 0));
    }
}

static void none_are_led_where_it_is_turned_off_DIS_749(void **state)
{
    (void)state;
    PLAN p = decide(&(struct case_of_room){0}, UNGUIDED);
    assert_disrupts(p.plan, "");
    PLAN q = decide(&(struct case_of_room){0}, UPSTREAM);
    list_for_each (command, &q.plan->disruptions)
        list_for_each (move, &command->moves)
            assert_false(move->is_led);
}

static void pods_that_tolerate_the_taint_are_not_led_DIS_749(void **state)
{
    (void)state;
    PLAN p =
        decide(&(struct case_of_room){.pods_spec = "tolerations: [{operator: Exists}], "}, NULL);
    assert_disrupts(p.plan, "");
}

static void pods_whose_successors_come_late_are_not_led_DIS_749(void **state)
{
    (void)state;
    PLAN p = decide(&(struct case_of_room){.owner = "StatefulSet"}, NULL);
    assert_disrupts(p.plan, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_are_led_to_the_fullest_nodes_DIS_749),
        cmocka_unit_test(none_are_led_where_it_is_turned_off_DIS_749),
        cmocka_unit_test(pods_that_tolerate_the_taint_are_not_led_DIS_749),
        cmocka_unit_test(pods_whose_successors_come_late_are_not_led_DIS_749),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
