#include "simulation/aws_soak.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/text.h"
#include "cloud/aws/iam_policy.h"
#include "model/reading/settings_read.h"
#include "sim/store/store_json.h"
#include "simulation/aws_soak_world.h"

#define STEP (500 * MILLISECOND)
// Of a machine without NodeClaim, while the controller lives. Where answers of AWS are lost, each
// start takes up to four minutes of it.
#define ORPHAN_AGE_MAX (18 * MINUTE)
#define WIDOW_AGE_MAX  (30 * MINUTE) // of a NodeClaim without its machine
#define SETTLED_MAX    (3 * HOUR)
#define EMPTIED_MAX    HOUR
#define QUIET          (15 * MINUTE)
#define QUIET_CALLS    400 // of AWS, in that time
#define QUIET_REQUESTS 400 // of the API server
#define FLEETS_A_CLAIM 4
#define FLEETS_ANYWAY  40

struct age {
    int64_t since;
};

// --- invariants ----------------------------------------------------------------------------------

static bool PRINTF_LIKE(2, 3) violate(struct aws_soak_world *world, const char *format, ...)
{
    struct aws_soak_result *result = world->result;
    if (result->failed)
        return false;
    result->failed = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->why, sizeof result->why, format, arguments);
    va_end(arguments);
    return false;
}

// How long the key has been in the map, while the controller lives.
static int64_t grow_old(struct aws_soak_world *world, struct map *ages, const char *key)
{
    struct age *age = map_get(ages, key);
    if (age == NULL) {
        age = map_ensure(ages, key, sizeof *age);
        world->result->orphans += ages == world->orphans;
    }
    age->since += simulation_controller(world->simulation) != NULL ? STEP : 0;
    return age->since;
}

struct survey {
    struct aws_soak_world *world;
    struct map *by_machine; // provider ID -> NodeClaim
};

static bool survey_claim(void *context, json_t *claim)
{
    struct survey *survey = context;
    struct aws_soak_world *world = survey->world;
    const char *id = json_string_value(store_path(claim, "status.providerID"));
    const char *uid = store_uid(claim);
    if (map_get(world->seen, uid) == NULL) {
        map_set(world->seen, uid, world);
        world->result->claims++;
    }
    if (id == NULL)
        return true;
    if (map_set(survey->by_machine, id, claim) != NULL)
        violate(world, "two NodeClaims have the machine %s", id);
    const char *slash = strrchr(id, '/');
    const struct aws_instance *instance =
        slash != NULL ? aws_account_instance(simulation_account(world->simulation), slash + 1)
                      : NULL;
    const char *state =
        instance == NULL
            ? "terminated"
            : json_string_value(store_path(aws_instance_json(instance), "instanceState.name"));
    if (!text_equal(state, "terminated"))
        free(map_remove(world->widows, uid));
    else if (grow_old(world, world->widows, uid) > WIDOW_AGE_MAX)
        violate(world, "NodeClaim %s has been without its machine %s for long", store_name(claim),
                id);
    return true;
}

static void survey_instance(void *context, const struct aws_instance *instance)
{
    struct survey *survey = context;
    struct aws_soak_world *world = survey->world;
    const char *id = aws_instance_provider_id(instance);
    if (map_get(survey->by_machine, id) != NULL)
        free(map_remove(world->orphans, id));
    else if (grow_old(world, world->orphans, id) > ORPHAN_AGE_MAX)
        violate(world, "the machine %s has been without NodeClaim for long", id);
}

static void check(struct aws_soak_world *world)
{
    struct survey survey = {.world = world, .by_machine = map_create()};
    struct store *store = simulation_store(world->simulation);
    store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim"), NULL,
               survey_claim, &survey);
    aws_account_each_instance(simulation_account(world->simulation), survey_instance, &survey);
    map_destroy(survey.by_machine, NULL);
    const struct aws_soak_result *result = world->result;
    if (result->fleets > FLEETS_ANYWAY + FLEETS_A_CLAIM * result->claims)
        violate(world, "%llu calls of CreateFleet for %llu NodeClaims",
                (unsigned long long)result->fleets, (unsigned long long)result->claims);
}

