// Server-side apply in a simple form. metadata.managedFields (operation Apply, FieldsV1) holds each
// manager's applied fields. Fields that a manager no longer applies are removed; the rest is merged
// like a strategic merge patch. Managers never conflict: the last one wins, as with force.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_apply(struct api_call *call); // server-side apply
