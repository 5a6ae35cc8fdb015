// Free addresses of subnets, and the choice of subnets for a launch (AWN-103 to 107, AWI-935).
#pragma once

#include "base/loop.h"
#include "model/schema/ec2_node_class.h"

struct subnet_addresses;
struct subnet_addresses *subnet_addresses_create(struct loop *loop, int64_t refresh_interval_ns);
void subnet_addresses_destroy(struct subnet_addresses *addresses);
// A fetched count (DescribeSubnets); drops the in-flight figure.
void subnet_addresses_fetched(struct subnet_addresses *addresses, const char *id, int64_t free);
void subnet_addresses_exhausted(struct subnet_addresses *addresses, const char *id); // AWN-107

// Whether instances get a public IPv4 address there (MapPublicIpOnLaunch); of a subnet that was
// fetched. Absent: not known.
void subnet_addresses_note_public(struct subnet_addresses *addresses, const char *id, bool public);
struct optional_bool subnet_addresses_public(const struct subnet_addresses *addresses,
                                             const char *id);

// With what launches under way have reserved; may be negative. 0: nothing is known.
int64_t subnet_addresses_free(const struct subnet_addresses *addresses, const char *id);

// COMPATIBILITY=upstream: one subnet for each zone (AWN-104), not up to three.
void subnet_addresses_choose_one(struct subnet_addresses *addresses);

struct subnet_choice {
    const struct ec2_subnet *subnet; // of the NodeClass's status
    int64_t reserved;                // P of AWN-105
    int64_t cached;                  // the cached count at the choice
};
// Chooses for the types and the capacity type; `out` has room for status.subnets. Returns the
// number; 0: the NodeClass has no subnets.
uint32_t subnet_addresses_choose(struct subnet_addresses *addresses,
                                 const struct ec2_node_class *node_class,
                                 const struct instance_type *const *types, uint32_t types_count,
                                 const char *capacity_type, struct subnet_choice *out);
// After the fleet's answer: gives back what was reserved in subnets that no instance uses.
void subnet_addresses_settle(struct subnet_addresses *addresses,
                             const struct subnet_choice *choices, uint32_t count,
                             const char *const *used_ids, uint32_t used_count);
