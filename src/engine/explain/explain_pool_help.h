// Changes of NodePools that would give a class of pods a place (explain_help.h): a label, a
// requirement, the taints.
#pragma once

#include "engine/explain/explain_help_parts.h"

// Tries each change on the first NodePools alone.
void help_by_pools(struct helper *helper);
