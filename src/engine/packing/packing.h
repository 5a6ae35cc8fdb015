// The parts of the LowestPrice packer (pack_lowest_price.c; SCH-500, SCH-550 to SCH-553).
//
// A finished greedy pass says which pods need new nodes, on which pools, and in which domain each
// rule between pods wants them. The packer keeps those answers and packs the pods anew. Pods that
// it cannot tell apart form an *item*. A list of *machines* holds what a node with given
// requirements can be and is worth buying, the cheapest first. A *bin* is a node to be: a list of
// machines and counts of items. A linear program (column_generation.h) says what pods are worth;
// bins are filled (packing_fill.h), improved (packing_improve.h), and placed pod by pod by the
// ordinary pass (packing_replay.h), which checks every rule again. Bounded by counted steps, never
// by time.
//
// Lifetime: one computation; everything is in the packing's arena unless said otherwise.
#pragma once

#include "base/random.h"
#include "engine/pass/pass_state.h"

// --- machines ------------------------------------------------------------------------------------
struct packing_machine {
    uint32_t row;
    int64_t price;       // what it counts as, nano-USD an hour (SCH-503, SCH-507)
    const int64_t *room; // by packing dimension: allocatable less DaemonSets
};
struct packing_machines { // of one template and requirement set
    uint32_t index;
    const struct node_template *template;
    uint32_t set;
    struct packing_machine *items; // ascending by price; none has a cheaper one with as much room
    uint32_t count;
    int64_t *prices;    // by row, really; INT64_MAX: not for sale
    struct bitset sold; // rows
    uint32_t sold_count;
    double *worth;  // by machine: of the contents when it was last filled with the best; 0: never
    double *bounds; // by machine: what it is worth at most, when last looked at
    struct packing_list { // items that fit the empty machine; NULL: not yet known
        uint32_t *items, count;
    } * fitting; // by machine
};

// --- pods ----------------------------------------------------------------------------------------
// What an item means to a rule about one node: it adds `adds` pods to the group's count there, and
// bears at most `limit` of them.
struct packing_rule {
    uint32_t group;
    int32_t adds, limit;
};
#define PACKING_NO_LIMIT INT32_MAX
// Templates that items may use: those of one weight (SCH-221, SCH-506).
struct packing_template_choice {
    uint32_t *templates;
    uint32_t count;
};
// Items of the same choice of templates and requirements.
struct packing_item_group {
    uint32_t template_choice, set, pins;
    uint32_t base_group; // index into base_groups
};
// The same without what the greedy pass decided about domains: the rows of the linear program.
struct packing_base_group {
    uint32_t template_choice, set;
    uint32_t loose; // the set without what it chose among alternatives
};
struct packing_item {
    uint32_t item_group;
    const int64_t *need; // of one unit, by packing dimension
    struct packing_rule *rules;
    uint32_t rules_count;
    struct host_ports ports;
    uint32_t unit;  // pods that belong together: more than one if an affinity ties them to one node
    uint32_t count; // units
    VECTOR(uint32_t) pods; // queue indexes in the order in which greedy placed them; heap
    uint32_t taken;        // units handed out by the replay
    bool sampled;          // the linear program fills machines with it
    bool stands_for_all;   // no item before it has the same need and base group
    uint32_t alike;        // units of all such items that one machine may hold, room aside
    double value;          // of one unit, nano-USD an hour
};

// --- nodes to be ---------------------------------------------------------------------------------
struct packing_content {
    uint32_t item, units;
};
struct packing_bin {
    const struct packing_machines *machines;
    uint32_t machine;                        // the cheapest with enough room
    uint32_t pins;                           // domains that its pods need
    int64_t *used;                           // by packing dimension
    VECTOR(struct packing_content) contents; // heap, like the next ones
    VECTOR(struct packing_rule) rules;       // `adds` so far, lowest `limit`
    VECTOR(struct host_port) ports;
    double value; // of its contents
};

// Volumes of a CSI driver that machines limit (SCH-353) are a dimension too: its symbol, from here
// on.
#define PACKING_VOLUMES 0x80000000u

struct packing {
    struct problem *problem;
    const struct pass *greedy;
    struct arena *arena;
    uint32_t *dimensions; // dimensions of the problem that some pod asks for, then drivers
    uint32_t dimensions_count;
    struct memo volume_users; // (volume claim, driver): 1 for one pod of the pass, 2 for more
    VECTOR(struct packing_template_choice) template_choices;
    VECTOR(struct packing_machines *) machine_lists;
    uint32_t base_machines_count; // the first ones: those of the base groups
    struct memo machines_index;   // (template, set)
    struct memo narrowed; // (machines, item group): machines with the item group's requirements too
    VECTOR(struct packing_item_group) item_groups;
    VECTOR(struct packing_base_group) base_groups;
    VECTOR(struct packing_item) items;
    VECTOR(struct packing_bin *) bins;
    VECTOR(uint32_t) kept;         // claims of the greedy pass that stay as they are
    uint32_t *left;                // by item: units that are in no bin
    int64_t **limits;              // by template: what bins may still use; NULL: no limits
    int64_t lower_bound;           // nano-USD an hour of all bins; 0: unknown
    double margin;                 // what flexibility may cost (SCH-503)
    double price_scale;            // nano-USD an hour: about what all bins will cost (node_cost.h)
    bool margin_counted;           // some machine counts for more because of it
    int64_t *asked;                // scratch: by dimension of the problem
    struct bitset rows;            // scratch
    double *tilt;                  // by dimension: how much the filling cares for it; 1 by default
    struct packing_filler *filler; // packing_fill.c; NULL until needed
    uint64_t steps, steps_max;
    uint64_t search_nodes; // of one search for a filling
};

// Nano-USD an hour.
static inline int64_t packing_bin_price(const struct packing_bin *bin)
{
    return bin->machines->items[bin->machine].price;
}
