// A disruption command from its confirmation to its end: marks, replacements, deletions, and its
// reaction to failures, deletions and returns on the way.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/moves.h"

#define TAINT     "karpenter.sh/disrupted"
#define REPLACE   "decision=\"replace\",reason=\"underutilized\",consolidation_type=\"single\""
#define DECISIONS "karpenter_voluntary_disruption_decisions_total"
#define FAILURES  "karpenter_voluntary_disruption_queue_failures_total"
#define DISRUPTED "karpenter_nodeclaims_disrupted_total"

static char old_node[200], old_claim[200]; // of place 0

static void note_old(struct scenario *scenario)
{
    snprintf(old_node, sizeof old_node, "%s", store_name(moves_node(scenario, 0)));
    snprintf(old_claim, sizeof old_claim, "%s", store_name(moves_claim(scenario, 0)));
}

static json_t *node(struct scenario *scenario)
{
    return view_object(scenario, "v1", "Node", NULL, old_node);
}

static json_t *claim(struct scenario *scenario)
{
    return view_object(scenario, KARPENTER, "NodeClaim", NULL, old_claim);
}

static bool moves_none_chosen_by_us(struct scenario *scenario)
{
    return view_annotation(node(scenario), "adze.dev/disruption-command") == NULL;
}

static bool old_is_gone(struct scenario *scenario)
{
    return node(scenario) == NULL && claim(scenario) == NULL;
}

static void expect_untouched(struct scenario *scenario)
{
    assert_false(view_has_taint(node(scenario), TAINT, "NoSchedule"));
    assert_null(view_annotation(node(scenario), "adze.dev/disruption-command"));
    assert_string_equal(view_condition(claim(scenario), "DisruptionReason"), "none");
    assert_null(view_text(claim(scenario), "metadata.deletionTimestamp"));
}

// One large node whose replacement is on its way.
static void begin_replacement(struct scenario *scenario)
{
    moves_begin(scenario, 1);
    note_old(scenario);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "a replacement", moves_replacement_there);
}

// --- marks (DIS-301) -----------------------------------------------------------------------------
static uint32_t reason_writes, unlocked;

static bool watch_locks(const struct kube_request *request, struct kube_response *response)
{
    (void)response;
    char *text = request->body != NULL ? json_dumps(request->body, JSON_COMPACT) : NULL;
    bool marks = text != NULL && request->verb == KUBE_PATCH &&
                 (strstr(text, "DisruptionReason") != NULL || strstr(text, TAINT) != NULL);
    reason_writes += marks;
    unlocked += marks && view_text(request->body, "metadata.resourceVersion") == NULL;
    free(text);
    return false;
}

static void candidates_are_marked_under_lock_DIS_301_729_7(void **state)
{
    struct scenario *scenario = *state;
    reason_writes = unlocked = 0;
    moves_on_request = watch_locks;
    begin_replacement(scenario);
    assert_true(view_has_taint(node(scenario), TAINT, "NoSchedule"));
    assert_string_equal(view_condition(claim(scenario), "DisruptionReason"), "True/Underutilized");
    assert_string_equal(view_condition_message(claim(scenario), "DisruptionReason"),
                        "Underutilized");
    assert_true(reason_writes >= 2);
    assert_int_equal(unlocked, 0);
}

static uint32_t conflicts;
static bool refuse_taints(const struct kube_request *request, struct kube_response *response)
{
    if (conflicts == 0 || request->verb != KUBE_PATCH ||
        strstr(request->path, "/api/v1/nodes/") == NULL)
        return false;
    conflicts--;
    response->status = 409;
    return true;
}

static void conflicts_are_tried_again_DIS_7_302(void **state)
{
    struct scenario *scenario = *state;
    conflicts = 3;
    moves_on_request = refuse_taints;
    begin_replacement(scenario);
    assert_int_equal(conflicts, 0);
    scenario_until(scenario, 120, "the node to be replaced", old_is_gone);
}