bool aws_soak_pass(struct aws_soak_world *world, int64_t nanoseconds)
{
    for (; nanoseconds > 0 && !world->result->failed; nanoseconds -= STEP) {
        loop_run_for(world->loop, STEP);
        check(world);
    }
    return !world->result->failed;
}

// --- hooks ---------------------------------------------------------------------------------------

static void on_call(void *context, const struct aws_account_request *request)
{
    struct aws_soak_world *world = context;
    world->result->calls++;
    if (strstr(text_or_empty(request->error_message), "not authorized to") != NULL)
        violate(world, "the policy does not allow %s: %s", request->action, request->error_message);
    world->result->fleets += text_equal(request->action, "CreateFleet") && !request->dry_run;
    if (request->reply != NULL)
        world->result->launches += json_array_size(json_object_get(request->reply, "instances"));
    if (world->options.verbose && !text_equal(request->action, "ReceiveMessage"))
        aws_soak_say(world, "  aws: %s%s %s", request->action, request->dry_run ? " (dry)" : "",
                     request->error_code != NULL ? request->error_code : "");
}

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    struct aws_soak_world *world = context;
    (void)response;
    world->result->requests += strstr(request->path, "/events") == NULL;
    if (world->options.verbose && request->verb >= KUBE_CREATE) {
        char *body = request->body != NULL ? json_dumps(request->body, JSON_COMPACT) : NULL;
        aws_soak_say(world, "  kube: %d %s %.300s", request->verb, request->path,
                     body != NULL ? body : "");
        free(body);
    }
    return false;
}

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

// --- the world -----------------------------------------------------------------------------------

static double maybe(struct random *random, double rate)
{
    return random_chance(random, 0.6) ? rate * random_unit(random) : 0;
}

// The policy that `adze iam` prints for the settings (AWN-620): each call must be allowed.
static json_t *policy_of(const struct settings *settings)
{
    struct error error = {0};
    json_t *policy = iam_policy_create(
        &(struct iam_policy_options){.partition = "aws",
                                     .region = "us-west-2",
                                     .account = "111122223333",
                                     .cluster = settings->cluster_name,
                                     .node_roles = "soak-nodes,other-nodes",
                                     .interruption_queue = settings->interruption_queue},
        &error);
    if (policy == NULL)
        abort();
    return policy;
}

static void draw_faults(struct aws_soak_world *world, struct random *random)
{
    world->api_faults = (struct sim_faults){
        .internal_error = maybe(random, 0.05),
        .too_many_requests = maybe(random, 0.05),
        .conflict = maybe(random, 0.1),
        .lost_request = maybe(random, 0.02),
        .lost_answer = maybe(random, 0.02),
        .reset = maybe(random, 0.04),
        .watch_refused = maybe(random, 0.2),
        .watch_dropped = maybe(random, 0.02),
        .watch_gap = maybe(random, 0.01),
        .watch_stalled = maybe(random, 0.005),
    };
    world->account = (struct aws_account_options){
        .cluster = "soak",
        .queue = "soak",
        .catalogue = "(m5|c5|m6g|r5)\\.(large|xlarge|2xlarge)|t3\\.(small|medium)",
        .latency_min = 5 * MILLISECOND,
        .latency_max = (20 + (int64_t)random_below(random, 1500)) * MILLISECOND,
        .lag_max = (int64_t)random_below(random, 20000) * MILLISECOND,
        .throttle_share = maybe(random, 0.2),
        .lost_share = maybe(random, 0.1),
        .server_error_share = maybe(random, 0.15),
        .stock_out_share = maybe(random, 0.5),
        .interruptions_per_hour = maybe(random, 4),
        .state_messages = random_chance(random, 0.5),
        .check_signatures = random_chance(random, 0.5),
        .requested = on_call,
        .context = world,
    };
}

