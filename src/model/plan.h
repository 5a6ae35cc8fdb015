// A plan: what the engine decided (FMT-10 to 14). Everything lives in the plan's arena.
#pragma once

#include "model/karpenter.h"

// SCH-530; names as in the specification, e.g. "InsufficientResources".
enum reason_code {
    REASON_NO_POOL, REASON_POOL_NOT_READY, REASON_TAINT_NOT_TOLERATED, REASON_REQUIREMENT_MISMATCH,
    REASON_UNKNOWN_LABEL, REASON_INSUFFICIENT_RESOURCES, REASON_NO_OFFERING, REASON_LIMIT_EXCEEDED,
    REASON_HOST_PORT_CONFLICT, REASON_VOLUME_INVALID, REASON_VOLUME_ZONE, REASON_VOLUME_LIMIT,
    REASON_TOPOLOGY_SPREAD, REASON_POD_AFFINITY, REASON_POD_ANTI_AFFINITY,
    REASON_EXISTING_ANTI_AFFINITY, REASON_MIN_VALUES, REASON_RESERVED_EXHAUSTED,
    REASON_DYNAMIC_RESOURCES, REASON_DAEMON_SET_OVERHEAD, REASON_NOT_TRIED, REASON_COUNT,
};
const char *reason_code_name(enum reason_code code);

struct plan_reason {
    enum reason_code code;
    const char *node_pool; // NULL: about existing nodes or the pod itself
    const char *detail;
};
struct plan_type { // an instance type that could carry a claim
    const struct instance_type *instance_type;
    int64_t price; // cheapest available offering compatible with the claim, nano-USD an hour
};
struct plan_claim {
    const struct node_pool *node_pool;
    LIST(struct plan_type) types;      // FMT-11: by price, then name; not truncated
    requirement_list requirements;     // sorted by key, values sorted (API form, SCH-70)
    struct resource_map requests;      // pods plus DaemonSet overhead (SCH-372)
    LIST(const struct pod *) pods;     // by namespace/name
    struct string_map labels, annotations; // of the NodeClaim to create (SCH-376)
    int64_t price;                     // of types.items[0]
    bool min_values_relaxed;
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
};
struct plan_disruption { // FMT-13
    const char *method, *consolidation;
    struct string_list candidates; // node names
    LIST(struct plan_claim) replacements;
    int64_t savings; // nano-USD an hour
};
struct plan_note { // what is to be logged or told as an event; the engine itself does neither
    enum { NOTE_DEBUG, NOTE_INFO, NOTE_ERROR, NOTE_EVENT_NORMAL, NOTE_EVENT_WARNING } level;
    const char *reason;  // event reason, or NULL
    const char *message; // log message or event text
    const struct object *object; // what it is about, or NULL
};
struct plan {
    struct arena *arena;
    LIST(struct plan_claim) claims;              // in the order in which they were opened
    LIST(struct plan_placement) placements;      // by name
    LIST(struct plan_unschedulable) unschedulable; // by namespace/name
    LIST(struct plan_disruption) disruptions;
    bool has_disruptions;                        // --disrupt was asked for
    LIST(struct plan_note) notes;
    LIST(const char *) warnings;                 // for people (SCH-521)
    int64_t price;                               // sum of claims, nano-USD an hour
    int64_t lower_bound;                         // SCH-550 step 10; 0: not computed
    uint32_t pods_placed;
};
void plan_destroy(struct plan *plan); // the plan itself lives in its arena; NULL is fine
// FMT-10, FMT-12. Prices are JSON numbers: print them with JSON_REAL_PRECISION(15) to get back the
// digits of the catalogue. The caller owns the result.
json_t *plan_encode(const struct plan *plan);
