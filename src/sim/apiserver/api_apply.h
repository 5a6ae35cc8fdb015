// Server-side apply in a simple form. Each manager's applied fields are remembered in
// metadata.managedFields (operation Apply, FieldsV1): fields that it applied before and no longer
// does are taken away, the rest is merged like a strategic merge patch. Managers are never in
// conflict: the last one wins, as with force.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_apply(struct api_call *call); // server-side apply
