// Nodes that are about to expire (DIS-762, LIF-451). It is 2026-01-01T00:00:00Z; the nodes were
// created a month before.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/duration.h"
#include "engine/disruption/disrupt_fixture.h"
#include "engine/disruption/expiry.h"

#define LARGE_ONLY                                                                  \
    "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: " \
    "[large]}], "

static struct plan_fixture expire(struct text *world, const char *settings, int64_t lead_ns)
{
    return disrupt_running(world, "expiry", settings,
                           &(struct disruption_inputs){.expiry_lead_ns = lead_ns});
}

// One node with a pod that expires the given minutes from now.
static struct plan_fixture one_node(const char *expire_after, const char *settings, int64_t lead_ns,
                                    struct test_pool pool, struct test_pod pod)
{
    struct text world = {0};
    add_pool(&world, pool);
    char spec[100];
    snprintf(spec, sizeof spec, "expireAfter: %s", expire_after);
    add_node(&world, (struct test_node){.name = "x", .claim_spec = spec});
    pod.name = "p";
    pod.node = "x";
    add_pod(&world, pod);
    return expire(&world, settings, lead_ns);
}

static void a_node_goes_a_lead_before_its_deadline_DIS_762(void **state)
{
    (void)state;
    static const struct {
        const char *expire_after; // 744 hours are over
        const char *settings;
        bool goes;
        int64_t again_minutes; // the next evaluation
    } cases[] = {
        {"744h10m", NULL, true, 0}, {"744h11m", NULL, false, 1}, {"745h", NULL, false, 50},
        {"744h", NULL, false, 0}, // the deadline itself belongs to another controller
        {"743h", NULL, false, 0},   {"Never", NULL, false, 0},   {"744h10m", UPSTREAM, false, 0},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        PLAN p = one_node(cases[i].expire_after, cases[i].settings, 10 * MINUTE,
                          (struct test_pool){.template = LARGE_ONLY}, (struct test_pod){0});
        assert_disrupts(p.plan, cases[i].goes ? "Expired/none: x -> large - -" : "");
        int64_t again = cases[i].again_minutes;
        assert_true(p.plan->look_again == (again > 0 ? p.snapshot->time + again * MINUTE : 0));
    }
}

static void the_lead_is_at_most_a_tenth_of_the_life_DIS_762(void **state)
{
    (void)state;
    // 31 days are over; a tenth of 33 days are 79 hours.
    PLAN p = one_node("792h", NULL, 1000 * HOUR, (struct test_pool){0}, (struct test_pod){0});
    assert_int_equal(p.plan->disruptions.count, 1);
    PLAN q = one_node("830h", NULL, 1000 * HOUR, (struct test_pool){0}, (struct test_pod){0});
    assert_int_equal(q.plan->disruptions.count, 0);
    assert_true(q.plan->look_again == q.snapshot->time + 3 * HOUR); // 86 - 83
}

// Graceful: a protected pod or node waits for the deadline, with or without a grace period.
static void what_protects_from_disruption_protects_DIS_762(void **state)
{
    (void)state;
    struct test_pod kept = {.annotations = "karpenter.sh/do-not-disrupt: 'true'"};
    PLAN p = one_node("744h5m, terminationGracePeriod: 1h", NULL, 10 * MINUTE,
                      (struct test_pool){0}, kept);
    assert_disrupts(p.plan, "");
    PLAN q = one_node("744h5m", NULL, 10 * MINUTE,
                      (struct test_pool){.disruption = "budgets: [{nodes: '0', reasons: "
                                                       "[Drifted]}], consolidateAfter: 0s"},
                      (struct test_pod){0});
    assert_disrupts(q.plan, "");
    PLAN r = one_node("744h5m", NULL, 10 * MINUTE,
                      (struct test_pool){.disruption = "budgets: [{nodes: '0', reasons: [Empty, "
                                                       "Underutilized]}], consolidateAfter: Never"},
                      (struct test_pod){0});
    assert_int_equal(r.plan->disruptions.count, 1);
    PLAN s = one_node("744h5m", NULL, 10 * MINUTE, (struct test_pool){.spec = "replicas: 1, "},
                      (struct test_pod){0});
    assert_disrupts(s.plan, "");
}

