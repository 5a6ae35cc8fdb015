// The order in which kube-scheduler tries pods, as far as it can be seen (SCH-516).
#include "control/state/pod_index.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

#define NO_NODES "no nodes available to schedule pods"

struct world {
    struct pod_index index;
    int64_t now_ns;
};

// The present version of the pod: kube-scheduler's message, the node that it is nominated to, and
// the node that it is bound to; each may be NULL.
static struct pod *see(struct world *world, const char *name, const char *message,
                       const char *nominated, const char *bound)
{
    struct text text = {0};
    text_format(&text,
                "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"%s\", "
                "\"namespace\": \"default\", \"uid\": \"%s\"}, \"spec\": {",
                name, name);
    if (bound != NULL)
        text_format(&text, "\"nodeName\": \"%s\"", bound);
    text_add(&text, "}, \"status\": {");
    if (message != NULL)
        text_format(&text,
                    "\"conditions\": [{\"type\": \"PodScheduled\", \"status\": \"False\", "
                    "\"reason\": \"Unschedulable\", \"message\": \"%s\"}]",
                    message);
    if (nominated != NULL)
        text_format(&text, "%s\"nominatedNodeName\": \"%s\"", message != NULL ? ", " : "",
                    nominated);
    text_add(&text, "}}");
    json_t *json = json_loads(text.data, 0, NULL);
    assert_non_null(json);
    struct error error = {0};
    struct object *pod = object_decode(json, kind_get(KIND_POD), DECODE_LENIENT, &error);
    assert_non_null(pod);
    json_decref(json);
    text_free(&text);
    world->now_ns = ns_add(world->now_ns, 10 * MILLISECOND);
    struct pod_record *record = pod_index_ensure(&world->index, (struct pod *)pod, world->now_ns);
    pod_index_replace(&world->index, record, (struct pod *)pod, bound == NULL, world->now_ns);
    object_release(pod); // the index has its own reference
    return (struct pod *)record->pod;
}

static void expect_order(const struct world *world, struct pod *const *pods, size_t count)
{
    for (size_t i = 1; i < count; i++)
        assert_true(pod_index_turn(&world->index, pods[i - 1]) <
                    pod_index_turn(&world->index, pods[i]));
}

static int begin(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    pod_index_init(&world->index);
    *state = world;
    return 0;
}

static int end(void **state)
{
    struct world *world = *state;
    pod_index_free(&world->index);
    free(world);
    return 0;
}

static void pods_come_as_they_appeared_SCH_516(void **state)
{
    struct world *world = *state;
    struct pod *a = see(world, "a", NULL, NULL, NULL), *b = see(world, "b", NULL, NULL, NULL);
    expect_order(world, (struct pod *[]){a, b}, 2);
    a = see(world, "a", NULL, "n1", NULL); // a nomination is no attempt
    expect_order(world, (struct pod *[]){a, b}, 2);
}

static void an_attempt_in_vain_puts_a_pod_last_SCH_516(void **state)
{
    struct world *world = *state;
    see(world, "a", NULL, NULL, NULL);
    struct pod *b = see(world, "b", NULL, NULL, NULL);
    struct pod *a = see(world, "a", "0/3 nodes are available", NULL, NULL);
    struct pod *c = see(world, "c", NULL, NULL, NULL); // created after it
    expect_order(world, (struct pod *[]){b, a, c}, 3);
    a = see(world, "a", "0/4 nodes are available", NULL, NULL);
    expect_order(world, (struct pod *[]){b, c, a}, 3);
}

static void the_end_of_a_nomination_is_an_attempt_SCH_516(void **state)
{
    struct world *world = *state;
    see(world, "a", "0/3 nodes are available", NULL, NULL);
    see(world, "a", "0/3 nodes are available", "n1", NULL);
    struct pod *b = see(world, "b", NULL, NULL, NULL);
    struct pod *a = see(world, "a", "0/3 nodes are available", NULL, NULL);
    expect_order(world, (struct pod *[]){b, a}, 2);
    assert_true(pod_index_find(&world->index, a)->lost_ns == world->now_ns);
    a = see(world, "a", "0/3 nodes are available", "n1", NULL);
    assert_true(pod_index_find(&world->index, a)->lost_ns == 0);
}

// Without nodes the pod is tried again every few seconds, and its condition stays the same.
static void unseen_attempts_are_concluded_from_later_ones_SCH_516(void **state)
{
    struct world *world = *state;
    see(world, "a", NULL, NULL, NULL);
    struct pod *a = see(world, "a", NO_NODES, NULL, NULL);
    see(world, "b", NULL, NULL, NULL);
    struct pod *c = see(world, "c", NULL, NULL, NULL);
    struct pod *b = see(world, "b", NO_NODES, NULL, NULL);
    expect_order(world, (struct pod *[]){a, c, b}, 3); // too early for a second attempt
    world->now_ns = ns_add(world->now_ns, 2 * SECOND);
    c = see(world, "c", NO_NODES, NULL, NULL);
    expect_order(world, (struct pod *[]){b, a, c}, 3); // a came before c, b does not
}

