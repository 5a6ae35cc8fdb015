#include "simulation/soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/loop_virtual.h"
#include "cloud/kwok/kwok_catalog.h"
#include "model/reading/settings_read.h"
#include "simulation/soak_world.h"

#define QUIET         (10 * MINUTE) // nothing changes for so long: settled
#define SETTLED_MAX   (5 * HOUR)    // NodeClaims may have up to 3 h of life left
#define EMPTIED_MAX   (40 * MINUTE)
#define LOOK          (5 * SECOND)
#define REST          (24 * HOUR) // DIS-794
#define DAY_OF_FREEZE (24 * HOUR) // DIS-748
#define MOVES_MAX     4           // per node, DIS-794

// --- hooks ---------------------------------------------------------------------------------------

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct soak_world *world = context;
    if (soak_ambushed(world, request, false)) {
        error_set(&response->error, ERROR_UNAVAILABLE, "the controller dies");
        return true;
    }
    invariants_before_request(world->invariants, request);
    return false;
}

static void say_request(const struct soak_world *world, const struct kube_request *request)
{
    static const char *const verbs[] = {[KUBE_CREATE] = "create",
                                        [KUBE_UPDATE] = "update",
                                        [KUBE_PATCH] = "patch",
                                        [KUBE_DELETE] = "delete"};
    char *body = request->body != NULL ? json_dumps(request->body, JSON_COMPACT) : NULL;
    soak_say(world, "  %s %s %.400s", verbs[request->verb], request->path,
             body != NULL ? body : "");
    free(body);
}

static bool on_answer(void *context, const struct kube_request *request)
{
    struct soak_world *world = context;
    if (world->options.verbose && request->verb >= KUBE_CREATE)
        say_request(world, request);
    invariants_after_request(world->invariants, request);
    return soak_ambushed(world, request, true);
}

static enum sim_cloud_fault on_cloud_call(void *context, enum sim_cloud_call call,
                                          const struct node_claim *claim, struct error *error)
{
    struct soak_world *world = context;
    static const char *const names[] = {"create", "delete", "get", "list"};
    soak_say(world, "  cloud: %s %s", names[call], claim != NULL ? claim->meta.name : "");
    if (!world->faults_on || !random_chance(&world->random, world->cloud_fault_rate))
        return SIM_FINE;
    error_set(error, ERROR_UNAVAILABLE, "the provider is out of order");
    bool before = random_chance(&world->random, 0.5);
    soak_say(world, "  cloud: which fails %s its effect", before ? "before" : "after");
    return before ? SIM_FAIL_BEFORE : SIM_FAIL_AFTER;
}

static uint32_t on_boot(void *context, const struct sim_instance *machine)
{
    struct soak_world *world = context;
    invariants_machine_launched(world->invariants, machine);
    if (!world->faults_on || !random_chance(&world->random, world->boot_fault_rate))
        return 0;
    return random_chance(&world->random, 0.5) ? MACHINE_NEVER_REGISTERS : MACHINE_REGISTERS_TWICE;
}

static const char *on_drift(void *context, const struct node_claim *claim)
{
    const struct soak_world *world = context;
    return claim->meta.creation_timestamp < world->class_changed ? "NodeClassDrift" : NULL;
}

// --- the world -----------------------------------------------------------------------------------

static void drop_line(void *context, const char *line)
{
    (void)context;
    (void)line;
}

static void print_line(void *context, const char *line)
{
    (void)context;
    fprintf(stderr, "%s\n", line);
}

static int64_t wall_clock(void *loop)
{
    return loop_now_ns(loop);
}

static bool is_faithful(const struct sim_faults *faults)
{
    return faults->watch_refused + faults->watch_dropped + faults->watch_gap +
               faults->watch_stalled ==
           0;
}

static void create(struct soak_world *world, const struct instance_type_catalog *catalog,
                   struct random *random)
{
    struct simulation_options options;
    struct invariants_options watched = {
        .loop = world->loop,
        .faithful_watches = is_faithful(&world->api_faults),
        .loses_requests = world->api_faults.lost_request + world->api_faults.lost_answer > 0,
        .orphan_age_max = 12 * MINUTE};
    world->invariants = invariants_create(&watched);
    simulation_options_defaults(&options);
    options.loop = world->loop;
    options.seed = random_next(random);
    options.catalog = catalog;
    options.settings = &world->settings;
    options.world.heartbeats = HEARTBEATS_SILENT;
    if (options.seed % 2 == 0)
        world_options_live_pace(&options.world, options.seed);
    options.world.nominations = options.seed % 5 != 0;
    options.world.events = !soak_is_large(world->options.size); // unused there
    options.boot_delay_max = (2 + (int64_t)random_below(random, 60)) * SECOND;
    options.ready_delay = (1 + (int64_t)random_below(random, 10)) * SECOND;
    options.stop_delay_max = (1 + (int64_t)random_below(random, 60)) * SECOND;
    options.cloud_latency_max = (300 + (int64_t)random_below(random, 5000)) * MILLISECOND;
    options.cloud_fault = on_cloud_call;
    options.api_fault = on_request;
    options.api_lose_answer = on_answer;
    options.api_faults = world->api_faults;
    options.drift_reason = on_drift;
    options.boot_faults = on_boot;
    options.fault_context = world;
    world->simulation = simulation_create(&options);
    invariants_watch(world->invariants, world->simulation);
}

