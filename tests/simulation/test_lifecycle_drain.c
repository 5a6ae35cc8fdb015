// The end of a node's pods: order, evictions, deadlines, protection, and reports of a blocked drain
// (LIF-110 to LIF-127, LIF-449, LIF-450).
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/cluster_view.h"

struct requests { // of evictions and deletions of pods
    struct scenario *scenario;
    uint32_t evictions, deletions, without_uid;
    int64_t eviction_at[100]; // milliseconds
    int answer;               // to evictions; 0: the API server's own
    const char *message;
};
static struct requests requests;

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct requests *seen = context;
    bool eviction = request->verb == KUBE_CREATE && strstr(request->path, "/eviction") != NULL;
    bool deletion = request->verb == KUBE_DELETE && strstr(request->path, "/pods/") != NULL;
    if (!eviction && !deletion)
        return false;
    const char *path = eviction ? "deleteOptions.preconditions.uid" : "preconditions.uid";
    seen->without_uid += view_text(request->body, path) == NULL;
    if (deletion) {
        seen->deletions++;
        return false;
    }
    if (seen->evictions < ARRAY_LENGTH(seen->eviction_at))
        seen->eviction_at[seen->evictions] = loop_now_ns(seen->scenario->loop) / MILLISECOND;
    seen->evictions++;
    if (seen->answer == 0)
        return false;
    response->status = seen->answer;
    response->body = json_pack("{s:s, s:s, s:s, s:i}", "kind", "Status", "reason", "InternalError",
                               "message", seen->message, "code", seen->answer);
    return true;
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(24);
    requests = (struct requests){.scenario = scenario, .message = "no"};
    scenario->options.api_fault = on_request;
    scenario->options.fault_context = &requests;
    *state = scenario;
    return 0;
}

static char claim_name[300], node_name[300];

static void begin(struct scenario *scenario, const char *template_spec)
{
    scenario_begin(scenario);
    hand_pool(scenario, template_spec, "");
}

// After the pods run: all on one node.
static void wait_for(struct scenario *scenario, uint32_t pods)
{
    scenario_expect_running(scenario, pods);
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
    snprintf(claim_name, sizeof claim_name, "%s", store_name(view_claim(scenario)));
    snprintf(node_name, sizeof node_name, "%s", store_name(view_node(scenario)));
}

static void end_claim(struct scenario *scenario)
{
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
}

static const json_t *claim(struct scenario *scenario)
{
    return view_object(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
}

static bool claim_gone(struct scenario *scenario)
{
    return claim(scenario) == NULL;
}

static const json_t *pod(struct scenario *scenario, const char *name)
{
    return view_object(scenario, "v1", "Pod", "default", name);
}

static bool is_ending(struct scenario *scenario, const char *name)
{
    return pod(scenario, name) == NULL ||
           store_path(pod(scenario, name), "metadata.deletionTimestamp") != NULL;
}

static void apply_budget(struct scenario *scenario, const char *name, const char *app)
{
    char manifest[400];
    snprintf(manifest, sizeof manifest,
             "apiVersion: policy/v1\nkind: PodDisruptionBudget\n"
             "metadata: {name: %s, namespace: default}\n"
             "spec: {maxUnavailable: 0, selector: {matchLabels: {app: %s}}}\n",
             name, app);
    scenario_apply(scenario, manifest);
    scenario_run(scenario, 3);
}

#define PROTECTED "annotations: {karpenter.sh/do-not-disrupt: 'true'}, "
#define SLOW      "annotations: {adze.dev/sim-stop-seconds: '8'}, "
#define EVICTIONS "karpenter_pods_eviction_requests_total"
#define DRAINED   "karpenter_pods_drained_total"

// --- order ---------------------------------------------------------------------------------------
static void critical_pods_go_last_and_a_pod_that_ends_holds_its_group_LIF_110_113_114(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "web", "1", SLOW, "");
    hand_pod(scenario, "tolerant", "100m", "",
             "tolerations: [{key: karpenter.sh/disrupted, operator: Exists}], ");
    hand_pod(scenario, "critical", "1", SLOW, "priorityClassName: system-cluster-critical, ");
    wait_for(scenario, 3);
    end_claim(scenario);
    scenario_run(scenario, 5);
    assert_true(is_ending(scenario, "web"));
    assert_non_null(pod(scenario, "web")); // eight seconds to stop
    assert_false(is_ending(scenario, "critical"));
    assert_int_equal(view_events(scenario, "Node", "FailedDraining",
                                 "Failed to drain node, 2 pods are waiting to be evicted"),
                     1); // LIF-112
    scenario_run(scenario, 7);
    assert_null(pod(scenario, "web"));
    assert_true(is_ending(scenario, "critical"));
    assert_false(is_ending(scenario, "tolerant")); // until the machine goes
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
    assert_int_equal(requests.evictions, 2);
    assert_int_equal(requests.without_uid, 0); // LIF-120
}

