// The cpu that a pod uses, from a PodMetrics of metrics.k8s.io/v1beta1: an average over the last
// seconds, made by metrics-server or another adapter.
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

// In nanocores, of all containers. False for what is no such object, has no containers or one
// without usage, amounts that are negative or beyond any machine, or that is not of the last
// minutes (`now`: wall clock).
bool pod_usage_read(const json_t *metrics, int64_t now, int64_t *nanocores) MUST_USE;
