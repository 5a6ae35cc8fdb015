// Requirements in their API form against values of a label. Several entries for a key all hold; a
// key that is not mentioned allows everything.
#pragma once

#include "model/schema/karpenter.h"

// Whether a label's value is what the requirement allows; NULL: the label is absent (DIS-75). An
// operator that is unknown, or lacks its one number, allows nothing.
bool requirement_allows(const struct selector_requirement *requirement, const char *value);
// Whether all entries of `requirements` for `key` allow `value`; NULL: the label is absent.
bool requirements_allow(const requirement_list *requirements, const char *key, const char *value);
// Whether some value of a type's or offering's own requirement is allowed by `wanted`. Other
// operators than In and DoesNotExist leave the value open: they are met.
bool requirement_meets(const struct selector_requirement *offered, const requirement_list *wanted);
// An available offering whose zone, capacity type and so on the requirements of a claim allow.
bool offering_compatible(const struct offering *offering, const requirement_list *claim);
