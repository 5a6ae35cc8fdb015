// One pass: pods of a problem find places on nodes and claims (SCH-50, SCH-150 to SCH-262).
//
// A pass owns everything that changes while placing: what is free on nodes, the claims, the counts
// of rules between pods. Several passes can run over one problem, one after the other.
#pragma once

#include <assert.h>

#include "engine/pass/growing_bits.h"
#include "engine/pass/pass_input.h"
#include "engine/pods/classes.h"
#include "engine/problem/problem.h"

// --- counts of rules between pods (topology.h) ---------------------------------------------------
struct domain;
struct group_base;
struct topology_choice;
struct group_state {
    const struct group_definition *definition;
    uint32_t id;
    // Of hostnames: what counts of the domains that `domains` does not have; else NULL.
    const struct group_base *base;
    VECTOR(struct domain) domains; // known ones; of hostnames those that the pass has changed
    struct memo index;             // value -> position; of a group with few domains empty
    uint32_t nonempty;             // domains with a count
    // How many pods of the queue without a place own the group, or are selected by it.
    uint32_t owners_waiting, selected_waiting;
    struct memo owned; // (value, 0): domains where pods of this pass own the spread (SCH-516)
    bool has_owners;
    // Spread over hostnames (SCH-513): nodes and claims before these have pods or do not count.
    uint32_t node_at, claim_at;
    bool node_known; // some eligible node was among those
    int64_t minimum; // at version + 1 == minimum_version
    uint64_t minimum_version;
};
struct group_list {
    uint32_t *items; // group ids
    uint32_t count, capacity;
};
// What a pass knows of a class.
struct class_state {
    bool prepared;
    struct group_list hostname_groups, domain_groups; // owned and inverse ones, sorted; the
                                                      // latter with the groups of a key together
    struct group_list
        inverse_spreads;        // strict spreads of other classes that count the class (SCH-516)
    struct group_list counting; // groups that what is left open of a claim may matter to (SCH-511)
    struct topology_choice *choice;
    struct bitset refused_nodes;        // by rules between pods, for good; no bits: none was asked
    struct growing_bits refused_claims; // the same
    uint64_t failed_version;            // pass->version + 1 at which nothing took it; 0: never
    VECTOR(uint32_t) open_claims;       // not refused for good when last looked at, in no order
    uint32_t listed_claims;             // claims with a lower index were put into that list once
    bool hopeless;                      // nothing will ever take it in this pass
    bool changing;               // of an unrelaxed class: what it can get does not only shrink
    uint32_t settled;            // the relaxed class that its last pod took, + 1
    bool shared;                 // refused_nodes has what is known of all passes
    bool limited;                // it failed where a limit or reservation mattered
    bool depends_on_others;      // a rule that other pods' placement can satisfy
    uint32_t combinations_spent; // of an unrelaxed class: of pass->combinations_spent
};
struct shape_state {
    struct bitset refused_nodes;        // for good; no bits: none was asked
    struct growing_bits refused_claims; // the same
    uint32_t first_node;                // word of refused_nodes; all before are refused
    bool shared;                        // refused_nodes has what is known of all passes
};

// --- nodes and claims ----------------------------------------------------------------------------
struct pod_list {
    uint32_t *items; // indexes into pass->queue
    uint32_t count, capacity;
};
struct node_slot { // state of a node in this pass
    bool usable;   // part of the pass
    bool changed;  // `free` is its own copy
    int64_t *free;
    struct pod_list pods;
    VECTOR(struct host_port) ports;
    VECTOR(struct volume_use) volumes;
};
struct claim { // SCH-211
    struct node_template *template;
    uint32_t index, set;
    uint32_t hostname; // placeholder value
    struct bitset rows;
    int64_t *requests;
    struct pod_list pods;
    VECTOR(struct host_port) ports;
    struct bitset reservations; // held
    uint32_t previous, next;    // in the list of its number of pods
    int64_t order;              // among claims with as many pods: lower ones come first
    uint32_t final_set;         // after SCH-261
    bool min_values_relaxed;
    VECTOR(struct volume_use) volumes;
    int64_t *taken; // of the pool's limits, by dimension; NULL: there are none (SCH-519)
    // What else it could become, as long as no rule between pods asks: `set` and `rows` are the
    // cheapest of all (SCH-508).
    struct claim_branch {
        uint32_t set;
        struct bitset rows;
    } * branches;
    uint32_t branches_count;
    VECTOR(struct claim_share { // pods by workload, where that is bounded (SCH-521)
        uint32_t workload;
        uint32_t count;
    })
    shares;
};
#define BRANCHES_MAX 8 // ways that are kept open, the cheapest
struct placement {     // where a pod of the queue is
    enum { NOT_PLACED, ON_NODE, ON_CLAIM } kind;
    uint32_t index;
    uint32_t class; // as relaxed as it was placed
    bool tried;     // it had its turn (SCH-53)
    uint64_t order; // how many placements came before
};

// Refusals: what is known about later attempts.
enum verdict { ACCEPTED, REFUSED_NOW, REFUSED_CLASS, REFUSED_SHAPE };

struct claim_attempt { // what a claim would be with one pod more
    uint32_t set;
    struct bitset rows, reservations;
    bool min_values_relaxed;
    uint32_t others_count; // further ways, in pass->choices.items from 1 on
};
struct claim_choice {
    struct claim_attempt attempt;
    int64_t price; // of the cheapest machine
};

