// A snapshot compiled for computing: names are small integers, pods are classes, instance types are
// rows of bit sets. It holds everything that is the same for all passes over the snapshot
// (design.md idea 5).
//
// A pass (pass.h) schedules pods over a problem and keeps its own changes. After compilation a
// problem grows in two ways only: memos of pure functions, and classes of relaxed pods, which are
// made when first needed. Lifetime: one computation.
#pragma once

#include "base/bitset.h"
#include "base/map.h"
#include "base/vector.h"
#include "engine/problem/price_terms.h"
#include "engine/problem/state_node.h"
#include "engine/problem/strategy.h"
#include "engine/requirements/requirement_sets.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

#define NONE UINT32_MAX

// --- resources -----------------------------------------------------------------------------------
// A resource
// vector is an int64_t array by dimension, as long as problem->dimensions.count.
enum { DIMENSION_CPU, DIMENSION_MEMORY, DIMENSION_PODS, DIMENSION_NODES, DIMENSIONS_FIXED };

// --- instance types (instance_types.h) -----------------------------------------------------------
struct row_offering {     // available ones only
    uint32_t set;         // requirements
    uint32_t variety;     // which distinct `set` of the table
    int64_t price;        // effective, but for what depends on the pods (effective_price.h)
    int64_t list;         // list price, after overlays
    uint32_t reservation; // index of the reservation, or NONE
    const struct offering *source;
};
// An instance type with one allocatable (SCH-118). Nearly every type has one row.
struct row {
    const struct instance_type *type;
    uint32_t type_index; // among the types of the table
    uint32_t set;        // the type's requirements
    const int64_t *capacity, *allocatable;
    LIST(struct row_offering) offerings;
    bool price_overlaid, capacity_overlaid;
};
// The rows of a table that a requirement set allows; memoized by set.
struct row_filter {
    struct bitset compatible; // the type's requirements intersect
    struct bitset offered;    // some available offering is compatible
    struct bitset both;
    int64_t *cheapest;  // by row; INT64_MAX if none (SCH-265); NULL until needed
    uint32_t *by_price; // rows, cheapest first, ties by name
    int64_t lowest;     // of all rows in `both`; INT64_MAX if none
    int64_t *worst;     // by row (DIS-167); INT64_MAX if none; NULL until needed
    int64_t *list;      // lowest list price by row; INT64_MAX if none; NULL until needed
    uint32_t *by_list;  // rows, cheapest first by the list, ties by name (FMT-11)
};
struct type_table {
    struct type_table *next;            // of the problem's
    const struct instance_type **types; // in order; `types_count` of them
    struct row *rows;
    uint32_t count, types_count;
    uint32_t *varieties; // distinct requirement sets of available offerings
    struct bitset *variety_rows;
    uint32_t varieties_count;
    // By requirement identifier: matching rows; NULL: not computed.
    struct bitset **rows_by_requirement;
    uint32_t rows_by_requirement_capacity;
    struct row_filter **filters; // by set identifier
    uint32_t filters_capacity;
    bool *has_key; // by key: some row names it
    uint32_t has_key_count;
    bool has_reservations;
    bool has_surcharges; // some price differs from the list's
};

