// Pods too complex for one pass are set aside, alone: SCH-26 with the reason PlanningBudget.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/engine.h"
#include "engine/plan_fixture.h"

#define ZONE "topology.kubernetes.io/zone"

// --- specifications ------------------------------------------------------------------------------

static void add_terms(struct text *text, const char *affinity, uint32_t count, const char *label)
{
    text_format(text, "affinity: {%s: {requiredDuringSchedulingIgnoredDuringExecution: [",
                affinity);
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "{topologyKey: " ZONE ", labelSelector: {matchLabels: {%s-%u: x}}}, ",
                    label, i);
    text_add(text, "]}}, ");
}

static void add_spreads(struct text *text, uint32_t count, const char *when)
{
    text_add(text, "topologySpreadConstraints: [");
    for (uint32_t i = 0; i < count; i++)
        text_format(text,
                    "{maxSkew: 1, topologyKey: key-%u, whenUnsatisfiable: %s, labelSelector: "
                    "{matchLabels: {app: x}}}, ",
                    i, when);
    text_add(text, "], ");
}

static void add_node_terms(struct text *text, uint32_t count)
{
    text_add(text, "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                   "{nodeSelectorTerms: [");
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "{matchExpressions: [{key: key-%u, operator: Exists}]}, ", i);
    text_add(text, "]}}}, ");
}

static void add_tolerations(struct text *text, uint32_t count)
{
    text_add(text, "tolerations: [");
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "{key: key-%u, operator: Exists}, ", i);
    text_add(text, "], ");
}

static void add_volumes(struct text *text, uint32_t count)
{
    text_add(text, "volumes: [");
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "{name: v%u, persistentVolumeClaim: {claimName: c%u}}, ", i, i);
    text_add(text, "], ");
}

static void add_resources(struct text *text, uint32_t count)
{
    text_add(text, "containers: [{name: c, resources: {requests: {");
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "example.com/r%u: '0', ", i);
    text_add(text, "}}}], ");
}

static void add_ports(struct text *text, uint32_t count)
{
    text_add(text, "containers: [{name: c, ports: [");
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "{containerPort: 1, hostPort: %u}, ", i + 1);
    text_add(text, "]}], ");
}

static void add_hostile(struct text *text, int what)
{
    switch (what) {
    case 0:
        add_terms(text, "podAffinity", 101, "a");
        break;
    case 1:
        add_terms(text, "podAntiAffinity", 101, "a");
        break;
    case 2:
        add_spreads(text, 101, "DoNotSchedule");
        break;
    case 3:
        add_spreads(text, 101, "ScheduleAnyway");
        break;
    case 4:
        add_node_terms(text, 1001);
        break;
    case 5:
        add_tolerations(text, 10001);
        break;
    case 6:
        add_volumes(text, 1001);
        break;
    case 7:
        add_resources(text, 401);
        break;
    default:
        add_ports(text, 501);
        break;
    }
}
#define HOSTILE_COUNT 9

static void begin_pod(struct text *text, const char *name, const char *app)
{
    text_format(text,
                "{apiVersion: v1, kind: Pod, metadata: {name: %s, uid: uid-%s, labels: {app: %s, "
                "a-0: x}}, spec: {",
                name, name, app);
}

static void end_pod(struct text *text, const char *rest)
{
    text_format(text, "%s}}\n---\n", rest);
}

static void add_node(struct text *text)
{
    text_add(text,
             "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {" ZONE ": a, "
             "kubernetes.io/hostname: n1}}, spec: {providerID: p1}, status: {allocatable: "
             "{cpu: '2', memory: 4Gi, pods: '10'}, capacity: {cpu: '2', memory: 4Gi, pods: '10'}}}"
             "\n---\n");
}

// --- one pod -------------------------------------------------------------------------------------

static void assert_set_aside(const struct plan *plan, const char *pod)
{
    const struct plan_unschedulable *entry = unplaced(plan, pod);
    assert_non_null(entry);
    assert_true(entry->ignored);
    assert_non_null(strstr(entry->message, "the pod is set aside: "));
    assert_int_equal(entry->reasons.count, 1);
    assert_int_equal(entry->reasons.items[0].code, REASON_PLANNING_BUDGET);
    assert_null(entry->reasons.items[0].node_pool);
}

static void pods_that_take_too_much_are_set_aside_SCH_26(void **state)
{
    (void)state;
    for (int what = 0; what < HOSTILE_COUNT; what++)
        for (int upstream = 0; upstream < 2; upstream++) {
            struct text text = {0};
            text_add(&text, POOL);
            begin_pod(&text, "hostile", "x");
            add_hostile(&text, what);
            end_pod(&text, what < 7 ? CPU("1") : "");
            begin_pod(&text, "other", "x");
            end_pod(&text, CPU("1"));
            PLAN p = plan_yaml(text.data, upstream ? "COMPATIBILITY: upstream" : NULL);
            assert_set_aside(p.plan, "hostile");
            assert_non_null(claim_of(p.plan, "other"));
            text_free(&text);
        }
}

// With one rule less it is planned like any other.
static void pods_at_the_limit_are_planned_SCH_26(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, POOL);
    begin_pod(&text, "large", "x");
    add_terms(&text, "podAntiAffinity", 49, "b");
    end_pod(&text, CPU("1"));
    PLAN p = plan_yaml(text.data, NULL);
    assert_non_null(claim_of(p.plan, "large"));
    text_free(&text);
}