// --- answers to evictions ------------------------------------------------------------------------
static void accepted_eviction_is_told_and_counted_LIF_123_124(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "web", "1", SLOW, "");
    wait_for(scenario, 1);
    end_claim(scenario);
    scenario_run(scenario, 5);
    assert_int_equal(requests.evictions, 1);
    assert_true(view_metric(scenario, EVICTIONS, "code=\"200\"") == 1);
    assert_true(view_metric(scenario, DRAINED, "reason=\"Forceful Termination\"") == 1);
    assert_int_equal(view_events(scenario, "Pod", "Evicted", "Evicted pod: Forceful Termination"),
                     1);
}

static void reason_is_that_of_the_disruption_LIF_124(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "web", "1", "", "");
    wait_for(scenario, 1);
    json_t *conditions = json_deep_copy(store_path(claim(scenario), "status.conditions"));
    json_array_append_new(conditions,
                          json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "DisruptionReason",
                                    "status", "True", "reason", "Drifted", "message", "Drifted",
                                    "lastTransitionTime", "2026-01-01T00:00:00Z"));
    json_t *patch = json_pack("{s:{s:o}}", "status", "conditions", conditions);
    char *text = json_dumps(patch, 0);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, claim_name, "status", text);
    end_claim(scenario);
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
    assert_true(view_metric(scenario, DRAINED, "reason=\"Drifted\"") == 1);
    free(text);
    json_decref(patch);
}

static void refused_evictions_are_tried_ever_slower_LIF_123_126_127(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "web", "1", "labels: {app: web}, ", "");
    apply_budget(scenario, "web", "web");
    wait_for(scenario, 1);
    end_claim(scenario);
    scenario_run(scenario, 120);
    assert_true(requests.evictions > 10 && requests.evictions < 30);
    int64_t before = 0;
    for (uint32_t i = 1; i < 7; i++) { // 100 ms, doubling
        int64_t pause = requests.eviction_at[i] - requests.eviction_at[i - 1];
        assert_true(pause > before);
        before = pause;
    }
    int64_t last =
        requests.eviction_at[requests.evictions - 1] - requests.eviction_at[requests.evictions - 2];
    assert_true(last >= 9500 && last <= 11500);
    assert_true(view_metric(scenario, EVICTIONS, "code=\"429\"") == -1);
    assert_true(view_events(scenario, "Node", "FailedDraining",
                            "evicting pod violates a PDB (Pod=default/web)") > 0);
    scenario_run(scenario, 3600); // no end without a deadline
    assert_false(is_ending(scenario, "web"));
}

static void several_budgets_are_told_as_such_LIF_123(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "web", "1", "", "");
    wait_for(scenario, 1);
    requests.answer = 500;
    requests.message = "This pod has more than one PodDisruptionBudget, which the eviction "
                       "subresource does not support.";
    end_claim(scenario);
    scenario_run(scenario, 5);
    assert_int_equal(view_events(scenario, "Node", "FailedDraining",
                                 "eviction does not support multiple PDBs (Pod=default/web)"),
                     1);
    assert_true(view_metric(scenario, EVICTIONS, "code=\"500\"") == 0);
    requests.message = "something else";
    scenario_run(scenario, 20);
    assert_true(view_metric(scenario, EVICTIONS, "code=\"500\"") > 0);
    requests.answer = 0;
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

