// Budgets, candidates and emptiness alone over snapshots: the questions of the controller.
#include "support/cmocka_all.h"

#include "base/duration.h"
#include "base/text.h"
#include "engine/disruption/emptiness.h"
#include "engine/disruption/nodepool_budgets.h"
#include "model/reading/settings_read.h"
#include "model/snapshot/snapshot_read.h"

#define NOW "2026-01-05T12:00:00Z" // a Monday

static int64_t at(const char *text)
{
    int64_t instant;
    assert_true(instant_parse(text, &instant, NULL));
    return instant;
}

// --- budgets -------------------------------------------------------------------------------------
static struct node_pool_budget budgets[4];
static struct node_pool pool_of_budgets(uint32_t count)
{
    struct node_pool pool = {0};
    pool.meta.name = "p";
    pool.spec.disruption.budgets.items = budgets;
    pool.spec.disruption.budgets.count = count;
    return pool;
}

static int64_t allowed(const struct node_pool *pool, enum disruption_reason reason, int64_t total,
                       const char *now)
{
    int64_t value;
    struct error error = {0};
    assert_true(nodepool_budgets_allowed(pool, reason, total, at(now), &value, &error));
    return value;
}

static void values_and_rounding_DIS_118_119(void **state)
{
    (void)state;
    const struct {
        const char *nodes;
        int64_t total, expected;
    } cases[] = {{"10%", 0, 0},  {"10%", 1, 1},  {"10%", 10, 1}, {"10%", 11, 2},
                 {"0%", 100, 0}, {"100%", 7, 7}, {"5", 100, 5},  {"007", 1, 7}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        budgets[0] = (struct node_pool_budget){.nodes = cases[i].nodes};
        struct node_pool pool = pool_of_budgets(1);
        assert_true(allowed(&pool, DISRUPTION_EMPTY, cases[i].total, NOW) == cases[i].expected);
    }
    struct node_pool none = pool_of_budgets(0);
    assert_true(allowed(&none, DISRUPTION_EMPTY, 5, NOW) == BUDGET_UNLIMITED);
}

static void least_budget_of_a_reason_counts_DIS_120_122(void **state)
{
    (void)state;
    static const char *some[] = {"Drifted", "Underutilized"}, *drifted[] = {"Drifted"},
                      *empty[] = {"Empty"};
    budgets[0] = (struct node_pool_budget){.nodes = "10"};
    budgets[1] = (struct node_pool_budget){.nodes = "15", .reasons = {some, 2}};
    budgets[2] = (struct node_pool_budget){.nodes = "5", .reasons = {drifted, 1}};
    budgets[3] = (struct node_pool_budget){.nodes = "4", .reasons = {empty, 1}};
    struct node_pool pool = pool_of_budgets(4);
    assert_true(allowed(&pool, DISRUPTION_EMPTY, 100, NOW) == 4);
    assert_true(allowed(&pool, DISRUPTION_DRIFTED, 100, NOW) == 5);
    assert_true(allowed(&pool, DISRUPTION_UNDERUTILIZED, 100, NOW) == 10);
    budgets[0] = (struct node_pool_budget){.nodes = "1", .reasons = {empty, 0}}; // no reason at all
    pool = pool_of_budgets(1);
    assert_true(allowed(&pool, DISRUPTION_EMPTY, 100, NOW) == BUDGET_UNLIMITED);
}

static void schedule_windows_are_half_open_DIS_111_112(void **state)
{
    (void)state;
    budgets[0] = (struct node_pool_budget){
        .nodes = "0", .schedule = "0 9 * * mon-fri", .duration = {"8h", 8 * HOUR}};
    struct node_pool pool = pool_of_budgets(1);
    assert_true(allowed(&pool, DISRUPTION_EMPTY, 9, "2026-01-05T08:59:59Z") == BUDGET_UNLIMITED);
    assert_true(allowed(&pool, DISRUPTION_EMPTY, 9, "2026-01-05T09:00:00Z") == 0);
    assert_true(allowed(&pool, DISRUPTION_EMPTY, 9, "2026-01-05T16:59:59Z") == 0);
    assert_true(allowed(&pool, DISRUPTION_EMPTY, 9, "2026-01-05T17:00:00Z") == BUDGET_UNLIMITED);
    assert_true(allowed(&pool, DISRUPTION_EMPTY, 9, "2026-01-04T12:00:00Z") == BUDGET_UNLIMITED);
}

