// What a soak world is made of: manifests drawn from its seed, and the actions on them (soak.h).
#pragma once

#include "base/random.h"
#include "simulation/soak.h"

#define SOAK_POOLS_MAX       5
#define SOAK_WORKLOADS_MAX   16
#define SOAK_DAEMON_SETS_MAX 2

enum workload_trait {
    WORKLOAD_ZONE_SPREAD = 1 << 0,
    WORKLOAD_APART = 1 << 1, // anti-affinity to itself by host
    WORKLOAD_ONE_ZONE = 1 << 2,
    WORKLOAD_TOLERANT = 1 << 3,  // of the tainted pools
    WORKLOAD_PROTECTED = 1 << 4, // do-not-disrupt
    WORKLOAD_ON_DEMAND = 1 << 5,
};

struct workload { // a Deployment "d<index>"
    uint32_t traits, replicas_max;
    int64_t cpu_millicores, memory_mib, start_seconds, stop_seconds;
    uint32_t zone;
};

struct pool { // a NodePool "p<index>"; the first takes every pod
    bool tainted, on_demand;
    uint32_t weight, cpu_max;
    const char *expire_after, *grace_period; // NULL: none
};

struct soak_world {
    struct soak_options options;
    struct loop *loop;
    struct simulation *simulation;
    struct invariants *invariants;
    struct random random; // of what happens all the time; each action has its own
    struct workload workloads[SOAK_WORKLOADS_MAX];
    struct pool pools[SOAK_POOLS_MAX];
    uint32_t workloads_count, pools_count, daemon_sets_count, jobs_count;
    double cloud_fault_rate, boot_fault_rate;
    struct sim_faults api_faults;
    bool faults_on, cut;
    int64_t begun_ns;
};

// Draws the world from its seed.
void soak_world_draw(struct soak_world *world, struct random *random);

// Each creates the object, or brings it back to its manifest. `random` draws what may change:
// limits, budgets, consolidateAfter of a pool; NULL: a pool without limits, with budgets that let
// everything go in time.
void soak_apply_class(struct soak_world *world);
void soak_apply_pool(struct soak_world *world, uint32_t index, struct random *random);
void soak_apply_workload(struct soak_world *world, uint32_t index, uint32_t replicas);
void soak_apply_daemon_set(struct soak_world *world, uint32_t index);
void soak_apply_job(struct soak_world *world, struct random *random);
void soak_apply_budget(struct soak_world *world, uint32_t workload, struct random *random);
bool soak_exists(struct soak_world *world, const char *api_version, const char *kind,
                 const char *namespace, const char *name);
void soak_delete(struct soak_world *world, const char *api_version, const char *kind,
                 const char *namespace, const char *name);

// Runs virtual time in steps and checks the invariants; false: one is broken.
bool soak_pass(struct soak_world *world, int64_t nanoseconds);

uint32_t soak_actions_count(const struct soak_world *world);
// Waits a while and does something; false: an invariant is broken.
bool soak_act(struct soak_world *world, uint32_t index);
// All faults end, and everything that could keep the world from settling.
void soak_calm(struct soak_world *world);
void soak_say(const struct soak_world *world, const char *format, ...) PRINTF_LIKE(2, 3);
