// The two modes: upstream's, and adze's own. COMPATIBILITY (FMT-18) chooses one of them once, at
// start; each member is a difference between them, with its rule. The engine's decisions have
// tables of their own (strategy.h of model/snapshot, engine/problem and engine/disruption), which
// controllers read, too, where they act on the same difference. docs/compatibility.md lists all.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct settings;

struct control_strategy {
    // state
    bool keeps_plans;           // SCH-528: a planned pod keeps its place until it is bound there
    bool ends_idle_nominations; // LIF-313: a nomination ends when no pod is pending any more
    bool delays_pod_events;     // LIF-453: lastPodEventTime is late where nothing waits for it
    bool compares_crds;         // API-620: the cluster's CRDs with adze's, from the start on
    // command
    bool remembers_consolidation; // DIS-748, DIS-749, DIS-752: so that it ends and learns
    bool reports_results;         // SCH-516, DIS-778: events of NodePools report results
    bool backs_off_disruption;    // DIS-714, DIS-716, DIS-763: failures wait before a retry
    bool plans_evicted_pods;      // DIS-755: pods of nodes that count as empty get places, too
    // learning
    bool learns_cpu_use; // SCH-507: EXPECTED_CPU_USE, by the cluster's metrics
    // launch, static
    bool backs_off_launches; // LIF-440, STO-25, STO-27: a failed launch waits before a retry
    // node
    bool learns_capacity;  // STO-15: the capacity that a type's machines have at registration
    bool orders_evictions; // SCH-516: in the order in which pods were planned
    bool limits_repair_by_cluster; // LIF-452: beside the NodePool, by lasting conditions
    bool drains_briefly;           // LIF-111: "no pods left" is believed sooner if none is pending
    bool names_drain_blockers;     // LIF-449, LIF-450: pods, not only their number
    bool skips_conditions_at_end;  // LIF-106: of a NodeClaim that is about to be deleted
    // nomination
    bool nominates_pods; // SCH-516: to their planned nodes, for kube-scheduler
    // nodeclaim
    bool counts_launch_attempts; // LIF-469: the condition gives the number of attempts
    bool reports_uninitialized;  // LIF-443: the reason and the time since registration
    // buffers
    bool refuses_unknown_buffers;  // LIF-466: those of a provisioningStrategy that is not served
    bool follows_buffer_workloads; // LIF-466: changes of a buffer's references count at once
    // provisioning
    bool anticipates_pods;  // SCH-527: those that workloads are about to create
    bool plans_in_chunks;   // STO-6: large backlogs, within the memory limit
    bool remembers_answers; // SCH-526: unchanged pods are not planned again
    bool replans_shortages; // AWI-929: pods of launches without capacity wait for no batch
    // disruption
    bool checks_limits_ahead;       // DIS-731: with the largest capacity of the replacements
    bool awaits_ready_replacements; // DIS-726: ready now, not only initialized once
    bool holds_replacements;        // DIS-727: protected until their pods have come
    bool removes_replacements;      // DIS-330, DIS-723: unused ones of a command that failed
    bool skips_unread_reasons;      // LIF-124: DisruptionReason of a node without pods to evict
    bool checks_blockers;           // DIS-791: blockers that have appeared since the decision
    bool leaves_wanted_nodes;       // DIS-725: of drift; no command that ends at once
    bool awaits_rest;               // DIS-703: after dozens of pods have come or gone
    bool validates_one_by_one;      // DIS-260: a command that waits holds up all others
    int64_t validation_ns;          // DIS-260: from the decision to its validation
    int64_t empty_validation_ns;    // DIS-260: the same for empty nodes
};
const struct control_strategy *control_strategy_of(const struct settings *settings);
