// Reviews: questions that are answered and not stored (authentication and authorization). Everyone
// may do everything in the embedded cluster.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_review(struct api_call *call, bool *handled);
bool call_token(struct api_call *call);
