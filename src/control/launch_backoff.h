// Which launches are not tried again at once (LIF-440, STO-25). What failed is left out of the
// catalogues that decisions see, so that the pods concerned go elsewhere, and others never wait:
//
// - An offering of which the provider says that there is no capacity, though it goes on offering it: it is
//   left out for that NodePool, 10 s at first, at most 3 min. (Providers that remember shortages
//   themselves say so in their catalogue.)
// - A NodePool whose NodeClaims end without a node, time after time: all its offerings. The first
//   machine that does not register is replaced at once; then 5 min, doubling to 1 h; after a launch
//   that took too long 30 s, then 1 min, doubling to 1 h; while its node class is not ready 10 s,
//   doubling to 3 min.
//
// NodeClaims of one wave count once: only the failure of one that was created after the last failure is a
// further one. A node that registers ends its NodePool's back-off. Kept in memory: after a restart each
// is tried once. None of this under COMPATIBILITY=upstream.
#pragma once

#include "control/control.h"

struct launch_backoff;
struct launch_backoff *launch_backoff_create(struct control *control);
void launch_backoff_destroy(struct launch_backoff *backoff); // NULL is fine

// What came of a NodeClaim. Those without NodePool are nobody's matter.
void launch_backoff_no_capacity(struct launch_backoff *backoff, const struct node_claim *claim);
// `reason`: "nodeclass_not_ready", "launch_timeout" or "registration_timeout"; static text.
void launch_backoff_failed(struct launch_backoff *backoff, const struct node_claim *claim,
                           const char *reason);
void launch_backoff_launched(struct launch_backoff *backoff, const struct node_claim *claim);
void launch_backoff_registered(struct launch_backoff *backoff, const struct node_claim *claim);

// The provider's catalogue for the pool, without what is backed off: a reference that the caller
// releases, or NULL with error. The same object as long as nothing has changed.
const struct instance_type_catalog *launch_backoff_catalogue(struct launch_backoff *backoff,
                                                             const struct node_pool *pool,
                                                             struct error *error);
