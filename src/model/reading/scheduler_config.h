// The cluster's default topology spread constraints, from the setting SCHEDULER_CONFIG (LIF-382):
// YAML or JSON,
//
//   podTopologySpread:
//     defaultConstraints:
//     - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway}
#pragma once

#include "base/memory.h"
#include "model/schema/core.h"

struct scheduler_config {
    LIST(struct topology_spread_constraint) default_constraints; // without selectors
};

// Reads the text ("" or NULL: nothing configured) into arena memory. An error names its location:
// "validating scheduler config, podTopologySpread.defaultConstraints[0].maxSkew must be greater
// than 0".
bool scheduler_config_read(const char *text, struct arena *arena, struct scheduler_config *out,
                           struct error *error) MUST_USE;
