// Pods, nodes and choices of one pass.
#pragma once

#include "engine/problem/problem.h"

// State shared by many short passes over one problem (simulation.h).
struct pass_shared {
    int64_t **remaining; // what limits leave with no node removed, by template; NULL: no limits
    struct shared_nodes *nodes; // (shared_refusals.c)
    struct shared_table {
        struct shared_refusals {
            bool asked;
            uint64_t *words; // nodes that refuse in every pass; NULL: none
        } * items;
        uint32_t count;
    } by_shape, by_class;
    struct arena *arena;
};

struct scheduler_view; // engine/pass/scheduler_view.h
struct scheduled_list; // engine/problem/disruption_inputs.h

#define TURNS 3

// Differences of a retry from the pass before (pass_retry.h). Zero: none.
struct retry_options {
    enum queue_order {
        QUEUE_DEPENDENCIES_FIRST, // pods on which others depend go first (topology_order.h)
        QUEUE_AS_GIVEN,
    } queue_order;
    bool prefer_expensive_domain; // prefers the domain with the most expensive launch among equal
                                  // ones
    bool smallest_under_limits;   // uses the smallest machines under limits
    bool strict_max_skew;         // no sharing of nodes beyond maxSkew (SCH-513)
    struct bitset nodes_last;     // classes that try existing nodes last; no bits: none
};

// Deviations of an alternative pass (pack_alternatives.h). Zero: none.
struct pass_alternative {
    const uint32_t *required_sets; // by origin of the pod: an added requirement set for its claim,
                                   // or SET_EMPTY; NULL: none
    // Classes that may break other pods' spreads (SCH-516); no bits: none.
    struct bitset ignores_inverse;
    const uint8_t *turns; // by class (without relaxation): lower turns go first; NULL: queue order
    uint32_t turns_count;
    const uint32_t *closed_terms; // node affinity terms, as sets, that the alternative avoids: a
                                  // spread over several
    uint32_t closed_terms_count;  // terms may leave out the domains that only these terms allow
    bool by_added_price; // pods join the claim whose price they raise least (place_by_price.h)
};

struct pass_input {
    struct pass_shared *shared;     // NULL: shares nothing
    const struct queued_pod *queue; // in queue order
    uint32_t queue_count;
    const uint32_t *excluded; // nodes without part in the pass, each once
    uint32_t excluded_count;
    const uint32_t *moved; // bound pods of the excluded nodes that the pass schedules, ascending;
    uint32_t moved_count;  // it also schedules problem->pods.scheduled
    struct bitset quiet;   // nodes that running pods do not move to (DIS-238); no bits: none
    bool reserved_strict;  // SCH-258
    // Workloads placed as kube-scheduler would (scheduler_choice.h); may be NULL.
    const struct scheduled_list *followed;
    bool as_scheduled;  // places all running pods that way, and each counts for spreads over
                        // zones and the like where it runs until its turn (SCH-516)
    bool guided;        // as_scheduled, and evicted pods are led to their places
                        // (engine/placement/drain_guidance.h)
    bool fits_or_stops; // ends when a pod of a removed node needs a new one: the rest is not placed
    uint32_t lots;      // the draw among nodes that kube-scheduler holds equal; 0: the first
    const struct scheduler_view *view; // NULL: kube-scheduler places none
    uint64_t attempts_max; // limit on placement attempts in all; 0: the default (SCH-53)
    struct retry_options retry;
    struct pass_alternative alternative;
};