static bool refuse_taint_of_old(const struct kube_request *request, struct kube_response *response)
{
    if (request->verb != KUBE_PATCH || strstr(request->path, old_node) == NULL)
        return false;
    response->status = 500;
    return true;
}

static uint32_t taints_of_old;
static bool count_taints_of_old(const struct kube_request *request, struct kube_response *response)
{
    (void)response;
    char *text = request->body != NULL ? json_dumps(request->body, JSON_COMPACT) : NULL;
    taints_of_old += request->verb == KUBE_PATCH && strstr(request->path, old_node) != NULL &&
                     text != NULL && strstr(text, TAINT) != NULL;
    free(text);
    return false;
}

// A command whose marks on its node have failed for a while.
static void begin_slow_tainting(struct scenario *scenario, const char *budgets)
{
    moves_begin(scenario, 1);
    note_old(scenario);
    story_app(scenario, &(struct story_app){.name = "other",
                                            .replicas = 1,
                                            .cpu = "7",
                                            .spec = "nodeSelector: {place: '0'}, "});
    scenario_expect_running(scenario, 3);
    scenario_run(scenario, 60);
    assert_string_not_equal(moves_place_of(scenario, "other"), old_node);
    moves_pool(scenario, 0, (struct story_pool){.budgets = budgets});
    moves_on_request = refuse_taint_of_old;
    moves_shrink(scenario, 0);
    scenario_run(scenario, 20);
    expect_untouched(scenario);
    taints_of_old = 0;
}

static void closed_budget_keeps_a_late_command_from_marking_DIS_790_263(void **state)
{
    struct scenario *scenario = *state;
    begin_slow_tainting(scenario, "[{nodes: '1'}]");
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '0'}]"});
    scenario_run(scenario, 0.5);
    moves_on_request = count_taints_of_old;
    scenario_run(scenario, 60);
    assert_int_equal(taints_of_old, 0);
    expect_untouched(scenario);
    moves_pool(scenario, 0, (struct story_pool){.budgets = "[{nodes: '1'}]"});
    scenario_until(scenario, 900, "the node to be replaced", old_is_gone);
}

static void node_that_fell_ill_uses_the_budget_of_a_late_command_DIS_790_126(void **state)
{
    struct scenario *scenario = *state;
    begin_slow_tainting(scenario, "[{nodes: '1'}]");
    json_t *other = view_object(scenario, "v1", "Node", NULL, moves_place_of(scenario, "other"));
    world_machine_set_state(simulation_world(scenario->simulation),
                            view_text(other, "spec.providerID"), MACHINE_NOT_READY);
    scenario_run(scenario, 20);
    moves_on_request = count_taints_of_old;
    scenario_run(scenario, 60);
    assert_int_equal(taints_of_old, 0);
    expect_untouched(scenario);
}

static void budget_that_still_allows_it_lets_a_late_command_go_on_DIS_790(void **state)
{
    struct scenario *scenario = *state;
    begin_slow_tainting(scenario, "[{nodes: '1'}]");
    moves_on_request = count_taints_of_old;
    scenario_until(scenario, 120, "the node to be replaced", old_is_gone);
    assert_int_equal(moves_logged("command is no longer valid", NULL), 0);
}

// --- starting (DIS-304 to DIS-309) ---------------------------------------------------------------
static void decision_is_counted_once_DIS_309_304(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    assert_true(view_metric(scenario, DECISIONS, REPLACE) == 1);
    assert_true(view_metric(scenario, "karpenter_voluntary_disruption_decisions_by_nodepool_total",
                            "nodepool=\"place-0\"," REPLACE) == 1);
    assert_true(view_metric_sum(scenario, "karpenter_nodeclaims_created_total",
                                "reason=\"underutilized\",nodepool=\"place-0\"") == 1);
    scenario_until(scenario, 120, "the node to be replaced", old_is_gone);
    assert_true(view_metric(scenario, DECISIONS, REPLACE) == 1);
}

static bool refuse_claims(const struct kube_request *request, struct kube_response *response)
{
    if (request->verb != KUBE_CREATE || strstr(request->path, "/nodeclaims") == NULL)
        return false;
    response->status = 422;
    return true;
}

