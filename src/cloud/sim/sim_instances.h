// The machines of a simulated world: what would stand in a provider's data centre.
//
// The park outlives the controller's process: a test may destroy the provider client (sim_cloud.h)
// and make a new one at any step, and every machine is still there. All delays and faults come from
// a seed and the loop.
#pragma once

#include "base/loop.h"
#include "cloud/port/cloud.h"

enum machine_phase { MACHINE_RUNNING, MACHINE_STOPPING, MACHINE_GONE };

struct park_machine {
    struct machine facts; // labels, capacity, tags; provider_id "sim:///ZONE/i-..."
    enum machine_phase phase;
    const char *instance_type, *zone, *capacity_type;
    int64_t price;            // nano-USD an hour
    struct node_claim *claim; // as it was at creation; a reference
};

struct machine_park_options {
    uint64_t seed;
    const struct instance_type_catalog *catalog; // a reference is taken
    int64_t stop_delay_min, stop_delay_max;      // from delete to gone; nanoseconds
    // The rest of the world: a machine was launched and will boot; a machine has stopped. May be
    // NULL.
    void (*launched)(void *context, const struct park_machine *machine);
    void (*gone)(void *context, const struct park_machine *machine);
    void *context;
};

struct machine_park;
struct machine_park *machine_park_create(struct loop *loop,
                                         const struct machine_park_options *options);
void machine_park_destroy(struct machine_park *park);
const struct instance_type_catalog *machine_park_catalog(const struct machine_park *park);
// Other types or prices from now on; a reference is taken. Machines keep the price that they began
// with. The listener, the provider of the moment, is told; NULL: nobody listens.
void machine_park_set_catalog(struct machine_park *park,
                              const struct instance_type_catalog *catalog);
void machine_park_listen(struct machine_park *park, void (*listed)(void *context), void *context);

// Stock of a pool (type, zone, capacity type); any of them NULL: all. Default: unlimited (-1).
void machine_park_stock(struct machine_park *park, const char *instance_type, const char *zone,
                        const char *capacity_type, int64_t machines);
bool machine_park_has_stock(const struct machine_park *park, const char *instance_type,
                            const char *zone, const char *capacity_type);

// Launches one; the machine of the same claim UID if there is one already (idempotent). Borrowed.
const struct park_machine *machine_park_launch(struct machine_park *park,
                                               const struct node_claim *claim,
                                               const struct instance_type *type,
                                               const struct offering *offering);
// Begins to stop it; false if there is no such machine (any more).
bool machine_park_stop(struct machine_park *park, const char *provider_id);
// Takes a machine away at once, as a provider that reclaims it.
bool machine_park_reclaim(struct machine_park *park, const char *provider_id);

const struct park_machine *machine_park_find(const struct machine_park *park,
                                             const char *provider_id); // running or stopping
const struct park_machine *machine_park_find_claim(const struct machine_park *park,
                                                   const char *claim_uid);
// Running and stopping machines in order of launch; `index` from 0; NULL at the end.
const struct park_machine *machine_park_at(const struct machine_park *park, uint32_t index);
uint32_t machine_park_count(const struct machine_park *park);    // running and stopping
uint64_t machine_park_launches(const struct machine_park *park); // ever
// Another number whenever a machine was launched, told to stop, or has gone.
uint64_t machine_park_version(const struct machine_park *park);
int64_t machine_park_price(const struct machine_park *park); // running, nano-USD an hour
