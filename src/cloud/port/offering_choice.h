// The offering of a launch: the cheapest available one that a NodeClaim's requirements allow.
//
// Requirements are in API form, as in the NodeClaim (several entries for a key all hold). A key
// that the claim does not mention allows everything; a key that an offering lacks is ignored.
#pragma once

#include "cloud/port/cloud.h"

struct offering_choice {
    const struct instance_type *type;
    const struct offering *offering;
};

// Compatible available offerings of the catalog, cheapest first; equal prices by order of the
// types in the catalog, then zone, then capacity type (KWK-10). In arena memory; `count` may be
// 0.
struct offering_choices {
    struct offering_choice *items;
    uint32_t count;
};
struct offering_choices offering_choices_for(struct arena *arena,
                                             const struct instance_type_catalog *catalog,
                                             const struct node_claim *claim);

// Whether type and offering satisfy the claim's requirements.
bool offering_is_compatible(const struct node_claim *claim, const struct instance_type *type,
                            const struct offering *offering);
// Whether the type fits the claim's resource requests (SCH-114).
bool instance_type_fits(struct arena *arena, const struct node_claim *claim,
                        const struct instance_type *type, const struct offering *offering);