static void refused_replacement_gives_the_node_back_DIS_304_328_LIF_463(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    note_old(scenario);
    moves_on_request = refuse_claims;
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "the node to be chosen", moves_any_chosen);
    scenario_until(scenario, 20, "the node to be given back", moves_none_chosen);
    scenario_run(scenario, 1);
    expect_untouched(scenario);
    assert_true(view_metric(scenario, FAILURES, REPLACE) == 1);
    assert_int_equal(moves_logged("failed terminating nodes while executing a disruption command",
                                  "launching replacement nodeclaim"),
                     1);
}

// docs/metrics.md: each family has its own spelling, and keeps it.
static void label_values_are_as_documented_LIF_463(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    scenario_until(scenario, 90, "the node to go", old_is_gone);
    scenario_run(scenario, 30);
    assert_true(view_metric(scenario, DECISIONS, REPLACE) == 1);
    assert_true(view_metric_sum(scenario, "karpenter_nodeclaims_created_total",
                                "reason=\"underutilized\"") == 1);
    assert_true(view_metric(scenario, DISRUPTED,
                            "reason=\"underutilized\",nodepool=\"place-0\",capacity_type="
                            "\"on-demand\",consolidation_policy=\"when_empty_or_underutilized\","
                            "termination_mode=\"graceful\"") == 1);
    assert_true(view_metric(scenario, "karpenter_nodepools_allowed_disruptions",
                            "nodepool=\"place-0\",reason=\"Underutilized\"") >= 0);
    assert_true(view_metric(scenario, "karpenter_consolidation_moves_total",
                            "decision=\"approved\",nodepool=\"place-0\","
                            "policy=\"WhenEmptyOrUnderutilized\"") >= 1);
    assert_true(view_metric(scenario, "karpenter_pods_drained_total", "reason=\"Underutilized\"") ==
                1);
}

// Of a nonexistent provider: it never becomes a machine.
static void add_claim_named(struct scenario *scenario, const char *name)
{
    char manifest[600];
    snprintf(manifest, sizeof manifest,
             "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: %s}\n"
             "spec: {nodeClassRef: {group: other.sh, kind: Other, name: o}, requirements: "
             "[{key: kubernetes.io/os, operator: In, values: [linux]}]}\n",
             name);
    scenario_apply(scenario, manifest);
}

// The names are random: the same world again, with the name already taken.
static void replacement_has_a_name_that_nobody_has_DIS_304_792(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    char name[200];
    snprintf(name, sizeof name, "%s", moves_replacement(scenario));
    moves_teardown(state);
    moves_setup(state);
    scenario = *state;
    moves_begin(scenario, 1);
    note_old(scenario);
    add_claim_named(scenario, name);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "a replacement", moves_replacement_there);
    assert_string_not_equal(moves_replacement(scenario), name);
    scenario_until(scenario, 120, "the node to be replaced", old_is_gone);
}

static char rival[200];
static bool create_rival(const struct kube_request *request, struct kube_response *response)
{
    const char *name = request->verb == KUBE_CREATE && strstr(request->path, "/nodeclaims") != NULL
                           ? view_text(request->body, "metadata.name")
                           : NULL;
    if (name == NULL || rival[0] != '\0')
        return false;
    snprintf(rival, sizeof rival, "%s", name);
    response->status = 500;
    return true;
}

// A foreign one is created between two attempts of ours.
static void claim_of_another_is_no_replacement_DIS_304_792(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    note_old(scenario);
    rival[0] = '\0';
    moves_on_request = create_rival;
    moves_shrink(scenario, 0);
    for (int i = 0; i < 300 && rival[0] == '\0'; i++)
        scenario_run(scenario, 0.1);
    assert_string_not_equal(rival, "");
    add_claim_named(scenario, rival);
    scenario_run(scenario, 20);
    expect_untouched(scenario);
    scenario_until(scenario, 300, "the node to be replaced", old_is_gone);
    assert_non_null(view_object(scenario, KARPENTER, "NodeClaim", NULL, rival));
}

