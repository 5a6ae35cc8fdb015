// NodeClaims that count against the replicas and the limit of a static NodePool: alive, deleting,
// being replaced, and requested (LIF-231).
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "simulation/cluster_view.h"

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(58);
    scenario->settings.gate_static_capacity = true;
    scenario->options.boot_delay_min = scenario->options.boot_delay_max = 30 * SECOND;
    *state = scenario;
    return 0;
}

static void apply_fixed(struct scenario *scenario, unsigned replicas, const char *more,
                        const char *generation)
{
    char manifest[2000];
    snprintf(
        manifest, sizeof manifest,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: fixed}\n"
        "spec:\n  replicas: %u\n  template:\n    metadata: {labels: {generation: %s}}\n    spec:\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      expireAfter: Never\n      requirements:\n"
        "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: In, values: ['2']}\n"
        "%s\n",
        replicas, generation, more);
    scenario_apply(scenario, manifest);
}

struct tally {
    uint32_t alive, deleting, initialized, current; // current: of generation "b"
};

static bool tally_claim(void *context, json_t *claim)
{
    struct tally *tally = context;
    if (!text_equal(view_label(claim, LABEL_NODE_POOL), "fixed"))
        return true;
    bool deleting = store_path(claim, "metadata.deletionTimestamp") != NULL;
    tally->deleting += deleting;
    tally->alive += !deleting;
    tally->initialized += !deleting && store_condition_is_true(claim, CONDITION_INITIALIZED);
    tally->current += !deleting && text_equal(view_label(claim, "generation"), "b");
    return true;
}

static struct tally tally_of(struct scenario *scenario)
{
    struct tally tally = {0};
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, KARPENTER, "NodeClaim"), NULL, tally_claim,
               &tally);
    return tally;
}

static bool has_expected(struct scenario *scenario)
{
    struct tally tally = tally_of(scenario);
    return tally.initialized == scenario->expected && tally.alive == scenario->expected &&
           tally.deleting == 0;
}

static void begin(struct scenario *scenario, unsigned replicas, const char *more)
{
    scenario_begin(scenario);
    apply_fixed(scenario, replicas, more, "a");
    scenario->expected = replicas;
    scenario_until(scenario, 120, "the nodes", has_expected);
}

static bool any_replacement(struct scenario *scenario)
{
    return tally_of(scenario).current > 0;
}

static bool all_replaced(struct scenario *scenario)
{
    return has_expected(scenario) && tally_of(scenario).current == scenario->expected;
}

static const char one_at_a_time[] = "  disruption: {budgets: [{nodes: '1'}]}";

// Two are missing then, of which one counts until its replacement exists.
static void node_that_is_being_replaced_counts_LIF_231_456(void **state)
{
    struct scenario *scenario = *state;
    begin(scenario, 4, one_at_a_time);
    apply_fixed(scenario, 4, one_at_a_time, "b");
    scenario_until(scenario, 60, "a replacement", any_replacement);
    assert_int_equal(tally_of(scenario).alive, 5);
    apply_fixed(scenario, 6, one_at_a_time, "b");
    scenario_run(scenario, 10);
    assert_int_equal(tally_of(scenario).alive, 6);
    scenario->expected = 6;
    scenario_until(scenario, 900, "six of the new generation", all_replaced);
}

static void all_that_there_are_count_against_the_limit_LIF_231(void **state)
{
    struct scenario *scenario = *state;
    static const char limited[] =
        "  limits: {nodes: '4'}\n  disruption: {budgets: [{nodes: '100%'}]}";
    begin(scenario, 3, limited);
    apply_fixed(scenario, 3, limited, "b");
    for (int i = 0; i < 6000 && !all_replaced(scenario); i++) {
        scenario_run(scenario, 0.1);
        struct tally tally = tally_of(scenario);
        assert_in_range(tally.alive + tally.deleting, 3, 4);
    }
    assert_true(all_replaced(scenario));
}

// The last NodeClaim is deleted while another one is requested: the reservation for that stays.
static void reservation_outlives_the_last_claim_LIF_457(void **state)
{
    struct scenario *scenario = *state;
    static const char limited[] = "  limits: {nodes: '2'}";
    scenario->options.api_latency_min = scenario->options.api_latency_max = 2 * SECOND;
    begin(scenario, 1, limited);
    char name[300];
    snprintf(name, sizeof name, "%s", store_name(view_claim(scenario)));
    apply_fixed(scenario, 2, limited, "a");
    scenario_run(scenario, 3); // the second is requested, without an answer so far
    hand_patch(scenario, KARPENTER, "NodeClaim", NULL, name, NULL,
               "{metadata: {finalizers: null}}");
    hand_delete(scenario, KARPENTER, "NodeClaim", NULL, name);
    for (int i = 0; i < 1200; i++) {
        scenario_run(scenario, 0.1);
        struct tally tally = tally_of(scenario);
        assert_in_range(tally.alive + tally.deleting, 0, 2);
    }
    scenario->expected = 2;
    scenario_until(scenario, 300, "both nodes", has_expected);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scenario_teardown)
    const struct CMUnitTest tests[] = {
        TEST(node_that_is_being_replaced_counts_LIF_231_456),
        TEST(all_that_there_are_count_against_the_limit_LIF_231),
        TEST(reservation_outlives_the_last_claim_LIF_457),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
