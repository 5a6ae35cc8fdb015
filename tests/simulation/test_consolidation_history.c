// Consolidation does not cycle (DIS-748), and nodes that are needed again soon are kept (DIS-752).
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "model/schema/pack.h"
#include "simulation/scenario.h"

static int setup(void **state)
{
    *state = scenario_create(21);
    return 0;
}

// Two types, on demand; the one that starts with `dear` costs four times its price.
static const struct instance_type_catalog *catalog(const struct instance_type_catalog *from,
                                                   char dear)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 14);
    struct instance_type_catalog changed = *from;
    changed.spec.instance_types.items =
        arena_allocate_array(arena, 2, sizeof(struct instance_type));
    changed.spec.instance_types.count = 0;
    list_for_each (type, &from->spec.instance_types) {
        if (strcmp(type->name, "c-8x-amd64-linux") != 0 &&
            strcmp(type->name, "m-8x-amd64-linux") != 0)
            continue;
        struct instance_type *kept =
            &changed.spec.instance_types.items[changed.spec.instance_types.count++];
        *kept = *type;
        kept->offerings.items =
            arena_allocate_array(arena, type->offerings.count + 1, sizeof(struct offering));
        for (uint32_t i = 0; i < type->offerings.count; i++) {
            kept->offerings.items[i] = type->offerings.items[i];
            kept->offerings.items[i].price *= type->name[0] == dear ? 4 : 1;
        }
    }
    return (const struct instance_type_catalog *)object_copy((const struct object *)&changed);
}

static void apply_pool(struct scenario *scenario)
{
    scenario_apply(
        scenario,
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
        "spec:\n"
        "  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 0s, "
        "budgets: [{nodes: \"100%\"}]}\n"
        "  template:\n"
        "    spec:\n"
        "      expireAfter: Never\n"
        "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
        "      requirements:\n"
        "      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}\n"
        "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: [\"9\"]}\n");
}

static uint64_t launches(struct scenario *scenario)
{
    return sim_instances_launches(simulation_park(scenario->simulation));
}

static void prices_that_alternate_make_two_moves_at_most_DIS_748(void **state)
{
    struct scenario *scenario = *state;
    const struct instance_type_catalog *dear_c = catalog(scenario->options.catalog, 'c');
    const struct instance_type_catalog *dear_m = catalog(scenario->options.catalog, 'm');
    scenario_begin(scenario);
    sim_instances_set_catalog(simulation_park(scenario->simulation), dear_m);
    apply_pool(scenario);
    scenario_scale(scenario, 6);
    scenario_expect_running(scenario, 6);
    uint64_t before = launches(scenario);
    for (uint32_t hour = 0; hour < 24; hour++) {
        sim_instances_set_catalog(simulation_park(scenario->simulation),
                                  hour % 2 == 0 ? dear_c : dear_m);
        scenario_run(scenario, 3600);
    }
    print_message("%u moves in a day\n", (unsigned)(launches(scenario) - before));
    assert_in_range(launches(scenario) - before, 1, 2);
    scenario_expect_running(scenario, 6);
    object_release((const struct object *)dear_c);
    object_release((const struct object *)dear_m);
}

static void bursts_that_come_again_keep_their_nodes_DIS_752(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    apply_pool(scenario);
    uint64_t begun = 0;
    for (uint32_t burst = 0; burst < 12; burst++) {
        if (burst == 6)
            begun = launches(scenario);
        scenario_scale(scenario, 6);
        scenario_run(scenario, 60);
        scenario_scale(scenario, 0);
        scenario_run(scenario, 540);
    }
    print_message("%u launches in the second hour\n", (unsigned)(launches(scenario) - begun));
    assert_in_range(launches(scenario) - begun, 0, 3);
    scenario_until(scenario, 1200, "an idle cluster to go to zero", scenario_empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(prices_that_alternate_make_two_moves_at_most_DIS_748, setup,
                                        scenario_teardown),
        cmocka_unit_test_setup_teardown(bursts_that_come_again_keep_their_nodes_DIS_752, setup,
                                        scenario_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
