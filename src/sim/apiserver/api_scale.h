// The scale subresource: autoscaling/v1 Scale over spec.replicas, status.replicas and the selector;
// custom kinds say in their definition where their replicas are.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_scale(struct api_call *call);
