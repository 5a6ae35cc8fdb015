// Checks of requirements against instance types (GUI-13, API-313): values that no type has, and
// sets of requirements that exclude every type.
#pragma once

#include "model/validate/validate_set.h"

struct catalog_facts;

// Made from InstanceTypeCatalog documents (FMT-6), which are borrowed; other kinds are skipped.
struct catalog_facts *catalog_facts_create(void);
void catalog_facts_add(struct catalog_facts *facts, const json_t *document);
void catalog_facts_destroy(struct catalog_facts *facts); // NULL is fine

// Adds warnings to the findings of NodePools and NodeClaims.
void validate_against_catalog(struct validated *objects, size_t count,
                              const struct catalog_facts *facts);
