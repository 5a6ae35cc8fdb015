#include "model/helpers.h"

#include "base/quantity.h"
#include "base/text.h"
#include "model/reading/pod.h"
#include "model/schema/core.h"

#define R(requests) "resources: {requests: {" requests "}}"

static void assert_amounts(struct resource_map (*amounts)(struct arena *arena,
                                                          const struct pod *pod),
                           const char *spec_and_status, const char *expected)
{
    struct text text = {0};
    text_format(&text, "{apiVersion: v1, kind: Pod, %s}", spec_and_status);
    CLEANUP_OBJECT struct object *object = object_of(text.data);
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    struct resource_map requests = amounts(arena, (const struct pod *)object);
    text_clear(&text);
    list_for_each (quantity, &requests) {
        char value[QUANTITY_TEXT_MAX];
        quantity_format(quantity->name, quantity->value, value);
        text_join(&text, " ", quantity->name);
        text_format(&text, "=%s", value);
    }
    assert_string_equal(text.data != NULL ? text.data : "", expected);
    text_free(&text);
}

static void assert_requests(const char *spec_and_status, const char *expected)
{
    assert_amounts(pod_requests, spec_and_status, expected);
}

#define L(limits) "resources: {limits: {" limits "}}"

static void limits_are_those_of_all_that_run_together_LIF_307(void **state)
{
    (void)state;
    assert_amounts(pod_limits, "spec: {containers: [{name: a, " R("cpu: 1") "}]}", "");
    assert_amounts(pod_limits,
                   "spec: {containers: [{name: a, " L("cpu: 1") "}, {name: b, " L("cpu: 2") "}]}",
                   "cpu=3");
    // The sidecar runs beside the first container and beside the others; the peak is at the start.
    assert_amounts(
        pod_limits,
        "spec: {initContainers: [{name: s, restartPolicy: Always, " L("cpu: 1") "}, {name: i, " L(
            "cpu: 4") "}], containers: [{name: a, " L("cpu: 2, memory: 1Gi") "}]}",
        "cpu=5 memory=1Gi");
    // Overhead is added to limits.
    assert_amounts(
        pod_limits,
        "spec: {overhead: {cpu: 100m, memory: 1Gi}, containers: [{name: a, " L("cpu: 2") "}]}",
        "cpu=2100m");
}

static void containers_add_up_SCH_110(void **state)
{
    (void)state;
    assert_requests("spec: {containers: [{name: a, " R("cpu: 1, memory: 1Gi") "}, {name: b, " R(
                        "cpu: 500m") "}]}",
                    "cpu=1500m memory=1Gi pods=1");
    assert_requests("spec: {containers: [{name: a}]}", "pods=1");
    assert_requests("spec: {containers: [{name: a, resources: {limits: {cpu: 1}}}]}", "pods=1");
}

static void init_containers_count_with_their_peak_SCH_110(void **state)
{
    (void)state;
    assert_requests(
        "spec: {containers: [{name: a, " R("cpu: 1") "}], initContainers: [{name: i, " R(
            "cpu: 3") "}, {name: j, " R("memory: 1Gi") "}]}",
        "cpu=3 memory=1Gi pods=1");
}

static void sidecars_run_beside_what_follows_SCH_110(void **state)
{
    (void)state;
    // i: 2 alone; then the sidecar 1; then j: 2 + 1; the pod runs 1 + 1.
    assert_requests(
        "spec: {containers: [{name: a, " R("cpu: 1") "}], initContainers: [{name: i, " R(
            "cpu: 2") "}, {name: s, restartPolicy: Always, " R("cpu: 1") "}, {name: j, " R("cpu: 2") "}]}",
        "cpu=3 pods=1");
    assert_requests(
        "spec: {containers: [{name: a, " R("cpu: 3") "}], initContainers: [{name: s, "
                                                     "restartPolicy: Always, " R("cpu: 1") "}]}",
        "cpu=4 pods=1");
}

// Each container has a distinct resource name: quadratic addition would take gigabytes.
static void thousands_of_containers_add_up_SCH_110(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    struct pod pod = {0};
    struct container *items = arena_allocate_array(arena, 2 * COUNT, sizeof *items);
    for (int i = 0; i < 2 * COUNT; i++) {
        struct resource_quantity *one = arena_allocate(arena, sizeof *one);
        *one = (struct resource_quantity){arena_format(arena, "example.com/r%05d", i % COUNT), 2};
        items[i].resources.requests.items = one;
        items[i].resources.requests.count = 1;
        items[i].restart_policy = i % 2 == 1 ? "Always" : NULL;
    }
    pod.spec.containers.items = items;
    pod.spec.init_containers.items = items + COUNT;
    pod.spec.containers.count = pod.spec.init_containers.count = COUNT;
    struct resource_map requests = pod_requests(arena, &pod);
    assert_int_equal(requests.count, COUNT + 1);
    assert_int_equal(resource_map_get(&requests, "example.com/r00000"), 2); // an init container's
    assert_int_equal(resource_map_get(&requests, "example.com/r19999"), 4); // a sidecar's
}

static void pod_level_requests_replace_SCH_110(void **state)
{
    (void)state;
    assert_requests("spec: {resources: {requests: {cpu: 4, hugepages-2Mi: 4Mi, storage: 9}}, "
                    "containers: [{name: a, " R("cpu: 1, memory: 1Gi") "}]}",
                    "cpu=4 hugepages-2Mi=4Mi memory=1Gi pods=1");
}

