// Pending pods that may need a disrupted node (DIS-725, DIS-765).
#include "support/cmocka_all.h"

#include "base/duration.h"
#include "engine/disruption/wanted_node.h"
#include "model/schema/condition_types.h"
#include "model/schema/karpenter.h"

#define NOW (INT64_C(1767225600) * SECOND)

static struct node node;
static struct pod pod;
static struct string_pair label, selector;
static struct taint taints[2];
static struct toleration toleration;
static struct resource_quantity allocatable[2], requested[1];
static struct container container;
static struct condition condition;

static int setup(void **state)
{
    (void)state;
    label = (struct string_pair){"zone", "a"};
    taints[0] = (struct taint){.key = TAINT_DISRUPTED, .effect = "NoSchedule"};
    allocatable[0] = (struct resource_quantity){"cpu", 4000};
    allocatable[1] = (struct resource_quantity){"pods", 1};
    requested[0] = (struct resource_quantity){"cpu", 4000};
    node = (struct node){.meta.name = "n"};
    node.meta.labels = (struct string_map){&label, 1};
    node.spec.taints.items = taints;
    node.spec.taints.count = 1;
    node.status.allocatable = (struct resource_map){allocatable, 2};
    container = (struct container){.name = "c"};
    container.resources.requests = (struct resource_map){requested, 1};
    pod = (struct pod){.meta.name = "p", .meta.creation_timestamp = NOW - SECOND};
    pod.spec.containers.items = &container;
    pod.spec.containers.count = 1;
    return 0;
}

static bool wanted(bool is_displaced)
{
    struct arena *arena = arena_create(1024);
    bool answer = node_is_wanted_by(arena, &node, &pod, is_displaced, NOW);
    arena_destroy(arena);
    return answer;
}

static void new_pod_wants_the_node_DIS_725(void **state)
{
    (void)state;
    assert_true(wanted(false)); // the taint of its own command does not count
    requested[0].value = 4001;
    assert_false(wanted(false));
    assert_false(wanted(true));
}

static void selectors_and_taints_keep_the_pod_away_DIS_725(void **state)
{
    (void)state;
    selector = (struct string_pair){"zone", "b"};
    pod.spec.node_selector = (struct string_map){&selector, 1};
    assert_false(wanted(false));
    selector.value = "a";
    assert_true(wanted(false));
    taints[1] = (struct taint){.key = "gpu", .effect = "NoSchedule"};
    node.spec.taints.count = 2;
    assert_false(wanted(false));
    toleration = (struct toleration){.key = "gpu", .operator= "Exists" };
    pod.spec.tolerations.items = &toleration;
    pod.spec.tolerations.count = 1;
    assert_true(wanted(false));
}

static void pod_that_waits_in_vain_wants_no_node_DIS_765(void **state)
{
    (void)state;
    pod.meta.creation_timestamp = NOW - 30 * SECOND;
    assert_false(wanted(false));
    assert_true(wanted(true));                       // it is about to be planned again
    pod.meta.creation_timestamp = NOW + 30 * SECOND; // before a clock was set back
    assert_false(wanted(false));
    condition = (struct condition){
        .type = "PodScheduled", .status = "False", .last_transition_time = NOW - 29 * SECOND};
    pod.status.conditions.items = &condition;
    pod.status.conditions.count = 1;
    assert_true(wanted(false)); // kube-scheduler has just evaluated it
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, setup)
    const struct CMUnitTest tests[] = {
        TEST(new_pod_wants_the_node_DIS_725),
        TEST(selectors_and_taints_keep_the_pod_away_DIS_725),
        TEST(pod_that_waits_in_vain_wants_no_node_DIS_765),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
