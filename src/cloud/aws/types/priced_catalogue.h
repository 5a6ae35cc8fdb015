// A catalogue with the user's own on-demand prices (own_prices.h), for plans without a cluster.
#pragma once

#include "base/error.h"
#include "model/schema/karpenter.h"

// For a provider's row (reprice): with the prices of the file, a reference that the caller
// releases; NULL with the error.
const struct instance_type_catalog *ec2_catalogue_reprice(const struct instance_type_catalog *whole,
                                                          const char *path, struct error *error);
