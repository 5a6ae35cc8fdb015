// Which of the pods that leave are led to their planned nodes (drain_guide.h), and how well they
// follow. For the order of drains.
#pragma once

#include "control/runtime/control.h"

struct drain_leading;
// `moved` as for drain_guide_create().
struct drain_leading *drain_leading_create(struct control *control, void (*moved)(void *context),
                                           void *context);
void drain_leading_destroy(struct drain_leading *leading); // NULL is fine
// Whether any pod is to be led now. Returns whether pods still are: after half a minute without an
// eviction none is, since the taints are to go.
bool drain_leading_update(struct drain_leading *leading, bool is_any);
// Leads the next pod to `*node`, or to another one if it has no room any longer, which is noted in
// it; NULL: it is not led, but others are. True: the pod may leave.
bool drain_leading_next(struct drain_leading *leading, char **node, int64_t cpu, int64_t memory);
void drain_leading_evicted(struct drain_leading *leading); // a pod that is led
void drain_leading_landed(struct drain_leading *leading, const char *node, const struct pod *pod);
