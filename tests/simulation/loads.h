// Loads of many Deployments in a simulated cluster with a faithful kube-scheduler: up, down, up
// again. Measures the results of plans: nodes, price, launches and evictions on the way.
#pragma once

#include "simulation/scenario.h"

struct load_figures { // at one moment
    double seconds;   // since the step began
    uint32_t pods, bound, nodes, going;
    double price;           // USD an hour, of all nodes
    double above;           // percent over a new plan for the pods, by the last comparison
    double cpu, memory;     // requests of bound pods / allocatable of nodes, percent
    uint32_t created, gone; // NodeClaims since the beginning
    uint32_t evicted, landed,
        kept;           // pods since the beginning: drained; planned and bound; bound as planned
    uint32_t times[4];  // evictions since the load changed, of pods whose predecessors were evicted
                        // 0, 1, 2, 3 or more times (lineage.h)
    uint32_t unplanned; // NodeClaims since the beginning for evicted pods that no command had
                        // planned
};

struct load; // Deployments of a world, and their sizes
// "two" and "thirty" are the loads of upstream's performance suite; a number is a seed that draws
// 20 to 40 Deployments.
struct load *load_create(const char *name);
void load_destroy(struct load *load);

// Applies the NodePool (consolidateAfter 30s, budget 100%) and the Deployments.
void load_apply(struct scenario *scenario, struct load *load);
// Scales every Deployment to its smaller size, or back.
void load_shrink(struct scenario *scenario, struct load *load);
void load_grow(struct scenario *scenario, struct load *load);
// All nodes drift: the NodePool's template changes.
void load_drift(struct scenario *scenario, struct load *load);
struct load_figures load_look(struct scenario *scenario, struct load *load);
// Runs until all pods that the Deployments want are there and bound, or the seconds are over.
struct load_figures load_bound(struct scenario *scenario, struct load *load, double seconds);
// Runs until no NodeClaim or Node came or went for `quiet` seconds, or the seconds are over; `last`
// gets the time of the last change.
struct load_figures load_quiet(struct scenario *scenario, struct load *load, double quiet,
                               double seconds, double *last);
