// Objects for tests of launches, from JSON.
#pragma once

#include "model/schema/ec2_node_class.h"

// An object of the kind with this spec and status (JSON; NULL: none), named "default".
const struct object *make_object(const char *api_version, const char *kind, const char *spec,
                                 const char *status);
const struct node_claim *make_claim(const char *requirements, const char *requests);
// types: name, capacity, offerings as "capacity-type zone price[ flags]" texts.
struct made_type {
    const char *name;
    const char *capacity;     // JSON object; NULL: 2 CPUs, 8Gi, 29 pods
    const char *requirements; // JSON members of further requirements, or NULL
    const char *offerings[9]; // "spot us-west-2a 0.04", "!": unavailable; reserved: + id type free
};
const struct instance_type_catalog *make_catalog(const struct made_type *types, uint32_t count);
