// The deletion order of a static NodePool's NodeClaims (LIF-233), and the cost of moving their pods
// (LIF-234).
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

#include "base/duration.h"
#include "base/text.h"
#include "engine/disruption/static_order.h"
#include "model/reading/pod.h"

#define NOW (INT64_C(1767225600) * SECOND)

static struct node_claim claims[4];
static struct pod pods[4];
static const struct pod *listed[4];
static struct owner_reference owner;
static struct string_pair annotation;

static int setup(void **state)
{
    (void)state;
    memset(claims, 0, sizeof claims);
    memset(pods, 0, sizeof pods);
    for (int i = 0; i < 4; i++) {
        claims[i].meta.name = (const char *[]){"a", "b", "c", "d"}[i];
        claims[i].meta.creation_timestamp = NOW - HOUR;
        pods[i].status.phase = "Running";
        listed[i] = &pods[i];
    }
    return 0;
}

static struct static_candidate of(const struct node_claim *claim, uint32_t count)
{
    return static_candidate_of(claim, listed, count, NOW);
}

static void make_daemon(struct pod *pod)
{
    owner = (struct owner_reference){
        .api_version = "apps/v1", .kind = "DaemonSet", .name = "d", .controller = true};
    pod->meta.owner_references.items = &owner;
    pod->meta.owner_references.count = 1;
}

static void annotate(struct pod *pod, const char *key, const char *value)
{
    annotation = (struct string_pair){key, value};
    pod->meta.annotations = (struct string_map){&annotation, 1};
}

static void ranks_LIF_233(void **state)
{
    (void)state;
    assert_int_equal(static_candidate_unlaunched(&claims[0]).rank, STATIC_UNLAUNCHED);
    assert_int_equal(of(&claims[0], 0).rank, STATIC_EMPTY);
    assert_int_equal(of(&claims[0], 1).rank, STATIC_USED);
    pods[0].status.phase = "Succeeded";
    assert_int_equal(of(&claims[0], 1).rank, STATIC_EMPTY);
    pods[0].status.phase = "Running";
    make_daemon(&pods[0]);
    assert_int_equal(of(&claims[0], 1).rank, STATIC_EMPTY);
    annotate(&pods[0], ANNOTATION_DO_NOT_DISRUPT, "true");
    assert_int_equal(of(&claims[0], 1).rank, STATIC_PROTECTED);
    pods[0].meta.annotations.count = 0;
    pods[0].meta.unreadable = "spec: expected an object, found a list"; // unreadable
    assert_int_equal(of(&claims[0], 1).rank, STATIC_PROTECTED);
}

static void cost_of_pods_LIF_234(void **state)
{
    (void)state;
    assert_true(of(&claims[0], 3).cost == 3.0);
    annotate(&pods[0], "controller.kubernetes.io/pod-deletion-cost", "134217728"); // 2^27
    assert_true(of(&claims[0], 1).cost == 2.0);
    annotate(&pods[0], "controller.kubernetes.io/pod-deletion-cost", "2147483647");
    assert_true(of(&claims[0], 1).cost == 10.0);
    annotate(&pods[0], "controller.kubernetes.io/pod-deletion-cost", "-2147483647");
    assert_true(of(&claims[0], 1).cost == -10.0);
    annotate(&pods[0], "controller.kubernetes.io/pod-deletion-cost", "cheap");
    assert_true(of(&claims[0], 1).cost == 1.0);
    pods[0].spec.priority = (struct optional_int){true, 1 << 25};
    assert_true(of(&claims[0], 1).cost == 2.0);
}

static void cost_shrinks_with_what_is_left_of_life_LIF_234(void **state)
{
    (void)state;
    claims[0].spec.expire_after = (struct duration){.text = "4h", .nanoseconds = 4 * HOUR};
    assert_true(of(&claims[0], 2).cost == 1.5);
    claims[0].spec.expire_after = (struct duration){.text = "30m", .nanoseconds = 30 * MINUTE};
    assert_true(of(&claims[0], 2).cost == 0.0);
    claims[0].spec.expire_after = (struct duration){.text = "Never", .nanoseconds = DURATION_NEVER};
    assert_true(of(&claims[0], 2).cost == 2.0);
}

static void order_LIF_233(void **state)
{
    (void)state;
    claims[3].meta.creation_timestamp = NOW; // the youngest of equals first, then by name
    struct static_candidate candidates[] = {
        {&claims[0], STATIC_USED, 2},  {&claims[1], STATIC_PROTECTED, 1},
        {&claims[2], STATIC_USED, 1},  {&claims[0], STATIC_EMPTY, 0},
        {&claims[2], STATIC_EMPTY, 0}, {&claims[3], STATIC_EMPTY, 0},
        {&claims[1], STATIC_ASKED, 9}, {&claims[1], STATIC_UNLAUNCHED, 0},
    };
    uint32_t count = ARRAY_LENGTH(candidates);
    static_candidates_sort(candidates, count);
    struct text order = {0};
    for (uint32_t i = 0; i < count; i++)
        text_format(&order, "%d%s ", (int)candidates[i].rank, candidates[i].claim->meta.name);
    assert_string_equal(order.data, "0b 1b 2d 2a 2c 3c 3a 4b ");
    text_free(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ranks_LIF_233, setup),
        cmocka_unit_test_setup(cost_of_pods_LIF_234, setup),
        cmocka_unit_test_setup(cost_shrinks_with_what_is_left_of_life_LIF_234, setup),
        cmocka_unit_test_setup(order_LIF_233, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
