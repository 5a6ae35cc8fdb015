// The controller is killed at every step of launching and terminating, and restarted (STO-18).
#include <stdlib.h>
#include <string.h>

#include "simulation/scenario.h"

static bool settled_with_5(struct scenario *scenario)
{
    return simulation_is_settled(scenario->simulation) &&
           simulation_pods_running(scenario->simulation) == 5;
}

// One life: 0 -> 5 pods -> 0, with a kill at the given step. Returns false when the step was never
// reached.
static bool life(uint32_t kill_at, bool after_effect)
{
    struct assassin assassin = {.calls = true, .kill_at = kill_at, .after_effect = after_effect};
    struct scenario *scenario = scenario_create(after_effect ? 4 : 3);
    scenario_hire(scenario, &assassin);
    scenario_begin(scenario);
    assassin.armed = true;
    scenario_scale(scenario, 5);
    scenario_until(scenario, 180, "5 pods to run, whatever dies", settled_with_5);
    assert_int_equal(sim_instances_count(simulation_park(scenario->simulation)),
                     simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim"));
    scenario_scale(scenario, 0);
    scenario_until(scenario, 300, "nothing to be left, whatever dies", scenario_empty);
    bool pulled = assassin.pulled;
    scenario_destroy(scenario);
    return pulled;
}

static void killed_at_every_step_before_its_effect_STO_18(void **state)
{
    (void)state;
    uint32_t steps = scenario_lives(life, false, 400);
    print_message("killed before each of %u steps\n", steps);
    assert_true(steps >= 10);
}

static void killed_at_every_step_after_its_effect_STO_18(void **state)
{
    (void)state;
    uint32_t steps = scenario_lives(life, true, 400);
    print_message("killed after each of %u steps\n", steps);
    assert_true(steps >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_every_step_before_its_effect_STO_18),
        cmocka_unit_test(killed_at_every_step_after_its_effect_STO_18),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
