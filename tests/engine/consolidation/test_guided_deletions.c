// Deletions whose pods are led to their places (DIS-749, engine/placement/drain_guidance.h).
#include "support/cmocka_all.h"

#include "base/text.h"
#include "engine/disruption/disrupt_fixture.h"

#define UNGUIDED "DRAIN_GUIDANCE: 'Off'"
#define PAIRS    4

struct case_of_room {
    const char *pods_spec; // of the pods that move
    const char *owner;     // of them; NULL: ReplicaSet
    bool has_stranger;     // a node without NodeClaim is empty
};

static void add_stayer(struct text *world, const char *name, const char *cpu, const char *anchor)
{
    add_node(world, (struct test_node){.name = name, .cpu = cpu});
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
                                     .node = number % 2 == 0 ? "b0" : "b1",
                                     .cpu = cpu,
                                     .owner = room->owner,
                                     .owner_name = name,
                                     .spec = room->pods_spec});
}

// Four nodes have 1.9 cpu left, four 1 cpu; nodes b0 and b1 have four pods of 1 cpu and eight of
// 950m. These fit if each node with 1 cpu gets a pod of 1 cpu; kube-scheduler puts them on the
// others, which are emptier.
static struct plan_fixture decide(const struct case_of_room *room, const char *settings)
{
    struct text world = {0};
    add_pool(&world, (struct test_pool){0});
    for (int i = 0; i < PAIRS; i++) {
        char name[8];
        snprintf(name, sizeof name, "wide%d", i);
        add_stayer(&world, name, "9900m", "8");
        snprintf(name, sizeof name, "tight%d", i);
        add_stayer(&world, name, "9", "8");
    }
    add_node(&world, (struct test_node){.name = "b0", .cpu = "6"});
    add_node(&world, (struct test_node){.name = "b1", .cpu = "6"});
    if (room->has_stranger)
        add_node(&world, (struct test_node){.name = "room", .cpu = "2", .unmanaged = true});
    for (int i = 0; i < PAIRS; i++)
        add_mover(&world, room, "one", i, "1");
    for (int i = 0; i < 2 * PAIRS; i++)
        add_mover(&world, room, "less", i, "950m");
    return disrupt(&world, "multi", settings);
}

static void assert_needs_a_node(const struct plan *plan)
{
    assert_int_equal(plan->disruptions.count, 1);
    assert_int_equal(plan->disruptions.items[0].replacements.count, 1);
    list_for_each (move, &plan->disruptions.items[0].moves)
        assert_false(move->is_led);
}

static void pods_are_led_to_the_fullest_nodes_DIS_749(void **state)
{
    (void)state;
    PLAN p = decide(&(struct case_of_room){0}, NULL);
    assert_disrupts(p.plan, "Underutilized/multi: b0 b1");
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
    assert_needs_a_node(p.plan);
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
    assert_needs_a_node(p.plan);
}

static void pods_whose_successors_come_late_are_not_led_DIS_749(void **state)
{
    (void)state;
    PLAN p = decide(&(struct case_of_room){.owner = "StatefulSet"}, NULL);
    assert_needs_a_node(p.plan);
}

// It cannot get the taint, so it draws the first pods, whatever is planned.
static void nodes_of_others_draw_pods_all_the_same_DIS_749(void **state)
{
    (void)state;
    PLAN p = decide(&(struct case_of_room){.has_stranger = true}, NULL);
    assert_disrupts(p.plan, "Underutilized/multi: b0 b1");
    uint32_t strange = 0;
    list_for_each (move, &p.plan->disruptions.items[0].moves) {
        bool is_strange = strcmp(move->name, "room") == 0;
        strange += is_strange;
        assert_true(move->is_led == !is_strange);
        assert_true(!is_strange || strncmp(move->pod->meta.name, "one", 3) == 0);
    }
    assert_int_equal(strange, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_are_led_to_the_fullest_nodes_DIS_749),
        cmocka_unit_test(nodes_of_others_draw_pods_all_the_same_DIS_749),
        cmocka_unit_test(none_are_led_where_it_is_turned_off_DIS_749),
        cmocka_unit_test(pods_that_tolerate_the_taint_are_not_led_DIS_749),
        cmocka_unit_test(pods_whose_successors_come_late_are_not_led_DIS_749),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