static void populate(struct soak_world *world, struct random *random)
{
    soak_apply_class(world);
    soak_apply_storage(world);
    for (uint32_t i = 0; i < world->pools_count; i++)
        soak_apply_pool(world, i, random);
    for (uint32_t i = 0; i < world->daemon_sets_count; i++)
        soak_apply_daemon_set(world, i);
    for (uint32_t i = 0; i < world->workloads_count; i++) {
        soak_apply_workload(world, i,
                            (uint32_t)random_below(random, world->workloads[i].replicas_max + 1));
        if (random_chance(random, 0.5))
            soak_apply_budget(world, i, random);
    }
}

// --- a run ---------------------------------------------------------------------------------------

static uint64_t moves(const struct soak_world *world)
{
    const struct invariants_counts *counts = invariants_counts(world->invariants);
    return counts->empty_nodes + counts->drifted_nodes + counts->underutilized_nodes;
}

// Until only time has passed for QUIET; false: an invariant is broken, or it takes too long.
static bool settle(struct soak_world *world, struct soak_result *result)
{
    int64_t begun = loop_monotonic_ns(world->loop), changed = begun;
    uint64_t signature = 0, version = 0, moves_before = moves(world);
    uint32_t nodes = 1;
    struct error why = {0};
    for (;;) {
        if (!soak_pass(world, LOOK))
            return false;
        uint32_t machines = sim_instances_count(simulation_park(world->simulation));
        nodes = machines > nodes ? machines : nodes;
        if (moves(world) - moves_before > (uint64_t)MOVES_MAX * nodes) {
            snprintf(result->why, sizeof result->why,
                     "%llu moves of at most %u nodes since all faults ended (DIS-794)",
                     (unsigned long long)(moves(world) - moves_before), nodes);
            return false;
        }
        int64_t now = loop_monotonic_ns(world->loop);
        if (store_version(simulation_store(world->simulation)) != version) {
            uint64_t new_signature = invariants_signature(world->invariants);
            version = store_version(simulation_store(world->simulation));
            changed = new_signature != signature ? now : changed;
            signature = new_signature;
        }
        if (now - changed < QUIET && now - begun < SETTLED_MAX)
            continue;
        bool unsettled = invariants_unsettled(world->invariants, &why);
        if (!unsettled && now - changed >= QUIET) {
            result->settled_after_seconds = (double)(changed - begun) / (double)SECOND;
            return true;
        }
        if (now - begun >= SETTLED_MAX || (unsettled && now - changed >= 3 * QUIET)) {
            snprintf(result->why, sizeof result->why,
                     "not settled %lld s after all faults ended: %s",
                     (long long)((now - begun) / SECOND),
                     unsettled ? why.message : "something changes all the time");
            return false;
        }
    }
}

static bool take_earliest_loop(void *context, json_t *event)
{
    int64_t *earliest = context, at;
    struct error error = {0};
    const char *time = json_string_value(store_path(event, "firstTimestamp"));
    if (text_equal(json_string_value(store_path(event, "reason")), "ConsolidationLoop") &&
        time != NULL && instant_parse(time, &at, &error) && at < *earliest)
        *earliest = at;
    return true;
}

// The time without changes: a day, or until the first detected loop thaws and may be retried
// (DIS-748).
static int64_t time_of_rest(const struct soak_world *world)
{
    struct store *store = simulation_store(world->simulation);
    int64_t earliest = INT64_MAX, left = REST;
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, take_earliest_loop,
               &earliest);
    if (earliest != INT64_MAX)
        left = earliest + DAY_OF_FREEZE - loop_now_ns(world->loop);
    return left < REST ? left : REST;
}

