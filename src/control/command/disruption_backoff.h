// What disruption does not try again at once: consolidation of nodes that it failed for (DIS-714:
// 30 s, doubling to 10 min), drift of NodePools whose replacements failed (DIS-716: 1 min with up
// to a tenth more, doubling to 10 min; failures of one window count once; reset by a success),
// drift of nodes whose commands were not valid any more (5 s, doubling to 10 min; DIS-763). In
// memory: after a restart each is tried once. None of this under COMPATIBILITY=upstream.
//
// And drift of NodePools whose nodes have only just drifted, for five seconds: what was edited may
// be edited again, and people want to see the condition before the nodes go.
#pragma once

#include "control/runtime/control.h"

struct disruption_backoff;
struct disruption_backoff *disruption_backoff_create(struct control *control);
void disruption_backoff_destroy(struct disruption_backoff *backoff); // NULL is fine

void disruption_backoff_node_failed(struct disruption_backoff *backoff, const char *node);
void disruption_backoff_drift_refused(struct disruption_backoff *backoff, const char *node);
void disruption_backoff_pool_failed(struct disruption_backoff *backoff, const char *pool);
void disruption_backoff_pool_succeeded(struct disruption_backoff *backoff, const char *pool);
// A node of the NodePool has drifted (NULL is fine). The pause is for all that drift about the same
// time; a slow roll is not held up again and again.
void disruption_backoff_drifted(struct disruption_backoff *backoff, const char *pool);
// The names that are backed off now; in `arena`. Forgets what is long over.
struct string_list disruption_backoff_nodes(struct disruption_backoff *backoff,
                                            struct arena *arena);
struct string_list disruption_backoff_refused(struct disruption_backoff *backoff,
                                              struct arena *arena);
struct string_list disruption_backoff_pools(struct disruption_backoff *backoff,
                                            struct arena *arena);
// Monotonic: when the first of them may be tried again; INT64_MAX: none is backed off.
int64_t disruption_backoff_next(const struct disruption_backoff *backoff);