static void pod_that_is_gone_ends_its_entry_LIF_123_475(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "web", "1", "labels: {app: web}, ", "terminationGracePeriodSeconds: 0, ");
    apply_budget(scenario, "web", "web");
    wait_for(scenario, 1);
    end_claim(scenario);
    scenario_run(scenario, 10);
    uint32_t asked = requests.evictions;
    assert_true(asked > 2);
    hand_delete(scenario, "v1", "Pod", "default", "web");
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
    assert_true(requests.evictions <= asked + 1);
    assert_true(view_metric_sum(scenario, DRAINED, "") == 0);
}

// --- deadlines -----------------------------------------------------------------------------------
// A minute until the deadline, half a minute of grace: it has its half minute, whatever protects
// it.
static void overdue_pod_keeps_its_grace_LIF_121_122(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "terminationGracePeriod: 60s, ");
    hand_pod(scenario, "web", "1",
             "labels: {app: web}, annotations: {karpenter.sh/do-not-disrupt: 'true', "
             "adze.dev/sim-stop-seconds: '25'}, ",
             "terminationGracePeriodSeconds: 30, ");
    apply_budget(scenario, "web", "web");
    wait_for(scenario, 1);
    end_claim(scenario);
    int64_t deadline = view_now(scenario) + 60;
    scenario_run(scenario, 28);
    assert_false(is_ending(scenario, "web"));
    scenario_run(scenario, 6);
    assert_true(is_ending(scenario, "web"));
    int64_t end = view_instant(pod(scenario, "web"), "metadata.deletionTimestamp");
    assert_true(end >= deadline - 2 && end <= deadline);
    assert_int_equal(requests.deletions, 1);
    assert_int_equal(requests.evictions, 0); // protected: no eviction
    assert_int_equal(requests.without_uid, 0);
    assert_int_equal(view_events(scenario, "Pod", "Disrupted", "29 seconds of grace-period") +
                         view_events(scenario, "Pod", "Disrupted", "28 seconds of grace-period"),
                     1);
    assert_true(view_metric(scenario, DRAINED, "reason=\"Forceful Termination\"") == 1);
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

// Already deleted with an hour of grace; the deadline shortens that.
static void grace_of_a_terminating_pod_is_shortened_LIF_122(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "terminationGracePeriod: 40s, ");
    hand_pod(scenario, "web", "1", "annotations: {adze.dev/sim-stop-seconds: '3600'}, ",
             "terminationGracePeriodSeconds: 3600, ");
    wait_for(scenario, 1);
    hand_delete(scenario, "v1", "Pod", "default", "web");
    scenario_run(scenario, 1);
    end_claim(scenario);
    int64_t deadline = view_now(scenario) + 40;
    scenario_run(scenario, 3);
    int64_t end = view_instant(pod(scenario, "web"), "metadata.deletionTimestamp");
    assert_true(end >= deadline - 3 && end <= deadline);
    scenario_until(scenario, 90, "the claim to be gone", claim_gone);
    assert_int_equal(requests.deletions, 1);
}

// The pod was deleted with the grace left then; now there is less, e.g. by a repair.
static void an_earlier_deadline_shortens_the_grace_again_LIF_120_122(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "terminationGracePeriod: 10m, ");
    hand_pod(scenario, "web", "1", "annotations: {adze.dev/sim-stop-seconds: '3600'}, ",
             "terminationGracePeriodSeconds: 3600, ");
    wait_for(scenario, 1);
    end_claim(scenario);
    scenario_run(scenario, 10);
    assert_int_equal(requests.deletions, 1);
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, claim_name, NULL,
               "metadata: {annotations: {karpenter.sh/nodeclaim-termination-timestamp: "
               "'2026-01-01T00:00:00Z'}}");
    scenario_run(scenario, 5);
    assert_int_equal(requests.deletions, 2);
    assert_null(pod(scenario, "web"));
    scenario_until(scenario, 90, "the claim to be gone", claim_gone);
    assert_true(view_metric_sum(scenario, DRAINED, "") == 1);
}

