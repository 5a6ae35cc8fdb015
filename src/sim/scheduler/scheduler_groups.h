// Counts of pods per node, by selector, updated incrementally so that no filter visits every pod.
#pragma once

#include "sim/scheduler/scheduler_internal.h"

struct topology *topology_of(struct filter_cluster *cluster, const char *key);
void topologies_node_changed(struct filter_cluster *cluster, const struct filter_node *node);
void topologies_resize(struct filter_cluster *cluster, uint32_t from, uint32_t to);
void topologies_clear(struct filter_cluster *cluster);
struct pod_term pod_term_of_affinity(struct arena *arena, const struct pod *pod,
                                     const struct pod_affinity_term *term);
struct pod_term pod_term_of_spread(struct arena *arena, const struct pod *pod,
                                   const struct topology_spread_constraint *constraint);
bool pod_term_matches(const struct filter_cluster *cluster, const struct pod_term *term,
                      const struct pod *pod);
// Created on first use and updated from then on.
struct pod_group *group_of(struct filter_cluster *cluster, const struct pod *holder,
                           const struct pod_term *terms, uint32_t terms_count, bool skip_deleting);
void groups_count_pod(struct filter_cluster *cluster, const struct filter_pod *pod, int step);
void groups_forget(struct filter_cluster *cluster);
void groups_limit(struct filter_cluster *cluster); // when no state refers to a group
void groups_resize(struct filter_cluster *cluster, uint32_t from, uint32_t to);
void carried_add(struct filter_cluster *cluster, struct filter_pod *pod);
void carried_remove(struct filter_cluster *cluster, struct filter_pod *pod);
