#include "support/cmocka_all.h"

#include "base/duration.h"
#include "control/node/drain.h"
#include "model/reading/pod.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "model/tables/well_known.h"

#define NOW (1000 * SECOND)

static struct object *decode(const char *json)
{
    json_error_t why;
    json_t *document = json_loads(json, 0, &why);
    assert_non_null(document);
    struct error error = {0};
    struct object *object = object_decode(document, kind_get(KIND_POD), DECODE_LENIENT, &error);
    if (object == NULL)
        print_error("%s\n", error.message);
    assert_non_null(object);
    json_decref(document);
    return object;
}

#define POD(name, metadata, spec, status)                                    \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name \
    "\",\"namespace\":\"default\"" metadata                                  \
    "},\"spec\":{\"nodeName\":\"n\",\"containers\":[]" spec                  \
    "},\"status\":{\"phase\":\"Running\"" status "}}"
#define DAEMON_SET                                                                             \
    ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"name\":\"d\"," \
    "\"uid\":\"u\",\"controller\":true}]"
#define MIRROR_POD                                                                                 \
    ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u\"}" \
    "]"
#define CRITICAL  ",\"priorityClassName\":\"system-node-critical\""
#define TOLERATES ",\"tolerations\":[{\"key\":\"karpenter.sh/disrupted\",\"operator\":\"Exists\"}]"

static struct pod_list pods;

static void add(const char *json)
{
    vector_push(&pods, (const struct pod *)decode(json));
}

static int teardown(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < pods.count; i++)
        object_release((const struct object *)pods.items[i]);
    vector_free(&pods);
    return 0;
}

static void remove_first(void)
{
    object_release((const struct object *)pods.items[0]);
    memmove(pods.items, pods.items + 1, --pods.count * sizeof *pods.items);
}

static void expect(const char *names, uint32_t waiting, int64_t deadline)
{
    struct drain drain;
    struct text text = {0};
    drain_plan(&drain, &pods, deadline, NOW);
    for (uint32_t i = 0; i < drain.evict.count; i++)
        text_join(&text, " ", drain.evict.items[i]->meta.name);
    assert_string_equal(text.data != NULL ? text.data : "", names);
    assert_int_equal(drain.waiting, waiting);
    text_free(&text);
    drain_free(&drain);
}

static void groups_go_one_after_the_other_LIF_113(void **state)
{
    (void)state;
    add(POD("ordinary", "", "", ""));
    add(POD("daemon", DAEMON_SET, "", ""));
    add(POD("critical", "", CRITICAL, ""));
    add(POD("critical-daemon", DAEMON_SET, CRITICAL, ""));
    expect("ordinary", 4, 0);
    remove_first();
    expect("daemon", 3, 0);
    remove_first();
    expect("critical", 2, 0);
    remove_first();
    expect("critical-daemon", 1, 0);
}

static void terminating_pod_keeps_its_group_open_LIF_113(void **state)
{
    (void)state;
    add(POD("going", ",\"deletionTimestamp\":\"1970-01-01T00:16:50Z\"", "", "")); // 1010 s
    add(POD("critical", "", CRITICAL, ""));
    expect("going", 2, 0);
}

