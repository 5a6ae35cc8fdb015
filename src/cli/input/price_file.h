// The setting PRICES in a plan: the user's own on-demand prices over those of built-in types.
#pragma once

#include "cloud/port/provider.h"
#include "model/snapshot/snapshot.h"

// Gives the catalogues of the snapshot the prices of the file that its settings name, if any.
// `provider`: whose built-in types they are; NULL: they are others, which have their prices.
bool price_file_apply(struct snapshot *snapshot, const struct cloud_provider *provider,
                      struct error *error) MUST_USE;