static void one_bad_budget_closes_the_pool_DIS_117_121(void **state)
{
    (void)state;
    static const char *drifted[] = {"Drifted"};
    int64_t value = 7;
    struct error error = {0};
    budgets[0] = (struct node_pool_budget){.nodes = "10"};
    budgets[1] = (struct node_pool_budget){
        .nodes = "5", .schedule = "@dailyfoo", .duration = {"1h", HOUR}, .reasons = {drifted, 1}};
    struct node_pool pool = pool_of_budgets(2);
    assert_false(nodepool_budgets_allowed(&pool, DISRUPTION_EMPTY, 100, at(NOW), &value, &error));
    assert_true(value == 0);
    assert_non_null(strstr(error.message, "invalid cron"));
}

static void the_next_change_is_the_first_of_all_budgets_DIS_705(void **state)
{
    (void)state;
    budgets[0] = (struct node_pool_budget){
        .nodes = "0", .schedule = "0 9 * * mon-fri", .duration = {"8h", 8 * HOUR}};
    budgets[1] = (struct node_pool_budget){
        .nodes = "1", .schedule = "30 16 * * *", .duration = {"1h", HOUR}};
    budgets[2] = (struct node_pool_budget){.nodes = "50%"};
    struct node_pool pool = pool_of_budgets(3);
    assert_true(nodepool_budgets_next_change(&pool, at(NOW)) == at("2026-01-05T16:30:00Z"));
    assert_true(nodepool_budgets_next_change(&pool, at("2026-01-05T16:30:00Z")) ==
                at("2026-01-05T17:00:00Z"));
    assert_true(nodepool_budgets_next_change(&pool, at("2026-01-05T17:00:00Z")) ==
                at("2026-01-05T17:30:00Z"));
    assert_true(nodepool_budgets_next_change(&pool, at("2026-01-05T17:30:00Z")) ==
                at("2026-01-06T09:00:00Z"));
    pool = pool_of_budgets(0);
    assert_true(nodepool_budgets_next_change(&pool, at(NOW)) == INT64_MAX);
    budgets[0] = (struct node_pool_budget){
        .nodes = "0", .schedule = "0 0 31 2 *", .duration = {"8h", 8 * HOUR}}; // DIS-113
    budgets[1] =
        (struct node_pool_budget){.nodes = "0", .schedule = "@daily", .duration = {"0h", 0}};
    pool = pool_of_budgets(2);
    assert_true(nodepool_budgets_next_change(&pool, at(NOW)) == INT64_MAX);
    budgets[2] = (struct node_pool_budget){
        .nodes = "0", .schedule = "1 2 3 4 5 6", .duration = {"1h", HOUR}}; // DIS-121
    budgets[1].duration.nanoseconds = HOUR;
    pool = pool_of_budgets(2);
    assert_true(nodepool_budgets_next_change(&pool, at(NOW)) == at("2026-01-06T00:00:00Z"));
    pool = pool_of_budgets(3);
    assert_true(nodepool_budgets_next_change(&pool, at(NOW)) == INT64_MAX);
}

// --- emptiness -----------------------------------------------------------------------------------
static struct snapshot *snapshot;

static void read_objects(const char *yaml)
{
    struct error error = {0};
    if (!snapshot_read_text(snapshot, yaml, strlen(yaml), "test", false, &error))
        fail_msg("%s", error.message);
}

static void add_node(const char *name, const char *more_claim_conditions)
{
    struct text yaml = {0};
    text_format(
        &yaml,
        "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {karpenter.sh/nodepool: p, "
        "karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true', "
        "node.kubernetes.io/instance-type: t}}\nspec: {providerID: 'x://%s'}\nstatus: "
        "{allocatable: {cpu: '4'}, conditions: [{type: Ready, status: 'True'}]}\n---\n"
        "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: claim-%s, labels: "
        "{karpenter.sh/nodepool: p}}\nspec: {nodeClassRef: {group: g, kind: K, name: nc}, "
        "requirements: []}\nstatus: {providerID: 'x://%s', conditions: [{type: Consolidatable, "
        "status: 'True'}%s]}\n",
        name, name, name, name, more_claim_conditions);
    read_objects(yaml.data);
    text_free(&yaml);
}

