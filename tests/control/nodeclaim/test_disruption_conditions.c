// The conditions that feed disruption (DIS-72 to DIS-88), as tables.
#include "support/cmocka_all.h"

#include "base/duration.h"
#include "base/text.h"
#include "control/nodeclaim/consolidate_after.h"
#include "control/runtime/control.h"
#include "model/reading/claim_drift.h"
#include "model/schema/condition_types.h"
#include "model/snapshot/snapshot.h"
#include "model/snapshot/snapshot_read.h"
#include "model/tables/kinds.h"
#include "reconcile/conditions.h"

struct world { // the first of each kind in a text
    struct snapshot *snapshot;
    const struct node_claim *claim;
    const struct node_pool *pool;
    const struct instance_type_catalog *catalog;
};

static const void *first(const struct snapshot *snapshot, enum kind_id kind)
{
    return snapshot->objects[kind].count > 0 ? snapshot->objects[kind].items[0] : NULL;
}

static struct world read_world(const char *claim, const char *pool, const char *more)
{
    struct world world = {.snapshot = snapshot_create()};
    struct error error = {0};
    struct text text = {0};
    text_format(&text,
                "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c, uid: c, "
                "creationTimestamp: '2026-01-01T00:00:00Z', %s}, spec: {nodeClassRef: {group: g, "
                "kind: C, name: c}}}\n---\n"
                "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p, uid: p, "
                "annotations: {%s}}, spec: {template: {spec: {nodeClassRef: {group: g, kind: C, "
                "name: c}}}}}\n---\n%s",
                claim, pool, more);
    if (!snapshot_read_text(world.snapshot, text.data, text.length, "test", true, &error))
        fail_msg("%s", error.message);
    text_free(&text);
    world.claim = first(world.snapshot, KIND_NODE_CLAIM);
    world.pool = first(world.snapshot, KIND_NODE_POOL);
    world.catalog = first(world.snapshot, KIND_INSTANCE_TYPE_CATALOG);
    return world;
}

// --- Drifted -------------------------------------------------------------------------------------

#define HASH(value)    "karpenter.sh/nodepool-hash: '" value "'"
#define VERSION(value) "karpenter.sh/nodepool-hash-version: " value

static void hashes_of_one_version_are_compared_DIS_73_DIS_74_DIS_80(void **state)
{
    (void)state;
    static const struct {
        const char *claim, *pool;
        bool drifted;
    } cases[] = {
        {HASH("1") ", " VERSION("v3"), HASH("1") ", " VERSION("v3"), false},
        {HASH("1") ", " VERSION("v3"), HASH("2") ", " VERSION("v3"), true},
        {HASH("1") ", " VERSION("v3"), HASH("01") ", " VERSION("v3"), true}, // texts
        {HASH("1") ", " VERSION("v3"), HASH("2") ", " VERSION("v4"), false}, // migrated first
        {HASH("1") ", " VERSION("v3"), VERSION("v3"), false},
        {HASH("1"), HASH("2") ", " VERSION("v3"), false},
        {VERSION("v3"), HASH("2") ", " VERSION("v3"), false},
        {HASH("1") ", " VERSION("v3"), HASH("2"), false},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char claim[200];
        snprintf(claim, sizeof claim, "annotations: {%s}", cases[i].claim);
        struct world world = read_world(claim, cases[i].pool, "");
        assert_int_equal(claim_template_drifted(world.claim, world.pool), cases[i].drifted);
        snapshot_destroy(world.snapshot);
    }
}

