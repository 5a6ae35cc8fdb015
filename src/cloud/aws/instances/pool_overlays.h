// Catalogues with NodeOverlays (AWI-250.5, AWI-415).
#pragma once

#include "cloud/aws/instances/machines_environment.h"

// The catalogue with the NodeOverlays of the pool (a name; NULL: none), in place of the reference
// given.
const struct instance_type_catalog *with_pool_overlays(
    const struct aws_machines_environment *environment, const char *pool,
    const struct instance_type_catalog *catalog);