static void bound_and_deleted_pods_are_forgotten_SCH_516(void **state)
{
    struct world *world = *state;
    struct pod *a = see(world, "a", NO_NODES, NULL, NULL);
    see(world, "b", NO_NODES, NULL, NULL);
    pod_index_remove(&world->index, pod_index_find(&world->index, a));
    see(world, "b", NO_NODES, NULL, "n1");
    assert_int_equal(world->index.turns.tried_count, 0);
    world->now_ns = ns_add(world->now_ns, 5 * SECOND);
    see(world, "c", NULL, NULL, NULL);
    see(world, "c", NO_NODES, NULL, NULL);
    assert_int_equal(world->index.turns.tried_count, 1);
}

// A node has changed: those that were tried before are tried again, after the new one, in order.
static void a_change_has_all_tried_again_SCH_516(void **state)
{
    struct world *world = *state;
    struct scheduler_turns *turns = &world->index.turns;
    struct pod *a = see(world, "a", "0/3 nodes are available", NULL, NULL);
    struct pod *b = see(world, "b", "0/3 nodes are available", NULL, NULL);
    scheduler_turns_note_move(turns, ns_add(world->now_ns, MILLISECOND));
    struct pod *c = see(world, "c", "0/3 nodes are available", NULL, NULL);
    expect_order(world, (struct pod *[]){a, b, c}, 3);
    scheduler_turns_settle(turns, world->now_ns);
    expect_order(world, (struct pod *[]){c, a, b}, 3);
    scheduler_turns_settle(turns, world->now_ns);
    expect_order(world, (struct pod *[]){c, a, b}, 3);
}

// Three pods wait; the second has not been tried yet, the first will be tried again.
static void the_end_of_a_round_is_foreseen_SCH_516(void **state)
{
    struct world *world = *state;
    struct scheduler_turns *turns = &world->index.turns;
    see(world, "a", "0/3 nodes are available", NULL, NULL);
    see(world, "b", NULL, NULL, NULL);
    turns->pace_ns = 10 * MILLISECOND;
    assert_int_equal(scheduler_turns_left_ns(turns, 2), 10 * MILLISECOND);
    scheduler_turns_note_move(turns, ns_add(world->now_ns, MILLISECOND));
    assert_int_equal(scheduler_turns_left_ns(turns, 2), 20 * MILLISECOND);
    see(world, "b", "0/3 nodes are available", NULL, NULL);
    turns->pace_ns = 10 * MILLISECOND;
    assert_int_equal(scheduler_turns_left_ns(turns, 2), 10 * MILLISECOND);
    scheduler_turns_settle(turns, world->now_ns);
    assert_int_equal(scheduler_turns_left_ns(turns, 2), 0);
}

// The list of tried pods has gaps where pods have left, and closes them.
static void many_attempts_keep_the_order_SCH_516(void **state)
{
    struct world *world = *state;
    char name[10], message[40];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "p%d", i);
        see(world, name, "0/0 nodes are available", NULL, NULL);
    }
    for (int i = 1; i < 400; i++) {
        snprintf(name, sizeof name, "p%d", i % 40);
        snprintf(message, sizeof message, "0/%d nodes are available", i);
        see(world, name, message, i % 40 == 7 ? "n1" : NULL, i % 50 == 49 ? "n2" : NULL);
    }
    const struct scheduler_turns *turns = &world->index.turns;
    uint32_t tried = 0;
    int64_t last = 0;
    for (uint32_t i = 0; i < turns->tried.count; i++) {
        const struct scheduler_turn *turn = turns->tried.items[i];
        if (turn == NULL)
            continue;
        assert_int_equal(turn->index, i);
        assert_true(turn->at > last);
        last = turn->at;
        tried++;
    }
    assert_int_equal(tried, turns->tried_count);
    assert_true(turns->tried.count < 200);
}

// Pauses between the waves of attempts do not count.
static void the_pace_of_attempts_is_learned_SCH_516(void **state)
{
    struct world *world = *state;
    char message[40];
    for (int i = 0; i < 400; i++) {
        snprintf(message, sizeof message, "0/%d nodes are available", i);
        if (i % 40 == 0)
            world->now_ns = ns_add(world->now_ns, 5 * SECOND);
        see(world, "a", message, NULL, NULL);
    }
    assert_true(world->index.turns.pace_ns > 8 * MILLISECOND);
    assert_true(world->index.turns.pace_ns <= 10 * MILLISECOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pods_come_as_they_appeared_SCH_516, begin, end),
        cmocka_unit_test_setup_teardown(an_attempt_in_vain_puts_a_pod_last_SCH_516, begin, end),
        cmocka_unit_test_setup_teardown(the_end_of_a_nomination_is_an_attempt_SCH_516, begin, end),
        cmocka_unit_test_setup_teardown(unseen_attempts_are_concluded_from_later_ones_SCH_516,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_change_has_all_tried_again_SCH_516, begin, end),
        cmocka_unit_test_setup_teardown(the_end_of_a_round_is_foreseen_SCH_516, begin, end),
        cmocka_unit_test_setup_teardown(many_attempts_keep_the_order_SCH_516, begin, end),
        cmocka_unit_test_setup_teardown(the_pace_of_attempts_is_learned_SCH_516, begin, end),
        cmocka_unit_test_setup_teardown(bound_and_deleted_pods_are_forgotten_SCH_516, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