// DIS-794: a settled world stays settled.
static bool rest(struct soak_world *world, struct soak_result *result)
{
    uint64_t signature = invariants_signature(world->invariants), moves_before = moves(world);
    soak_say(world, "a day without changes");
    int64_t whole = time_of_rest(world);
    for (int64_t left = whole; left > 0; left -= MINUTE) {
        loop_run_for(world->loop, MINUTE);
        invariants_step(world->invariants);
        if (invariants_violation(world->invariants) != NULL)
            return false;
        if (moves(world) == moves_before && invariants_signature(world->invariants) == signature)
            continue;
        snprintf(result->why, sizeof result->why,
                 "something has changed %lld s after everything had settled: %llu moves (DIS-794)",
                 (long long)((whole - left) / SECOND),
                 (unsigned long long)(moves(world) - moves_before));
        return false;
    }
    return true;
}

// Without pods every machine is removed.
static bool empty(struct soak_world *world, struct soak_result *result)
{
    soak_say(world, "delete all workloads");
    for (uint32_t i = 0; i < world->workloads_count; i++)
        soak_delete_workload(world, i);
    for (uint32_t i = 0; i < world->pools_count; i++) {
        world->pools[i].replicas = 0;
        if (world->pools[i].is_static)
            soak_apply_pool(world, i, NULL);
    }
    for (uint32_t i = 0; i < world->jobs_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%u", i);
        soak_delete(world, "batch/v1", "Job", "default", name);
    }
    for (int64_t passed = 0; passed < EMPTIED_MAX; passed += LOOK) {
        if (!soak_pass(world, LOOK))
            return false;
        if (sim_instances_count(simulation_park(world->simulation)) == 0 &&
            simulation_count(world->simulation, "v1", "Node") == 0 &&
            simulation_count(world->simulation, "karpenter.sh/v1", "NodeClaim") == 0)
            return true;
    }
    snprintf(result->why, sizeof result->why,
             "%u machines, %u Nodes, %u NodeClaims are left %lld s after the last workload",
             sim_instances_count(simulation_park(world->simulation)),
             simulation_count(world->simulation, "v1", "Node"),
             simulation_count(world->simulation, "karpenter.sh/v1", "NodeClaim"),
             (long long)(EMPTIED_MAX / SECOND));
    return false;
}

static bool live(struct soak_world *world, struct soak_result *result)
{
    struct random random;
    random_seed(&random, world->options.seed ^ 0x90b);
    populate(world, &random);
    simulation_start_controller(world->simulation);
    world->faults_on = true;
    result->actions = soak_actions_count(world);
    for (uint32_t i = 0; i < result->actions; i++) {
        if (world->options.left_out != NULL && world->options.left_out[i])
            continue;
        soak_say(world, "action %u", i);
        if (!soak_act(world, i))
            return false;
    }
    soak_calm(world);
    return settle(world, result) && (!world->options.rests || rest(world, result)) &&
           empty(world, result);
}

void soak_run(const struct soak_options *options, struct soak_result *result)
{
    struct soak_world *world = memory_allocate(sizeof *world);
    struct random random;
    *result = (struct soak_result){0};
    world->options = *options;
    world->loop = loop_create_virtual(INT64_C(1767225600) * SECOND); // 2026-01-01T00:00:00Z
    struct log_options log = {.level = options->verbose ? LOG_DEBUG : LOG_NONE,
                              .sink = options->verbose ? print_line : drop_line,
                              .now_ns = wall_clock,
                              .now_context = world->loop};
    struct error error = {0};
    if (!log_configure(&log, &error))
        abort();
    const struct instance_type_catalog *generic = kwok_catalog_generic();
    const struct instance_type_catalog *catalog = soak_catalog(0, generic, NULL);
    object_release((const struct object *)generic);
    settings_defaults(&world->settings);
    world->ambush.left = UINT32_MAX;
    random_seed(&random, options->seed);
    random_seed(&world->random, random_next(&random));
    soak_world_draw(world, &random);
    world->begun_ns = loop_monotonic_ns(world->loop);
    create(world, catalog, &random);
    result->failed = !live(world, result);
    if (invariants_violation(world->invariants) != NULL)
        snprintf(result->why, sizeof result->why, "%s", invariants_violation(world->invariants));
    result->simulated_hours =
        (double)(loop_monotonic_ns(world->loop) - world->begun_ns) / (double)HOUR;
    result->nodes_most = world->nodes_most;
    result->checked = *invariants_counts(world->invariants);
    invariants_destroy(world->invariants);
    simulation_destroy(world->simulation);
    object_release((const struct object *)catalog);
    loop_destroy(world->loop);
    settings_free(&world->settings);
    free(world);
}
