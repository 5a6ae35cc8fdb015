// A whole simulated world: embedded cluster, machines, provider and controller, on one loop.
//
// Tests run it on a virtual loop: the seed determines everything, the controller may be killed and
// started again at any step, and the invariants (tests/simulation/invariants.h) are checked as it
// goes. On a real loop it is `adze demo`.
#pragma once

#include "control/controller.h"
#include "sim/apiserver/api_server.h"
#include "sim/simulation_options.h"
#include "sim/store/store.h"

struct aws_account;
struct simulation;
struct simulation *simulation_create(const struct simulation_options *options);
void simulation_destroy(struct simulation *simulation);

struct store *simulation_store(struct simulation *simulation);
struct api_server *simulation_api(struct simulation *simulation);
struct world *simulation_world(struct simulation *simulation);
struct sim_instances *simulation_park(struct simulation *simulation);    // NULL: AWS
struct aws_account *simulation_account(struct simulation *simulation);   // NULL: not AWS
struct controller *simulation_controller(struct simulation *simulation); // NULL while it is dead
struct metrics *simulation_metrics(struct simulation *simulation);       // NULL while it is dead

// The controller's process begins, and ends without notice (as by SIGKILL).
void simulation_start_controller(struct simulation *simulation);
// The same in two steps: first a replica that only watches, as while another one has the lease;
// then it leads.
void simulation_start_standby(struct simulation *simulation);
void simulation_lead(struct simulation *simulation);
void simulation_kill_controller(struct simulation *simulation);
// Sets the random faults of requests from now on, in this life of the controller and in later ones.
void simulation_set_api_faults(struct simulation *simulation, const struct sim_faults *faults);
// Cuts the living controller off the API server, or ends the cut (sim_transport_cut()); a later
// life is connected.
void simulation_cut_api(struct simulation *simulation, bool cut);

// Creates the object or merges it into the existing one, as `kubectl apply`.
bool simulation_apply_object(struct simulation *simulation, json_t *object,
                             struct error *error) MUST_USE;
// Creates or replaces the objects of a manifest (YAML or JSON, several documents), as `kubectl
// apply`.
bool simulation_apply(struct simulation *simulation, const char *manifest,
                      struct error *error) MUST_USE;
bool simulation_scale(struct simulation *simulation, const char *deployment, int64_t replicas,
                      struct error *error) MUST_USE;
bool simulation_delete(struct simulation *simulation, const char *api_version, const char *kind,
                       const char *namespace, const char *name, struct error *error) MUST_USE;

// In order of launch, `index` from 0; false at the end.
bool simulation_machine_at(struct simulation *simulation, uint32_t index,
                           struct simulation_machine *machine);
int64_t simulation_price(struct simulation *simulation); // of all of them, nano-USD an hour

// --- looking -------------------------------------------------------------------------------------
uint32_t simulation_count(struct simulation *simulation, const char *api_version, const char *kind);
uint32_t simulation_pods_running(struct simulation *simulation);
// No pod is pending, every NodeClaim is initialized, nothing is being deleted, one machine a claim.
bool simulation_is_settled(struct simulation *simulation);

// Checks invariants; false with the first violation in *error. Cheap enough to call after every
// step. Violations:
//  - a machine without NodeClaim older than the garbage-collection interval;
//  - a NodeClaim that is gone while its machine is running (invariant 6);
//  - a Node whose machine has been gone for longer than its removal may take.
bool simulation_check(struct simulation *simulation, struct error *error) MUST_USE;
