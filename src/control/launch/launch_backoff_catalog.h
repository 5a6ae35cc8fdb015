// The provider's catalog without offerings that are backed off.
#pragma once

#include "control/runtime/control.h"

struct launch_backoff;

// The pool's catalog: a reference that the caller releases, or NULL with error. It is the same
// object as long as nothing has changed.
const struct instance_type_catalog *launch_backoff_catalog(struct launch_backoff *backoff,
                                                           const struct node_pool *pool,
                                                           struct error *error);