// Without any grace period, each pod still has a second.
static void a_second_of_grace_is_the_least_LIF_122(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "terminationGracePeriod: 0s, ");
    hand_pod(scenario, "web", "1", PROTECTED, "terminationGracePeriodSeconds: 30, ");
    wait_for(scenario, 1);
    end_claim(scenario);
    scenario_until(scenario, 30, "the claim to be gone", claim_gone);
    assert_int_equal(
        view_events(scenario, "Pod", "Disrupted", "granted 1 seconds of grace-period of its 30 "),
        1);
}

// Nearly the maximum of a duration: the deadline is far ahead, not in the past.
static void grace_period_of_centuries_bypasses_nothing_LIF_80_121(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "terminationGracePeriod: 2500000h, ");
    hand_pod(scenario, "held", "1", PROTECTED, "terminationGracePeriodSeconds: 0, ");
    hand_pod(scenario, "guarded", "1", "labels: {app: guarded}, ",
             "terminationGracePeriodSeconds: 0, ");
    apply_budget(scenario, "guarded", "guarded");
    wait_for(scenario, 2);
    end_claim(scenario);
    scenario_run(scenario, 120);
    assert_non_null(pod(scenario, "held"));
    assert_non_null(pod(scenario, "guarded"));
    assert_false(is_ending(scenario, "held") || is_ending(scenario, "guarded"));
    assert_int_equal(requests.deletions, 0);
    const json_t *claim = view_object(scenario, KARPENTER, "NodeClaim", NULL, claim_name);
    const char *deadline = view_annotation(claim, "karpenter.sh/nodeclaim-termination-timestamp");
    assert_non_null(deadline);
    assert_int_equal(strncmp(deadline, "2262-", 5), 0);
    hand_delete(scenario, "v1", "Pod", "default", "held");
    hand_delete(scenario, "v1", "Pod", "default", "guarded");
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

// A pod with a grace of centuries ends with the node all the same.
static void pod_with_a_grace_of_centuries_ends_with_its_node_LIF_121_122(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "terminationGracePeriod: 60s, ");
    hand_pod(scenario, "web", "1", PROTECTED, "terminationGracePeriodSeconds: 15000000000, ");
    wait_for(scenario, 1);
    end_claim(scenario);
    scenario_run(scenario, 5);
    assert_true(is_ending(scenario, "web"));
    assert_int_equal(requests.deletions, 1);
    scenario_until(scenario, 90, "the claim to be gone", claim_gone);
}

// --- protection ----------------------------------------------------------------------------------
static void protection_ends_with_its_time_LIF_125(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "timed", "1", "annotations: {karpenter.sh/do-not-disrupt: 2m}, ", "");
    wait_for(scenario, 1);
    int64_t start = view_instant(pod(scenario, "timed"), "status.startTime");
    assert_true(start > 0);
    end_claim(scenario);
    scenario_run(scenario, (double)(start + 115 - view_now(scenario)));
    assert_false(is_ending(scenario, "timed"));
    assert_int_equal(view_events(scenario, "Pod", "DoNotDisruptUntil",
                                 "grace period will elapse at 2026-01-01T00:02:"),
                     1);
    assert_int_equal(view_events(scenario, "Pod", "DoNotDisruptGracePeriodElapsed", NULL), 0);
    scenario_run(scenario, 20);
    assert_true(is_ending(scenario, "timed"));
    assert_int_equal(view_events(scenario, "Pod", "DoNotDisruptGracePeriodElapsed", NULL), 1);
}

static void value_that_says_nothing_protects_from_nothing_LIF_125(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "odd", "1", "annotations: {karpenter.sh/do-not-disrupt: 'false'}, ", "");
    wait_for(scenario, 1);
    end_claim(scenario);
    scenario_run(scenario, 5);
    assert_true(is_ending(scenario, "odd"));
    assert_int_equal(view_events(scenario, "Pod", "InvalidDoNotDisruptAnnotation", "\"false\""), 1);
}

