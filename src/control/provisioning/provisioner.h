// The controller provisioner (SCH-10 to SCH-19, SCH-376 to SCH-398): batches what waits for a node,
// has the engine plan it, creates the NodeClaims, tells what was decided.
#pragma once

#include "control/runtime/control.h"

struct provisioner;
struct provisioner *provisioner_create(struct control *control);
// A plan under way on a worker thread is dropped when it is done.
void provisioner_destroy(struct provisioner *provisioner);

// SCH-11: something wants a pass. A UID triggers once a batch.
void provisioner_trigger(struct provisioner *provisioner, const char *uid);
// Something that decisions depend on has changed, and no handler of the mirror could tell.
void provisioner_note_change(struct provisioner *provisioner);
bool provisioner_is_idle(const struct provisioner *provisioner);
