// The random contents of a soak world (soak_world.h).
#include "simulation/soak_world.h"

#include <string.h>

#include "base/vector.h"
#include "cloud/kwok/kwok_catalog.h"
#include "model/schema/pack.h"

#define NODES_PER_SIZE  10
#define NODE_MILLICORES 9000 // typically left for pods on a node

static uint32_t below(struct random *random, uint32_t bound)
{
    return (uint32_t)random_below(random, bound);
}

// Size 0 is half of size 1.
uint32_t soak_scaled(uint32_t per_size, uint32_t size)
{
    return size > 0 ? per_size * size : per_size / 2;
}

bool soak_is_large(uint32_t size)
{
    return size > 5;
}

uint32_t soak_size_of(uint64_t seed)
{
    struct random random;
    random_seed(&random, seed ^ 0x512e);
    uint32_t drawn = below(&random, 1000);
    if (drawn == 0)
        return 200;
    if (drawn < 20)
        return 10 + below(&random, 11);
    return drawn < 700 ? 1 : drawn < 900 ? 2 + below(&random, 2) : 4 + below(&random, 2);
}

uint32_t soak_several(const struct soak_world *world, struct random *random)
{
    return soak_is_large(world->options.size) ? 1 + below(random, world->options.size) : 1;
}

static void draw_workload(struct workload *workload, struct random *random, uint32_t size)
{
    static const int64_t cpus[] = {100, 250, 500, 1000, 1500, 2000, 3500};
    static const int64_t memories[] = {64, 256, 512, 1024, 2048, 6144};
    *workload = (struct workload){
        .cpu_millicores = cpus[below(random, ARRAY_LENGTH(cpus))],
        .memory_mib = memories[below(random, ARRAY_LENGTH(memories))],
        .replicas_max = 1 + below(random, soak_scaled(12, size)),
        .start_seconds = random_chance(random, 0.2) ? below(random, 30) : 2,
        .stop_seconds = random_chance(random, 0.3) ? below(random, 40) : 1,
        .zone = below(random, 4),
    };
    static const double chances[] = {0.2, 0.15, 0.15, 0.3, 0.15, 0.15, 0.2};
    static const char *const protections[] = {"true", "3m", "20m", "1h30m", "soon"};
    for (size_t i = 0; i < ARRAY_LENGTH(chances); i++)
        if (random_chance(random, chances[i]))
            workload->traits |= 1U << i;
    if (workload->traits & WORKLOAD_STATEFUL) // its volumes fix the zones of its pods for good
        workload->traits &= ~(uint32_t)WORKLOAD_ZONE_SPREAD;
    workload->protection = protections[below(random, ARRAY_LENGTH(protections))];
    if (workload->traits & (WORKLOAD_APART | WORKLOAD_STATEFUL) && workload->replicas_max > 8)
        workload->replicas_max = 8;
}

static void draw_pool(struct pool *pool, struct random *random, uint32_t index, uint32_t size)
{
    static const char *const lives[] = {"Never", "7m", "20m", "1h", "3h"};
    *pool = (struct pool){
        .weight = below(random, 3) * 10,
        .cpu_max = random_chance(random, 0.5) ? 9 : 17,
        .expire_after = lives[random_chance(random, 0.5) ? 0 : below(random, ARRAY_LENGTH(lives))],
        .grace_period = random_chance(random, 0.3) ? "90s" : NULL,
    };
    static const char *const policies[] = {"WhenEmpty", "WhenEmptyOrUnderutilized",
                                           "WhenEmptyOrUnderutilized", "Balanced"};
    static const char *const capacity_types[] = {"on-demand", "on-demand", "spot"};
    pool->policy = policies[below(random, ARRAY_LENGTH(policies))];
    if (index == 0)
        return;
    pool->tainted = random_chance(random, 0.4);
    if (random_chance(random, 0.4))
        pool->capacity_type = capacity_types[below(random, ARRAY_LENGTH(capacity_types))];
    if (random_chance(random, 0.2)) {
        pool->is_static = true;
        pool->replicas = 1 + below(random, soak_scaled(3, size));
    }
}

// The sum of a large world's workloads determines its nodes: `replicas_max` are drawn again as
// shares of that, of pods that are not too small.
static void enlarge_workloads(struct soak_world *world, struct random *random)
{
    static const int64_t cpus[] = {500, 1000, 2000, 3500, 7000};
    int64_t nodes = (int64_t)NODES_PER_SIZE * world->options.size;
    int64_t share_millicores = nodes * NODE_MILLICORES / world->workloads_count;
    for (uint32_t i = 0; i < world->workloads_count; i++) {
        struct workload *workload = &world->workloads[i];
        workload->cpu_millicores = cpus[below(random, ARRAY_LENGTH(cpus))];
        uint32_t most = (uint32_t)(share_millicores / workload->cpu_millicores);
        workload->replicas_max = 1 + most / 4 + below(random, most);
        if (workload->traits & (WORKLOAD_APART | WORKLOAD_STATEFUL) &&
            workload->replicas_max > nodes / 10)
            workload->replicas_max = (uint32_t)(nodes / 10);
    }
}

