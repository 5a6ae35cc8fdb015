// The contents of a soak world: manifests drawn from its seed, and the actions on them (soak.h).
#pragma once

#include "base/random.h"
#include "model/reading/settings.h"
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
    WORKLOAD_STATEFUL = 1 << 6, // a StatefulSet with a volume a pod
};

struct workload { // a Deployment or StatefulSet "d<index>"
    uint32_t traits, replicas_max;
    const char *protection; // of WORKLOAD_PROTECTED
    int64_t cpu_millicores, memory_mib, start_seconds, stop_seconds;
    uint32_t zone;
};

struct pool { // a NodePool "p<index>"; the first takes every pod
    bool tainted, is_static;
    uint32_t weight, cpu_max, replicas, version;
    const char *policy, *capacity_type;      // capacity_type NULL: any
    const char *expire_after, *grace_period; // grace_period NULL: none
};

// The controller dies at one of its writes for a disruption command, before or after its effect.
struct ambush {
    uint32_t left; // writes to let pass; UINT32_MAX: no ambush
    bool after_effect;
};

struct soak_world {
    struct soak_options options;
    struct loop *loop;
    struct simulation *simulation;
    struct invariants *invariants;
    struct settings settings;
    struct ambush ambush;
    struct random random; // of continuous events; each action has its own
    struct workload workloads[SOAK_WORKLOADS_MAX];
    struct pool pools[SOAK_POOLS_MAX];
    uint32_t workloads_count, pools_count, daemon_sets_count, jobs_count;
    double cloud_fault_rate, boot_fault_rate;
    struct sim_faults api_faults;
    bool faults_on, cut;
    int64_t begun_ns;
    uint32_t nodes_most;   // largest number of machines at once
    int64_t class_changed; // instant: older machines have drifted
};

uint32_t soak_scaled(uint32_t per_size, uint32_t size);
// More than 50 nodes. Such a world is sized by the sum of its workloads, and a fault may strike
// many of its machines at once.
bool soak_is_large(uint32_t size);
// Number of machines that a fault strikes: up to a tenth of a large world's, one of the others'.
uint32_t soak_several(const struct soak_world *world, struct random *random);
// Draws the world from its seed.
void soak_world_draw(struct soak_world *world, struct random *random);

// A catalog without unused types; with `random`, some prices change by up to that many percent. The
// caller owns the reference.
const struct instance_type_catalog *soak_catalog(uint32_t price_factor_percent,
                                                 const struct instance_type_catalog *from,
                                                 struct random *random);

// Each creates the object, or restores its manifest. `random` draws the variable parts: limits,
// budgets, consolidateAfter of a pool; NULL: a pool without limits, whose budgets allow every
// disruption in time.
void soak_apply_class(struct soak_world *world);
void soak_apply_pool(struct soak_world *world, uint32_t index, struct random *random);
void soak_apply_workload(struct soak_world *world, uint32_t index, uint32_t replicas);
void soak_apply_daemon_set(struct soak_world *world, uint32_t index);
void soak_apply_job(struct soak_world *world, struct random *random);
// One budget or, rarely, two, which makes eviction impossible; NULL: one that allows everything.
void soak_apply_budget(struct soak_world *world, uint32_t workload, struct random *random);
void soak_apply_storage(struct soak_world *world);
void soak_delete_workload(struct soak_world *world, uint32_t index);
// The kind of a workload: "Deployment" or "StatefulSet".
const char *soak_workload_kind(const struct workload *workload);
bool soak_exists(struct soak_world *world, const char *api_version, const char *kind,
                 const char *namespace, const char *name);
void soak_delete(struct soak_world *world, const char *api_version, const char *kind,
                 const char *namespace, const char *name);

// Runs virtual time in steps and checks the invariants; false: a violation.
bool soak_pass(struct soak_world *world, int64_t nanoseconds);

// Faults of machines, provider, controller and connection.
void soak_vanish(struct soak_world *world, struct random *random);
void soak_interrupt(struct soak_world *world, struct random *random);
void soak_appear(struct soak_world *world, struct random *random);
void soak_change_kubelet(struct soak_world *world, struct random *random);
void soak_change_stock(struct soak_world *world, struct random *random);
void soak_change_prices(struct soak_world *world, struct random *random);
void soak_change_class(struct soak_world *world, struct random *random);
void soak_kill_controller(struct soak_world *world, struct random *random);
void soak_kill_at_any_event(struct soak_world *world, struct random *random);
void soak_lay_ambush(struct soak_world *world, struct random *random);
void soak_cut_off(struct soak_world *world, struct random *random);
void soak_throttle(struct soak_world *world, struct random *random);
void soak_jump_clock(struct soak_world *world, struct random *random);
// Whether the controller dies at this request; called before and after the effect.
bool soak_ambushed(struct soak_world *world, const struct kube_request *request, bool after_effect);

uint32_t soak_actions_count(const struct soak_world *world);
// Waits a while and performs an action; false: a violation.
bool soak_act(struct soak_world *world, uint32_t index);
// Ends all faults and every obstacle to settling.
void soak_calm(struct soak_world *world);
void soak_say(const struct soak_world *world, const char *format, ...) PRINTF_LIKE(2, 3);