static void requirements_are_compared_with_labels_DIS_75(void **state)
{
    (void)state;
    static const struct {
        const char *key, *operator, * values, *labels;
        bool drifted;
    } cases[] = {
        {"karpenter.sh/capacity-type", "In", "spot", "karpenter.sh/capacity-type: on-demand", true},
        {"kubernetes.io/arch", "In", "amd64", "", true},
        {"kubernetes.io/os", "In", "windows", "kubernetes.io/os: linux", true},
        {"kubernetes.io/os", "In", "linux windows", "kubernetes.io/os: linux", false},
        {"kubernetes.io/os", "Exists", "", "kubernetes.io/os: linux", false},
        {"kubernetes.io/os", "Exists", "", "", true},
        {"kubernetes.io/os", "DoesNotExist", "", "kubernetes.io/os: linux", true},
        {"kubernetes.io/os", "DoesNotExist", "", "", false},
        {"test-label", "Gt", "10", "test-label: '5'", true},
        {"test-label", "Gt", "10", "test-label: '11'", false},
        {"test-label", "Gt", "10", "", true},
        {"test-label", "Lt", "1", "test-label: '2'", true},
        {"test-label", "NotIn", "x", "", false},
        {"test-label", "NotIn", "x", "test-label: x", true},
        {"beta.kubernetes.io/arch", "In", "amd64", "kubernetes.io/arch: amd64", false}, // an alias
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char labels[100];
        const char *values[2];
        char list[40];
        snprintf(labels, sizeof labels, "labels: {%s}", cases[i].labels);
        snprintf(list, sizeof list, "%s", cases[i].values);
        struct selector_requirement requirement = {.key = cases[i].key,
                                                   .operator= cases[i].operator};
        requirement.values.items = values;
        char *rest = NULL;
        for (char *value = strtok_r(list, " ", &rest); value != NULL;
             value = strtok_r(NULL, " ", &rest))
            values[requirement.values.count++] = value;
        requirement_list requirements = {.items = &requirement, .count = 1};
        struct world world = read_world(labels, "", "");
        if ((claim_requirement_drifted(world.claim, &requirements) != NULL) != cases[i].drifted)
            fail_msg("%s %s [%s] with {%s}", cases[i].key, cases[i].operator, cases[i].values,
                     cases[i].labels);
        snapshot_destroy(world.snapshot);
    }
}

#define OFFERING(capacity_type, zone, more)                                                        \
    "{price: 1, available: false, requirements: [{key: karpenter.sh/capacity-type, operator: In, " \
    "values: [" capacity_type                                                                      \
    "]}, {key: topology.kubernetes.io/zone, operator: In, values: [" zone "]}" more "]}"
#define LABELS(type, capacity_type)                                                \
    "node.kubernetes.io/instance-type: " type ", topology.kubernetes.io/zone: a, " \
    "karpenter.sh/capacity-type: " capacity_type
#define RESERVATION ", {key: karpenter.k8s.aws/capacity-reservation-id, operator: In, values: [r1]}"

static void a_type_is_there_while_an_offering_is_DIS_76_DIS_77(void **state)
{
    (void)state;
    static const struct {
        const char *labels, *offerings;
        bool found;
    } cases[] = {
        {LABELS("t", "spot"), OFFERING("spot", "a", ""), true}, // available or not
        {LABELS("u", "spot"), OFFERING("spot", "a", ""), false},
        {"topology.kubernetes.io/zone: a", OFFERING("spot", "a", ""), false},
        {LABELS("t", "spot"), OFFERING("spot", "b", ""), false},
        {LABELS("t", "spot"), OFFERING("on-demand", "a", ""), false},
        {LABELS("t", "spot, other: label"), OFFERING("spot", "a", ""), true},
        {LABELS("t", "reserved"), OFFERING("on-demand", "a", ""), true},
        {LABELS("t", "reserved"), OFFERING("reserved", "a", RESERVATION), true},
        {LABELS("t", "reserved"), OFFERING("spot", "a", ""), false},
        {LABELS("t", "spot"), "", false},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char labels[300], catalog[900];
        snprintf(labels, sizeof labels, "labels: {%s}", cases[i].labels);
        snprintf(catalog, sizeof catalog,
                 "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, spec: "
                 "{instanceTypes: [{name: t, capacity: {cpu: '1'}, requirements: [], offerings: "
                 "[%s]}]}}\n",
                 cases[i].offerings);
        struct world world = read_world(labels, "", catalog);
        if (catalog_has_machine(world.catalog, world.claim, NULL) != cases[i].found)
            fail_msg("{%s} among [%s]", cases[i].labels, cases[i].offerings);
        snapshot_destroy(world.snapshot);
    }
}

