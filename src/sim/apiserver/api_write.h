// create, update, patch and delete of objects.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_create(struct api_call *call);
bool call_update(struct api_call *call);
bool call_patch(struct api_call *call);
bool call_delete(struct api_call *call);
bool call_delete_collection(struct api_call *call);
