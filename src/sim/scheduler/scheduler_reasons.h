// Reasons for refusing nodes, with the number of nodes of each.
#pragma once

#include <stdint.h>

enum filter_reason { // in the order of kube-scheduler's filters; the first failure is reported
    FILTER_NODE_UNSCHEDULABLE,
    FILTER_NODE_NAME,
    FILTER_TAINT,
    FILTER_NODE_AFFINITY,
    FILTER_PORTS,
    FILTER_TOO_MANY_PODS,
    FILTER_RESOURCES, // counted per resource
    FILTER_CLAIM_IN_USE,
    FILTER_VOLUME_COUNT,
    FILTER_VOLUME_MISSING,
    FILTER_VOLUME_AFFINITY,
    FILTER_VOLUME_BINDING,
    FILTER_VOLUME_ZONE,
    FILTER_SPREAD_LABEL,
    FILTER_SPREAD,
    FILTER_POD_AFFINITY,
    FILTER_POD_ANTI_AFFINITY,
    FILTER_EXISTING_ANTI_AFFINITY,
    FILTER_DEVICES_ELSEWHERE,
    FILTER_DEVICES,
    FILTER_REASONS,
};
struct filter_tally { // why nodes were refused; zero-initialised, freed with filter_tally_free()
    uint32_t reasons[FILTER_REASONS];
    uint32_t *resources; // by number of the cluster's resource
    uint32_t resources_count;
};