// --- templates (templates.h) ---------------------------------------------------------------------
struct host_port {
    const char *ip, *protocol;
    int64_t port;
};
struct host_ports {
    struct host_port *items;
    uint32_t count;
};
// Rows on which the same DaemonSets run (SCH-145).
struct overhead_group {
    struct bitset rows;
    const int64_t *overhead;
    struct host_ports ports;
    bool any; // some DaemonSet runs
};
// For one resource: its distinct amounts of net allocatable, each with the rows that have at least
// as much.
struct threshold {
    int64_t *amounts; // ascending
    uint64_t *words;  // count times words of a row bit set
    uint32_t count;
};
// Volume limits of a CSI driver by machine, where known (SCH-353).
struct row_volume_limit {
    uint32_t driver;
    int64_t *by_row; // INT64_MAX: unknown
};
struct node_template { // SCH-44
    const struct node_pool *pool;
    struct type_table *table;
    uint32_t index;     // in pool order (SCH-42)
    uint32_t set;       // requirements, labels and simulation-only keys
    uint32_t own_set;   // pool requirements and template labels only (SCH-285)
    uint32_t taints;    // interned taint list
    struct bitset rows; // SCH-45
    struct overhead_group *groups;
    uint32_t groups_count;
    struct threshold *thresholds; // by dimension, of allocatable less DaemonSet overhead
    struct bitset nonnegative;    // rows that can hold anything at all (SCH-114)
    struct row_burst *bursts;     // by row; NULL: none is burstable
    bool has_min_values, has_limits, has_node_limit;
    const int64_t *limits; // by dimension; INT64_MAX: none
    struct row_volume_limit *volume_limits;
    uint32_t volume_limits_count;
    int64_t weight;
    bool lowest_price;           // packing policy (SCH-500)
    int64_t most_pods, most_cpu; // of one node (SCH-521); INT64_MAX: no bound
    uint32_t most_share;         // percent of a workload on one node; 100: no bound
    struct memo domain_sets;     // memo of (key, value) -> set (topology_domains.c)
    struct memo holding; // memo of (set, class) -> whether a machine for both can be launched
};
struct pool_state { // why a pool has no template; in pool order
    const struct node_pool *pool;
    struct node_template *template;      // NULL: none
    const struct node_template *emptied; // by its own requirements: has a table, but no rows
    const char *message;
    enum reason_code reason;
};

// --- existing nodes ------------------------------------------------------------------------------
struct volume_use {
    uint32_t driver, claim; // symbols of problem->words
};
struct schedulable_node { // a state node, compiled; same index as problem->nodes
    const struct state_node *state;
    uint32_t set;      // asked labels, without the hostname (SCH-192)
    uint32_t hostname; // value
    uint32_t taints, real_taints;
    uint32_t pool;           // index of the template, or NONE
    const int64_t *free;     // allocatable less bound pods less DaemonSet overhead
    const int64_t *capacity; // for limits, `nodes` included
    struct host_ports ports;
    LIST(struct volume_use) volumes;
    LIST(struct volume_limit {
        uint32_t driver;
        int64_t limit;
    })
    volume_limits;
};

// --- pods ----------------------------------------------------------------------------------------
struct identity { // the part of a pod that selectors see
    const char *namespace;
    const struct string_map *labels; // of any pod with this identity
};
struct pod_devices;     // claims of devices (engine/devices/devices.h)
struct problem_devices; // the same
struct node_term {      // one alternative of a pod's requirements on its node
    uint32_t set;       // without the hostname
    uint32_t hostname;  // requirement on it, or REQUIREMENT_NONE
};
struct pod_volumes {
    struct node_term *alternatives; // NULL: no constraint
    uint32_t alternatives_count;
    LIST(struct volume_use) uses;
    LIST(uint32_t) exclusive; // volume claims with ReadWriteOncePod (SCH-515), as words
    const char *error;        // topology cannot be determined (SCH-36)
    const char *limits_error; // SCH-352: the pod fits no existing node
};
// The part of a pod that placement reads, without rules between pods. Pods with equal parts share a
// shape.
struct shape {
    const int64_t *requests;
    struct resource_map request_map;
    uint32_t *dimensions; // those with a request above zero
    uint32_t dimensions_count;
    uint32_t set;            // all requirements without the hostname
    uint32_t hostname;       // requirement on the hostname, or REQUIREMENT_NONE
    struct node_term *terms; // one of them must hold beside `set` (SCH-508); none: no alternatives
    uint32_t terms_count;    // never 1
    uint32_t tolerations;    // interned
    struct host_ports ports;
    const struct pod_volumes *volumes; // NULL: none
    const struct pod_devices *devices; // NULL: none
    bool impossible; // fits no node: an empty node affinity term (SCH-103), a contradiction
                     // (SCH-104)
};
// A preference of a pod that relaxation may drop (SCH-509).
struct preference {
    enum preference_kind {
        PREFERENCE_TAINTS, // to avoid PreferNoSchedule taints
        PREFERENCE_SPREAD, // ScheduleAnyway
        PREFERENCE_NODE_AFFINITY,
        PREFERENCE_ANTI_AFFINITY,
        PREFERENCE_AFFINITY,
    } kind;
    uint32_t index; // in the spec's list
    int64_t weight;
};
#define PREFERENCES_MAX 64 // of a pod; lighter ones are ignored
// How far a pod's preferences are relaxed (SCH-160).
struct relaxation {
    uint16_t required_dropped; // required node affinity terms, from the first
    uint16_t affinity_dropped; // preferred terms, heaviest first
    uint16_t anti_affinity_dropped;
    uint16_t node_affinity_dropped;
    uint16_t spreads_dropped; // ScheduleAnyway constraints
    bool tolerates_prefer_no_schedule;
    uint64_t given_up; // by weight (SCH-509): bit i: preference i is dropped
};
struct pod_class {
    const struct pod *sample;
    struct relaxation relaxation;
    uint32_t identity, shape;
    uint32_t strict_set, strict_hostname; // SCH-101
    const toleration_list *tolerations;
    uint32_t relaxed;  // class after the next step; NONE: nothing left; NOT_RELAXED: not made yet
    uint32_t original; // class of the unrelaxed pod; itself if unrelaxed
    bool by_weight; // SCH-509: `preferences` and relaxation.given_up say which preferences are left
    const struct preference *preferences; // heaviest first
    uint32_t preferences_count;
    VECTOR(struct class_without {
        uint64_t given_up;
        uint32_t class;
    })
    without;           // of an unrelaxed class: the classes relaxed from it
    uint32_t *groups;  // definitions of the groups that constrain it (SCH-272)
    uint32_t *inverse; // definitions of the inverse groups it owns (SCH-278)
    uint32_t groups_count, inverse_count;
    const char *group_error;                               // SCH-277
    LIST(const struct topology_spread_constraint) spreads; // its own, or the cluster's defaults
    struct resource_map requests;
    bool compiled;  // in queue order, so that identifiers do not depend on the order of the input
    bool validated; // pending: SCH-26 applies
    const char *refusal;   // validation (SCH-26); NULL: accepted
    bool refused_silently; // SCH-30: no event
    bool aside;            // refused because it is set aside (pod_demand.h)
    bool resource_claims;  // SCH-420
    bool running;          // DIS-238
    const struct pod_volumes *volumes;
    const struct pod_devices *devices; // NULL: none, or claims are ignored
};
#define NOT_RELAXED (UINT32_MAX - 1)

