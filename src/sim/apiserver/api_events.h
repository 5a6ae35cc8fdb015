// Events have two shapes over the same objects: core/v1, which is stored, and events.k8s.io/v1.
#pragma once

#include <jansson.h>

json_t *event_to_view(const json_t *event); // new references
json_t *event_from_view(const json_t *event);
