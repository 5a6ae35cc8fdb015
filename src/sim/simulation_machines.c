#include "sim/simulation_machines.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "base/text.h"
#include "cloud/aws/aws_cloud.h"
#include "cloud/aws/aws_provider.h"
#include "sim/aws/aws_account.h"
#include "sim/store/store_json.h"

#define GARBAGE_GRACE \
    (3 * MINUTE) // greatest age of a machine without NodeClaim (LIF-161), with room for delays

struct simulation_machines {
    struct simulation_options options;
    struct random *random;
    struct world *world;
    struct sim_instances *park;  // NULL: AWS
    struct aws_account *account; // NULL: the park
    struct map *orphans;         // provider ID of a machine without NodeClaim -> struct orphan
};

struct orphan {
    int64_t since;
};

// --- machines in the world -----------------------------------------------------------------------

static void machine_launched(void *context, const struct sim_instance *machine)
{
    struct simulation_machines *machines = context;
    const struct simulation_options *options = &machines->options;
    struct taint unregistered = {.key = TAINT_UNREGISTERED, .effect = "NoExecute"};
    struct machine_boot boot = {
        .name = machine->facts.node_name,
        .provider_id = machine->facts.provider_id,
        .labels = machine->facts.labels,
        .taints = {.items = &unregistered, .count = 1},
        .capacity = machine->facts.capacity,
        .allocatable = machine->facts.allocatable,
        .boot_delay_ns =
            random_between(machines->random, options->boot_delay_min, options->boot_delay_max),
        .ready_delay_ns = options->ready_delay,
    };
    if (options->boot_faults != NULL)
        boot.faults = options->boot_faults(options->fault_context, machine);
    if (options->boot_shape != NULL)
        options->boot_shape(options->fault_context, machine, &boot);
    world_machine_boots(machines->world, &boot);
}

static void machine_gone(void *context, const struct sim_instance *machine)
{
    struct simulation_machines *machines = context;
    world_machine_gone(machines->world, machine->facts.provider_id);
}

static void instance_launched(void *context, const struct aws_instance *instance)
{
    struct simulation_machines *machines = context;
    const struct simulation_options *options = &machines->options;
    struct arena *arena CLEANUP_ARENA = arena_create(4096);
    struct machine_boot boot = {0};
    if (!aws_instance_boot(instance, arena, &boot))
        return; // its user data does not lead to this cluster
    boot.boot_delay_ns =
        random_between(machines->random, options->boot_delay_min, options->boot_delay_max);
    boot.ready_delay_ns = options->ready_delay;
    world_machine_boots(machines->world, &boot);
}

static void instance_gone(void *context, const struct aws_instance *instance)
{
    struct simulation_machines *machines = context;
    world_machine_gone(machines->world, aws_instance_provider_id(instance));
}

// --- creation ------------------------------------------------------------------------------------

static bool open_account(struct simulation_machines *machines, struct error *error)
{
    struct aws_account_options account = *machines->options.aws;
    account.loop = machines->options.loop;
    account.seed = random_next(machines->random);
    account.launched = instance_launched;
    account.gone = instance_gone;
    account.machines_context = machines;
    machines->account = aws_account_create(&account, error);
    return machines->account != NULL;
}

static void open_park(struct simulation_machines *machines)
{
    struct sim_instances_options park = {
        .seed = random_next(machines->random),
        .catalog = machines->options.catalog,
        .stop_delay_min = machines->options.stop_delay_min,
        .stop_delay_max = machines->options.stop_delay_max,
        .launched = machine_launched,
        .gone = machine_gone,
        .context = machines,
    };
    machines->park = sim_instances_create(machines->options.loop, &park);
}

struct simulation_machines *simulation_machines_create(const struct simulation_options *options,
                                                       struct random *random, struct error *error)
{
    struct simulation_machines *machines = memory_allocate(sizeof *machines);
    machines->options = *options;
    machines->random = random;
    machines->orphans = map_create();
    if (options->aws == NULL) {
        open_park(machines);
    } else if (!open_account(machines, error)) {
        simulation_machines_destroy(machines);
        return NULL;
    }
    return machines;
}

void simulation_machines_destroy(struct simulation_machines *machines)
{
    if (machines == NULL)
        return;
    if (machines->park != NULL)
        sim_instances_destroy(machines->park);
    aws_account_destroy(machines->account);
    map_destroy(machines->orphans, free);
    free(machines);
}

void simulation_machines_join(struct simulation_machines *machines, struct world *world)
{
    assert(machines->world == NULL);
    machines->world = world;
}

// --- the controller's side -----------------------------------------------------------------------

