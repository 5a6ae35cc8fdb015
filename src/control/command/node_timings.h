// Boot times of machines and drain times of nodes that this process has observed (DIS-747,
// DIS-762): the last of each. NodeClaims hold their boot times, also after a restart; drain times
// are lost.
#pragma once

#include "control/runtime/control.h"

struct node_timings;
struct node_timings *node_timings_create(struct control *control);
void node_timings_destroy(struct node_timings *turnover); // NULL is fine

// Nanoseconds from the creation of a NodeClaim to the end of the node that it replaces; 0: no boot
// has been observed. The medians of both parts; and the longest of both, plus the time of a
// decision and its validation.
int64_t node_timings_usual(const struct node_timings *turnover);
int64_t node_timings_longest(const struct node_timings *turnover);
