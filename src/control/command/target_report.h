// What disruption came to (DIS-749, DIS-778): from the first command after a rest until there is
// nothing left to do, how long it took, how many nodes went and came, how many pods were evicted
// and what that saved, and how many NodeClaims had to be bought for evicted pods although no
// command had planned them. Rest is when no command is under way, and none was for a minute and the
// longest consolidateAfter. Told as metrics, in the log and, where pods were evicted, as an event
// of the NodePools whose nodes went.
//
// Pods that a workload creates while it is disrupted count as successors of those evicted, until as
// many have been bound as were; so a NodeClaim for a workload that grows at the same time may count
// as well.
#pragma once

#include "control/command/disruption_command.h"

struct commands;
struct target_report;
struct target_report *target_report_create(struct control *control,
                                           const struct commands *commands);
void target_report_destroy(struct target_report *report); // NULL is fine

// A command is about to be carried out; it has ended well.
void target_report_begin(struct target_report *report, const struct disruption_command *command);
void target_report_end(struct target_report *report, const struct disruption_command *command);
// A pass has bought a NodeClaim; commands do not count theirs.
void target_report_bought(struct target_report *report, const struct plan_claim *planned,
                          const struct node_claim *claim);
// Ends the report if disruption is at rest. Cheap; to be called now and then.
void target_report_review(struct target_report *report);
