// The controller is killed at every step of launching and terminating, and started again (STO-18).
#include <stdlib.h>
#include <string.h>

#include "simulation/scenario.h"

// Kills the controller in the moment of the `kill_at`-th request or provider call: before, or after its effect.
struct assassin {
    struct scenario *scenario;
    uint32_t steps, kill_at;
    bool after_effect, armed, pulled;
};

static void kill_and_restart(void *context)
{
    struct assassin *assassin = context;
    struct simulation *simulation = assassin->scenario->simulation;
    simulation_kill_controller(simulation);
    simulation_start_controller(simulation);
}

static bool strikes(struct assassin *assassin)
{
    if (!assassin->armed || ++assassin->steps != assassin->kill_at)
        return false;
    assassin->pulled = true;
    loop_post(assassin->scenario->loop, kill_and_restart, assassin);
    return true;
}

static enum sim_cloud_fault on_cloud_call(void *context, enum sim_cloud_call call,
                                          const struct node_claim *claim, struct error *error)
{
    struct assassin *assassin = context;
    (void)call;
    (void)claim;
    (void)error;
    if (!strikes(assassin))
        return SIM_FINE;
    return assassin->after_effect ? SIM_FAIL_AFTER : SIM_FAIL_BEFORE;
}

static bool writes(const struct kube_request *request)
{
    return request->verb != KUBE_GET && request->verb != KUBE_LIST && request->verb != KUBE_WATCH;
}

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct assassin *assassin = context;
    if (assassin->after_effect || !writes(request) || !strikes(assassin))
        return false;
    error_set(&response->error, ERROR_UNAVAILABLE, "the controller dies");
    return true;
}

static bool on_answer(void *context, const struct kube_request *request)
{
    struct assassin *assassin = context;
    return assassin->after_effect && writes(request) && strikes(assassin);
}

static bool settled_with_5(struct scenario *scenario)
{
    return simulation_is_settled(scenario->simulation) &&
           simulation_pods_running(scenario->simulation) == 5;
}

// One life: 0 -> 5 pods -> 0, with a kill at the given step. Returns false when the step was never reached.
static bool life(uint64_t seed, uint32_t kill_at, bool after_effect)
{
    struct assassin assassin = {.kill_at = kill_at, .after_effect = after_effect};
    struct scenario *scenario = scenario_create(seed);
    assassin.scenario = scenario;
    scenario->options.cloud_fault = on_cloud_call;
    scenario->options.api_fault = on_request;
    scenario->options.api_lose_answer = on_answer;
    scenario->options.fault_context = &assassin;
    scenario_begin(scenario);
    assassin.armed = true;
    scenario_scale(scenario, 5);
    scenario_until(scenario, 180, "5 pods to run, whatever dies", settled_with_5);
    assert_int_equal(machine_park_count(simulation_park(scenario->simulation)),
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
    uint32_t step = 1;
    while (step < 400 && life(3, step, false))
        step++;
    print_message("killed before each of %u steps\n", step - 1);
    assert_true(step > 10);
}

static void killed_at_every_step_after_its_effect_STO_18(void **state)
{
    (void)state;
    uint32_t step = 1;
    while (step < 400 && life(4, step, true))
        step++;
    print_message("killed after each of %u steps\n", step - 1);
    assert_true(step > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_every_step_before_its_effect_STO_18),
        cmocka_unit_test(killed_at_every_step_after_its_effect_STO_18),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