struct queued_pod {
    const struct pod *pod;
    uint32_t class;
    uint32_t index;  // in problem->pods.queued
    uint32_t origin; // the same index, independent of the order of a pass; of a movable pod, in
                     // problem->pods.movable
    bool from_deleting_node, placeholder;
    bool running; // on a node that stays unless a simulation removes it (DIS-238)
    int64_t cpu, memory;
    const struct state_node *on;       // the state node where it runs, or NULL
    const char *aside;                 // why it is set aside (pod_demand.h); NULL: not set aside
    const struct pod_devices *devices; // its claims; NULL: none, or claims are ignored
};
struct bound_pod {
    const struct pod *pod;
    uint32_t identity;
    uint32_t node;     // index of the Node in problem->node_objects.items
    uint32_t class;    // NONE: in no queue
    bool counted;      // neither terminal nor terminating (SCH-289)
    bool scheduled;    // rescheduled in every provisioning pass
    bool movable;      // rescheduled if its node is removed
    uint32_t *inverse; // inverse groups of its required anti-affinity
    uint32_t inverse_count;
    const char *aside; // why it is set aside (pod_demand.h); NULL: not set aside
};
struct exclusive_use {     // of a ReadWriteOncePod volume claim (SCH-515)
    uint32_t bound, claim; // index of the bound pod; word
};
struct node_object { // a Node, tracked or not, as topology counting sees it
    const struct node *node;
    const struct string_map *labels;
    uint32_t set, hostname_value, taints; // real ones
    bool has_hostname;                    // it has the hostname label
    uint32_t state;                       // state node, or NONE
};

