// The machines of a simulated world: a provider's data center.
//
// The park outlives the controller's process: a test may destroy the provider client (sim_cloud.h)
// and create a new one at any step, and every machine is still there. All delays and faults come
// from a seed and the loop.
#pragma once

#include "base/loop.h"
#include "cloud/port/cloud.h"

enum machine_phase { MACHINE_RUNNING, MACHINE_STOPPING, MACHINE_GONE };

struct sim_instance {
    struct machine facts; // labels, capacity, tags; provider_id "sim:///ZONE/i-..."
    enum machine_phase phase;
    const char *instance_type, *zone, *capacity_type;
    int64_t price;            // nano-USD an hour
    struct node_claim *claim; // as it was at creation; a reference
};

struct sim_instances_options {
    uint64_t seed;
    const struct instance_type_catalog *catalog; // a reference is taken
    int64_t stop_delay_min, stop_delay_max;      // from delete to gone; nanoseconds
    // Callbacks into the world: a machine was launched and will boot; a machine has stopped. May be
    // NULL.
    void (*launched)(void *context, const struct sim_instance *machine);
    void (*gone)(void *context, const struct sim_instance *machine);
    void *context;
};

struct sim_instances;
struct sim_instances *sim_instances_create(struct loop *loop,
                                           const struct sim_instances_options *options);
void sim_instances_destroy(struct sim_instances *park);
const struct instance_type_catalog *sim_instances_catalog(const struct sim_instances *park);
// Changes types or prices from now on; takes a reference. Machines keep their initial price.
// Notifies the listener, the current provider; NULL: none.
void sim_instances_set_catalog(struct sim_instances *park,
                               const struct instance_type_catalog *catalog);
void sim_instances_listen(struct sim_instances *park, void (*listed)(void *context), void *context);

// Sets the stock of a pool (type, zone, capacity type); NULL matches all. Default: unlimited (-1).
void sim_instances_stock(struct sim_instances *park, const char *instance_type, const char *zone,
                         const char *capacity_type, int64_t machines);
bool sim_instances_has_stock(const struct sim_instances *park, const char *instance_type,
                             const char *zone, const char *capacity_type);

// Launches a machine, or returns the existing one of the same claim UID (idempotent). Borrowed.
const struct sim_instance *sim_instances_launch(struct sim_instances *park,
                                                const struct node_claim *claim,
                                                const struct instance_type *type,
                                                const struct offering *offering);
// Begins to stop it; false if the machine does not exist (any more).
bool sim_instances_stop(struct sim_instances *park, const char *provider_id);
// Removes a machine at once, like a provider that reclaims it.
bool sim_instances_reclaim(struct sim_instances *park, const char *provider_id);

const struct sim_instance *sim_instances_find(const struct sim_instances *park,
                                              const char *provider_id); // running or stopping
const struct sim_instance *sim_instances_find_claim(const struct sim_instances *park,
                                                    const char *claim_uid);
// Running and stopping machines in order of launch; `index` from 0; NULL at the end.
const struct sim_instance *sim_instances_at(const struct sim_instances *park, uint32_t index);
uint32_t sim_instances_count(const struct sim_instances *park);    // running and stopping
uint64_t sim_instances_launches(const struct sim_instances *park); // ever
// A number that changes whenever a machine is launched, begins to stop, or is gone.
uint64_t sim_instances_version(const struct sim_instances *park);
int64_t sim_instances_price(const struct sim_instances *park); // running, nano-USD an hour
