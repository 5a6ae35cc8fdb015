// The machines of a simulated world: the park of the provider `sim`, or a simulated AWS account for
// the provider `aws`. They outlive the controller's process.
#pragma once

#include "base/map.h"
#include "cloud/port/provider.h"
#include "sim/simulation_options.h"

struct simulation_machines;
// NULL with the error: the AWS account's folder cannot be read. `settings` outlives the machines.
struct simulation_machines *simulation_machines_create(const struct simulation_options *options,
                                                       struct random *random, struct error *error);
void simulation_machines_destroy(struct simulation_machines *machines); // NULL is fine
// Machines boot in this world; call it before the first launch.
void simulation_machines_join(struct simulation_machines *machines, struct world *world);

// The provider of one life of the controller.
struct cloud *simulation_machines_connect(struct simulation_machines *machines,
                                          const struct provider_environment *environment);
enum kind_id simulation_machines_node_class(const struct simulation_machines *machines);

uint32_t simulation_machines_count(const struct simulation_machines *machines);
bool simulation_machines_at(const struct simulation_machines *machines, uint32_t index,
                            struct simulation_machine *machine);
// `claims`: JSON of all NodeClaims by UID. False: a machine has been without one for too long.
bool simulation_machines_check(struct simulation_machines *machines, struct map *claims,
                               struct error *error) MUST_USE;

struct sim_instances *simulation_machines_park(struct simulation_machines *machines);  // or NULL
struct aws_account *simulation_machines_account(struct simulation_machines *machines); // or NULL