static char first_claim[200];
static bool second_is_refused;
static uint32_t
    seconds; // create calls for other NodeClaims than the first, once they are let through
static bool hold_second(const struct kube_request *request, struct kube_response *response)
{
    const char *name = request->verb == KUBE_CREATE && strstr(request->path, "/nodeclaims") != NULL
                           ? view_text(request->body, "metadata.name")
                           : NULL;
    if (name == NULL)
        return false;
    if (first_claim[0] == '\0')
        snprintf(first_claim, sizeof first_claim, "%s", name);
    if (strcmp(name, first_claim) == 0)
        return false;
    seconds += !second_is_refused;
    response->status = 500;
    return second_is_refused;
}

static void rest_is_not_launched_when_a_replacement_is_lost_DIS_304_328(void **state)
{
    struct scenario *scenario = *state;
    struct error error = {0};
    moves_begin(scenario, 1);
    story_app(scenario, &(struct story_app){.name = "other",
                                            .replicas = 1,
                                            .cpu = "7",
                                            .spec = "nodeSelector: {place: '0'}, "});
    scenario_expect_running(scenario, 3);
    scenario_run(scenario, 60);
    first_claim[0] = '\0';
    second_is_refused = true;
    seconds = 0;
    moves_on_request = hold_second;
    moves_pool(scenario, 0, (struct story_pool){.labels = "version: two"}); // both nodes drift
    for (int i = 0; i < 600 && moves_chosen(scenario) < 2; i++)
        scenario_run(scenario, 0.1);
    scenario_run(scenario, 3);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 3);
    assert_true(
        simulation_delete(scenario->simulation, KARPENTER, "NodeClaim", NULL, first_claim, &error));
    scenario_run(scenario, 0.05);
    second_is_refused = false;
    scenario_run(scenario, 20);
    assert_int_equal(seconds, 0);
    assert_int_equal(moves_logged("failed terminating nodes while executing a disruption command",
                                  "replacement was deleted"),
                     1);
}

static void pool_beyond_its_limit_gets_no_replacement_DIS_308(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    note_old(scenario);
    moves_pool(scenario, 0, (struct story_pool){.spec = "limits: {cpu: '2'}"});
    moves_shrink(scenario, 0);
    scenario_run(scenario, 120);
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 1);
    expect_untouched(scenario);
}

static char stuck_node[200];
static bool refuse_marks_of_stuck(const struct kube_request *request,
                                  struct kube_response *response)
{
    if (stuck_node[0] == '\0' || request->verb != KUBE_PATCH ||
        strstr(request->path, stuck_node) == NULL)
        return false;
    response->status = 500;
    return true;
}

// The node of a command that is still at its first write counts: it may stay.
static void room_of_another_commands_node_is_not_used_DIS_731_LIF_458(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    note_old(scenario);
    story_app(scenario, &(struct story_app){.name = "other",
                                            .replicas = 1,
                                            .cpu = "6",
                                            .spec = "nodeSelector: {place: '0'}, "});
    scenario_expect_running(scenario, 3);
    scenario_run(scenario, 60);
    snprintf(stuck_node, sizeof stuck_node, "%s", moves_place_of(scenario, "other"));
    assert_string_not_equal(stuck_node, old_node);
    moves_pool(scenario, 0, (struct story_pool){.spec = "limits: {cpu: '8'}"});
    moves_on_request = refuse_marks_of_stuck;
    moves_scale(scenario, "other", 0);
    scenario_run(scenario, 10);
    moves_shrink(scenario, 0);
    scenario_run(scenario, 120);
    assert_true(moves_logged("launching replacement nodeclaim", "resource usage exceeds limit") >
                0);
    assert_string_equal(moves_replacement(scenario), "");
    assert_int_equal(view_count(scenario, KARPENTER, "NodeClaim"), 2);
}

// The room for the candidate's pods is not launched a second time.
static void provisioning_buys_nothing_for_pods_that_will_move_DIS_306_510_332(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    note_old(scenario);
    uint64_t before = story_launches(scenario);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 120, "the node to be replaced", old_is_gone);
    scenario_run(scenario, 30);
    assert_int_equal(story_launches(scenario) - before, 1);
    scenario_expect_running(scenario, 1);
}