static void overhead_is_added_SCH_110(void **state)
{
    (void)state;
    assert_requests(
        "spec: {overhead: {cpu: 250m, memory: 64Mi}, containers: [{name: a, " R("cpu: 1") "}]}",
        "cpu=1250m memory=64Mi pods=1");
}

static void a_resize_counts_with_the_larger_side_SCH_110(void **state)
{
    (void)state;
#define RESIZED                                                                            \
    "spec: {containers: [{name: a, " R(                                                    \
        "cpu: 1, memory: 4Gi") "}]}, status: {containerStatuses: "                         \
                               "[{name: a, resources: {requests: {cpu: 2, memory: 1Gi}}, " \
                               "allocatedResources: {cpu: 3}}]"
    assert_requests(RESIZED "}", "cpu=3 memory=4Gi pods=1");
    assert_requests(RESIZED ", conditions: [{type: PodResizePending, status: 'True', reason: "
                            "Deferred}]}",
                    "cpu=3 memory=4Gi pods=1");
    assert_requests(RESIZED ", conditions: [{type: PodResizePending, status: 'True', reason: "
                            "Infeasible}]}",
                    "cpu=3 memory=1Gi pods=1");
}

static void a_request_of_pods_is_overwritten_SCH_111(void **state)
{
    (void)state;
    assert_requests("spec: {containers: [{name: a, " R("pods: 7") "}]}", "pods=1");
}

static void classes_LIF_110(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *done =
        object_of("{apiVersion: v1, kind: Pod, status: {phase: Succeeded}}");
    CLEANUP_OBJECT struct object *leaving = object_of(
        "{apiVersion: v1, kind: Pod, metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', "
        "ownerReferences: [{apiVersion: v1, kind: Node, name: a, uid: b}]}, status: {phase: "
        "Running}}");
    CLEANUP_OBJECT struct object *daemon =
        object_of("{apiVersion: v1, kind: Pod, metadata: {ownerReferences: [{apiVersion: apps/v1, "
                  "kind: DaemonSet, name: a, uid: b}]}, status: {phase: Running}}");
    assert_true(pod_is_terminal((struct pod *)done));
    assert_false(pod_is_active((struct pod *)done));
    assert_false(pod_is_terminal((struct pod *)leaving));
    assert_false(pod_is_active((struct pod *)leaving));
    assert_true(pod_owned_by_node((struct pod *)leaving));
    assert_true(pod_is_active((struct pod *)daemon));
    assert_true(pod_owned_by_daemon_set((struct pod *)daemon));
    assert_false(pod_owned_by_node((struct pod *)daemon));
}

static void tolerations_SCH_355(void **state)
{
    (void)state;
    static const struct taint gpu = {"gpu", "5", "NoSchedule", 0};
    static const struct {
        struct toleration toleration;
        bool tolerates;
    } cases[] = {
        {{.operator= "Exists" }, true},
         {{.key = "gpu", .operator= "Exists" }, true},
          {{.key = "cpu", .operator= "Exists" }, false},
           {{.key = "gpu", .operator= "Exists", .effect = "NoExecute"}, false},
           {{.key = "gpu", .value = "5"}, true},
           {{.key = "gpu", .value = "5", .operator= "Equal", .effect = "NoSchedule"}, true},
           {
               {.key = "gpu", .value = "6", .operator= "Equal" }, false},
               {{.key = "gpu"}, false},
               {{.key = "gpu", .operator= "Lt", .value = "6"}, true},
               {{.key = "gpu", .operator= "Lt", .value = "5"}, false},
               {{.key = "gpu", .operator= "Gt", .value = "4"}, true},
               {{.key = "gpu", .operator= "Gt", .value = "-1"}, true},
               {{.key = "gpu", .operator= "Gt", .value = "04"}, false},
               {{.key = "gpu", .operator= "Gt", .value = "x"}, false},
               {{.key = "gpu", .operator= "Near", .value = "5"}, false},
          };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_int_equal(toleration_tolerates(&cases[i].toleration, &gpu), cases[i].tolerates);
    struct taint bare = {.key = "a", .effect = "NoSchedule"};
    struct toleration items[] = {{.key = "b", .operator= "Exists" }, {.key = "a"}};
    toleration_list list = {items, 2};
    assert_true(tolerations_tolerate(&list, &bare));
    list.count = 1;
    assert_false(tolerations_tolerate(&list, &bare));
    assert_false(tolerations_tolerate(&(toleration_list){0}, &bare));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_add_up_SCH_110),
        cmocka_unit_test(init_containers_count_with_their_peak_SCH_110),
        cmocka_unit_test(sidecars_run_beside_what_follows_SCH_110),
        cmocka_unit_test(thousands_of_containers_add_up_SCH_110),
        cmocka_unit_test(pod_level_requests_replace_SCH_110),
        cmocka_unit_test(overhead_is_added_SCH_110),
        cmocka_unit_test(a_resize_counts_with_the_larger_side_SCH_110),
        cmocka_unit_test(a_request_of_pods_is_overwritten_SCH_111),
        cmocka_unit_test(limits_are_those_of_all_that_run_together_LIF_307),
        cmocka_unit_test(classes_LIF_110),
        cmocka_unit_test(tolerations_SCH_355),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
