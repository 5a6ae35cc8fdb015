// Back-off of disruption: of consolidation for nodes with a failed command (DIS-714: 30 s, doubling
// to 10 min), of drift for NodePools with failed replacements (DIS-716: 1 min with up to a tenth
// more, doubling to 10 min; failures of one window count once; reset by a success), of drift for
// nodes whose command was invalidated (5 s, doubling to 10 min; DIS-763). In memory: after a
// restart everything is tried once. There is no back-off under COMPATIBILITY=upstream.
//
// Drift of a NodePool also waits for five seconds after its nodes have drifted: the edit may
// continue, and the condition is visible before the nodes go. NodePools that drift within a second
// pause until one instant, so that one decision is made about them.
#pragma once

#include "control/runtime/control.h"

struct disruption_backoff;
struct disruption_backoff *disruption_backoff_create(struct control *control);
void disruption_backoff_destroy(struct disruption_backoff *backoff); // NULL is fine

void disruption_backoff_node_failed(struct disruption_backoff *backoff, const char *node);
void disruption_backoff_drift_refused(struct disruption_backoff *backoff, const char *node);
// A decision of drift is put off since pods are on their way (wanted_nodes.h). Not for more
// than a minute, if one refusal follows the other: then the validation decides.
bool disruption_backoff_may_refuse(const struct disruption_backoff *backoff);
void disruption_backoff_note_refusal(struct disruption_backoff *backoff);
void disruption_backoff_pool_failed(struct disruption_backoff *backoff, const char *pool);
void disruption_backoff_pool_succeeded(struct disruption_backoff *backoff, const char *pool);
// A node of the NodePool has drifted (NULL is fine). Nodes that drift together share one pause; it
// does not delay a slow roll again and again.
void disruption_backoff_drifted(struct disruption_backoff *backoff, const char *pool);
// The names that are backed off now; in `arena`. Forgets old failures.
struct string_list disruption_backoff_nodes(struct disruption_backoff *backoff,
                                            struct arena *arena);
struct string_list disruption_backoff_refused(struct disruption_backoff *backoff,
                                              struct arena *arena);
struct string_list disruption_backoff_pools(struct disruption_backoff *backoff,
                                            struct arena *arena);
// Monotonic: the next end of a back-off; INT64_MAX: none is backed off.
int64_t disruption_backoff_next(const struct disruption_backoff *backoff);
