// Requirements in their API form against values of a label. Several entries for a key all hold; a
// key without an entry allows everything.
#pragma once

#include "model/schema/karpenter.h"

// Whether the requirement allows a label's value; NULL: the label is absent (DIS-75). An unknown
// operator, or a comparison without its one number, allows nothing.
bool requirement_allows(const struct selector_requirement *requirement, const char *value);
// Whether all entries of `requirements` for `key` allow `value`; NULL: the label is absent.
bool requirements_allow(const requirement_list *requirements, const char *key, const char *value);
// Whether `wanted` allows some value of a type's or offering's own requirement. Operators other
// than In and DoesNotExist leave the value open, so they match.
bool requirement_meets(const struct selector_requirement *offered, const requirement_list *wanted);
// Whether the offering is available and the claim's requirements allow its zone, capacity type and
// so on.
bool offering_compatible(const struct offering *offering, const requirement_list *claim);
