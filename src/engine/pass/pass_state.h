// One pass: places the pods of a problem on nodes and claims (SCH-50, SCH-150 to SCH-262).
//
// A pass owns everything that changes while placing: free resources of nodes, claims, counts of
// rules between pods. Several passes may run over one problem, one after the other.
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
    // For hostname groups: the counts of domains that are not in `domains`; else NULL.
    const struct group_base *base;
    VECTOR(struct domain)
    domains;           // known domains; for hostname groups only those that the pass has changed
    struct memo index; // value -> position; empty for a group with few domains
    uint32_t nonempty; // domains with a count
    VECTOR(struct domain) staying; // of these counts, pods that leave in their turn
    // Unplaced pods of the queue that own the group, or that it selects.
    uint32_t owners_waiting, selected_waiting;
    struct memo owned; // (value, 0): domains where pods of this pass own the spread (SCH-516)
    bool has_owners;
    // Spread over hostnames (SCH-513): lower nodes and claims have pods or do not count.
    uint32_t node_at, claim_at;
    bool node_known; // one of those nodes is eligible
    int64_t minimum; // at version + 1 == minimum_version
    uint64_t minimum_version;
};
struct group_list {
    uint32_t *items; // group ids
    uint32_t count, capacity;
};
// State of a class in a pass.
struct class_state {
    bool prepared;
    struct group_list hostname_groups, domain_groups; // owned and inverse ones, sorted; in the
                                                      // latter the groups of a key are together
    // Strict spreads of other classes that count this class (SCH-516).
    struct group_list inverse_spreads;
    struct group_list counting; // groups that depend on domains which a claim leaves open (SCH-511)
    struct topology_choice *choice;
    struct bitset refused_nodes; // by rules between pods, for good; no bits: no node was checked
    struct growing_bits refused_claims; // by rules between pods, for good
    uint64_t failed_version;      // pass->version + 1 at which no placement was found; 0: never
    VECTOR(uint32_t) open_claims; // not refused for good at the last check, unordered
    uint32_t listed_claims;       // claims with a lower index have been considered for that list
    bool hopeless;                // no placement is possible in this pass any more
    bool changing;                // of an unrelaxed class: its options may grow during the pass
    uint32_t settled;             // the relaxed class of its pod placed last, + 1
    bool shared;                  // refused_nodes includes the shared refusals of all passes
    bool limited;                 // a limit or reservation was involved when it failed
    bool depends_on_others;       // it has a rule that placing other pods can satisfy
    uint32_t combinations_spent;  // of an unrelaxed class: its part of pass->combinations_spent
};
struct shape_state {
    struct bitset refused_nodes;        // for good; no bits: no node was checked
    struct growing_bits refused_claims; // for good
    uint32_t first_node;                // word of refused_nodes; all words before are full
    bool shared;                        // refused_nodes includes the shared refusals of all passes
};

// --- nodes and claims ----------------------------------------------------------------------------
struct pod_list {
    uint32_t *items; // indexes into pass->queue
    uint32_t count, capacity;
};
struct node_slot { // state of a node in this pass
    bool usable;   // part of the pass
    bool changed;  // `free` is the pass's copy
    int64_t *free;
    struct pod_list pods;
    VECTOR(struct host_port) ports;
    VECTOR(struct volume_use) volumes;
    struct device_usage *devices; // the pass's copy; NULL: as compiled (place_devices.h)
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
    uint32_t previous, next;    // neighbors in the list of claims with as many pods
    int64_t order;              // among claims with as many pods: lower ones first
    uint32_t final_set;         // after SCH-261
    bool min_values_relaxed;
    VECTOR(struct volume_use) volumes;
    int64_t *taken; // of the pool's limits, by dimension; NULL: no limits (SCH-519)
    // Other machines that the claim may still become, until a rule between pods decides: `set` and
    // `rows` are the cheapest of all (SCH-508).
    struct claim_branch {
        uint32_t set;
        struct bitset rows;
    } * branches;
    uint32_t branches_count;
    VECTOR(struct claim_share { // pods by workload, where bounded (SCH-521)
        uint32_t workload;
        uint32_t count;
    })
    shares;
    struct claim_device_state *devices; // NULL: no pod claims any (place_devices.h)
};
#define BRANCHES_MAX 8 // open alternatives of a claim: the cheapest
struct placement {     // the placement of one pod of the queue
    enum { NOT_PLACED, ON_NODE, ON_CLAIM } kind;
    uint32_t index;
    uint32_t class; // the class as relaxed at placement
    bool tried;     // it has been tried (SCH-53)
    uint64_t order; // number of earlier placements
};

// The result of a check, and how far a refusal holds for later attempts.
enum verdict { ACCEPTED, REFUSED_NOW, REFUSED_CLASS, REFUSED_SHAPE };

struct claim_attempt { // a claim as it would be with one more pod
    uint32_t set;
    struct bitset rows, reservations;
    int64_t cpu; // millicores that its pods request
    bool min_values_relaxed;
    uint32_t others_count; // further alternatives, in pass->choices.items from 1 on
};
struct claim_choice {
    struct claim_attempt attempt;
    int64_t price; // of the cheapest machine
};

