// Requirements in their API form against one label.
#pragma once

#include "model/schema/karpenter.h"

// Whether a label's value is what the requirement allows; NULL: the label is absent (DIS-75).
bool requirement_allows(const struct selector_requirement *requirement, const char *value);
