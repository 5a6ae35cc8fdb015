// How long machines take to boot and nodes to drain here, as far as this process has seen it
// (DIS-747, DIS-762): the last of each. Boots are told by the NodeClaims themselves, also after a
// restart; drains are not.
#pragma once

#include "control/runtime/control.h"

struct node_timings;
struct node_timings *node_timings_create(struct control *control);
void node_timings_destroy(struct node_timings *turnover); // NULL is fine

// Nanoseconds from the creation of a NodeClaim to the end of the node that it replaces; 0: no boot
// has been seen. The medians of both parts; and
// the longest of both, with the time that a decision takes to be made and confirmed.
int64_t node_timings_usual(const struct node_timings *turnover);
int64_t node_timings_longest(const struct node_timings *turnover);
