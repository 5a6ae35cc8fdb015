// Shared by the parts of the generator: random numbers, the growing text, and the world's features.
// A world has only some features, so that a failure has few possible causes.
#pragma once

#include "base/text.h"
#include "properties/world.h"

#define ZONES_MAX 4
#define TYPES_MAX 12
#define POOLS_MAX 4

struct generator {
    struct random random;
    enum world_size size;
    struct text text; // YAML documents so far
    uint32_t zones, types, pools, nodes;
    struct { // instance types, for nodes of those types
        uint32_t cpu, memory_gi, pods;
        bool arm, gpu;
    } type[TYPES_MAX];
    // The world's features.
    bool taints, limits, min_values, reserved, startup, arm, daemon_sets, ports, volumes, racks;
    bool spreads, affinity, anti_affinity, preferences, node_affinity, namespaces, priorities;
    bool unavailable, gpu;
};

static inline bool chance(struct generator *generator, double probability)
{
    return random_chance(&generator->random, probability);
}
static inline uint32_t below(struct generator *generator, uint32_t bound)
{
    return (uint32_t)random_below(&generator->random, bound);
}
// One of the strings.
#define PICK(generator, ...)                   \
    ((const char *const[]){__VA_ARGS__}[below( \
        (generator), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))])

void generate_catalog(struct generator *generator);
void generate_pools(struct generator *generator);
void generate_daemon_sets(struct generator *generator);
void generate_nodes(struct generator *generator);
void generate_volumes(struct generator *generator); // classes and volumes for all pods
void generate_workloads(struct generator *generator);
// Required anti-affinity, spreads and so on of the pods of application `app`, as members of a pod
// spec with a trailing comma; nothing or text.
void generate_rules(struct generator *generator, struct text *spec, uint32_t app);
