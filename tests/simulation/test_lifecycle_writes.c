// Writes and reports of controllers: locks, conflicts, lost answers, clocks, log lines (LIF-3,
// LIF-32, LIF-400 to LIF-402, LIF-444, LIF-446, LIF-471, LIF-473).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "simulation/cluster_view.h"

struct writes {
    uint32_t conditions,
        unlocked;       // writes of condition lists or finalizers of NodeClaims; those without lock
    uint32_t conflicts; // of Nodes, still to come
    bool lose_drained;  // the answer that Drained is written
    uint32_t lost;
};
static struct writes writes;
static struct text lines; // of the log

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct writes *seen = context;
    if (request->verb != KUBE_PATCH)
        return false;
    bool claim = strstr(request->path, "/nodeclaims/") != NULL;
    bool list = store_path(request->body, "status.conditions") != NULL ||
                store_path(request->body, "metadata.finalizers") != NULL;
    if (claim && list) {
        seen->conditions++;
        seen->unlocked += view_text(request->body, "metadata.resourceVersion") == NULL;
    }
    if (seen->conflicts == 0 || strstr(request->path, "/api/v1/nodes/") == NULL)
        return false;
    seen->conflicts--;
    response->status = 409;
    return true;
}

static bool loses_answer(void *context, const struct kube_request *request)
{
    struct writes *seen = context;
    if (!seen->lose_drained || request->verb != KUBE_PATCH)
        return false;
    char *text = json_dumps(request->body, JSON_COMPACT);
    bool lost = strstr(text, "\"type\":\"Drained\",\"status\":\"True\"") != NULL;
    free(text);
    seen->lost += lost;
    seen->lose_drained = !lost;
    return lost;
}

static void keep_line(void *context, const char *line)
{
    (void)context;
    text_add(&lines, line);
    text_add_char(&lines, '\n');
}

static int64_t now_ns(void *loop)
{
    return loop_now_ns(loop);
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(29);
    writes = (struct writes){0};
    struct log_options log = {
        .level = LOG_DEBUG, .sink = keep_line, .now_ns = now_ns, .now_context = scenario->loop};
    assert_true(log_configure(&log, NULL));
    scenario->options.api_fault = on_request;
    scenario->options.api_lose_answer = loses_answer;
    scenario->options.fault_context = &writes;
    *state = scenario;
    return 0;
}

static int teardown(void **state)
{
    scenario_destroy(*state);
    text_free(&lines);
    return 0;
}

static bool no_claim(struct scenario *scenario)
{
    return view_count(scenario, KARPENTER, "NodeClaim") == 0;
}

static void life(struct scenario *scenario)
{
    scenario_begin(scenario);
    hand_pod(scenario, "web", "1", "", "terminationGracePeriodSeconds: 5, ");
    scenario_expect_running(scenario, 1);
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, store_name(view_claim(scenario)));
    scenario_until(scenario, 90, "the claim to be gone", no_claim);
    scenario_run(scenario, 1);
}

// --- writes --------------------------------------------------------------------------------------
static void lists_of_a_claim_are_written_under_lock_LIF_5_444(void **state)
{
    struct scenario *scenario = *state;
    life(scenario);
    assert_true(writes.conditions >= 5);
    assert_int_equal(writes.unlocked, 0);
}

static void drain_whose_answer_was_lost_is_counted_once_LIF_446(void **state)
{
    struct scenario *scenario = *state;
    writes.lose_drained = true;
    scenario->options.stop_delay_min = scenario->options.stop_delay_max = 20 * SECOND;
    life(scenario);
    assert_int_equal(writes.lost, 1);
    assert_true(view_metric_sum(scenario, "karpenter_nodes_drained_total", "") <= 1);
    assert_true(view_metric_sum(scenario, "karpenter_nodes_terminated_total", "") == 1);
}

// A new Node has many concurrent writers.
static void busy_node_is_registered_all_the_same_LIF_471(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    writes.conflicts = 15;
    hand_pod(scenario, "web", "1", "", "");
    scenario_expect_running(scenario, 1);
    assert_int_equal(writes.conflicts, 0);
    assert_null(strstr(lines.data, "Reconciler error")); // LIF-4: a conflict is no error
}

static void empty_provider_ids_match_nothing_LIF_3(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.cloud_latency_min = scenario->options.cloud_latency_max = 60 * SECOND;
    scenario_begin(scenario);
    scenario_apply(scenario, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                             "spec: {providerID: '', taints: [{key: karpenter.sh/unregistered, "
                             "effect: NoExecute}]}\n---\n"
                             "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: one}\n"
                             "spec: {expireAfter: Never, requirements: [], nodeClassRef: {group: "
                             "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}\n");
    scenario_run(scenario, 20);
    assert_null(view_label(view_object(scenario, "v1", "Node", NULL, "n1"), LABEL_REGISTERED));
    assert_string_not_equal(view_condition(view_claim(scenario), "Registered"), "True/Registered");
}

