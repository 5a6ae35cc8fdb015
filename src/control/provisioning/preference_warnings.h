// Log lines about pending pods whose preferences may keep nodes from being consolidated (SCH-33):
// preferred anti-affinity between pods, and ScheduleAnyway spread constraints. Each pod is named
// once a day for each of the two (LIF-462); not with PREFERENCE_POLICY=Ignore.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"

struct preference_warnings;
struct preference_warnings *preference_warnings_create(struct control *control);
void preference_warnings_destroy(struct preference_warnings *warnings); // NULL is fine
void preference_warnings_publish(struct preference_warnings *warnings, const struct plan *plan);
