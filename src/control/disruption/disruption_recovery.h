// Recovery of a predecessor's disruption commands (DIS-724). A command with all its replacements
// goes on; any other is rolled back, so that nothing is launched twice and no node stays tainted. A
// command without replacements is decided again.
#pragma once

#include "control/disruption/disruption_queue.h"

// Once, when the mirror is complete.
void disruption_queue_recover(struct disruption_queue *queue, struct control *control);
