// The parts of the LowestPrice packer (pack_lowest_price.c; SCH-500, SCH-550 to SCH-553).
//
// A finished greedy pass tells which pods need new nodes, on which pools, and in which domain each
// rule between pods puts them. The packer keeps these decisions and packs the pods again. Pods that
// it cannot tell apart form an *item*. A list of *machines* holds the machines worth buying for a
// node with given requirements, the cheapest first. A *bin* is a planned node: a list of machines
// and counts of items. A linear program (column_generation.h) values the pods. Bins are filled
// (packing_fill.h), improved (packing_improve.h), and placed pod by pod by the ordinary pass
// (packing_replay.h), which checks every rule again. Bounded by counted steps, never by time.
//
// Lifetime: one computation; everything lives in the packing's arena unless stated otherwise.
#pragma once

#include "base/random.h"
#include "engine/pass/pass_state.h"

// --- machines ------------------------------------------------------------------------------------
struct packing_machine { // a burstable row is several: with less cpu it costs less
    uint32_t row;
    int64_t price;       // comparison price, nano-USD an hour (SCH-503, SCH-507)
    const int64_t *room; // by packing dimension: allocatable less DaemonSets
};
struct packing_machines { // of one template and requirement set
    uint32_t index;
    const struct node_template *template;
    uint32_t set;
    struct packing_machine *items; // ascending by price; no cheaper one has as much room
    uint32_t count;
    int64_t *prices;    // actual prices by row; INT64_MAX: not for sale
    struct bitset sold; // rows
    uint32_t sold_count;
    double *worth;        // by machine: value of its last filling with the best items; 0: none yet
    double *bounds;       // by machine: the last upper bound of its value
    struct packing_list { // items that fit the empty machine; NULL: not computed yet
        uint32_t *items, count;
    } * fitting; // by machine
};

// --- pods ----------------------------------------------------------------------------------------
// An item under a rule about one node: a unit adds `adds` pods to the group's count there, and a
// node with it may have at most `limit`.
struct packing_rule {
    uint32_t group;
    int32_t adds, limit;
};
#define PACKING_NO_LIMIT INT32_MAX
// Templates that items may use: pools of one weight (SCH-221, SCH-506).
struct packing_template_choice {
    uint32_t *templates;
    uint32_t count;
};
// Items with the same choice of templates and the same requirements.
struct packing_item_group {
    uint32_t template_choice, set, pins;
    uint32_t base_group; // index into base_groups
};
// The same without the greedy pass's decisions about domains; rows of the linear program.
struct packing_base_group {
    uint32_t template_choice, set;
    uint32_t loose; // the set without chosen alternatives
};
struct packing_item {
    uint32_t item_group;
    const int64_t *need; // of one unit, by packing dimension
    struct packing_rule *rules;
    uint32_t rules_count;
    struct host_ports ports;
    uint32_t unit;         // pods a unit: more than one if an affinity ties them to one node
    uint32_t count;        // units
    VECTOR(uint32_t) pods; // queue indexes in the order of the greedy placements; heap
    uint32_t taken;        // units handed out by the replay
    bool sampled;          // the linear program fills machines with it
    bool stands_for_all;   // first item with its need and base group
    uint32_t alike;        // units of all such items that fit one machine, room aside
    double value;          // of one unit, nano-USD an hour
};

// --- planned nodes -------------------------------------------------------------------------------
struct packing_content {
    uint32_t item, units;
};
struct packing_bin {
    const struct packing_machines *machines;
    uint32_t machine;                        // the cheapest with enough room
    uint32_t pins;                           // domains that its pods require
    int64_t *used;                           // by packing dimension
    VECTOR(struct packing_content) contents; // heap, like the next two
    VECTOR(struct packing_rule) rules;       // `adds` so far, lowest `limit`
    VECTOR(struct host_port) ports;
    double value; // of its contents
};

// Volumes of a limited CSI driver (SCH-353) are a dimension, too: the driver's symbol, from this
// number on.
#define PACKING_VOLUMES 0x80000000u

struct packing {
    struct problem *problem;
    const struct pass *greedy;
    struct arena *arena;
    uint32_t *dimensions; // dimensions of the problem that pods request, then drivers
    uint32_t dimensions_count;
    // (volume claim, driver): 1 if one pod of the pass uses it, 2 if several do.
    struct memo volume_users;
    VECTOR(struct packing_template_choice) template_choices;
    VECTOR(struct packing_machines *) machine_lists;
    uint32_t base_machines_count; // the first lists: those of the base groups
    struct memo machines_index;   // (template, set)
    // (machines, item group): machines narrowed to the item group's requirements.
    struct memo narrowed;
    VECTOR(struct packing_item_group) item_groups;
    VECTOR(struct packing_base_group) base_groups;
    VECTOR(struct packing_item) items;
    VECTOR(struct packing_bin *) bins;
    VECTOR(uint32_t) kept;         // claims of the greedy pass that are not repacked
    uint32_t *left;                // by item: units in no bin
    int64_t **limits;              // by template: remaining limits; NULL: no limits
    int64_t lower_bound;           // nano-USD an hour of all bins; 0: unknown
    double margin;                 // price of flexibility (SCH-503)
    double price_scale;            // nano-USD an hour: estimated price of all bins (node_cost.h)
    bool dived;                    // packing_dive() has packed everything
    bool margin_counted;           // the margin has raised some machine's price
    int64_t *asked;                // scratch: by dimension of the problem
    struct bitset rows;            // scratch
    double *tilt;                  // by dimension: its weight in fillings; 1 by default
    struct packing_filler *filler; // packing_fill.c; NULL until needed
    uint64_t steps, steps_max;
    uint64_t search_nodes; // of one search for a filling
};

// Nano-USD an hour.
static inline int64_t packing_bin_price(const struct packing_bin *bin)
{
    return bin->machines->items[bin->machine].price;
}
