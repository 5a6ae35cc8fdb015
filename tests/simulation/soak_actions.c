// The actions of a soak world: each waits a while, then does one thing to whatever is there.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/text.h"
#include "base/vector.h"
#include "simulation/soak_world.h"

#define STEP (100 * MILLISECOND)

void soak_say(const struct soak_world *world, const char *format, ...)
{
    if (!world->options.verbose)
        return;
    va_list arguments;
    printf("%9.1f s  ",
           (double)(loop_monotonic_ns(world->loop) - world->begun_ns) / (double)SECOND);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

bool soak_pass(struct soak_world *world, int64_t nanoseconds)
{
    for (; nanoseconds > 0 && invariants_violation(world->invariants) == NULL;
         nanoseconds -= STEP) {
        loop_run_for(world->loop, STEP);
        invariants_step(world->invariants);
    }
    return invariants_violation(world->invariants) == NULL;
}

static uint32_t below(struct random *random, uint32_t bound)
{
    return (uint32_t)random_below(random, bound);
}

// --- picking
// -----------------------------------------------------------------------------------------

struct pick { // one of the store's objects, each as likely
    struct random *random;
    uint32_t seen;
    char name[300];
};

static bool consider(void *context, json_t *object)
{
    struct pick *pick = context;
    if (random_below(pick->random, ++pick->seen) == 0)
        snprintf(pick->name, sizeof pick->name, "%s", store_name(object));
    return true;
}

static bool pick_object(struct soak_world *world, struct random *random, const char *api_version,
                        const char *kind, struct pick *pick)
{
    struct store *store = simulation_store(world->simulation);
    *pick = (struct pick){.random = random};
    store_each(store, store_resource_of_kind(store, api_version, kind), NULL, consider, pick);
    return pick->seen > 0;
}

static const struct park_machine *pick_machine(struct soak_world *world, struct random *random)
{
    struct machine_park *park = simulation_park(world->simulation);
    uint32_t count = machine_park_count(park);
    return count > 0 ? machine_park_at(park, below(random, count)) : NULL;
}

static void delete_one(struct soak_world *world, struct random *random, const char *api_version,
                       const char *kind, const char *namespace)
{
    struct pick pick;
    if (!pick_object(world, random, api_version, kind, &pick))
        return;
    soak_say(world, "delete %s %s", kind, pick.name);
    soak_delete(world, api_version, kind, namespace, pick.name);
}

// --- people
// ------------------------------------------------------------------------------------------

static void scale(struct soak_world *world, struct random *random)
{
    uint32_t index = below(random, world->workloads_count);
    uint32_t replicas =
        random_chance(random, 0.25) ? 0 : below(random, world->workloads[index].replicas_max + 1);
    soak_say(world, "Deployment d%u: %u replicas", index, replicas);
    soak_apply_workload(world, index, replicas);
}

static void roll_out(struct soak_world *world, struct random *random)
{
    struct pick pick;
    struct text text = {0};
    struct error error = {0};
    if (!pick_object(world, random, "apps/v1", "Deployment", &pick))
        return;
    soak_say(world, "roll out %s", pick.name);
    text_format(&text,
                "{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, namespace: default}, "
                "spec: {template: {metadata: {annotations: {version: '%u'}}}}}",
                pick.name, below(random, 1000000));
    if (!simulation_apply(world->simulation, text.data, &error))
        soak_say(world, "refused: %s", error.message);
    text_free(&text);
}

static void delete_workload(struct soak_world *world, struct random *random)
{
    delete_one(world, random, "apps/v1", "Deployment", "default");
}

static void start_job(struct soak_world *world, struct random *random)
{
    soak_say(world, "Job j%u", world->jobs_count);
    soak_apply_job(world, random);
}

static void change_daemon_sets(struct soak_world *world, struct random *random)
{
    uint32_t index = below(random, SOAK_DAEMON_SETS_MAX);
    if (random_chance(random, 0.4)) {
        delete_one(world, random, "apps/v1", "DaemonSet", "default");
    } else {
        soak_say(world, "DaemonSet ds%u", index);
        soak_apply_daemon_set(world, index);
    }
}

static void change_budget(struct soak_world *world, struct random *random)
{
    uint32_t workload = below(random, world->workloads_count);
    if (random_chance(random, 0.3)) {
        delete_one(world, random, "policy/v1", "PodDisruptionBudget", "default");
    } else {
        soak_say(world, "PodDisruptionBudget b%u", workload);
        soak_apply_budget(world, workload, random);
    }
}

static void delete_node(struct soak_world *world, struct random *random)
{
    delete_one(world, random, "v1", "Node", NULL);
}

static void delete_claim(struct soak_world *world, struct random *random)
{
    delete_one(world, random, "karpenter.sh/v1", "NodeClaim", NULL);
}

static void delete_pod(struct soak_world *world, struct random *random)
{
    delete_one(world, random, "v1", "Pod", "default");
}

static void edit_pool(struct soak_world *world, struct random *random)
{
    uint32_t index = below(random, world->pools_count);
    soak_say(world, "edit or create NodePool p%u", index);
    soak_apply_pool(world, index, random);
}

static void delete_pool(struct soak_world *world, struct random *random)
{
    delete_one(world, random, "karpenter.sh/v1", "NodePool", NULL);
    if (random_chance(random, 0.5)) {
        soak_pass(world, (int64_t)below(random, 20000) * MILLISECOND);
        edit_pool(world, random);
    }
}

// --- machines
// ----------------------------------------------------------------------------------------

static void vanish(struct soak_world *world, struct random *random)
{
    const struct park_machine *machine = pick_machine(world, random);
    if (machine == NULL || world->options.without & SOAK_WITHOUT_MACHINE)
        return;
    soak_say(world, "machine %s vanishes", machine->facts.provider_id);
    invariants_machine_vanishes(world->invariants, machine->facts.node_claim_uid);
    machine_park_reclaim(simulation_park(world->simulation), machine->facts.provider_id);
}

// As a launch leaves it whose answer nobody has heard.
static void appear(struct soak_world *world, struct random *random)
{
    struct machine_park *park = simulation_park(world->simulation);
    const struct instance_type *type = &machine_park_catalog(park)->spec.instance_types.items[0];
    struct node_claim stranger = {.kind = kind_get(KIND_NODE_CLAIM)};
    char uid[37];
    random_uuid(random, uid);
    stranger.meta.name = "stranger";
    stranger.meta.uid = uid;
    struct object *claim = object_copy((struct object *)&stranger);
    soak_say(world, "a machine appears that nobody knows of");
    machine_park_launch(park, (struct node_claim *)claim, type, &type->offerings.items[0]);
    object_release(claim);
}

static void change_kubelet(struct soak_world *world, struct random *random)
{
    static const char *const names[] = {"healthy", "not ready", "silent"};
    const struct park_machine *machine = pick_machine(world, random);
    enum machine_state state = (enum machine_state)below(random, 3);
    if (machine == NULL || world->options.without & SOAK_WITHOUT_MACHINE)
        return;
    soak_say(world, "machine %s becomes %s", machine->facts.provider_id, names[state]);
    world_machine_set_state(simulation_world(world->simulation), machine->facts.provider_id, state);
}

static void change_stock(struct soak_world *world, struct random *random)
{
    static const char *const all_zones[] = {"test-zone-a", "test-zone-b", "test-zone-c",
                                            "test-zone-d"};
    struct machine_park *park = simulation_park(world->simulation);
    const struct park_machine *machine = pick_machine(world, random);
    if (world->options.without & SOAK_WITHOUT_CLOUD)
        return;
    if (random_chance(random, 0.3)) {
        soak_say(world, "everything is in stock");
        machine_park_stock(park, NULL, NULL, NULL, -1);
        return;
    }
    const char *zone = random_chance(random, 0.4) ? all_zones[below(random, 4)] : NULL;
    const char *capacity_type = random_chance(random, 0.4) ? "spot" : NULL;
    const char *type =
        machine != NULL && random_chance(random, 0.6) ? machine->instance_type : NULL;
    int64_t left = below(random, 4);
    soak_say(world, "stock of type %s, zone %s, %s: %lld", type != NULL ? type : "any",
             zone != NULL ? zone : "any",
             capacity_type != NULL ? capacity_type : "any capacity type", (long long)left);
    machine_park_stock(park, type, zone, capacity_type, left);
}

// --- controller, connection, clock
// -------------------------------------------------------------------

static void kill_controller(struct soak_world *world, struct random *random)
{
    int64_t dead = (int64_t)below(random, random_chance(random, 0.2) ? 300000 : 5000) * MILLISECOND;
    soak_say(world, "kill the controller for %.1f s", (double)dead / (double)SECOND);
    simulation_kill_controller(world->simulation);
    soak_pass(world, dead);
    simulation_start_controller(world->simulation);
    invariants_restarts(world->invariants);
}

// In the middle of what it does: after so many events of the world.
static void kill_at_any_event(struct soak_world *world, struct random *random)
{
    uint32_t times = 1 + below(random, 5);
    soak_say(world, "kill the controller %u times, at random events", times);
    for (uint32_t i = 0; i < times; i++) {
        for (uint32_t events = below(random, 3000); events > 0 && loop_step(world->loop); events--)
            invariants_step(world->invariants);
        soak_say(world, "killed");
        simulation_kill_controller(world->simulation);
        simulation_start_controller(world->simulation);
        invariants_restarts(world->invariants);
    }
}

static void cut_off(struct soak_world *world, struct random *random)
{
    int64_t duration = (int64_t)below(random, 60000) * MILLISECOND;
    if (world->options.without & SOAK_WITHOUT_WATCH)
        return;
    soak_say(world, "the API server is out of reach for %.1f s", (double)duration / (double)SECOND);
    invariants_blind(world->invariants, true);
    simulation_cut_api(world->simulation, true);
    soak_pass(world, duration);
    simulation_cut_api(world->simulation, false);
    invariants_blind(world->invariants, false);
}

static void jump_clock(struct soak_world *world, struct random *random)
{
    int64_t jump = ((int64_t)below(random, 600) - 300) * SECOND;
    soak_say(world, "the clock jumps by %lld s", (long long)(jump / SECOND));
    invariants_clock_jumps(world->invariants, jump);
    loop_skew_wall_clock(world->loop, jump);
}

static void wait_long(struct soak_world *world, struct random *random)
{
    soak_say(world, "a quiet time");
    soak_pass(world, (int64_t)(60 + below(random, 1200)) * SECOND);
}

// --- the list
// ----------------------------------------------------------------------------------------

static const struct {
    void (*act)(struct soak_world *world, struct random *random);
    uint32_t weight;
} kinds[] = {
    {scale, 14},
    {roll_out, 5},
    {delete_workload, 2},
    {start_job, 5},
    {change_budget, 4},
    {delete_node, 4},
    {delete_claim, 4},
    {delete_pod, 3},
    {edit_pool, 4},
    {delete_pool, 1},
    {vanish, 3},
    {change_kubelet, 4},
    {change_stock, 5},
    {kill_controller, 3},
    {kill_at_any_event, 3},
    {cut_off, 2},
    {jump_clock, 2},
    {wait_long, 4},
    {change_daemon_sets, 1},
    {appear, 1},
};

uint32_t soak_actions_count(const struct soak_world *world)
{
    struct random random;
    random_seed(&random, world->options.seed ^ 0xac7);
    uint32_t count = 6 + below(&random, 12 + 8 * world->options.size);
    return count < SOAK_ACTIONS_MAX ? count : SOAK_ACTIONS_MAX;
}

static int64_t draw_gap(struct random *random)
{
    if (random_chance(random, 0.3))
        return (int64_t)below(random, 1500) * MILLISECOND;
    return (int64_t)below(random, random_chance(random, 0.8) ? 20000 : 120000) * MILLISECOND;
}

bool soak_act(struct soak_world *world, uint32_t index)
{
    struct random random;
    random_seed(&random, world->options.seed * 1000003 + index);
    uint32_t total = 0, at = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        total += kinds[i].weight;
    if (!soak_pass(world, draw_gap(&random)))
        return false;
    uint32_t drawn = below(&random, total);
    while (drawn >= kinds[at].weight)
        drawn -= kinds[at++].weight;
    kinds[at].act(world, &random);
    return invariants_violation(world->invariants) == NULL;
}

// --- the end of all trouble
// --------------------------------------------------------------------------

static void relax_budgets(struct soak_world *world)
{
    for (uint32_t i = 0; i < world->workloads_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%u", i);
        if (soak_exists(world, "policy/v1", "PodDisruptionBudget", "default", name))
            soak_apply_budget(world, i, NULL);
    }
}

static void unprotect_workloads(struct soak_world *world)
{
    for (uint32_t i = 0; i < world->workloads_count; i++) {
        char text[400];
        struct error error = {0};
        snprintf(text, sizeof text, "d%u", i);
        if (!(world->workloads[i].traits & WORKLOAD_PROTECTED) ||
            !soak_exists(world, "apps/v1", "Deployment", "default", text))
            continue;
        snprintf(
            text, sizeof text,
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d%u, namespace: default}, "
            "spec: {template: {metadata: {annotations: {karpenter.sh/do-not-disrupt: null}}}}}",
            i);
        if (!simulation_apply(world->simulation, text, &error))
            soak_say(world, "refused: %s", error.message);
    }
}

void soak_calm(struct soak_world *world)
{
    const struct sim_faults none = {0};
    struct machine_park *park = simulation_park(world->simulation);
    const struct park_machine *machine;
    soak_say(world, "calm");
    world->faults_on = false;
    simulation_set_api_faults(world->simulation, &none);
    if (simulation_controller(world->simulation) == NULL)
        simulation_start_controller(world->simulation);
    machine_park_stock(park, NULL, NULL, NULL, -1);
    for (uint32_t i = 0; (machine = machine_park_at(park, i)) != NULL; i++)
        world_machine_set_state(simulation_world(world->simulation), machine->facts.provider_id,
                                MACHINE_HEALTHY);
    for (uint32_t i = 0; i < world->pools_count; i++)
        soak_apply_pool(world, i, NULL);
    relax_budgets(world);
    unprotect_workloads(world);
}
