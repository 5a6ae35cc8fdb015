// What decisions see of a provider's catalog while launches fail.
#pragma once

#include "control/runtime/control.h"

struct launch_backoff;

// The provider's catalog for the pool, without what is backed off: a reference that the caller
// releases, or NULL with error. The same object as long as nothing has changed.
const struct instance_type_catalog *launch_backoff_catalog(struct launch_backoff *backoff,
                                                           const struct node_pool *pool,
                                                           struct error *error);
