// The modules of disruption. The assembly gives those of lower rooms, the disruption controller
// creates the others; they are private to this room.
#pragma once

#include "control/provisioning/snapshot_builder.h"
#include "control/runtime/control.h"

struct blocked_events;
struct consolidation_history;
struct consolidation_outcomes;
struct consolidation_target;
struct disruption_backoff;
struct disruption_cleanup;
struct disruption_queue;
struct eviction_queue;
struct interruptions;
struct node_timings;
struct pod_events;
struct protection_events;
struct savings;
struct spot_price_history;
struct static_capacity;
struct target_report;
struct wave_report;

struct disruption_parts {
    struct control *control;
    // Borrowed, from the rooms below.
    struct snapshot_sources sources; // of snapshots; also who of them is asked here
    struct commands *commands;
    struct eviction_queue *evictions;
    struct interruptions *interruptions;
    struct pod_events *pod_events;
    struct protection_events *protection_events;
    struct static_capacity *static_capacity;
    struct target_report *target_report;
    struct wave_report *wave_report;
    // The disruption controller's own.
    struct blocked_events *blocked_events;
    struct consolidation_history *history;
    struct consolidation_outcomes *outcomes;
    struct consolidation_target *target;
    struct disruption_backoff *backoff;
    struct disruption_cleanup *cleanup;
    struct disruption_queue *queue;
    struct node_timings *timings;
    struct savings *savings;
    struct spot_price_history *spot_prices;
};