// The other clock was behind: a pod with a binding before its creation.
static void times_are_never_negative_LIF_473(void **state)
{
    struct scenario *scenario = *state;
    scenario->options.world.scheduler = false;
    scenario->options.world.kubelets = false;
    scenario_begin(scenario);
    hand_pod(scenario, "web", "1", "", "");
    scenario_run(scenario, 1);
    hand_patch(scenario, "v1", "Pod", "default", "web", "status",
               "status: {phase: Running, conditions: [{type: PodScheduled, status: 'True', "
               "lastTransitionTime: '2025-01-01T00:00:00Z'}, {type: Ready, status: 'True', "
               "lastTransitionTime: '2025-01-01T00:00:00Z'}]}");
    scenario_run(scenario, 1);
    assert_true(view_metric(scenario, "karpenter_pods_bound_duration_seconds_count", "") == 1);
    assert_true(view_metric(scenario, "karpenter_pods_bound_duration_seconds_sum", "") == 0);
    assert_true(view_metric(scenario, "karpenter_pods_startup_duration_seconds_sum", "") == 0);
}

// --- log lines -----------------------------------------------------------------------------------
// One line with this message and level; it names all of `keys`.
static void expect_line(const char *level, const char *message, const char *const *keys)
{
    struct text sought = {0};
    text_format(&sought, "\"message\":\"%s\"", message);
    const char *at = strstr(lines.data, sought.data);
    text_free(&sought);
    if (at == NULL)
        fail_msg("no line says %s", message);
    const char *start = at, *end = strchr(at, '\n');
    while (start > lines.data && start[-1] != '\n')
        start--;
    char *line CLEANUP_FREE = strndup(start, (size_t)(end - start));
    json_t *json = json_loads(line, 0, NULL);
    assert_non_null(json);
    assert_string_equal(view_text(json, "level"), level);
    assert_string_equal(view_text(json, "logger"), "controller");
    assert_non_null(view_text(json, "time"));
    for (; *keys != NULL; keys++)
        if (json_object_get(json, *keys) == NULL)
            fail_msg("%s has no %s: %s", message, *keys, line);
    json_decref(json);
}
#define EXPECT(level, message, ...) \
    expect_line(level, message, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static void lines_that_people_search_for_LIF_32_400_401_402(void **state)
{
    struct scenario *scenario = *state;
    life(scenario);
    EXPECT("INFO", "found provisionable pod(s)", "Pods", "duration");
    EXPECT("INFO", "computed new nodeclaim(s) to fit pod(s)", "nodeclaims", "pods");
    EXPECT("INFO", "created nodeclaim", "NodePool", "NodeClaim", "requests", "instance-types");
    EXPECT("INFO", "launched nodeclaim", "controller", "NodeClaim", "provider-id", "instance-type",
           "zone", "capacity-type", "allocatable");
    EXPECT("INFO", "registered nodeclaim", "NodeClaim", "provider-id", "Node");
    EXPECT("INFO", "initialized nodeclaim", "NodeClaim", "provider-id", "Node", "allocatable");
    EXPECT("INFO", "tainted node", "Node", "taint.Key", "taint.Value", "taint.Effect");
    EXPECT("INFO", "deleted node", "Node");
    EXPECT("INFO", "deleted nodeclaim", "NodeClaim");
}

static uint32_t never_registers(void *context, const struct sim_instance *machine)
{
    (void)context;
    (void)machine;
    return MACHINE_NEVER_REGISTERS;
}

static void what_ends_a_claim_is_logged_LIF_74_402(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.registration_timeout = MINUTE;
    scenario->options.boot_faults = never_registers;
    scenario_begin(scenario);
    scenario_apply(scenario,
                   "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: one}\n"
                   "spec: {expireAfter: 10m, terminationGracePeriod: 1m, requirements: [], "
                   "nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}\n"
                   "---\napiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: two}\n"
                   "spec: {expireAfter: 0s, requirements: [], nodeClassRef: {group: "
                   "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}\n");
    scenario_until(scenario, 120, "the claims to be gone", no_claim);
    EXPECT("DEBUG", "terminating due to timeout", "NodeClaim", "timeout", "reason");
    EXPECT("DEBUG", "deleting expired nodeclaim", "NodeClaim");
    EXPECT("INFO", "annotated nodeclaim", "NodeClaim", ANNOTATION_TERMINATION_TIMESTAMP);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(lists_of_a_claim_are_written_under_lock_LIF_5_444),
        TEST(drain_whose_answer_was_lost_is_counted_once_LIF_446),
        TEST(busy_node_is_registered_all_the_same_LIF_471),
        TEST(empty_provider_ids_match_nothing_LIF_3),
        TEST(times_are_never_negative_LIF_473),
        TEST(lines_that_people_search_for_LIF_32_400_401_402),
        TEST(what_ends_a_claim_is_logged_LIF_74_402),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
