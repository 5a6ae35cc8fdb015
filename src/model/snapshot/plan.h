// A plan: the engine's decision (FMT-10 to 14). Everything lives in the plan's arena.
//
// Explanations (SCH-520) are present only if requested (engine/engine.h). Their texts are for users
// and may change; codes, stages, kinds of change and rules of verdicts are for programs and stay.
#pragma once

#include "base/quantity.h"
#include "base/text.h"
#include "model/reading/disruption_reason.h"
#include "model/schema/event_reasons.h"
#include "model/schema/karpenter.h"

// SCH-530; names as in docs/rules/scheduling.md, e.g. "InsufficientResources".
enum reason_code {
    REASON_NO_POOL,
    REASON_POOL_NOT_READY,
    REASON_TAINT_NOT_TOLERATED,
    REASON_REQUIREMENT_MISMATCH,
    REASON_UNKNOWN_LABEL,
    REASON_INSUFFICIENT_RESOURCES,
    REASON_NO_OFFERING,
    REASON_LIMIT_EXCEEDED,
    REASON_HOST_PORT_CONFLICT,
    REASON_VOLUME_INVALID,
    REASON_VOLUME_ZONE,
    REASON_VOLUME_LIMIT,
    REASON_TOPOLOGY_SPREAD,
    REASON_POD_AFFINITY,
    REASON_POD_ANTI_AFFINITY,
    REASON_EXISTING_ANTI_AFFINITY,
    REASON_MIN_VALUES,
    REASON_RESERVED_EXHAUSTED,
    REASON_DYNAMIC_RESOURCES,
    REASON_DAEMON_SET_OVERHEAD,
    REASON_NOT_TRIED,
    REASON_PLANNING_BUDGET,
    REASON_COUNT,
};
const char *reason_code_name(enum reason_code code);

struct plan_reason {
    enum reason_code code;
    const char *node_pool; // NULL: about existing nodes or the pod itself
    const char *detail;
};
// The stages of a NodePool's instance types, check by check. Volumes, whose zones restrict types
// too, come between the offerings and the limits.
enum plan_stage_kind {
    STAGE_REQUIREMENTS,
    STAGE_OFFERINGS,
    STAGE_VOLUMES,
    STAGE_LIMITS,
    STAGE_HOST_PORTS,
    STAGE_DAEMON_SETS,
    STAGE_RESOURCES,
    STAGE_TOPOLOGY,
    STAGE_MIN_VALUES,
    STAGE_RESERVATIONS,
    STAGE_COUNT,
};

const char *stage_name(enum plan_stage_kind stage); // "requirements", "offerings", ...

struct plan_cut {      // one value of a stage, checked alone
    const char *value; // "kubernetes.io/arch In [arm64]", "cpu 100"
    uint32_t before, left;
};
struct plan_stage {
    enum plan_stage_kind kind;
    uint32_t left;              // types that pass this stage and all before it
    LIST(struct plan_cut) cuts; // those that remove any type, the most first
};
struct plan_pool_funnel { // SCH-520 part 2
    const char *node_pool;
    const char *state;  // "considered", "taintsNotTolerated", "noTypes", "notReady", "deleting",
                        // "static", "notTried"
    const char *detail; // about the state, or NULL
    uint32_t types;     // that serve the pool
    uint32_t own;       // of these, types that match its own requirements
    LIST(struct plan_stage) stages; // up to the first that leaves none
    const char *miss_type;          // the nearest miss: fails at one stage only; or NULL
    enum plan_stage_kind miss_stage;
    const char *miss_detail; // "m7i.4xlarge lacks 300m cpu after 1.2 cpu of DaemonSets"
};
struct plan_node_refusal { // SCH-520 part 1
    enum reason_code code;
    uint32_t count;
    const char *detail; // "taints not tolerated", "insufficient cpu"
};
struct plan_help {      // SCH-520 part 3: a single change that would place the pod
    const char *change; // "toleration", "requirement", "label", "limit", "request", "hostPort",
                        // "topology"
    const char *detail;
};
struct plan_explanation {      // shared by pods that scheduling cannot tell apart
    const struct pod *pod;     // the first of them by namespace/name
    uint32_t nodes;            // existing ones, including in-flight NodeClaims
    const char *nodes_summary; // "0/12 nodes: 7 taints not tolerated, 5 insufficient cpu"
    LIST(struct plan_node_refusal) refused; // most nodes first
    LIST(struct plan_pool_funnel) funnel;   // in the order of trial, the others last
    LIST(struct plan_help) help;
    struct string_list given_up; // preferences, in the order in which they were dropped
};