// --- rules between pods (topology.h) -------------------------------------------------------------
// The part that the groups of one pod's required affinity share: all terms together must select a
// peer.
struct group_peers {
    const char *text;      // equal for equal terms
    struct bitset selects; // by identity
};
enum group_kind { GROUP_SPREAD, GROUP_AFFINITY, GROUP_ANTI_AFFINITY, GROUP_INVERSE };
struct group_definition { // SCH-271, 274
    enum group_kind kind;
    uint32_t key;
    const char *text;                      // identity; orders groups of equal kind and key
    const struct label_selector *selector; // NULL: nothing
    struct string_list namespaces;         // sorted
    int64_t max_skew, min_domains;         // 0: none
    bool honor_affinity, honor_taints;
    struct node_term *terms; // honor_affinity: some term must hold
    uint32_t terms_count;
    uint32_t tolerations;  // of the owner (spread: part of the identity with honor_taints)
    struct bitset selects; // by identity; `selects_known` says how far it is computed
    uint32_t selects_known;
    // BETTER rules (topology.h):
    bool hard;   // some owner requires it; false: all merely prefer it
    bool mutual; // affinity: it selects one of its owners
    // Affinity: what all terms of the pod select; NULL: the pod has one term.
    const struct group_peers *peers;
    uint32_t *needed_keys; // spread: a Node without one of these labels does not count
    uint32_t needed_keys_count;
};

struct reservation {
    const char *id;
    uint32_t value; // of the reservation label
    uint32_t key;
    int64_t capacity;
};

// Values of a key that NodePools can provide (SCH-285, 286); made when first needed.
struct domain_universe {
    uint32_t *values;
    uint64_t *templates; // bit set of contributing templates, `words` words a value
    uint32_t count, words;
};

// Label keys that the engine itself reads.
struct problem_keys {
    uint32_t hostname, zone, capacity_type, instance_type;
};
// Resources by dimension.
struct problem_dimensions {
    struct symbols *names;
    uint32_t count; // 0 until all dimensions are known
};
// Keys that a pod, DaemonSet or group names: the only ones read from Nodes.
struct problem_asked_keys {
    bool *keys; // by key
    uint32_t count;
};
// Every Node, tracked or not.
struct problem_node_objects {
    struct node_object *items;
    uint32_t count;
    struct map *by_name; // index + 1
};
// Machines and their prices.
struct problem_catalog {
    struct type_table *tables; // one for all pools with the same types
    struct overlays *overlays; // NULL: none apply (overlays.h)
    struct reservation *reservations;
    uint32_t reservations_count;
    struct price_terms prices;
    int64_t node_cost; // of one node, beside its machine (node_cost.h): prices.allowance
    const struct provider_labels *labels; // the provider whose labels the catalogs carry: pods are
                                          // checked against them; NULL: none
};
struct problem_templates {
    struct node_template **items; // in pool order
    uint32_t count;
    struct pool_state *pools;
    uint32_t pools_count;
    bool any_prefer_no_schedule; // SCH-165
    bool shares_bound;           // some template has `most_share`
};
// Interned lists and pods. Grows while passes relax pods.
struct problem_interned {
    VECTOR(const taint_list *) taint_lists;
    VECTOR(const toleration_list *) toleration_lists;
    VECTOR(struct identity) identities;
    VECTOR(struct shape) shapes;
    VECTOR(struct pod_class *) classes;
    struct map *taint_list_ids, *toleration_list_ids; // identity text -> id + 1
    struct map *identity_ids, *shape_ids, *class_ids;
    struct memo tolerated, tolerated_hard; // (tolerations, taints)
};
// Rules between pods: definitions and memos.
struct problem_topology {
    VECTOR(struct group_definition *) groups;
    struct map *group_ids, *peer_ids;
    const struct pod *peers_pod; // the pod of the last peers
    const struct group_peers *peers;
    struct memo reached;                        // memo of (group, value) (topology_domains.c)
    VECTOR(struct domain_universe *) universes; // by key
    struct map *namespaces;
    const char **selector_keys; // labels that some selector reads, sorted
    uint32_t selector_keys_count;
    struct spread_defaults *spread_defaults; // NULL: none configured
    struct identity_index *identity_index;   // NULL until needed (identity_index.h)
    struct topology_base *base;              // NULL until needed (topology_base.h)
};
struct problem_pods {
    struct queued_pod *queued; // in queue order (SCH-150)
    uint32_t queued_count;
    struct queued_pod *movable; // with_movable: reschedulable pods of nodes that stay, in the
    uint32_t movable_count;     // same order
    struct bound_pod *bound;    // by namespace/name: nodes.running
    uint32_t bound_count;
    struct bitset scheduled; // bound pods that every pass schedules
    uint32_t *bound_inverse; // indexes of bound pods with inverse groups
    uint32_t bound_inverse_count;
    struct pdb_index *budgets;
    struct pod_facts *facts;   // by bound pod; with_movable only
    const struct pod **newest; // by the snapshot's DaemonSets; NULL until needed (daemons.c)
};
// Pods by controller (workload_replicas.h).
struct problem_workloads {
    struct map *ids;           // "kind/namespace/name" -> id + 1; NULL until needed
    VECTOR(uint32_t) replicas; // by workload
};
// The objects behind the volumes of pods, by (namespace/)name.
struct problem_volumes {
    struct map *claims, *items, *storage_classes, *csi_nodes;
    VECTOR(struct exclusive_use) exclusive_uses;
};