// --- Consolidatable ------------------------------------------------------------------------------

#define NOW_SECONDS 1000

struct quiet_case {
    const char *after; // consolidateAfter; NULL: absent
    const char *initialized;
    int64_t initialized_at, event_at; // seconds; 0: no event yet
    bool was, is;
    int64_t again_seconds; // 0: not
    bool anyway;           // DIS-719
};

static void check_quiet(const struct quiet_case *row)
{
    struct condition list[2] = {{.type = "Initialized",
                                 .status = row->initialized,
                                 .reason = "r",
                                 .last_transition_time = row->initialized_at * SECOND},
                                {.type = "Consolidatable",
                                 .status = "True",
                                 .reason = "r",
                                 .last_transition_time = 100 * SECOND}};
    struct node_claim claim = {.kind = kind_get(KIND_NODE_CLAIM)};
    claim.meta.name = "c";
    claim.status.conditions.items = list;
    claim.status.conditions.count = row->was ? 2 : 1;
    claim.status.last_pod_event_time = row->event_at * SECOND;
    struct node_pool pool = {.kind = kind_get(KIND_NODE_POOL)};
    struct duration *after = &pool.spec.disruption.consolidate_after;
    struct error error = {0};
    after->text = row->after;
    if (row->after != NULL && strcmp(row->after, "Never") == 0)
        after->nanoseconds = DURATION_NEVER;
    else if (row->after != NULL)
        assert_true(duration_parse(row->after, &after->nanoseconds, &error));
    struct arena *arena = arena_create(1024);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)&claim, &claim.status.conditions,
                    NOW_SECONDS * SECOND);
    int64_t again =
        claim_consolidatable(&conditions, &claim, &pool, NOW_SECONDS * SECOND, row->anyway);
    assert_true(again == (row->again_seconds > 0 ? row->again_seconds * SECOND : INT64_MAX));
    assert_int_equal(conditions_are(&conditions, CONDITION_CONSOLIDATABLE, "True"), row->is);
    conditions_free(&conditions);
    arena_destroy(arena);
}

static void quiet_nodes_are_consolidatable_DIS_83_DIS_84_DIS_85_DIS_86_DIS_96(void **state)
{
    (void)state;
    static const struct quiet_case cases[] = {
        {"Never", "True", 1, 1, .was = true, .is = false}, // DIS-83
        {NULL, "True", 1, 1, .was = true, .is = false},    // DIS-96
        {"1m", "Unknown", 1, 1, .was = true, .is = false}, // DIS-84
        {"1m", "False", 1, 1, .was = false, .is = false},
        {"1m", "True", 1, 941, .was = true, .is = false, .again_seconds = 1}, // DIS-85
        {"1m", "True", 1, 940, .was = false, .is = true},                     // equality
        {"1m", "True", 990, 0, .was = false, .is = false, .again_seconds = 50},
        {"1m", "True", 940, 0, .was = false, .is = true},
        {"1m", "True", 990, 900, .was = false, .is = true}, // an event takes precedence
        {"0s", "True", 1000, 1000, .was = false, .is = true},
        {"0s", "True", 1000, 2000, .was = false,
         .is = true}, // never waits, whatever the clocks say
        {"1m", "True", 1, 941, .was = true, .is = true, .again_seconds = 1,
         .anyway = true}, // DIS-719
        {"1m", "Unknown", 1, 941, .was = true, .is = false, .anyway = true},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        check_quiet(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_one_version_are_compared_DIS_73_DIS_74_DIS_80),
        cmocka_unit_test(requirements_are_compared_with_labels_DIS_75),
        cmocka_unit_test(a_type_is_there_while_an_offering_is_DIS_76_DIS_77),
        cmocka_unit_test(quiet_nodes_are_consolidatable_DIS_83_DIS_84_DIS_85_DIS_86_DIS_96),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
