// What a predecessor left of its disruption commands (DIS-724). A command whose replacements are
// all there goes on; any other is taken back, so that nothing is launched twice and no node stays
// tainted. A delete command is simply decided again.
#pragma once

#include "control/disruption/disruption_queue.h"

// Once, when the mirror is complete: what a predecessor left under way.
void disruption_queue_recover(struct disruption_queue *queue, struct control *control);