// --- reports -------------------------------------------------------------------------------------
static void blocked_drain_names_pods_and_budgets_LIF_449(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "budgeted", "1", "labels: {app: web}, ", "");
    hand_pod(scenario, "guarded", "1", PROTECTED, "");
    hand_pod(scenario, "plain", "1", "", "");
    apply_budget(scenario, "web-pdb", "web");
    wait_for(scenario, 3);
    end_claim(scenario);
    scenario_run(scenario, 20);
    assert_string_equal(view_condition(claim(scenario), "Drained"), "Unknown/Draining");
    assert_string_equal(view_condition_message(claim(scenario), "Drained"), "Draining");
    scenario_run(scenario, 30);
    const char *message = view_condition_message(claim(scenario), "Drained");
    static const char *const names[] = {"default/budgeted (PodDisruptionBudget web-pdb)",
                                        "default/guarded (do-not-disrupt)"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        if (strstr(message, names[i]) == NULL)
            fail_msg("%s", message);
        assert_true(view_events(scenario, "Node", "FailedDraining", names[i]) >= 1);
    }
    assert_null(strstr(message, "plain"));
    hand_delete(scenario, "policy/v1", "PodDisruptionBudget", "default", "web-pdb");
    scenario_run(scenario, 60);
    assert_string_equal(view_condition_message(claim(scenario), "Drained"),
                        "Draining, waiting for default/guarded (do-not-disrupt)");
    hand_delete(scenario, "v1", "Pod", "default", "guarded");
    scenario_until(scenario, 60, "the claim to be gone", claim_gone);
}

static void upstream_counts_pods_and_names_none_LIF_112_449(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    begin(scenario, "");
    hand_pod(scenario, "guarded", "1", PROTECTED, "");
    wait_for(scenario, 1);
    end_claim(scenario);
    scenario_run(scenario, 60);
    assert_int_equal(view_events(scenario, "Node", "FailedDraining", "guarded"), 0);
    assert_true(view_events(scenario, "Node", "FailedDraining", "1 pods are waiting") > 0);
    assert_string_equal(view_condition_message(claim(scenario), "Drained"), "Draining");
}

static void pod_that_does_not_end_is_named_LIF_450(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, "");
    hand_pod(scenario, "held", "1", "finalizers: [example.com/hold], ",
             "terminationGracePeriodSeconds: 1, ");
    wait_for(scenario, 1);
    end_claim(scenario);
    scenario_until(scenario, 150, "the claim to be gone", claim_gone);
    assert_int_equal(view_events(scenario, "Node", "FailedDraining",
                                 "no longer waiting for pods that do not end: default/held"),
                     1);
    hand_patch(scenario, "v1", "Pod", "default", "held", NULL, "metadata: {finalizers: null}");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(critical_pods_go_last_and_a_pod_that_ends_holds_its_group_LIF_110_113_114),
        TEST(accepted_eviction_is_told_and_counted_LIF_123_124),
        TEST(reason_is_that_of_the_disruption_LIF_124),
        TEST(refused_evictions_are_tried_ever_slower_LIF_123_126_127),
        TEST(several_budgets_are_told_as_such_LIF_123),
        TEST(pod_that_is_gone_ends_its_entry_LIF_123_475),
        TEST(overdue_pod_keeps_its_grace_LIF_121_122),
        TEST(grace_of_a_terminating_pod_is_shortened_LIF_122),
        TEST(an_earlier_deadline_shortens_the_grace_again_LIF_120_122),
        TEST(a_second_of_grace_is_the_least_LIF_122),
        TEST(grace_period_of_centuries_bypasses_nothing_LIF_80_121),
        TEST(pod_with_a_grace_of_centuries_ends_with_its_node_LIF_121_122),
        TEST(protection_ends_with_its_time_LIF_125),
        TEST(value_that_says_nothing_protects_from_nothing_LIF_125),
        TEST(blocked_drain_names_pods_and_budgets_LIF_449),
        TEST(upstream_counts_pods_and_names_none_LIF_112_449),
        TEST(pod_that_does_not_end_is_named_LIF_450),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