static void pods_that_do_not_count_LIF_110(void **state)
{
    (void)state;
    add(POD("tolerant", "", TOLERATES, ""));
    add(POD("mirror", MIRROR_POD, "", ""));
    add(POD("done", "", "", ",\"phase\":\"Succeeded\""));
    add(POD("stuck", ",\"deletionTimestamp\":\"1970-01-01T00:15:39Z\"", "", "")); // 61 s ago
    expect("", 0, 0);
    add(POD("protected", ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}", "", ""));
    expect("protected", 1, 0); // waited for; the eviction queue skips it
}

static void overdue_pods_of_all_groups_go_at_once_LIF_121(void **state)
{
    (void)state;
    add(POD("ordinary", "", ",\"terminationGracePeriodSeconds\":5", ""));
    add(POD("critical", "", CRITICAL ",\"terminationGracePeriodSeconds\":60", ""));
    // The deadline is 30 s away: the critical pod with 60 s of grace is overdue already.
    expect("critical ordinary", 2, NOW + 30 * SECOND);
    const struct pod *critical = pods.items[1];
    assert_true(pod_is_overdue(critical, NOW + 30 * SECOND, NOW));
    assert_false(pod_is_overdue(critical, NOW + 60 * SECOND, NOW)); // equal is not after
    assert_false(pod_is_overdue(critical, 0, NOW));
}

static void pod_without_grace_is_never_overdue_LIF_121(void **state)
{
    (void)state;
    add(POD("a", "", "", ""));
    struct pod pod = *pods.items[0];
    pod.spec.termination_grace_period_seconds.present = false;
    assert_false(pod_is_overdue(&pod, NOW - SECOND, NOW));
    pod.meta.deletion_timestamp = NOW + SECOND; // terminates after the deadline
    assert_true(pod_is_overdue(&pod, NOW, NOW));
}

// Past the range of int64 nanoseconds: overdue for a long time.
static void grace_of_centuries_is_overdue_LIF_121(void **state)
{
    (void)state;
    static const int64_t graces[] = {15000000000, 9223372037, 18446744074, INT64_MAX};
    struct pod pod = {.spec.termination_grace_period_seconds.present = true};
    for (size_t i = 0; i < ARRAY_LENGTH(graces); i++) {
        pod.spec.termination_grace_period_seconds.value = graces[i];
        assert_true(pod_is_overdue(&pod, NOW + HOUR, NOW));
        assert_true(pod_is_overdue(&pod, 1, NOW));
        assert_false(pod_is_overdue(&pod, 0, NOW));
    }
    // Under an infinite deadline no pod is overdue, not even with such a grace.
    pod.spec.termination_grace_period_seconds.value = 30;
    assert_false(pod_is_overdue(&pod, INT64_MAX, NOW));
    pod.spec.termination_grace_period_seconds.value = INT64_MAX;
    assert_false(pod_is_overdue(&pod, INT64_MAX, NOW));
}

// Deleted with such a grace: it ends after every representable deadline, but not before an infinite
// one.
static void pod_that_ends_in_centuries_is_overdue_LIF_121(void **state)
{
    (void)state;
    add(POD("far", ",\"deletionTimestamp\":\"2279-11-05T08:53:20Z\"", "", ""));
    assert_true(pod_is_overdue(pods.items[0], NOW + HOUR, NOW));
    assert_false(pod_is_overdue(pods.items[0], INT64_MAX, NOW));
    assert_true(pod_is_waiting(pods.items[0], NOW));
    // Deleted at the epoch: terminating for a long time.
    add(POD("epoch", ",\"deletionTimestamp\":\"1970-01-01T00:00:00Z\"", "", ""));
    assert_true(object_is_deleting((const struct object *)pods.items[1]));
    assert_false(pod_is_waiting(pods.items[1], NOW));
}

static void do_not_disrupt_readings_LIF_125(void **state)
{
    (void)state;
    int64_t until;
    const struct {
        const char *value;
        enum do_not_disrupt without_start, started_100_s_ago;
    } cases[] = {{"true", PROTECTED, PROTECTED},
                 {"false", PROTECTION_INVALID, PROTECTION_INVALID},
                 {"0s", PROTECTION_INVALID, PROTECTION_INVALID},
                 {"", PROTECTION_INVALID, PROTECTION_INVALID},
                 {"5m", PROTECTED, PROTECTED_UNTIL},
                 {"100s", PROTECTED, PROTECTION_ELAPSED}};
    add(POD("a", "", "", ""));
    struct pod pod = *pods.items[0];
    assert_int_equal(pod_protection(&pod, NOW, NULL), DISRUPTABLE);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct string_pair pair = {ANNOTATION_DO_NOT_DISRUPT, cases[i].value};
        pod.meta.annotations = (struct string_map){&pair, 1};
        pod.status.start_time = 0;
        assert_int_equal(pod_protection(&pod, NOW, &until), cases[i].without_start);
        pod.status.start_time = NOW - 100 * SECOND;
        assert_int_equal(pod_protection(&pod, NOW, &until), cases[i].started_100_s_ago);
    }
}

static void taint_text_and_ephemeral_taints_LIF_20_62(void **state)
{
    (void)state;
    struct text text = {0};
    taint_describe(&(struct taint){.key = "k", .value = "v", .effect = "NoSchedule"}, &text);
    text_add_char(&text, ' ');
    taint_describe(&(struct taint){.key = "k", .effect = "NoExecute"}, &text);
    assert_string_equal(text.data, "k=v:NoSchedule k:NoExecute");
    text_free(&text);
    assert_true(taint_is_ephemeral(&(struct taint){
        .key = "node.kubernetes.io/unreachable", .value = "x", .effect = "NoSchedule"}));
    assert_false(taint_is_ephemeral(
        &(struct taint){.key = "node.kubernetes.io/unreachable", .effect = "NoExecute"}));
    assert_true(taint_is_ephemeral(
        &(struct taint){.key = "readiness.k8s.io/x", .effect = "PreferNoSchedule"}));
}

static void provisionable_pods_SCH_21(void **state)
{
    (void)state;
#define PENDING(name, metadata, spec, status)                                              \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\"" metadata \
    "},\"spec\":{\"containers\":[]" spec "},\"status\":{\"phase\":\"Pending\"" status "}}"
#define UNSCHEDULABLE                                                              \
    ",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":" \
    "\"Unschedulable\"}]"
    add(PENDING("yes", "", "", UNSCHEDULABLE));
    add(PENDING("not-yet", "", "", ""));
    add(PENDING("gated", "", "",
                ",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
                "\"reason\":\"SchedulingGated\"}]"));
    add(PENDING("nominated", "", "", UNSCHEDULABLE ",\"nominatedNodeName\":\"n\""));
    add(PENDING("daemon", DAEMON_SET, "", UNSCHEDULABLE));
    add(PENDING("bound", "", ",\"nodeName\":\"n\"", UNSCHEDULABLE));
    for (uint32_t i = 0; i < pods.count; i++)
        assert_int_equal(pod_needs_node(pods.items[i]), i == 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_teardown(function, teardown)
    const struct CMUnitTest tests[] = {
        TEST(groups_go_one_after_the_other_LIF_113),
        TEST(terminating_pod_keeps_its_group_open_LIF_113),
        TEST(pods_that_do_not_count_LIF_110),
        TEST(overdue_pods_of_all_groups_go_at_once_LIF_121),
        TEST(pod_without_grace_is_never_overdue_LIF_121),
        TEST(grace_of_centuries_is_overdue_LIF_121),
        TEST(pod_that_ends_in_centuries_is_overdue_LIF_121),
        TEST(do_not_disrupt_readings_LIF_125),
        TEST(taint_text_and_ephemeral_taints_LIF_20_62),
        TEST(provisionable_pods_SCH_21),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
