// Settings of older versions: the ConfigMap karpenter-global-settings (MIG-64).
#pragma once

#include "cli/convert/conversion.h"

// Takes the document as settings of the run; false: it is none. Before any class is converted.
bool old_settings_take(struct source *source);
// Writes into the objects what has become a field of theirs: tags, drift that was off.
void old_settings_apply(struct conversion *conversion);
