// All that the resolving of instance types depends on beside the type's own facts: settings, and
// facts of the NodeClass (AWI-12).
#pragma once

#include "cloud/aws/families/kubelet_config.h"
#include "cloud/aws/types/instance_info.h"
#include "cloud/aws/types/placement_group.h"
#include "model/schema/karpenter.h"

#define TYPE_ZONES_MAX 64

struct type_zone {
    const char *name, *id; // id NULL: the NodeClass has no subnet there, or it is unknown
};
struct type_terms { // borrowed
    const char *region;
    // Zones of the region that any type is offered in, by name (AWI-2): the bits of zone masks.
    const struct type_zone *zones;
    uint32_t zones_count;
    uint64_t class_zones; // those where the NodeClass has a subnet
    bool better;          // false: COMPATIBILITY=upstream
    // Settings.
    double memory_overhead_fraction; // AWI-92
    int64_t reserved_enis;           // AWI-95
    bool expressions;                // gate NodeClassCEL (AWN-235)
    // Family (AWN-210).
    bool windows, eni_limited_pods, eni_limited_memory, honours_pods_per_core;
    const char *windows_build; // NULL: none
    // NodeClass.
    const struct kubelet_config *kubelet; // NULL: none
    // Its expressions, for one type; NULL: it has none.
    bool (*resolve_kubelet)(const struct kubelet_config *config,
                            const struct kubelet_variables *variables, bool gate,
                            struct arena *arena, struct kubelet_values *values,
                            struct error *error);
    int64_t ephemeral_bytes;                 // without instance store (AWN-212)
    bool instance_store_raid;                // RAID0
    bool interfaces_given;                   // spec.networkInterfaces is present
    int64_t efa_only, efa_only_card_0;       // of its interfaces
    int64_t volume_price;                    // of a node, nano-USD an hour
    bool public_address;                     // of a node
    bool prefixes;                           // spec.ipPrefixCount is set (AWI-907)
    const struct ec2_node_class *node_class; // status.capacityReservations; NULL: none
    const struct placement_group *group;     // NULL: none
};
// Everything as AL2023 without settings has it.
void type_terms_defaults(struct type_terms *terms);
