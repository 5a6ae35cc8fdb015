// metrics.k8s.io/v1beta1 for kubectl top. Nothing runs, so nothing is used: the usage is what the
// containers request.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_metrics(struct api_call *call, bool *handled);
