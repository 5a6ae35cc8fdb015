// Events about pods whose annotation karpenter.sh/do-not-disrupt is a duration or cannot be read
// (DIS-41, LIF-125): the annotation is ignored, protects until an instant, or has expired. A pod is
// examined when its node is drained or is a candidate; an unchanged text is published once a pod.
#pragma once

#include "control/runtime/control.h"

struct protection_events;
struct protection_events *protection_events_create(struct control *control);
void protection_events_destroy(struct protection_events *events); // NULL is fine
void protection_events_publish(struct protection_events *events, const struct pod *pod);
