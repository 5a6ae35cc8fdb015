// The offerings of EC2's instance types (AWI-160 to 177): on demand and spot in each zone, those of
// reservations, a copy for each partition of a placement group.
//
// Requirements and order are fixed with the catalogue; prices and availability change in place.
#pragma once

#include "cloud/aws/types/ec2_prices.h"
#include "cloud/aws/types/reservation_counts.h"
#include "cloud/aws/types/type_terms.h"
#include "cloud/aws/types/unavailable_offerings.h"

struct offering_lists; // the lists of requirements, shared by all types
// `plain`: requirements on capacity type and zone only (a catalogue without NodeClass).
struct offering_lists *offering_lists_create(const struct type_terms *terms, bool reserved,
                                             bool plain, struct arena *arena);
// Gives the type its offerings, without price and unavailable. In the lists' arena.
void offerings_shape(const struct offering_lists *lists, const struct instance_info *info,
                     struct instance_type *type);

// One offering of a type's list, in its order.
struct offering_place {
    uint32_t zone;         // of the terms; UINT32_MAX: the zone is not known to EC2's list
    const char *zone_name; //
    const char *capacity_type;
    const struct ec2_capacity_reservation *reservation; // NULL: not reserved
    const char *partition;                              // NULL: none
};
// Calls `place` for each offering of the type, in order.
typedef void (*offering_visit)(void *context, struct offering *offering,
                               const struct offering_place *place);
void offerings_visit(const struct offering_lists *lists, const struct instance_info *info,
                     struct instance_type *type, offering_visit visit, void *context);