static const char *no_variable(void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static struct cloud *connect_account(struct simulation_machines *machines,
                                     const struct provider_environment *environment)
{
    static const struct aws_credentials credentials = {
        .access_key_id = AWS_ACCOUNT_ACCESS_KEY,
        .secret_access_key = AWS_ACCOUNT_SECRET_KEY,
        .expires = NS_NEVER,
    };
    struct error error = {0};
    struct aws_cloud_options options = {.environment = environment,
                                        .http = aws_account_http(machines->account),
                                        .credentials = aws_credentials_fixed(&credentials),
                                        .region = aws_account_region(machines->account),
                                        .variable = no_variable};
    struct cloud *cloud = aws_cloud_create(&options, &error);
    if (cloud == NULL)
        fprintf(stderr, "simulated AWS account: %s\n", error.message);
    assert(cloud != NULL); // the settings come from the program
    cloud->provider = &aws_provider;
    return cloud;
}

struct cloud *simulation_machines_connect(struct simulation_machines *machines,
                                          const struct provider_environment *environment)
{
    const struct simulation_options *options = &machines->options;
    if (machines->account != NULL)
        return connect_account(machines, environment);
    struct sim_cloud_options cloud = {
        .seed = environment->seed,
        .latency_min = options->cloud_latency_min,
        .latency_max = options->cloud_latency_max,
        .fault = options->cloud_fault,
        .drift_reason = options->drift_reason,
        .fault_context = options->fault_context,
        .catalog_is_own = !options->catalog_is_built_in,
    };
    return sim_cloud_create(environment->loop, machines->park, &cloud);
}

enum kind_id simulation_machines_node_class(const struct simulation_machines *machines)
{
    return machines->account != NULL ? KIND_EC2_NODE_CLASS : KIND_KWOK_NODE_CLASS;
}

// --- looking -------------------------------------------------------------------------------------

uint32_t simulation_machines_count(const struct simulation_machines *machines)
{
    return machines->account != NULL ? aws_account_instances(machines->account)
                                     : sim_instances_count(machines->park);
}

bool simulation_machines_at(const struct simulation_machines *machines, uint32_t index,
                            struct simulation_machine *machine)
{
    if (machines->account != NULL) {
        const struct aws_instance *instance = aws_account_instance_at(machines->account, index);
        if (instance != NULL)
            *machine = (struct simulation_machine){
                aws_instance_provider_id(instance), aws_instance_type_of(instance),
                aws_instance_zone(instance), aws_instance_capacity_type(instance),
                aws_instance_price(instance)};
        return instance != NULL;
    }
    const struct sim_instance *one = sim_instances_at(machines->park, index);
    if (one != NULL)
        *machine = (struct simulation_machine){one->facts.provider_id, one->instance_type,
                                               one->zone, one->capacity_type, one->price};
    return one != NULL;
}

// A running machine without NodeClaim: remembers when it was first seen.
static bool check_orphan(struct simulation_machines *machines, const char *id, const char *claim,
                         struct error *error)
{
    int64_t now = loop_monotonic_ns(machines->options.loop);
    struct orphan *orphan = map_get(machines->orphans, id);
    if (orphan == NULL) {
        orphan = map_ensure(machines->orphans, id, sizeof *orphan);
        orphan->since = now;
    }
    if (ns_subtract(now, orphan->since) > GARBAGE_GRACE)
        return error_set(error, ERROR_INTERNAL,
                         "machine %s (NodeClaim %s) has had no NodeClaim for three minutes", id,
                         claim != NULL ? claim : "unknown");
    return true;
}

static bool check_park(struct simulation_machines *machines, struct map *claims,
                       struct error *error)
{
    const struct sim_instance *machine;
    for (uint32_t i = 0; (machine = sim_instances_at(machines->park, i)) != NULL; i++) {
        if (machine->phase != MACHINE_RUNNING)
            continue;
        const char *id = machine->facts.provider_id;
        if (map_get(claims, machine->facts.node_claim_uid) != NULL)
            free(map_remove(machines->orphans, id));
        else if (!check_orphan(machines, id, machine->facts.node_claim_name, error))
            return false;
    }
    return true;
}

// Instances tell their NodeClaim late (AWN-465), so the NodeClaims' provider IDs are compared.
static bool check_account(struct simulation_machines *machines, struct map *claims,
                          struct error *error)
{
    struct map *known = map_create();
    const struct aws_instance *instance;
    bool fine = true;
    for (struct map_entry *entry = map_first(claims); entry != NULL; entry = map_next(entry)) {
        const char *id = json_string_value(store_path(map_value(entry), "status.providerID"));
        if (id != NULL && map_set(known, id, map_value(entry)) != NULL)
            fine = error_set(error, ERROR_INTERNAL, "two NodeClaims have the machine %s", id);
    }
    for (uint32_t i = 0; fine && (instance = aws_account_instance_at(machines->account, i)) != NULL;
         i++) {
        const char *id = aws_instance_provider_id(instance);
        if (map_get(known, id) != NULL)
            free(map_remove(machines->orphans, id));
        else
            fine = check_orphan(machines, id, NULL, error);
    }
    map_destroy(known, NULL);
    return fine;
}

bool simulation_machines_check(struct simulation_machines *machines, struct map *claims,
                               struct error *error)
{
    return machines->account != NULL ? check_account(machines, claims, error)
                                     : check_park(machines, claims, error);
}

struct sim_instances *simulation_machines_park(struct simulation_machines *machines)
{
    return machines->park;
}

struct aws_account *simulation_machines_account(struct simulation_machines *machines)
{
    return machines->account;
}