// Nodes of one scale-up, under a budget of two at once.
static struct plan_fixture scale_up(int nodes, const char *expire_after, int64_t lead_ns)
{
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: '2'}], "
                                                      "consolidateAfter: Never",
                                        .template = LARGE_ONLY});
    char spec[100];
    snprintf(spec, sizeof spec, "expireAfter: %s", expire_after);
    for (int i = 0; i < nodes; i++) {
        char name[8], pod[8];
        snprintf(name, sizeof name, "n%d", i);
        snprintf(pod, sizeof pod, "p%d", i);
        add_node(&world, (struct test_node){.name = name, .cpu = "8", .claim_spec = spec});
        add_pod(&world, (struct test_pod){.name = pod, .node = name, .cpu = "7900m"});
    }
    return expire(&world, NULL, lead_ns);
}

static void nodes_of_one_age_begin_in_time_for_all_DIS_762(void **state)
{
    (void)state;
    // Six nodes, two at once: three leads of ten minutes. Their pods are packed together.
    PLAN p = scale_up(6, "744h30m", 10 * MINUTE);
    assert_disrupts(p.plan, "Expired/none: n0 n1 -> large - -");
    PLAN q = scale_up(6, "744h31m", 10 * MINUTE);
    assert_disrupts(q.plan, "");
    assert_true(q.plan->look_again == q.snapshot->time + MINUTE);
    PLAN r = scale_up(4, "744h30m", 10 * MINUTE); // the remaining nodes have more time
    assert_disrupts(r.plan, "");
}

static void those_that_expire_first_go_first_DIS_762(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: '1'}], "
                                                      "consolidateAfter: Never"});
    add_node(&world, (struct test_node){.name = "a", .claim_spec = "expireAfter: 744h9m"});
    add_node(&world, (struct test_node){.name = "b", .claim_spec = "expireAfter: 744h8m"});
    add_node(&world, (struct test_node){.name = "c",
                                        .claim_spec = "expireAfter: 744h7m",
                                        .drifted = "2025-12-20T00:00:00Z"}); // left to drift
    add_pod(&world, (struct test_pod){.name = "p", .node = "a"});
    add_pod(&world, (struct test_pod){.name = "q", .node = "b"});
    PLAN p = expire(&world, NULL, 10 * MINUTE);
    assert_int_equal(p.plan->disruptions.count, 1);
    assert_string_equal(p.plan->disruptions.items[0].candidates.items[0], "b");
    assert_int_equal(p.plan->disruptions.items[0].candidates.count, 1);
}

static void empty_nodes_go_without_replacement_DIS_762(void **state)
{
    (void)state;
    struct text world = {0};
    add_pool(&world, (struct test_pool){.disruption = "budgets: [{nodes: '5'}], "
                                                      "consolidateAfter: Never"});
    add_node(&world, (struct test_node){.name = "a", .claim_spec = "expireAfter: 744h4m"});
    PLAN p = expire(&world, NULL, 0); // nothing observed: five minutes
    assert_disrupts(p.plan, "Expired/none: a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_goes_a_lead_before_its_deadline_DIS_762),
        cmocka_unit_test(the_lead_is_at_most_a_tenth_of_the_life_DIS_762),
        cmocka_unit_test(what_protects_from_disruption_protects_DIS_762),
        cmocka_unit_test(nodes_of_one_age_begin_in_time_for_all_DIS_762),
        cmocka_unit_test(those_that_expire_first_go_first_DIS_762),
        cmocka_unit_test(empty_nodes_go_without_replacement_DIS_762),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
