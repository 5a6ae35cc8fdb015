// The cluster for the filters, built from typed objects in any order.
#pragma once

#include "model/schema/core.h"

struct filter_cluster;

struct filter_cluster *filter_cluster_create(void);
void filter_cluster_destroy(struct filter_cluster *cluster); // NULL is fine
// Adds the object, or replaces its former version. Pods, Nodes, Namespaces, claims, volumes,
// storage classes and CSINodes count; others are ignored. Takes a reference.
void filter_cluster_put(struct filter_cluster *cluster, const struct object *object);
void filter_cluster_remove(struct filter_cluster *cluster, const struct object *object);
// The pod (of the cluster, or new) takes room on the node as if it were bound, until its next
// filter_cluster_put().
void filter_cluster_assume(struct filter_cluster *cluster, const struct pod *pod,
                           const char *node_name);

#define FILTER_NODE_NONE UINT32_MAX
// Nodes have indices below the limit; some are not in use.
uint32_t filter_nodes_limit(const struct filter_cluster *cluster);
uint32_t filter_nodes_count(const struct filter_cluster *cluster);
const struct node *filter_node_at(const struct filter_cluster *cluster, uint32_t node); // or NULL
uint32_t filter_node_find(const struct filter_cluster *cluster, const char *name);
