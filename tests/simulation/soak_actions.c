// The actions of a soak world: each waits a while, then makes one change to the world as it is.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "base/text.h"
#include "base/vector.h"
#include "simulation/soak_world.h"

#define STEP (100 * MILLISECOND)
// The duration of a decision on a worker thread in a large world, for each node: meanwhile changes
// are not in its snapshot.
#define DECISION_NODE (500 * INT64_C(1000))

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
        uint32_t machines = sim_instances_count(simulation_park(world->simulation));
        world->nodes_most = machines > world->nodes_most ? machines : world->nodes_most;
        if (soak_is_large(world->options.size))
            loop_set_offload_time(world->loop, machines * DECISION_NODE);
    }
    return invariants_violation(world->invariants) == NULL;
}

static uint32_t below(struct random *random, uint32_t bound)
{
    return (uint32_t)random_below(random, bound);
}

// --- picking -------------------------------------------------------------------------------------

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

static void delete_one(struct soak_world *world, struct random *random, const char *api_version,
                       const char *kind, const char *namespace)
{
    struct pick pick;
    if (!pick_object(world, random, api_version, kind, &pick))
        return;
    soak_say(world, "delete %s %s", kind, pick.name);
    soak_delete(world, api_version, kind, namespace, pick.name);
}

// --- users ---------------------------------------------------------------------------------------

static void scale(struct soak_world *world, struct random *random)
{
    uint32_t index = below(random, world->workloads_count);
    uint32_t replicas =
        random_chance(random, 0.25) ? 0 : below(random, world->workloads[index].replicas_max + 1);
    soak_say(world, "workload d%u: %u replicas", index, replicas);
    soak_apply_workload(world, index, replicas);
}

// All workloads at once, to a large or a small size.
static void wave(struct soak_world *world, struct random *random)
{
    bool up = random_chance(random, 0.4);
    soak_say(world, "all workloads are scaled %s", up ? "up" : "down");
    for (uint32_t i = 0; i < world->workloads_count; i++) {
        uint32_t most = world->workloads[i].replicas_max;
        uint32_t share = below(random, most / 3 + 1);
        soak_apply_workload(world, i, up ? most - share : share);
    }
}

static void edit_template(struct soak_world *world, const char *kind, const char *name,
                          const char *annotation, const char *value)
{
    struct text text = {0};
    struct error error = {0};
    text_format(&text,
                "{apiVersion: apps/v1, kind: %s, metadata: {name: %s, namespace: default}, "
                "spec: {template: {metadata: {annotations: {%s: %s}}}}}",
                kind, name, annotation, value);
    if (!simulation_apply(world->simulation, text.data, &error))
        soak_say(world, "refused: %s", error.message);
    text_free(&text);
}

static void roll_out(struct soak_world *world, struct random *random)
{
    struct pick pick;
    const char *kind = random_chance(random, 0.8) ? "Deployment" : "StatefulSet";
    char version[16];
    if (!pick_object(world, random, "apps/v1", kind, &pick))
        return;
    soak_say(world, "roll out %s", pick.name);
    snprintf(version, sizeof version, "'%u'", below(random, 1000000));
    edit_template(world, kind, pick.name, "version", version);
}

// Of one existing pod.
static void change_protection(struct soak_world *world, struct random *random)
{
    static const char *const protections[] = {"'true'", "'false'", "2m", "1h", "null", "null"};
    struct pick pick;
    struct text text = {0};
    struct error error = {0};
    if (!pick_object(world, random, "v1", "Pod", &pick))
        return;
    const char *protection = protections[below(random, ARRAY_LENGTH(protections))];
    soak_say(world, "do-not-disrupt of pod %s: %s", pick.name, protection);
    text_format(&text,
                "{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default, annotations: "
                "{karpenter.sh/do-not-disrupt: %s}}}",
                pick.name, protection);
    if (!simulation_apply(world->simulation, text.data, &error))
        soak_say(world, "refused: %s", error.message);
    text_free(&text);
}