// Per-identifier state of a pass. It is as large as the problem, so passes reuse it: each cleans up
// what it used (DIS-703). Owned by the problem while no pass has it.
struct pass_workspace {
    struct pass_workspace *next; // the next idle one
    struct node_slot *slots;
    bool soft_taints;
    VECTOR(struct class_state *) classes; // NULL: not used yet
    VECTOR(struct shape_state *) shapes;  // NULL: not used yet
    VECTOR(struct group_state *) groups;  // by definition id; NULL: not used yet
    VECTOR(uint32_t) used_classes, used_shapes, used_groups;
    struct group_list *selecting; // by identity: normal groups that select it
    struct group_list *repelling; // by identity: inverse groups that select it
    uint32_t identities;
    struct bitset scheduled; // bound pods that the current pass schedules
    struct arena *arena;     // the pass's own; empty while no pass has it
};

// Claims by number of pods, in the order of attempts (claim_order.h).
struct pass_claim_order {
    VECTOR(uint32_t) first_with, last_with; // by number of pods: index + 1
    int64_t front, back;                    // how many claims were put at the front and at the back
};
// Label requirements of the pods of the queue (topology_decide.h).
struct pass_asked {
    struct memo launchable; // (key, value) -> whether some pod of the queue can be launched there
    struct memo pods;       // (key, value) -> number of pods of the queue that require it
    bool pods_known;
};
// Pods that share existing nodes beyond maxSkew's first round (SCH-513).
struct pass_doubling {
    bool active;
    bool awaited;             // some pod depends on it
    struct group_list groups; // spreads whose pods have shared a node this way
};
enum placing {
    PLACE,
    PLACE_PROBE,   // place_*() report a placement without making it
    PLACE_EXPLAIN, // checks report why they refuse; nothing is placed
};
// State of the pod being placed.
struct pass_current {
    enum placing mode;
    bool last_resort;       // the pod may use existing nodes in spite of retry.nodes_last
    bool avoids_inverse;    // only placements that break no other pod's spread
                            // (topology_inverse_spread.h)
    uint32_t inverse_tries; // among nodes or claims
    uint32_t required_set;  // pass_required_set()
    int64_t probed_price;   // of the claim that a probe would open
};
// Result of the last attempt or check.
struct pass_last {
    bool limited;         // a limit narrowed a check
    bool reserved_error;  // the last attempt ended with SCH-258
    bool refused_for_now; // the last check failed for resources that other claims may release
};
// Texts of refusals (refusal.h).
struct pass_refusal {
    struct text *why;      // set: checks write why they refuse
    enum reason_code code; // with `why`: of the last refusal
    VECTOR(struct template_refusal {
        uint32_t template;
        enum reason_code code;
        char *text;
    })
    templates; // with `why`: of the last attempt
};
struct pass_scratch {
    int64_t *total;
    int64_t *zero;                     // all zeros
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
    struct pass_input input; // its pointers outlive the pass
    struct arena *arena;
    struct pass_workspace *work;
    struct node_slot *slots;  // of `work`
    VECTOR(uint32_t) touched; // nodes with pods
    VECTOR(struct claim *) claims;
    struct pass_claim_order claim_order;
    struct placement *placements; // by queue index
    struct bitset identities;     // of the queue's pods
    // With input.view, by index in pods.movable: the pod had its turn; its queue index, or NONE.
    struct bitset left;
    uint32_t *positions;
    // NULL until needed.
    struct spread_counts *spread;        // scheduler_spread.c
    struct scheduler_scratch *scheduler; // scheduler_choice.c
    int64_t **remaining;                 // by template: limits left (SCH-360); NULL: none
    int64_t *reserved_left;              // by reservation
    uint64_t version;                    // grows with every placement
    struct pass_current current;
    struct pass_last last;
    struct pass_refusal refusal;
    struct pass_scratch scratch;
    struct pass_choices choices;
    struct pass_doubling doubling;
    struct pass_asked asked;
    struct device_pass *devices;   // NULL: no pod claims devices (place_devices.h)
    struct growing_bits exclusive; // volume claims that no other pod may use (SCH-515)
    bool soft_taints;              // some node has a PreferNoSchedule taint
    uint32_t combinations_spent; // domain combinations beyond the first of each check (topology.c)
    uint32_t next_hostname, next_hostname_index; // of the next claim, and its index + 1
    int64_t lower_bound; // of the price, nano-USD an hour (SCH-550 step 10); 0: unknown
};

static inline const struct queued_pod *pass_pod(const struct pass *pass, uint32_t index)
{
    return &pass->input.queue[index];
}
// The set that the pod's claim must meet beside the pod's own requirements.
static inline uint32_t pass_required_set(const struct pass *pass, uint32_t pod)
{
    return pass->input.alternative.required_sets != NULL
               ? pass->input.alternative.required_sets[pass_pod(pass, pod)->origin]
               : SET_EMPTY;
}
// True if the node is excluded or marked for deletion.
static inline bool pass_is_without(const struct pass *pass, uint32_t node)
{
    return !pass->slots[node].usable;
}
struct class_state *pass_class(struct pass *pass, uint32_t class);
struct shape_state *pass_shape(struct pass *pass, uint32_t shape);
void group_list_add(struct group_list *list, uint32_t group);
void group_list_push(struct group_list *list, uint32_t group); // `group` is not in the list
void pod_list_add(struct pod_list *list, uint32_t pod);
