// Server-side apply. Fields that a manager no longer applies are removed unless others own them;
// the rest is merged like a strategic merge patch. A change of another manager's field is a
// conflict, unless it is forced.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_apply(struct api_call *call); // server-side apply