static bool create(struct aws_soak_world *world, struct random *random)
{
    struct simulation_options options;
    struct error error = {0};
    simulation_options_defaults(&options);
    settings_defaults(&world->settings);
    world->settings.cluster_name = "soak";
    world->settings.interruption_queue = random_chance(random, 0.8) ? "soak" : NULL;
    world->settings.eks_control_plane = true; // the account has images of its version alone
    world->settings.gate_node_repair = random_chance(random, 0.5);
    world->settings.gate_spot_to_spot_consolidation = random_chance(random, 0.5);
    json_t *policy = policy_of(&world->settings);
    world->account.policy = policy;
    options.loop = world->loop;
    options.seed = random_next(random);
    options.settings = &world->settings;
    options.aws = &world->account;
    options.aws_error = &error;
    options.world.heartbeats = HEARTBEATS_SILENT;
    options.boot_delay_max = (2 + (int64_t)random_below(random, 60)) * SECOND;
    options.ready_delay = (1 + (int64_t)random_below(random, 10)) * SECOND;
    options.api_faults = world->api_faults;
    options.api_fault = on_request;
    options.fault_context = world;
    world->simulation = simulation_create(&options);
    json_decref(policy);
    return world->simulation != NULL || violate(world, "no account: %s", error.message);
}

static void populate(struct aws_soak_world *world, struct random *random)
{
    world->workloads_count = 1 + (uint32_t)random_below(random, AWS_SOAK_WORKLOADS);
    world->pools_count = 1 + (uint32_t)random_below(random, AWS_SOAK_POOLS);
    world->replicas_max = 3 + (uint32_t)random_below(random, 12);
    aws_soak_apply_class(world, NULL);
    for (uint32_t i = 0; i < world->pools_count; i++)
        aws_soak_apply_pool(world, i, random);
    for (uint32_t i = 0; i < world->workloads_count; i++)
        aws_soak_apply_workload(world, i, (uint32_t)random_below(random, world->replicas_max + 1));
}

// --- the end -------------------------------------------------------------------------------------

static bool is_empty(struct aws_soak_world *world)
{
    return simulation_count(world->simulation, "v1", "Node") == 0 &&
           simulation_count(world->simulation, "karpenter.sh/v1", "NodeClaim") == 0 &&
           aws_account_instances(simulation_account(world->simulation)) == 0;
}

static bool is_settled(struct aws_soak_world *world)
{
    return simulation_is_settled(world->simulation);
}

static bool is_left_clean(struct aws_soak_world *world)
{
    struct aws_account *account = simulation_account(world->simulation);
    return simulation_count(world->simulation, "karpenter.k8s.aws/v1", "EC2NodeClass") == 0 &&
           aws_account_templates(account) == 0 && aws_account_profiles(account) == 0;
}

static bool until(struct aws_soak_world *world, bool (*condition)(struct aws_soak_world *world),
                  int64_t most, const char *what)
{
    struct aws_account *account = simulation_account(world->simulation);
    int64_t begun = loop_monotonic_ns(world->loop);
    while (!condition(world)) {
        if (!aws_soak_pass(world, 5 * SECOND))
            return false;
        if (loop_monotonic_ns(world->loop) - begun <= most)
            continue;
        struct world_counts counts = world_counts(simulation_world(world->simulation));
        return violate(world,
                       "%s: not in %lld s; %u pods, %u not assigned, %u nodes, %u ready, %u "
                       "NodeClaims, %u instances, %u templates, %u profiles",
                       what, (long long)(most / SECOND), counts.pods, counts.pods_unassigned,
                       counts.nodes, counts.nodes_ready,
                       simulation_count(world->simulation, "karpenter.sh/v1", "NodeClaim"),
                       aws_account_instances(account), aws_account_templates(account),
                       aws_account_profiles(account));
    }
    return true;
}

