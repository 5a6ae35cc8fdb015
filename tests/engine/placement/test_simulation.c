// Passes over a cluster without some of its nodes (SCH-57).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/compile/compile.h"
#include "engine/placement/pass.h"
#include "engine/placement/simulation.h"
#include "engine/plan_fixture.h"

#define NODE(name)                                        \
    "{apiVersion: v1, kind: Node, metadata: {name: " name \
    ", labels: {kubernetes.io/hostname: " name            \
    "}}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}}\n---\n"
#define BOUND(name, node, cpu, more)                                        \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: uid-" name \
    ", labels: {app: web}}, "                                               \
    "spec: {nodeName: " node ", " more                                      \
    CPU(cpu) "}, status: {phase: Running}}\n---\n"
#define APART                                                                                      \
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " \
    "kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}, "

struct simulated {
    struct arena *arena;
    struct problem *problem;
    struct pass *pass;
};

static struct simulated simulate_without(const struct plan_fixture *fixture, const char *node)
{
    struct simulated result = {.arena = arena_create(4096)};
    result.problem = problem_create(fixture->snapshot, result.arena, true);
    struct simulator *simulator = simulator_create(result.problem, result.arena);
    uint32_t gone;
    struct simulation simulation = {.gone = &gone};
    for (uint32_t i = 0; i < result.problem->nodes.count; i++)
        if (strcmp(result.problem->nodes.items[i].name, node) == 0) {
            gone = i;
            simulation.gone_count = 1;
        }
    result.pass = simulate(simulator, result.arena, &simulation);
    return result;
}

static void finish(struct simulated *simulated)
{
    pass_destroy(simulated->pass);
    problem_destroy(simulated->problem);
    arena_destroy(simulated->arena);
}

static void pods_of_a_node_that_goes_move_to_others(void **state)
{
    (void)state;
    PLAN p =
        plan_yaml(POOL NODE("n1") NODE("n2") BOUND("a", "n1", "1", "") BOUND("b", "n1", "3500m", "")
                      BOUND("c", "n2", "1", "") POD("pending", "", CPU("2")),
                  NULL);
    struct simulated s = simulate_without(&p, "n1");
    assert_int_equal(s.pass->input.queue_count, 3);
    // The largest first: b opens a claim, pending takes the rest of n2, a goes to the claim or n2.
    assert_string_equal(pass_pod(s.pass, 0)->pod->meta.name, "b");
    assert_int_equal(s.pass->placements[0].kind, ON_CLAIM);
    assert_int_equal(s.pass->placements[1].kind, ON_NODE);
    assert_int_equal(s.pass->placements[2].kind, ON_NODE);
    finish(&s);
    struct simulated t = simulate_without(&p, "n2");
    assert_int_equal(t.pass->input.queue_count, 2);
    finish(&t);
    struct simulated none = simulate_without(&p, "nobody");
    assert_int_equal(none.pass->input.queue_count, 1);
    assert_int_equal(none.pass->placements[0].kind, ON_NODE);
    finish(&none);
}

static void moving_pods_are_not_counted_where_they_were_SCH_289(void **state)
{
    (void)state;
    // a and c exclude each other; a finds room in an empty place, not next to its own former self.
    PLAN p = plan_yaml(POOL NODE("n1") NODE("n2") NODE("n3") BOUND("a", "n1", "1", APART)
                           BOUND("c", "n2", "1", APART),
                       NULL);
    struct simulated s = simulate_without(&p, "n1");
    assert_int_equal(s.pass->placements[0].kind, ON_NODE);
    assert_string_equal(s.problem->nodes.items[s.pass->placements[0].index].name, "n3");
    finish(&s);
}

static void one_problem_carries_many_passes(void **state)
{
    (void)state;
    PLAN p = plan_yaml(
        POOL NODE("n1") NODE("n2") BOUND("a", "n1", "1", "") BOUND("c", "n2", "1", ""), NULL);
    struct arena *arena = arena_create(4096);
    struct problem *problem = problem_create(p.snapshot, arena, true);
    struct simulator *simulator = simulator_create(problem, arena);
    for (int i = 0; i < 50; i++) {
        uint32_t gone = i % 2;
        struct pass *pass =
            simulate(simulator, arena, &(struct simulation){.gone = &gone, .gone_count = 1});
        assert_int_equal(pass->input.queue_count, 1);
        assert_int_equal(pass->placements[0].kind, ON_NODE);
        assert_int_equal(pass->placements[0].index, 1 - i % 2);
        pass_destroy(pass);
    }
    problem_destroy(problem);
    arena_destroy(arena);
}

static struct pass *simulate_one(struct simulator *simulator, struct arena *arena, uint32_t gone)
{
    return simulate(simulator, arena, &(struct simulation){.gone = &gone, .gone_count = 1});
}

static void passes_leave_nothing_behind_DIS_703(void **state)
{
    (void)state;
    PLAN p = plan_yaml(POOL NODE("n1") NODE("n2") NODE("n3") BOUND("a", "n1", "1", APART)
                           BOUND("b", "n1", "1500m", "") BOUND("c", "n2", "2", "")
                               BOUND("d", "n3", "3", "") POD("pending", "", CPU("1")),
                       NULL);
    struct arena *arena = arena_create(4096);
    struct problem *problem = problem_create(p.snapshot, arena, true);
    struct simulator *shared = simulator_create(problem, arena);
    struct pass *kept = simulate_one(shared, arena, 2); // has the room that the others would share
    for (uint32_t i = 0; i < 12; i++) {
        if (i == 6) {
            pass_destroy(kept);
            kept = NULL;
        }
        struct pass *a = simulate_one(shared, arena, i % 3);
        struct pass *b = simulate_one(simulator_create(problem, arena), arena, i % 3);
        assert_int_equal(a->input.queue_count, b->input.queue_count);
        for (uint32_t q = 0; q < a->input.queue_count; q++) {
            assert_int_equal(a->placements[q].kind, b->placements[q].kind);
            assert_int_equal(a->placements[q].index, b->placements[q].index);
        }
        pass_destroy(b);
        pass_destroy(a);
    }
    problem_destroy(problem);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_of_a_node_that_goes_move_to_others),
        cmocka_unit_test(moving_pods_are_not_counted_where_they_were_SCH_289),
        cmocka_unit_test(one_problem_carries_many_passes),
        cmocka_unit_test(passes_leave_nothing_behind_DIS_703),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