static void other_pods_of_the_place_use_the_replacement_DIS_511(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    hand_pod(scenario, "slow", "100m", "",
             "nodeSelector: {place: '0'}, terminationGracePeriodSeconds: 120, ");
    scenario_expect_running(scenario, 3);
    scenario_run(scenario, 30);
    note_old(scenario);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 120, "the node to go", moves_any_deleting);
    uint64_t launches = story_launches(scenario);
    hand_pod(scenario, "late", "100m", "", "nodeSelector: {place: '0'}, ");
    scenario_run(scenario, 60);
    assert_int_equal(story_launches(scenario), launches);
    json_t *late = view_object(scenario, "v1", "Pod", "default", "late");
    assert_non_null(view_text(late, "spec.nodeName"));
    assert_string_not_equal(view_text(late, "spec.nodeName"), old_node);
}

// --- the end (DIS-323 to DIS-329) ----------------------------------------------------------------
static void nothing_is_deleted_before_the_replacement_is_there_DIS_323_327_792(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    while (!moves_replacement_node(scenario)) {
        assert_null(view_text(claim(scenario), "metadata.deletionTimestamp"));
        scenario_run(scenario, 0.1);
    }
    scenario_until(scenario, 60, "the node to go", old_is_gone);
    assert_int_equal(moves_logged("command succeeded", NULL), 1); // DIS-329
    assert_true(view_metric_sum(scenario, FAILURES, "") == 0);
    scenario_expect_running(scenario, 1);
}

static uint32_t failing_deletes;
static bool fail_deletes(const struct kube_request *request, struct kube_response *response)
{
    if (failing_deletes == 0 || request->verb != KUBE_DELETE ||
        strstr(request->path, old_claim) == NULL)
        return false;
    failing_deletes--;
    response->status = 500;
    return true;
}

static void failed_deletion_is_repeated_and_counted_once_DIS_324_325_722(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    failing_deletes = 3;
    moves_on_request = fail_deletes;
    scenario_until(scenario, 180, "the node to go", old_is_gone);
    scenario_run(scenario, 5);
    assert_int_equal(failing_deletes, 0);
    static const char labels[] =
        "reason=\"underutilized\",nodepool=\"place-0\",capacity_type=\"on-demand\","
        "consolidation_policy=\"when_empty_or_underutilized\",termination_mode=\"graceful\"";
    assert_true(view_metric(scenario, DISRUPTED, labels) == 1);
    assert_true(view_metric(scenario, "karpenter_pods_disruption_initiated_total", labels) == 1);
    assert_int_equal(view_events(scenario, "NodeClaim", "DisruptionTerminating",
                                 "Disrupting NodeClaim: Underutilized"),
                     1);
}

// The duration does not matter, but it is bounded: after ten minutes the nodes are released.
static void deletions_that_are_always_refused_end_the_command_DIS_322_327_328_793(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    failing_deletes = 1000000;
    moves_on_request = fail_deletes;
    scenario_run(scenario, 9 * 60);
    assert_true(view_has_taint(node(scenario), TAINT, "NoSchedule"));
    assert_int_equal(view_count(scenario, "v1", "Node"), 2); // the replacement waits (DIS-727)
    scenario_until(scenario, 120, "the node to be given back", moves_none_chosen);
    assert_true(moves_logged("failed terminating nodes while executing a disruption command",
                             "command reached timeout, deleting nodeclaim") >= 1);
    scenario_run(scenario, 1);
    expect_untouched(scenario);
    failing_deletes = 0;
}

static bool refuse_all_taints(const struct kube_request *request, struct kube_response *response)
{
    if (request->verb != KUBE_PATCH || strstr(request->path, "/api/v1/nodes/") == NULL)
        return false;
    response->status = 403;
    return true;
}

