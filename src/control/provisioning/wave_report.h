// The outcome of waves (SCH-516, SCH-527): passes and purchases of each, its duration, and the
// number of pods that were bound to the NodeClaims that they were planned for. A wave begins with
// the first pass that creates NodeClaims; it is over when for ten seconds none was created and no
// planned pod was bound, and none is still to come. It is
// reported as metrics, in the log and as an event of the NodePools whose nodes it took.
#pragma once

#include "control/provisioning/provisioning_pass.h"

struct wave_report;
struct wave_report *wave_report_create(struct control *control);
void wave_report_destroy(struct wave_report *report); // NULL is fine

// The pass is over: all its NodeClaims have been created, or refused.
void wave_report_pass(struct wave_report *report, const struct provisioning_pass *pass);
// Ends the wave if it is over. Cheap; the caller calls it at every pass.
void wave_report_review(struct wave_report *report);
