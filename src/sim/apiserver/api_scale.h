// The scale subresource: autoscaling/v1 Scale over spec.replicas, status.replicas and the selector.
// Custom kinds define the paths of their replicas.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_scale(struct api_call *call);
