// The instance types of a region without a cluster: those that it offers, at its prices.
//
// A type that the region's list lacks is offered if it is newer than the list: then its price is an
// estimate (region_prices.h). Which types a single zone offers is not known, as the letters of
// zones differ between accounts.
#pragma once

#include "cloud/port/provider.h"

// For a provider's row.
extern const struct provider_regions ec2_regions;

// Of a NodeClass's types those that the region offers, with spot prices of the lists where they are
// known. Takes the reference and returns one.
const struct instance_type_catalog *region_types_only(const struct instance_type_catalog *whole,
                                                      const char *region);
