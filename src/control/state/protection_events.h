// Events about pods whose annotation karpenter.sh/do-not-disrupt is a duration or cannot be read
// (DIS-41, LIF-125): that it is ignored, until when it protects, that its time is over. Told when
// somebody looks at the pod because its node is to go or might; each text once a pod, as long as it
// says the same.
#pragma once

#include "control/runtime/control.h"

struct protection_events;
struct protection_events *protection_events_create(struct control *control);
void protection_events_destroy(struct protection_events *events); // NULL is fine
void protection_events_tell(struct protection_events *events, const struct pod *pod);
