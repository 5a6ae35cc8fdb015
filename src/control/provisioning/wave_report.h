// Waves as they came out (SCH-516, SCH-527): passes and purchases of each, how long it took, and
// how many of the pods that were planned for its NodeClaims came to lie there. A wave begins with
// the first pass that creates NodeClaims; it is over when for ten seconds none was created and no
// planned pod was bound, and none is still to come. Told as metrics, in the log and as an event of
// the NodePools that it took nodes of.
#pragma once

#include "control/provisioning/provisioning_pass.h"

struct wave_report;
struct wave_report *wave_report_create(struct control *control);
void wave_report_destroy(struct wave_report *report); // NULL is fine

// The pass is over: all its NodeClaims have been created, or refused.
void wave_report_pass(struct wave_report *report, const struct provisioning_pass *pass);
// Ends the wave if it is over. Cheap; to be called now and then.
void wave_report_review(struct wave_report *report);
