// Invariants of a simulated world (DIS-790 to DIS-795), checked from outside.
//
// The observer sees three things: every request of the controller, just before and just after it
// takes effect; every launch of a machine; and the store. It shares no code with the controller, so
// that one mistake cannot hide another. It recognizes the objects of a command by their annotation
// adze.dev/disruption-command. The first violation is kept; later ones are ignored.
//
//  1. a machine outlives its NodeClaim by no more than garbage collection takes; a NodeClaim has
//     one machine, a command no more replacements than it promised (DIS-724);
//  2. a launch never brings a NodePool over its limits, not counting the nodes that it replaces
//     (SCH-360, DIS-731);
//  3. no eviction brings a PodDisruptionBudget below its minimum, no pod is deleted without an
//     eviction before its node's deadline; no machine is terminated before its node's deadline
//     with pods on it that are not terminating. Voluntary disruption never exceeds the NodePool's
//     budgets when it begins (DIS-790), takes only nodes that its reason allows, without blocking
//     pods (DIS-791), and never the last ready pods of a workload beside others (DIS-761). Every
//     deletion of a NodeClaim has a reason;
//  4. no node is deleted before its replacements are initialized and ready (DIS-792); replacements
//     for cost are cheaper, and over a day consolidation saves more than it costs (DIS-795);
//  5. a command ends in time, and leaves nothing behind on nodes that stay (DIS-793);
//  6. no finalizer leaves a NodeClaim or Node while the machine exists;
//  8. the world settles: invariants_unsettled(), invariants_signature().
#pragma once

#include "sim/simulation.h"

struct invariants;

struct invariants_options {
    struct loop *loop; // borrowed
    // No watch is delayed: the controller's view is at most a moment old, and strict checks apply.
    bool faithful_watches;
    bool loses_requests;    // some requests end by the client's timeout of half a minute
    int64_t orphan_age_max; // how long a machine may be without NodeClaim while the controller
                            // lives
};
// Created before the simulation, whose hooks call it; starts to check with invariants_watch().
struct invariants *invariants_create(const struct invariants_options *options);
void invariants_watch(struct invariants *invariants, struct simulation *simulation);
void invariants_destroy(struct invariants *invariants); // before the simulation

// Hooks of the simulation.
void invariants_before_request(struct invariants *invariants, const struct kube_request *request);
void invariants_after_request(struct invariants *invariants, const struct kube_request *request);
void invariants_machine_launched(struct invariants *invariants, const struct sim_instance *machine);
// Changes by the test itself, announced before.
void invariants_machine_vanishes(struct invariants *invariants, const char *claim_uid);
// The controller is disconnected from the API server from now on; or connected again.
void invariants_blind(struct invariants *invariants, bool blind);
// The controller was killed and restarted.
void invariants_restarts(struct invariants *invariants);
void invariants_clock_jumps(struct invariants *invariants, int64_t nanoseconds);
// The machines' list prices have changed.
void invariants_prices_change(struct invariants *invariants);

// Call after every step of time.
void invariants_step(struct invariants *invariants);
const char *invariants_violation(const struct invariants *invariants); // NULL: none

// Numbers of checks: a run with all zero proves nothing.
struct invariants_counts {
    uint64_t launches, evictions, deletions, terminations, finalizers, orphans;
    // Disruption commands, their nodes by reason, and their replacements.
    uint64_t commands, empty_nodes, drifted_nodes, underutilized_nodes, replacements;
    uint64_t weighed; // consolidations whose saving was computed
};
void invariants_counts_add(struct invariants_counts *sum, const struct invariants_counts *counts);
const struct invariants_counts *invariants_counts(const struct invariants *invariants);

// True, with the reason in *why, if the world is not settled. Pods of DaemonSets may be pending: no
// component makes room for them.
bool invariants_unsettled(struct invariants *invariants, struct error *why);
// Changes with every change of the world except Events and Leases.
uint64_t invariants_signature(struct invariants *invariants);
