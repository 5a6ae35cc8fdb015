// The controller disruption.queue (DIS-300 to DIS-333): commands under way, one a node (DIS-732).
//
// A command first puts the taint on its node, so that nothing new comes to it, then waits, is
// looked at again by the disruption controller (DIS-725), and only then deletes the NodeClaim or
// takes everything back. The mark that goes with the taint, an annotation, tells after a restart
// whose taint it is.
#pragma once

#include "control/control.h"
#include "engine/candidates.h"

#define ANNOTATION_DISRUPTION_COMMAND "adze.dev/disruption-command"

enum command_phase {
    COMMAND_TAINT,    // taint and mark the Node
    COMMAND_REASON,   // condition DisruptionReason on the NodeClaim
    COMMAND_WAIT,     // until it is due and has been validated
    COMMAND_DELETE,   // delete the NodeClaim
    COMMAND_ROLLBACK, // take taint, mark and condition away
};
struct disruption_command {
    char id[37];
    const char *reason, *consolidation; // static: "Empty", "empty"
    char *node, *claim, *claim_uid, *pool, *instance_type, *capacity_type;
    const char *policy; // static, label form: "when_empty"
    uint32_t pods;      // reschedulable, when it was decided
    int64_t due_ns;     // monotonic: validation; set when the taint is in place
    enum command_phase phase;
};

struct disruption_queue;
struct disruption_queue *disruption_queue_create(struct control *control);
void disruption_queue_destroy(struct disruption_queue *queue);

void disruption_queue_add(struct disruption_queue *queue,
                          const struct disruption_candidate *candidate, const char *reason,
                          const char *consolidation);
bool disruption_queue_has(const struct disruption_queue *queue, const char *node);
uint32_t disruption_queue_count(const struct disruption_queue *queue);
// In order of creation; `position` starts as NULL.
struct disruption_command *disruption_queue_next(const struct disruption_queue *queue,
                                                 struct map_entry **position);
bool command_is_due(const struct disruption_queue *queue, const struct disruption_command *command);
// Validated: the node goes. Or not: everything is taken back.
void disruption_queue_confirm(struct disruption_queue *queue, struct disruption_command *command);
void disruption_queue_cancel(struct disruption_queue *queue, struct disruption_command *command,
                             const char *why);
// Earliest validation, monotonic; INT64_MAX: none waits.
int64_t disruption_queue_next_due(const struct disruption_queue *queue);

// The Node without our taint and mark; NULL: it has none.
json_t *untaint_patch(const struct node *node);
// The NodeClaim without DisruptionReason; NULL: it has none.
json_t *unreason_patch(struct control *control, const struct node_claim *claim);
