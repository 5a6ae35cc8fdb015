// The two ways in which clusters are kept: upstream's, and adze's own. COMPATIBILITY (FMT-18)
// chooses one of them once, at start; each member is something that they do differently, with its
// rule. Decisions have tables of their own (strategy.h of model/snapshot, engine/problem and
// engine/disruption), which controllers ask, too, where they act on the same difference.
// docs/compatibility.md lists all.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct settings;

struct control_strategy {
    // state
    bool keeps_plans;           // SCH-528: a planned pod has its place until it is bound there
    bool ends_idle_nominations; // LIF-313: a nomination is over when no pod is pending any more
    bool delays_pod_events;     // LIF-453: lastPodEventTime has no hurry where nothing waits for it
    // command
    bool remembers_consolidation; // DIS-748, DIS-749, DIS-752: so that it ends, and learns
    bool reports_results;         // SCH-516, DIS-778: events of NodePools tell what was achieved
    bool backs_off_disruption;    // DIS-714, DIS-716, DIS-763: what failed waits before it is tried
    bool plans_evicted_pods;      // DIS-755: pods of nodes that count as empty get places, too
    // launch, static
    bool backs_off_launches; // LIF-440, STO-25, STO-27: what failed waits before it is tried again
    // node
    bool learns_capacity;          // STO-15: what a type's machines turn out to have
    bool orders_evictions;         // SCH-516: in the order in which pods were planned
    bool limits_repair_by_cluster; // LIF-452: beside the NodePool, by what has lasted
    bool drains_briefly;           // LIF-111: "no pods left" is believed sooner if none is pending
    bool names_drain_blockers;     // LIF-449, LIF-450: pods, not only their number
    bool skips_conditions_at_end;  // LIF-106: of a NodeClaim that is gone in a moment
    // nomination
    bool nominates_pods; // SCH-516: kube-scheduler is told where pods were planned
    // nodeclaim
    bool counts_launch_attempts; // LIF-469: the condition says how often it was tried
    bool reports_uninitialized;  // LIF-443: why, and for how long
    // buffers
    bool refuses_unknown_buffers;  // LIF-466: those of a provisioningStrategy that is not served
    bool follows_buffer_workloads; // LIF-466: changes of what a buffer refers to count at once
    // provisioning
    bool anticipates_pods;  // SCH-527: those that workloads are about to create
    bool plans_in_chunks;   // STO-6: large backlogs, within the memory limit
    bool remembers_answers; // SCH-526: what has not changed is not planned again
    // disruption
    bool checks_limits_ahead;       // DIS-731: with what the replacements may become, at most
    bool awaits_ready_replacements; // DIS-726: ready now, not only initialized once
    bool holds_replacements;        // DIS-727: protected until their pods have come
    bool removes_replacements;      // DIS-330, DIS-723: unused ones of a command that failed
    bool skips_unread_reasons;      // LIF-124: DisruptionReason of a node without pods to evict
    bool checks_blockers;           // DIS-791: nothing has come that bars the nodes from going
    bool awaits_rest;               // DIS-703: after pods have come or gone by the dozen
    bool validates_one_by_one;      // DIS-260: a command that waits holds up all others
    int64_t validation_ns;          // DIS-260: from the decision to its second look
    int64_t empty_validation_ns;    // DIS-260: the same for empty nodes
};
const struct control_strategy *control_strategy_of(const struct settings *settings);