static void taint_that_is_always_refused_ends_the_command_DIS_302_793(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    note_old(scenario);
    moves_on_request = refuse_all_taints;
    moves_shrink(scenario, 0);
    scenario_run(scenario, 9 * 60);
    assert_int_equal(moves_logged("command reached timeout", NULL), 0);
    scenario_run(scenario, 150);
    assert_true(moves_logged("failed terminating nodes while executing a disruption command",
                             "command reached timeout, marking disrupted") >= 1);
    moves_on_request = NULL;
    scenario_until(scenario, 900, "the node to be replaced", old_is_gone);
}

// It stays whatever its value, and no second one of its key and effect is added.
static void taint_of_somebody_else_is_left_alone_DIS_301_730(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    note_old(scenario);
    hand_patch(scenario, "v1", "Node", NULL, old_node, NULL,
               "spec: {taints: [{key: karpenter.sh/disrupted, value: mine, effect: NoSchedule}]}");
    moves_shrink(scenario, 0);
    scenario_until(scenario, 30, "the node to be chosen", moves_any_chosen);
    assert_int_equal(json_array_size(store_path(node(scenario), "spec.taints")), 1);
    moves_protect(scenario, "keep-0");
    scenario_until(scenario, 10, "the node to be given back", moves_none_chosen_by_us);
    assert_true(view_has_taint(node(scenario), TAINT, "NoSchedule"));
}

static void deletion_by_hand_is_not_ours_DIS_324_353(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    scenario_run(scenario, 2);
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, old_claim);
    scenario_until(scenario, 120, "the node to go", old_is_gone);
    scenario_expect_running(scenario, 1);
    assert_int_equal(view_count(scenario, "v1", "Node"), 1); // the replacement, and it alone
    assert_true(view_metric_sum(scenario, DISRUPTED, "reason=\"underutilized\"") == 0);
    assert_true(view_metric_sum(scenario, FAILURES, "") == 0);
}

// --- readiness (DIS-726) -------------------------------------------------------------------------
static void set_ready(struct scenario *scenario, const char *name, const char *status)
{
    char patch[200];
    snprintf(patch, sizeof patch,
             "status: {conditions: [{type: Ready, status: '%s', reason: Hand, lastTransitionTime: "
             "'2026-01-01T00:00:00Z'}]}",
             status);
    hand_patch(scenario, "v1", "Node", NULL, name, "status", patch);
}

// An initialized replacement becomes unready while a PodDisruptionBudget delays the deletion.
static void replacement_must_be_ready_at_the_deletion_DIS_726(void **state)
{
    struct scenario *scenario = *state;
    char replacement[200];
    begin_replacement(scenario);
    scenario_apply(scenario,
                   "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: guard, "
                   "namespace: default}, spec: {selector: {matchLabels: {app: keep-0}}, "
                   "maxUnavailable: 0}}");
    scenario_run(scenario, 60);
    const json_t *there =
        view_object(scenario, KARPENTER, "NodeClaim", NULL, moves_replacement(scenario));
    assert_string_equal(view_condition(there, "Initialized"), "True/Initialized");
    snprintf(replacement, sizeof replacement, "%s", view_text(there, "status.nodeName"));
    set_ready(scenario, replacement, "False");
    scenario_run(scenario, 1);
    hand_delete(scenario, "policy/v1", "PodDisruptionBudget", "default", "guard");
    scenario_run(scenario, 30);
    assert_null(view_text(claim(scenario), "metadata.deletionTimestamp"));
    assert_string_equal(moves_place_of(scenario, "keep-0"), old_node);
    set_ready(scenario, replacement, "True");
    scenario_until(scenario, 30, "the node to go", old_is_gone);
}

// --- failures ------------------------------------------------------------------------------------
static void deleted_replacement_gives_the_node_back_DIS_494_323_328(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, moves_replacement(scenario));
    scenario_until(scenario, 10, "the node to be given back", moves_none_chosen);
    scenario_run(scenario, 1);
    expect_untouched(scenario);
    assert_true(view_metric(scenario, FAILURES, REPLACE) == 1);
    assert_int_equal(moves_logged("failed terminating nodes while executing a disruption command",
                                  "replacement was deleted"),
                     1);
    scenario_run(scenario, 20);
    scenario_expect_running(scenario, 1);
}

