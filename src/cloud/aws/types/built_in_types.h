// EC2 instance types as Karpenter sees them: labels, capacity, overhead and offerings computed from
// the facts of EC2 (spec AWI sections 2 to 4).
//
// The facts are built into the program (data/ec2/, see its README). The catalog made of them is the
// default of `adze demo`, `adze plan` and the simulated cloud. Prices are those of the built-in
// lists (region_prices.h); a spot price that they lack is a share of the on-demand price.
#pragma once

#include "model/schema/karpenter.h"

struct ec2_catalog_options {
    const char *region;                 // key of the price table; NULL: us-east-1
    const char *const *zones;           // NULL-terminated; NULL: <region>a, b, c
    double memory_overhead_fraction;    // VM_MEMORY_OVERHEAD_PERCENT; < 0: 0.075 (AWI-92)
    double spot_share;                  // of the on-demand price, for all types; <= 0: by the lists
    int64_t reserved_enis;              // AWI-95
    const struct region_prices *prices; // of the region; NULL: the built-in lists
};
#define EC2_SPOT_SHARE 0.4 // where no spot price is known
// The source of the built-in types and prices, for messages.
#define EC2_CATALOG_TEXT                                                      \
    "of EC2, built in (list prices of us-east-1; spot prices of 2025-05-28, " \
    "40 % of the list price where unknown)"

// The catalog for an AL2023 node class without kubelet settings or block device mappings. Types
// without a price in the region get unavailable offerings (AWI-161). One reference, owned by the
// caller.
const struct instance_type_catalog *ec2_catalog_create(const struct ec2_catalog_options *options,
                                                       struct error *error) MUST_USE;

// AWI-111: kube-reserved cpu in millicores for a node of `cpu_millicores`.
int64_t ec2_kube_reserved_cpu(int64_t cpu_millicores);
// AWI-92: memory in bytes.
int64_t ec2_memory_bytes(int64_t stated_mib, bool arm64, double overhead_fraction);

// Additional well-known labels of the provider (AWI-81), NULL-terminated.
extern const char *const ec2_well_known_labels[];
