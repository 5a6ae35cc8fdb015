// Prices and availability of offerings at this moment (AWI-161 to 164, 175 to 177).
#pragma once

#include "cloud/aws/types/ec2_offerings.h"
#include "cloud/aws/types/resolving.h"
#include "model/schema/ec2_node_class.h"

struct offering_facts;
// In arena memory; borrows the terms. `terms->node_class` must be set.
struct offering_facts *offering_facts_create(const struct resolving *resolving,
                                             const struct type_terms *terms, struct arena *arena);
struct offering_type { // a type whose offerings are filled
    const struct instance_info *info;
    uint64_t zones; // of the type and of the NodeClass (AWI-44)
    bool fits;      // AWN-41
};
// Fills price, availability and reservation capacity. Returns whether a price was missing.
bool offering_facts_fill(struct offering_facts *facts, const struct offering_lists *lists,
                         const struct offering_type *of, struct instance_type *type);
// AWI-918: keeps the order of reserved offerings by their on-demand price. After all types.
void offering_facts_rank(struct offering_facts *facts);
// The zones that are shifted away from (AWI-650), as a mask.
uint64_t shifted_zones(const struct resolving *resolving, const struct type_terms *terms);
