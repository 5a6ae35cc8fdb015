// Memory of offerings that EC2 has refused (AWI-180 to 188, 928): pools, capacity types, subnets.
//
// By COMPATIBILITY=upstream everything is remembered for 3 min; else by cause (AWI-928).
#pragma once

#include "base/loop.h"

struct unavailable_offerings;
struct unavailable_options {
    struct loop *loop;
    bool upstream;
    void (*changed)(void *context); // after a marking, and after entries have expired (the sweep)
    void *context;
};
struct unavailable_offerings *unavailable_offerings_create(
    const struct unavailable_options *options);
void unavailable_offerings_destroy(struct unavailable_offerings *offerings);

struct unavailable_pool {
    const char *instance_type, *zone, *capacity_type;
    const char *group_id, *partition; // NULL: not scoped (AWI-332)
};
// `reason`: the fleet error's code, or "spot_interrupted"; logs AWI-183.
void unavailable_mark_pool(struct unavailable_offerings *offerings,
                           const struct unavailable_pool *pool, const char *reason,
                           const char *fleet_id);
void unavailable_mark_capacity_type(struct unavailable_offerings *offerings,
                                    const char *capacity_type);
void unavailable_mark_subnet(struct unavailable_offerings *offerings, const char *subnet_id);
// An instance came of the pool: its back-off is halved (AWI-928).
void unavailable_succeeded(struct unavailable_offerings *offerings,
                           const struct unavailable_pool *pool);

bool unavailable_has_pool(const struct unavailable_offerings *offerings,
                          const struct unavailable_pool *pool);
bool unavailable_has_capacity_type(const struct unavailable_offerings *offerings,
                                   const char *capacity_type);
bool unavailable_has_subnet(const struct unavailable_offerings *offerings, const char *subnet_id);
// Changes with every marking and expiry; of one type, global changes included (AWI-187).
uint64_t unavailable_sequence(const struct unavailable_offerings *offerings,
                              const char *instance_type);
uint64_t unavailable_generation(const struct unavailable_offerings *offerings); // of anything
