// A report of disruption (DIS-749, DIS-778), from the first command after a rest to the next rest:
// its duration, nodes removed and launched, pods evicted, the saving, and the NodeClaims that
// evicted pods needed although no command had planned them. Disruption rests when no command is
// under way and none was for a minute and the longest consolidateAfter. The report goes to metrics,
// the log and, if pods were evicted, to an event of the disrupted NodePools.
//
// Pods that a workload creates during its disruption count as successors until as many are bound as
// were evicted; so a NodeClaim for a workload that grows at the same time may count as well.
#pragma once

#include "control/command/disruption_command.h"

struct commands;
struct target_report;
struct target_report *target_report_create(struct control *control,
                                           const struct commands *commands);
void target_report_destroy(struct target_report *report); // NULL is fine

// A command is about to be executed; it has succeeded.
void target_report_begin(struct target_report *report, const struct disruption_command *command);
void target_report_end(struct target_report *report, const struct disruption_command *command);
// A pass has created a NodeClaim; NodeClaims of commands are not reported here.
void target_report_bought(struct target_report *report, const struct plan_claim *planned,
                          const struct node_claim *claim);
// Ends the report if disruption rests. Cheap; called periodically.
void target_report_review(struct target_report *report);
