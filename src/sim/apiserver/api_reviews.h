// Reviews of authentication and authorization, which are answered and not stored. The embedded
// cluster allows everything to everyone.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_review(struct api_call *call, bool *handled);
bool call_token(struct api_call *call);