static void failed_move_is_tried_again_later_DIS_331_330(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, moves_replacement(scenario));
    scenario_until(scenario, 10, "the node to be given back", moves_none_chosen);
    scenario_run(scenario, 25);
    assert_int_equal(moves_chosen(scenario), 0); // at least half a minute of rest
    scenario_until(scenario, 180, "the node to be replaced after all", old_is_gone);
}

// Three nodes in a command, one of which vanishes.
static void vanished_candidate_is_done_and_the_rest_goes_on_DIS_720_321(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 3);
    moves_pool(scenario, 0, (struct story_pool){.labels = "generation: b"});
    note_old(scenario);
    for (uint32_t i = 1; i < 3; i++)
        moves_pool(scenario, i, (struct story_pool){.labels = "generation: b"});
    scenario_until(scenario, 30, "replacements", moves_replacement_there);
    scenario_run(scenario, 2);
    assert_int_equal(moves_chosen(scenario), 3);
    sim_instances_reclaim(simulation_park(scenario->simulation),
                          view_text(node(scenario), "spec.providerID"));
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, old_claim);
    scenario_run(scenario, 180);
    scenario_expect_running(scenario, 6);
    assert_int_equal(moves_chosen(scenario), 0);
    assert_int_equal(story_nodes_labelled(scenario, "generation", "b"), 3);
    assert_int_equal(view_count(scenario, "v1", "Node"), 3);
}

static bool two_are_chosen(struct scenario *scenario)
{
    return moves_chosen(scenario) == 2;
}

static bool two_are_disrupted(struct scenario *scenario)
{
    (void)scenario;
    return moves_logged("disrupting node(s)", "\"disrupted-node-count\":2") == 1;
}

// Each of three nodes with a part of 1 cpu beside 6 cpu that leave: the parts of two fit on the
// third.
static void begin_merger(struct scenario *scenario)
{
    char name[20];
    moves_begin(scenario, 0);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "part-%d", i);
        story_app(scenario, &(struct story_app){.name = name, .replicas = 1, .cpu = "1"});
        snprintf(name, sizeof name, "fill-%d", i);
        story_app(scenario, &(struct story_app){.name = name, .replicas = 1, .cpu = "6"});
        scenario_run(scenario, 60);
    }
    scenario_expect_running(scenario, 6);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "fill-%d", i);
        moves_scale(scenario, name, 0);
    }
    scenario_until(scenario, 60, "a command", two_are_chosen);
    scenario_until(scenario, 10, "its beginning", two_are_disrupted);
}

static void first_of_two_candidates_vanishes_DIS_720(void **state)
{
    struct scenario *scenario = *state;
    begin_merger(scenario);
    json_t *line = json_loads(moves_last_line("\"message\":\"disrupting node(s)\""), 0, NULL);
    hand_delete(
        scenario, KARPENTER, "NodeClaim", NULL,
        view_text(json_array_get(store_path(line, "disrupted-nodes"), 0), "NodeClaim.name"));
    json_decref(line);
    scenario_run(scenario, 120);
    scenario_expect_running(scenario, 3);
    assert_int_equal(moves_chosen(scenario), 0);
    assert_int_equal(view_count(scenario, "v1", "Node"), 1);
    assert_true(view_metric_sum(scenario, FAILURES, "") == 0);
}

