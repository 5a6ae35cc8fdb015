// An event for a Node whose DaemonSets leave less room than planned (STO-14): their pods request
// more than the template, by a pod autoscaler or an admission webhook. The next decision uses the
// newest pod's requests (LIF-315), so that the next machine is larger; the event explains why this
// one is too small.
#pragma once

#include "control/runtime/control.h"

void daemon_mismatch_watch(struct control *control); // STO-14; handlers only
