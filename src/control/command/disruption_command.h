// A disruption command under way (DIS-300 to DIS-333): the nodes to delete, their replacements,
// which come first, and the phase.
//
// An annotation of the Nodes and replacements holds the state that a successor needs: the command's
// identifier, reason and kind, and the number of its nodes and replacements (DIS-724). Each part of
// the command may vanish at any time without harm to the others (DIS-720).
#pragma once

#include "control/runtime/control.h"
#include "control/state/node_claim_template.h"
#include "model/snapshot/plan.h"

#define ANNOTATION_DISRUPTION_COMMAND "adze.dev/disruption-command"

enum command_phase {
    COMMAND_TAINT,    // taint and mark the Nodes
    COMMAND_REASON,   // condition DisruptionReason on the NodeClaims
    COMMAND_WAIT,     // until it is due and validated
    COMMAND_LAUNCH,   // create the replacements
    COMMAND_AWAIT,    // until all replacements are initialized and Ready
    COMMAND_DELETE,   // delete the NodeClaims
    COMMAND_DRAIN,    // until the nodes are gone: replacements and targets are kept for their pods
                      // (DIS-727, DIS-755)
    COMMAND_ROLLBACK, // remove taint, mark and condition, and unused replacements
};
struct command_node {
    char *node, *claim, *claim_uid, *pool, *instance_type, *capacity_type;
    const char *policy; // static, label form: "when_empty"; "" for drift
    uint32_t pods;      // reschedulable pods at the decision
    bool gone;          // it, or its NodeClaim, is being deleted or does not exist
    bool deleted;       // by this process: counted (DIS-722)
};
struct command_replacement {
    char *name; // of the NodeClaim, chosen by the controller
    char *pool;
    json_t *body;                // of the create call; NULL after the creation, and after a restart
    struct string_list types;    // names, in the command's arena
    struct resource_map largest; // the largest capacity among its types, for each limited resource
    bool is_static;              // of a NodePool with `replicas`
    bool is_reserved;            // counts against its limits.nodes
    bool is_seen;                // the mirror has had it
    bool is_rejected;            // the create call was refused for good
};
struct command_move {     // the plan of a pod of its nodes
    char *pod;            // UID
    char *workload;       // UID of its controller; "": it has none
    char *node;           // an existing Node or NodeClaim; NULL: on none
    uint32_t replacement; // index; NO_REPLACEMENT: on none
    uint32_t turn;        // in the order of eviction that the plan assumes
    bool is_led;          // to the node (control/node/drain_guide.h)
};
#define NO_REPLACEMENT UINT32_MAX
struct disruption_command {
    struct arena *arena;
    char id[37];
    uint64_t number;               // in the order in which commands entered the queue
    enum disruption_reason reason; // never Expired: expiring nodes are replaced as drifted
    enum consolidation_type consolidation;
    LIST(struct command_node) nodes;
    LIST(struct command_replacement) replacements;
    LIST(struct command_move) moves; // by the plan (DIS-749); none after a restart
    char *moves_text;    // of empty nodes with pods: the moves as text (DIS-755); NULL: none
    int64_t savings;     // nano-USD an hour
    int64_t price;       // of its nodes, nano-USD an hour
    int64_t launched_ns; // monotonic: creation of its replacements; 0: it has none yet
    int64_t created_ns;  // monotonic
    int64_t due_ns;      // monotonic: validation; set when the taints are in place
    enum command_phase phase;
    bool is_confirmed;     // validated: it counts as a decision
    bool is_checking;      // its validation is running
    bool was_deleted_once; // delete calls were made at least once
    char refusal[256];     // of the last rejected delete call, after a comma; empty: none
    char failure[512];     // ROLLBACK after a failure (DIS-328); empty: it was canceled
};

// Without nodes and replacements yet; `id` NULL: a new one. The reason Expired becomes Drifted.
struct disruption_command *command_create(struct control *control, const char *id,
                                          enum disruption_reason reason,
                                          enum consolidation_type consolidation);
void command_destroy(struct disruption_command *command); // NULL is fine
// Adds a part; command_reserve() must have reserved its room.
void command_reserve(struct disruption_command *command, uint32_t nodes, uint32_t replacements);
void command_add_node(struct control *control, struct disruption_command *command,
                      const struct node *node, const struct node_claim *claim);
// A planned claim; limits are not checked.
void command_add_replacement(struct control *control, struct disruption_command *command,
                             const struct plan_claim *claim);
void command_add_replacement_name(struct disruption_command *command, const char *name,
                                  const char *pool);
// The planned moves of its pods.
void command_set_moves(struct disruption_command *command, const struct plan_moves *moves);
// The planned move of the pod, or NULL.
const struct command_move *command_move_of(const struct disruption_command *command,
                                           const struct pod *pod);
// Pods of the command are led to their places.
bool command_is_guided(const struct disruption_command *command);
// DIS-755: an emptiness command with pods to evict: the engine plans their places.
bool command_plans_places(const struct control *control, const struct disruption_command *command);

// Emptiness validates it on the loop: none of its pods needs a planned place.
bool command_is_of_emptiness(const struct control *control,
                             const struct disruption_command *command);
// It waits for its validation, which is due.
bool command_is_due(const struct control *control, const struct disruption_command *command);

// DIS-382: the same for events of one of its nodes.
void command_describe_part(const struct disruption_command *command,
                           const struct command_node *entry, struct text *out);
void command_log_start(const struct disruption_command *command);
// No earlier node of the command has the same NodePool.
bool command_is_first_of_pool(const struct disruption_command *command, uint32_t node);
uint32_t command_pods(const struct disruption_command *command);
const char *command_decision(const struct disruption_command *command); // DIS-16
// Labels of metrics (DIS-324): "empty"; "multi", and "" for drift, which is no consolidation.
const char *command_reason_label(const struct disruption_command *command);
const char *command_consolidation_label(const struct disruption_command *command);

// --- marks ---------------------------------------------------------------------------------------
struct command_mark {
    char id[37];
    enum disruption_reason reason;
    enum consolidation_type consolidation;
    uint32_t nodes, replacements;
};
// The annotation's value; in `arena`.
const char *command_mark_text(struct arena *arena, const struct disruption_command *command);
// False: the object has no valid mark.
bool command_mark_read(const struct object *object, struct command_mark *mark);