// --- protection (DIS-727, DIS-721) ---------------------------------------------------------------
static void replacement_waits_for_pods_that_go_slowly_DIS_727_721_329(void **state)
{
    struct scenario *scenario = *state;
    moves_begin(scenario, 1);
    scenario_apply(scenario,
                   "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: slow, namespace: "
                   "default}\nspec:\n  replicas: 1\n  selector: {matchLabels: {app: slow}}\n"
                   "  template:\n    metadata: {labels: {app: slow}}\n    spec:\n"
                   "      nodeSelector: {place: '0'}\n      terminationGracePeriodSeconds: 900\n"
                   "      containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]\n");
    scenario_expect_running(scenario, 3);
    scenario_run(scenario, 30);
    note_old(scenario);
    moves_scale(scenario, "keep-0", 0);
    moves_shrink(scenario, 0);
    scenario_until(scenario, 180, "the node to go", moves_any_deleting);
    char replacement[200];
    snprintf(replacement, sizeof replacement, "%s", moves_replacement(scenario));
    uint64_t launches = story_launches(scenario);
    scenario_until(scenario, 1200, "the node to be gone", old_is_gone);
    scenario_run(scenario, 60);
    scenario_expect_running(scenario, 1);
    json_t *there = view_object(scenario, KARPENTER, "NodeClaim", NULL, replacement);
    assert_non_null(there);
    assert_string_equal(view_text(there, "status.nodeName"), moves_place_of(scenario, "slow"));
    assert_int_equal(story_launches(scenario), launches);
    assert_true(view_metric_sum(scenario, FAILURES, "") == 0); // after ten minutes, no failure
}

// Its pods do not need it any more: it does not wait for the end of a nomination (LIF-313).
static void replacement_that_nobody_needs_any_more_goes_soon_DIS_727(void **state)
{
    struct scenario *scenario = *state;
    begin_replacement(scenario);
    scenario_until(scenario, 180, "the node to go", moves_any_deleting);
    moves_scale(scenario, "keep-0", 0);
    scenario_until(scenario, 60, "the node to be gone", old_is_gone);
    scenario_run(scenario, 16);
    assert_int_equal(view_count(scenario, "v1", "Node"), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, moves_setup, moves_teardown)
    const struct CMUnitTest tests[] = {
        TEST(candidates_are_marked_under_lock_DIS_301_729_7),
        TEST(conflicts_are_tried_again_DIS_7_302),
        TEST(closed_budget_keeps_a_late_command_from_marking_DIS_790_263),
        TEST(node_that_fell_ill_uses_the_budget_of_a_late_command_DIS_790_126),
        TEST(budget_that_still_allows_it_lets_a_late_command_go_on_DIS_790),
        TEST(decision_is_counted_once_DIS_309_304),
        TEST(refused_replacement_gives_the_node_back_DIS_304_328_LIF_463),
        TEST(label_values_are_as_documented_LIF_463),
        TEST(replacement_has_a_name_that_nobody_has_DIS_304_792),
        TEST(claim_of_another_is_no_replacement_DIS_304_792),
        TEST(rest_is_not_launched_when_a_replacement_is_lost_DIS_304_328),
        TEST(pool_beyond_its_limit_gets_no_replacement_DIS_308),
        TEST(room_of_another_commands_node_is_not_used_DIS_731_LIF_458),
        TEST(provisioning_buys_nothing_for_pods_that_will_move_DIS_306_510_332),
        TEST(other_pods_of_the_place_use_the_replacement_DIS_511),
        TEST(nothing_is_deleted_before_the_replacement_is_there_DIS_323_327_792),
        TEST(failed_deletion_is_repeated_and_counted_once_DIS_324_325_722),
        TEST(deletions_that_are_always_refused_end_the_command_DIS_322_327_328_793),
        TEST(taint_that_is_always_refused_ends_the_command_DIS_302_793),
        TEST(taint_of_somebody_else_is_left_alone_DIS_301_730),
        TEST(deletion_by_hand_is_not_ours_DIS_324_353),
        TEST(replacement_must_be_ready_at_the_deletion_DIS_726),
        TEST(deleted_replacement_gives_the_node_back_DIS_494_323_328),
        TEST(failed_move_is_tried_again_later_DIS_331_330),
        TEST(vanished_candidate_is_done_and_the_rest_goes_on_DIS_720_321),
        TEST(first_of_two_candidates_vanishes_DIS_720),
        TEST(replacement_waits_for_pods_that_go_slowly_DIS_727_721_329),
        TEST(replacement_that_nobody_needs_any_more_goes_soon_DIS_727),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
