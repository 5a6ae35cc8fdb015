// The instance types and offerings of a launch (AWI-270 to 282): the catalogue of the NodeClass,
// filtered by the NodeClaim, sorted by price and cut.
#pragma once

#include "cloud/aws/instances/launch_candidate.h"
#include "model/reading/settings.h"

#define LAUNCH_TYPES_MAX 60

// AWI-270 to 277. INSUFFICIENT_CAPACITY: nothing is left. The strings stay the catalogue's.
bool launch_filters_apply(struct arena *arena, const struct instance_type_catalog *catalog,
                          const struct node_claim *claim, const struct settings *settings,
                          struct launch_candidates *candidates, struct error *error) MUST_USE;
// The claim allows the capacity type, and a candidate has a fitting offering of it.
bool launch_is_offered(const struct launch_candidates *candidates, const struct node_claim *claim,
                       const char *capacity_type);
// AWI-280: static text.
const char *launch_capacity_type(const struct launch_candidates *candidates,
                                 const struct node_claim *claim);
// AWI-282: static text.
const char *launch_tenancy(const struct node_claim *claim);