static double maybe(struct random *random, double rate)
{
    return random_chance(random, 0.6) ? rate * random_unit(random) : 0;
}

static void draw_faults(struct soak_world *world, struct random *random)
{
    struct sim_faults faults = {
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
    double cloud = maybe(random, 0.25), boot = maybe(random, 0.15);
    bool faithful = random_chance(random, 0.5);
    uint32_t without = world->options.without;
    if (faithful || without & SOAK_WITHOUT_WATCH)
        faults.watch_refused = faults.watch_dropped = faults.watch_gap = faults.watch_stalled = 0;
    if (without & SOAK_WITHOUT_API)
        faults = (struct sim_faults){.watch_refused = faults.watch_refused,
                                     .watch_dropped = faults.watch_dropped,
                                     .watch_gap = faults.watch_gap,
                                     .watch_stalled = faults.watch_stalled};
    // A fault of a watch occurs at an event: with more events, each fault is proportionally rarer.
    double share = soak_is_large(world->options.size) ? 5.0 / world->options.size : 1;
    faults.watch_dropped *= share;
    faults.watch_gap *= share;
    faults.watch_stalled *= share;
    if (random_chance(random, 0.15)) // a world without any faults except user actions
        faults = (struct sim_faults){0}, cloud = boot = 0;
    world->api_faults = faults;
    world->cloud_fault_rate = without & SOAK_WITHOUT_CLOUD ? 0 : cloud;
    world->boot_fault_rate = without & SOAK_WITHOUT_MACHINE ? 0 : boot;
}

void soak_world_draw(struct soak_world *world, struct random *random)
{
    uint32_t size = world->options.size;
    world->pools_count = 1 + below(random, size > 0 ? SOAK_POOLS_MAX : 3);
    world->workloads_count = 2 + below(random, size < 4 ? 3 + 3 * size : SOAK_WORKLOADS_MAX - 2);
    world->daemon_sets_count = below(random, SOAK_DAEMON_SETS_MAX + 1);
    for (uint32_t i = 0; i < world->pools_count; i++)
        draw_pool(&world->pools[i], random, i, size);
    for (uint32_t i = 0; i < world->workloads_count; i++)
        draw_workload(&world->workloads[i], random, size);
    if (soak_is_large(size))
        enlarge_workloads(world, random);
    draw_faults(world, random);
    world->settings.gate_static_capacity = true;
    world->settings.gate_node_repair = random_chance(random, 0.5);
    world->settings.gate_spot_to_spot_consolidation = random_chance(random, 0.5);
    if (random_chance(random, 0.2))
        world->settings.packing_policy = PACKING_GREEDY;
}

// --- the cloud -----------------------------------------------------------------------------------

// Of the generic types those that the worlds' NodePools can have.
static bool is_of_use(const struct instance_type *type)
{
    return resource_map_get(&type->capacity, "cpu") <= INT64_C(16000) &&
           strstr(type->name, "amd64-linux") != NULL;
}

const struct instance_type_catalog *soak_catalog(uint32_t price_factor_percent,
                                                 const struct instance_type_catalog *from,
                                                 struct random *random)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    struct instance_type_catalog changed = *from;
    changed.spec.instance_types.items = arena_allocate_array(
        arena, from->spec.instance_types.count + 1, sizeof(struct instance_type));
    changed.spec.instance_types.count = 0;
    list_for_each (type, &from->spec.instance_types) {
        if (!is_of_use(type))
            continue;
        struct instance_type *kept =
            &changed.spec.instance_types.items[changed.spec.instance_types.count++];
        *kept = *type;
        kept->offerings.items =
            arena_allocate_array(arena, type->offerings.count + 1, sizeof(struct offering));
        for (uint32_t i = 0; i < type->offerings.count; i++) {
            kept->offerings.items[i] = type->offerings.items[i];
            if (random != NULL && random_chance(random, 0.3))
                kept->offerings.items[i].price =
                    kept->offerings.items[i].price / 100 *
                    (100 - (int64_t)price_factor_percent +
                     (int64_t)below(random, 2 * price_factor_percent + 1));
        }
    }
    return (const struct instance_type_catalog *)object_copy((const struct object *)&changed);
}