// Consolidation goes on for a while after the world looks settled.
static bool settle(struct aws_soak_world *world)
{
    int64_t begun = loop_monotonic_ns(world->loop);
    uint64_t fleets, calls, requests;
    do {
        fleets = world->result->fleets;
        calls = world->result->calls;
        requests = world->result->requests;
        if (loop_monotonic_ns(world->loop) - begun > SETTLED_MAX)
            return violate(world, "instances are launched again and again in calm");
        if (!until(world, is_settled, SETTLED_MAX, "settled") || !aws_soak_pass(world, QUIET))
            return false;
    } while (!is_settled(world) || fleets != world->result->fleets);
    world->result->settled_after_seconds =
        (double)(loop_monotonic_ns(world->loop) - begun - QUIET) / (double)SECOND;
    aws_soak_say(world, "settled: %llu calls and %llu requests in a quiet quarter of an hour",
                 (unsigned long long)(world->result->calls - calls),
                 (unsigned long long)(world->result->requests - requests));
    if (world->result->calls - calls > QUIET_CALLS ||
        world->result->requests - requests >
            QUIET_REQUESTS +
                10 * simulation_count(world->simulation, "karpenter.sh/v1", "NodeClaim"))
        return violate(world, "a quiet quarter of an hour has %llu calls and %llu requests",
                       (unsigned long long)(world->result->calls - calls),
                       (unsigned long long)(world->result->requests - requests));
    return true;
}

static bool empty(struct aws_soak_world *world)
{
    char name[16];
    for (uint32_t i = 0; i < world->workloads_count; i++)
        aws_soak_apply_workload(world, i, 0);
    if (!until(world, is_empty, EMPTIED_MAX, "empty without workloads"))
        return false;
    aws_soak_say(world, "the EC2NodeClass is deleted");
    for (uint32_t i = 0; i < AWS_SOAK_POOLS; i++) {
        snprintf(name, sizeof name, "p%u", i);
        aws_soak_delete(world, "karpenter.sh/v1", "NodePool", NULL, name);
    }
    aws_soak_delete(world, "karpenter.k8s.aws/v1", "EC2NodeClass", NULL, "soak");
    return until(world, is_left_clean, HOUR, "clean without EC2NodeClass");
}

static void live(struct aws_soak_world *world, struct random *random)
{
    populate(world, random);
    simulation_start_controller(world->simulation);
    world->result->actions = aws_soak_actions_count(world);
    for (uint32_t i = 0; i < world->result->actions; i++)
        if ((world->options.left_out == NULL || !world->options.left_out[i]) &&
            !aws_soak_act(world, i))
            return;
    if (random_chance(random, 0.15)) { // torn down in the middle
        aws_soak_say(world, "the world ends");
        return;
    }
    aws_soak_calm(world);
    if (settle(world))
        empty(world);
}

void aws_soak_run(const struct aws_soak_options *options, struct aws_soak_result *result)
{
    struct random random;
    *result = (struct aws_soak_result){0};
    struct aws_soak_world world = {
        .options = *options,
        .result = result,
        .loop = loop_create_virtual(INT64_C(1767225600) * SECOND),
        .orphans = map_create(),
        .widows = map_create(),
        .seen = map_create(),
    };
    struct log_options log = {.level = options->verbose ? LOG_DEBUG : LOG_INFO,
                              .sink = options->verbose ? print_line : drop_line,
                              .now_ns = wall_clock,
                              .now_context = world.loop};
    if (!log_configure(&log, NULL))
        abort();
    random_seed(&random, options->seed);
    world.begun = loop_monotonic_ns(world.loop);
    draw_faults(&world, &random);
    if (create(&world, &random))
        live(&world, &random);
    result->simulated_hours = (double)(loop_monotonic_ns(world.loop) - world.begun) / (double)HOUR;
    simulation_destroy(world.simulation);
    loop_destroy(world.loop);
    map_destroy(world.orphans, free);
    map_destroy(world.widows, free);
    map_destroy(world.seen, NULL);
    settings_free(&world.settings);
}
