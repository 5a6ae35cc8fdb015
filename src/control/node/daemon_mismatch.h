// Tells when DaemonSets leave less of a node than was planned (STO-14): their pods ask for more
// than the template says - what an autoscaler of pods, or an admission webhook, gives them. The
// next decision reckons with what the newest pod asks for (LIF-315), so that the next machine is
// larger; the event says why the one before was too small.
#pragma once

#include "control/runtime/control.h"

void daemon_mismatch_watch(struct control *control); // STO-14; handlers only
