// HorizontalPodAutoscalers have two shapes over the same objects: autoscaling/v2, which is stored,
// and autoscaling/v1, which kubectl up to 1.32 writes.
#pragma once

#include <jansson.h>

// New references. Metrics other than the share of cpu stand in an annotation in between.
json_t *autoscaler_to_v1(const json_t *autoscaler);
json_t *autoscaler_from_v1(const json_t *autoscaler);
