// Strategies of placement: upstream's and adze's own. COMPATIBILITY (FMT-18) selects one per
// problem; each member is one difference, with its rule. Disruption has its own table
// (engine/disruption/strategy.h). docs/compatibility.md lists all.
#pragma once

#include <stdbool.h>

struct settings;

struct engine_strategy {
    // problem, pods, compile, placement
    bool filters_as_scheduler; // SCH-515: matchFields, PreferNoSchedule, ports of DaemonSets, zones
                               // and limits of volumes, ReadWriteOncePod, terminating pods
    // pods
    bool plans_claim_templates;    // SCH-423: a ResourceClaim that is not made yet is read from its
                                   // template
    bool plans_extended_resources; // SCH-427: requests for resources that a DeviceClass names
    bool weighs_preferences;       // SCH-508, SCH-509: all kinds together, and all terms at once
    // pods, topology
    bool counts_as_scheduler; // SCH-515: which nodes and pods spreads and affinities count
    // templates, placement
    bool adds_asked_labels_only; // SCH-514: no labels beyond those that pods or NodePools ask for
    // topology
    bool counts_planned_nodes;     // SCH-528: nodes of planned NodeClaims are domains
    bool counts_launchable_zones;  // SCH-512: a spread's domains are those where machines can be
                                   // launched
    bool doubles_hostname_spreads; // SCH-513: several pods a node once every node has one
    bool decides_domains;          // SCH-511: pins a claim to one domain if other pods depend on it
    bool combines_keys;            // SCH-512: chooses domains of several keys together, by price
    bool heeds_other_spreads; // SCH-516: a pod avoids domains where it would break another pod's
                              // spread
    bool orders_by_rules;     // SCH-510: pods on which others depend come first
    // placement
    bool reserves_least_limits;   // SCH-519: charges a NodePool's limits with the cheapest type
    bool assigns_one_reservation; // SCH-522: a claim reserves one reservation, not every possible
                                  // one
    bool heeds_priorities;        // SCH-517: where limits or reservations bind
    bool places_without_pools;    // DIS-712: pods may move although no NodePool takes new nodes
    bool retries_passes;          // SCH-510, SCH-543: tries other orders if pods found no place
    // packing
    bool packs_alternatives; // SCH-508, SCH-516: the cheapest of several ways to place pods
};
const struct engine_strategy *engine_strategy_of(const struct settings *settings);