static void the_message_says_what_takes_the_most_SCH_26(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, POOL);
    begin_pod(&text, "hostile", "x");
    add_terms(&text, "podAffinity", 200, "a");
    end_pod(&text, CPU("1"));
    PLAN p = plan_yaml(text.data, NULL);
    assert_string_equal(unplaced(p.plan, "hostile")->message,
                        "the pod is set aside: to plan it takes 40005 steps, and one pod may take "
                        "10000; most are for 200 pod affinity terms");
    text_free(&text);
}

// --- the others ----------------------------------------------------------------------------------

// Everything else is planned as if the pod did not exist; only its resources count on its node.
static void a_running_pod_that_is_set_aside_takes_its_resources_only(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, POOL);
    add_node(&text);
    begin_pod(&text, "hostile", "x");
    text_add(&text, "nodeName: n1, ");
    add_terms(&text, "podAntiAffinity", 101, "a"); // the first repels `fits`
    end_pod(&text, CPU("1"));
    begin_pod(&text, "fits", "web");
    end_pod(&text, CPU("1"));
    begin_pod(&text, "second", "web");
    end_pod(&text, CPU("1"));
    PLAN p = plan_yaml(text.data, NULL);
    assert_int_equal(p.plan->placements.count, 1);
    assert_int_equal(p.plan->placements.items[0].pods.count, 1);
    assert_int_equal(p.plan->claims.count, 1);
    assert_int_equal(p.plan->unschedulable.count, 0);
    text_free(&text);
}

static void add_many(struct text *text, uint32_t pods, uint32_t alike)
{
    text_add(text, POOL);
    for (uint32_t i = 0; i < pods; i++) {
        char name[20], label[20];
        snprintf(name, sizeof name, "large-%u", i);
        snprintf(label, sizeof label, "l%u", i / alike);
        begin_pod(text, name, "x");
        add_terms(text, "podAntiAffinity", 49, label);
        end_pod(text, CPU("1"));
    }
    begin_pod(text, "other", "x");
    end_pod(text, CPU("1"));
}

static uint32_t count_aside(const struct plan *plan)
{
    uint32_t count = 0;
    list_for_each (entry, &plan->unschedulable)
        count += strstr(entry->message, "the pod is set aside: ") != NULL;
    return count;
}

static void large_pods_share_what_a_pass_may_take_SCH_26(void **state)
{
    (void)state;
    struct text text = {0};
    add_many(&text, 30, 1);
    PLAN p = plan_yaml(text.data, NULL);
    assert_int_equal(count_aside(p.plan), 9);
    assert_non_null(claim_of(p.plan, "other"));
    text_free(&text);
}

static void pods_that_are_alike_count_once_SCH_26(void **state)
{
    (void)state;
    struct text text = {0};
    add_many(&text, 30, 10);
    PLAN p = plan_yaml(text.data, NULL);
    assert_int_equal(count_aside(p.plan), 0);
    text_free(&text);
}

// --- combinations --------------------------------------------------------------------------------

// Machines with one of each: the pod gives up instead of trying millions.
static void spreads_over_many_labels_end_SCH_306(void **state)
{
    static const char *const keys[] = {ZONE,
                                       "karpenter.sh/capacity-type",
                                       "kubernetes.io/arch",
                                       "node.kubernetes.io/instance-type",
                                       "team",
                                       "rack",
                                       "row"};
    (void)state;
    struct text text = {0};
    text_add(&text, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool, uid: p}, "
                    "spec: {template: {spec: {requirements: [");
    for (int k = 4; k < 7; k++) {
        text_format(&text, "{key: %s, operator: In, values: [", keys[k]);
        for (int i = 0; i < 40; i++)
            text_format(&text, "v%d, ", i);
        text_add(&text, "]}, ");
    }
    text_add(&text, "], nodeClassRef: {group: g, kind: Class, name: c}}}}}\n---\n");
    for (int i = 0; i < 12; i++) {
        char name[20];
        snprintf(name, sizeof name, "p%d", i);
        begin_pod(&text, name, "x");
        text_add(&text, "topologySpreadConstraints: [");
        for (int k = 0; k < 7; k++)
            text_format(&text,
                        "{maxSkew: 1, topologyKey: %s, whenUnsatisfiable: DoNotSchedule, "
                        "labelSelector: {matchLabels: {app: x}}}, ",
                        keys[k]);
        text_add(&text, "], ");
        end_pod(&text, CPU("1"));
    }
    PLAN p = plan_yaml(text.data, NULL);
    assert_int_equal(p.plan->pods_placed + p.plan->unschedulable.count, 12);
    bool told = false;
    list_for_each (entry, &p.plan->unschedulable)
        list_for_each (reason, &entry->reasons)
            told = told || reason->code == REASON_PLANNING_BUDGET;
    assert_true(told || p.plan->unschedulable.count == 0);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_that_take_too_much_are_set_aside_SCH_26),
        cmocka_unit_test(pods_at_the_limit_are_planned_SCH_26),
        cmocka_unit_test(the_message_says_what_takes_the_most_SCH_26),
        cmocka_unit_test(a_running_pod_that_is_set_aside_takes_its_resources_only),
        cmocka_unit_test(large_pods_share_what_a_pass_may_take_SCH_26),
        cmocka_unit_test(pods_that_are_alike_count_once_SCH_26),
        cmocka_unit_test(spreads_over_many_labels_end_SCH_306),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
