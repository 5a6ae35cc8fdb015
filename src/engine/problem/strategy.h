// The two ways in which pods are placed: upstream's, and adze's own. COMPATIBILITY (FMT-18) chooses
// one of them once for a problem; each member is something that they do differently, with its rule.
// Disruption has a table of its own (engine/disruption/strategy.h). docs/compatibility.md lists
// all.
#pragma once

#include <stdbool.h>

struct settings;

struct engine_strategy {
    // problem, pods, compile, placement
    bool filters_as_scheduler; // SCH-515: matchFields, PreferNoSchedule, ports of DaemonSets, zones
                               // and limits of volumes, ReadWriteOncePod, terminating pods
    // pods
    bool weighs_preferences; // SCH-508, SCH-509: of all kinds together, and all terms at once
    // pods, topology
    bool counts_as_scheduler; // SCH-515: which nodes and pods spreads and affinities count
    // templates, placement
    bool adds_asked_labels_only; // SCH-514: no label that neither pods nor NodePools ask for
    // topology
    bool counts_planned_nodes;    // SCH-528: nodes of NodeClaims that have not come yet are domains
    bool counts_launchable_zones; // SCH-512: domains of spreads are those where machines may start
    bool doubles_hostname_spreads; // SCH-513: several pods a node once every node has one
    bool decides_domains;          // SCH-511: a claim on which others depend stays in one
    bool combines_keys;            // SCH-512: domains of several keys are chosen together, by price
    bool heeds_other_spreads;      // SCH-516: pods go where they upset no spread of others
    bool orders_by_rules;          // SCH-510: pods on which others depend come first
    // placement
    bool reserves_least_limits;   // SCH-519: of a NodePool's limits, what the cheapest type takes
    bool assigns_one_reservation; // SCH-522: to a claim, not every one that it might use
    bool heeds_priorities;        // SCH-517: where limits or reservations bind
    bool places_without_pools;    // DIS-712: pods may move although no NodePool takes new nodes
    bool retries_passes;          // SCH-510, SCH-543: in other orders, if pods found no place
    // packing
    bool packs_alternatives; // SCH-508, SCH-516: the cheapest of several ways to place pods
};
const struct engine_strategy *engine_strategy_of(const struct settings *settings);