struct plan_type { // an instance type that fits a claim
    const struct instance_type *instance_type;
    int64_t price; // cheapest available offering compatible with the claim, nano-USD an hour
};
struct plan_costs { // the parts of an effective price (SCH-507), nano-USD an hour
    int64_t list, volumes, address, allowance, interruptions, burst;
};
static inline int64_t plan_costs_sum(const struct plan_costs *costs)
{
    int64_t beside = quantity_add(quantity_add(costs->volumes, costs->address), costs->allowance);
    return quantity_add(quantity_add(costs->list, beside),
                        quantity_add(costs->interruptions, costs->burst));
}
struct plan_cost_part {
    const char *name, *text; // in the JSON; in tables
    int64_t price;
};
#define PLAN_COST_PARTS 6
// The parts in the order in which they are told, the list price first.
void plan_costs_parts(const struct plan_costs *costs, struct plan_cost_part parts[PLAN_COST_PARTS]);
struct plan_claim {
    const struct node_pool *node_pool;
    LIST(struct plan_type) types;          // FMT-11: by price, then name; not truncated
    requirement_list requirements;         // sorted by key, values sorted (API form, SCH-70)
    struct resource_map requests;          // pods plus DaemonSet overhead (SCH-372)
    LIST(const struct pod *) pods;         // by namespace/name
    struct string_map labels, annotations; // of the NodeClaim to create (SCH-376)
    int64_t price;                         // of types.items[0], by the list
    struct plan_costs costs;               // of the same
    bool min_values_relaxed;
    bool price_overlaid, capacity_overlaid; // by a NodeOverlay (SCH-531)
    bool price_estimated;                   // `price` is not of a list; set by the caller
    uint32_t types_over_limits;             // excluded by the pool's limits only; if requested
};
struct plan_placement { // pods on an existing node or in-flight NodeClaim
    const char *name;
    const struct node *node;             // NULL for an in-flight claim
    const struct node_claim *node_claim; // NULL for an unmanaged node
    LIST(const struct pod *) pods;
};
struct plan_unschedulable {
    const struct pod *pod;
    const char *message; // SCH-239 and relatives
    bool deferred;       // SCH-260
    bool ignored;        // SCH-30: refused by validation
    LIST(struct plan_reason) reasons;
    const struct plan_explanation *explanation; // NULL: not requested
};
struct plan_alternative { // another possible place
    const char *what;     // "node node-b", "a new node of NodePool default, m5.large or 12 others"
    int64_t extra_price;  // nano-USD an hour more than the plan without the pod
};
struct plan_choice { // the reason of a pod's place (SCH-520 part 4)
    const struct pod *pod;
    const struct plan_claim *claim;         // the new node; NULL: an existing place
    const struct plan_placement *placement; // the existing place; NULL: a new node
    int64_t extra_price;                    // the extra cost of the node with this pod
    struct string_list why;
    LIST(struct plan_alternative) alternatives; // cheapest first: the first is the runner-up
    const struct plan_explanation *explanation; // the pod's earlier refusals; no help
};
struct plan_move { // the new place of a disrupted node's pod
    const struct pod *pod;
    enum { MOVE_TO_NODE, MOVE_TO_REPLACEMENT, MOVE_TO_NEW_NODE, MOVE_NOWHERE } where;
    const char *name;     // of the Node or in-flight NodeClaim; of a new node's NodePool; or NULL
    uint32_t replacement; // index of the command's
    uint32_t turn;        // in the order of eviction that the plan assumes
    bool is_led;          // to the Node: kube-scheduler would choose another one (DIS-749)
};
struct plan_moves { // by namespace/name
    struct plan_move *items;
    uint32_t count;
};
struct plan_disruption {           // FMT-13
    enum disruption_reason reason; // "method" in the JSON
    enum consolidation_type consolidation;
    struct string_list candidates; // node names
    LIST(struct plan_claim) replacements;
    int64_t savings;         // nano-USD an hour
    struct plan_moves moves; // of consolidation and emptiness (DIS-749, DIS-755)
};
struct plan_verdict {        // why a node stays (DIS-770)
    const char *name;        // the Node's, or the NodeClaim's if there is no Node
    const struct node *node; // NULL: only a NodeClaim
    const struct node_claim *claim;
    const char *rule; // the deciding rule: "DIS-169"
    const char *message;
};
struct plan_verdict_count {
    const char *rule;
    uint32_t nodes;
};
struct plan_turn_pool { // a NodePool's budgets for a method (DIS-128)
    const struct node_pool *pool;
    int64_t total, allowed, disrupting;
    const char *error; // DIS-121; or NULL
};
struct plan_turn { // one method's turn
    enum disruption_method method;
    enum disruption_reason reason;     // the reason that budgets apply to
    uint32_t eligible;                 // candidates, before budgets
    uint32_t blocked;                  // nodes that no method may take now (DIS-32)
    LIST(struct plan_turn_pool) pools; // by name
};
struct plan_score { // a NodePool policy's score of a consolidation (DIS-192, DIS-402)
    const struct node_pool *pool;
    const struct node *node;    // of a move of one node; NULL: of several
    bool approved, is_balanced; // false: the policy has no score
    bool move_approved;         // by all pools of the move
    double score;               // INFINITY: no cost
    double savings, disruption; // fractions of the pool's totals
};
struct plan_zone {    // SCH-398
    const char *zone; // a zone, "flexible" or "none"
    uint32_t pods;
};
struct plan_note { // for the log or an event, which the engine itself does not write
    enum note_level { NOTE_DEBUG, NOTE_INFO, NOTE_ERROR, NOTE_EVENT } level;
    enum event_reason event;     // of NOTE_EVENT
    const char *message;         // log message or event text
    const struct object *object; // the involved object; or NULL, not of NOTE_EVENT
};
struct plan {
    struct arena *arena;
    LIST(struct plan_claim) claims;                // in the order in which they were opened
    LIST(struct plan_placement) placements;        // by name
    LIST(struct plan_unschedulable) unschedulable; // by namespace/name
    const struct plan_choice *choice;              // of the one requested pod, or NULL
    LIST(struct plan_disruption) disruptions;
    LIST(struct plan_score) scores;     // of computed moves, in their order
    LIST(struct plan_turn) turns;       // of disruption methods, in their order
    bool has_disruptions;               // --disrupt was requested
    LIST(struct plan_verdict) verdicts; // of nodes without a command, by name; if requested
    LIST(struct plan_verdict_count) verdict_counts; // of the same nodes, by rule; always
    LIST(struct plan_note) notes;
    LIST(struct plan_zone) zones; // possible zones of pending pods, by name; if requested
    LIST(const char *) warnings;  // for users (SCH-521)
    int64_t price;                // sum of claims, by the list, nano-USD an hour
    struct plan_costs costs;      // of all claims: their sum is the effective price
    int64_t node_cost;            // NODE_COST of all claims (SCH-507)
    int64_t counted;     // LowestPrice's objective: effective price, concentration on nodes
    int64_t lower_bound; // of the effective price (SCH-550 step 10); 0: not computed
    uint32_t pods_placed;
    struct {                   // of the nodes that may be consolidated (DIS-745), nano-USD an hour
        int64_t price, target; // now; of a new plan for their pods, 0: not computed
    } repack;
    int64_t look_again; // when a node blocked by the clock alone may go (DIS-762); 0: never
};
void plan_destroy(struct plan *plan); // the plan itself lives in its arena; NULL is fine
// "pods: a/x to node n, a/y to a new node of pool" (DIS-755), for a few; empty without moves.
void plan_moves_describe(const struct plan_moves *moves, struct text *out);
