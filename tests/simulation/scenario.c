#include "simulation/scenario.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/loop_virtual.h"
#include "cloud/kwok/kwok_catalog.h"
#include "model/reading/settings_read.h"

#define STEP (100 * MILLISECOND)

static const char manifest[] =
    "apiVersion: karpenter.kwok.sh/v1alpha1\n"
    "kind: KWOKNodeClass\n"
    "metadata: {name: default}\n"
    "---\n"
    "apiVersion: karpenter.sh/v1\n"
    "kind: NodePool\n"
    "metadata: {name: default}\n"
    "spec:\n"
    "  template:\n"
    "    spec:\n"
    "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
    "      expireAfter: Never\n"
    "      requirements:\n"
    "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
    "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
    "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['9']}\n"
    "  disruption:\n"
    "    consolidationPolicy: WhenEmpty\n"
    "    consolidateAfter: 0s\n"
    "    budgets: [{nodes: '100%'}]\n"
    "---\n"
    "apiVersion: apps/v1\n"
    "kind: Deployment\n"
    "metadata: {name: inflate, namespace: default}\n"
    "spec:\n"
    "  replicas: 0\n"
    "  selector: {matchLabels: {app: inflate}}\n"
    "  template:\n"
    "    metadata: {labels: {app: inflate}}\n"
    "    spec:\n"
    "      terminationGracePeriodSeconds: 0\n"
    "      containers:\n"
    "      - {name: inflate, image: pause, resources: {requests: {cpu: '1'}}}\n";

static void quiet(void *context, const char *line)
{
    (void)context;
    if (getenv("ADZE_TEST_LOG") != NULL)
        fprintf(stderr, "%s\n", line);
}

static int64_t now_ns(void *loop)
{
    return loop_now_ns(loop);
}

struct scenario *scenario_create(uint64_t seed)
{
    struct scenario *scenario = memory_allocate(sizeof *scenario);
    scenario->loop = loop_create_virtual(INT64_C(1767225600) * SECOND); // 2026-01-01T00:00:00Z
    struct log_options log = {
        .level = LOG_DEBUG, .sink = quiet, .now_ns = now_ns, .now_context = scenario->loop};
    assert_true(log_configure(&log, NULL));
    settings_defaults(&scenario->settings);
    scenario->settings.metrics_full = true; // tests look at single objects
    simulation_options_defaults(&scenario->options);
    scenario->options.settings = &scenario->settings;
    scenario->options.loop = scenario->loop;
    scenario->options.seed = seed;
    scenario->options.catalog = kwok_catalog_generic();
    return scenario;
}

void scenario_live_pace(struct scenario *scenario)
{
    world_options_live_pace(&scenario->options.world, scenario->options.seed);
}

void scenario_begin(struct scenario *scenario)
{
    scenario->simulation = simulation_create(&scenario->options);
    scenario_apply(scenario, manifest);
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 3);
}

void scenario_destroy(struct scenario *scenario)
{
    simulation_destroy(scenario->simulation);
    object_release((const struct object *)scenario->options.catalog);
    loop_destroy(scenario->loop);
    settings_free(&scenario->settings);
    free(scenario);
}

int scenario_teardown(void **state)
{
    scenario_destroy(*state);
    return 0;
}

void scenario_apply(struct scenario *scenario, const char *text)
{
    struct error error = {0};
    if (!simulation_apply(scenario->simulation, text, &error))
        fail_msg("%s", error.message);
}

void scenario_scale(struct scenario *scenario, int64_t replicas)
{
    struct error error = {0};
    if (!simulation_scale(scenario->simulation, "inflate", replicas, &error))
        fail_msg("%s", error.message);
}

static void step(struct scenario *scenario)
{
    struct error error = {0};
    loop_run_for(scenario->loop, STEP);
    if (!simulation_check(scenario->simulation, &error))
        fail_msg("an invariant is broken: %s", error.message);
}

