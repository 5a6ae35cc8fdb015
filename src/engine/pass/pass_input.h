// Pods, nodes and choices of one pass.
#pragma once

#include "engine/problem/problem.h"

// What many short passes over one problem have in common (simulation.h).
struct pass_shared {
    int64_t **remaining;        // what limits leave with all nodes there, by template; NULL: none
    struct shared_nodes *nodes; // (shared_refusals.c)
    struct shared_table {
        struct shared_refusals {
            bool asked;
            uint64_t *words; // nodes that refuse whoever goes; NULL: none
        } * items;
        uint32_t count;
    } by_shape, by_class;
    struct arena *arena;
};

struct scheduled_list; // engine/problem/disruption_inputs.h

#define TURNS 3

// What a retry does otherwise than the pass before (pass_retry.h). Zero: nothing.
struct retry_options {
    enum queue_order {
        QUEUE_DEPENDENCIES_FIRST, // pods that others look for go before them (topology_order.h)
        QUEUE_AS_GIVEN,
    } queue_order;
    bool prefer_expensive_domain; // of equal domains the one with the most expensive launch
    bool smallest_under_limits;   // below limits the smallest machines
    bool strict_max_skew;         // no sharing beyond maxSkew (SCH-513)
    struct bitset nodes_last;     // classes that try existing nodes last; bits 0: none
};

// Choices that another pass made otherwise (pack_alternatives.h). Zero: none.
struct pass_alternative {
    const uint32_t *required_sets; // by origin of the pod: a requirement set that its claim must
                                   // meet, too, or SET_EMPTY; NULL: no pod has one
    struct bitset ignores_inverse; // classes that avoid no spreads of others (SCH-516); bits 0:
                                   // none
    const uint8_t *turns; // by class, classes without relaxation: lower ones go first; NULL: as
                          // queued
    uint32_t turns_count;
    const uint32_t *closed_terms; // node affinity terms, as sets: spreads over nodes that meet one
    uint32_t closed_terms_count;  // of several terms need not reach into domains that only these
                                  // open
    bool by_added_price; // pods join the claim to whose price they add least (place_by_price.h)
};

struct pass_input {
    struct pass_shared *shared;     // NULL: the pass is alone
    const struct queued_pod *queue; // in queue order
    uint32_t queue_count;
    const uint32_t *excluded; // nodes that take no part, each once
    uint32_t excluded_count;
    const uint32_t *moved; // bound pods of those nodes that are scheduled, beside those that always
    uint32_t moved_count;  // are (problem->pods.scheduled); ascending
    struct bitset quiet;   // nodes that running pods do not move to (DIS-238); bits 0: none
    bool reserved_strict;  // SCH-258
    const struct scheduled_list *followed; // workloads of scheduler_choice.h; may be NULL
    bool as_scheduled;                     // so do all running pods (scheduler_choice.h)
    uint64_t
        attempts_max; // pods are tried so many times in all; 0: as often as is sensible (SCH-53)
    struct retry_options retry;
    struct pass_alternative alternative;
};