static void delete_workload(struct soak_world *world, struct random *random)
{
    uint32_t index = below(random, world->workloads_count);
    soak_say(world, "delete workload d%u", index);
    soak_delete_workload(world, index);
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

static void edit_static_pool(struct soak_world *world, struct random *random)
{
    uint32_t index = below(random, world->pools_count);
    struct pool *pool = &world->pools[index];
    if (pool->is_static)
        pool->replicas = below(random, soak_scaled(3, world->options.size) + 1);
    edit_pool(world, random);
}

// Causes drift of all nodes of a pool; or, if a requirement is narrowed, of some.
static void edit_pool_template(struct soak_world *world, struct random *random)
{
    uint32_t index = below(random, world->pools_count);
    struct pool *pool = &world->pools[index];
    if (random_chance(random, 0.6))
        pool->version++;
    else
        pool->cpu_max = pool->cpu_max == 9 ? 17 : 9;
    soak_say(world, "edit the template of NodePool p%u", index);
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

static void wait_long(struct soak_world *world, struct random *random)
{
    soak_say(world, "a quiet time");
    soak_pass(world, (int64_t)(60 + below(random, 1200)) * SECOND);
}

// --- the list ------------------------------------------------------------------------------------

static const struct {
    void (*act)(struct soak_world *world, struct random *random);
    uint32_t weight;
} kinds[] = {
    {scale, 14},
    {wave, 4},
    {roll_out, 5},
    {delete_workload, 2},
    {start_job, 5},
    {change_budget, 4},
    {change_protection, 2},
    {delete_node, 3},
    {delete_claim, 3},
    {delete_pod, 3},
    {edit_pool, 4},
    {edit_static_pool, 2},
    {edit_pool_template, 5},
    {delete_pool, 1},
    {soak_vanish, 3},
    {soak_interrupt, 2},
    {soak_change_kubelet, 4},
    {soak_change_stock, 5},
    {soak_change_prices, 2},
    {soak_change_class, 2},
    {soak_kill_controller, 2},
    {soak_kill_at_any_event, 3},
    {soak_lay_ambush, 6},
    {soak_cut_off, 2},
    {soak_throttle, 2},
    {soak_jump_clock, 2},
    {wait_long, 5},
    {change_daemon_sets, 1},
    {soak_appear, 1},
};

uint32_t soak_actions_count(const struct soak_world *world)
{
    struct random random;
    random_seed(&random, world->options.seed ^ 0xac7);
    uint32_t size = world->options.size;
    uint32_t count = size > 0 ? 6 + below(&random, 12 + 8 * size) : 3 + below(&random, 6);
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

// --- the end of all faults -----------------------------------------------------------------------

static void relax_budgets(struct soak_world *world)
{
    for (uint32_t i = 0; i < world->workloads_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%u", i);
        if (soak_exists(world, "policy/v1", "PodDisruptionBudget", "default", name))
            soak_apply_budget(world, i, NULL);
        snprintf(name, sizeof name, "c%u", i);
        soak_delete(world, "policy/v1", "PodDisruptionBudget", "default", name);
    }
}

static bool unprotect_pod(void *context, json_t *pod)
{
    struct text *text = context;
    if (json_object_get(store_path(pod, "metadata.annotations"), "karpenter.sh/do-not-disrupt") !=
        NULL)
        text_format(text,
                    "---\n{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default, "
                    "annotations: {karpenter.sh/do-not-disrupt: null}}}\n",
                    store_name(pod));
    return true;
}

static void unprotect(struct soak_world *world)
{
    struct store *store = simulation_store(world->simulation);
    struct text text = {0};
    struct error error = {0};
    for (uint32_t i = 0; i < world->workloads_count; i++) {
        const char *kind = soak_workload_kind(&world->workloads[i]);
        char name[16];
        snprintf(name, sizeof name, "d%u", i);
        if (world->workloads[i].traits & WORKLOAD_PROTECTED &&
            soak_exists(world, "apps/v1", kind, "default", name))
            edit_template(world, kind, name, "karpenter.sh/do-not-disrupt", "null");
    }
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, unprotect_pod, &text);
    if (text.length > 0 && !simulation_apply(world->simulation, text.data, &error))
        soak_say(world, "refused: %s", error.message);
    text_free(&text);
}

void soak_calm(struct soak_world *world)
{
    const struct sim_faults none = {0};
    struct sim_instances *park = simulation_park(world->simulation);
    const struct sim_instance *machine;
    soak_say(world, "calm");
    world->faults_on = false;
    world->ambush.left = UINT32_MAX;
    simulation_set_api_faults(world->simulation, &none);
    if (simulation_controller(world->simulation) == NULL)
        simulation_start_controller(world->simulation);
    sim_instances_stock(park, NULL, NULL, NULL, -1);
    for (uint32_t i = 0; (machine = sim_instances_at(park, i)) != NULL; i++)
        world_machine_set_state(simulation_world(world->simulation), machine->facts.provider_id,
                                MACHINE_HEALTHY);
    for (uint32_t i = 0; i < world->pools_count; i++)
        soak_apply_pool(world, i, NULL);
    relax_budgets(world);
    unprotect(world);
}
