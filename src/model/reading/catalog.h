// InstanceTypeCatalog: the checks of FMT-8, allocatable resources (SCH-117, 118).
#pragma once

#include "model/schema/karpenter.h"

// FMT-8: duplicate names, negative prices and so on; the error names the offending path.
bool instance_type_catalog_check(const struct instance_type_catalog *catalog,
                                 struct error *error) MUST_USE;
// The two halves of the check: values, and unique names (which recordings of upstream's decisions
// may violate).
bool instance_type_catalog_check_values(const struct instance_type_catalog *catalog,
                                        struct error *error) MUST_USE;
bool instance_type_catalog_check_names(const struct instance_type_catalog *catalog,
                                       struct error *error) MUST_USE;
// SCH-117: capacity minus overhead, with hugepages taken from memory; arena memory, sorted by name.
struct resource_map instance_type_allocatable(struct arena *arena,
                                              const struct instance_type *instance_type,
                                              const struct offering *offering_or_null);
// The type with that name; NULL if there is none or `name` is NULL.
const struct instance_type *instance_type_catalog_find(const struct instance_type_catalog *catalog,
                                                       const char *name);
// The offering that a machine of the type with these labels was bought by: the first of its zone
// and capacity type, available or not (DIS-59), or NULL. `own_reservation`: among several
// reservations the machine's own (DIS-744).
const struct offering *instance_type_offering(const struct instance_type *type,
                                              const struct string_map *labels,
                                              bool own_reservation);
// The single value of an In requirement on `key`, or NULL.
const char *requirement_single_value(const requirement_list *requirements, const char *key);
