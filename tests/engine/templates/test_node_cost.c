// The cost of nodes beside their machines (SCH-507): its default, and comparisons of sets of nodes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"
#include "engine/templates/node_cost.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

// --- by the catalog ----------------------------------------------------------------------------

#define CONTEXT                                                                      \
    "{apiVersion: adze/v1, kind: SnapshotContext, metadata: {name: context}, spec: " \
    "{time: '2026-01-01T00:00:00Z', settings: {%s}}}\n---\n"

// Types of 2 cpu and 8Gi at these prices.
static struct snapshot *snapshot_of(const char *settings, const char *const *prices)
{
    struct text text = {0};
    text_format(&text, CONTEXT, settings);
    if (prices[0] != NULL)
        text_add(&text, "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: types}\n"
                        "spec:\n  instanceTypes:\n");
    for (size_t i = 0; prices[i] != NULL; i++)
        text_format(&text,
                    "  - name: t%zu\n    requirements: []\n"
                    "    capacity: {cpu: '2', memory: 8Gi, pods: '29'}\n    offerings:\n"
                    "    - {price: %s, available: true, requirements: [{key: "
                    "topology.kubernetes.io/zone, operator: In, values: [a]}, {key: "
                    "karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}\n"
                    "    - {price: 0.000001, available: true, requirements: [{key: "
                    "topology.kubernetes.io/zone, operator: In, values: [a]}, {key: "
                    "karpenter.sh/capacity-type, operator: In, values: [spot]}]}\n",
                    i, prices[i]);
    struct snapshot *snapshot = snapshot_create();
    struct error error = {0};
    if (!snapshot_read_text(snapshot, text.data, text.length, "test", true, &error) ||
        !snapshot_complete(snapshot, &error))
        fail_msg("%s", error.message);
    text_free(&text);
    return snapshot;
}

static int64_t cost_with(const char *settings, const char *const *prices)
{
    struct snapshot *snapshot = snapshot_of(settings, prices);
    int64_t cost = node_cost_of(snapshot);
    snapshot_destroy(snapshot);
    return cost;
}

#define PRICES(...) ((const char *const[]){__VA_ARGS__, NULL})

// EC2's price for such a machine is 0.096.
static void the_default_follows_the_catalog_SCH_507(void **state)
{
    (void)state;
    assert_int_equal(cost_with("", PRICES("0.096")), 20000000);
    assert_int_equal(cost_with("", PRICES("0.058")), 20000000); // kwok's
    assert_int_equal(cost_with("", PRICES("0.12")), 20000000);
    assert_int_equal(cost_with("", PRICES("0.00096")), 200000); // a hundredth
    assert_int_equal(cost_with("", PRICES("9.6")), 2000000000); // a hundred times as much
    assert_int_equal(cost_with("", PRICES("0.1", "0.09", "0.096", "100", "500")), 20000000);
    assert_int_equal(cost_with("", PRICES("0.1", "0.09", "0.00001", "0")), 20000000);
    assert_int_equal(cost_with("", PRICES("0", "0")), 20000000); // prices are unknown
    assert_int_equal(cost_with("", (const char *const[]){NULL}), 20000000);
}

static void what_is_given_is_taken_as_given_SCH_507(void **state)
{
    (void)state;
    assert_int_equal(cost_with("NODE_COST: '0.02'", PRICES("9.6")), 20000000);
    assert_int_equal(cost_with("NODE_COST: '0'", PRICES("0.096")), 0);
    assert_int_equal(cost_with("COMPATIBILITY: upstream", PRICES("0.096")), 0);
    assert_int_equal(cost_with("COMPATIBILITY: upstream, NODE_COST: '0.02'", PRICES("9.6")),
                     20000000);
}

// --- sets of nodes -------------------------------------------------------------------------------

static int64_t count_of(const int64_t *prices, size_t count, int64_t node_cost)
{
    struct node_costs costs = {0};
    for (size_t i = 0; i < count; i++)
        node_costs_add(&costs, prices[i]);
    return node_costs_count(&costs, node_cost);
}

static void what_sets_of_nodes_count_for_SCH_507_521(void **state)
{
    (void)state;
    const int64_t equal[] = {1000, 1000, 1000, 1000}, one[] = {4000};
    assert_int_equal(count_of(equal, 4, 0), 4000);
    assert_int_equal(count_of(one, 1, 0), 4000);
    assert_int_equal(count_of(equal, 4, 10), 4000 + 40 + 100);
    assert_int_equal(count_of(one, 1, 10), 4000 + 10 + 400);
    assert_int_equal(count_of(NULL, 0, 10), 0);
    const int64_t none[] = {0}, huge[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    assert_int_equal(count_of(none, 1, 10), 10);
    assert_int_equal(count_of(huge, 3, 10), INT64_MAX);
}

// The same machines at a hundredth of the price, at a hundred times the price, and between.
static void prices_of_any_size_lead_to_the_same_nodes_SCH_507(void **state)
{
    (void)state;
#define SIZES(a, b, c)                                                                            \
    CATALOG_OF(TYPE_OF(                                                                           \
        "s", "", "cpu: '2', memory: 8Gi, pods: '110'",                                            \
        OFFER("a", "on-demand", a,                                                                \
              "")) ", " TYPE_OF("m", "", "cpu: '16', memory: 64Gi, pods: '110'",                  \
                                OFFER(                                                            \
                                    "a", "on-demand", b,                                          \
                                    "")) ", " TYPE_OF("l", "",                                    \
                                                      "cpu: '256', memory: 1024Gi, pods: '1000'", \
                                                      OFFER("a", "on-demand", c, "")))
#define WEB                                                              \
    DEPLOYMENT("web", "128", "",                                         \
               "containers: [{name: c, image: i, resources: {requests: " \
               "{cpu: '1', memory: 1Gi}}}]")
    static const char *const worlds[] = {SIZES("0.1", "0.8", "12.8") POOL WEB,
                                         SIZES("0.001", "0.008", "0.128") POOL WEB,
                                         SIZES("10", "80", "1280") POOL WEB};
    for (size_t i = 0; i < ARRAY_LENGTH(worlds); i++) {
        struct text text = {0};
        text_format(&text, CONTEXT, "");
        text_add(&text, worlds[i]);
        PLAN p = plan_as_given(text.data);
        assert_int_equal(p.plan->claims.count, 8);
        text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_follows_the_catalog_SCH_507),
        cmocka_unit_test(what_is_given_is_taken_as_given_SCH_507),
        cmocka_unit_test(what_sets_of_nodes_count_for_SCH_507_521),
        cmocka_unit_test(prices_of_any_size_lead_to_the_same_nodes_SCH_507),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