static void add_pod(const char *name, const char *node, const char *metadata)
{
    struct text yaml = {0};
    text_format(&yaml,
                "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: default%s}\n"
                "spec: {nodeName: %s, containers: [{name: c}]}\nstatus: {phase: Running}\n",
                name, metadata, node);
    read_objects(yaml.data);
    text_free(&yaml);
}

static int setup(void **state)
{
    (void)state;
    snapshot = snapshot_create();
    settings_defaults(&snapshot->settings);
    read_objects(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n"
        "  template: {spec: {nodeClassRef: {group: g, kind: K, name: nc}, requirements: []}}\n"
        "  disruption: {consolidateAfter: 0s, budgets: [{nodes: '2'}]}\n");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    snapshot_destroy(snapshot);
    return 0;
}

static void expect(const char *names, const struct string_list *busy)
{
    struct plan *plan = emptiness_plan(snapshot, busy, NULL, 0);
    struct text text = {0};
    list_for_each (command, &plan->disruptions) {
        assert_int_equal(command->candidates.count, 1); // DIS-732
        text_join(&text, " ", command->candidates.items[0]);
    }
    assert_string_equal(text.data != NULL ? text.data : "", names);
    text_free(&text);
    plan_destroy(plan);
}

// A command with the node is evaluated again; others may start meanwhile.
static void check(const char *node, const struct string_list *busy, enum cancel_kind kind,
                  const char *others)
{
    struct command_check checks[] = {{.reason = DISRUPTION_EMPTY, .nodes = {&node, 1}}};
    struct plan *plan = emptiness_plan(snapshot, busy, checks, 1);
    assert_int_equal(checks[0].kind, kind);
    assert_true((checks[0].message == NULL) == (kind == CANCEL_NONE));
    assert_int_equal(plan->disruptions.count, others != NULL);
    if (others != NULL)
        assert_string_equal(plan->disruptions.items[0].candidates.items[0], others);
    plan_destroy(plan);
}

static const struct plan_note *note_of(const struct plan *plan, uint32_t index)
{
    assert_true(index < plan->notes.count);
    return &plan->notes.items[index];
}

static void empty_nodes_within_the_budget_DIS_140_142(void **state)
{
    (void)state;
    add_node("a", "");
    add_node("b", "");
    add_node("c", "");
    add_node("full", "");
    add_pod("web", "full", "");
    snapshot->time = at(NOW);
    expect("a b", NULL);
    const char *b[] = {"b"};
    struct string_list busy = {b, 1};
    expect("a", &busy); // a running command counts (DIS-126)
}

static void commands_that_are_due_take_first_DIS_262(void **state)
{
    (void)state;
    add_node("a", "");
    add_node("b", "");
    add_node("c", "");
    snapshot->time = at(NOW);
    const char *b[] = {"b"}, *ab[] = {"a", "b"};
    struct string_list one = {b, 1}, two = {ab, 2};
    check("c", NULL, CANCEL_NONE, "a");
    check("c", &one, CANCEL_NONE, NULL);
    check("c", &two, CANCEL_CHURN, NULL); // the budget is used up
    check("gone", &one, CANCEL_CHURN, "a");
    add_pod("web", "c", "");
    check("c", &one, CANCEL_CHURN, "a");
}

static void daemon_pods_and_gone_pods_do_not_fill_DIS_144(void **state)
{
    (void)state;
    add_node("a", "");
    add_pod("daemon", "a",
            ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: u}]");
    add_pod("going", "a", ", deletionTimestamp: '2026-01-05T12:00:30Z', finalizers: [x]");
    snapshot->time = at(NOW);
    expect("a", NULL);
    add_pod("state", "a",
            ", deletionTimestamp: '2026-01-05T12:00:30Z', finalizers: [x], ownerReferences: "
            "[{apiVersion: apps/v1, kind: StatefulSet, name: s, uid: u}]");
    expect("", NULL);
}

static void pods_of_no_cost_leave_a_node_empty_DIS_57(void **state)
{
    (void)state;
    add_node("a", "");
    add_pod("cheap", "a",
            ", annotations: {controller.kubernetes.io/pod-deletion-cost: '-134217728'}");
    snapshot->time = at(NOW);
    expect("a", NULL);
}