// What a pass keeps by identifier. It is as large as the problem, so that passes hand it on: each
// cleans up what it used (DIS-703). Owned by the problem while no pass has it.
struct pass_workspace {
    struct pass_workspace *next; // idle ones
    struct node_slot *slots;
    bool soft_taints;
    VECTOR(struct class_state *) classes; // NULL: not needed yet
    VECTOR(struct shape_state *) shapes;  // the same
    VECTOR(struct group_state *) groups;  // by definition id; the same
    VECTOR(uint32_t) used_classes, used_shapes, used_groups;
    struct group_list *selecting; // by identity: normal groups that select it
    struct group_list *repelling; // by identity: inverse groups that select it
    uint32_t identities;
    struct bitset scheduled; // bound pods that are scheduled in the pass that has the workspace
    struct arena *arena;     // the pass's own; empty while no pass has it
};

// Claims by number of pods, in the order in which they are tried (claim_order.h).
struct pass_claim_order {
    VECTOR(uint32_t) first_with, last_with; // by number of pods: index + 1
    int64_t front, back;                    // orders given so far at either end
};
// What pods of the queue ask for of labels (topology_decide.h).
struct pass_asked {
    struct memo launchable; // (key, value) -> whether some pod of the queue could be launched there
    struct memo pods;       // (key, value) -> how many pods of the queue ask for it
    bool pods_known;
};
// Pods that share existing nodes beyond maxSkew's first round (SCH-513).
struct pass_doubling {
    bool active;
    bool awaited;             // some pod waits for it
    struct group_list groups; // spreads some of whose pods shared nodes so
};
enum placing {
    PLACE,
    PLACE_PROBE,   // place_*() say what they would do, and do nothing
    PLACE_EXPLAIN, // checks tell why they refuse; nothing is placed
};
// How the pod whose turn it is is placed.
struct pass_current {
    enum placing mode;
    bool last_resort;       // retry.nodes_last is over for the pod
    bool avoids_inverse;    // only what breaks no spread of others (topology_inverse_spread.h)
    uint32_t inverse_tries; // among nodes or claims
    uint32_t required_set;  // pass_required_set()
    int64_t probed_price;   // of the claim that a probe would have opened
};
// Outcome of the last attempt or check.
struct pass_last {
    bool limited;         // a limit has narrowed a check
    bool reserved_error;  // the last attempt ended as SCH-258 says
    bool refused_for_now; // the last check failed by what other claims may give back
};
// Texts of refusals (refusal.h).
struct pass_refusal {
    struct text *why;      // set: the next checks tell why they refuse
    enum reason_code code; // with `why`: the last refusal's
    VECTOR(struct template_refusal {
        uint32_t template;
        enum reason_code code;
        char *text;
    })
    templates; // with `why`: of the last attempt
};
struct pass_scratch {
    int64_t *total;
    int64_t *zero;                     // a vector of nothing
    struct bitset fitting, fresh_rows; // as wide as the widest table
    struct claim_attempt attempt, trial;
};
// Of the last check, the cheapest first.
struct pass_choices {
    struct claim_choice items[BRANCHES_MAX];
    uint32_t count;
};
struct pass {
    struct problem *problem;
    struct pass_input input; // what it points to outlives the pass
    struct arena *arena;
    struct pass_workspace *work;
    struct node_slot *slots;  // of `work`
    VECTOR(uint32_t) touched; // nodes with pods
    VECTOR(struct claim *) claims;
    struct pass_claim_order claim_order;
    struct placement *placements; // by queue index
    struct bitset identities;     // of the queue's pods
    int64_t **remaining;          // by template: limits left (SCH-360); NULL: none
    int64_t *reserved_left;       // by reservation
    uint64_t version;             // grows with every placement
    struct pass_current current;
    struct pass_last last;
    struct pass_refusal refusal;
    struct pass_scratch scratch;
    struct pass_choices choices;
    struct pass_doubling doubling;
    struct pass_asked asked;
    struct growing_bits exclusive; // volume claims that no other pod may use (SCH-515)
    bool soft_taints;              // some node has a PreferNoSchedule taint
    uint32_t combinations_spent;   // on domains, beyond the first of each check (topology.c)
    uint32_t next_hostname, next_hostname_index; // of the next claim, and its index + 1
    int64_t lower_bound; // of the price, nano-USD an hour (SCH-550 step 10); 0: unknown
};

static inline const struct queued_pod *pass_pod(const struct pass *pass, uint32_t index)
{
    return &pass->input.queue[index];
}
// What the pod's claim must meet beside what the pod asks for.
static inline uint32_t pass_required_set(const struct pass *pass, uint32_t pod)
{
    return pass->input.alternative.required_sets != NULL
               ? pass->input.alternative.required_sets[pass_pod(pass, pod)->origin]
               : SET_EMPTY;
}
// The node takes no part: it is excluded, or marked for deletion.
static inline bool pass_is_without(const struct pass *pass, uint32_t node)
{
    return !pass->slots[node].usable;
}
struct class_state *pass_class(struct pass *pass, uint32_t class);
struct shape_state *pass_shape(struct pass *pass, uint32_t shape);
void group_list_add(struct group_list *list, uint32_t group);
void group_list_push(struct group_list *list, uint32_t group); // one that is not in it
void pod_list_add(struct pod_list *list, uint32_t pod);