struct problem {
    // Sources of the compilation.
    const struct snapshot *snapshot;
    const struct settings *settings;
    const struct engine_strategy *strategy; // chosen by the settings
    bool with_movable;
    struct arena *arena, *plan_arena;

    struct vocabulary *vocabulary;
    struct requirement_sets *sets;
    struct symbols *words; // all other interned words: drivers, volume claims
    struct problem_keys keys;
    struct problem_dimensions dimensions;
    struct problem_asked_keys asked;

    struct state_nodes nodes;
    struct schedulable_node *schedulable_nodes; // same order
    struct problem_node_objects node_objects;
    struct problem_catalog catalog;
    struct problem_templates templates;
    struct problem_interned interned;
    struct problem_pods pods;
    struct problem_topology topology;
    struct problem_workloads workloads;
    struct problem_volumes volumes;
    struct problem_devices *devices; // NULL: no pod claims devices, or claims are ignored

    struct pass_workspace *workspaces; // idle ones (pass_workspace.h)
    struct text scratch, class_key;
    VECTOR(struct plan_note) notes;
    struct error error; // set: the pass ends (SCH-25, SCH-282)
};

// The index of a Node among the problem's.
static inline uint32_t problem_node_object(const struct problem *problem, const struct node *node)
{
    return (uint32_t)(uintptr_t)map_get(problem->node_objects.by_name, node->meta.name) - 1;
}
// Adds a note to the plan; the message is copied.
void problem_log(struct problem *problem, enum note_level level, const struct object *object,
                 const char *message);
void problem_event(struct problem *problem, enum event_reason event, const struct object *about,
                   const char *message);

// --- resources -----------------------------------------------------------------------------------
int64_t *vector_create(const struct problem *problem);
// Ignores names without a dimension: nothing requests them.
void vector_set_map(const struct problem *problem, int64_t *vector, const struct resource_map *map);
void vector_add(const struct problem *problem, int64_t *vector, const int64_t *other);
// SCH-114.
bool vector_fits(const struct problem *problem, const int64_t *request, const int64_t *total);
// True for dimensions that count devices (engine/devices/device_requests.h): no resource has such a
// name, and no plan tells them.
bool problem_is_device(const struct problem *problem, uint32_t dimension);
struct resource_map vector_to_map(const struct problem *problem, struct arena *arena,
                                  const int64_t *vector);
void problem_add_dimensions(struct problem *problem, const struct resource_map *map);

// --- taints and tolerations (SCH-355) ------------------------------------------------------------
uint32_t problem_intern_taints(struct problem *problem, const taint_list *taints);
uint32_t problem_intern_tolerations(struct problem *problem, const toleration_list *tolerations);
bool problem_tolerates(struct problem *problem, uint32_t tolerations, uint32_t taints);
// The same without PreferNoSchedule: only hard taints keep kube-scheduler from counting a node
// (SCH-288, 291). Under COMPATIBILITY=upstream all taints count: a soft taint hides a domain there.
bool problem_tolerates_hard(struct problem *problem, uint32_t tolerations, uint32_t taints);

// A set without its hostname entry; *hostname is that entry or REQUIREMENT_NONE.
uint32_t problem_split_hostname(struct problem *problem, uint32_t set, uint32_t *hostname);
static inline bool problem_hostname_allowed(const struct problem *problem, uint32_t requirement,
                                            uint32_t hostname_value)
{
    return requirement == REQUIREMENT_NONE ||
           requirement_has(problem->vocabulary, requirement_get(problem->sets, requirement),
                           hostname_value);
}
const char *problem_copy(struct problem *problem, struct text *text); // takes and frees the text