static void what_keeps_a_node_DIS_32(void **state)
{
    (void)state;
    add_node("deleting", ", {type: InstanceTerminating, status: 'True'}");
    add_node("nominated", "");
    add_node("protected", "");
    add_pod("daemon", "protected",
            ", annotations: {karpenter.sh/do-not-disrupt: 'true'}, ownerReferences: [{apiVersion: "
            "apps/v1, kind: DaemonSet, name: d, uid: u}]");
    snapshot->time = at(NOW);
    struct nomination nomination = {"nominated", at(NOW) + 1};
    snapshot->nominated.items = &nomination;
    snapshot->nominated.count = 1;
    expect("", NULL);
    struct plan *plan = emptiness_plan(snapshot, NULL, NULL, 0);
    assert_int_equal(plan->turns.items[0].blocked, 3);
    assert_int_equal(plan->notes.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(note_of(plan, i)->event, EVENT_DISRUPTION_BLOCKED);
        if (strcmp(note_of(plan, i)->object->meta.name, "protected") == 0)
            assert_string_equal(note_of(plan, i)->message,
                                "Pod has \"karpenter.sh/do-not-disrupt\" annotation "
                                "(Pod=default/daemon)");
    }
    plan_destroy(plan);
    snapshot->time++; // the nomination is over
    expect("nominated", NULL);
    snapshot->nominated.count = 0;
}

static void budget_counts_what_is_on_its_way_out_DIS_125_127(void **state)
{
    (void)state;
    add_node("a", "");
    add_node("b", "");
    add_node("c", "");
    add_pod("daemon", "c",
            ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: u}]");
    const char *marked[] = {"c"};
    snapshot->marked_for_deletion = (struct string_list){marked, 1};
    snapshot->time = at(NOW);
    expect("a", NULL); // of two, one is used up
    struct plan *plan = emptiness_plan(snapshot, NULL, NULL, 0);
    const struct plan_turn *turn = &plan->turns.items[0];
    assert_int_equal(turn->pools.items[0].total, 3);
    assert_int_equal(turn->pools.items[0].disrupting, 1);
    assert_int_equal(turn->eligible, 2);
    plan_destroy(plan);
}

static void budget_that_allows_nothing_is_told_DIS_129_405(void **state)
{
    (void)state;
    add_node("a", "");
    snapshot->time = at(NOW);
    ((struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[0])
        ->spec.disruption.budgets.items[0]
        .nodes = "0";
    struct plan *plan = emptiness_plan(snapshot, NULL, NULL, 0);
    assert_int_equal(plan->disruptions.count, 0);
    assert_int_equal(plan->notes.count, 1);
    assert_string_equal(
        note_of(plan, 0)->message,
        "No allowed disruptions for disruption reason Empty due to blocking budget");
    plan_destroy(plan);
    add_pod("web", "a", ""); // nothing is empty
    plan = emptiness_plan(snapshot, NULL, NULL, 0);
    assert_int_equal(plan->notes.count, 0);
    assert_int_equal(plan->turns.items[0].pools.count, 1);
    plan_destroy(plan);
}

static void placeholders_keep_a_node_DIS_140_LIF_245(void **state)
{
    (void)state;
    add_node("a", "");
    add_node("b", "");
    const char *holders[] = {"a"};
    snapshot->buffer_nodes = (struct string_list){holders, 1};
    snapshot->time = at(NOW);
    expect("b", NULL);
    struct plan *plan = emptiness_plan(snapshot, NULL, NULL, 0);
    assert_int_equal(plan->notes.count, 1);
    assert_int_equal(note_of(plan, 0)->event, EVENT_UNCONSOLIDATABLE);
    assert_string_equal(note_of(plan, 0)->message, "Node \"a\" has buffer pods");
    plan_destroy(plan);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_rounding_DIS_118_119),
        cmocka_unit_test(least_budget_of_a_reason_counts_DIS_120_122),
        cmocka_unit_test(schedule_windows_are_half_open_DIS_111_112),
        cmocka_unit_test(one_bad_budget_closes_the_pool_DIS_117_121),
        cmocka_unit_test(the_next_change_is_the_first_of_all_budgets_DIS_705),
        TEST(empty_nodes_within_the_budget_DIS_140_142),
        TEST(commands_that_are_due_take_first_DIS_262),
        TEST(daemon_pods_and_gone_pods_do_not_fill_DIS_144),
        TEST(pods_of_no_cost_leave_a_node_empty_DIS_57),
        TEST(what_keeps_a_node_DIS_32),
        TEST(budget_counts_what_is_on_its_way_out_DIS_125_127),
        TEST(budget_that_allows_nothing_is_told_DIS_129_405),
        TEST(placeholders_keep_a_node_DIS_140_LIF_245),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