double scenario_until(struct scenario *scenario, double seconds, const char *what,
                      scenario_condition condition)
{
    int64_t begun = loop_monotonic_ns(scenario->loop);
    while (!condition(scenario)) {
        double passed = (double)(loop_monotonic_ns(scenario->loop) - begun) / (double)SECOND;
        if (passed > seconds)
            fail_msg("%.1f simulated seconds passed without %s: %u pods running, %u NodeClaims, %u "
                     "machines",
                     passed, what, simulation_pods_running(scenario->simulation),
                     simulation_count(scenario->simulation, "karpenter.sh/v1", "NodeClaim"),
                     sim_instances_count(simulation_park(scenario->simulation)));
        step(scenario);
    }
    return (double)(loop_monotonic_ns(scenario->loop) - begun) / (double)SECOND;
}

void scenario_run(struct scenario *scenario, double seconds)
{
    for (int64_t left = (int64_t)(seconds * (double)SECOND); left > 0; left -= STEP)
        step(scenario);
}

bool scenario_empty(struct scenario *scenario)
{
    struct simulation *simulation = scenario->simulation;
    return simulation_count(simulation, "v1", "Pod") == 0 &&
           simulation_count(simulation, "v1", "Node") == 0 &&
           simulation_count(simulation, "karpenter.sh/v1", "NodeClaim") == 0 &&
           sim_instances_count(simulation_park(simulation)) == 0;
}

bool scenario_settled(struct scenario *scenario)
{
    return simulation_is_settled(scenario->simulation);
}

static bool settled_as_expected(struct scenario *scenario)
{
    return simulation_pods_running(scenario->simulation) == scenario->expected &&
           simulation_is_settled(scenario->simulation);
}

void scenario_expect_running(struct scenario *scenario, uint32_t pods)
{
    scenario->expected = pods;
    scenario_until(scenario, 120, "the world to settle", settled_as_expected);
}

// --- kills ---------------------------------------------------------------------------------------

static void kill_and_restart(void *context)
{
    struct simulation *simulation = ((struct assassin *)context)->scenario->simulation;
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

static bool is_step(const struct assassin *assassin, const struct kube_request *request)
{
    if (assassin->concerns != NULL)
        return assassin->concerns(request);
    return request->verb != KUBE_GET && request->verb != KUBE_LIST && request->verb != KUBE_WATCH;
}

static enum sim_cloud_fault on_call(void *context, enum sim_cloud_call call,
                                    const struct node_claim *claim, struct error *error)
{
    struct assassin *assassin = context;
    (void)call;
    (void)claim;
    (void)error;
    if (!assassin->calls || !strikes(assassin))
        return SIM_FINE;
    return assassin->after_effect ? SIM_FAIL_AFTER : SIM_FAIL_BEFORE;
}

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct assassin *assassin = context;
    if (assassin->after_effect || !is_step(assassin, request) || !strikes(assassin))
        return false;
    error_set(&response->error, ERROR_UNAVAILABLE, "the controller dies");
    return true;
}

static bool on_answer(void *context, const struct kube_request *request)
{
    struct assassin *assassin = context;
    return assassin->after_effect && is_step(assassin, request) && strikes(assassin);
}

void scenario_hire(struct scenario *scenario, struct assassin *assassin)
{
    assassin->scenario = scenario;
    scenario->options.cloud_fault = on_call;
    scenario->options.api_fault = on_request;
    scenario->options.api_lose_answer = on_answer;
    scenario->options.fault_context = assassin;
}

// With sanitizers a kill at each third step; `make test-e2e` has them all in a release build.
#ifdef __SANITIZE_ADDRESS__
#define KILLED_EACH 3
#else
#define KILLED_EACH 1
#endif

uint32_t scenario_lives(bool (*life)(uint32_t kill_at, bool after_effect), bool after_effect,
                        uint32_t most)
{
    uint32_t lived = 0, next = after_effect && KILLED_EACH > 1 ? 2 : 1;
    for (; next <= most && life(next, after_effect); next += KILLED_EACH)
        lived = next;
    for (uint32_t last = next - 1; last > lived; last--) // which was the last step?
        if (last <= most && life(last, after_effect))
            return last;
    return lived;
}
